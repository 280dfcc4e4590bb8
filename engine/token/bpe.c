#include "engine/token/bpe.h"

#include "base/utf8.h"
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

/* --- making -------------------------------------------------------------------------------------------- */

bool bpe_begin(struct bpe *b, const struct vocab *vocab, size_t n, struct arena *arena, struct status *st) {
    *b = (struct bpe){.vocab = vocab, .seed = vocab_seed(), .unknown = -1};
    size_t room = 16;
    while (room < 2 * n) room *= 2;
    b->mask = room - 1;
    b->merges = arena_alloc(arena, room, sizeof *b->merges, st);
    for (size_t i = 0; b->merges && i < room; i++) b->merges[i].left = -1;
    return b->merges != NULL;
}

bool bpe_put(struct bpe *b, struct view left, struct view right, struct str *scratch) {
    const struct vocab *v = b->vocab;
    str_clear(scratch);
    str_add(scratch, left.at, left.n);
    str_add(scratch, right.at, right.n);
    int32_t first = vocab_find(v, left.at, left.n), second = vocab_find(v, right.at, right.n);
    int32_t whole = vocab_find(v, str_c(scratch), scratch->n);
    if (first < 0 || second < 0 || whole < 0) return false;
    struct bpe_merge *slot = slot_of(b, first, second);
    if (slot->left < 0) *slot = (struct bpe_merge){first, second, (uint32_t)b->n, whole};
    b->n++;
    return true;
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

static bool has_byte_tokens(const struct bpe *b, const char *at, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (b->vocab->bytes[(unsigned char)at[i]] < 0) return false;
    return b->byte_fallback;
}

/* One symbol a byte. */
static void add_bytes(struct merge *work, const struct bpe *b, const char *at, size_t n) {
    for (size_t i = 0; i < n; i++) merge_add(work, 1, b->vocab->bytes[(unsigned char)at[i]]);
}

static void add_characters(struct merge *work, const struct bpe *b, struct view piece) {
    for (size_t i = 0, n; i < piece.n; i += n) {
        n = utf8_valid_length(piece.at + i, piece.n - i);
        if (n == 0) n = 1; /* cannot be: pieces of characters are whole */
        int32_t id = vocab_find(b->vocab, piece.at + i, n);
        if (id < 0 && has_byte_tokens(b, piece.at + i, n)) add_bytes(work, b, piece.at + i, n);
        else merge_add(work, (uint32_t)n, id);
    }
}

bool bpe_encode(struct token_list *out, const struct bpe *b, struct view piece, struct merge *work,
                struct status *st) {
    if (piece.n == 0) return true;
    int32_t whole = b->ignore_merges ? vocab_find(b->vocab, piece.at, piece.n) : -1;
    if (whole >= 0) return token_list_add(out, whole, st);
    if (!merge_begin(work, piece.n, st)) return false;
    if (b->by_character) add_characters(work, b, piece);
    else add_bytes(work, b, piece.at, piece.n);
    if (!merge_run(work, pair, b, st)) return false;
    bool was_unknown = false;
    for (int32_t i = 0; i >= 0; i = work->symbols[i].after) {
        int32_t id = work->symbols[i].id;
        bool is_unknown = id < 0;
        if (is_unknown && !(was_unknown && b->fuses)) id = b->unknown;
        if (id >= 0 && !token_list_add(out, id, st)) return false;
        was_unknown = is_unknown;
    }
    return true;
}
