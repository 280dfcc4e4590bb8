#include "engine/token/spm.h"

#include "base/utf8.h"
#include "engine/token/token_list.h"

#include <string.h>

struct spm {
    const struct vocab *vocab;
    const char *text;
};

/* Scores as unsigned numbers in the opposite order, so that the highest score comes first. */
static uint32_t order_of(float score) {
    uint32_t bits;
    score += 0.0F; /* -0 and 0 are one */
    memcpy(&bits, &score, sizeof bits);
    return bits & 0x80000000 ? bits : ~(bits | 0x80000000);
}

static bool pair(const void *context, const struct merge_symbol *a, const struct merge_symbol *b,
                 uint32_t *order, int32_t *id) {
    const struct spm *spm = context;
    *id = vocab_find(spm->vocab, spm->text + a->at, (size_t)a->n + b->n);
    if (*id < 0) return false;
    *order = order_of((float)vocab_score(spm->vocab, *id));
    return true;
}

static bool has_byte_tokens(const struct vocab *v, const char *at, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (v->bytes[(unsigned char)at[i]] < 0) return false;
    return true;
}

static bool add_bytes(struct token_list *out, const struct vocab *v, const char *at, size_t n,
                      struct status *st) {
    for (size_t i = 0; i < n; i++)
        if (!token_list_add(out, v->bytes[(unsigned char)at[i]], st)) return false;
    return true;
}

static bool collect(struct token_list *out, const struct vocab *v, const char *text, const struct merge *work,
                    int32_t unknown, struct status *st) {
    bool was_unknown = false;
    for (int32_t i = 0; i >= 0; i = work->symbols[i].after) {
        const struct merge_symbol *symbol = &work->symbols[i];
        const char *at = text + symbol->at;
        bool ok, is_unknown = symbol->id < 0 && !has_byte_tokens(v, at, symbol->n);
        if (symbol->id >= 0) ok = token_list_add(out, symbol->id, st);
        else if (!is_unknown) ok = add_bytes(out, v, at, symbol->n, st);
        else if (unknown < 0)
            return status_fail(st, STATUS_UNSUPPORTED,
                               "the vocabulary has no token for byte 0x%02X of the text and no unknown token",
                               (unsigned)(unsigned char)at[0]);
        else ok = was_unknown || token_list_add(out, unknown, st);
        if (!ok) return false;
        was_unknown = is_unknown;
    }
    return true;
}

bool spm_encode(struct token_list *out, const struct vocab *v, struct view text, int32_t unknown,
                struct merge *work, struct status *st) {
    if (text.n == 0) return true;
    if (!merge_begin(work, text.n, st)) return false;
    for (size_t i = 0; i < text.n;) {
        size_t n = utf8_valid_length(text.at + i, text.n - i);
        merge_add(work, (uint32_t)n, vocab_find(v, text.at + i, n));
        i += n;
    }
    struct spm spm = {v, text.at};
    return merge_run(work, pair, &spm, st) && collect(out, v, text.at, work, unknown, st);
}
