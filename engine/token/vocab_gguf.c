/* vocab_gguf: a vocabulary from GGUF metadata. */
#include "engine/file/gguf.h"
#include "engine/token/vocab.h"

#include <string.h>

struct loader {
    struct vocab *v;
    const struct gguf *file;
    enum vocab_spelling spelling;
    struct arena *arena;
    struct gguf_array tokens, scores, kinds;
    struct str text; /* scratch */
    struct status *st;
};

/* Where token i stands in the file. */
static size_t offset_of(const struct loader *l, size_t i) {
    const struct gguf_value *value = gguf_find(l->file, "tokenizer.ggml.tokens");
    return value->offset + 12 + (size_t)(l->tokens.strings[i].at - (const char *)l->tokens.at);
}

static bool check_count(const struct loader *l, const struct gguf_array *array, const char *key) {
    if (array->n == 0 || array->n == l->tokens.n) return true;
    return status_fail(l->st, STATUS_BAD_INPUT,
                       "%.120s: byte %zu: '%s' has %zu items for %zu tokens; convert the model again",
                       gguf_path(l->file), gguf_find(l->file, key)->offset, key, array->n, l->tokens.n);
}

static bool read_arrays(struct loader *l) {
    if (!gguf_array(&l->tokens, l->file, "tokenizer.ggml.tokens", GGUF_STRING, l->st) ||
        !gguf_array(&l->scores, l->file, "tokenizer.ggml.scores", GGUF_F32, l->st) ||
        !gguf_array(&l->kinds, l->file, "tokenizer.ggml.token_type", GGUF_I32, l->st))
        return false;
    if (l->tokens.n == 0 || l->tokens.n > INT32_MAX)
        return status_fail(l->st, STATUS_BAD_INPUT,
                           "%.120s: 'tokenizer.ggml.tokens' has %zu tokens, so the vocabulary is missing; "
                           "convert the model again with its tokenizer",
                           gguf_path(l->file), l->tokens.n);
    return check_count(l, &l->scores, "tokenizer.ggml.scores") &&
           check_count(l, &l->kinds, "tokenizer.ggml.token_type");
}

/* A copy of the scratch text. */
static bool keep_text(struct view *out, struct loader *l) {
    if (!str_ok(&l->text, l->st)) return false;
    *out = (struct view){arena_copy(l->arena, str_c(&l->text), l->text.n, l->st), l->text.n};
    return out->at != NULL;
}

static bool read_normal(struct loader *l, size_t i) {
    struct view text = l->tokens.strings[i], piece;
    str_clear(&l->text);
    bool written = l->spelling == VOCAB_ALPHABET ? vocab_from_alphabet(&l->text, text)
                                                 : vocab_from_metaspace(&l->text, text);
    if (!written || text.n == 0) { /* as it is, and out of reach */
        vocab_put(l->v, (int32_t)i, VOCAB_NORMAL, text, (struct view){0});
        return true;
    }
    if (!keep_text(&piece, l)) return false;
    vocab_put(l->v, (int32_t)i, VOCAB_NORMAL, piece, piece);
    if (l->spelling == VOCAB_ALPHABET && piece.n == 1) l->v->bytes[(unsigned char)piece.at[0]] = (int32_t)i;
    return true;
}

static bool read_byte(struct loader *l, size_t i) {
    struct view piece;
    int byte = vocab_byte_of(l->tokens.strings[i]);
    if (byte < 0)
        return status_fail(l->st, STATUS_BAD_INPUT,
                           "%.120s: byte %zu, token %zu: it is a byte token and not one of <0x00> to <0xFF>; "
                           "convert the model again",
                           gguf_path(l->file), offset_of(l, i), i);
    str_clear(&l->text);
    str_putc(&l->text, (char)byte);
    if (!keep_text(&piece, l)) return false;
    vocab_put(l->v, (int32_t)i, VOCAB_BYTE, piece, (struct view){0});
    l->v->bytes[byte] = (int32_t)i;
    return true;
}

static bool read_token(struct loader *l, size_t i) {
    int32_t kind = VOCAB_NORMAL;
    if (l->kinds.n) memcpy(&kind, l->kinds.at + 4 * i, sizeof kind);
    if (kind < VOCAB_NORMAL || kind > VOCAB_BYTE)
        return status_fail(
            l->st, STATUS_BAD_INPUT,
            "%.120s: byte %zu, token %zu: its token_type is %d, and types are numbered 1 to 6; "
            "convert the model again",
            gguf_path(l->file), offset_of(l, i), i, (int)kind);
    if (kind == VOCAB_BYTE) return read_byte(l, i);
    if (kind == VOCAB_NORMAL) return read_normal(l, i);
    vocab_put(l->v, (int32_t)i, (enum vocab_kind)kind, l->tokens.strings[i], (struct view){0});
    return true;
}

static bool read_scores(struct loader *l) {
    for (size_t i = 0; i < l->scores.n; i++) {
        float score;
        memcpy(&score, l->scores.at + 4 * i, sizeof score);
        if (score != score)
            return status_fail(l->st, STATUS_BAD_INPUT,
                               "%.120s: byte %zu: item %zu of 'tokenizer.ggml.scores' is not a number; "
                               "convert the model again",
                               gguf_path(l->file), gguf_find(l->file, "tokenizer.ggml.scores")->offset, i);
        l->v->scores[i] = (double)score;
    }
    return true;
}

bool vocab_open(struct vocab *v, const struct gguf *file, enum vocab_spelling spelling, struct arena *arena,
                struct status *st) {
    struct loader l = {.v = v, .file = file, .spelling = spelling, .arena = arena, .st = st};
    bool ok = read_arrays(&l) && vocab_begin(v, l.tokens.n, l.scores.n > 0, arena, st) && read_scores(&l);
    for (size_t i = 0; ok && i < v->n; i++) ok = read_token(&l, i);
    str_free(&l.text);
    return ok;
}
