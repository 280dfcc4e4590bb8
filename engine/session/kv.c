#include "engine/session/kv.h"

#include "base/checked.h"
#include "engine/backend/backend.h"

#include <assert.h>
#include <stdlib.h>

static const size_t closed = SIZE_MAX;

bool kv_init(struct kv *kv, size_t n_pages, size_t pages_per_sequence, struct status *st) {
    *kv = (struct kv){.pages_per_sequence = pages_per_sequence, .n_pages = n_pages};
    kv->free = n_pages <= INT32_MAX ? calloc(n_pages ? n_pages : 1, sizeof *kv->free) : NULL;
    if (!kv->free)
        return status_fail(st, STATUS_NO_MEMORY, "no memory for the list of %zu pages of keys and values",
                           n_pages);
    while (kv->n_free < n_pages) {
        kv->free[kv->n_free] = (int32_t)(n_pages - 1 - kv->n_free);
        kv->n_free++;
    }
    return true;
}

void kv_release(struct kv *kv) {
    free(kv->pages);
    free(kv->n_held);
    free(kv->free);
    *kv = (struct kv){0};
}

/* Doubles the table; the new rows are closed. */
static bool grow(struct kv *kv, struct status *st) {
    size_t n = kv->n_sequences ? 2 * kv->n_sequences : 4, items;
    if (n > INT32_MAX || !checked_mul(&items, n, kv->pages_per_sequence)) goto full;
    int32_t *pages = reallocarray(kv->pages, items, sizeof *pages);
    if (!pages) goto full;
    kv->pages = pages;
    size_t *n_held = reallocarray(kv->n_held, n, sizeof *n_held);
    if (!n_held) goto full;
    kv->n_held = n_held;
    for (size_t i = kv->n_sequences * kv->pages_per_sequence; i < items; i++) pages[i] = -1;
    for (size_t i = kv->n_sequences; i < n; i++) n_held[i] = closed;
    kv->n_sequences = n;
    return true;
full:
    return status_fail(st, STATUS_NO_MEMORY, "no memory for the page table of %zu sequences", n);
}

bool kv_open(int32_t *sequence, struct kv *kv, struct status *st) {
    size_t i = 0;
    while (i < kv->n_sequences && kv->n_held[i] != closed) i++;
    if (i == kv->n_sequences && !grow(kv, st)) return false;
    kv->n_held[i] = 0;
    *sequence = (int32_t)i;
    return true;
}

static int32_t *row_of(const struct kv *kv, int32_t sequence) {
    assert(sequence >= 0 && (size_t)sequence < kv->n_sequences && kv->n_held[sequence] != closed);
    return kv->pages + (size_t)sequence * kv->pages_per_sequence;
}

void kv_close(struct kv *kv, int32_t sequence) {
    int32_t *row = row_of(kv, sequence);
    for (size_t n = kv->n_held[sequence]; n > 0; n--) {
        kv->free[kv->n_free++] = row[n - 1];
        row[n - 1] = -1;
    }
    kv->n_held[sequence] = closed;
}

size_t kv_missing(const struct kv *kv, int32_t sequence, size_t n) {
    size_t need = (n + KV_PAGE - 1) / KV_PAGE, held = kv->n_held[sequence];
    return need > held ? need - held : 0;
}

void kv_take(struct kv *kv, int32_t sequence, size_t n) {
    int32_t *row = row_of(kv, sequence);
    size_t missing = kv_missing(kv, sequence, n), *held = &kv->n_held[sequence];
    assert(missing <= kv->n_free && *held + missing <= kv->pages_per_sequence);
    for (; missing > 0; missing--) row[(*held)++] = kv->free[--kv->n_free];
}
