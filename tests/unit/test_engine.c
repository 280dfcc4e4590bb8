/* engine: a loaded model, its sessions, and the promise that nothing but a token's own past moves its logits.
 */
#include "base/hash.h"
#include "engine/backend/backend.h"
#include "engine/engine.h"
#include "engine/session/sample.h"
#include "tests/unit/patched.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/sessions.h"

static const char stories[] = "models/fak-stories-Q8_0.gguf";
static const char *const lanes[] = {"ref", "auto"};
enum { N_LANES = 2 };

/* --- helpers ------------------------------------------------------------------------------------------- */

/* Some ids of the story model, not all alike. */
static int32_t some_id(size_t i) { return (int32_t)(3 + (i * i * 31 + i * 7) % 1000); }

#if defined(__SANITIZE_THREAD__)
enum { PROMPT = 10 }; /* races show in few tokens, and each is slow */
#else
enum { PROMPT = 70 };
#endif

static void some_ids(int32_t *ids, size_t n, size_t seed) {
    for (size_t i = 0; i < n; i++) ids[i] = some_id(i + seed);
}

/* The SHA-256 of all logits of n ids in a fresh session. */
static void hash_alone(char hex[HASH_HEX], struct engine_model *model, const int32_t *ids, size_t n) {
    size_t floats = n * engine_n_vocab(model);
    float *logits = malloc(floats * sizeof *logits);
    struct engine_session *s = session_of(model);
    feed(s, ids, n, ENGINE_LOGITS_ALL, logits);
    hash_sha256(hex, logits, floats * sizeof *logits);
    engine_session_close(s);
    free(logits);
}

/* --- the same bits whatever happens around a token --- */

static void check_same_bits(const char *lane, const int32_t *ids, size_t n) {
    static const struct {
        int threads;
        size_t chunk;
    } ways[] = {{1, 1}, {1, 512}, {2, 7}, {2, 64}, {3, 1}, {3, 512}, {7, 7}, {7, 64}};
    char first[HASH_HEX], hex[HASH_HEX];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct engine_model *model = model_of(
            stories,
            (struct engine_options){.isa = lane, .threads = ways[i].threads, .chunk = ways[i].chunk});
        hash_alone(hex, model, ids, n);
        engine_close(model);
        if (i == 0) memcpy(first, hex, sizeof first);
        if (strcmp(first, hex) != 0)
            fail_msg("%s: %d threads and chunks of %zu give other bits", lane, ways[i].threads,
                     ways[i].chunk);
    }
}

static void logits_do_not_depend_on_threads_or_chunks(void **state) {
    (void)state;
    int32_t ids[PROMPT];
    some_ids(ids, PROMPT, 0);
    check_same_bits("auto", ids, PROMPT);
    check_same_bits("ref", ids, PROMPT / 3); /* slow, and the same code around it */
}

/* Three sessions of different lengths go through the same batches, cut in odd places. */
static void logits_do_not_depend_on_neighbours(void **state) {
    (void)state;
    enum { N = 3 };
    static const size_t lengths[N] = {PROMPT, 1, PROMPT / 2};
    for (int lane = 0; lane < N_LANES; lane++) {
        struct engine_model *model =
            model_of(stories, (struct engine_options){.isa = lanes[lane], .chunk = 13});
        size_t n_vocab = engine_n_vocab(model);
        float *logits = malloc((PROMPT + 1 + PROMPT / 2) * n_vocab * sizeof *logits), *at = logits;
        int32_t ids[N][PROMPT];
        struct engine_part parts[N];
        for (size_t i = 0; i < N; i++) {
            some_ids(ids[i], lengths[i], 100 * i);
            parts[i] = (struct engine_part){session_of(model), ids[i], lengths[i], ENGINE_LOGITS_ALL};
        }
        assert_true(engine_step(model, parts, N, logits, NULL));
        for (size_t i = 0; i < N; i++) {
            char together[HASH_HEX], alone[HASH_HEX];
            hash_sha256(together, at, lengths[i] * n_vocab * sizeof *at);
            hash_alone(alone, model, ids[i], lengths[i]);
            assert_string_equal(together, alone);
            assert_int_equal(engine_position(parts[i].session), lengths[i]);
            at += lengths[i] * n_vocab;
        }
        for (size_t i = 0; i < N; i++) engine_session_close(parts[i].session);
        free(logits);
        engine_close(model);
    }
}

/* Pages of two sessions that grow in turn lie mixed in the pool, on what a closed session left behind. */
static void logits_do_not_depend_on_where_the_pages_lie(void **state) {
    (void)state;
    for (int lane = 0; lane < N_LANES; lane++) {
        struct engine_model *model =
            model_of(stories, (struct engine_options){.isa = lanes[lane], .context = 8 * KV_PAGE});
        size_t n_vocab = engine_n_vocab(model);
        float *logits = malloc(2 * PROMPT * n_vocab * sizeof *logits);
        int32_t ids[2][PROMPT];
        char turns[HASH_HEX], alone[HASH_HEX];
        for (size_t i = 0; i < 2; i++) some_ids(ids[i], PROMPT, 50 * i);
        hash_alone(alone, model, ids[1], PROMPT);
        struct engine_session *s[] = {session_of(model), session_of(model)};
        for (size_t i = 0; i < PROMPT; i++)
            for (size_t j = 0; j < 2; j++)
                feed(s[j], &ids[j][i], 1, ENGINE_LOGITS_LAST, logits + (j * PROMPT + i) * n_vocab);
        hash_sha256(turns, logits + PROMPT * n_vocab, PROMPT * n_vocab * sizeof *logits);
        assert_string_equal(turns, alone);
        engine_session_close(s[0]);
        engine_session_close(s[1]);
        free(logits);
        engine_close(model);
    }
}

static void logits_of_the_last_token_are_the_last_row(void **state) {
    (void)state;
    struct engine_model *model = model_of(stories, (struct engine_options){.chunk = 16});
    size_t n_vocab = engine_n_vocab(model);
    float *all = malloc(PROMPT * n_vocab * sizeof *all), *last = malloc(n_vocab * sizeof *last);
    int32_t ids[PROMPT];
    some_ids(ids, PROMPT, 0);
    struct engine_session *a = session_of(model), *b = session_of(model);
    feed(a, ids, PROMPT, ENGINE_LOGITS_ALL, all);
    feed(b, ids, PROMPT - 1, ENGINE_LOGITS_NONE, NULL);
    feed(b, ids + PROMPT - 1, 1, ENGINE_LOGITS_LAST, last);
    assert_memory_equal(all + (PROMPT - 1) * n_vocab, last, n_vocab * sizeof *last);
    engine_session_close(a);
    engine_session_close(b);
    free(all);
    free(last);
    engine_close(model);
}

/* --- bounds --- */

static void feed_refused(struct engine_session *s, const int32_t *ids, size_t n, enum engine_logits want,
                         const char *part) {
    struct status st = {0};
    size_t before = engine_position(s);
    float row[1024];
    assert_false(engine_feed(s, ids, n, want, row, &st));
    if (!strstr(st.message, part)) fail_msg("'%s' is not in: %s", part, st.message);
    assert_int_equal(engine_position(s), before);
}

static void what_cannot_be_fed_is_refused_and_nothing_runs(void **state) {
    (void)state;
    struct engine_model *model =
        model_of(stories, (struct engine_options){.isa = "auto", .context = 2 * KV_PAGE});
    assert_int_equal(engine_context(model), 2 * KV_PAGE);
    struct engine_session *s = session_of(model);
    int32_t ids[3 * KV_PAGE] = {1};
    feed_refused(s, (const int32_t[]){1, 1024}, 2, ENGINE_LOGITS_LAST,
                 "id 1024 (number 2) is outside the vocabulary: 0 to 1023");
    feed_refused(s, (const int32_t[]){-1}, 1, ENGINE_LOGITS_LAST, "id -1 (number 1)");
    feed_refused(s, ids, 2 * KV_PAGE + 1, ENGINE_LOGITS_NONE, "exceed the context of 64 positions");
    feed_refused(s, ids, 0, ENGINE_LOGITS_LAST, "no tokens");
    feed(s, ids, 0, ENGINE_LOGITS_NONE, NULL);
    feed(s, ids, 2 * KV_PAGE, ENGINE_LOGITS_NONE, NULL);
    feed_refused(s, ids, 1, ENGINE_LOGITS_NONE, "1 tokens after 64 exceed");
    engine_session_close(s);
    engine_close(model);
}

static void sessions_share_the_pages_and_give_them_back(void **state) {
    (void)state;
    struct engine_model *model =
        model_of(stories, (struct engine_options){.isa = "auto", .context = 2 * KV_PAGE});
    int32_t ids[2 * KV_PAGE] = {1};
    struct engine_session *a = session_of(model), *b = session_of(model);
    feed(a, ids, KV_PAGE, ENGINE_LOGITS_NONE, NULL);
    feed(b, ids, 1, ENGINE_LOGITS_NONE, NULL);
    feed_refused(a, ids, 1, ENGINE_LOGITS_NONE, "need 32 more than are free");
    feed(b, ids, KV_PAGE - 1, ENGINE_LOGITS_NONE, NULL); /* what a page still holds */
    engine_session_close(b);
    feed(a, ids, KV_PAGE, ENGINE_LOGITS_NONE, NULL);
    engine_session_close(a);
    engine_close(model);
}

/* --- the steady state --- */

/* Sanitizers bring their own allocator; elsewhere every call of the program is counted. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define __SANITIZE_ADDRESS__ 1 /* as gcc says it */
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { COUNTS = 0 };
static _Atomic size_t n_allocations;
#else
enum { COUNTS = 1 };
static _Atomic size_t n_allocations;
extern void *__libc_malloc(size_t n), *__libc_calloc(size_t n, size_t size),
    *__libc_realloc(void *at, size_t n);
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): libc's names are reserved */
void *malloc(size_t n) {
    n_allocations++;
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
    n_allocations++;
    return __libc_calloc(n, size);
}
void *realloc(void *at, size_t n) {
    n_allocations++;
    return __libc_realloc(at, n);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
#endif

static void feeding_allocates_nothing(void **state) {
    (void)state;
    if (!COUNTS) skip();
    struct engine_model *model = model_of(stories, (struct engine_options){.isa = "auto", .chunk = 16});
    float *logits = malloc(engine_n_vocab(model) * sizeof *logits);
    int32_t ids[PROMPT];
    some_ids(ids, PROMPT, 0);
    struct engine_session *a = session_of(model), *b = session_of(model);
    size_t before = n_allocations;
    feed(a, ids, PROMPT, ENGINE_LOGITS_LAST, logits); /* several chunks and pages */
    for (int i = 0; i < 40; i++) feed(b, ids + i, 1, ENGINE_LOGITS_LAST, logits);
    assert_int_equal(n_allocations, before);
    assert_true(before > 0);
    engine_session_close(a);
    engine_session_close(b);
    free(logits);
    engine_close(model);
}

/* --- files that are not what they should be --- */

static void open_refused(const char *path, const char *part) {
    struct status st = {0};
    struct engine_model *model = (struct engine_model *)&st;
    assert_false(engine_open(&model, path, NULL, &st));
    assert_null(model);
    if (!strstr(st.message, part)) fail_msg("'%s' is not in: %s", part, st.message);
}

static void what_is_no_model_file_is_refused(void **state) {
    (void)state;
    open_refused("models", "no config.json in this directory");
    open_refused("models/none.gguf", "models/none.gguf");
    open_refused("models/README.md", "models/README.md");
    open_refused("/dev/null", "/dev/null");
    struct patched p = {.path = "/tmp/fak-test-XXXXXX"};
    const char *path = patched_path(&p);
    open_refused(path, path);
    patched_end(&p);
}

static void a_file_cut_anywhere_is_refused(void **state) {
    (void)state;
    struct patched p;
    patched_load(&p, "tests/golden/models/llama/llama-F32.gguf");
    size_t whole = p.bytes.n;
    for (size_t n = 0; n < whole; n += n < 8192 ? 61 : whole / 50) {
        p.bytes.n = n;
        strcpy(p.path, "/tmp/fak-test-XXXXXX");
        open_refused(patched_path(&p), p.path);
        unlink(p.path);
    }
    patched_end(&p);
}

/* Every f32 of the norms, and the scales of quantised rows, become NaN: text is lost, the process is not. */
static void nan_weights_do_not_crash(void **state) {
    (void)state;
    static const char *const files[] = {"tests/golden/models/llama/llama-F32.gguf", stories};
    int32_t ids[40];
    some_ids(ids, 40, 0);
    for (size_t i = 0; i < 40; i++) ids[i] %= 304;
    for (int f = 0; f < 2; f++) {
        struct patched p;
        patched_load(&p, files[f]);
        for (size_t i = p.bytes.n / 2; i + 4 <= p.bytes.n; i++) p.bytes.at[i] = (char)0xFF;
        for (int lane = 0; lane < N_LANES; lane++) {
            strcpy(p.path, "/tmp/fak-test-XXXXXX");
            struct engine_model *model =
                model_of(patched_path(&p), (struct engine_options){.isa = lanes[lane]});
            float *logits = malloc(engine_n_vocab(model) * sizeof *logits);
            struct engine_session *s = session_of(model);
            feed(s, ids, 40, ENGINE_LOGITS_LAST, logits);
            int32_t id = sample_greedy(logits, engine_n_vocab(model), NULL);
            assert_true(id >= 0 && (size_t)id < engine_n_vocab(model));
            engine_session_close(s);
            free(logits);
            engine_close(model);
            unlink(p.path);
        }
        patched_end(&p);
    }
}

static void ids_need_no_tokenizer_but_text_does(void **state) {
    (void)state;
    struct patched p;
    patched_load(&p, stories);
    patched_rename(&p, "tokenizer.ggml.model", "tokenizer.ggml.modeX");
    const char *path = patched_path(&p);
    open_refused(path, "tokenizer");
    struct engine_model *model = model_of(path, (struct engine_options){0});
    assert_null(engine_tokenizer(model));
    engine_close(model);
    patched_end(&p);
}

static void an_unknown_lane_is_refused(void **state) {
    (void)state;
    struct status st = {0};
    struct engine_model *model;
    assert_false(engine_open(&model, stories, &(struct engine_options){.isa = "abacus"}, &st));
    assert_non_null(strstr(st.message, "abacus"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logits_do_not_depend_on_threads_or_chunks),
        cmocka_unit_test(logits_do_not_depend_on_neighbours),
        cmocka_unit_test(logits_do_not_depend_on_where_the_pages_lie),
        cmocka_unit_test(logits_of_the_last_token_are_the_last_row),
        cmocka_unit_test(what_cannot_be_fed_is_refused_and_nothing_runs),
        cmocka_unit_test(sessions_share_the_pages_and_give_them_back),
        cmocka_unit_test(feeding_allocates_nothing),
        cmocka_unit_test(what_is_no_model_file_is_refused),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(nan_weights_do_not_crash),
        cmocka_unit_test(ids_need_no_tokenizer_but_text_does),
        cmocka_unit_test(an_unknown_lane_is_refused),
    };
    return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
