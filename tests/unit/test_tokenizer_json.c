/* tokenizer_json: what a tokenizer.json may ask for, what it may not, and whose text becomes what. */
#include "engine/token/tokenizer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A byte-level BPE of a few tokens; %s: further fields. */
static const char byte_level[] =
    "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0, \"b\": 1, \"ab\": 2, \"<\": 3, \"|\": 4, \">\": "
    "5, \"x\": 6, "
    "\"[\": 7, \"]\": 8}, \"merges\": [\"a b\"]}, \"pre_tokenizer\": {\"type\": \"ByteLevel\", "
    "\"add_prefix_space\": "
    "false, \"use_regex\": true}, \"decoder\": {\"type\": \"ByteLevel\"}, \"added_tokens\": [%s]%s}";

static struct tokenizer *opened(const char *added, const char *more, struct status *st) {
    struct str json = {0};
    struct tokenizer *t = NULL;
    str_printf(&json, byte_level, added, more);
    if (!tokenizer_open_json(&t, "t.json", (struct view){json.at, json.n}, st)) assert_null(t);
    str_free(&json);
    return t;
}

static void check_ids(const struct tokenizer *t, const char *text, const char *marks, bool parse,
                      const char *want) {
    struct token_list ids = {0};
    struct str got = {0};
    struct status st;
    struct tokenizer_options options = {.parse_special = parse};
    unsigned char *bytes = marks ? calloc(strlen(text) + 1, 1) : NULL;
    for (size_t i = 0; marks && marks[i]; i++) bytes[i] = marks[i] == '^';
    assert_true(tokenizer_encode_marked(&ids, t, view_of(text), bytes, options, &st));
    for (size_t i = 0; i < ids.n; i++) str_printf(&got, "%s%d", i ? " " : "", (int)ids.ids[i]);
    assert_string_equal(str_c(&got), want);
    free(bytes);
    str_free(&got);
    token_list_free(&ids);
}

static void what_is_not_done_here_is_refused_with_its_field(void **state) {
    (void)state;
    static const struct {
        const char *more, *part;
    } cases[] = {
        {", \"normalizer\": {\"type\": \"BertNormalizer\"}",
         "'normalizer.type': 'BertNormalizer' is not one of"},
        {", \"normalizer\": 3", "'normalizer': it is no object"},
        {", \"normalizer\": {\"type\": \"Replace\", \"pattern\": {}, \"content\": \"\"}",
         "'normalizer.pattern'"},
        {", \"normalizer\": {\"type\": \"Replace\", \"pattern\": {\"Regex\": \"(\"}, \"content\": \"\"}",
         "Oniguruma refuses"},
        {", \"normalizer\": {\"type\": \"Precompiled\", \"precompiled_charsmap\": \"AAAAAAAA\"}", "charsmap"},
        {", \"normalizer\": {\"type\": \"Precompiled\", \"precompiled_charsmap\": \"?\"}", "no base64"},
        {", \"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": [{\"SpecialToken\": {\"id\": "
         "\"x\"}}]}",
         "special_tokens"},
        {", \"post_processor\": {\"type\": \"BertProcessing\", \"sep\": [\"a\", 0], \"cls\": [\"b\", 77]}",
         "an id that is no token"},
        {", \"post_processor\": {\"type\": \"Other\"}", "'Other' is not one of"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status st = {.message = ""};
        struct tokenizer *t = opened("", cases[i].more, &st);
        if (t || !strstr(st.message, cases[i].part)) fail_msg("%s: %s", cases[i].more, st.message);
        assert_non_null(strstr(st.message, "t.json"));
    }
}

static void broken_models_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *json, *part;
    } cases[] = {
        {"", "byte 0"},
        {"[]", "model"},
        {"{}", "'model': it is no object"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {}, \"merges\": []}}", "'model.vocab': it is empty"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": -1}, \"merges\": []}}", "no whole number"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 2000000000}, \"merges\": []}}",
         "no whole number"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [\"a b\"]}}",
         "merge 0: its halves"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [\"ab\"]}}",
         "merge 0: it is not two"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": 3}}", "no array"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [], \"dropout\": 0.1}}",
         "by chance"},
        {"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [], \"end_of_word_suffix\": "
         "\"</w>\"}}",
         "affix"},
        {"{\"model\": {\"type\": \"Unigram\", \"vocab\": [[\"a\"]]}}", "pair"},
        {"{\"model\": {\"type\": \"Unigram\", \"vocab\": [[\"a\", 1]], \"unk_id\": 4}}", "unk_id"},
        {"{\"model\": {\"type\": \"WordLevel\", \"vocab\": {\"a\": 0}}}", "'WordLevel' is not one of"},
        {"{\"added_tokens\": [{\"id\": 0}], \"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, "
         "\"merges\": []}}",
         "added_tokens[].content"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status st = {.message = ""};
        struct tokenizer *t;
        if (tokenizer_open_json(&t, "t.json", view_of(cases[i].json), &st) ||
            !strstr(st.message, cases[i].part))
            fail_msg("%s: %s", cases[i].json, st.message);
    }
}

/* Special or user-defined: what frames a chat is no user's to write. Words and blanks are. */
static void a_users_text_holds_no_frames(void **state) {
    (void)state;
    struct status st;
    struct tokenizer *t = opened("{\"id\": 20, \"content\": \"<|x|>\", \"special\": true},"
                                 "{\"id\": 21, \"content\": \"[x]\", \"special\": false},"
                                 "{\"id\": 22, \"content\": \"xx\", \"special\": false}",
                                 "", &st);
    assert_non_null(t);
    check_ids(t, "a<|x|>[x]xx", NULL, true, "0 20 21 22");
    check_ids(t, "a<|x|>[x]xx", NULL, false, "0 3 4 6 4 5 21 22");
    check_ids(t, "a<|x|>[x]xx", ".^^^^^^^^^^", true, "0 3 4 6 4 5 7 6 8 22");
    check_ids(t, "a<|x|>[x]xx", "......^....", true, "0 20 7 6 8 22");
    check_ids(t, "<|x|><|x|>", "....^.....", true, "3 4 6 4 5 20");
    tokenizer_close(t);
}

/* The Kelvin sign becomes K, and the token that is looked for after normalising is found there; marks stay.
 */
static void marks_survive_normalising(void **state) {
    (void)state;
    struct status st;
    struct tokenizer *t =
        opened("{\"id\": 20, \"content\": \"<K>\", \"special\": true, \"normalized\": true}",
               ", \"normalizer\": {\"type\": \"Sequence\", \"normalizers\": [{\"type\": \"NFC\"}, {\"type\": "
               "\"Replace\", "
               "\"pattern\": {\"String\": \"b\"}, \"content\": \"aa\"}]}",
               &st);
    assert_non_null(t);
    check_ids(t, "b<\xe2\x84\xaa>a", NULL, true, "0 0 20 0");
    check_ids(t, "b<\xe2\x84\xaa>a", "^.....^", true, "0 0 20 0");
    check_ids(t, "b<\xe2\x84\xaa>a", "..^^^..", true, "0 0 3 5 0"); /* K itself has no token */
    tokenizer_close(t);
}

static void a_long_run_of_marks_is_no_trap(void **state) {
    (void)state;
    struct status st;
    struct str text = {0};
    struct token_list ids = {0};
    struct tokenizer *t = opened("", ", \"normalizer\": {\"type\": \"NFC\"}", &st);
    assert_non_null(t);
    str_putc(&text, 'a');
    for (int i = 0; i < 60000; i++) str_puts(&text, i % 2 ? "\xcc\x81" : "\xcc\xa3"); /* above and below */
    assert_true(
        tokenizer_encode(&ids, t, (struct view){text.at, text.n}, (struct tokenizer_options){0}, &st));
    tokenizer_close(t);
    token_list_free(&ids);
    str_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_done_here_is_refused_with_its_field),
        cmocka_unit_test(broken_models_are_refused),
        cmocka_unit_test(a_users_text_holds_no_frames),
        cmocka_unit_test(marks_survive_normalising),
        cmocka_unit_test(a_long_run_of_marks_is_no_trap),
    };
    return cmocka_run_group_tests_name("tokenizer.json", tests, NULL, NULL);
}
