/* bpe_gguf: merges from GGUF metadata. */
#include "engine/file/gguf.h"
#include "engine/token/bpe.h"

#include <string.h>

struct loader {
    struct bpe *b;
    const struct gguf *file;
    enum vocab_spelling spelling;
    struct gguf_array lines;
    struct str left, right, whole; /* scratch */
    struct status *st;
};

static bool refuse(const struct loader *l, size_t i, const char *why) {
    size_t offset = gguf_find(l->file, "tokenizer.ggml.merges")->offset + 12 +
                    (size_t)(l->lines.strings[i].at - (const char *)l->lines.at);
    return status_fail(l->st, STATUS_BAD_INPUT, "%.120s: byte %zu, merge %zu: %s; convert the model again",
                       gguf_path(l->file), offset, i, why);
}

static bool spelled(struct str *out, const struct loader *l, struct view text) {
    str_clear(out);
    return l->spelling == VOCAB_ALPHABET ? vocab_from_alphabet(out, text) : vocab_from_metaspace(out, text);
}

/* "left right": neither half holds a space, neither spelling has one. */
static bool read_merge(struct loader *l, size_t i) {
    struct view line = l->lines.strings[i];
    const char *space = line.n ? memchr(line.at, ' ', line.n) : NULL;
    if (!space) return refuse(l, i, "it is not two tokens with a space between");
    size_t n = (size_t)(space - line.at);
    if (!spelled(&l->left, l, (struct view){line.at, n}) ||
        !spelled(&l->right, l, (struct view){space + 1, line.n - n - 1}))
        return refuse(l, i, "it holds characters that stand for no byte");
    struct view left = {str_c(&l->left), l->left.n}, right = {str_c(&l->right), l->right.n};
    bool put = bpe_put(l->b, left, right, &l->whole);
    if (!str_ok(&l->left, l->st) || !str_ok(&l->right, l->st) || !str_ok(&l->whole, l->st)) return false;
    return put || refuse(l, i, "its halves or the whole are no tokens");
}

bool bpe_open(struct bpe *b, const struct vocab *vocab, const struct gguf *file, enum vocab_spelling spelling,
              struct arena *arena, struct status *st) {
    struct loader l = {.b = b, .file = file, .spelling = spelling, .st = st};
    if (!gguf_array(&l.lines, file, "tokenizer.ggml.merges", GGUF_STRING, st)) return false;
    if (l.lines.n == 0 || l.lines.n > INT32_MAX)
        return status_fail(st, STATUS_BAD_INPUT,
                           "%.120s: 'tokenizer.ggml.merges' has %zu merges, so the tokenizer is incomplete; "
                           "convert the model again",
                           gguf_path(file), l.lines.n);
    bool ok = bpe_begin(b, vocab, l.lines.n, arena, st);
    for (size_t i = 0; ok && i < l.lines.n; i++) ok = read_merge(&l, i);
    str_free(&l.left);
    str_free(&l.right);
    str_free(&l.whole);
    return ok;
}
