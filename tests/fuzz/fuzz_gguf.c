/* fuzz_gguf: any bytes as a GGUF file. Everything that parses is walked, read by every typed reader, and
 * opened as a tokenizer, which then has to encode and decode. */
#include "engine/file/gguf.h"
#include "engine/token/tokenizer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned sink;

static void touch(const void *bytes, size_t n) {
    const uint8_t *at = bytes;
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++) sum += at[i];
    sink += sum;
}

static void walk_value(const struct gguf *file, const struct gguf_value *value) {
    struct status st;
    uint64_t u;
    double f;
    bool yes;
    struct view text;
    struct gguf_array array;
    char key[128];
    if (value->key.n >= sizeof key) return;
    memcpy(key, value->key.at, value->key.n);
    key[value->key.n] = '\0';
    if (gguf_find(file, key) != value) abort();
    sink += gguf_u64(&u, file, key, 100, 0, &st);
    sink += gguf_f64(&f, file, key, 0, &st);
    sink += gguf_bool(&yes, file, key, false, &st);
    if (gguf_string(&text, file, key, NULL, &st)) touch(text.at, text.n);
    if (value->type != GGUF_ARRAY) return;
    if (!gguf_array(&array, file, key, value->array.type, &st)) abort();
    if (array.type != GGUF_STRING) touch(array.at, array.n * gguf_type_bytes(array.type));
    else
        for (size_t i = 0; i < array.n; i++) touch(array.strings[i].at, array.strings[i].n);
}

static void try_tokenizer(const struct gguf *file) {
    static const char text[] = "Hello <s> \xe4\xb8\xad 12\n\xff";
    struct tokenizer *t;
    struct status st;
    struct token_list ids = {0};
    struct str out = {0};
    struct tokenizer_stream stream;
    if (!tokenizer_open_gguf(&t, file, &st)) return;
    if (tokenizer_encode(&ids, t, view_of(text), (struct tokenizer_options){true, true}, &st)) {
        tokenizer_stream_begin(&stream, t, true);
        for (size_t i = 0; i < ids.n; i++) tokenizer_stream_put(&stream, ids.ids[i], &out);
        tokenizer_stream_end(&stream, &out);
    }
    str_free(&out);
    token_list_free(&ids);
    tokenizer_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct gguf *file;
    struct status st = {.message = ""};
    if (!gguf_parse(&file, "fuzz.gguf", data, size, &st)) {
        if (file || !st.message[0]) abort();
        return 0;
    }
    for (size_t i = 0; i < gguf_n_values(file); i++) walk_value(file, gguf_value_at(file, i));
    for (size_t i = 0; i < gguf_n_tensors(file); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(file, i);
        if (tensor->offset > size || tensor->bytes > size - tensor->offset) abort();
        touch(tensor->data, tensor->bytes);
    }
    try_tokenizer(file);
    gguf_close(file);
    return 0;
}
