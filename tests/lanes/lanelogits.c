/* lanelogits MODEL [NAME=VALUE]... >LOGITS: the logits of some tokens, [tokens][n_vocab] f32, from a lane of
 * this processor, in batches of `chunk` tokens with `strangers` tokens of another sequence before each. One
 * hash of them is the same in every lane but ref, for any number of threads, chunk and company. `lanelogits`
 * alone lists the clones that run here.
 *
 * No library beside libc and libm, and so no tokenizer and no session: it runs under qemu for another
 * processor. */
#include "engine/backend/backend.h"
#include "engine/file/gguf.h"
#include "engine/kernels/kernel.h"
#include "engine/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512, PAGES = MOST / KV_PAGE };

struct asked {
    const char *model, *isa;
    size_t threads, chunk, strangers, tokens, activations;
    enum kv_type kv;
};

/* Both sequences' pages lie in no order. */
static void run(struct backend *b, const struct program *program, const struct asked *asked, float *logits) {
    int32_t pages[2][PAGES];
    for (int i = 0; i < PAGES; i++) pages[0][i] = 2 * PAGES - 1 - 2 * i, pages[1][i] = 2 * i;
    for (size_t at = 0, stranger = 0; at < asked->tokens; at += asked->chunk) {
        int32_t ids[2 * MOST], positions[2 * MOST], sequences[2 * MOST];
        bool wants[2 * MOST];
        size_t n = 0;
        for (size_t i = 0; i < asked->strangers && stranger < asked->tokens; i++, n++, stranger++) {
            ids[n] = (int32_t)((stranger * 13 + 5) % program->n_vocab);
            positions[n] = (int32_t)stranger, sequences[n] = 1, wants[n] = false;
        }
        for (size_t i = at; i < at + asked->chunk && i < asked->tokens; i++, n++) {
            ids[n] = (int32_t)(i * i * 7 % program->n_vocab);
            positions[n] = (int32_t)i, sequences[n] = 0, wants[n] = true;
        }
        struct batch batch = {n, ids, positions, sequences, wants, &pages[0][0], 2, PAGES, NULL};
        backend_run(b, &batch, logits + at * program->n_vocab);
    }
}

static bool write_logits(const struct program *program, const struct asked *asked, struct status *st) {
    struct backend_options options = {.isa = asked->isa,
                                      .threads = (int)asked->threads,
                                      .max_batch = 2 * MOST,
                                      .n_pages = 2 * PAGES,
                                      .kv = asked->kv,
                                      .activations = (int)asked->activations};
    struct backend *b = NULL;
    size_t n = asked->tokens * program->n_vocab;
    float *logits = malloc(n * sizeof *logits);
    bool ok = logits || status_fail(st, STATUS_NO_MEMORY, "no memory for %zu logits", n);
    ok = ok && backend_open_cpu(&b, program, &options, st) && backend_sequences(b, 2, st);
    if (ok) run(b, program, asked, logits);
    if (ok && (fwrite(logits, sizeof *logits, n, stdout) != n || fflush(stdout) != 0))
        ok = status_fail(st, STATUS_SYSTEM, "the logits could not be written");
    backend_close(b);
    free(logits);
    return ok;
}

static bool open_and_write(const struct asked *asked, struct status *st) {
    struct gguf *file;
    struct hparams hparams;
    struct program program;
    struct arena arena = {0};
    if (!gguf_open(&file, asked->model, st)) return false;
    bool ok = model_runs(file, st) && hparams_read(&hparams, file, st) &&
              model_build(&program, &arena, file, &hparams, st) && write_logits(&program, asked, st);
    arena_release(&arena);
    gguf_close(file);
    return ok;
}

static bool read_number(size_t *out, const char *text) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    *out = n;
    return end != text && *end == '\0' && n <= MOST;
}

static bool read_option(struct asked *asked, const char *word) {
    const struct {
        const char *name;
        size_t *at;
    } numbers[] = {{"threads=", &asked->threads},
                   {"chunk=", &asked->chunk},
                   {"strangers=", &asked->strangers},
                   {"tokens=", &asked->tokens},
                   {"activations=", &asked->activations}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        size_t n = strlen(numbers[i].name);
        if (strncmp(word, numbers[i].name, n) == 0) return read_number(numbers[i].at, word + n);
    }
    if (strncmp(word, "isa=", 4) == 0) asked->isa = word + 4;
    else return strncmp(word, "kv=", 3) == 0 && kv_type_find(&asked->kv, word + 3);
    return true;
}

static void list_clones(void) {
#define NAME(op, clone) #clone,
    static const char *const clones[] = {KERNEL_CLONES(NAME, )};
    for (size_t i = 0; i < sizeof clones / sizeof *clones; i++)
        if (kernel_choose_clone(clones[i], NULL)) puts(clones[i]);
}

int main(int argc, char **argv) {
    struct status st = {0};
    struct asked asked = {.model = argv[1], .isa = "auto", .threads = 1, .chunk = MOST, .tokens = 70};
    bool understood = true;
    if (argc < 2) return list_clones(), 0;
    for (int i = 2; i < argc; i++) understood = understood && read_option(&asked, argv[i]);
    if (!understood || asked.chunk == 0) {
        fprintf(stderr,
                "usage: lanelogits [MODEL [isa=|threads=|chunk=|strangers=|tokens=|kv=|activations=]...]\n");
        return 2;
    }
    if (open_and_write(&asked, &st)) return 0;
    fprintf(stderr, "lanelogits: %s\n", st.message);
    return 1;
}
