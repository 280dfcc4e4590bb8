#include "cmd/fak/engine/entries.h"

#include <stdio.h>

static const struct cli_entry entries[] = {
    {"run", fak_run},
    {"logits", fak_logits},
    {"tokenize", fak_tokenize},
    {"detokenize", fak_detokenize},
    {"template", fak_template},
    {"inspect", fak_inspect},
    {"witness", fak_witness},
    {"convert", fak_convert},
    {"perplexity", fak_perplexity},
    {"quantize", fak_quantize},
    {"bench", fak_bench},
    {NULL, NULL},
};

CLI_EXPORT const struct cli_entries fak_commands = {entries};

bool engine_flags(struct engine_options *out, const struct cli_args *args, struct status *st) {
    enum { MAX_THREADS = 1024 };
    long threads, bits;
    if (!cli_number(&threads, args, "--threads", 1, MAX_THREADS, 0, st)) return false;
    if (!cli_number(&bits, args, "--activations", 8, 16, 16, st)) return false;
    if (bits != 8 && bits != 16)
        return status_fail(st, STATUS_USAGE, "--activations: 8 or 16, not %ld", bits);
    *out = (struct engine_options){
        .isa = cli_value(args, "--isa"),
        .kv = cli_value(args, "--kv"),
        .threads = (int)threads,
        .activations = (int)bits,
        .unpinned = cli_given(args, "--no-pin"),
        .cache_panels = cli_given(args, "--cache-panels"),
    };
    return true;
}

void engine_tell(const struct engine_model *model) {
    if (*engine_note(model)) fprintf(stderr, "fak: note: %s\n", engine_note(model));
}
