#include "git/index/cachetree.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 2048 };

struct reader_at {
    const uint8_t *at, *end;
};

/* Decimal digits up to `stop`. A minus is an answer too: *negative. */
static bool number(uint32_t *out, bool *negative, struct reader_at *r, char stop) {
    uint64_t value = 0;
    *negative = r->at < r->end && *r->at == '-';
    if (*negative) r->at++;
    const uint8_t *first = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && value <= UINT32_MAX; r->at++)
        value = value * 10 + (uint64_t)(*r->at - '0');
    if (r->at == first || r->at == r->end || (char)*r->at++ != stop || value > UINT32_MAX) return false;
    *out = (uint32_t)value;
    return true;
}

/* "NAME\0ENTRIES CHILDREN\n", and the id unless ENTRIES is negative. */
static bool read_node(struct cachetree_node *node, struct reader_at *r, size_t n_id) {
    bool invalid, none;
    const uint8_t *nul = memchr(r->at, 0, (size_t)(r->end - r->at));
    if (!nul) return false;
    *node = (struct cachetree_node){.name = {(const char *)r->at, (size_t)(nul - r->at)}};
    r->at = nul + 1;
    if (!number(&node->n_entries, &invalid, r, ' ') || !number(&node->n_children, &none, r, '\n') || none)
        return false;
    if (invalid) return true;
    if ((size_t)(r->end - r->at) < n_id) return false;
    node->id = r->at;
    r->at += n_id;
    return true;
}

static bool add(struct cachetree *tree, size_t *room, const struct cachetree_node *node) {
    if (tree->n == *room) {
        size_t wanted = *room ? *room * 2 : 64;
        struct cachetree_node *at = realloc(tree->at, wanted * sizeof *at);
        if (!at) return false;
        tree->at = at;
        *room = wanted;
    }
    tree->at[tree->n++] = *node;
    return true;
}

/* `open` are the folders around the node that is read next, and how many children each still lacks. */
bool cachetree_open(struct cachetree *out, const uint8_t *bytes, size_t n, size_t n_id, struct status *st) {
    static const char damaged[] = "the index is damaged: its TREE extension is not understood";
    struct {
        size_t node, left;
    } open[DEPTH];
    size_t depth = 0, room = 0;
    struct reader_at r = {bytes, bytes + n};
    *out = (struct cachetree){0};
    do {
        struct cachetree_node node;
        if (depth == DEPTH || !read_node(&node, &r, n_id) || (out->n == 0) != (node.name.n == 0)) {
            status_fail(st, STATUS_BAD_INPUT, "%s", damaged);
            goto failed;
        }
        if (!add(out, &room, &node)) {
            status_fail(st, STATUS_NO_MEMORY, "out of memory");
            goto failed;
        }
        if (depth) open[depth - 1].left--;
        open[depth].node = out->n - 1;
        open[depth++].left = node.n_children;
        while (depth && open[depth - 1].left == 0) out->at[open[--depth].node].next = (uint32_t)out->n;
    } while (depth);
    if (r.at == r.end) return true;
    status_fail(st, STATUS_BAD_INPUT, "%s", damaged);
failed:
    cachetree_close(out);
    return false;
}

void cachetree_close(struct cachetree *tree) {
    free(tree->at);
    *tree = (struct cachetree){0};
}
