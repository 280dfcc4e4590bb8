/* entries: the commands of fak-engine.so and what they share. */
#ifndef CMD_FAK_ENGINE_ENTRIES_H
#define CMD_FAK_ENGINE_ENTRIES_H

#include "cmd/cli/cli.h"
#include "engine/engine.h"

cli_run fak_run, fak_logits, fak_tokenize, fak_detokenize, fak_template, fak_inspect, fak_witness,
    fak_convert, fak_perplexity, fak_quantize, fak_bench;

/* --isa, --kv, --threads, --activations, --no-pin and --cache-panels, which every command that runs a model
 * has. */
bool engine_flags(struct engine_options *out, const struct cli_args *args, struct status *st) STATUS_MUST_USE;

/* What the model has to say about its opening (engine_note), on stderr. */
void engine_tell(const struct engine_model *model);

/* The path of the model that `fak run` uses when none is named: in $FAK_MODEL_DIR, or beside the program
 * (build/../models, PREFIX/share/fak/models). Says where it looked when it is nowhere. */
bool builtin_model(struct str *path, struct status *st) STATUS_MUST_USE;

#endif
