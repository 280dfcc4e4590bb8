/* engine: the public face. A model is a loaded file; a session is one conversation with it.
 *
 * Owns:    a model owns its mapping, tokenizer, program and backend; a session owns its pages of the
 *          model's KV and must be closed before the model.
 * Trusts:  nothing from outside: the file is checked, ids out of range are refused.
 * Threads: one thread per model; the backend has threads of its own.
 *
 *     struct engine_model *model;
 *     struct engine_session *session;
 *     engine_open(&model, "model.gguf", &(struct engine_options){.isa = "auto"}, &st)
 *     engine_session_open(&session, model, &st)
 *     engine_feed(session, ids, n, ENGINE_LOGITS_LAST, logits, &st)   // any number of tokens, any number of
 * times id = sample_greedy(logits, engine_n_vocab(model), NULL)         // engine/session/sample.h
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "base/status.h"
#include "engine/token/tokenizer.h"

#include <stddef.h>
#include <stdint.h>

struct engine_model;
struct engine_session;
struct gguf;

struct engine_options {
    const char *isa; /* "ref", "c", "auto"; NULL: auto */
    int threads;     /* 0: all CPUs this process may use */
    size_t chunk;    /* tokens a batch at most; 0: 512 */
    size_t context;  /* positions to make room for, over all sessions; 0: the model's own, or as many as
                        half of this machine's memory holds */
    bool ids_only;   /* leave the tokenizer alone: engine_tokenizer is NULL */
};

bool engine_open(struct engine_model **out, const char *path, const struct engine_options *options,
                 struct status *st) STATUS_MUST_USE;
void engine_close(struct engine_model *model);

const struct tokenizer *engine_tokenizer(const struct engine_model *model);
const struct gguf *engine_file(const struct engine_model *model);
size_t engine_n_vocab(const struct engine_model *model);
size_t engine_context(const struct engine_model *model);       /* positions a session can hold */
const char *engine_describe(const struct engine_model *model); /* lane and threads that run */

bool engine_session_open(struct engine_session **out, struct engine_model *model,
                         struct status *st) STATUS_MUST_USE;
void engine_session_close(struct engine_session *session);

size_t engine_position(const struct engine_session *session); /* tokens fed so far */

enum engine_logits {
    ENGINE_LOGITS_NONE,
    ENGINE_LOGITS_LAST, /* one row of n_vocab, of the last token */
    ENGINE_LOGITS_ALL,  /* a row for each token */
};

/* Runs n further tokens at the session's next positions. Refuses ids outside the vocabulary, positions beyond
 * the context and a step that the pages left cannot hold; then nothing ran. Allocates nothing. */
bool engine_feed(struct engine_session *session, const int32_t *ids, size_t n, enum engine_logits want,
                 float *logits, struct status *st) STATUS_MUST_USE;

/* A model with longrope (Phi-3) has two sets of frequencies, for sequences within its first context and
 * beyond. A session that crosses the limit is run again from its first token, with the second set, before the
 * step goes on: its logits are those of the whole text given at once. */

/* The same for several sessions at once, each at most once: their tokens share batches, and no session's
 * logits depend on the others. `logits` holds the rows of the first part, then those of the second ... */
struct engine_part {
    struct engine_session *session;
    const int32_t *ids;
    size_t n;
    enum engine_logits want;
};
bool engine_step(struct engine_model *model, const struct engine_part *parts, size_t n_parts, float *logits,
                 struct status *st) STATUS_MUST_USE;

#endif
