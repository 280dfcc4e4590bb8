/* base: what every room stands on. */
#include "base/arena.h"
#include "base/base64.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json/jsonraw.h"
#include "base/jsonout.h"
#include "base/markdown.h"
#include "base/str.h"
#include "base/term.h"
#include "base/utf8.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void arena_refuses_an_overflowing_product(void **state) {
    (void)state;
    struct arena arena = {0};
    struct status st = {0};
    assert_null(arena_alloc(&arena, SIZE_MAX / 2, 3, &st));
    assert_int_equal(st.code, STATUS_NO_MEMORY);
    assert_null(arena_alloc(&arena, SIZE_MAX - 4, 1, &st));
    arena_release(&arena);
}

static void arena_memory_is_zeroed_and_aligned(void **state) {
    (void)state;
    struct arena arena = {0};
    for (int i = 0; i < 1000; i++) {
        unsigned char *at = arena_alloc(&arena, 1, 333, NULL);
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % 16, 0);
        for (int j = 0; j < 333; j++) assert_int_equal(at[j], 0);
        memset(at, 0xEE, 333);
    }
    arena_release(&arena);
}

static void view_line_keeps_the_last_line_without_newline(void **state) {
    (void)state;
    struct view line, rest = view_of("a\n\nb");
    assert_true(view_line(&line, &rest) && view_is(line, "a"));
    assert_true(view_line(&line, &rest) && view_is(line, ""));
    assert_true(view_line(&line, &rest) && view_is(line, "b"));
    assert_false(view_line(&line, &rest));
}

static void view_shown_is_short_and_printable(void **state) {
    (void)state;
    char out[VIEW_SHOWN], longer[70];
    memset(longer, 'x', sizeof longer);
    assert_string_equal(view_shown(out, (struct view){"a\x1b[2J\xc3\xa9\0b", 9}), "a?[2J???b");
    assert_string_equal(view_shown(out, (struct view){0}), "");
    assert_int_equal(strlen(view_shown(out, (struct view){longer, 64})), 64);
    assert_string_equal(view_shown(out, (struct view){longer, 65}) + 62, "xx...");
}

static void json_escapes_what_json_must(void **state) {
    (void)state;
    struct str out = {0};
    struct jsonout j;
    jsonout_init(&j, &out, 0);
    jsonout_begin_object(&j);
    jsonout_key(&j, "k\"");
    jsonout_view(&j, (struct view){"a\0\x01\xff\xc3\xa9\xe2\x82", 8});
    jsonout_pair_double(&j, "x", 0.1);
    jsonout_pair_double(&j, "nan", NAN);
    jsonout_key(&j, "list");
    jsonout_begin_array(&j);
    jsonout_int(&j, INT64_MIN);
    jsonout_end_array(&j);
    jsonout_end_object(&j);
    assert_string_equal(out.at, "{\"k\\\"\":\"a\\u0000\\u0001\\ufffd\xc3\xa9\\ufffd\",\"x\":0.1,\"nan\":null,"
                                "\"list\":[-9223372036854775808]}");
    str_free(&out);
}

static void utf8_follows_table_3_7(void **state) {
    (void)state;
    assert_int_equal(utf8_valid_length("\xc0\x80", 2), 0);         /* overlong */
    assert_int_equal(utf8_valid_length("\xed\xa0\x80", 3), 0);     /* surrogate */
    assert_int_equal(utf8_valid_length("\xf4\x90\x80\x80", 4), 0); /* above U+10FFFF */
    assert_int_equal(utf8_valid_length("\xf0\x9f\x99\x82", 4), 4);
    assert_int_equal(utf8_maximal_ill_formed("\xf0\x9f\x99x", 4), 3);
    assert_int_equal(utf8_maximal_ill_formed("\xe4\xbd\xe5", 3), 2);
    assert_int_equal(utf8_cut_tail("ab\xf0\x9f\x99", 5), 3);
    assert_int_equal(utf8_cut_tail("ab\xf0\x9f\x99\x82", 6), 0);
    assert_int_equal(utf8_cut_tail("\xed\xa0", 2), 0);
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        if (c >= 0xD800 && c < 0xE000) continue;
        char bytes[4];
        size_t n = utf8_encode(bytes, c), back;
        assert_int_equal(utf8_decode(bytes, n, &back), c);
        assert_int_equal(back, n);
    }
}

static void sha256_of_abc_is_the_published_one(void **state) {
    (void)state;
    char hex[HASH_HEX];
    hash_sha256(hex, "abc", 3); /* FIPS 180-2, appendix B.1 */
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static mode_t type_of(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 ? info.st_mode & S_IFMT : 0;
}

/* root that writes to /dev/null must not turn it into a file */
static void only_files_are_replaced(void **state) {
    (void)state;
    char dir[] = "/tmp/fak-test-XXXXXX", got[4] = "";
    struct str text = {0};
    struct status st;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_true(file_replace("pipe", "abc", 3, &st));
    assert_int_equal(read(reader, got, sizeof got), 3);
    assert_string_equal(got, "abc");
    assert_true(type_of("pipe") == S_IFIFO);
    close(reader);

    assert_true(file_replace("file", "old", 3, &st));
    assert_int_equal(symlink("file", "link"), 0);
    assert_int_equal(chmod("file", 0640), 0);
    assert_true(file_replace("link", "new", 3, &st) && file_read(&text, "file", 10, &st));
    struct stat info;
    assert_int_equal(stat("file", &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    assert_string_equal(text.at, "new");
    assert_true(type_of("link") == S_IFLNK && type_of("file") == S_IFREG);
    str_free(&text);

    assert_false(file_replace(dir, "abc", 3, &st));
    assert_non_null(strstr(st.message, "Is a directory"));
    assert_true(unlink("pipe") == 0 && unlink("link") == 0 && unlink("file") == 0);
    assert_true(chdir("/") == 0 && rmdir(dir) == 0); /* nothing else was left there */
}

static void no_colour_when_asked_or_piped(void **state) {
    (void)state;
    assert_true(term_decide(true, NULL, "xterm", 80).colour);
    assert_true(term_decide(true, "", "xterm", 80).colour);
    assert_false(term_decide(true, "1", "xterm", 80).colour);
    assert_false(term_decide(false, NULL, "xterm", 80).colour);
    assert_false(term_decide(true, NULL, "dumb", 80).colour);
}

static void what_steers_a_terminal_is_shown(void **state) {
    (void)state;
    struct str out = {0};
    term_safe(&out, "a\033[31m\x7f\n\xc2\x9b\xe9 caf\xc3\xa9 \xe2\x82");
    assert_string_equal(str_c(&out), "a\\x1b[31m\\x7f\\x0a\\xc2\\x9b\\xe9 caf\xc3\xa9 \\xe2\\x82");
    str_free(&out);
}

static void a_line_of_a_text_stays_a_line(void **state) {
    (void)state;
    const struct term term = {.width = 12};
    struct str out = {0};
    term_fold(&out, &term, 2, "aa bb cc dd\nee\n\nff");
    assert_string_equal(str_c(&out), "aa bb cc\n  dd\n  ee\n  ff\n");
    str_clear(&out);
    markdown_paragraphs(&out, "a_b\nc");
    assert_string_equal(str_c(&out), "a\\_b\n\nc\n\n");
    str_free(&out);
}

static void code_in_markdown_is_fenced_by_more_than_it_holds(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"a", "`a`"}, {"a`b", "`` a`b ``"}, {"``a", "``` ``a ```"}, {"a|b", "`a\\|b`"}};
    struct str out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str_clear(&out);
        markdown_code(&out, cases[i][0]);
        assert_string_equal(str_c(&out), cases[i][1]);
    }
    str_free(&out);
}

static void base64_goes_there_and_back(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                                           {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe\xfd", "//79"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct str text = {0}, back = {0};
        base64_encode(&text, view_of(pairs[i][0]));
        assert_string_equal(str_c(&text), pairs[i][1]);
        assert_true(base64_decode(&back, view_of(pairs[i][1])));
        assert_string_equal(str_c(&back), pairs[i][0]);
        str_free(&text), str_free(&back);
    }
    static const char *const bad[] = {"Z", "Zg=", "Zh==", "Z===", "Zm9v*", "Zg==Zg==", "Zm 9v"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct str back = {0};
        bool decoded = base64_decode(&back, view_of(bad[i]));
        str_free(&back);
        if (i != 1) assert_false(decoded); /* padding may be missing, in part, too */
    }
}

static void members_are_found_unread(void **state) {
    (void)state;
    struct view object =
        view_of(" {\"a\": [1, {\"b\": \"}\"}], \"c\":12345678901234567890123,\"d\" : \"x\\\"y\", \"a\": {}}");
    assert_true(view_is(jsonraw_member(object, "c"), "12345678901234567890123"));
    assert_true(view_is(jsonraw_member(object, "d"), "\"x\\\"y\""));
    assert_true(view_is(jsonraw_member(object, "a"), "{}"));
    assert_int_equal(jsonraw_member(object, "b").n, 0);
    static const struct {
        const char *text;
        bool whole;
    } cases[] = {{"{}", true},           {" { } ", true}, {"{\"a\":1}", true}, {"{\"a\":1,}", false},
                 {"{\"a\"}", false},     {"", false},     {"[1]", false},      {"{\"a\":1", false},
                 {"{\"a\":1} x", false}, {"{\"a", false}, {"{", false},        {"{\"a\":}", false},
                 {"{\"a\":[", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view name, value, text = view_of(cases[i].text);
        size_t at = 0;
        while (jsonraw_next(&name, &value, text, &at)) continue;
        if (jsonraw_ended(text, at) != cases[i].whole) fail_msg("%s", cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_steers_a_terminal_is_shown),
        cmocka_unit_test(a_line_of_a_text_stays_a_line),
        cmocka_unit_test(code_in_markdown_is_fenced_by_more_than_it_holds),
        cmocka_unit_test(arena_refuses_an_overflowing_product),
        cmocka_unit_test(arena_memory_is_zeroed_and_aligned),
        cmocka_unit_test(view_line_keeps_the_last_line_without_newline),
        cmocka_unit_test(view_shown_is_short_and_printable),
        cmocka_unit_test(json_escapes_what_json_must),
        cmocka_unit_test(utf8_follows_table_3_7),
        cmocka_unit_test(base64_goes_there_and_back),
        cmocka_unit_test(members_are_found_unread),
        cmocka_unit_test(sha256_of_abc_is_the_published_one),
        cmocka_unit_test(only_files_are_replaced),
        cmocka_unit_test(no_colour_when_asked_or_piped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
