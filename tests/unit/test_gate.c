/* gate: findings, stamps, what is silent, and how it is shown. */
#include "hooks/gate/advice.h"
#include "hooks/gate/code.h"
#include "hooks/gate/gate_priorart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct op_path paths[] = {
    {.op = "fused-attention", .glob = "k/*/attention*.c", .role = PATH_KERNEL, .generates = ""},
    {.op = "gemm-q4", .glob = "k/*/q4*.cu", .role = PATH_KERNEL, .generates = "k/gen/q4_inst_*.cu"},
    {.op = "gemm-q4", .glob = "k/gen/**", .role = PATH_KERNEL, .generates = ""},
    {.op = "rope", .glob = "k/*/rope*.c", .role = PATH_KERNEL, .generates = ""},
    {.op = "rope", .glob = "k/all/**", .role = PATH_KERNEL, .generates = ""},
};
static const struct reference references[] = {
    {.op = "fused-attention",
     .name = "FlashInfer",
     .url = "https://github.com/flashinfer-ai/flashinfer/tree/main",
     .kind = REFERENCE_PRIMARY,
     .note = "",
     .checked_on = ""},
    {.op = "gemm-q4",
     .name = "it's Marlin",
     .url = "https://arxiv.org/abs/2408.11743",
     .kind = REFERENCE_DOCS,
     .note = "",
     .checked_on = ""},
};
static const struct witness witnesses[] = {
    {.op = "fused-attention",
     .device = "cuda",
     .floor_name = "cudaFlashAttnCosineMin",
     .metric = "cosine",
     .floor = 0.999,
     .state = FLOOR_RECORDED,
     .test = "",
     .acceptance = ""},
};
#define OP_TEXTS                                                                                             \
    .aliases = "", .summary = "", .route_note = "", .oracle = "the oracle", .bottleneck = "bandwidth",       \
    .selection = "", .plan = "", .axis = ""
static const struct op ops[] = {
    {.slug = "fused-attention",
     .title = "Fused attention",
     .route = ROUTE_BORROW,
     .paths = {0, 1},
     .references = {0, 1},
     .witnesses = {0, 1},
     OP_TEXTS},
    {.slug = "gemm-q4",
     .title = "GEMM Q4",
     .route = ROUTE_BIND,
     .paths = {1, 2},
     .references = {1, 1},
     OP_TEXTS},
    {.slug = "rope", .title = "Rotary embedding", .paths = {3, 2}, .references = {2, 0}, OP_TEXTS},
};
static const struct matrix matrix = {
    .ops = ops,
    .n_ops = 3,
    .paths = paths,
    .n_paths = 5,
    .references = references,
    .n_references = 2,
    .witnesses = witnesses,
    .n_witnesses = 1,
    .source = "test",
};
static const struct trailer_rules rules = {"#", ":"};

static struct arena arena;
static int reset(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

static struct gate_report judge(const char *const *names, const char *message) {
    struct change_list list = {0};
    struct gate_report report;
    struct status st;
    for (; *names; names++) {
        struct change change = {.path = *names, .status = 'M', .old_mode = 0100644, .new_mode = 0100644};
        assert_true(change_add(&list, &change, strlen(*names), &arena, &st));
    }
    struct view text = view_of(message);
    assert_true(gate_priorart(&report, &matrix, &list, message ? &text : NULL, &rules, &arena, &st));
    return report;
}
#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void one_finding_per_operation_sorted(void **state) {
    (void)state;
    struct gate_report report =
        judge(PATHS("k/x/rope.c", "k/b/attention_2.c", "k/a/attention.c", "k/all/q4.cu"), NULL);
    assert_int_equal(report.n, 3);
    assert_string_equal(report.findings[0].op->slug, "fused-attention");
    assert_int_equal(report.findings[0].n_hits, 2);
    assert_string_equal(report.findings[0].hits[0].change->path, "k/a/attention.c");
    assert_string_equal(report.findings[0].hits[0].row->glob, "k/*/attention*.c");
    assert_string_equal(report.findings[0].trailer,
                        "Prior-art: fused-attention; FlashInfer (flashinfer-ai/flashinfer)");
    assert_string_equal(report.findings[1].op->slug, "gemm-q4");
    assert_string_equal(report.findings[1].trailer, "Prior-art: gemm-q4; it's Marlin");
    assert_string_equal(report.findings[2].trailer, "Prior-art: rope");
    assert_int_equal(report.findings[2].n_hits, 2);
    assert_string_equal(report.trailer, "Prior-art: fused-attention, gemm-q4, rope; "
                                        "FlashInfer (flashinfer-ai/flashinfer), it's Marlin");
}

static void tests_documents_and_generated_files_are_silent(void **state) {
    (void)state;
    assert_int_equal(judge(PATHS("README", "k/attention.c", "k/x/y/attention.c"), NULL).n, 0);
    assert_int_equal(judge(PATHS("k/tests/attention.c", "k/docs/attention.c", "k/all/rope.md"), NULL).n, 0);
    assert_int_equal(judge(PATHS("k/all/test_rope.c", "k/all/rope_test.cu"), NULL).n, 0);
    assert_int_equal(judge(PATHS("k/gen/q4_inst_1.cu"), NULL).n, 0);
    assert_int_equal(judge(PATHS("k/gen/make_q4.c"), NULL).n, 1);
    assert_int_equal(judge(PATHS("k/all/latest.c", "k/all/contest/a.c"), NULL).n, 1);
}

static struct stamp stamp_of(const char *message) { return judge(PATHS("k/a/attention.c"), message).stamp; }

static void expect_stamp(const char *message, enum stamp_state want, const char *part) {
    struct stamp stamp = stamp_of(message);
    if (stamp.state != want || (part && !strstr(stamp.problem, part)))
        fail_msg("state %d, wanted %d: '%s' lacks '%s'\n%s", stamp.state, want, stamp.problem,
                 part ? part : "", message);
}

static void a_valid_trailer_is_free_text_or_a_touched_operation(void **state) {
    (void)state;
    expect_stamp("s\n\nPrior-art: fused-attention\n", STAMP_VALID, NULL);
    expect_stamp("s\n\nprior-ART: Fused_Attention; FlashInfer\n", STAMP_VALID, NULL);
    expect_stamp("s\n\nPrior-art: rope, fused-attention: read both\n", STAMP_VALID, NULL);
    expect_stamp("s\n\nPrior-art: fused-attention (FlashInfer)\n", STAMP_VALID, NULL);
    expect_stamp("s\n\nPrior-art: fused-attention - FlashInfer\n", STAMP_VALID, NULL);
    expect_stamp("s\n\nPrior-art: Marlin fused dequant-MMA (IST-DASLab/marlin)\n", STAMP_VALID, NULL);
    expect_stamp("s\n\nPrior-art: awq\n", STAMP_VALID, NULL);
    expect_stamp("s\n\nPrior-art: rope of llama.cpp, adapted\n", STAMP_VALID, NULL);
    expect_stamp("s\n\nPrior-art: rope\nPrior-art: fused-attention\n", STAMP_VALID, NULL);
}

static void a_wrong_operation_is_named(void **state) {
    (void)state;
    expect_stamp("s\n\nPrior-art: rope\n", STAMP_NEAR, "line 3 names `rope`");
    expect_stamp("s\n\nPrior-art: fused-attn\n", STAMP_NEAR,
                 "`fused-attn` is not a row of the matrix: `fused-attention`?");
    expect_stamp("s\n\nPrior-art: fused-atention; x\n", STAMP_NEAR, "`fused-attention`?");
    expect_stamp("s\n\nPrior-art:\n", STAMP_NEAR, "line 3: the trailer is empty");
}

static void near_misses_in_the_body_are_diagnosed(void **state) {
    (void)state;
    expect_stamp("s\nPrior-art: x\n", STAMP_NEAR, "line 2 is no trailer: it belongs to the subject");
    expect_stamp("s\n\nprose\nPrior-art: x\n", STAMP_NEAR, "line 4 is no trailer: it shares its paragraph");
    expect_stamp("s\n\nPrior-art: x\n\nmore\n", STAMP_NEAR,
                 "line 3 is no trailer: trailers stand in the last");
    expect_stamp("s\n\nPrior_art: x\n", STAMP_NEAR, "line 3 is no trailer: a trailer is written");
    expect_stamp("s\n\n  Prior art = x\n", STAMP_NEAR, "line 3 is no trailer: a trailer is written");
    expect_stamp("s\n\n# Prior-art: x\n", STAMP_ABSENT, NULL);
    expect_stamp("s\n\nThe prior art: none that I know\n", STAMP_ABSENT, NULL);
    expect_stamp("s\n", STAMP_ABSENT, NULL);
    expect_stamp("", STAMP_ABSENT, NULL);
}

static char *text_of(const struct gate_report *report, enum advice_moment moment) {
    struct str out = {0};
    struct term term = term_decide(false, NULL, NULL, 0);
    advice_text(&out, &term, &matrix, report, moment);
    return out.at ? out.at : strdup("");
}

static bool ends_with(const char *text, const char *end) { return view_ends(view_of(text), end); }

static void the_last_line_is_the_one_to_paste(void **state) {
    (void)state;
    struct gate_report report = judge(PATHS("k/a/q4.cu"), NULL);
    char *text = text_of(&report, ADVICE_COMMITTED);
    assert_true(
        ends_with(text, "\ngit commit --amend --no-edit --trailer 'Prior-art: gemm-q4; it'\\''s Marlin'\n"));
    assert_null(strchr(text, '\033'));
    free(text);
    text = text_of(&report, ADVICE_STAGED);
    assert_true(ends_with(text, "\ngit commit --trailer 'Prior-art: gemm-q4; it'\\''s Marlin'\n"));
    free(text);
    text = text_of(&report, ADVICE_MESSAGE);
    assert_true(ends_with(text, "\nPrior-art: gemm-q4; it's Marlin\n"));
    free(text);
    report = judge(PATHS("k/nothing"), NULL);
    text = text_of(&report, ADVICE_COMMITTED);
    assert_string_equal(text, "");
    free(text);
}

/* lint-staged/lint-staged#818: names that git quotes never matched. */
static void paths_of_any_bytes_match_and_are_escaped(void **state) {
    (void)state;
    static const struct {
        const char *path, *shown, *json;
    } cases[] = {
        {"k/a/attention k\xc3\xa9rnel.c", "why     k/a/attention k\xc3\xa9rnel.c matches",
         "\"path\":\"k/a/attention k\xc3\xa9rnel.c\""},
        {"k/a/attention\t\".c", "why     \"k/a/attention\\t\\\".c\" matches",
         "\"path\":\"k/a/attention\\t\\\".c\""},
        {"k/a/attention\n\\.c", "why     \"k/a/attention\\n\\\\.c\" matches",
         "\"path\":\"k/a/attention\\n\\\\.c\""},
        {"k/a/attention\xe9.c", "why     \"k/a/attention\\351.c\" matches",
         "\"path\":\"k/a/attention\\ufffd.c\""},
        {"k/a/attention\xc2\x9b.c", "why     \"k/a/attention\\302\\233.c\" matches",
         "\"path\":\"k/a/attention\xc2\x9b.c\""},
        {"k/a/attention\x1b[1m.c", "why     \"k/a/attention\\033[1m.c\" matches",
         "\"path\":\"k/a/attention\\u001b[1m.c\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gate_report report = judge(PATHS(cases[i].path), NULL);
        char *text = text_of(&report, ADVICE_STAGED);
        if (!strstr(text, cases[i].shown)) fail_msg("no '%s' in\n%s", cases[i].shown, text);
        free(text);
        struct str out = {0};
        struct jsonout json;
        jsonout_init(&json, &out, 0);
        jsonout_begin_object(&json);
        advice_json(&json, &matrix, &report);
        jsonout_end_object(&json);
        if (!strstr(out.at, cases[i].json)) fail_msg("no '%s' in\n%s", cases[i].json, out.at);
        str_free(&out);
    }
}

static void expect_same(const char *path, const char *a, const char *b, bool want) {
    bool same;
    struct status st;
    assert_true(code_same(&same, path, view_of(a), view_of(b), &st));
    if (same != want)
        fail_msg("%s: %s, wanted %s\n%s\n--\n%s", path, same ? "same" : "different",
                 want ? "same" : "different", a, b);
    assert_true(code_same(&same, path, view_of(b), view_of(a), &st));
    assert_int_equal(same, want);
}

static void comments_and_blanks_in_c_say_nothing(void **state) {
    (void)state;
    expect_same("a.cu", "int f(int a) { return a; }\n",
                "/* doc */\nint f( int a )\n{\n\treturn a; // why\n}\n\n", true);
    expect_same("a.c", "int a; // x \\\n int b;\nint c;\n", "int a;\nint c;\n", true);
    expect_same("a.c", "#define F(x) x\nint a;\n", "\n#define F(x)  x  // note\r\n\r\nint a;\r\n", true);
    expect_same("a.c", "int a/**/b;", "int a b;", true);
    expect_same("a.cpp", "x = 1'000; // '\n", "x = 1'000;\n", true);
}

static void code_in_c_is_never_taken_for_a_comment(void **state) {
    (void)state;
    expect_same("a.c", "int a = 1;", "int a = 2;", false);
    expect_same("a.c", "s = \"// a\";", "s = \"// b\";", false);
    expect_same("a.c", "s = \"a b\";", "s = \"a  b\";", false);
    expect_same("a.c", "s = \"\\\"/*\"; x(); /* */", "s = \"\\\"/*\"; y(); /* */", false);
    expect_same("a.c", "c = '\"'; x(); // \"", "c = '\"'; y(); // \"", false);
    expect_same("a.c", "#define F (x)\n", "#define F(x)\n", false);
    expect_same("a.c", "#define A \\\n 1\nint b;", "#define A\n 1\nint b;", false);
    expect_same("a.c", "#if A\nint a;\n#endif\n", "#if A int a;\n#endif\n", false);
    expect_same("a.c", "a + +b", "a ++b", false);
    expect_same("a.c", "int ab;", "int a b;", false);
    expect_same("a.c", "a = b /*c;", "a = b /*c; */ + d;", false);
    expect_same("a.cpp", "s = R\"x(/* )\" a)x\"; f(); /**/", "s = R\"x(/* )\" a)x\"; g(); /**/", false);
    expect_same("a.cpp", "x = 1'0; s = \"'//a\"; f();", "x = 1'0; s = \"'//a\"; g();", false);
    expect_same("a.c", "a; // b ?", "a; b", false);
    expect_same("a.c", "a\n#define B 1\nc\n", "a\n/* x */ #define B 1\nc\n", true);
    expect_same("a.c", "a\n/*\n*/ #if B\nc\n#endif\n", "a\n/* */ #if B c\n#endif\n", false);
    expect_same("a.c", "a \\\n# b\nc\n", "a # b c\n", true); /* no directive: its line began with a */
}

static void other_languages_are_judged_by_their_own_rules(void **state) {
    (void)state;
    expect_same("a.py", "def f():\n    return 1  # x\n", "# doc\ndef f():\n\n    return 1\n", true);
    expect_same("a.py", "if a:\n    b\nc\n", "if a:\n    b\n    c\n", false);
    expect_same("a.py", "s = '# a'\n", "s = '# b'\n", false);
    expect_same("a.py", "s = \"\"\"a\n# b\n\"\"\"\n", "s = \"\"\"a\n# c\n\"\"\"\n", false);
    expect_same("a.jinja", "a\n\nb  \r\n", "a\nb\n", true);
    expect_same("a.jinja", "a // x\n", "a // y\n", false);
    expect_same("a.py", "", "\n\n", true);
    expect_same("a.c", "", "x", false);
}

/* Every file that the scanner looks into, by the comments of its own language. */
static void the_scanners_languages_have_comments(void **state) {
    (void)state;
    static const char *const like_c[] = {"a.hh",  "a.tpp", "a.clh",  "a.hlsli",
                                         "a.cuh", "a.ptx", "a.wgsl", "a.mm"};
    for (size_t i = 0; i < sizeof like_c / sizeof *like_c; i++) {
        expect_same(like_c[i], "int a;\n", "/* x */ int a; // y\n", true);
        expect_same(like_c[i], "int a;\n", "int b;\n", false);
    }
    expect_same("a.wgsl", "/* a /* b */ c */ fn f() {}\n", "/* a /* b */ d */ fn f() {}\n", true);
    expect_same("a.wgsl", "/* a /* b */ */ f();\n", "/* a /* b */ */ g();\n", false);
    expect_same("a.wgsl", "// a \\\nf();\n", "// a \\\ng();\n", false);
    expect_same("a.cu", "/* a /* b */ f();\n", "/* a /* b */ g();\n", false);
    expect_same("a.cu.jinja", "a // x\n", "a // y\n", false);
    expect_same("a.S", "\tmov x0, #1 // x\n", "  mov  x0, #1\n\n/* y\n z */\n", true);
    expect_same("a.S", "mov x0, #1\n", "mov x0, #2\n", false);
    expect_same("a.S", "#define A 1\n", "#define A 2\n", false);
    expect_same("a.S", "// a \\\n b\nc\n", "// a \\\n d\nc\n", true);
    expect_same("a.s", "// a \\\n b\nc\n", "// a \\\n d\nc\n", false);
    expect_same("a.s", "# a\nnop\n", "\t# b\nnop\n", true);
    expect_same("a.s", "nop\nnop\n", "nop nop\n", false);
    expect_same("a.s", ".ascii \"// a\"\n", ".ascii \"// b\"\n", false);
    expect_same("a.s", "mov $'\", a // \"x\n", "mov $'\", a // \"y\n", true);
    expect_same("a.s", "a ; b\n", "a ; c\n", false);
    expect_same("a.asm", "mov a, b ; x\n", "mov a, b\n; y\n", true);
    expect_same("a.asm", "db \"\\\", '; a', 1\n", "db \"\\\", '; b', 1\n", false);
    expect_same("a.asm", "dd 7//2\n", "dd 7//3\n", false);
}

/* Only what differs is scanned: where that begins and ends must not show. */
static void what_is_common_has_its_say(void **state) {
    (void)state;
    expect_same("a.c", "int f; }\n# {x }\n", "int f; }# {x }\n", false); /* a directive starts its line */
    expect_same("a.c", "/* a\n b */ int x;\n", "/* a\n c */ int x;\n", true);
    expect_same("a.c", "int a; /*\nint b;\n*/ int c;\n", "int a; /*\nint d;\n*/ int c;\n", true);
    expect_same("a.c", "int a;\nint b;\n*/ int c;\n", "int a; /*\nint b;\n*/ int c;\n", false);
    expect_same("a.c", "#define a \\\n b\nint c;\n", "#define a\n b\nint c;\n", false);
    expect_same("a.c", "s = R\"(\n// a\n)\";\n", "s = R\"(\n// b\n)\";\n", false);
    expect_same("a.c", "s = R\"(\n// a\n", "s = R\"(\n// b\n", true); /* never closed: two strings */
    expect_same("a.c", "x = 1'000;\ny = 'a';\n", "x = 1'000;\ny = 'b';\n", false);
    expect_same("a.py", "'''\n# a\n'''\n# b\n", "'''\n# a\n'''\n# c\n", true);
    expect_same("a.py", "'''\n# a\n'''\n# b\n", "'''\n# d\n'''\n# b\n", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(one_finding_per_operation_sorted, reset),
        cmocka_unit_test_teardown(tests_documents_and_generated_files_are_silent, reset),
        cmocka_unit_test_teardown(a_valid_trailer_is_free_text_or_a_touched_operation, reset),
        cmocka_unit_test_teardown(a_wrong_operation_is_named, reset),
        cmocka_unit_test_teardown(near_misses_in_the_body_are_diagnosed, reset),
        cmocka_unit_test_teardown(the_last_line_is_the_one_to_paste, reset),
        cmocka_unit_test_teardown(paths_of_any_bytes_match_and_are_escaped, reset),
        cmocka_unit_test(comments_and_blanks_in_c_say_nothing),
        cmocka_unit_test(code_in_c_is_never_taken_for_a_comment),
        cmocka_unit_test(other_languages_are_judged_by_their_own_rules),
        cmocka_unit_test(the_scanners_languages_have_comments),
        cmocka_unit_test(what_is_common_has_its_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
