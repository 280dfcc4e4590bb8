#include "engine/session/pagetable.h"

#include "base/checked.h"
#include "engine/backend/backend.h"

#include <assert.h>
#include <stdlib.h>

static const size_t closed = SIZE_MAX;

bool pagetable_init(struct pagetable *table, size_t n_pages, size_t pages_per_sequence, struct status *st) {
    *table = (struct pagetable){.pages_per_sequence = pages_per_sequence, .n_pages = n_pages};
    table->free = n_pages <= INT32_MAX ? calloc(n_pages ? n_pages : 1, sizeof *table->free) : NULL;
    if (!table->free)
        return status_fail(st, STATUS_NO_MEMORY, "no memory for the list of %zu pages of keys and values",
                           n_pages);
    while (table->n_free < n_pages) {
        table->free[table->n_free] = (int32_t)(n_pages - 1 - table->n_free);
        table->n_free++;
    }
    return true;
}

void pagetable_release(struct pagetable *table) {
    free(table->pages);
    free(table->n_held);
    free(table->free);
    *table = (struct pagetable){0};
}

/* Doubles the table; the new rows are closed. */
static bool grow(struct pagetable *table, struct status *st) {
    size_t n = table->n_sequences ? 2 * table->n_sequences : 4, items;
    if (n > INT32_MAX || !checked_mul(&items, n, table->pages_per_sequence)) goto full;
    int32_t *pages = reallocarray(table->pages, items, sizeof *pages);
    if (!pages) goto full;
    table->pages = pages;
    size_t *n_held = reallocarray(table->n_held, n, sizeof *n_held);
    if (!n_held) goto full;
    table->n_held = n_held;
    for (size_t i = table->n_sequences * table->pages_per_sequence; i < items; i++) pages[i] = -1;
    for (size_t i = table->n_sequences; i < n; i++) n_held[i] = closed;
    table->n_sequences = n;
    return true;
full:
    return status_fail(st, STATUS_NO_MEMORY, "no memory for the page table of %zu sequences", n);
}

bool pagetable_open(int32_t *sequence, struct pagetable *table, struct status *st) {
    size_t i = 0;
    while (i < table->n_sequences && table->n_held[i] != closed) i++;
    if (i == table->n_sequences && !grow(table, st)) return false;
    table->n_held[i] = 0;
    *sequence = (int32_t)i;
    return true;
}

static int32_t *row_of(const struct pagetable *table, int32_t sequence) {
    assert(sequence >= 0 && (size_t)sequence < table->n_sequences && table->n_held[sequence] != closed);
    return table->pages + (size_t)sequence * table->pages_per_sequence;
}

void pagetable_close(struct pagetable *table, int32_t sequence) {
    int32_t *row = row_of(table, sequence);
    for (size_t n = table->n_held[sequence]; n > 0; n--) {
        table->free[table->n_free++] = row[n - 1];
        row[n - 1] = -1;
    }
    table->n_held[sequence] = closed;
}

size_t pagetable_missing(const struct pagetable *table, int32_t sequence, size_t n) {
    size_t need = (n + KV_PAGE - 1) / KV_PAGE, held = table->n_held[sequence];
    return need > held ? need - held : 0;
}

void pagetable_take(struct pagetable *table, int32_t sequence, size_t n) {
    int32_t *row = row_of(table, sequence);
    size_t missing = pagetable_missing(table, sequence, n), *held = &table->n_held[sequence];
    assert(missing <= table->n_free && *held + missing <= table->pages_per_sequence);
    for (; missing > 0; missing--) row[(*held)++] = table->free[--table->n_free];
}
