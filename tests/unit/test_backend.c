/* The CPU backend: lanes agree, and nothing but the tokens decides a token's logits. */
#include "base/hash.h"
#include "engine/backend/backend.h"
#include "engine/kernels/kernel.h"
#include "tests/checkkern/synth.h"
#include "tests/checkkern/tiny.h"
#include "tests/unit/sanitized.h"

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

static int activations = 16; /* of what is opened */

static struct backend *open_lane(const struct program *program, const char *isa, int threads) {
    struct status st = {0};
    struct backend *b;
    struct backend_options options = {.isa = isa, .threads = threads, .max_batch = TOKENS, .n_pages = PAGES};
    options.activations = strcmp(isa, "ref") == 0 ? 16 : activations;
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
            if (SANITIZED && pairs != i % 2) continue;
            t.pairs = (enum rope_pairs)pairs;
            tiny_build(&tiny, &t);
            run_tokens(ref, &tiny.program, "ref", 1, TOKENS, 0);
            run_tokens(exact, &tiny.program, "auto", 1, TOKENS, 0);
            double c = cosine(ref, exact, TOKENS * VOCAB);
            print_message("# %s %s cosine 1 - %.2g\n", dtype_info(t.type)->name, pairs ? "halves" : "pairs",
                          1 - c);
            assert_true(c > 1 - 1e-7);
            activations = 8;
            run_tokens(exact, &tiny.program, "auto", 1, TOKENS, 0);
            activations = 16;
            assert_true(cosine(ref, exact, TOKENS * VOCAB) > 1 - 1e-3);
            tiny_release(&tiny);
        }
}

static const char *const clones[] = {
#define NAME(op, clone) #clone,
    KERNEL_CLONES(NAME, )
#undef NAME
};

static void try_cases(const struct program *program, enum dtype type) {
    static float want[TOKENS * VOCAB], got[TOKENS * VOCAB];
    static const struct {
        int threads;
        size_t chunk, strangers;
    } cases[] = {{1, 1, 0}, {2, 7, 0}, {3, 64, 0}, {7, 33, 20}, {2, 1, 3}, {1, 5, 1}};
    const size_t n_cases = sizeof cases / sizeof *cases;
    run_tokens(want, program, "c", 1, TOKENS, 0);
    for (size_t k = 0; k < sizeof clones / sizeof *clones; k++) {
        if (!kernel_choose_clone(clones[k], NULL)) {
            print_message("# %s does not run here\n", clones[k]);
            continue;
        }
        for (size_t j = 0; j < n_cases; j++) {
            if (SANITIZED && j != k % n_cases) continue;
            run_tokens(got, program, clones[k], cases[j].threads, cases[j].chunk, cases[j].strangers);
            if (memcmp(got, want, sizeof got) != 0)
                fail_msg("%s %s, %d bits: %d threads, chunks of %zu, %zu strangers", dtype_info(type)->name,
                         clones[k], activations, cases[j].threads, cases[j].chunk, cases[j].strangers);
        }
    }
}

static void nothing_but_the_tokens_decides(void **state) {
    (void)state;
    for (int i = 0; i < N_TYPES; i++) {
        struct tiny tiny;
        struct tiny_shape t = shape_of(types[i]);
        tiny_build(&tiny, &t);
        try_cases(&tiny.program, t.type);
        activations = 8;
        if (dtype_info(t.type)->block_elements > 1) try_cases(&tiny.program, t.type);
        activations = 16;
        tiny_release(&tiny);
    }
}

enum { LONG = 540, LONG_PAGES = (LONG + KV_PAGE - 1) / KV_PAGE };

/* LONG tokens of one sequence: more than a span of attention. Leaves the logits of the last of each chunk
 * of 64. */
static void run_long(float *logits, const struct program *program, const char *isa, enum kv_type kv,
                     int threads, size_t chunk) {
    struct status st = {0};
    struct backend *b;
    struct backend_options options = {
        .isa = isa, .threads = threads, .max_batch = LONG, .n_pages = LONG_PAGES, .kv = kv};
    if (!backend_open_cpu(&b, program, &options, &st)) fail_msg("%s", st.message);
    int32_t pages[LONG_PAGES], ids[LONG], positions[LONG], sequences[LONG] = {0};
    bool wants[LONG];
    size_t done = 0;
    for (size_t i = 0; i < LONG_PAGES; i++) pages[i] = (int32_t)(i * 5 % LONG_PAGES);
    for (size_t i = 0; i < LONG; i++)
        ids[i] = token(i), positions[i] = (int32_t)i, wants[i] = i % 64 == 63 || i + 1 == LONG;
    for (size_t at = 0, n; at < LONG; at += n) {
        n = LONG - at < chunk ? LONG - at : chunk;
        struct batch batch = {n, ids + at, positions + at, sequences, wants + at, pages, 1, LONG_PAGES, NULL};
        backend_run(b, &batch, logits + done * VOCAB);
        for (size_t i = at; i < at + n; i++) done += wants[i];
    }
    backend_close(b);
}

/* Of every type, over pages, blocks of rows and spans; and no type is another's. */
static void keys_and_values_of_every_type_give_the_same_bits_in_any_batch(void **state) {
    (void)state;
    enum { WANTED = LONG / 64 + 1 };
    static float ref[WANTED * VOCAB], want[WANTED * VOCAB], got[WANTED * VOCAB], f32[WANTED * VOCAB];
    static const double floors[KV_TYPES] = {1e-9, 5e-6, 5e-4, 6e-3};
    static const struct {
        const char *isa;
        int threads;
        size_t chunk;
    } cases[] = {{"auto", 1, 1}, {"auto", 2, 7}, {"auto", 3, 64}, {"auto", 7, 512}, {"c", 2, 100}};
    struct tiny_shape t = shape;
    struct tiny tiny;
    t.context = LONG_PAGES * KV_PAGE;
    tiny_build(&tiny, &t);
    run_long(ref, &tiny.program, "ref", KV_F32, 2, LONG);
    for (int kv = 0; kv < KV_TYPES; kv++) {
        run_long(want, &tiny.program, "c", (enum kv_type)kv, 1, LONG);
        for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
            run_long(got, &tiny.program, cases[j].isa, (enum kv_type)kv, cases[j].threads, cases[j].chunk);
            if (memcmp(got, want, sizeof got) != 0)
                fail_msg("%s, %s: %d threads, chunks of %zu", kv_type_name((enum kv_type)kv), cases[j].isa,
                         cases[j].threads, cases[j].chunk);
        }
        double distance = 1 - cosine(ref, want, WANTED * VOCAB);
        print_message("# %s: cosine to ref in f32 1 - %.2g\n", kv_type_name((enum kv_type)kv), distance);
        assert_true(distance < floors[kv]);
        if (kv == KV_F32) memcpy(f32, want, sizeof f32);
        else assert_memory_not_equal(want, f32, sizeof f32);
    }
    tiny_release(&tiny);
}

/* The bits themselves, so that another compiler, C library or instruction set that disagrees is found out.
 * They change only when the contract does (engine/kernels/exact/exact.h). */
static void the_bits_are_those_of_the_contract(void **state) {
    (void)state;
    static float logits[TOKENS * VOCAB];
    static const char *const want[N_TYPES] = {
        "1e863ef1396cb15d55bcb73bd9ba3f1cc1d109caf122e1be5246c276eb5fcd93",
        "a26d718edb754be6e71d822ce6bb5be3b0a92172a017c071c8c17b846b990b59",
        "be8d9f8142efae748b4f118c64a520847ff6ab03ec8699c839f64c578555b802",
        "9723974abb47fbed02ffe8b165242ef89a1a6aaf90fc3307d930bc7cfcd18a24",
        "92a1252ea8f60d653eeb2195eed79a8e106b729ac8b9983cefcf9ede1c70b256",
        "53adb1c90a54ff1b062453976005609289e4ee4447d27771574d73ead29af22b",
        "9dd4707c73f4de4c7031f557697771182f9e29545dcc578a767abddf99a946a3",
        "d17c86132d9eb24a7d5a536125013d916ff2325ee253a1751498f10dba7993ef",
        "58d062478e29ff53336ed9c1f052a03f7c8bf88417be54af5ea11d3df4e3d7c5",
    };
    static const char *const narrow[N_TYPES] = {
        /* with activations of eight bits */
        [2] = "ebda8a99b1acb92309c5b326911c4eb3ea309e74342cb2c0cf33e605ae0d2352",
        [3] = "813ce6ff4e50bd3639e3e432d732577d461cdb5908910c28b61797dae36ca8f3",
        [4] = "990a12494f39a6fb5b502ae0aecfa2a3279f54e7c1cc59348c56215dd752852c",
        [6] = "1e724bcef663b2003df8c33ce16226d7ac1c790bc18562ab91281beb736af7c2",
        [7] = "d688af3e74499ebca4073883c6bfeccfabf95887a4e5799cf445d3f82a4d2cdb",
        [8] = "bc24b23ffb91020195d15f6ca39eb9a6f7d7d3f011f797ae2edbcf2b92a12855",
    };
    for (int i = 0; i < N_TYPES; i++) {
        struct tiny tiny;
        struct tiny_shape t = shape_of(types[i]);
        char hex[HASH_HEX];
        tiny_build(&tiny, &t);
        for (activations = 16; activations >= 8; activations -= 8) {
            const char *expected = activations == 16 ? want[i] : narrow[i];
            run_tokens(logits, &tiny.program, "c", 1, TOKENS, 0);
            hash_sha256(hex, logits, sizeof logits);
            if (expected) assert_string_equal(hex, expected);
        }
        activations = 16;
        tiny_release(&tiny);
    }
}

/* One token that looks at itself and at a page of nothing: what a score of NaN makes must not pass for zeros.
 */
static void attention_keeps_nan(void **state) {
    (void)state;
    enum { DIM = 20 };
    static float keys[DIM * KV_PAGE], values[2 * 16 * KV_PAGE], q[DIM], out[DIM];
    static _Alignas(64) char scratch[1 << 20];
    const int32_t position = 0, sequence = 0, page = 0;
    const struct tokens tokens = {
        .positions = &position, .sequences = &sequence, .pages = &page, .pages_per_sequence = 1};
    assert_true(kernel_scratch(DIM, DIM) <= sizeof scratch);
    for (size_t i = 0; i < kernel_count; i++) {
        const struct kernel *k = &kernel_table[i];
        if (strcmp(k->op, "attention") != 0 || !k->runs_here()) continue;
        for (int poisoned = 0; poisoned < 3; poisoned++) {
            for (int j = 0; j < DIM * KV_PAGE; j++) keys[j] = 1;
            for (int j = 0; j < 2 * 16 * KV_PAGE; j++) values[j] = 1;
            for (int d = 0; d < DIM; d++) q[d] = 1, out[d] = 0;
            if (poisoned == 1) q[3] = NAN;
            if (poisoned == 2) keys[5 * KV_PAGE] = NAN;
            struct task task = {.n = 1, .tokens = &tokens};
            task.attention = (struct attention_task){
                .q = {q, DIM, DIM},
                .out = {out, DIM, DIM},
                .kv = {.keys = keys, .values = values, .n_kv_heads = 1, .key_dim = DIM, .value_dim = DIM},
                .n_heads = 1,
                .rows_per_unit = 1,
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
    assert_non_null(strstr(st.message, "there is no lane 'sse9'; use auto, ref, c"));
    static const char *const known[] = {"avx2", "avx512", "neon"};
    for (size_t i = 0; i < 3; i++) {
        options.isa = known[i];
        if (kernel_choose_clone(known[i], NULL)) continue;
        assert_false(backend_open_cpu(&b, &tiny.program, &options, &st));
        assert_int_equal(st.code, STATUS_UNSUPPORTED);
        assert_non_null(strstr(st.message, "this CPU cannot run lane '"));
        assert_non_null(strstr(st.message, "'; it has ref, c"));
    }
    static const struct {
        const char *isa;
        int bits;
        const char *says;
    } widths[] = {{"c", 4, "activations have 16 bits or 8, not 4"},
                  {"ref", 8, "lane ref multiplies numbers as they are"}};
    for (size_t i = 0; i < 2; i++) {
        options.isa = widths[i].isa, options.activations = widths[i].bits;
        assert_false(backend_open_cpu(&b, &tiny.program, &options, &st));
        assert_int_equal(st.code, STATUS_USAGE);
        assert_non_null(strstr(st.message, widths[i].says));
    }
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
    b = open_lane(&tiny.program, "c", 33); /* pinned where there are 33 CPUs */
    assert_ptr_equal(strstr(backend_describe(b), "c, 33 threads"), backend_describe(b));
    backend_close(b);
    activations = 8;
    b = open_lane(&tiny.program, "c", 1);
    activations = 16;
    assert_string_equal(backend_describe(b), "c, 8-bit activations, 1 thread");
    backend_close(b);
    for (size_t i = 0; i < sizeof clones / sizeof *clones; i++) {
        if (!kernel_choose_clone(clones[i], NULL)) continue;
        char want[64];
        snprintf(want, sizeof want, "%s, 1 thread", kernel_clone_text(clones[i]));
        b = open_lane(&tiny.program, clones[i], 1);
        assert_string_equal(backend_describe(b), want);
        backend_close(b);
    }
    tiny_release(&tiny);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_lane_follows_ref),
        cmocka_unit_test(nothing_but_the_tokens_decides),
        cmocka_unit_test(keys_and_values_of_every_type_give_the_same_bits_in_any_batch),
        cmocka_unit_test(the_bits_are_those_of_the_contract),
        cmocka_unit_test(attention_keeps_nan),
        cmocka_unit_test(a_batch_of_nothing_is_legal),
        cmocka_unit_test(an_unknown_lane_is_refused),
        cmocka_unit_test(it_says_what_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
