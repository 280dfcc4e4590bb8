#include "engine/token/vocab.h"

#include "base/utf8.h"
#include "engine/file/gguf.h"

#include <string.h>
#include <unistd.h>

/* --- the hash table ------------------------------------------------------------------------------------ */

struct vocab_slot {
    uint32_t hash; /* its high half, to skip most comparisons */
    int32_t id;    /* -1: empty */
};

/* The 128-bit product folded onto itself, as in wyhash. */
uint64_t vocab_mix(uint64_t a, uint64_t b) {
    __uint128_t product = (__uint128_t)(a ^ 0x9E3779B97F4A7C15) * (b ^ 0xD1B54A32D192ED03);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t vocab_seed(void) {
    uint64_t seed;
    if (getentropy(&seed, sizeof seed) != 0) seed = (uint64_t)(uintptr_t)&seed;
    return seed;
}

static uint64_t hash_of(uint64_t seed, const char *at, size_t n) {
    uint64_t hash = vocab_mix(seed, n), word;
    for (; n >= sizeof word; at += sizeof word, n -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = vocab_mix(hash, word);
    }
    word = 0;
    memcpy(&word, at, n);
    return vocab_mix(hash, word);
}

static bool make_table(struct vocab *v, struct arena *arena, struct status *st) {
    size_t room = 16;
    while (room < 2 * v->n) room *= 2;
    v->slots = arena_alloc(arena, room, sizeof *v->slots, st);
    if (!v->slots) return false;
    for (size_t i = 0; i < room; i++) v->slots[i].id = -1;
    v->slot_mask = room - 1;
    v->seed = vocab_seed();
    return true;
}

/* The slot that holds this piece, or the empty one where it belongs. */
static struct vocab_slot *slot_of(const struct vocab *v, const char *at, size_t n, uint64_t hash) {
    for (size_t i = hash & v->slot_mask;; i = (i + 1) & v->slot_mask) {
        struct vocab_slot *slot = &v->slots[i];
        if (slot->id < 0) return slot;
        if (slot->hash == (uint32_t)(hash >> 32) && view_equal(v->pieces[slot->id], (struct view){at, n}))
            return slot;
    }
}

int32_t vocab_find(const struct vocab *v, const char *at, size_t n) {
    if (n > v->longest) return -1;
    return slot_of(v, at, n, hash_of(v->seed, at, n))->id;
}

/* Of two normal tokens with the same bytes the later one counts, as in llama.cpp. */
static void insert(struct vocab *v, int32_t id) {
    struct view piece = v->pieces[id];
    uint64_t hash = hash_of(v->seed, piece.at, piece.n);
    *slot_of(v, piece.at, piece.n, hash) = (struct vocab_slot){(uint32_t)(hash >> 32), id};
    if (piece.n > v->longest) v->longest = piece.n;
}

/* --- how pieces are written ---------------------------------------------------------------------------- */

/* The byte that a character of the alphabet stands for, or -1. Printable Latin-1 characters stand for
 * themselves, the 68 other bytes for U+0100 and up, in order (GPT-2 encoder.py). */
static int alphabet_byte(uint32_t c) {
    if ((c >= '!' && c <= '~') || (c >= 0xA1 && c <= 0xFF && c != 0xAD)) return (int)c;
    if (c < 0x100 || c > 0x143) return -1;
    int index = (int)c - 0x100;
    if (index <= ' ') return index;             /* 00 to 20 */
    if (index <= ' ' + 34) return index + 0x5E; /* 7F to A0 */
    return 0xAD;
}

bool vocab_from_alphabet(struct str *out, struct view text) {
    while (text.n) {
        size_t length;
        int byte = alphabet_byte(utf8_decode(text.at, text.n, &length));
        if (length == 0 || byte < 0) return false;
        str_putc(out, (char)byte);
        text.at += length;
        text.n -= length;
    }
    return true;
}

/* *piece = the text with a space for each U+2581. False when it holds a plain space already: such a token
 * is not written in this spelling, and no text reaches it. */
static bool from_metaspace(struct str *out, struct view text) {
    static const char mark[] = "\xE2\x96\x81";
    for (size_t i = 0; i < text.n;) {
        if (text.at[i] == ' ') return false;
        bool space = text.n - i >= 3 && memcmp(text.at + i, mark, 3) == 0;
        str_putc(out, space ? ' ' : text.at[i]);
        i += space ? 3 : 1;
    }
    return true;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte of "<0x41>", or -1 for anything else. */
static int byte_token(struct view text) {
    if (text.n != 6 || memcmp(text.at, "<0x", 3) != 0 || text.at[5] != '>') return -1;
    int high = hex_digit(text.at[3]), low = hex_digit(text.at[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* --- reading the file ---------------------------------------------------------------------------------- */

struct loader {
    struct vocab *v;
    const struct gguf *file;
    enum vocab_spelling spelling;
    struct arena *arena;
    struct gguf_array tokens, kinds;
    struct str text; /* scratch */
    struct status *st;
};

/* Where token i stands in the file. */
static size_t offset_of(const struct loader *l, size_t i) {
    const struct gguf_value *value = gguf_find(l->file, "tokenizer.ggml.tokens");
    return value->offset + 12 + (size_t)(l->tokens.strings[i].at - (const char *)l->tokens.at);
}

static bool check_count(const struct loader *l, const struct gguf_array *array, const char *key) {
    if (array->n == 0 || array->n == l->v->n) return true;
    return status_fail(l->st, STATUS_BAD_INPUT,
                       "%.120s: byte %zu: '%s' has %zu items for %zu tokens; convert the model again",
                       gguf_path(l->file), gguf_find(l->file, key)->offset, key, array->n, l->v->n);
}

static bool read_arrays(struct loader *l) {
    struct gguf_array scores;
    if (!gguf_array(&l->tokens, l->file, "tokenizer.ggml.tokens", GGUF_STRING, l->st) ||
        !gguf_array(&scores, l->file, "tokenizer.ggml.scores", GGUF_F32, l->st) ||
        !gguf_array(&l->kinds, l->file, "tokenizer.ggml.token_type", GGUF_I32, l->st))
        return false;
    l->v->n = l->tokens.n;
    if (l->tokens.n == 0 || l->tokens.n > INT32_MAX)
        return status_fail(l->st, STATUS_BAD_INPUT,
                           "%.120s: 'tokenizer.ggml.tokens' has %zu tokens, so the vocabulary is missing; "
                           "convert the model again with its tokenizer",
                           gguf_path(l->file), l->tokens.n);
    l->v->score = scores.n ? scores.at : NULL;
    return check_count(l, &scores, "tokenizer.ggml.scores") &&
           check_count(l, &l->kinds, "tokenizer.ggml.token_type");
}

/* A copy of the scratch text as piece i. */
static bool keep_text(struct loader *l, size_t i) {
    if (!str_ok(&l->text, l->st)) return false;
    char *copy = arena_copy(l->arena, str_c(&l->text), l->text.n, l->st);
    if (copy) l->v->pieces[i] = (struct view){copy, l->text.n};
    return copy != NULL;
}

static bool read_normal(struct loader *l, size_t i) {
    struct view text = l->tokens.strings[i];
    str_clear(&l->text);
    bool written =
        l->spelling == VOCAB_ALPHABET ? vocab_from_alphabet(&l->text, text) : from_metaspace(&l->text, text);
    if (!written || text.n == 0) return true; /* as it is, and out of reach */
    if (!keep_text(l, i)) return false;
    insert(l->v, (int32_t)i);
    struct view piece = l->v->pieces[i];
    if (l->spelling == VOCAB_ALPHABET && piece.n == 1) l->v->bytes[(unsigned char)piece.at[0]] = (int32_t)i;
    return true;
}

static bool read_byte(struct loader *l, size_t i) {
    struct view text = l->tokens.strings[i];
    int byte = byte_token(text);
    if (byte < 0)
        return status_fail(l->st, STATUS_BAD_INPUT,
                           "%.120s: byte %zu, token %zu: it is a byte token and not one of <0x00> to <0xFF>; "
                           "convert the model again",
                           gguf_path(l->file), offset_of(l, i), i);
    str_clear(&l->text);
    str_putc(&l->text, (char)byte);
    l->v->bytes[byte] = (int32_t)i;
    return keep_text(l, i);
}

static bool read_token(struct loader *l, size_t i) {
    struct vocab *v = l->v;
    int32_t kind = VOCAB_NORMAL;
    if (l->kinds.n) memcpy(&kind, l->kinds.at + 4 * i, sizeof kind);
    if (kind < VOCAB_NORMAL || kind > VOCAB_BYTE)
        return status_fail(
            l->st, STATUS_BAD_INPUT,
            "%.120s: byte %zu, token %zu: its token_type is %d, and types are numbered 1 to 6; "
            "convert the model again",
            gguf_path(l->file), offset_of(l, i), i, (int)kind);
    v->kinds[i] = (uint8_t)kind;
    v->pieces[i] = l->tokens.strings[i];
    if (kind == VOCAB_BYTE) return read_byte(l, i);
    return kind != VOCAB_NORMAL || read_normal(l, i);
}

float vocab_score(const struct vocab *v, int32_t id) {
    float score = 0;
    if (v->score) memcpy(&score, v->score + 4 * (size_t)id, sizeof score);
    return score;
}

static bool check_scores(const struct loader *l) {
    for (size_t i = 0; i < l->v->n; i++) {
        float score = vocab_score(l->v, (int32_t)i);
        if (score != score)
            return status_fail(l->st, STATUS_BAD_INPUT,
                               "%.120s: byte %zu: item %zu of 'tokenizer.ggml.scores' is not a number; "
                               "convert the model again",
                               gguf_path(l->file), gguf_find(l->file, "tokenizer.ggml.scores")->offset, i);
    }
    return true;
}

bool vocab_open(struct vocab *v, const struct gguf *file, enum vocab_spelling spelling, struct arena *arena,
                struct status *st) {
    *v = (struct vocab){0};
    for (int i = 0; i < 256; i++) v->bytes[i] = -1;
    struct loader l = {.v = v, .file = file, .spelling = spelling, .arena = arena, .st = st};
    bool ok = read_arrays(&l) && check_scores(&l) && make_table(v, arena, st);
    if (ok) {
        v->pieces = arena_alloc(arena, v->n, sizeof *v->pieces, st);
        v->kinds = arena_alloc(arena, v->n, 1, st);
        ok = v->pieces && v->kinds;
    }
    for (size_t i = 0; ok && i < v->n; i++) ok = read_token(&l, i);
    str_free(&l.text);
    return ok;
}
