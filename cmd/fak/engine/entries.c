#include "cmd/fak/engine/entries.h"

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
    {NULL, NULL},
};

CLI_EXPORT const struct cli_entries fak_commands = {entries};

bool engine_flags(struct engine_options *out, const struct cli_args *args, struct status *st) {
    enum { MAX_THREADS = 1024 };
    long threads;
    if (!cli_number(&threads, args, "--threads", 1, MAX_THREADS, 0, st)) return false;
    *out = (struct engine_options){.isa = cli_value(args, "--isa"), .threads = (int)threads};
    return true;
}
