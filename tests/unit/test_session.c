/* engine/session: pages and the choice of the next id, without a model. */
#include "engine/backend/backend.h"
#include "engine/session/pagetable.h"
#include "engine/session/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/sequences.h"

enum { PER_SEQUENCE = 8 };

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

/* --- drawing ------------------------------------------------------------------------------------------- */

enum { IDS = 5, DRAWS = 20000 };
static const float some[IDS] = {0, 2, -INFINITY, 1, NAN};

static void draw_many(int *counts, const struct sample_options *options, const float *logits) {
    struct sampler s;
    struct status st;
    memset(counts, 0, IDS * sizeof *counts);
    assert_true(sample_open(&s, options, IDS, &st));
    for (int i = 0; i < DRAWS; i++) {
        int32_t id;
        assert_true(sample_next(&id, &s, logits));
        counts[id]++;
    }
    sample_close(&s);
}

static void check_share(int count, double share) {
    double got = (double)count / DRAWS;
    if (got < share - 0.015 || got > share + 0.015) fail_msg("%g, not %g", got, share);
}

static void draws_follow_the_distribution(void **state) {
    (void)state;
    int counts[IDS];
    struct sample_options o = sample_defaults();
    draw_many(counts, &o, some);
    assert_int_equal(counts[1], DRAWS); /* no temperature: greedy */
    o.temperature = 1;
    draw_many(counts, &o, some);
    double sum = 1 + exp(2) + exp(1);
    check_share(counts[0], 1 / sum);
    check_share(counts[1], exp(2) / sum);
    check_share(counts[3], exp(1) / sum);
    assert_int_equal(counts[2] + counts[4], 0); /* minus infinity and NaN are never drawn */
    o.temperature = 2;
    draw_many(counts, &o, some);
    check_share(counts[1], exp(1) / (1 + exp(1) + exp(0.5)));
}

static void cuts_keep_the_most_likely(void **state) {
    (void)state;
    int counts[IDS];
    struct sample_options o = sample_defaults();
    o.temperature = 1;
    o.top_k = 2;
    draw_many(counts, &o, some);
    check_share(counts[1], exp(2) / (exp(2) + exp(1)));
    assert_int_equal(counts[0], 0);
    o.top_k = 0, o.top_p = 0.9; /* 0.67 and 0.24 reach it */
    draw_many(counts, &o, some);
    assert_int_equal(counts[0], 0);
    assert_true(counts[3] > 0);
    o.top_p = 0.6;
    draw_many(counts, &o, some);
    assert_int_equal(counts[1], DRAWS);
    o.top_p = 0; /* the most likely one always stays */
    draw_many(counts, &o, some);
    assert_int_equal(counts[1], DRAWS);
    o.top_p = 1, o.min_p = 0.3; /* exp(-1) is 0.37 of the largest, exp(-2) 0.14 */
    draw_many(counts, &o, some);
    assert_int_equal(counts[0], 0);
    assert_true(counts[3] > 0);
}

static void penalties_count_the_window(void **state) {
    (void)state;
    struct sample_options o = sample_defaults();
    struct sampler s;
    struct status st;
    int32_t id;
    o.repeat = 2, o.window = 3;
    assert_true(sample_open(&s, &o, 3, &st));
    static const float logits[] = {3, 2, -1};
    assert_true(sample_next(&id, &s, logits) && id == 0);
    sample_seen(&s, 0); /* 1.5, 2 */
    assert_true(sample_next(&id, &s, logits) && id == 1);
    sample_seen(&s, 1), sample_seen(&s, 1), sample_seen(&s, 1); /* 0 has left the window */
    assert_true(sample_next(&id, &s, logits) && id == 0);
    sample_close(&s);
    o.repeat = 1, o.frequency = 0.6;
    assert_true(sample_open(&s, &o, 3, &st));
    sample_seen(&s, 0);
    assert_true(sample_next(&id, &s, logits) && id == 0); /* 2.4 */
    sample_seen(&s, 0);
    assert_true(sample_next(&id, &s, logits) && id == 1); /* 1.8 */
    sample_close(&s);
    o.frequency = 0, o.presence = 1.5;
    assert_true(sample_open(&s, &o, 3, &st));
    sample_seen(&s, 0), sample_seen(&s, 0);
    assert_true(sample_next(&id, &s, logits) && id == 1); /* 1.5, once */
    sample_close(&s);
    o.repeat = 2, o.presence = 0;
    assert_true(sample_open(&s, &o, 3, &st));
    sample_seen(&s, 2);
    static const float negative[] = {-3, -4, -1.6F}; /* -3.2: a negative logit is multiplied */
    assert_true(sample_next(&id, &s, negative) && id == 0);
    sample_close(&s);
}

static void a_seed_gives_the_same_draws(void **state) {
    (void)state;
    double sum = 0;
    assert_true(sample_uniform(1, 0) == sample_uniform(1, 0) && sample_uniform(1, 0) != sample_uniform(1, 1));
    assert_true(sample_uniform(1, 0) != sample_uniform(2, 0));
    for (uint64_t i = 0; i < DRAWS; i++) {
        double u = sample_uniform(42, i);
        assert_true(u >= 0 && u < 1);
        sum += u;
    }
    check_share((int)sum, 0.5);
}

static void no_number_is_no_draw(void **state) {
    (void)state;
    struct sample_options o = sample_defaults();
    struct sampler s;
    struct status st;
    int32_t id;
    static const float none[] = {NAN, -INFINITY}, over[] = {1, INFINITY};
    for (o.temperature = 0; o.temperature < 2; o.temperature++) {
        assert_true(sample_open(&s, &o, 2, &st));
        assert_false(sample_next(&id, &s, none));
        assert_true(sample_next(&id, &s, over) && id == 1);
        sample_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_taken_as_a_sequence_grows),
        cmocka_unit_test(no_page_belongs_to_two_sequences),
        cmocka_unit_test(closing_gives_pages_and_row_back),
        cmocka_unit_test(greedy_takes_the_lowest_of_the_largest),
        cmocka_unit_test(greedy_never_takes_a_nan),
        cmocka_unit_test(draws_follow_the_distribution),
        cmocka_unit_test(cuts_keep_the_most_likely),
        cmocka_unit_test(penalties_count_the_window),
        cmocka_unit_test(a_seed_gives_the_same_draws),
        cmocka_unit_test(no_number_is_no_draw),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
