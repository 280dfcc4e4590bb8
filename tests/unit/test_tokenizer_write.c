/* engine/token/tokenizer_write: the tokenizer.json of each family as GGUF metadata, read back. */
#include "engine/token/tokenizer_write.h"

#include "engine/token/tokenizer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/tokenizers/"

static struct gguf *written(char **bytes, const char *family, size_t n_vocab) {
    struct ggufwrite *w;
    struct gguf *file = NULL;
    struct status st;
    char dir[96];
    size_t n;
    snprintf(dir, sizeof dir, GOLDEN "%s", family);
    if (!ggufwrite_open_memory(&w, bytes, &n, &st)) fail_msg("%s", st.message);
    ggufwrite_string(w, "general.architecture", view_of("llama"));
    if (!tokenizer_write(w, dir, n_vocab, &st)) fail_msg("%s: %s", family, st.message);
    if (!ggufwrite_end(w, &st) || !gguf_parse(&file, family, *bytes, n, &st)) fail_msg("%s", st.message);
    return file;
}

static size_t vocab_of(const char *family) {
    struct tokenizer *t;
    struct status st;
    char dir[96];
    snprintf(dir, sizeof dir, GOLDEN "%s", family);
    if (!tokenizer_open(&t, dir, &st)) fail_msg("%s", st.message);
    size_t n = tokenizer_n_vocab(t);
    tokenizer_close(t);
    return n;
}

static void each_family_gets_its_own_name(void **state) {
    (void)state;
    static const struct {
        const char *family, *model, *pre;
    } cases[] = {
        {"deepseek-llm", "gpt2", "deepseek-llm"},
        {"deepseek-v3", "gpt2", "deepseek-v3"},
        {"falcon", "gpt2", "falcon"},
        {"glm4", "gpt2", "llama-bpe"} /* cuts alike */,
        {"gpt2", "gpt2", "gpt-2"},
        {"gpt4o", "gpt2", "gpt-4o"},
        {"llama3", "gpt2", "llama-bpe"},
        {"qwen2", "gpt2", "qwen2"},
        {"qwen35", "gpt2", "qwen35"},
        {"smollm", "gpt2", "smollm"},
        {"starcoder", "gpt2", "smollm"},
        {"gemma", "llama", "default"},
        {"spm-llama-legacy", "llama", "default"},
        {"spm-llama-nonlegacy", "llama", "default"},
        {"spm-noprefix", "llama", "default"},
        {"unigram-t5", "t5", "default"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *bytes;
        struct status st;
        struct view model, pre;
        struct gguf *file = written(&bytes, cases[i].family, vocab_of(cases[i].family) + 3);
        struct tokenizer *t;
        assert_true(gguf_string(&model, file, "tokenizer.ggml.model", "", &st));
        assert_true(gguf_string(&pre, file, "tokenizer.ggml.pre", "", &st));
        if (!view_is(model, cases[i].model) || !view_is(pre, cases[i].pre))
            fail_msg("%s: %.*s %.*s", cases[i].family, (int)model.n, model.at, (int)pre.n, pre.at);
        if (!tokenizer_open_gguf(&t, file, &st)) fail_msg("%s", st.message);
        assert_int_equal(tokenizer_n_vocab(t), vocab_of(cases[i].family) + 3);
        assert_string_equal(tokenizer_token_kind(t, (int32_t)tokenizer_n_vocab(t) - 1), "unused");
        tokenizer_close(t);
        gguf_close(file);
        free(bytes);
    }
}

static void refused(const char *json, const char *part) {
    struct ggufwrite *w;
    struct status st;
    char *bytes, dir[] = "/tmp/fak-tokenizer-XXXXXX", path[64];
    size_t n;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/tokenizer.json", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(json, file);
    assert_int_equal(fclose(file), 0);
    assert_true(ggufwrite_open_memory(&w, &bytes, &n, &st));
    assert_false(tokenizer_write(w, dir, 1000, &st));
    if (!strstr(st.message, part) || !strstr(st.message, "--no-tokenizer")) fail_msg("%s", st.message);
    ggufwrite_abandon(w);
    free(bytes);
    unlink(path);
    rmdir(dir);
}

static void what_gguf_cannot_say_is_refused(void **state) {
    (void)state;
#define UNIGRAM(bytes)                                                                                       \
    "\"model\": {\"type\": \"Unigram\", \"unk_id\": 0, \"byte_fallback\": " bytes ", \"vocab\": "            \
    "[[\"<unk>\", 0.0], [\"a\", -1.0], [\"A\", -2.0], [\"\u2581\", -1.5]]}}"
    refused("{" UNIGRAM("true"), "no byte fallback");
    refused("{\"normalizer\": {\"type\": \"Lowercase\"}, " UNIGRAM("false"), "gives the ids");
}

static void a_vocabulary_larger_than_the_table_is_refused(void **state) {
    (void)state;
    struct ggufwrite *w;
    struct status st;
    char *bytes;
    size_t n;
    assert_true(ggufwrite_open_memory(&w, &bytes, &n, &st));
    assert_false(tokenizer_write(w, GOLDEN "qwen2", 100, &st));
    assert_non_null(strstr(st.message, "outside the model's token table"));
    ggufwrite_abandon(w);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_family_gets_its_own_name),
        cmocka_unit_test(what_gguf_cannot_say_is_refused),
        cmocka_unit_test(a_vocabulary_larger_than_the_table_is_refused),
    };
    return cmocka_run_group_tests_name("tokenizer_write", tests, NULL, NULL);
}
