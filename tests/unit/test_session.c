/* engine/session: pages and the choice of the next id, without a model. */
#include "engine/backend/backend.h"
#include "engine/session/pagetable.h"
#include "engine/session/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { PER_SEQUENCE = 8 };

static int32_t opened(struct pagetable *table) {
    int32_t sequence;
    assert_true(pagetable_open(&sequence, table, NULL));
    return sequence;
}

static int32_t page(const struct pagetable *table, int32_t sequence, size_t i) {
    return table->pages[(size_t)sequence * table->pages_per_sequence + i];
}

static void pages_are_taken_as_a_sequence_grows(void **state) {
    (void)state;
    struct pagetable table;
    assert_true(pagetable_init(&table, 10, PER_SEQUENCE, NULL));
    int32_t s = opened(&table);
    assert_int_equal(pagetable_missing(&table, s, 0), 0);
    assert_int_equal(pagetable_missing(&table, s, 1), 1);
    assert_int_equal(pagetable_missing(&table, s, KV_PAGE), 1);
    assert_int_equal(pagetable_missing(&table, s, KV_PAGE + 1), 2);
    pagetable_take(&table, s, KV_PAGE);
    assert_int_equal(pagetable_missing(&table, s, KV_PAGE), 0);
    assert_int_equal(pagetable_missing(&table, s, KV_PAGE + 1), 1);
    assert_int_equal(table.n_free, 9);
    assert_true(page(&table, s, 0) >= 0);
    assert_int_equal(page(&table, s, 1), -1);
    pagetable_release(&table);
}

static void no_page_belongs_to_two_sequences(void **state) {
    (void)state;
    enum { N = 20 };
    struct pagetable table;
    assert_true(pagetable_init(&table, N * PER_SEQUENCE, PER_SEQUENCE, NULL));
    int32_t s[N];
    for (int i = 0; i < N; i++) s[i] = opened(&table); /* the table moves as it grows */
    for (size_t n = 1; n <= PER_SEQUENCE; n++)
        for (int i = 0; i < N; i++) pagetable_take(&table, s[i], n * KV_PAGE);
    bool seen[N * PER_SEQUENCE] = {false};
    for (int i = 0; i < N; i++)
        for (size_t j = 0; j < PER_SEQUENCE; j++) {
            int32_t p = page(&table, s[i], j);
            assert_true(p >= 0 && p < N * PER_SEQUENCE && !seen[p]);
            seen[p] = true;
        }
    assert_int_equal(table.n_free, 0);
    pagetable_release(&table);
}

static void closing_gives_pages_and_row_back(void **state) {
    (void)state;
    struct pagetable table;
    assert_true(pagetable_init(&table, 4, PER_SEQUENCE, NULL));
    int32_t a = opened(&table), b = opened(&table);
    pagetable_take(&table, a, 3 * KV_PAGE);
    pagetable_take(&table, b, 1);
    assert_int_equal(table.n_free, 0);
    pagetable_close(&table, a);
    assert_int_equal(table.n_free, 3);
    assert_int_equal(page(&table, a, 0), -1);
    assert_int_equal(opened(&table), a);
    assert_int_equal(pagetable_missing(&table, a, 1), 1); /* and it is empty */
    pagetable_release(&table);
}

static void greedy_takes_the_lowest_of_the_largest(void **state) {
    (void)state;
    float margin;
    assert_int_equal(sample_greedy((const float[]){1, 3, 2}, 3, &margin), 1);
    assert_true(margin == 1.0F);
    assert_int_equal(sample_greedy((const float[]){-1, 5, 5, 4}, 4, &margin), 1);
    assert_true(margin == 0.0F);
    assert_int_equal(sample_greedy((const float[]){-7, -8}, 2, &margin), 0);
    assert_true(margin == 1.0F);
    assert_int_equal(sample_greedy((const float[]){4}, 1, &margin), 0);
    assert_true(isinf(margin));
}

static void greedy_never_takes_a_nan(void **state) {
    (void)state;
    float margin;
    assert_int_equal(sample_greedy((const float[]){NAN, 1, NAN, 2, NAN}, 5, &margin), 3);
    assert_true(margin == 1.0F);
    assert_int_equal(sample_greedy((const float[]){NAN, NAN}, 2, &margin), 0);
    assert_true(margin == 0.0F);
    assert_int_equal(sample_greedy((const float[]){NAN, -INFINITY, INFINITY}, 3, NULL), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_taken_as_a_sequence_grows),
        cmocka_unit_test(no_page_belongs_to_two_sequences),
        cmocka_unit_test(closing_gives_pages_and_row_back),
        cmocka_unit_test(greedy_takes_the_lowest_of_the_largest),
        cmocka_unit_test(greedy_never_takes_a_nan),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
