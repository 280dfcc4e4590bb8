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
static void try_to_build(struct inspect *in) {
    struct hparams hparams;
    struct program program;
    struct arena arena = {0};
    struct status *st = &in->builds_status;
    in->builds = model_runs(in->file, st) && hparams_read(&hparams, in->file, st) &&
                 model_build(&program, &arena, in->file, &hparams, st);
    arena_release(&arena);
    in->runs = in->builds && in->tokenizer;
    in->runs_status = in->builds ? in->tokenizer_status : in->builds_status;
}

/* False: --verify found a fault, which is shown. */
static bool show(struct cli *cli, const struct cli_args *args, const struct gguf *file) {
    const char *path = args->positional[0];
    struct inspect in = {.file = file};
    struct tokenizer *t;
    bool beside = gguf_is_foreign(file);
    if (beside ? !tokenizer_open(&t, path, &in.tokenizer_status)
               : !tokenizer_open_gguf(&t, file, &in.tokenizer_status))
        t = NULL;
    in.tokenizer = t;
    bool sound = true;
    try_to_build(&in);
    add_up(&in);
    if (cli_given(args, "--verify")) sound = inspect_verify(&cli->out, &cli->out_term, &in);
    else if (cli_given(args, "--json")) inspect_json(&cli->out, &in);
    else inspect_text(&cli->out, &cli->out_term, &in);
    tokenizer_close(t);
    return sound;
}

static bool inspect(struct cli *cli, const struct cli_args *args, int *code, struct status *st) {
    struct gguf *file;
    const char *tensor = cli_value(args, "--tensor"), *to = cli_value(args, "--output");
    if (!cli_expect(args, 1, 1, st)) return false;
    if (!tensor != !to) return status_fail(st, STATUS_USAGE, "--tensor NAME and -o FILE go together");
    if (!checkpoint_open(&file, args->positional[0], st)) return false;
    bool ok = true;
    if (tensor) ok = inspect_tensor(&cli->out, file, tensor, to, st);
    else *code = show(cli, args, file) ? 0 : 1;
    gguf_close(file);
    return ok;
}

int fak_inspect(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    int code = 0;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !inspect(cli, &args, &code, &st))
        return cli_fail(cli, &st);
    return cli_finish(cli, code);
}
