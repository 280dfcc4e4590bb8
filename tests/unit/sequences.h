/* sequences: rows of a page table in tests. Included behind cmocka.h. Owns nothing. */
#ifndef TESTS_UNIT_SEQUENCES_H
#define TESTS_UNIT_SEQUENCES_H

#include "engine/session/pagetable.h"

static inline int32_t opened(struct pagetable *table) {
    int32_t sequence;
    assert_true(pagetable_open(&sequence, table, NULL));
    return sequence;
}

/* Page i of a sequence. */
static inline int32_t page(const struct pagetable *table, int32_t sequence, size_t i) {
    return table->pages[(size_t)sequence * table->pages_per_sequence + i];
}

#endif
