/* fuzz_tokenizer: any bytes as a text, for one vocabulary of each kind of pre-tokenizer. The first byte
 * chooses it and the options. What is encoded has to decode to the same text where the family promises that.
 */
#include "base/utf8.h"
#include "engine/file/gguf.h"
#include "engine/token/tokenizer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What decode(encode(text)) is, once ill-formed parts are U+FFFD. */
enum promise { NOTHING, SAME, SAME_WITH_SPACES /* U+2581 comes back as a space */ };

static const struct {
    const char *name;
    enum promise promise;
} kinds[] = {
    {"gpt2", SAME},
    {"smollm", SAME},
    {"llama3", SAME},
    {"glm4", SAME},
    {"gpt4o", SAME},
    {"deepseek-v3", SAME},
    {"deepseek-llm", SAME},
    {"falcon", SAME},
    {"qwen2", NOTHING}, /* NFC */
    {"qwen35", NOTHING},
    {"spm-noprefix", SAME_WITH_SPACES},
    {"gemma", SAME_WITH_SPACES},
    {"spm-llama-legacy", NOTHING}, /* a space for every stretch between added tokens */
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static const struct tokenizer *tokenizer_of(size_t kind) {
    static struct tokenizer *open[N_KINDS];
    static struct gguf *files[N_KINDS];
    if (open[kind]) return open[kind];
    struct status st;
    char path[128];
    snprintf(path, sizeof path, "tests/golden/tokenizers/%s/vocab.gguf", kinds[kind].name);
    if (!gguf_open(&files[kind], path, &st) || !tokenizer_open_gguf(&open[kind], files[kind], &st)) {
        fprintf(stderr, "%s\n", st.message);
        abort();
    }
    return open[kind];
}

static void add_promised(struct str *out, struct view text, bool spaces) {
    while (text.n) {
        size_t n = utf8_valid_length(text.at, text.n), used = n;
        if (n == 0) {
            str_puts(out, "\xEF\xBF\xBD");
            used = utf8_maximal_ill_formed(text.at, text.n);
        } else if (spaces && n == 3 && memcmp(text.at, "\xE2\x96\x81", 3) == 0) str_putc(out, ' ');
        else str_add(out, text.at, n);
        text.at += used;
        text.n -= used;
    }
}

static void decode(struct str *out, const struct tokenizer *t, const struct token_list *ids) {
    struct tokenizer_stream stream;
    tokenizer_stream_begin(&stream, t, true);
    for (size_t i = 0; i < ids->n; i++) {
        if (ids->ids[i] < 0 || (size_t)ids->ids[i] >= tokenizer_n_vocab(t)) abort();
        tokenizer_stream_put(&stream, ids->ids[i], out);
        if (stream.n_held > 3) abort();
    }
    tokenizer_stream_end(&stream, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    size_t kind = (data[0] & 63U) % N_KINDS;
    const struct tokenizer *t = tokenizer_of(kind);
    struct tokenizer_options options = {.add_special = false, .parse_special = data[0] & 64};
    struct view text = {(const char *)data + 1, size - 1};
    struct token_list ids = {0};
    struct str got = {0}, want = {0};
    struct status st;
    if (!tokenizer_encode(&ids, t, text, options, &st)) abort();
    decode(&got, t, &ids);
    add_promised(&want, text, kinds[kind].promise == SAME_WITH_SPACES);
    if (kinds[kind].promise != NOTHING &&
        (got.n != want.n || (got.n && memcmp(got.at, want.at, got.n) != 0))) {
        fprintf(stderr, "%s: '%s' became '%s'\n", kinds[kind].name, str_c(&want), str_c(&got));
        abort();
    }
    str_free(&got);
    str_free(&want);
    token_list_free(&ids);
    return 0;
}
