/* chat_source: where a model keeps its chat template.
 *
 * Owns:    its texts.
 * Trusts:  nothing: sizes are bounded, and a template is read by template.h only.
 * Threads: one struct, one thread.
 */
#ifndef ENGINE_TOKEN_CHAT_SOURCE_H
#define ENGINE_TOKEN_CHAT_SOURCE_H

#include "base/status.h"
#include "base/str.h"

#include <stdbool.h>

struct chat_source {
    struct str text;     /* Jinja; empty: the model has none */
    struct str bos, eos; /* texts of the begin and end tokens */
};

/* From a GGUF file (tokenizer.chat_template); a directory, or a safetensors file in it (chat_template.jinja,
 * or chat_template in tokenizer_config.json or chat_template.json, and the tokens that the former names); one
 * of these JSON files itself; or any other file, which is the template. Of several named templates the one
 * called `name` is taken ("tool_use"), else the default. */
bool chat_source_read(struct chat_source *out, const char *path, const char *name,
                      struct status *st) STATUS_MUST_USE;
void chat_source_free(struct chat_source *s);

#endif
