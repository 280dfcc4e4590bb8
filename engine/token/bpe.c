#include "engine/token/bpe.h"

#include "engine/file/gguf.h"
#include "engine/token/token_list.h"

#include <string.h>

struct bpe_merge {
    int32_t left, right; /* left = -1: an empty slot */
    uint32_t rank;
    int32_t id; /* of the two together */
};

static struct bpe_merge *slot_of(const struct bpe *b, int32_t left, int32_t right) {
    uint64_t key = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    for (size_t i = vocab_mix(b->seed, key) & b->mask;; i = (i + 1) & b->mask) {
        struct bpe_merge *slot = &b->merges[i];
        if (slot->left < 0 || (slot->left == left && slot->right == right)) return slot;
    }
}

/* --- reading the merges -------------------------------------------------------------------------------- */

struct loader {
    struct bpe *b;
    const struct gguf *file;
    struct gguf_array lines;
    struct str left, right; /* scratch */
    struct status *st;
};

static bool refuse(const struct loader *l, size_t i, const char *why) {
    size_t offset = gguf_find(l->file, "tokenizer.ggml.merges")->offset + 12 +
                    (size_t)(l->lines.strings[i].at - (const char *)l->lines.at);
    return status_fail(l->st, STATUS_BAD_INPUT, "%.120s: byte %zu, merge %zu: %s; convert the model again",
                       gguf_path(l->file), offset, i, why);
}

/* "left right": neither half holds a space, the alphabet has none. */
static bool read_merge(struct loader *l, size_t i) {
    struct view line = l->lines.strings[i];
    const char *space = line.n ? memchr(line.at, ' ', line.n) : NULL;
    if (!space) return refuse(l, i, "it is not two tokens with a space between");
    size_t n = (size_t)(space - line.at);
    str_clear(&l->left);
    str_clear(&l->right);
    if (!vocab_from_alphabet(&l->left, (struct view){line.at, n}) ||
        !vocab_from_alphabet(&l->right, (struct view){space + 1, line.n - n - 1}))
        return refuse(l, i, "it holds characters that stand for no byte");
    const struct vocab *v = l->b->vocab;
    int32_t left = vocab_find(v, str_c(&l->left), l->left.n);
    int32_t right = vocab_find(v, str_c(&l->right), l->right.n);
    str_add(&l->left, str_c(&l->right), l->right.n);
    if (!str_ok(&l->left, l->st) || !str_ok(&l->right, l->st)) return false;
    int32_t id = vocab_find(v, str_c(&l->left), l->left.n);
    if (left < 0 || right < 0 || id < 0) return refuse(l, i, "its halves or the whole are no tokens");
    struct bpe_merge *slot = slot_of(l->b, left, right);
    if (slot->left < 0) *slot = (struct bpe_merge){left, right, (uint32_t)i, id};
    return true;
}

bool bpe_open(struct bpe *b, const struct vocab *vocab, const struct gguf *file, struct arena *arena,
              struct status *st) {
    *b = (struct bpe){.vocab = vocab, .seed = vocab_seed()};
    struct loader l = {.b = b, .file = file, .st = st};
    if (!gguf_array(&l.lines, file, "tokenizer.ggml.merges", GGUF_STRING, st)) return false;
    if (l.lines.n == 0 || l.lines.n > INT32_MAX)
        return status_fail(st, STATUS_BAD_INPUT,
                           "%.120s: 'tokenizer.ggml.merges' has %zu merges, so the tokenizer is incomplete; "
                           "convert the model again",
                           gguf_path(file), l.lines.n);
    size_t room = 16;
    while (room < 2 * l.lines.n) room *= 2;
    b->mask = room - 1;
    b->merges = arena_alloc(arena, room, sizeof *b->merges, st);
    if (!b->merges) return false;
    for (size_t i = 0; i < room; i++) b->merges[i].left = -1;
    bool ok = true;
    for (size_t i = 0; ok && i < l.lines.n; i++) ok = read_merge(&l, i);
    str_free(&l.left);
    str_free(&l.right);
    return ok;
}

/* --- encoding ------------------------------------------------------------------------------------------ */

static bool pair(const void *context, const struct merge_symbol *a, const struct merge_symbol *b,
                 uint32_t *order, int32_t *id) {
    if (a->id < 0 || b->id < 0) return false;
    const struct bpe_merge *merge = slot_of(context, a->id, b->id);
    *order = merge->rank;
    *id = merge->id;
    return merge->left >= 0;
}

bool bpe_encode(struct token_list *out, const struct bpe *b, struct view piece, struct merge *work,
                struct status *st) {
    if (piece.n == 0) return true;
    int32_t whole = b->ignore_merges ? vocab_find(b->vocab, piece.at, piece.n) : -1;
    if (whole >= 0) return token_list_add(out, whole, st);
    if (!merge_begin(work, piece.n, st)) return false;
    for (size_t i = 0; i < piece.n; i++) merge_add(work, 1, b->vocab->bytes[(unsigned char)piece.at[i]]);
    if (!merge_run(work, pair, b, st)) return false;
    for (int32_t i = 0; i >= 0; i = work->symbols[i].after) {
        int32_t id = work->symbols[i].id;
        if (id >= 0 && !token_list_add(out, id, st)) return false;
    }
    return true;
}
