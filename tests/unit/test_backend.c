/* The CPU backend: lanes agree, and nothing but the tokens decides a token's logits. */
#include "base/hash.h"
#include "engine/backend/backend.h"
#include "engine/kernels/kernel.h"
#include "tests/checkkern/synth.h"
#include "tests/checkkern/tiny.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { VOCAB = 77, TOKENS = 70, PAGES = 16 };

static const struct tiny_shape shape = {.vocab = VOCAB,
                                        .width = 64,
                                        .hidden = 96,
                                        .n_layers = 2,
                                        .n_heads = 6,
                                        .n_kv_heads = 2,
                                        .head_dim = 32,
                                        .context = 128};
/* Those with kernels of their own in the exact lane, and one for which it falls back on ref. */
static const enum dtype types[] = {DTYPE_F32,   DTYPE_F16,  DTYPE_Q8_0, DTYPE_Q4_0, DTYPE_Q4_1,
                                   DTYPE_MXFP4, DTYPE_Q4_K, DTYPE_Q5_K, DTYPE_Q6_K};
enum { N_TYPES = sizeof types / sizeof *types };

/* Rows of whole blocks: super-blocks want wider ones. */
static struct tiny_shape shape_of(enum dtype type) {
    struct tiny_shape t = shape;
    t.type = type;
    if (dtype_info(type)->block_elements > 32) t.width = t.hidden = 256, t.n_heads = 8;
    return t;
}

static struct backend *open_lane(const struct program *program, const char *isa, int threads) {
    struct status st = {0};
    struct backend *b;
    struct backend_options options = {.isa = isa, .threads = threads, .max_batch = TOKENS, .n_pages = PAGES};
    if (!backend_open_cpu(&b, program, &options, &st)) fail_msg("%s", st.message);
    return b;
}

static int32_t token(size_t i) { return (int32_t)(i * i * 7 % VOCAB); }

/* Runs TOKENS tokens in batches of `chunk`, with `strangers` tokens of another sequence in between, and
 * leaves the logits of all of them. */
static void run_tokens(float *logits, const struct program *program, const char *isa, int threads,
                       size_t chunk, size_t strangers) {
    static const int32_t pages[2][4] = {{3, 0, 9, -1}, {7, 8, 2, 11}};
    struct backend *b = open_lane(program, isa, threads);
    size_t stranger = 0;
    for (size_t at = 0; at < TOKENS; at += chunk) {
        int32_t ids[TOKENS], positions[TOKENS], sequences[TOKENS];
        bool wants[TOKENS];
        size_t n = 0;
        for (size_t i = 0; i < strangers && stranger < TOKENS; i++, n++, stranger++) {
            ids[n] = token(stranger + 5), positions[n] = (int32_t)stranger, sequences[n] = 1,
            wants[n] = false;
        }
        for (size_t i = at; i < at + chunk && i < TOKENS; i++, n++)
            ids[n] = token(i), positions[n] = (int32_t)i, sequences[n] = 0, wants[n] = true;
        struct batch batch = {n, ids, positions, sequences, wants, &pages[0][0], 2, 4, NULL};
        backend_run(b, &batch, logits + at * VOCAB);
    }
    backend_close(b);
}

static double cosine(const float *a, const float *b, size_t n) {
    double ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < n; i++) {
        ab += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return ab / sqrt(aa * bb);
}

static void the_exact_lane_follows_ref(void **state) {
    (void)state;
    static float ref[TOKENS * VOCAB], exact[TOKENS * VOCAB];
    for (int i = 0; i < N_TYPES; i++)
        for (int pairs = ROPE_INTERLEAVED; pairs <= ROPE_HALVES; pairs++) {
            struct tiny tiny;
            struct tiny_shape t = shape_of(types[i]);
            t.pairs = (enum rope_pairs)pairs;
            tiny_build(&tiny, &t);
            run_tokens(ref, &tiny.program, "ref", 1, TOKENS, 0);
            run_tokens(exact, &tiny.program, "c", 1, TOKENS, 0);
            double c = cosine(ref, exact, TOKENS * VOCAB);
            print_message("# %s %s cosine 1 - %.2g\n", dtype_info(t.type)->name, pairs ? "halves" : "pairs",
                          1 - c);
            assert_true(c > 1 - 1e-7);
            tiny_release(&tiny);
        }
}

/* "c:v3": is there such a clone, and does it run on this CPU? */
static bool runs_here(const char *isa) {
    if (strcmp(isa, "c") == 0) return true;
    for (size_t i = 0; i < kernel_count; i++)
        if (strcmp(kernel_table[i].clone, isa + 2) == 0) return kernel_table[i].runs_here();
    return false;
}

static void nothing_but_the_tokens_decides(void **state) {
    (void)state;
    static float want[TOKENS * VOCAB], got[TOKENS * VOCAB];
    static const char *const isas[] = {"c", "c:base", "c:v3", "c:v4", "c:vnni"};
    static const struct {
        int threads;
        size_t chunk, strangers;
    } cases[] = {{1, 1, 0}, {2, 7, 0}, {3, 64, 0}, {7, 33, 20}, {2, 1, 3}, {1, 5, 1}};
    for (int i = 0; i < N_TYPES; i++) {
        struct tiny tiny;
        struct tiny_shape t = shape_of(types[i]);
        tiny_build(&tiny, &t);
        run_tokens(want, &tiny.program, "c", 1, TOKENS, 0);
        for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
            if (!runs_here(isas[k])) {
                print_message("# %s does not run here\n", isas[k]);
                continue;
            }
            for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
                run_tokens(got, &tiny.program, isas[k], cases[j].threads, cases[j].chunk, cases[j].strangers);
                if (memcmp(got, want, sizeof got) != 0)
                    fail_msg("%s %s: %d threads, chunks of %zu, %zu strangers", dtype_info(t.type)->name,
                             isas[k], cases[j].threads, cases[j].chunk, cases[j].strangers);
            }
        }
        tiny_release(&tiny);
    }
}

/* The bits themselves, so that another compiler, C library or instruction set that disagrees is found out.
 * They change only when the contract does (engine/kernels/exact/exact.h). */
static void the_bits_are_those_of_the_contract(void **state) {
    (void)state;
    static float logits[TOKENS * VOCAB];
    static const char *const want[N_TYPES] = {
        "cf7f9a7386e6866a5d47065148b84eaf87616ca8a562da6eac78cd014a059bf7",
        "1047961d475382d246f6a298c4aaf7634c9edd88a6f56d625021ce63bf5d4fc7",
        "e57c38656bd5eddb4573c0c3cbfc852497abd35ccd7f742e934572540734f864",
        "ead5b671cc7d0cdab41bcd555cdb92bf8e22aa3c237586de78a4d4721db1f100",
        "f6cd7b4b2b2d33f80c3c1ed984d329efe8a9ceefdd1c55c432b1b191c4f7cc8a",
        "fc54283661afbdb4fd46811a773a4f3cb9c2c94ea25c1759f162c76726355b0f",
        "2d0b710cc1df9b763fb966a286fad9ab24a6e31fd2395d2c82ca5d4dbcdee07e",
        "8d79a83da96fca3a89cfc09fc37f8cc5a83cc0dc48cedc9d2adf1884e3074303",
        "7bba330fe5b250be57ae40d2b5142adf4266a399df109f27a55e95c57a89c671",
    };
    for (int i = 0; i < N_TYPES; i++) {
        struct tiny tiny;
        struct tiny_shape t = shape_of(types[i]);
        char hex[HASH_HEX];
        tiny_build(&tiny, &t);
        run_tokens(logits, &tiny.program, "c", 1, TOKENS, 0);
        hash_sha256(hex, logits, sizeof logits);
        tiny_release(&tiny);
        assert_string_equal(hex, want[i]);
    }
}

/* One token that looks at itself and at a page of nothing: what a score of NaN makes must not pass for zeros.
 */
static void attention_keeps_nan(void **state) {
    (void)state;
    enum { DIM = 20 };
    static float keys[DIM * KV_PAGE], values[DIM * KV_PAGE], q[DIM], out[DIM];
    static _Alignas(64) char scratch[4096];
    const int32_t position = 0, sequence = 0, page = 0;
    const struct tokens tokens = {
        .positions = &position, .sequences = &sequence, .pages = &page, .pages_per_sequence = 1};
    assert_true(kernel_scratch(DIM, DIM, 1) <= sizeof scratch);
    for (size_t i = 0; i < kernel_count; i++) {
        const struct kernel *k = &kernel_table[i];
        if (strcmp(k->op, "attention") != 0 || !k->runs_here()) continue;
        for (int poisoned = 0; poisoned < 3; poisoned++) {
            for (int j = 0; j < DIM * KV_PAGE; j++) keys[j] = values[j] = 1;
            for (int d = 0; d < DIM; d++) q[d] = 1, out[d] = 0;
            if (poisoned == 1) q[3] = NAN;
            if (poisoned == 2) keys[5 * KV_PAGE] = NAN;
            struct task task = {.n = 1, .tokens = &tokens};
            task.attention = (struct attention_task){.q = {q, DIM, DIM},
                                                     .out = {out, DIM, DIM},
                                                     .kv = {keys, values, DIM * KV_PAGE, 1, DIM, DIM},
                                                     .n_heads = 1,
                                                     .scale = 1};
            k->run(&task, 0, 1, scratch);
            for (int d = 0; d < DIM; d++)
                if (poisoned ? !isnan(out[d]) : out[d] != 1)
                    fail_msg("%s %s, case %d: out[%d] is %g", k->lane, k->clone, poisoned, d, (double)out[d]);
        }
    }
}

/* engine.md 20: sglang#22455, #38773; test_checkkern has every op with 0 tokens. */
static void a_batch_of_nothing_is_legal(void **state) {
    (void)state;
    struct tiny tiny;
    struct tiny_shape t = shape;
    tiny_build(&tiny, &t);
    static const char *const isas[] = {"ref", "c"};
    for (int i = 0; i < 2; i++) {
        struct backend *b = open_lane(&tiny.program, isas[i], 2);
        backend_run(b, &(struct batch){0}, NULL);
        int32_t id = 1, zero = 0, page = 5;
        bool no = false;
        struct batch silent = {1, &id, &zero, &zero, &no, &page, 1, 1, NULL};
        backend_run(b, &silent, NULL); /* nobody wants logits */
        backend_close(b);
    }
    tiny_release(&tiny);
}

static void an_unknown_lane_is_refused(void **state) {
    (void)state;
    struct tiny tiny;
    struct status st = {0};
    struct backend *b;
    tiny_build(&tiny, &shape);
    struct backend_options options = {.isa = "sse9", .max_batch = 1, .n_pages = 1};
    assert_false(backend_open_cpu(&b, &tiny.program, &options, &st));
    assert_int_equal(st.code, STATUS_USAGE);
    assert_string_equal(st.message, "there is no lane 'sse9'; use ref, c or auto");
    options.isa = "c:mmx";
    assert_false(backend_open_cpu(&b, &tiny.program, &options, &st));
    options = (struct backend_options){.isa = "ref", .max_batch = 1, .n_pages = SIZE_MAX / 8};
    assert_false(backend_open_cpu(&b, &tiny.program, &options, &st));
    assert_int_equal(st.code, STATUS_NO_MEMORY);
    tiny_release(&tiny);
}

static void it_says_what_runs(void **state) {
    (void)state;
    struct tiny tiny;
    tiny_build(&tiny, &shape);
    struct backend *b = open_lane(&tiny.program, "ref", 1);
    assert_string_equal(backend_describe(b), "ref, 1 thread");
    backend_close(b);
    b = open_lane(&tiny.program, "c:base", 3);
    assert_string_equal(backend_describe(b), "c (baseline), 3 threads");
    backend_close(b);
    tiny_release(&tiny);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_lane_follows_ref),
        cmocka_unit_test(nothing_but_the_tokens_decides),
        cmocka_unit_test(the_bits_are_those_of_the_contract),
        cmocka_unit_test(attention_keeps_nan),
        cmocka_unit_test(a_batch_of_nothing_is_legal),
        cmocka_unit_test(an_unknown_lane_is_refused),
        cmocka_unit_test(it_says_what_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
