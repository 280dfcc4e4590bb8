/* engine/session: the tree of shared pages, and the page table over it, without a model. A page's content is
 * played by the ids that lead to it: what is shared has to be what would have been computed. */
#include "engine/session/pagetable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/sequences.h"

enum { PER_SEQUENCE = 6, LONGEST = PER_SEQUENCE * KV_PAGE };

static void check(const struct pagetable *table) {
    struct status st;
    if (!pagetable_check(table, &st)) fail_msg("%s", st.message);
}

/* ids[i] = base + i */
static void count_up(int32_t *ids, int32_t base, size_t n) {
    for (size_t i = 0; i < n; i++) ids[i] = base + (int32_t)i;
}

/* A sequence of n full pages of ids, published; returns it. */
static int32_t published(struct pagetable *table, const int32_t *ids, size_t n_pages) {
    int32_t s = opened(table);
    pagetable_take(table, s, n_pages * KV_PAGE);
    for (size_t i = 0; i < n_pages; i++) pagetable_publish(table, s, ids + i * KV_PAGE);
    check(table);
    return s;
}

static void full_pages_are_found_again_and_shared(void **state) {
    (void)state;
    struct pagetable table;
    int32_t ids[LONGEST];
    count_up(ids, 0, LONGEST);
    assert_true(pagetable_init(&table, 8, PER_SEQUENCE, NULL));
    int32_t a = published(&table, ids, 3), b = opened(&table);
    assert_int_equal(pagetable_adopt(&table, b, ids, 3 * KV_PAGE - 1), 2 * KV_PAGE);
    check(&table);
    assert_int_equal(page(&table, b, 1), page(&table, a, 1));
    assert_int_equal(page(&table, b, 2), -1);
    assert_int_equal(table.n_free, 5);
    pagetable_close(&table, a);
    check(&table);
    assert_int_equal(table.tree.n_idle, 1); /* b holds two */
    assert_int_equal(pagetable_available(&table), 6);
    assert_int_equal(pagetable_adopt(&table, b, ids, LONGEST), 3 * KV_PAGE); /* a's last one, still there */
    check(&table);
    pagetable_close(&table, b);
    assert_int_equal(table.tree.n_idle, 3);
    check(&table);
    pagetable_release(&table);
}

/* The second page of one text is no second page behind another first one. */
static void a_page_is_found_behind_its_own_prefix_only(void **state) {
    (void)state;
    struct pagetable table;
    int32_t ids[2 * KV_PAGE], other[2 * KV_PAGE];
    count_up(ids, 0, 2 * KV_PAGE);
    memcpy(other, ids, sizeof other);
    other[0] = 77;
    assert_true(pagetable_init(&table, 8, PER_SEQUENCE, NULL));
    pagetable_close(&table, published(&table, ids, 2));
    int32_t s = opened(&table);
    assert_int_equal(pagetable_adopt(&table, s, other, 2 * KV_PAGE), 0);
    assert_int_equal(pagetable_adopt(&table, s, ids + KV_PAGE, KV_PAGE), 0);
    pagetable_restart(&table, s, 1); /* the same ids under another root */
    assert_int_equal(pagetable_adopt(&table, s, ids, 2 * KV_PAGE), 0);
    pagetable_restart(&table, s, 0);
    assert_int_equal(pagetable_adopt(&table, s, ids, 2 * KV_PAGE), 2 * KV_PAGE);
    check(&table);
    pagetable_release(&table);
}

static void what_was_computed_twice_is_kept_once(void **state) {
    (void)state;
    struct pagetable table;
    int32_t ids[2 * KV_PAGE];
    count_up(ids, 5, 2 * KV_PAGE);
    assert_true(pagetable_init(&table, 8, PER_SEQUENCE, NULL));
    int32_t a = published(&table, ids, 2), b = opened(&table);
    pagetable_take(&table, b, 2 * KV_PAGE);
    assert_int_equal(table.n_free, 4);
    pagetable_publish(&table, b, ids);
    pagetable_publish(&table, b, ids + KV_PAGE);
    check(&table);
    assert_int_equal(table.n_free, 6);
    assert_int_equal(page(&table, a, 1), page(&table, b, 1));
    pagetable_release(&table);
}

static void the_nearest_page_has_most_of_the_ids(void **state) {
    (void)state;
    struct pagetable table;
    int32_t ids[3][KV_PAGE], want[KV_PAGE];
    size_t n_same;
    count_up(want, 0, KV_PAGE);
    assert_true(pagetable_init(&table, 8, PER_SEQUENCE, NULL));
    for (size_t i = 0; i < 3; i++) {
        memcpy(ids[i], want, sizeof want);
        ids[i][4 + 3 * i] = 99; /* 4, 7 and 10 in common */
        pagetable_close(&table, published(&table, ids[i], 1));
    }
    int32_t s = opened(&table), nearest = pagetable_nearest(&n_same, &table, s, want, KV_PAGE);
    assert_int_equal(n_same, 10);
    assert_memory_equal(table.tree.nodes[nearest].ids, ids[2], sizeof want);
    assert_int_equal(table.tree.n_idle, 2); /* it cannot be evicted meanwhile */
    radix_drop(&table.tree, nearest);
    nearest = pagetable_nearest(&n_same, &table, s, want, 5);
    assert_int_equal(n_same, 5);
    radix_drop(&table.tree, nearest);
    nearest = pagetable_nearest(&n_same, &table, s, ids[0], KV_PAGE);
    assert_int_equal(n_same, KV_PAGE - 1); /* never a whole one: that would be adopted */
    radix_drop(&table.tree, nearest);
    want[0] = 1234;
    assert_int_equal(pagetable_nearest(&n_same, &table, s, want, KV_PAGE), RADIX_NONE);
    assert_int_equal(pagetable_nearest(&n_same, &table, s, want, 0), RADIX_NONE);
    check(&table);
    pagetable_release(&table);
}

/* Three texts behind one page, closed in the order 1, 0, 2: their leaves go in that order, and the page that
 * all share goes last, though it was the first to come. */
static void the_leaf_that_was_idle_longest_goes_first(void **state) {
    (void)state;
    struct pagetable table;
    int32_t ids[3][2 * KV_PAGE], s[3], leaves[3];
    assert_true(pagetable_init(&table, 4, PER_SEQUENCE, NULL));
    for (size_t i = 0; i < 3; i++) {
        count_up(ids[i], 0, KV_PAGE);
        count_up(ids[i] + KV_PAGE, 1000 * (int32_t)(i + 1), KV_PAGE);
        s[i] = opened(&table);
        pagetable_adopt(&table, s[i], ids[i], 2 * KV_PAGE);
        pagetable_take(&table, s[i], 2 * KV_PAGE);
        while (table.rows[s[i]].n_shared < 2)
            pagetable_publish(&table, s[i], ids[i] + table.rows[s[i]].n_shared * KV_PAGE);
        leaves[i] = page(&table, s[i], 1);
    }
    int32_t first = page(&table, s[0], 0);
    pagetable_close(&table, s[1]);
    pagetable_close(&table, s[0]);
    pagetable_close(&table, s[2]);
    check(&table);
    static const size_t order[] = {1, 0, 2};
    int32_t taker = opened(&table);
    for (size_t i = 0; i < 3; i++) {
        pagetable_take(&table, taker, (i + 1) * KV_PAGE);
        assert_int_equal(page(&table, taker, i), leaves[order[i]]);
        check(&table);
    }
    assert_int_equal(table.tree.oldest, first);
    pagetable_release(&table);
}

static void use_makes_a_page_young_again(void **state) {
    (void)state;
    struct pagetable table;
    int32_t a[KV_PAGE], b[KV_PAGE];
    count_up(a, 0, KV_PAGE);
    count_up(b, 500, KV_PAGE);
    assert_true(pagetable_init(&table, 2, PER_SEQUENCE, NULL));
    pagetable_close(&table, published(&table, a, 1));
    pagetable_close(&table, published(&table, b, 1));
    int32_t s = opened(&table);
    assert_int_equal(pagetable_adopt(&table, s, a, KV_PAGE), KV_PAGE);
    pagetable_close(&table, s);
    s = opened(&table);
    pagetable_take(&table, s, 1); /* b goes */
    pagetable_cut(&table, s, 0);
    assert_int_equal(pagetable_adopt(&table, s, b, KV_PAGE), 0);
    assert_int_equal(pagetable_adopt(&table, s, a, KV_PAGE), KV_PAGE);
    check(&table);
    pagetable_release(&table);
}

static void cutting_gives_back_from_the_end(void **state) {
    (void)state;
    struct pagetable table;
    int32_t ids[2 * KV_PAGE];
    count_up(ids, 0, 2 * KV_PAGE);
    assert_true(pagetable_init(&table, 8, PER_SEQUENCE, NULL));
    int32_t s = published(&table, ids, 2);
    pagetable_take(&table, s, 4 * KV_PAGE);
    assert_int_equal(pagetable_own(&table, s), 4);
    pagetable_cut(&table, s, 2 * KV_PAGE + 1);
    assert_int_equal(table.rows[s].n_held, 3);
    pagetable_cut(&table, s, KV_PAGE);
    assert_int_equal(table.rows[s].n_held, 1);
    assert_int_equal(table.rows[s].n_shared, 1);
    assert_int_equal(table.tree.n_idle, 1);
    check(&table);
    pagetable_release(&table);
}

/* --- anything in any order --- */

enum { POOL = 20, SEQUENCES = 5, OPERATIONS = 4000 };

/* `content`: of each page the root, its position and the ids up to its end, as numbers that are all different
 * when these are. */
struct play {
    struct pagetable table;
    uint64_t random, content[POOL];
    struct {
        bool open, extended;
        int32_t sequence, ids[LONGEST];
        size_t n;
    } sequences[SEQUENCES];
    size_t n_reused, n_evicted, n_refused;
};

static uint64_t draw(struct play *p, uint64_t below) {
    p->random = p->random * 6364136223846793005U + 1442695040888963407U;
    return (p->random >> 33) % below;
}

static uint64_t content_of(const int32_t *ids, size_t n, bool extended) {
    uint64_t hash = 14695981039346656037U + extended;
    for (size_t i = 0; i < n; i++) hash = (hash ^ (uint64_t)ids[i]) * 1099511628211U;
    return hash;
}

/* Few ids, and pages that are mostly runs of one: beginnings meet often, in the middle of pages, too. */
static void draw_ids(struct play *p, int32_t *ids, size_t n) {
    for (size_t i = 0; i < n; i++) ids[i] = i % KV_PAGE ? ids[i - 1] : (int32_t)draw(p, 3);
    if (n > 0 && draw(p, 3) == 0) ids[draw(p, n)] = 7;
}

static void play_feed(struct play *p, size_t which) {
    struct pagetable *t = &p->table;
    int32_t s = p->sequences[which].sequence, *ids = p->sequences[which].ids;
    size_t n = p->sequences[which].n, end = n + draw(p, LONGEST - n + 1), has = n, n_same;
    draw_ids(p, ids + n, end - n);
    if (n % KV_PAGE == 0 && draw(p, 4)) has = pagetable_adopt(t, s, ids, end);
    for (size_t i = n; i < has; i += KV_PAGE)
        assert_true(p->content[page(t, s, i / KV_PAGE)] ==
                    content_of(ids, i + KV_PAGE, p->sequences[which].extended));
    p->n_reused += has - n;
    int32_t nearest = has % KV_PAGE == 0 ? pagetable_nearest(&n_same, t, s, ids + has, end - has) : -1;
    if (nearest >= 0) {
        assert_memory_equal(t->tree.nodes[nearest].ids, ids + has, n_same * sizeof *ids);
        radix_drop(&t->tree, nearest);
    }
    if (pagetable_missing(t, s, end) > pagetable_available(t)) { /* as a step that is refused */
        pagetable_cut(t, s, n);
        p->n_refused++;
        return;
    }
    size_t n_free = t->n_free, n_missing = pagetable_missing(t, s, end);
    p->n_evicted += n_missing > n_free ? n_missing - n_free : 0;
    pagetable_take(t, s, end);
    if (draw(p, 5) == 0) end = has + draw(p, end - has + 1); /* as a step that is stopped */
    pagetable_cut(t, s, end);
    for (size_t i = t->rows[s].n_shared; (i + 1) * KV_PAGE <= end; i++) {
        p->content[page(t, s, i)] = content_of(ids, (i + 1) * KV_PAGE, p->sequences[which].extended);
        pagetable_publish(t, s, ids + i * KV_PAGE);
    }
    p->sequences[which].n = end;
}

static void play_once(struct play *p) {
    size_t which = draw(p, SEQUENCES);
    if (!p->sequences[which].open) {
        p->sequences[which].sequence = opened(&p->table);
        p->sequences[which].n = 0;
        p->sequences[which].open = true;
        p->sequences[which].extended = false;
    } else if (draw(p, 3) == 0) {
        pagetable_close(&p->table, p->sequences[which].sequence);
        p->sequences[which].open = false;
    } else if (draw(p, 12) == 0) {
        pagetable_restart(&p->table, p->sequences[which].sequence, 1);
        p->sequences[which].extended = true;
        p->sequences[which].n = 0;
    } else {
        play_feed(p, which);
    }
}

static void invariants_hold_whatever_happens(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct play *p = calloc(1, sizeof *p);
        assert_non_null(p);
        p->random = seed;
        assert_true(pagetable_init(&p->table, POOL, PER_SEQUENCE, NULL));
        for (int i = 0; i < OPERATIONS; i++) {
            play_once(p);
            check(&p->table);
        }
        assert_true(p->n_reused > 1000 && p->n_evicted > 100 && p->n_refused > 10);
        for (size_t i = 0; i < SEQUENCES; i++)
            if (p->sequences[i].open) pagetable_close(&p->table, p->sequences[i].sequence);
        check(&p->table);
        assert_int_equal(pagetable_available(&p->table), POOL);
        pagetable_release(&p->table);
        free(p);
    }
}

/* The checks themselves: each of these is what a mistake would leave behind. */
static void a_damaged_tree_is_seen(void **state) {
    (void)state;
    struct pagetable table;
    int32_t ids[3 * KV_PAGE];
    count_up(ids, 0, 3 * KV_PAGE);
    assert_true(pagetable_init(&table, 6, PER_SEQUENCE, NULL));
    int32_t s = published(&table, ids, 2);
    pagetable_close(&table, published(&table, ids + KV_PAGE, 1));
    int32_t held = page(&table, s, 1), first = page(&table, s, 0), idle = table.tree.oldest;
    struct radix_node *nodes = table.tree.nodes, kept;
    struct status st;
    assert_true(pagetable_check(&table, &st));
    const struct {
        int32_t page, *at, value;
    } damages[] = {
        {held, (int32_t *)&nodes[held].n_holders, 2},
        {held, (int32_t *)&nodes[held].n_holders, 0},
        {held, &nodes[held].parent, idle},
        {idle, &nodes[idle].parent, RADIX_NONE},
        {first, &nodes[first].child, RADIX_NONE},
        {first, (int32_t *)&nodes[first].n_holders, 0},
        {idle, (int32_t *)&nodes[idle].n_holders, 1},
        {idle, &nodes[idle].newer, idle},
        {first, nodes[first].ids, nodes[idle].ids[0]},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        kept = nodes[damages[i].page];
        *damages[i].at = damages[i].value;
        if (i + 1 == sizeof damages / sizeof *damages)
            memcpy(nodes[first].ids, nodes[idle].ids, sizeof kept.ids);
        if (pagetable_check(&table, &st)) fail_msg("damage %zu is not seen", i);
        nodes[damages[i].page] = kept;
        assert_true(pagetable_check(&table, &st));
    }
    pagetable_release(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_pages_are_found_again_and_shared),
        cmocka_unit_test(a_page_is_found_behind_its_own_prefix_only),
        cmocka_unit_test(what_was_computed_twice_is_kept_once),
        cmocka_unit_test(the_nearest_page_has_most_of_the_ids),
        cmocka_unit_test(the_leaf_that_was_idle_longest_goes_first),
        cmocka_unit_test(use_makes_a_page_young_again),
        cmocka_unit_test(cutting_gives_back_from_the_end),
        cmocka_unit_test(invariants_hold_whatever_happens),
        cmocka_unit_test(a_damaged_tree_is_seen),
    };
    return cmocka_run_group_tests_name("radix", tests, NULL, NULL);
}
