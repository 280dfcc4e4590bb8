#include "engine/session/pagetable.h"

#include "base/checked.h"

#include <assert.h>
#include <stdlib.h>

bool pagetable_init(struct pagetable *table, size_t n_pages, size_t pages_per_sequence, struct status *st) {
    *table = (struct pagetable){.pages_per_sequence = pages_per_sequence, .n_pages = n_pages};
    if (!radix_init(&table->tree, n_pages, st)) return false;
    table->free = calloc(n_pages ? n_pages : 1, sizeof *table->free);
    if (!table->free) {
        pagetable_release(table);
        return status_fail(st, STATUS_NO_MEMORY, "no memory for the list of %zu pages of keys and values",
                           n_pages);
    }
    while (table->n_free < n_pages) {
        table->free[table->n_free] = (int32_t)(n_pages - 1 - table->n_free);
        table->n_free++;
    }
    return true;
}

void pagetable_release(struct pagetable *table) {
    free(table->pages);
    free(table->rows);
    free(table->free);
    radix_release(&table->tree);
    *table = (struct pagetable){0};
}

/* Doubles the table; the new rows are closed. */
static bool grow(struct pagetable *table, struct status *st) {
    size_t n = table->n_sequences ? 2 * table->n_sequences : 4, items;
    if (n > INT32_MAX || !checked_mul(&items, n, table->pages_per_sequence)) goto full;
    int32_t *pages = reallocarray(table->pages, items, sizeof *pages);
    if (!pages) goto full;
    table->pages = pages;
    struct pagetable_row *rows = reallocarray(table->rows, n, sizeof *rows);
    if (!rows) goto full;
    table->rows = rows;
    for (size_t i = table->n_sequences * table->pages_per_sequence; i < items; i++) pages[i] = -1;
    for (size_t i = table->n_sequences; i < n; i++) rows[i] = (struct pagetable_row){.root = RADIX_NONE};
    table->n_sequences = n;
    return true;
full:
    return status_fail(st, STATUS_NO_MEMORY, "no memory for the page table of %zu sequences", n);
}

bool pagetable_open(int32_t *sequence, struct pagetable *table, struct status *st) {
    size_t i = 0;
    while (i < table->n_sequences && table->rows[i].root != RADIX_NONE) i++;
    if (i == table->n_sequences && !grow(table, st)) return false;
    table->rows[i] = (struct pagetable_row){.root = radix_root(&table->tree, 0)};
    *sequence = (int32_t)i;
    return true;
}

static struct pagetable_row *row_of(const struct pagetable *table, int32_t sequence) {
    assert(sequence >= 0 && (size_t)sequence < table->n_sequences);
    assert(table->rows[sequence].root != RADIX_NONE);
    return &table->rows[sequence];
}

static int32_t *pages_of(const struct pagetable *table, int32_t sequence) {
    return table->pages + (size_t)sequence * table->pages_per_sequence;
}

static size_t pages_for(size_t n) { return n / KV_PAGE + (n % KV_PAGE != 0); }

/* The last page first: what the tree asks of its holders. */
void pagetable_cut(struct pagetable *table, int32_t sequence, size_t n) {
    struct pagetable_row *row = row_of(table, sequence);
    int32_t *pages = pages_of(table, sequence);
    for (size_t keep = pages_for(n); row->n_held > keep; pages[row->n_held] = -1) {
        int32_t page = pages[--row->n_held];
        if (row->n_held < row->n_shared) {
            row->n_shared = row->n_held;
            radix_drop(&table->tree, page);
        } else {
            table->free[table->n_free++] = page;
        }
    }
}

void pagetable_close(struct pagetable *table, int32_t sequence) {
    pagetable_cut(table, sequence, 0);
    row_of(table, sequence)->root = RADIX_NONE;
}

void pagetable_restart(struct pagetable *table, int32_t sequence, size_t root) {
    pagetable_cut(table, sequence, 0);
    row_of(table, sequence)->root = radix_root(&table->tree, root);
}

size_t pagetable_missing(const struct pagetable *table, int32_t sequence, size_t n) {
    size_t need = pages_for(n), held = row_of(table, sequence)->n_held;
    return need > held ? need - held : 0;
}

size_t pagetable_available(const struct pagetable *table) { return table->n_free + table->tree.n_idle; }

size_t pagetable_own(const struct pagetable *table, int32_t sequence) {
    const struct pagetable_row *row = row_of(table, sequence);
    const int32_t *pages = pages_of(table, sequence);
    size_t n = row->n_held - row->n_shared;
    for (size_t i = 0; i < row->n_shared; i++) n += table->tree.nodes[pages[i]].n_holders == 1;
    return n;
}

void pagetable_take(struct pagetable *table, int32_t sequence, size_t n) {
    struct pagetable_row *row = row_of(table, sequence);
    int32_t *pages = pages_of(table, sequence);
    size_t missing = pagetable_missing(table, sequence, n);
    assert(missing <= pagetable_available(table) && row->n_held + missing <= table->pages_per_sequence);
    for (; missing > 0; missing--)
        pages[row->n_held++] = table->n_free ? table->free[--table->n_free] : radix_evict(&table->tree);
}

/* --- sharing ---------------------------------------------------------------------------------------------
 */

/* Where the tree goes on from the row's shared pages. */
static int32_t end_of(const struct pagetable *table, int32_t sequence) {
    const struct pagetable_row *row = row_of(table, sequence);
    return row->n_shared ? pages_of(table, sequence)[row->n_shared - 1] : row->root;
}

size_t pagetable_adopt(struct pagetable *table, int32_t sequence, const int32_t *ids, size_t n) {
    struct pagetable_row *row = row_of(table, sequence);
    int32_t *pages = pages_of(table, sequence);
    assert(row->n_held == row->n_shared && n <= table->pages_per_sequence * KV_PAGE);
    for (size_t n_same, at; at = row->n_shared * KV_PAGE, at + KV_PAGE <= n;) {
        int32_t page = radix_nearest(&n_same, &table->tree, end_of(table, sequence), ids + at, KV_PAGE);
        if (n_same < KV_PAGE) break;
        radix_hold(&table->tree, page);
        pages[row->n_shared++] = page;
        row->n_held++;
    }
    return row->n_shared * KV_PAGE;
}

int32_t pagetable_nearest(size_t *n_same, struct pagetable *table, int32_t sequence, const int32_t *ids,
                          size_t n) {
    if (n >= KV_PAGE) n = KV_PAGE - 1;
    int32_t page = radix_nearest(n_same, &table->tree, end_of(table, sequence), ids, n);
    if (page != RADIX_NONE) radix_hold(&table->tree, page);
    return page;
}

void pagetable_publish(struct pagetable *table, int32_t sequence, const int32_t ids[KV_PAGE]) {
    struct pagetable_row *row = row_of(table, sequence);
    int32_t *page = pages_of(table, sequence) + row->n_shared, own = *page;
    assert(row->n_shared < row->n_held);
    *page = radix_insert(&table->tree, end_of(table, sequence), own, ids);
    row->n_shared++;
    if (*page != own) table->free[table->n_free++] = own;
}

/* --- checking --------------------------------------------------------------------------------------------
 */

/* seen[page] = places that have it, of its own or as a holder. */
static bool count_row(uint32_t *seen, const struct pagetable *table, size_t sequence, struct status *st) {
    const struct pagetable_row *row = &table->rows[sequence];
    int32_t parent = row->root;
    for (size_t i = 0; i < table->pages_per_sequence; i++) {
        int32_t page = pages_of(table, (int32_t)sequence)[i];
        bool held = i < row->n_held, shared = i < row->n_shared;
        if (held != (page >= 0) || (shared && table->tree.nodes[page].parent != parent) ||
            (held && !shared && table->tree.nodes[page].parent != RADIX_NONE))
            return status_fail(st, STATUS_BAD_INPUT, "row %zu: page %d does not belong at %zu", sequence,
                               page, i);
        if (held) seen[page]++;
        parent = page;
    }
    return true;
}

static bool check_count(const uint32_t *seen, const struct pagetable *table, size_t page, struct status *st) {
    const struct radix_node *node = &table->tree.nodes[page];
    uint32_t want = node->parent == RADIX_NONE ? 1 : node->n_holders;
    return seen[page] == want ||
           status_fail(st, STATUS_BAD_INPUT, "page %zu is in %u places, not in %u", page, seen[page], want);
}

bool pagetable_check(const struct pagetable *table, struct status *st) {
    uint32_t *seen = calloc(table->n_pages ? table->n_pages : 1, sizeof *seen);
    bool ok = seen ? radix_check(&table->tree, st) : status_fail(st, STATUS_NO_MEMORY, "out of memory");
    for (size_t i = 0; ok && i < table->n_free; i++) seen[table->free[i]]++;
    for (size_t i = 0; ok && i < table->n_sequences; i++)
        ok = table->rows[i].root == RADIX_NONE || count_row(seen, table, i, st);
    for (size_t i = 0; ok && i < table->n_pages; i++) ok = check_count(seen, table, i, st);
    free(seen);
    return ok;
}
