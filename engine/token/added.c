#include "engine/token/added.h"

#include <stdlib.h>
#include <string.h>

static bool is_added(const struct vocab *v, size_t id) {
    return v->pieces[id].n && (v->kinds[id] == VOCAB_CONTROL || v->kinds[id] == VOCAB_USER_DEFINED ||
                               v->kinds[id] == VOCAB_UNKNOWN);
}

/* Of two tokens with the same text, the earlier comes first. */
static int compare(const void *a, const void *b, void *context) {
    const struct vocab *v = context;
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    struct view p = v->pieces[x], q = v->pieces[y];
    int order = memcmp(p.at, q.at, p.n < q.n ? p.n : q.n);
    if (order == 0) order = (p.n > q.n) - (p.n < q.n);
    return order ? order : (x > y) - (x < y);
}

bool added_open(struct added *a, const struct vocab *vocab, struct arena *arena, struct status *st) {
    *a = (struct added){.vocab = vocab};
    size_t n = 0;
    for (size_t i = 0; i < vocab->n; i++) n += is_added(vocab, i);
    a->ids = arena_alloc(arena, n, sizeof *a->ids, st);
    if (!a->ids) return false;
    for (size_t i = 0; i < vocab->n; i++) {
        if (!is_added(vocab, i)) continue;
        a->ids[a->n++] = (int32_t)i;
        a->starts[(unsigned char)vocab->pieces[i].at[0]] = true;
    }
    qsort_r(a->ids, a->n, sizeof *a->ids, compare, (void *)(uintptr_t)vocab);
    return true;
}

static struct view piece_at(const struct added *a, size_t i) { return a->vocab->pieces[a->ids[i]]; }

/* The first index in [low, high) whose piece, all of them being equal in their first `depth` bytes, is
 * longer than that and goes on with a byte of at least c. */
static size_t lower_bound(const struct added *a, size_t low, size_t high, size_t depth, unsigned c) {
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct view piece = piece_at(a, middle);
        if (piece.n > depth && (unsigned char)piece.at[depth] >= c) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* <|im_end|> and the like, which some vocabularies call user-defined. */
static bool frames(struct view piece) {
    return view_starts(piece, "<|") || view_starts(piece, "<\xEF\xBD\x9C");
}

static bool allowed(const struct added *a, int32_t id, bool parse_special, bool marked) {
    if (a->vocab->kinds[id] == VOCAB_USER_DEFINED) return !marked || !frames(a->vocab->pieces[id]);
    return parse_special && !marked;
}

/* The longest token that the text starts with at `from`, or -1. The table is read as a trie: [low, high) are
 * the pieces that agree with the text so far. */
static int32_t longest_at(const struct added *a, const struct added_text *in, size_t from) {
    int32_t found = -1;
    size_t low = 0, high = a->n;
    bool marked = false;
    for (size_t depth = 0; low < high; depth++) {
        for (; low < high && piece_at(a, low).n == depth; low++)
            if (allowed(a, a->ids[low], in->parse_special, marked)) found = a->ids[low];
        if (from + depth == in->text.n) break;
        unsigned c = (unsigned char)in->text.at[from + depth];
        marked = marked || (in->marks && in->marks[from + depth]);
        size_t end = lower_bound(a, low, high, depth, c + 1);
        low = lower_bound(a, low, end, depth, c);
        high = end;
    }
    return found;
}

bool added_next(const struct added *a, const struct added_text *in, size_t from, size_t *start, int32_t *id) {
    for (size_t i = from; i < in->text.n; i++) {
        if (!a->starts[(unsigned char)in->text.at[i]]) continue;
        *id = longest_at(a, in, i);
        *start = i;
        if (*id >= 0) return true;
    }
    return false;
}
