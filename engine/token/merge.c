#include "engine/token/merge.h"

#include "base/checked.h"

#include <assert.h>
#include <stdlib.h>

struct merge_candidate {
    uint64_t key; /* order, then the index of the left symbol: both decide, lowest first */
    uint32_t n;   /* bytes of both symbols */
    int32_t id;
};

static void *grown(void *table, size_t *room, size_t need, size_t size, struct status *st) {
    if (need <= *room) return table;
    size_t more = *room ? *room : 64, bytes;
    while (more < need) more *= 2;
    void *moved = checked_mul(&bytes, more, size) ? realloc(table, bytes) : NULL;
    if (!moved) status_fail(st, STATUS_NO_MEMORY, "out of memory for the %zu symbols of a text", need);
    else *room = more;
    return moved;
}

bool merge_begin(struct merge *m, size_t n, struct status *st) {
    m->n_symbols = m->n_heap = 0;
    void *symbols = grown(m->symbols, &m->symbol_room, n ? n : 1, sizeof *m->symbols, st);
    if (symbols) m->symbols = symbols;
    return symbols != NULL;
}

void merge_add(struct merge *m, uint32_t n, int32_t id) {
    assert(m->n_symbols < m->symbol_room && n > 0);
    size_t i = m->n_symbols++;
    uint32_t at = i ? m->symbols[i - 1].at + m->symbols[i - 1].n : 0;
    m->symbols[i] = (struct merge_symbol){.at = at, .n = n, .before = (int32_t)i - 1, .after = -1, .id = id};
    if (i) m->symbols[i - 1].after = (int32_t)i;
}

static void sift_up(struct merge_candidate *heap, size_t i) {
    struct merge_candidate moving = heap[i];
    for (size_t up; i > 0 && moving.key < heap[up = (i - 1) / 2].key; i = up) heap[i] = heap[up];
    heap[i] = moving;
}

static struct merge_candidate pop(struct merge *m) {
    struct merge_candidate *heap = m->heap, first = heap[0], moving = heap[--m->n_heap];
    size_t i = 0, n = m->n_heap;
    for (size_t down; (down = 2 * i + 1) < n; i = down) {
        down += down + 1 < n && heap[down + 1].key < heap[down].key;
        if (moving.key <= heap[down].key) break;
        heap[i] = heap[down];
    }
    heap[i] = moving;
    return first;
}

/* Puts the pair that starts at symbol `left` into the heap, if there is one and it may be joined. */
static bool consider(struct merge *m, int32_t left, merge_pair *pair, const void *context,
                     struct status *st) {
    if (left < 0 || m->symbols[left].after < 0) return true;
    const struct merge_symbol *a = &m->symbols[left], *b = &m->symbols[a->after];
    uint32_t order;
    int32_t id;
    if (!pair(context, a, b, &order, &id)) return true;
    struct merge_candidate *heap = grown(m->heap, &m->heap_room, m->n_heap + 1, sizeof *heap, st);
    if (!heap) return false;
    m->heap = heap;
    heap[m->n_heap] = (struct merge_candidate){(uint64_t)order << 32 | (uint32_t)left, a->n + b->n, id};
    sift_up(heap, m->n_heap++);
    return true;
}

/* Symbols only grow to the right, so a candidate still stands exactly when its two lengths add up. */
static bool stands(const struct merge *m, const struct merge_candidate *c) {
    const struct merge_symbol *a = &m->symbols[(uint32_t)c->key];
    return a->n && a->after >= 0 && a->n + m->symbols[a->after].n == c->n;
}

bool merge_run(struct merge *m, merge_pair *pair, const void *context, struct status *st) {
    for (size_t i = 0; i + 1 < m->n_symbols; i++)
        if (!consider(m, (int32_t)i, pair, context, st)) return false;
    while (m->n_heap) {
        struct merge_candidate best = pop(m);
        if (!stands(m, &best)) continue;
        int32_t left = (int32_t)(uint32_t)best.key;
        struct merge_symbol *a = &m->symbols[left], *b = &m->symbols[a->after];
        a->n += b->n;
        a->id = best.id;
        b->n = 0;
        a->after = b->after;
        if (a->after >= 0) m->symbols[a->after].before = left;
        if (!consider(m, a->before, pair, context, st) || !consider(m, left, pair, context, st)) return false;
    }
    return true;
}

void merge_free(struct merge *m) {
    free(m->symbols);
    free(m->heap);
    *m = (struct merge){0};
}
