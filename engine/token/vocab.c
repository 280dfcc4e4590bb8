#include "engine/token/vocab.h"

#include "base/utf8.h"

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

/* The slot that holds this piece, or the empty one where it belongs. */
static struct vocab_slot *slot_of(const struct vocab *v, const char *at, size_t n, uint64_t hash) {
    for (size_t i = hash & v->slot_mask;; i = (i + 1) & v->slot_mask) {
        struct vocab_slot *slot = &v->slots[i];
        if (slot->id < 0) return slot;
        if (slot->hash == (uint32_t)(hash >> 32) && view_equal(v->keys[slot->id], (struct view){at, n}))
            return slot;
    }
}

int32_t vocab_find(const struct vocab *v, const char *at, size_t n) {
    if (n == 0 || n > v->longest) return -1;
    return slot_of(v, at, n, hash_of(v->seed, at, n))->id;
}

bool vocab_begin(struct vocab *v, size_t n, bool scored, struct arena *arena, struct status *st) {
    size_t room = 16;
    *v = (struct vocab){.n = n, .seed = vocab_seed()};
    for (int i = 0; i < 256; i++) v->bytes[i] = -1;
    while (room < 2 * n) room *= 2;
    v->pieces = arena_alloc(arena, n, sizeof *v->pieces, st);
    v->keys = v->pieces ? arena_alloc(arena, n, sizeof *v->keys, st) : NULL;
    v->kinds = v->keys ? arena_alloc(arena, n, 1, st) : NULL;
    v->slots = v->kinds ? arena_alloc(arena, room, sizeof *v->slots, st) : NULL;
    if (v->slots && scored) v->scores = arena_alloc(arena, n, sizeof *v->scores, st);
    if (!v->slots || (scored && !v->scores)) return false;
    for (size_t i = 0; i < n; i++) v->kinds[i] = VOCAB_UNUSED;
    for (size_t i = 0; i < room; i++) v->slots[i].id = -1;
    v->slot_mask = room - 1;
    return true;
}

void vocab_put(struct vocab *v, int32_t id, enum vocab_kind kind, struct view piece, struct view key) {
    v->pieces[id] = piece;
    v->keys[id] = key;
    v->kinds[id] = (uint8_t)kind;
    if (key.n == 0) return;
    uint64_t hash = hash_of(v->seed, key.at, key.n);
    *slot_of(v, key.at, key.n, hash) = (struct vocab_slot){(uint32_t)(hash >> 32), id};
    if (key.n > v->longest) v->longest = key.n;
}

/* Its slot stays and compares with an empty key, which nothing equals. */
void vocab_hide(struct vocab *v, int32_t id, enum vocab_kind kind, struct view piece) {
    vocab_put(v, id, kind, piece, (struct view){0});
}

double vocab_score(const struct vocab *v, int32_t id) { return v->scores ? v->scores[id] : 0; }

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

static uint32_t alphabet_character(unsigned byte) {
    if (byte <= ' ') return 0x100 + byte;
    if (byte >= 0x7F && byte <= 0xA0) return 0x100 + byte - 0x5E;
    return byte == 0xAD ? 0x143 : byte;
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

void vocab_to_alphabet(struct str *out, struct view bytes) {
    for (size_t i = 0; i < bytes.n; i++) {
        char text[4];
        str_add(out, text, utf8_encode(text, alphabet_character((unsigned char)bytes.at[i])));
    }
}

bool vocab_from_metaspace(struct str *out, struct view text) {
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

int vocab_byte_of(struct view text) {
    if (text.n != 6 || memcmp(text.at, "<0x", 3) != 0 || text.at[5] != '>') return -1;
    int high = hex_digit(text.at[3]), low = hex_digit(text.at[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}
