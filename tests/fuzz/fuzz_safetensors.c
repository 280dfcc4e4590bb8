/* fuzz_safetensors: any bytes as a safetensors file; every byte of every tensor of what parses is read. */
#include "engine/file/safetensors.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct safetensors *file;
    struct status st = {.message = ""};
    if (!safetensors_parse(&file, "fuzz.safetensors", data, size, &st)) {
        if (file || !st.message[0]) abort();
        return 0;
    }
    size_t covered = safetensors_data_offset(file);
    for (size_t i = 0; i < safetensors_n_tensors(file); i++) {
        const struct safetensors_tensor *t = safetensors_at(file, i);
        if (t->offset != covered || t->bytes > size - t->offset) abort();
        for (size_t b = 0; b < t->bytes; b++) sink += ((const uint8_t *)t->data)[b];
        covered += t->bytes;
    }
    if (covered != size) abort();
    safetensors_close(file);
    return 0;
}
