/* tokenizer: what a vocabulary and a text may do, and what they may not. */
#include "engine/token/tokenizer.h"

#include "engine/file/gguf.h"
#include "tests/unit/made_gguf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { NORMAL = 1, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE };

/* --- vocabularies made by hand ------------------------------------------------------------------------ */

struct token {
    const char *text;
    int kind;
    float score;
};

static void add_strings(struct str *s, const char *key, const struct token *tokens, size_t n) {
    made_key(s, key, GGUF_ARRAY);
    made_number(s, GGUF_STRING, 4);
    made_number(s, n, 8);
    for (size_t i = 0; i < n; i++) made_text(s, tokens[i].text);
}

static void add_numbers(struct str *s, const char *key, enum gguf_type type, const struct token *tokens,
                        size_t n) {
    made_key(s, key, GGUF_ARRAY);
    made_number(s, type, 4);
    made_number(s, n, 8);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)tokens[i].kind;
        if (type == GGUF_F32) memcpy(&bits, &tokens[i].score, 4);
        made_number(s, bits, (int)gguf_type_bytes(type));
    }
}

static void add_u32(struct str *s, const char *key, uint32_t value) {
    made_key(s, key, GGUF_U32);
    made_number(s, value, 4);
}

static void add_string(struct str *s, const char *key, const char *value) {
    made_key(s, key, GGUF_STRING);
    made_text(s, value);
}

static void add_vocab(struct str *s, const struct token *tokens, size_t n) {
    add_strings(s, "tokenizer.ggml.tokens", tokens, n);
    add_numbers(s, "tokenizer.ggml.scores", GGUF_F32, tokens, n);
    add_numbers(s, "tokenizer.ggml.token_type", GGUF_I32, tokens, n);
}

/* A small SPM vocabulary: 3 control tokens, a few pieces, byte tokens for 'A' to 'C' only. */
static const struct token small[] = {
    {"<unk>", UNKNOWN, 0},
    {"<s>", CONTROL, 0},
    {"</s>", CONTROL, 0},
    {"\xe2\x96\x81", NORMAL, -5},
    {"a", NORMAL, -6},
    {"b", NORMAL, -7},
    {"ab", NORMAL, -2},
    {"ba", NORMAL, -1},
    {"<0x41>", BYTE, 0},
    {"<0x42>", BYTE, 0},
    {"<0x43>", BYTE, 0},
    {"<tool>", USER_DEFINED, 0},
    {"<|im_end|>", CONTROL, 0},
    {"\xe2\x96\x81"
     "a",
     NORMAL, -3},
};
enum {
    N_SMALL = sizeof small / sizeof *small,
    UNK = 0,
    BOS,
    EOS,
    SPACE,
    A,
    B,
    AB,
    BA,
    BYTE_A,
    BYTE_B,
    BYTE_C,
    TOOL,
    IM_END,
    SPACE_A
};

struct made {
    struct str bytes;
    struct gguf *file;
    struct tokenizer *t;
    struct status st;
};

/* Opens what was written; m->t is NULL when it was refused. */
static void open_made(struct made *m) {
    if (!gguf_parse(&m->file, "made.gguf", m->bytes.at, m->bytes.n, &m->st)) fail_msg("%s", m->st.message);
    bool ok = tokenizer_open_gguf(&m->t, m->file, &m->st);
    assert_int_equal(ok, m->t != NULL);
}

static void close_made(struct made *m) {
    tokenizer_close(m->t);
    gguf_close(m->file);
    str_free(&m->bytes);
    *m = (struct made){0};
}

static struct made open_small(void) {
    struct made m = {0};
    made_header(&m.bytes, 3, 0, 7);
    add_string(&m.bytes, "tokenizer.ggml.model", "llama");
    add_vocab(&m.bytes, small, N_SMALL);
    add_u32(&m.bytes, "tokenizer.ggml.bos_token_id", BOS);
    add_u32(&m.bytes, "tokenizer.ggml.eos_token_id", EOS);
    add_u32(&m.bytes, "tokenizer.ggml.unknown_token_id", UNK);
    open_made(&m);
    if (!m.t) fail_msg("%s", m.st.message);
    return m;
}

static void refused(struct made *m, const char *word, const char *word2) {
    open_made(m);
    if (m->t || !strstr(m->st.message, word) || !strstr(m->st.message, word2) ||
        !strstr(m->st.message, "made.gguf"))
        fail_msg("wanted '%s' and '%s' in: %s", word, word2, m->t ? "(accepted)" : m->st.message);
    close_made(m);
}

#define check_ids(t, text, add, parse, ...)                                                                  \
    check_ids_of((t), (struct view){text, sizeof text - 1}, add, parse, (const int32_t[]){__VA_ARGS__},      \
                 sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t))

static void check_ids_of(const struct tokenizer *t, struct view text, bool add, bool parse,
                         const int32_t *ids, size_t n) {
    struct token_list got = {0};
    struct status st = {0};
    if (!tokenizer_encode(&got, t, text, (struct tokenizer_options){add, parse}, &st))
        fail_msg("%s", st.message);
    assert_int_equal(got.n, n);
    for (size_t i = 0; i < n; i++) assert_int_equal(got.ids[i], ids[i]);
    token_list_free(&got);
}

/* --- what a file may not say --------------------------------------------------------------------------- */

static void a_file_without_a_tokenizer_is_told_so(void **state) {
    (void)state;
    struct made m = {0};
    made_header(&m.bytes, 3, 0, 0);
    refused(&m, "no 'tokenizer.ggml.model'", "no tokenizer");
    made_header(&m.bytes, 3, 0, 1);
    add_string(&m.bytes, "tokenizer.ggml.model", "llama");
    refused(&m, "tokenizer.ggml.tokens", "missing");
    made_header(&m.bytes, 3, 0, 1);
    add_string(&m.bytes, "tokenizer.ggml.model", "bert");
    refused(&m, "'bert'", "gpt2");
}

static void case_07_byte_tokens_must_name_a_byte(void **state) { /* engine.md 7: lmstudio-bug-tracker#2289 */
    (void)state;
    static const char *const names[] = {"<0x-1>", "<0x100>", "<0xGG>", "<0x>", "<0x+1>", "<0x 1>", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct token tokens[] = {{"a", NORMAL, 0}, {names[i], BYTE, 0}};
        struct made m = {0};
        made_header(&m.bytes, 3, 0, 4);
        add_string(&m.bytes, "tokenizer.ggml.model", "llama");
        add_vocab(&m.bytes, tokens, 2);
        refused(&m, "token 1", "byte token");
    }
}

static void case_02_scores_must_be_float32_and_one_a_token(void **state) { /* engine.md 2: llama.cpp#26690 */
    (void)state;
    struct made m = {0};
    made_header(&m.bytes, 3, 0, 3);
    add_string(&m.bytes, "tokenizer.ggml.model", "llama");
    add_strings(&m.bytes, "tokenizer.ggml.tokens", small, 8);
    add_numbers(&m.bytes, "tokenizer.ggml.scores", GGUF_I8, small, 8);
    refused(&m, "tokenizer.ggml.scores", "array of int8");

    made_header(&m.bytes, 3, 0, 3);
    add_string(&m.bytes, "tokenizer.ggml.model", "llama");
    add_strings(&m.bytes, "tokenizer.ggml.tokens", small, 8);
    add_numbers(&m.bytes, "tokenizer.ggml.scores", GGUF_F32, small, 7);
    refused(&m, "tokenizer.ggml.scores", "7 items for 8 tokens");

    made_header(&m.bytes, 3, 0, 2);
    add_string(&m.bytes, "tokenizer.ggml.model", "llama");
    add_strings(&m.bytes, "tokenizer.ggml.tokens", small, 8);
    refused(&m, "tokenizer.ggml.scores", "missing");

    struct token bad[] = {{"a", NORMAL, 0}, {"b", NORMAL, 0.0F / 0.0F}};
    made_header(&m.bytes, 3, 0, 4);
    add_string(&m.bytes, "tokenizer.ggml.model", "llama");
    add_vocab(&m.bytes, bad, 2);
    refused(&m, "item 1 of 'tokenizer.ggml.scores'", "not a number");
}

static void token_types_must_be_known(void **state) {
    (void)state;
    static const int kinds[] = {0, 7, -1, INT32_MIN};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct token tokens[] = {{"a", kinds[i], 0}};
        struct made m = {0};
        made_header(&m.bytes, 3, 0, 4);
        add_string(&m.bytes, "tokenizer.ggml.model", "llama");
        add_vocab(&m.bytes, tokens, 1);
        refused(&m, "token 0", "token_type");
    }
}

static void special_ids_must_be_tokens(void **state) {
    (void)state;
    static const char *const keys[] = {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id",
                                       "tokenizer.ggml.eot_token_id", "tokenizer.ggml.unknown_token_id"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct made m = {0};
        made_header(&m.bytes, 3, 0, 5);
        add_string(&m.bytes, "tokenizer.ggml.model", "llama");
        add_vocab(&m.bytes, small, N_SMALL);
        add_u32(&m.bytes, keys[i], N_SMALL);
        refused(&m, keys[i], "there are 14 tokens");
    }
}

static void add_bpe(struct str *s, const char *pre, const struct token *merges, size_t n) {
    static const struct token tokens[] = {
        {"a", NORMAL, 0}, {"b", NORMAL, 0}, {"ab", NORMAL, 0}, {"\xc4\xa0", NORMAL, 0}};
    made_header(s, 3, 0, (pre ? 3U : 2U) + (n > 0));
    add_string(s, "tokenizer.ggml.model", "gpt2");
    add_strings(s, "tokenizer.ggml.tokens", tokens, 4);
    if (pre) add_string(s, "tokenizer.ggml.pre", pre);
    if (n) add_strings(s, "tokenizer.ggml.merges", merges, n);
}

static void merges_and_pre_tokenizer_must_fit(void **state) {
    (void)state;
    struct token good = {"a b", 0, 0}, one = {"ab", 0, 0}, odd = {"b a", 0, 0},
                 wild = {"a \xe4\xb8\xad", 0, 0};
    struct made m = {0};
    add_bpe(&m.bytes, "gpt-2", &good, 1);
    open_made(&m);
    if (!m.t) fail_msg("%s", m.st.message);
    check_ids(m.t, "ab a", false, false, 2, 3, 0);
    assert_string_equal(tokenizer_kind(m.t), "byte-level BPE (gpt-2)");
    close_made(&m);
    add_bpe(&m.bytes, "gpt-2", &good, 0);
    refused(&m, "tokenizer.ggml.merges", "incomplete");
    add_bpe(&m.bytes, "gpt-2", &one, 1);
    refused(&m, "merge 0", "space");
    add_bpe(&m.bytes, "gpt-2", &odd, 1);
    refused(&m, "merge 0", "no tokens");
    add_bpe(&m.bytes, "gpt-2", &wild, 1);
    refused(&m, "merge 0", "stand for no byte");
    add_bpe(&m.bytes, "\x1b]0;own\x07", &good, 1);
    refused(&m, "pre-tokenizer '?]0;own?'", "smollm");
    add_bpe(&m.bytes, NULL, &good, 1);
    refused(&m, "tokenizer.ggml.pre", "convert");
}

static void the_malformed_vocabularies_end_in_sentences(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"vocab_byte_tok_neg", "token"}, {"vocab_scores_u8", "scores"}};
    for (int i = 0; i < 2; i++) {
        struct str path = {0};
        struct gguf *file;
        struct tokenizer *t;
        struct status st = {0};
        str_printf(&path, "tests/golden/malformed-gguf/%s.gguf", cases[i][0]);
        assert_true(gguf_open(&file, path.at, &st));
        assert_false(tokenizer_open_gguf(&t, file, &st));
        assert_null(t);
        assert_non_null(strstr(st.message, cases[i][1]));
        assert_non_null(strstr(st.message, path.at));
        gguf_close(file);
        str_free(&path);
    }
}

/* --- text to ids --------------------------------------------------------------------------------------- */

static void the_highest_score_merges_first_and_ties_leftmost(void **state) {
    (void)state;
    struct made m = open_small();
    check_ids(m.t, "aab", false, false, SPACE_A, AB);
    check_ids(m.t, "aba", false, false, SPACE_A, BA);          /* ba beats ab */
    check_ids(m.t, "bababa", false, false, SPACE, BA, BA, BA); /* three of one score */
    close_made(&m);
}

static void what_has_no_piece_becomes_bytes_or_unknown(void **state) {
    (void)state;
    struct made m = open_small();
    check_ids(m.t, "aCAB", false, false, SPACE_A, BYTE_C, BYTE_A, BYTE_B);
    check_ids(m.t, "a\xc3\xa9zb", false, false, SPACE_A, UNK, B); /* one for the run */
    close_made(&m);
}

static void only_parsed_specials_come_from_text(void **state) {
    (void)state;
    struct made m = open_small();
    check_ids(m.t, "<s>a", false, true, BOS, SPACE_A);
    check_ids(m.t, "<s>a", false, false, SPACE, UNK, A);
    check_ids(m.t, "<tool>a", false, false, TOOL, SPACE_A); /* user-defined: always */
    check_ids(m.t, "<0x41>", false, true, SPACE, UNK);      /* a byte token's name is only text */
    close_made(&m);
}

static void case_12_every_stretch_gets_its_own_space(void **state) { /* llama.cpp#4772 */
    (void)state;
    struct made m = open_small();
    check_ids(m.t, "a<s>b", false, true, SPACE_A, BOS, SPACE, B);
    check_ids(m.t, "</s> a", false, true, EOS, SPACE, SPACE_A);
    check_ids_of(m.t, view_of(""), false, true, NULL, 0);
    check_ids(m.t, "", true, true, BOS);
    close_made(&m);
}

static void case_11_the_begin_token_is_put_once(
    void **state) { /* llama.cpp#7107: the caller writes it or asks for it */
    (void)state;
    struct made m = open_small();
    check_ids(m.t, "a", true, true, BOS, SPACE_A);
    check_ids(m.t, "<s>a", false, true, BOS, SPACE_A);
    assert_true(tokenizer_adds_bos(m.t));
    assert_int_equal(tokenizer_bos(m.t), BOS);
    close_made(&m);
}

static void ill_formed_text_is_read_as_replacement_characters(void **state) {
    (void)state;
    struct made m = open_small();
    check_ids(m.t,
              "a\xff"
              "b",
              false, false, SPACE_A, UNK, B);
    check_ids(m.t, "\xe4\xbd", false, false, SPACE, UNK);
    close_made(&m);
}

static void a_failed_encoding_leaves_the_list_as_it_was(void **state) {
    (void)state;
    struct token tokens[] = {{"a", NORMAL, 0}, {"\xe2\x96\x81", NORMAL, 0}};
    struct made m = {0};
    made_header(&m.bytes, 3, 0, 4);
    add_string(&m.bytes, "tokenizer.ggml.model", "llama");
    add_vocab(&m.bytes, tokens, 2);
    open_made(&m);
    struct token_list list = {0};
    assert_true(tokenizer_encode(&list, m.t, view_of("a"), (struct tokenizer_options){true, true}, &m.st));
    assert_int_equal(list.n, 2);
    assert_false(tokenizer_encode(&list, m.t, view_of("aaz"), (struct tokenizer_options){true, true}, &m.st));
    assert_non_null(strstr(m.st.message, "0x7A"));
    assert_int_equal(list.n, 2);
    token_list_free(&list);
    close_made(&m);
}

/* A megabyte of one character is what quadratic algorithms choke on. */
static void long_texts_take_linear_time(void **state) {
    (void)state;
    static const char *const names[] = {"spm-llama-legacy", "gpt2",  "smollm",
                                        "llama3",           "gpt4o", "deepseek-llm"};
    static const char *const units[] = {"a", " ", "\n", "1", "!", " \n", "aA", "\xe4\xb8\xad", "<|"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct str path = {0}, text = {0};
        struct gguf *file;
        struct tokenizer *t;
        struct status st = {0};
        str_printf(&path, "tests/golden/tokenizers/%s/vocab.gguf", names[i]);
        assert_true(gguf_open(&file, path.at, &st) && tokenizer_open_gguf(&t, file, &st));
        for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
            struct token_list list = {0};
            str_clear(&text);
            while (text.n < 100000) str_puts(&text, units[k]);
            str_putc(&text, 'x');
            clock_t start = clock();
            assert_true(tokenizer_encode(&list, t, (struct view){text.at, text.n},
                                         (struct tokenizer_options){0}, &st));
            assert_in_range(clock() - start, 0, 2 * CLOCKS_PER_SEC); /* 0.01 s here; room for sanitizers */
            token_list_free(&list);
        }
        tokenizer_close(t);
        gguf_close(file);
        str_free(&path), str_free(&text);
    }
}

/* --- ids to text --------------------------------------------------------------------------------------- */

static void check_text(const struct tokenizer *t, const int32_t *ids, size_t n, bool keep, const char *want) {
    struct tokenizer_stream s;
    struct str out = {0};
    tokenizer_stream_begin(&s, t, keep);
    for (size_t i = 0; i < n; i++) tokenizer_stream_put(&s, ids[i], &out);
    tokenizer_stream_end(&s, &out);
    assert_string_equal(str_c(&out), want);
    str_free(&out);
}

static void specials_are_shown_only_when_kept(void **state) {
    (void)state;
    struct made m = open_small();
    int32_t ids[] = {BOS, SPACE_A, TOOL, SPACE_A, EOS, UNK};
    check_text(m.t, ids, 6, true, "<s> a<tool> a</s><unk>");
    check_text(m.t, ids, 6, false, "a<tool> a"); /* the dummy space goes with the first text */
    close_made(&m);
}

static void ids_from_nowhere_add_nothing(void **state) {
    (void)state;
    struct made m = open_small();
    int32_t ids[] = {-1, N_SMALL, INT32_MAX, INT32_MIN, A};
    check_text(m.t, ids, 5, true, "a");
    assert_int_equal(tokenizer_piece(m.t, -1).n, 0);
    assert_int_equal(tokenizer_piece(m.t, N_SMALL).n, 0);
    assert_int_equal(tokenizer_n_vocab(m.t), N_SMALL);
    close_made(&m);
}

static void ends_of_a_reply_are_known(void **state) {
    (void)state;
    struct made m = open_small();
    assert_true(tokenizer_is_end(m.t, EOS));
    assert_true(tokenizer_is_end(m.t, IM_END)); /* by its name */
    assert_false(tokenizer_is_end(m.t, BOS));
    assert_false(tokenizer_is_end(m.t, -1));
    close_made(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_without_a_tokenizer_is_told_so),
        cmocka_unit_test(case_07_byte_tokens_must_name_a_byte),
        cmocka_unit_test(case_02_scores_must_be_float32_and_one_a_token),
        cmocka_unit_test(token_types_must_be_known),
        cmocka_unit_test(special_ids_must_be_tokens),
        cmocka_unit_test(merges_and_pre_tokenizer_must_fit),
        cmocka_unit_test(the_malformed_vocabularies_end_in_sentences),
        cmocka_unit_test(the_highest_score_merges_first_and_ties_leftmost),
        cmocka_unit_test(what_has_no_piece_becomes_bytes_or_unknown),
        cmocka_unit_test(only_parsed_specials_come_from_text),
        cmocka_unit_test(case_12_every_stretch_gets_its_own_space),
        cmocka_unit_test(case_11_the_begin_token_is_put_once),
        cmocka_unit_test(ill_formed_text_is_read_as_replacement_characters),
        cmocka_unit_test(a_failed_encoding_leaves_the_list_as_it_was),
        cmocka_unit_test(long_texts_take_linear_time),
        cmocka_unit_test(specials_are_shown_only_when_kept),
        cmocka_unit_test(ids_from_nowhere_add_nothing),
        cmocka_unit_test(ends_of_a_reply_are_known),
    };
    return cmocka_run_group_tests_name("tokenizer", tests, NULL, NULL);
}
