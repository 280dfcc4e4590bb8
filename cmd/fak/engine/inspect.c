/* fak inspect: what a model file says about itself. Only the header is read, not the weights. */
#include "cmd/fak/engine/inspect.h"

#include "cmd/fak/engine/entries.h"
#include "engine/file/checkpoint.h"
#include "engine/model/model.h"

#include <stdlib.h>

double inspect_bits(const struct inspect *in) {
    return in->n_elements ? 8.0 * (double)in->n_bytes / (double)in->n_elements : 0;
}

static struct inspect_type *type_row(struct inspect *in, uint32_t type) {
    for (size_t i = 0; i < in->n_types; i++)
        if (in->types[i].type == type) return &in->types[i];
    in->types[in->n_types].type = type; /* a file holds fewer types than there is room for */
    return &in->types[in->n_types++];
}

static int larger_first(const void *a, const void *b) {
    const struct inspect_type *x = a, *y = b;
    if (x->n_bytes != y->n_bytes) return x->n_bytes < y->n_bytes ? 1 : -1;
    return (x->type > y->type) - (x->type < y->type);
}

/* Sums cannot overflow: the file holds every byte, and no type has more than eight elements a byte. */
static void add_up(struct inspect *in) {
    for (size_t i = 0; i < gguf_n_tensors(in->file); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(in->file, i);
        uint64_t n = tensor->dims[0] * tensor->dims[1] * tensor->dims[2] * tensor->dims[3];
        struct inspect_type *row = type_row(in, tensor->type);
        row->n_tensors++;
        row->n_elements += n;
        row->n_bytes += tensor->bytes;
        in->n_elements += n;
        in->n_bytes += tensor->bytes;
    }
    qsort(in->types, in->n_types, sizeof *in->types, larger_first);
}

/* Would it load? Everything is tried that needs no weights. */
static bool would_run(const struct gguf *file, const struct tokenizer *t,
                      const struct status *why_no_tokenizer, struct status *st) {
    struct hparams hparams;
    struct program program;
    struct arena arena = {0};
    bool ok = model_runs(file, st) && hparams_read(&hparams, file, st) &&
              model_build(&program, &arena, file, &hparams, st);
    arena_release(&arena);
    if (ok && !t) *st = *why_no_tokenizer;
    return ok && t;
}

static bool inspect(struct cli *cli, const struct cli_args *args, struct status *st) {
    struct gguf *file;
    if (!cli_expect(args, 1, 1, st) || !checkpoint_open(&file, args->positional[0], st)) return false;
    struct inspect in = {.file = file};
    struct tokenizer *t;
    if (!tokenizer_open_gguf(&t, file, &in.tokenizer_status)) t = NULL;
    in.tokenizer = t;
    in.runs = would_run(file, t, &in.tokenizer_status, &in.runs_status);
    add_up(&in);
    if (cli_given(args, "--json")) inspect_json(&cli->out, &in);
    else inspect_text(&cli->out, &cli->out_term, &in);
    tokenizer_close(t);
    gguf_close(file);
    return true;
}

int fak_inspect(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !inspect(cli, &args, &st))
        return cli_fail(cli, &st);
    return cli_finish(cli, 0);
}
