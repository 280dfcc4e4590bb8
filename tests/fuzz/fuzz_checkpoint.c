/* fuzz_checkpoint: config.json, the index and a safetensors file, a NUL byte after the first two, as a
 * Hugging Face checkpoint. Every row of what opens is decoded, and a program is built from it. */
#include "engine/file/checkpoint.h"
#include "engine/file/hfmodel.h"
#include "engine/model/model.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile float sink;

static struct view part(const uint8_t **at, size_t *left) {
    const uint8_t *end = memchr(*at, 0, *left);
    struct view text = {(const char *)*at, end ? (size_t)(end - *at) : *left};
    size_t used = text.n + (end != NULL);
    *at += used;
    *left -= used;
    return text;
}

static void decode(const struct gguf *file) {
    struct status st;
    for (size_t i = 0; i < gguf_n_tensors(file); i++) {
        const struct gguf_tensor *t = gguf_tensor_at(file, i);
        size_t n = (size_t)t->dims[0], n_rows = (size_t)(t->dims[1] * t->dims[2] * t->dims[3]);
        float *row = dtype_info(t->type) ? malloc((n ? n : 1) * sizeof *row) : NULL;
        for (size_t r = 0; row && r < n_rows; r++)
            if (checkpoint_row(row, t, r, &st) && n) sink = row[n - 1];
        free(row);
    }
}

static void build(const struct gguf *file) {
    struct hparams hparams;
    struct program program;
    struct arena arena = {0};
    struct status st;
    if (model_runs(file, &st) && hparams_read(&hparams, file, &st) && hparams.context <= 4096)
        sink += model_build(&program, &arena, file, &hparams, &st);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct view config = part(&data, &size), index = part(&data, &size);
    struct hfdir *dir;
    struct status st = {.message = ""};
    struct gguf *file = calloc(1, sizeof *file);
    char *weights = malloc(size ? size : 1); /* its own block, so that a read past the end shows */
    file->path = strdup("fuzz");
    memcpy(weights, data, size);
    bool ok = hfdir_parse(&dir, "fuzz", config, index, (struct view){weights, size}, &st);
    ok = ok && hfmodel_fill(file, dir, &st);
    if (!ok && !st.message[0]) abort();
    if (ok) decode(file);
    if (ok) build(file);
    gguf_close(file);
    free(weights);
    return 0;
}
