/* engine: what sessions take over from each other. Warm is cold, bit for bit: after reuse, eviction, refill,
 * refusal and abort, whatever else runs. */
#include "engine/backend/backend.h"
#include "engine/engine.h"
#include "engine/kernels/kv.h"
#include "tests/unit/sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/sessions.h"

static const char stories[] = "models/fak-stories-Q8_0.gguf";

/* --- helpers ------------------------------------------------------------------------------------------- */

/* Counts batches, and stops the step before the one after `left`. */
struct brake {
    size_t n_batches;
    long left; /* -1: never */
};

static bool pull(void *arg) {
    struct brake *brake = arg;
    if (brake->left == 0) return true;
    if (brake->left > 0) brake->left--;
    brake->n_batches++;
    return false;
}

static void some_ids(int32_t *ids, size_t n, size_t seed) {
    for (size_t i = 0; i < n; i++) ids[i] = (int32_t)(3 + ((i + seed) * (i + seed) * 31 + i * 7) % 200);
}

/* logits = those of the last of n ids, in a session of its own. */
static void alone(float *logits, struct engine_model *model, const int32_t *ids, size_t n) {
    struct engine_session *s = session_of(model);
    feed(s, ids, n, ENGINE_LOGITS_LAST, logits);
    engine_session_close(s);
}

static size_t reused_by(struct engine_model *model, const int32_t *ids, size_t n, float *logits) {
    struct engine_session *s = session_of(model);
    feed(s, ids, n, ENGINE_LOGITS_LAST, logits);
    size_t reused = engine_reused(s);
    assert_int_equal(engine_position(s), n);
    engine_session_close(s);
    return reused;
}

/* --- one thing at a time -------------------------------------------------------------------------------- */

enum { TEXT = 3 * KV_PAGE + 10 };

struct pair {
    struct engine_model *warm, *cold;
    size_t n_vocab;
    float *got, *want; /* a row of each */
    struct brake brake;
    int32_t ids[TEXT];
};

static void pair_open(struct pair *p, const char *path, struct engine_options options) {
    *p = (struct pair){.brake.left = -1};
    if (!options.chunk) options.chunk = 16;
    options.no_prefix = true;
    size_t room = options.context;
    options.context = 0;
    p->cold = model_of(path, options);
    options.no_prefix = false;
    options.context = room;
    options.stop = pull;
    options.stop_arg = &p->brake;
    p->warm = model_of(path, options);
    p->n_vocab = engine_n_vocab(p->warm);
    p->got = calloc(p->n_vocab, sizeof *p->got);
    p->want = calloc(p->n_vocab, sizeof *p->want);
    assert_true(p->got && p->want);
    some_ids(p->ids, TEXT, 5);
}

static void pair_close(struct pair *p) {
    engine_close(p->warm);
    engine_close(p->cold);
    free(p->got);
    free(p->want);
}

static void same_bits(const struct pair *p, const int32_t *ids, size_t n) {
    alone(p->want, p->cold, ids, n);
    assert_memory_equal(p->got, p->want, p->n_vocab * sizeof *p->got);
}

static void a_second_prompt_runs_its_last_token_alone(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, stories, (struct engine_options){0});
    assert_int_equal(reused_by(p.warm, p.ids, 3 * KV_PAGE, p.got), 0);
    same_bits(&p, p.ids, 3 * KV_PAGE);
    assert_int_equal(p.brake.n_batches, 3 * KV_PAGE / 16);
    assert_int_equal(reused_by(p.warm, p.ids, 3 * KV_PAGE, p.got), 3 * KV_PAGE - 1);
    same_bits(&p, p.ids, 3 * KV_PAGE);
    assert_int_equal(p.brake.n_batches, 3 * KV_PAGE / 16 + 1);
    assert_int_equal(reused_by(p.warm, p.ids, TEXT, p.got), 3 * KV_PAGE); /* a part page is no one's */
    same_bits(&p, p.ids, TEXT);
    pair_close(&p);
}

static void another_text_shares_what_it_has_in_common(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, stories, (struct engine_options){.context = 64 * KV_PAGE});
    reused_by(p.warm, p.ids, TEXT, p.got);
    for (size_t at = 0; at < TEXT; at += SANITIZED ? 65 : 13) {
        p.ids[at] += 300;
        size_t n = at < 3 * KV_PAGE ? at : 3 * KV_PAGE;
        assert_int_equal(reused_by(p.warm, p.ids, TEXT, p.got), n);
        same_bits(&p, p.ids, TEXT);
        p.ids[at] -= 300;
    }
    pair_close(&p);
}

static void tokens_whose_logits_are_asked_for_are_run(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, stories, (struct engine_options){0});
    float *rows = calloc(TEXT * p.n_vocab, sizeof *rows);
    struct engine_session *first = session_of(p.warm), *second = session_of(p.warm);
    feed(first, p.ids, TEXT, ENGINE_LOGITS_NONE, NULL);
    feed(second, p.ids, TEXT, ENGINE_LOGITS_ALL, rows);
    assert_int_equal(engine_reused(second), 0);
    for (size_t i = 0; i < TEXT; i += SANITIZED ? 80 : 20) {
        memcpy(p.got, rows + i * p.n_vocab, p.n_vocab * sizeof *rows);
        same_bits(&p, p.ids, i + 1);
    }
    engine_session_close(first);
    engine_session_close(second);
    free(rows);
    pair_close(&p);
}

/* Small parts, of which none fills a page: what is there is taken over before. */
static void a_text_in_small_parts_is_announced(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, stories, (struct engine_options){0});
    reused_by(p.warm, p.ids, TEXT, p.got);
    struct engine_session *s = session_of(p.warm);
    assert_int_equal(engine_reuse(s, p.ids, TEXT - 1), 3 * KV_PAGE);
    assert_int_equal(engine_position(s), 3 * KV_PAGE);
    for (size_t i = engine_position(s); i < TEXT; i++) feed(s, p.ids + i, 1, ENGINE_LOGITS_LAST, p.got);
    same_bits(&p, p.ids, TEXT);
    assert_int_equal(engine_reuse(s, p.ids, 20), 0); /* not at a page's beginning */
    engine_session_close(s);
    s = session_of(p.warm);
    assert_int_equal(engine_reuse(s, p.ids, 50), 50);
    assert_int_equal(engine_reused(s), 50);
    feed(s, p.ids + 50, 30, ENGINE_LOGITS_LAST, p.got);
    same_bits(&p, p.ids, 80);
    engine_session_close(s);
    pair_close(&p);
}

static void nothing_is_shared_where_it_is_not_wanted(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, stories, (struct engine_options){0});
    for (int i = 0; i < 2; i++) assert_int_equal(reused_by(p.cold, p.ids, TEXT, p.got), 0);
    pair_close(&p);
}

/* What a state has seen cannot be unseen, so nothing is taken over. */
static void models_with_states_begin_at_the_first_token(void **state) {
    (void)state;
    struct pair p;
    pair_open(&p, "tests/golden/models/qwen3-next/qwen3-next-BF16.gguf", (struct engine_options){0});
    for (int i = 0; i < 2; i++) {
        assert_int_equal(reused_by(p.warm, p.ids, 2 * KV_PAGE + 3, p.got), 0);
        same_bits(&p, p.ids, 2 * KV_PAGE + 3);
    }
    pair_close(&p);
}

/* Longer than the first training's context, all positions rotate otherwise: two trees. */
static void extended_sequences_share_with_extended_ones(void **state) {
    (void)state;
    enum { SHORT = KV_PAGE, LONG = SHORT + 70 }; /* this model's limit is 32 */
    struct pair p;
    int32_t ids[LONG];
    pair_open(&p, "tests/golden/models/phi3-longrope/phi3-longrope-BF16.gguf",
              (struct engine_options){.context = 16 * KV_PAGE});
    some_ids(ids, LONG, 3);
    assert_int_equal(reused_by(p.warm, ids, SHORT, p.got), 0);
    assert_int_equal(reused_by(p.warm, ids, LONG, p.got), 0);
    same_bits(&p, ids, LONG);
    assert_int_equal(reused_by(p.warm, ids, SHORT, p.got), SHORT - 1);
    same_bits(&p, ids, SHORT);
    struct engine_session *s = session_of(p.warm); /* crosses the limit half way */
    feed(s, ids, SHORT, ENGINE_LOGITS_LAST, p.got);
    same_bits(&p, ids, SHORT);
    feed(s, ids + SHORT, LONG - SHORT, ENGINE_LOGITS_LAST, p.got);
    same_bits(&p, ids, LONG);
    assert_int_equal(engine_reused(s), SHORT - 1 + LONG / KV_PAGE * KV_PAGE);
    engine_session_close(s);
    pair_close(&p);
}

/* --- room ----------------------------------------------------------------------------------------------- */

/* The pool holds one text and a page: each text throws out the one before, from its end. Leaves the logits of
 * the text, as one number. */
static uint64_t evict_and_refill(struct engine_options options) {
    struct pair p;
    int32_t other[TEXT];
    uint64_t hash = 0xCBF29CE484222325;
    options.context = 5 * KV_PAGE;
    pair_open(&p, stories, options);
    some_ids(other, TEXT, 900);
    for (int i = 0; i < 3; i++) {
        size_t n = reused_by(p.warm, other, TEXT, p.got);
        assert_int_equal(n, i == 0 ? 0 : KV_PAGE);
        same_bits(&p, other, TEXT);
        n = reused_by(p.warm, p.ids, TEXT, p.got);
        assert_int_equal(n, i == 0 ? 0 : KV_PAGE);
        same_bits(&p, p.ids, TEXT);
    }
    const unsigned char *bytes = (const unsigned char *)p.got;
    for (size_t i = 0; i < p.n_vocab * sizeof *p.got; i++) hash = (hash ^ bytes[i]) * 0x100000001B3;
    pair_close(&p);
    return hash;
}

static void evicted_pages_are_computed_again(void **state) {
    (void)state;
    evict_and_refill((struct engine_options){0});
}

/* Three sessions whose texts would fill the pool three times over fit when they share. */
static void shared_pages_count_once(void **state) {
    (void)state;
    enum { N = 3 };
    struct pair p;
    struct engine_session *s[N];
    pair_open(&p, stories, (struct engine_options){.context = 6 * KV_PAGE});
    for (int i = 0; i < N; i++) {
        s[i] = session_of(p.warm);
        feed(s[i], p.ids, 3 * KV_PAGE + 1, ENGINE_LOGITS_LAST, p.got);
    }
    same_bits(&p, p.ids, 3 * KV_PAGE + 1);
    for (int i = 0; i < N; i++) engine_session_close(s[i]);
    pair_close(&p);
}

/* A step that cannot be held leaves the session as it was, and the tree whole. */
static void a_refused_step_takes_nothing_over(void **state) {
    (void)state;
    struct pair p;
    struct status st;
    pair_open(&p, stories, (struct engine_options){.context = 4 * KV_PAGE});
    reused_by(p.warm, p.ids, 2 * KV_PAGE, p.got);
    struct engine_session *big = session_of(p.warm), *s = session_of(p.warm);
    int32_t other[KV_PAGE + 1];
    some_ids(other, KV_PAGE + 1, 77);
    feed(big, other, KV_PAGE + 1, ENGINE_LOGITS_NONE, NULL);
    assert_false(engine_feed(s, p.ids, 2 * KV_PAGE + 1, ENGINE_LOGITS_LAST, p.got, &st));
    assert_non_null(strstr(st.message, "need 32 more than are free"));
    assert_int_equal(engine_position(s), 0);
    assert_int_equal(engine_reused(s), 0);
    engine_session_close(big);
    feed(s, p.ids, 2 * KV_PAGE + 1, ENGINE_LOGITS_LAST, p.got);
    assert_int_equal(engine_reused(s), 2 * KV_PAGE);
    same_bits(&p, p.ids, 2 * KV_PAGE + 1);
    engine_session_close(s);
    pair_close(&p);
}

/* --- abort ---------------------------------------------------------------------------------------------- */

enum { STOPPED_CHUNK = 20 };

/* What had run when it stopped is shared when it fills a page, nothing else is. */
static void stop_after(struct engine_options options, long batches) {
    struct pair p;
    struct status st;
    options.chunk = STOPPED_CHUNK;
    pair_open(&p, stories, options);
    struct engine_session *s = session_of(p.warm);
    p.brake.left = batches;
    assert_false(engine_feed(s, p.ids, TEXT, ENGINE_LOGITS_LAST, p.got, &st));
    assert_int_equal(st.code, STATUS_STOPPED);
    p.brake.left = -1;
    size_t done = engine_position(s);
    assert_int_equal(done, (size_t)batches * STOPPED_CHUNK);
    assert_int_equal(reused_by(p.warm, p.ids, TEXT, p.got), done / KV_PAGE * KV_PAGE);
    same_bits(&p, p.ids, TEXT);
    feed(s, p.ids + done, TEXT - done, ENGINE_LOGITS_LAST, p.got); /* and it can go on */
    same_bits(&p, p.ids, TEXT);
    engine_session_close(s);
    pair_close(&p);
}

static void a_stopped_feed_shares_what_it_finished(void **state) {
    (void)state;
    for (long batches = 0; batches * STOPPED_CHUNK < TEXT; batches += SANITIZED ? 4 : 1)
        stop_after((struct engine_options){0}, batches);
}

/* --- anything in any order ------------------------------------------------------------------------------ */

enum { SESSIONS = 4, PAGES = 12, LONGEST = 5 * KV_PAGE };

struct play {
    struct pair p;
    uint64_t random;
    float *rows; /* [LONGEST * SESSIONS][n_vocab] */
    size_t longest;
    struct {
        struct engine_session *session;
        int32_t ids[LONGEST];
        size_t n;
    } s[SESSIONS];
    size_t n_reused, n_refused, n_stopped, n_checked;
};

static uint64_t draw(struct play *p, uint64_t below) {
    p->random = p->random * 6364136223846793005U + 1442695040888963407U;
    return (p->random >> 33) % below;
}

/* Two texts, some of them with another end: beginnings meet, in the middle of pages too. */
static void draw_ids(struct play *p, int32_t *ids, size_t from, size_t to) {
    size_t text = draw(p, 2), other = draw(p, 4) ? to : from + draw(p, to - from + 1);
    for (size_t i = from; i < to; i++) ids[i] = (int32_t)(3 + (i * (5 + text) + (i >= other)) % 60);
}

static void check_rows(struct play *p, size_t which, const float *rows, size_t n) {
    for (size_t i = 0; i<n; i += n> 3 ? n - 1 : 1) {
        memcpy(p->p.got, rows + i * p->p.n_vocab, p->p.n_vocab * sizeof *rows);
        same_bits(&p->p, p->s[which].ids, p->s[which].n - n + 1 + i);
        p->n_checked++;
    }
}

/* Some of the sessions go on, in one step, which may be refused or stopped. */
static void play_step(struct play *p) {
    struct engine_part parts[SESSIONS];
    size_t which[SESSIONS], n_parts = 0, n_rows[SESSIONS];
    struct status st;
    for (size_t i = 0; i < SESSIONS; i++) {
        if (!p->s[i].session || draw(p, 2)) continue;
        size_t from = p->s[i].n, room = p->longest - from,
               n = room ? 1 + draw(p, draw(p, 3) ? room
                                      : 2 < room ? 2
                                                 : room)
                        : 0;
        enum engine_logits want = draw(p, 4)   ? n ? ENGINE_LOGITS_LAST : ENGINE_LOGITS_NONE
                                  : draw(p, 2) ? ENGINE_LOGITS_ALL
                                               : ENGINE_LOGITS_NONE;
        draw_ids(p, p->s[i].ids, from, from + n);
        if (draw(p, 6) == 0 && n > 1) {
            size_t taken = engine_reuse(p->s[i].session, p->s[i].ids + from, n - 1);
            from += taken, n -= taken;
        }
        parts[n_parts] = (struct engine_part){p->s[i].session, p->s[i].ids + from, n, want};
        n_rows[n_parts] = want == ENGINE_LOGITS_ALL ? n : want == ENGINE_LOGITS_LAST;
        which[n_parts++] = i;
    }
    p->p.brake.left = draw(p, 5) == 0 ? (long)draw(p, 6) : -1;
    bool ok = engine_step(p->p.warm, parts, n_parts, p->rows, &st);
    if (!ok && st.code != STATUS_STOPPED && st.code != STATUS_NO_MEMORY) fail_msg("%s", st.message);
    p->n_stopped += !ok && st.code == STATUS_STOPPED;
    p->n_refused += !ok && st.code == STATUS_NO_MEMORY;
    const float *at = p->rows;
    for (size_t i = 0; i < n_parts; at += n_rows[i] * p->p.n_vocab, i++) {
        p->s[which[i]].n = engine_position(parts[i].session);
        if (ok) assert_ptr_equal(p->s[which[i]].ids + p->s[which[i]].n, parts[i].ids + parts[i].n);
        if (ok) check_rows(p, which[i], at, n_rows[i]);
    }
}

static void close_one(struct play *p, size_t i) {
    p->n_reused += engine_reused(p->s[i].session);
    engine_session_close(p->s[i].session);
    p->s[i].session = NULL;
}

static void play_once(struct play *p) {
    size_t i = draw(p, SESSIONS);
    if (!p->s[i].session) {
        p->s[i].session = session_of(p->p.warm);
        p->s[i].n = 0;
    } else if (draw(p, 4) == 0) {
        close_one(p, i);
    } else {
        play_step(p);
    }
}

static void play(const char *path, struct engine_options options, size_t n_operations, size_t least_reused) {
    struct play *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->random = 42;
    if (SANITIZED) n_operations /= 2, least_reused = least_reused > 0;
    options.context = PAGES * KV_PAGE;
    pair_open(&p->p, path, options);
    p->longest = engine_context(p->p.warm) < LONGEST ? engine_context(p->p.warm) : LONGEST;
    p->rows = calloc(SESSIONS * LONGEST * p->p.n_vocab, sizeof *p->rows);
    assert_non_null(p->rows);
    for (size_t i = 0; i < n_operations; i++) play_once(p);
    for (size_t i = 0; i < SESSIONS; i++)
        if (p->s[i].session) close_one(p, i);
    print_message("%s: %zu rows equal, %zu tokens reused, %zu steps refused, %zu stopped\n", path,
                  p->n_checked, p->n_reused, p->n_refused, p->n_stopped);
    assert_true(p->n_checked > n_operations / 4 && p->n_reused >= least_reused);
    assert_true(least_reused > 0 || p->n_reused == 0);
    free(p->rows);
    pair_close(&p->p);
    free(p);
}

static void warm_is_cold_whatever_happens(void **state) {
    (void)state;
    play("tests/golden/models/llama/llama-F32.gguf", (struct engine_options){.isa = "c"}, 400, 1000);
    play(stories, (struct engine_options){.isa = "c"}, 100, 50);
}

/* Each type of keys and values with each width of activations: no two give the same, and none is another warm
 * than cold, after eviction and abort too. */
static void warm_is_cold_by_every_contract(void **state) {
    (void)state;
    uint64_t hashes[2 * KV_TYPES];
    for (size_t i = 0; i < 2 * KV_TYPES; i += SANITIZED ? 3 : 1) { /* of both widths */
        struct engine_options options = {.kv = kv_type_name((enum kv_type)(i / 2)),
                                         .activations = i % 2 ? 8 : 16};
        hashes[i] = evict_and_refill(options);
        stop_after(options, 1 + (long)i % 5);
        play(stories, options, 60, 20);
        for (size_t j = 0; j < i && !SANITIZED; j++) assert_true(hashes[j] != hashes[i]);
    }
}

static void warm_is_cold_in_every_kind_of_cache(void **state) {
    (void)state;
    static const struct {
        const char *path;
        size_t least_reused;
    } models[] = {
        {"tests/golden/models/phi3-longrope/phi3-longrope-BF16.gguf", 20}, /* two rotations */
        {"tests/golden/models/gemma3/gemma3-BF16.gguf", 20},               /* windows */
        {"tests/golden/models/gpt-oss/gpt-oss-BF16.gguf", 20},             /* windows, sinks, experts */
        {"tests/golden/models/deepseek-v32/deepseek-v32-BF16.gguf", 20},   /* latents, an indexer */
        {"tests/golden/models/qwen3-next/qwen3-next-BF16.gguf", 0},        /* states */
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        play(models[i].path, (struct engine_options){.isa = "c"}, 50, models[i].least_reused);
    play(models[0].path, (struct engine_options){.isa = "ref"}, 30, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_prompt_runs_its_last_token_alone),
        cmocka_unit_test(another_text_shares_what_it_has_in_common),
        cmocka_unit_test(tokens_whose_logits_are_asked_for_are_run),
        cmocka_unit_test(a_text_in_small_parts_is_announced),
        cmocka_unit_test(nothing_is_shared_where_it_is_not_wanted),
        cmocka_unit_test(models_with_states_begin_at_the_first_token),
        cmocka_unit_test(extended_sequences_share_with_extended_ones),
        cmocka_unit_test(evicted_pages_are_computed_again),
        cmocka_unit_test(shared_pages_count_once),
        cmocka_unit_test(a_refused_step_takes_nothing_over),
        cmocka_unit_test(a_stopped_feed_shares_what_it_finished),
        cmocka_unit_test(warm_is_cold_whatever_happens),
        cmocka_unit_test(warm_is_cold_by_every_contract),
        cmocka_unit_test(warm_is_cold_in_every_kind_of_cache),
    };
    return cmocka_run_group_tests_name("prefix", tests, NULL, NULL);
}
