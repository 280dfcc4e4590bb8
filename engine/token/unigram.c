#include "engine/token/unigram.h"

#include "base/checked.h"
#include "base/utf8.h"
#include "engine/token/token_list.h"

#include <stdlib.h>
#include <string.h>

/* --- the trie ------------------------------------------------------------------------------------------ */

struct unigram_edge {
    uint32_t from; /* a node; 0 is the root */
    uint32_t to;   /* 0: an empty slot */
    unsigned char byte;
};

static struct unigram_edge *slot_of(const struct unigram *u, uint32_t from, unsigned char byte) {
    for (size_t i = vocab_mix(u->seed, (uint64_t)from << 8 | byte) & u->mask;; i = (i + 1) & u->mask) {
        struct unigram_edge *edge = &u->edges[i];
        if (edge->to == 0 || (edge->from == from && edge->byte == byte)) return edge;
    }
}

static void insert(struct unigram *u, int32_t id, uint32_t *n_nodes) {
    struct view key = u->vocab->keys[id];
    uint32_t node = 0;
    for (size_t i = 0; i < key.n; i++) {
        unsigned char byte = (unsigned char)key.at[i];
        struct unigram_edge *edge = slot_of(u, node, byte);
        if (edge->to == 0) *edge = (struct unigram_edge){node, (*n_nodes)++, byte};
        node = edge->to;
    }
    if (key.n) u->ends[node] = id;
}

bool unigram_open(struct unigram *u, const struct vocab *vocab, struct arena *arena, struct status *st) {
    *u = (struct unigram){.vocab = vocab, .unknown = -1, .seed = vocab_seed()};
    size_t bytes = 1, room = 16;
    bool scored = false;
    for (size_t i = 0; i < vocab->n; i++) {
        bytes += vocab->keys[i].n;
        if (vocab->kinds[i] != VOCAB_NORMAL) continue;
        double score = vocab_score(vocab, (int32_t)i);
        if (!scored || score < u->lowest) u->lowest = score;
        scored = true;
    }
    if (bytes > UINT32_MAX / 2)
        return status_fail(st, STATUS_UNSUPPORTED, "a vocabulary of %zu bytes is too large", bytes);
    while (room < 2 * bytes) room *= 2;
    u->mask = room - 1;
    u->edges = arena_alloc(arena, room, sizeof *u->edges, st);
    u->ends = u->edges ? arena_alloc(arena, bytes, sizeof *u->ends, st) : NULL;
    if (!u->ends) return false;
    for (size_t i = 0; i < bytes; i++) u->ends[i] = -1;
    uint32_t n_nodes = 1;
    for (size_t i = 0; i < vocab->n; i++) insert(u, (int32_t)i, &n_nodes);
    return true;
}

/* --- the best path ------------------------------------------------------------------------------------- */

struct unigram_node {
    double score; /* of the best path that ends here */
    int32_t id;   /* its last token, or -1: a character without one */
    uint32_t from;
    bool reached;
};

static void offer(const struct unigram *u, struct unigram_node *nodes, size_t from, size_t to, int32_t id,
                  double score) {
    double sum = nodes[from].score + score;
    if (u->in_float) sum = (double)(float)sum;
    if (nodes[to].reached && sum <= nodes[to].score) return;
    nodes[to] = (struct unigram_node){sum, id, (uint32_t)from, true};
}

/* Offers every token that the text has at `from`; a character without a token of its own costs ten more than
 * the rarest token. */
static size_t offer_all(const struct unigram *u, struct unigram_node *nodes, struct view text, size_t from) {
    static const double penalty = 10;
    size_t n = utf8_valid_length(text.at + from, text.n - from);
    if (n == 0) n = 1; /* cannot be: the text is well-formed */
    bool single = false;
    uint32_t node = 0;
    for (size_t at = from; at < text.n; at++) {
        const struct unigram_edge *edge = slot_of(u, node, (unsigned char)text.at[at]);
        if (edge->to == 0) break;
        node = edge->to;
        int32_t id = u->ends[node];
        if (id < 0) continue;
        offer(u, nodes, from, at + 1, id, vocab_score(u->vocab, id));
        single = single || at + 1 - from == n;
    }
    if (!single) offer(u, nodes, from, from + n, -1, u->lowest - penalty);
    return from + n;
}

static bool make_room(struct unigram_work *work, size_t n, struct status *st) {
    size_t bytes;
    if (work->room >= n) return true;
    void *nodes = checked_mul(&bytes, n, sizeof *work->nodes) ? realloc(work->nodes, bytes) : NULL;
    if (!nodes) return status_fail(st, STATUS_NO_MEMORY, "out of memory for a text of %zu bytes", n);
    work->nodes = nodes;
    work->room = n;
    return true;
}

static bool add_unknown(struct token_list *out, const struct unigram *u, struct view character,
                        bool was_unknown, bool *is_unknown, struct status *st) {
    bool bytes = u->byte_fallback;
    for (size_t i = 0; i < character.n; i++)
        bytes = bytes && u->vocab->bytes[(unsigned char)character.at[i]] >= 0;
    *is_unknown = !bytes;
    for (size_t i = 0; bytes && i < character.n; i++)
        if (!token_list_add(out, u->vocab->bytes[(unsigned char)character.at[i]], st)) return false;
    if (bytes || was_unknown) return true;
    if (u->unknown >= 0) return token_list_add(out, u->unknown, st);
    return status_fail(st, STATUS_UNSUPPORTED,
                       "the vocabulary has no token for byte 0x%02X of the text and no unknown token",
                       (unsigned)(unsigned char)character.at[0]);
}

/* path: where the tokens end, last first. */
static bool collect(struct token_list *out, const struct unigram *u, struct view text,
                    const struct unigram_node *nodes, const struct token_list *path, struct status *st) {
    bool was_unknown = false;
    for (size_t i = path->n; i-- > 0;) {
        const struct unigram_node *node = &nodes[path->ids[i]];
        bool is_unknown = false;
        struct view piece = {text.at + node->from, (size_t)path->ids[i] - node->from};
        if (node->id < 0 ? !add_unknown(out, u, piece, was_unknown, &is_unknown, st)
                         : !token_list_add(out, node->id, st))
            return false;
        was_unknown = is_unknown;
    }
    return true;
}

bool unigram_encode(struct token_list *out, const struct unigram *u, struct view text,
                    struct unigram_work *work, struct status *st) {
    if (text.n == 0) return true;
    if (!make_room(work, text.n + 1, st)) return false;
    struct unigram_node *nodes = work->nodes;
    memset(nodes, 0, (text.n + 1) * sizeof *nodes);
    for (size_t at = 0; at < text.n;) at = offer_all(u, nodes, text, at);
    work->path.n = 0;
    for (size_t at = text.n; at > 0; at = nodes[at].from)
        if (!token_list_add(&work->path, (int32_t)at, st)) return false;
    return collect(out, u, text, nodes, &work->path, st);
}

void unigram_work_free(struct unigram_work *work) {
    free(work->nodes);
    token_list_free(&work->path);
    *work = (struct unigram_work){0};
}
