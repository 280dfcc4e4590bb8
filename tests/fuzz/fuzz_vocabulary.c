/* fuzz_vocabulary: any bytes as a tokenizer.json or a tokenizer.model, and a text cut by what they make. */
#include "engine/token/tokenizer.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] = "Hello, w\xc3\xb6rld  <s> 12345\n\t\xe4\xbd\xa0\xff<|ctl|>x";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct status st;
    struct tokenizer *t;
    struct token_list ids = {0};
    struct str decoded = {0};
    struct view bytes = {(const char *)data, size};
    bool json = size && data[0] == '{';
    if (json ? !tokenizer_open_json(&t, "fuzz", bytes, &st)
             : !tokenizer_open_sentencepiece(&t, "fuzz", bytes, &st))
        return 0;
    const struct tokenizer_options options = {.add_special = true, .parse_special = true};
    if (tokenizer_encode(&ids, t, (struct view){text, sizeof text - 1}, options, &st)) {
        for (size_t i = 0; i < ids.n; i++)
            if (ids.ids[i] < 0 || (size_t)ids.ids[i] >= tokenizer_n_vocab(t)) abort();
        tokenizer_decode(&decoded, t, ids.ids, ids.n, true);
    }
    str_free(&decoded);
    token_list_free(&ids);
    tokenizer_close(t);
    return 0;
}
