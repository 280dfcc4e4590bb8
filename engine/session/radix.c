#include "engine/session/radix.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct radix_node outside = {RADIX_NONE, RADIX_NONE, RADIX_NONE, RADIX_NONE,
                                          RADIX_NONE, RADIX_NONE, 0,          {0}};

bool radix_init(struct radix *tree, size_t n_pages, struct status *st) {
    *tree = (struct radix){.n_pages = n_pages, .oldest = RADIX_NONE, .newest = RADIX_NONE};
    if (n_pages <= INT32_MAX - RADIX_ROOTS) tree->nodes = calloc(n_pages + RADIX_ROOTS, sizeof *tree->nodes);
    if (!tree->nodes)
        return status_fail(st, STATUS_NO_MEMORY, "no memory for a tree of %zu pages of keys and values",
                           n_pages);
    for (size_t i = 0; i < n_pages + RADIX_ROOTS; i++) tree->nodes[i] = outside;
    return true;
}

void radix_release(struct radix *tree) {
    free(tree->nodes);
    *tree = (struct radix){0};
}

int32_t radix_root(const struct radix *tree, size_t root) {
    assert(root < RADIX_ROOTS);
    return (int32_t)(tree->n_pages + root);
}

static struct radix_node *page_node(const struct radix *tree, int32_t page) {
    assert(page >= 0 && (size_t)page < tree->n_pages);
    return &tree->nodes[page];
}

/* --- looking up ----------------------------------------------------------------------------------------- */

static size_t common(const int32_t *a, const int32_t *b, size_t n) {
    size_t i = 0;
    while (i < n && a[i] == b[i]) i++;
    return i;
}

int32_t radix_nearest(size_t *n_same, const struct radix *tree, int32_t at, const int32_t *ids, size_t n) {
    int32_t nearest = RADIX_NONE;
    *n_same = 0;
    if (n > KV_PAGE) n = KV_PAGE;
    for (int32_t i = tree->nodes[at].child; i != RADIX_NONE && *n_same < n; i = tree->nodes[i].after) {
        size_t same = common(tree->nodes[i].ids, ids, n);
        if (same > *n_same) *n_same = same, nearest = i;
    }
    return nearest;
}

/* --- idle pages ----------------------------------------------------------------------------------------- */

static void make_idle(struct radix *tree, int32_t page) {
    struct radix_node *node = page_node(tree, page);
    node->older = tree->newest;
    node->newer = RADIX_NONE;
    if (tree->newest == RADIX_NONE) tree->oldest = page;
    else tree->nodes[tree->newest].newer = page;
    tree->newest = page;
    tree->n_idle++;
}

static void end_idle(struct radix *tree, int32_t page) {
    struct radix_node *node = page_node(tree, page);
    if (node->older == RADIX_NONE) tree->oldest = node->newer;
    else tree->nodes[node->older].newer = node->newer;
    if (node->newer == RADIX_NONE) tree->newest = node->older;
    else tree->nodes[node->newer].older = node->older;
    node->older = node->newer = RADIX_NONE;
    tree->n_idle--;
}

void radix_hold(struct radix *tree, int32_t page) {
    struct radix_node *node = page_node(tree, page);
    assert(node->parent != RADIX_NONE);
    if (node->n_holders == 0) end_idle(tree, page);
    node->n_holders++;
}

void radix_drop(struct radix *tree, int32_t page) {
    struct radix_node *node = page_node(tree, page);
    assert(node->parent != RADIX_NONE && node->n_holders > 0);
    if (--node->n_holders == 0) make_idle(tree, page);
}

/* --- growing and shrinking ------------------------------------------------------------------------------ */

int32_t radix_insert(struct radix *tree, int32_t at, int32_t page, const int32_t ids[KV_PAGE]) {
    struct radix_node *node = page_node(tree, page), *parent = &tree->nodes[at];
    size_t n_same;
    int32_t twin = radix_nearest(&n_same, tree, at, ids, KV_PAGE);
    assert(node->parent == RADIX_NONE && ((size_t)at >= tree->n_pages || parent->n_holders > 0));
    if (n_same == KV_PAGE) {
        radix_hold(tree, twin);
        return twin;
    }
    node->parent = at;
    node->after = parent->child;
    node->n_holders = 1;
    memcpy(node->ids, ids, sizeof node->ids);
    if (parent->child != RADIX_NONE) tree->nodes[parent->child].before = page;
    parent->child = page;
    return page;
}

int32_t radix_evict(struct radix *tree) {
    int32_t page = tree->oldest;
    struct radix_node *node = page_node(tree, page);
    assert(node->n_holders == 0 && node->child == RADIX_NONE);
    end_idle(tree, page);
    if (node->before == RADIX_NONE) tree->nodes[node->parent].child = node->after;
    else tree->nodes[node->before].after = node->after;
    if (node->after != RADIX_NONE) tree->nodes[node->after].before = node->before;
    *node = outside;
    return page;
}

/* --- checking ------------------------------------------------------------------------------------------- */

/* The children of `at`: linked both ways, of different ids, held no more often than their parent. */
static bool check_children(size_t *n, const struct radix *tree, size_t at, struct status *st) {
    const struct radix_node *parent = &tree->nodes[at];
    size_t held = 0;
    int32_t before = RADIX_NONE;
    for (int32_t i = parent->child; i != RADIX_NONE; before = i, i = tree->nodes[i].after) {
        const struct radix_node *node = page_node(tree, i);
        if (++*n > tree->n_pages) return status_fail(st, STATUS_BAD_INPUT, "children of %zu in a circle", at);
        if (node->parent != (int32_t)at || node->before != before)
            return status_fail(st, STATUS_BAD_INPUT, "page %d is no child of %zu", i, at);
        for (int32_t j = node->after; j != RADIX_NONE; j = tree->nodes[j].after)
            if (common(tree->nodes[j].ids, node->ids, KV_PAGE) == KV_PAGE)
                return status_fail(st, STATUS_BAD_INPUT, "pages %d and %d hold the same tokens", i, j);
        held += node->n_holders;
    }
    return at >= tree->n_pages || held <= parent->n_holders ||
           status_fail(st, STATUS_BAD_INPUT, "page %zu is held %u times, its children %zu", at,
                       parent->n_holders, held);
}

/* Idle pages: those in the tree that nobody holds, each once, linked both ways. */
static bool check_idle(const struct radix *tree, struct status *st) {
    size_t n = 0, n_unheld = 0;
    int32_t older = RADIX_NONE;
    for (int32_t i = tree->oldest; i != RADIX_NONE; older = i, i = tree->nodes[i].newer, n++) {
        const struct radix_node *node = page_node(tree, i);
        if (n == tree->n_idle || node->older != older || node->n_holders > 0 || node->parent == RADIX_NONE)
            return status_fail(st, STATUS_BAD_INPUT, "page %d is idle and %u hold it", i, node->n_holders);
    }
    for (size_t i = 0; i < tree->n_pages; i++)
        n_unheld += tree->nodes[i].parent != RADIX_NONE && tree->nodes[i].n_holders == 0;
    return (n == tree->n_idle && n == n_unheld && older == tree->newest) ||
           status_fail(st, STATUS_BAD_INPUT, "%zu idle pages, %zu in their list, %zu that nobody holds",
                       tree->n_idle, n, n_unheld);
}

/* So that the oldest is a leaf. */
static bool check_order(const struct radix *tree, struct status *st) {
    for (int32_t i = tree->oldest; i != RADIX_NONE; i = tree->nodes[i].newer)
        for (int32_t j = tree->nodes[i].newer; j != RADIX_NONE; j = tree->nodes[j].newer)
            if (tree->nodes[j].parent == i)
                return status_fail(st, STATUS_BAD_INPUT, "page %d is older than its child %d", i, j);
    return true;
}

bool radix_check(const struct radix *tree, struct status *st) {
    size_t n_children = 0, n_inside = 0;
    for (size_t i = 0; i < tree->n_pages + RADIX_ROOTS; i++)
        if (!check_children(&n_children, tree, i, st)) return false;
    for (size_t i = 0; i < tree->n_pages; i++) {
        const struct radix_node *node = &tree->nodes[i];
        if (node->parent != RADIX_NONE) n_inside++;
        else if (memcmp(node, &outside, offsetof(struct radix_node, ids)) != 0)
            return status_fail(st, STATUS_BAD_INPUT, "page %zu is outside, and linked", i);
    }
    if (n_children != n_inside)
        return status_fail(st, STATUS_BAD_INPUT, "%zu pages in the tree, %zu of them linked", n_inside,
                           n_children);
    return check_idle(tree, st) && check_order(tree, st);
}
