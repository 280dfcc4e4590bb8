/* lookup: globs, paths, names that were meant, and look-ups over a small matrix of our own. */
#include "cmd/fak/repo_path.h"
#include "cmd/fak/sota.h"
#include "ladders/ladder.h"
#include "sotadb/gaps.h"
#include "sotadb/glob.h"
#include "sotadb/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* --- a matrix with one of everything --- */

static const struct op ops[] = {
    {.slug = "awq-gemm",
     .title = "AWQ 4-bit GEMV/GEMM",
     .aliases = "awq,awq_gemv",
     .summary = "Multiplies by 4-bit weights.",
     .route = ROUTE_BORROW,
     .route_note = "Marlin's fused pipeline, once the witness exists.",
     .oracle = "ref",
     .bottleneck = "dequantisation",
     .selection = "the witness",
     .plan = "a test",
     .status = OP_SELECTED,
     .axis = "quantization",
     .paths = {0, 2},
     .symbols = {0, 1},
     .references = {0, 2},
     .papers = {0, 0},
     .witnesses = {0, 1}},
    {.slug = "fused-attention",
     .title = "Fused attention (MHA/GQA/MQA)",
     .aliases = "flash-attention,sdpa",
     .summary = "Online softmax over pages.",
     .route = ROUTE_STAY_MINIMAL,
     .route_note = "",
     .oracle = "ref",
     .bottleneck = "",
     .selection = "",
     .plan = "",
     .status = OP_SHIPPED,
     .axis = "",
     .paths = {2, 2},
     .symbols = {1, 1},
     .references = {2, 1},
     .witnesses = {1, 2}},
    {.slug = "gated-delta-net",
     .title = "Gated delta net",
     .aliases = "",
     .summary = "",
     .route_note = "",
     .oracle = "",
     .bottleneck = "",
     .selection = "",
     .plan = "",
     .status = OP_PLANNED,
     .axis = "",
     .paths = {4, 1},
     .symbols = {2, 0},
     .references = {3, 0},
     .witnesses = {3, 0}},
    {.slug = "rope",
     .title = "Rotary position embedding (RoPE)",
     .aliases = "rotary",
     .summary = "",
     .route_note = "",
     .oracle = "",
     .bottleneck = "",
     .selection = "",
     .plan = "",
     .status = OP_SHIPPED,
     .axis = "",
     .paths = {5, 1},
     .symbols = {2, 1},
     .references = {3, 0},
     .witnesses = {3, 0}},
};
static const struct op_path paths[] = {
    {"awq-gemm", "engine/kernels/*/linear_awq*.c", PATH_KERNEL, "", true},
    {"awq-gemm", "engine/kernels/cuda/awq.cu", PATH_KERNEL, "", true},
    {"fused-attention", "engine/kernels/**", PATH_HOST, "", false},
    {"fused-attention", "engine/kernels/*/attention*.c", PATH_KERNEL, "build/gen/attention_*.c", false},
    {"gated-delta-net", "engine/kernels/*/delta_net.c", PATH_KERNEL, "", true},
    {"rope", "engine/rope/", PATH_KERNEL, "", false},
};
static const struct op_symbol symbols[] = {
    {"awq-gemm", "*awq_gem[mv]*"}, {"fused-attention", "flash_*"}, {"rope", "rope_?"}};
static const struct reference references[] = {
    {"awq-gemm", "Marlin", "https://example.org/marlin", REFERENCE_PRIMARY, "the pipeline", ""},
    {"awq-gemm", "AutoAWQ", "https://example.org/autoawq", REFERENCE_REPO, "", ""},
    {"fused-attention", "FlashAttention", "https://example.org/fa", REFERENCE_PRIMARY, "", ""},
};
static const struct witness witnesses[] = {
    {"awq-gemm", "cuda", "cudaAWQCosineMin", "cosine", 0.995, FLOOR_RECORDED, "", "", false},
    {"fused-attention", "cpu", "", "max|d|=0", 0, FLOOR_NONE, "tests/checkkern/attention.c", "", false},
    {"fused-attention", "cuda", "cudaFlashAttnCosineMin", "cosine", 0.999, FLOOR_MEASURED, "tests/x.c", "row",
     false},
};
static const struct ladder ladders[] = {
    {"quantization", "Quantization", 1, "awq-gemm", "INT4", {0, 3}, {0, 1}},
    {"speculative-decoding", "Speculative decoding", -1, "", "", {3, 1}, {1, 0}},
};
static const struct rung rungs[] = {
    {"quantization", 0, "LLM.int8()", 2022, 8, "outliers", "https://example.org/0"},
    {"quantization", 1, "AWQ", 2023, 6, "scaling", "https://example.org/1"},
    {"quantization", 2, "Marlin", 2024, 8, "fused | fast", "https://example.org/2"},
    {"speculative-decoding", 0, "Medusa", 2024, 1, "heads draft", "https://example.org/3"},
};
static const struct rung branches[] = {
    {"quantization", 1, "SpQR", 2023, 6, "sparse outliers", "https://example.org/4"}};
static const struct matrix matrix = {.ops = ops,
                                     .n_ops = 4,
                                     .paths = paths,
                                     .n_paths = 6,
                                     .symbols = symbols,
                                     .n_symbols = 3,
                                     .references = references,
                                     .n_references = 3,
                                     .witnesses = witnesses,
                                     .n_witnesses = 3,
                                     .ladders = ladders,
                                     .n_ladders = 2,
                                     .rungs = rungs,
                                     .n_rungs = 4,
                                     .branches = branches,
                                     .n_branches = 1,
                                     .source = "test"};

/* --- globs --- */

struct glob_case {
    const char *glob, *path;
    bool match;
};

static void check_globs(const struct glob_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (glob_match(cases[i].glob, cases[i].path) != cases[i].match)
            fail_msg("glob '%s', path '%s': wanted %d", cases[i].glob, cases[i].path, cases[i].match);
}
#define CHECK_GLOBS(cases) check_globs(cases, sizeof(cases) / sizeof *(cases))

static void a_pattern_that_cannot_be_meant_is_told(void **state) {
    (void)state;
    static const char *const good[] = {"a",    "a/",       "**/a.c", "a/**",   "a/**/b",
                                       "*.cu", "[a-z]*.c", "\\*\\*", "a/b[[]", "a.b"};
    static const char *const bad[] = {"",        "/a",  "a//b", "./a", "a/.", "a/..", "a**b", "**a",
                                      "a/b**/c", "***", "[a",   "a\\", "*",   "**",   "*/?"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (glob_mistake(good[i])) fail_msg("'%s' %s", good[i], glob_mistake(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!glob_mistake(bad[i])) fail_msg("'%s' is taken for a pattern", bad[i]);
    assert_null(glob_name_mistake("k_a*"));
    assert_null(glob_name_mistake("*_rope"));
    assert_non_null(glob_name_mistake("*ab*"));
    assert_non_null(glob_name_mistake("a b c"));
    assert_non_null(glob_name_mistake("**abc"));
    assert_non_null(glob_name_mistake("abc["));
}

static void a_star_stays_within_one_folder(void **state) {
    (void)state;
    const struct glob_case cases[] = {
        {"a/b.c", "a/b.c", true},
        {"a/b.c", "a/bxc", false},
        {"a/*.c", "a/b.c", true},
        {"a/*.c", "a/.c", true},
        {"a/*.c", "a/b/c.c", false},
        {"a/*", "a/", true},
        {"a/*", "a", false},
        {"*", "a", true},
        {"*", "a/b", false},
        {"*.cu", "kernel.cuh", false},
        {"a*b*c", "aXbYc", true},
        {"a*b*c", "aXbYcd", false},
        {"a*b*c", "abcbc", true},
        {"*a*", "bab", true},
        {"a?c", "abc", true},
        {"a?c", "a/c", false},
        {"a?c", "ac", false},
        {"a/*/c", "a/b/c", true},
        {"a/*/c", "a/b/b/c", false},
        {"a/*/c", "a//c", true},
        {"", "", false},
        {"", "a", false},
        {"a", "", false},
        {"a", "a/b", false},
        {"A/b.c", "a/b.c", false},
        {"a**b", "aXXb", true},
        {"a**b", "a/b", false},
    };
    CHECK_GLOBS(cases);
}

static void two_stars_cross_folders(void **state) {
    (void)state;
    const struct glob_case cases[] = {
        {"**", "a", true},
        {"**", "a/b/c", true},
        {"a/**", "a/b", true},
        {"a/**", "a/b/c", true},
        {"a/**", "a", false},
        {"a/**", "ab/c", false},
        {"a/**/b", "a/b", true},
        {"a/**/b", "a/x/b", true},
        {"a/**/b", "a/x/y/b", true},
        {"a/**/b", "a/x/yb", false},
        {"a/**/b", "a/b/c", false},
        {"**/b", "b", true},
        {"**/b", "a/b", true},
        {"**/b", "ab", false},
        {"**/*.cu", "x.cu", true},
        {"**/*.cu", "a/b/x.cu", true},
        {"a/**/b/**/c", "a/b/b/x/c", true},
        {"a/**/b/**/c", "a/x/c/b", false},
        {"a/**/**/c", "a/c", true},
        {"a/**/b*/c", "a/b1/b2/c", true},
        {"**/a/b", "a/a/b", true},
    };
    CHECK_GLOBS(cases);
}

static void a_folder_matches_what_is_below(void **state) {
    (void)state;
    const struct glob_case cases[] = {
        {"a/", "a/b", true},     {"a/", "a/b/c", true},      {"a/", "a", false},
        {"a/", "a/", false},     {"a/", "ab/c", false},      {"**/k/", "x/k/a/b", true},
        {"*/k/", "x/k/a", true}, {"*/k/", "x/y/k/a", false},
    };
    CHECK_GLOBS(cases);
}

static void sets_and_escapes(void **state) {
    (void)state;
    const struct glob_case cases[] = {
        {"q[2-6]_k", "q4_k", true},   {"q[2-6]_k", "q8_k", false}, {"q[!2-6]_k", "q8_k", true},
        {"q[^2-6]_k", "q4_k", false}, {"[]a]", "]", true},         {"[]a]", "a", true},
        {"[a-]", "-", true},          {"[a", "[a", true},          {"[a", "a", false},
        {"[!a]", "/", false},         {"a[/]b", "a/b", false},     {"a\\*", "a*", true},
        {"a\\*", "ab", false},        {"a\\[b", "a[b", true},      {"[\\]]", "]", true},
        {"[z-a]", "m", false},        {"a\\", "a\\", true},        {"[a-c]*[x-z]", "b..y", true},
    };
    CHECK_GLOBS(cases);
}

static void characters_are_utf8_and_bad_bytes_are_bytes(void **state) {
    (void)state;
    const struct glob_case cases[] = {
        {"k?rnel.cu", "k\xC3\xA9rnel.cu", true}, {"k??rnel.cu", "k\xC3\xA9rnel.cu", false},
        {"k?rnel", "k\xE9rnel", true},           {"[\xC3\xA0-\xC3\xBF]", "\xC3\xA9", true},
        {"[\xC3\xA0-\xC3\xBF]", "\xC3", false},  {"*.cu", "a b\t\"\n.cu", true},
        {"\xC3\xA9*", "\xC3\xA9x", true},
    };
    CHECK_GLOBS(cases);
}

/* The same language, written down as plainly as it can be: every choice is tried. */
static bool plain_component(const char *glob, const char *text) {
    if (*glob == '\0' || *glob == '/') return *text == '\0' || *text == '/';
    if (*glob == '*') {
        if (plain_component(glob + 1, text)) return true;
        return *text && *text != '/' && plain_component(glob, text + 1);
    }
    if (!*text || *text == '/') return false;
    return (*glob == '?' || *glob == *text) && plain_component(glob + 1, text + 1);
}

static bool plain_match(const char *glob, const char *path) {
    const char *glob_end = strchr(glob, '/'), *path_end = strchr(path, '/');
    bool any_folders = strncmp(glob, "**", 2) == 0 && (glob[2] == '/' || !glob[2]);
    if (any_folders && (!glob_end || !glob_end[1])) return *path != '\0';
    if (any_folders && plain_match(glob_end + 1, path)) return true;
    if (any_folders) return path_end && plain_match(glob, path_end + 1);
    if (!plain_component(glob, path)) return false;
    if (!glob_end || !path_end) return !glob_end && !path_end;
    if (!glob_end[1]) return path_end[1] != '\0';
    return plain_match(glob_end + 1, path_end + 1);
}

static void globs_agree_with_the_plain_definition(void **state) {
    (void)state;
    uint32_t random = 12345;
    char glob[12], path[12];
    int n_matches = 0;
    for (int i = 0; i < 400000; i++) {
        size_t n_glob = 1 + (random >> 8) % 10, n_path = (random >> 16) % 10;
        for (size_t k = 0; k < n_glob; k++)
            glob[k] = "ab/*?*/a"[((random = random * 1664525 + 1013904223) >> 24) % 8];
        for (size_t k = 0; k < n_path; k++)
            path[k] = "ab/a"[((random = random * 1664525 + 1013904223) >> 24) % 4];
        random = random * 1664525 + 1013904223;
        glob[n_glob] = path[n_path] = '\0';
        bool wanted = plain_match(glob, path);
        if (glob_match(glob, path) != wanted) fail_msg("glob '%s', path '%s': wanted %d", glob, path, wanted);
        n_matches += wanted;
    }
    assert_true(n_matches > 10000);
}

/* Patterns that take exponential time when stars are retried recursively. */
static void hostile_patterns_take_bounded_time(void **state) {
    (void)state;
    enum { N = 20000 };
    char *path = malloc(N + 1), *glob = malloc(4 * 200 + 8);
    memset(path, 'a', N);
    path[N] = '\0';
    glob[0] = '\0';
    for (int i = 0; i < 60; i++) strcat(glob, "*a");
    strcat(glob, "b");
    clock_t start = clock();
    assert_false(glob_match(glob, path));
    assert_false(glob_match_name(glob, path));
    for (size_t i = 1; i < N; i += 2) path[i] = '/';
    glob[0] = '\0';
    for (int i = 0; i < 60; i++) strcat(glob, "**/a/");
    strcat(glob, "b");
    assert_false(glob_match(glob, path));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 2.0);
    free(path);
    free(glob);
}

/* --- by name, file and kernel --- */

static void names_are_found_however_they_are_typed(void **state) {
    (void)state;
    assert_ptr_equal(matrix_op(&matrix, "awq-gemm"), &ops[0]);
    assert_ptr_equal(matrix_op(&matrix, "AWQ_gemm"), &ops[0]);
    assert_ptr_equal(matrix_op(&matrix, "AWQ"), &ops[0]);
    assert_ptr_equal(matrix_op(&matrix, "awq-gemv"), &ops[0]);
    assert_ptr_equal(matrix_op(&matrix, "flash attention"), &ops[1]);
    assert_ptr_equal(matrix_op(&matrix, "SDPA"), &ops[1]);
    assert_null(matrix_op(&matrix, "aw"));
    assert_null(matrix_op(&matrix, "awq,awq_gemv"));
    assert_null(matrix_op(&matrix, ""));
    assert_ptr_equal(matrix_ladder(&matrix, "Speculative_Decoding"), &ladders[1]);
    assert_null(matrix_ladder(&matrix, "attention"));
}

static void the_primary_reference_is_found(void **state) {
    (void)state;
    assert_string_equal(matrix_primary(&matrix, &ops[0])->name, "Marlin");
    assert_null(matrix_primary(&matrix, &ops[2]));
}

static void a_path_gives_its_operations_in_order_with_the_row_that_says_most(void **state) {
    (void)state;
    struct match match[4];
    assert_int_equal(matrix_match_path(&matrix, "engine/kernels/x86/linear_awq_avx2.c", match, 4), 2);
    assert_ptr_equal(match[0].op, &ops[0]);
    assert_ptr_equal(match[1].op, &ops[1]);
    assert_ptr_equal(match[1].path, &paths[2]);
    assert_int_equal(matrix_match_path(&matrix, "engine/kernels/ref/attention.c", match, 4), 1);
    assert_ptr_equal(match[0].path, &paths[3]);
    assert_int_equal(matrix_match_path(&matrix, "engine/rope/a/b.c", match, 4), 1);
    assert_int_equal(matrix_match_path(&matrix, "engine/other.c", match, 4), 0);
    assert_int_equal(matrix_match_path(&matrix, "", match, 4), 0);
}

static void a_folder_gives_what_may_lie_below(void **state) {
    (void)state;
    struct match match[4];
    assert_int_equal(matrix_match_folder(&matrix, "", match, 4), 4);
    assert_int_equal(matrix_match_folder(&matrix, "engine", match, 4), 4);
    assert_int_equal(matrix_match_folder(&matrix, "engine/kernels", match, 4), 3);
    assert_int_equal(matrix_match_folder(&matrix, "engine/kernels/cuda", match, 4), 3);
    assert_int_equal(matrix_match_folder(&matrix, "engine/kernels/cuda/deep/er", match, 4), 1);
    assert_ptr_equal(match[0].op, &ops[1]);
    assert_int_equal(matrix_match_folder(&matrix, "engine/rope", match, 4), 1);
    assert_int_equal(matrix_match_folder(&matrix, "engine/rope/below", match, 4), 1);
    assert_int_equal(matrix_match_folder(&matrix, "engine/ro", match, 4), 0);
    assert_int_equal(matrix_match_folder(&matrix, "docs", match, 4), 0);
}

static void a_generated_file_belongs_to_the_row_that_generates_it(void **state) {
    (void)state;
    struct match match[1];
    assert_int_equal(matrix_match_path(&matrix, "build/gen/attention_64.c", match, 1), 1);
    assert_ptr_equal(match[0].op, &ops[1]);
    assert_ptr_equal(match[0].path, &paths[3]);
}

static void more_matches_than_room_are_counted(void **state) {
    (void)state;
    struct match match[1] = {{0}};
    assert_int_equal(matrix_match_path(&matrix, "engine/kernels/ref/delta_net.c", match, 1), 2);
    assert_ptr_equal(match[0].op, &ops[1]);
    assert_int_equal(matrix_match_path(&matrix, "engine/kernels/ref/delta_net.c", NULL, 0), 2);
}

static void a_kernel_gives_its_operation_with_and_without_namespace(void **state) {
    (void)state;
    struct match match[2];
    assert_int_equal(matrix_match_symbol(&matrix, "k_awq_gemv", match, 2), 1);
    assert_ptr_equal(match[0].op, &ops[0]);
    assert_ptr_equal(match[0].symbol, &symbols[0]);
    assert_int_equal(matrix_match_symbol(&matrix, "ns::inner::flash_forward", match, 2), 1);
    assert_int_equal(matrix_match_symbol(&matrix, "k_awq_gems", match, 2), 0);
    assert_int_equal(matrix_match_symbol(&matrix, "rope_", match, 2), 0);
    assert_int_equal(matrix_match_symbol(&matrix, "rope_x", match, 2), 1);
}

/* --- paths and names as they are typed --- */

static void a_path_is_tidied_by_its_text(void **state) {
    (void)state;
    const char *const cases[][2] = {
        {"a/b", "a/b"},
        {"./a//b/", "a/b"},
        {"a/./b/../c", "a/c"},
        {"../a", "../a"},
        {"a/../..", ".."},
        {"../../a/..", "../.."},
        {"/a/../../b", "/b"},
        {"/", "/"},
        {"", ""},
        {".", ""},
        {"..a/b..", "..a/b.."},
        {"a/...", "a/..."},
        {"/..", "/"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str out = {0};
        repo_path_tidy(&out, cases[i][0]);
        assert_string_equal(str_c(&out), cases[i][1]);
        str_free(&out);
    }
}

static void suggest(const char *typed, const char *part) {
    struct status st = {0};
    sota_unknown(&matrix, "operation", typed, true, &st);
    assert_int_equal(st.code, STATUS_USAGE);
    if (!strstr(st.message, part)) fail_msg("'%s': no '%s' in: %s", typed, part, st.message);
}

static void a_near_name_is_suggested(void **state) {
    (void)state;
    suggest("lits", "did you mean 'list'?");
    suggest("fused-atention", "did you mean 'fused-attention'?");
    suggest("FLASH_ATENTION", "'fused-attention'");
    suggest("rotery", "'rope'");
    suggest("delta", "'gated-delta-net'");
    suggest("Quantization", "'milestones Quantization'");
    suggest("roep", "'rope'");
}

static void a_far_name_is_not_guessed(void **state) {
    (void)state;
    suggest("zzzz", "; `fak sota list` shows all");
    suggest("", "; `fak sota list` shows all");
    char longest[600];
    memset(longest, 'q', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    suggest(longest, "there is no operation");
}

/* --- search --- */

static size_t search(struct search_hit *hits, size_t room, bool any, const char *a, const char *b) {
    const char *words[] = {a, b};
    return search_matrix(&matrix, words, b ? 2 : 1, any, hits, room);
}

static void a_name_counts_more_than_the_fine_print(void **state) {
    (void)state;
    struct search_hit hits[4];
    assert_int_equal(search(hits, 4, false, "awq", NULL), 2);
    assert_ptr_equal(hits[0].op, &ops[0]);
    assert_string_equal(hits[0].field, "slug");
    assert_ptr_equal(hits[1].rung, &rungs[1]);
    assert_int_equal(search(hits, 4, false, "marlin", NULL), 2);
    assert_ptr_equal(hits[0].op, &ops[0]);
    assert_string_equal(hits[0].field, "reference");
}

static void every_word_has_to_be_there_unless_any_will_do(void **state) {
    (void)state;
    struct search_hit hits[8];
    assert_int_equal(search(hits, 8, false, "marlin", "PIPELINE"), 1);
    assert_int_equal(search(hits, 8, false, "marlin", "rotary"), 0);
    assert_int_equal(search(hits, 8, true, "marlin", "rotary"), 3);
    assert_int_equal(search(hits, 8, false, "nothing-of-the-kind", NULL), 0);
    assert_int_equal(search(hits, 8, false, "", NULL), 0);
}

static void whole_words_come_before_parts(void **state) {
    (void)state;
    struct search_hit hits[4];
    assert_int_equal(search(hits, 4, false, "gem", NULL), 1);
    int part = hits[0].score;
    assert_int_equal(search(hits, 4, false, "gemm", NULL), 1);
    assert_true(hits[0].score > part);
}

static void branches_are_searched_and_room_is_respected(void **state) {
    (void)state;
    struct search_hit hits[1];
    assert_int_equal(search(hits, 1, false, "spqr", NULL), 1);
    assert_ptr_equal(hits[0].rung, &branches[0]);
    assert_int_equal(search(hits, 1, false, "attention", NULL), 1);
    assert_int_equal(search(hits, 1, true, "marlin", "medusa"), 3);
    assert_int_equal(search(NULL, 0, true, "marlin", "medusa"), 3);
}

/* --- gaps --- */

static void gaps_are_in_the_order_of_the_work(void **state) {
    (void)state;
    struct gap gaps[16];
    const struct {
        enum gap_kind kind;
        const struct op *op;
    } wanted[] = {
        {GAP_NO_WITNESS, &ops[3]},   {GAP_NO_TEST, &ops[0]}, {GAP_NO_ACCEPTANCE, &ops[0]},
        {GAP_NOT_MEASURED, &ops[0]}, {GAP_NO_PATH, &ops[0]}, {GAP_PLANNED, &ops[2]},
    };
    size_t n = sizeof wanted / sizeof *wanted;
    assert_int_equal(gaps_find(&matrix, NULL, gaps, 16), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(gaps[i].kind, wanted[i].kind);
        assert_ptr_equal(gaps[i].op, wanted[i].op);
    }
    assert_ptr_equal(gaps[1].witness, &witnesses[0]);
    assert_null(gaps[0].witness);
}

static void a_shipped_row_with_measured_lanes_has_no_gap(void **state) {
    (void)state;
    assert_int_equal(gaps_find(&matrix, &ops[1], NULL, 0), 0);
    assert_int_equal(gaps_find(&matrix, &ops[2], NULL, 0), 1);
    assert_true(gaps_no_file(&matrix, &ops[0]));
    assert_false(gaps_no_file(&matrix, &ops[1]));
}

/* --- ladders --- */

static void a_ladder_tells_where_we_stand_and_what_is_next(void **state) {
    (void)state;
    assert_ptr_equal(ladder_current(&matrix, &ladders[0]), &rungs[1]);
    assert_ptr_equal(ladder_next(&matrix, &ladders[0]), &rungs[2]);
    assert_null(ladder_current(&matrix, &ladders[1]));
    assert_ptr_equal(ladder_next(&matrix, &ladders[1]), &rungs[3]);
    struct ladder top = ladders[0];
    top.fak_rung = 2;
    assert_null(ladder_next(&matrix, &top));
}

static void a_ladder_as_text_marks_both_rungs_and_fits(void **state) {
    (void)state;
    struct term term = {.width = 60};
    struct str out = {0};
    ladder_text(&out, &term, &matrix, &ladders[0]);
    assert_non_null(strstr(str_c(&out), "  => L1   AWQ (2023)"));
    assert_non_null(strstr(str_c(&out), "  -> L2   Marlin (2024)"));
    assert_non_null(strstr(str_c(&out), "+ SpQR (2023): sparse outliers"));
    assert_null(strchr(str_c(&out), '\033'));
    struct view line, rest = {out.at, out.n};
    while (view_line(&line, &rest)) assert_true(line.n <= 60);
    str_free(&out);
}

static void a_bar_does_not_break_a_markdown_table(void **state) {
    (void)state;
    struct str out = {0};
    ladder_markdown(&out, &matrix, &ladders[0]);
    assert_non_null(strstr(str_c(&out), "fused \\| fast"));
    str_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_that_cannot_be_meant_is_told),
        cmocka_unit_test(a_star_stays_within_one_folder),
        cmocka_unit_test(two_stars_cross_folders),
        cmocka_unit_test(a_folder_matches_what_is_below),
        cmocka_unit_test(sets_and_escapes),
        cmocka_unit_test(characters_are_utf8_and_bad_bytes_are_bytes),
        cmocka_unit_test(globs_agree_with_the_plain_definition),
        cmocka_unit_test(hostile_patterns_take_bounded_time),
        cmocka_unit_test(names_are_found_however_they_are_typed),
        cmocka_unit_test(the_primary_reference_is_found),
        cmocka_unit_test(a_path_gives_its_operations_in_order_with_the_row_that_says_most),
        cmocka_unit_test(a_folder_gives_what_may_lie_below),
        cmocka_unit_test(a_generated_file_belongs_to_the_row_that_generates_it),
        cmocka_unit_test(more_matches_than_room_are_counted),
        cmocka_unit_test(a_kernel_gives_its_operation_with_and_without_namespace),
        cmocka_unit_test(a_path_is_tidied_by_its_text),
        cmocka_unit_test(a_near_name_is_suggested),
        cmocka_unit_test(a_far_name_is_not_guessed),
        cmocka_unit_test(a_name_counts_more_than_the_fine_print),
        cmocka_unit_test(every_word_has_to_be_there_unless_any_will_do),
        cmocka_unit_test(whole_words_come_before_parts),
        cmocka_unit_test(branches_are_searched_and_room_is_respected),
        cmocka_unit_test(gaps_are_in_the_order_of_the_work),
        cmocka_unit_test(a_shipped_row_with_measured_lanes_has_no_gap),
        cmocka_unit_test(a_ladder_tells_where_we_stand_and_what_is_next),
        cmocka_unit_test(a_ladder_as_text_marks_both_rungs_and_fits),
        cmocka_unit_test(a_bar_does_not_break_a_markdown_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
