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
    const char *isa; /* "ref", "c", "avx2", "avx512", "neon", "auto"; NULL: auto */
    const char *kv;  /* type of keys and values: "f32", "f16", "bf16", "q8_0"; NULL: f32 */
    int threads;     /* 0: all CPUs this process may use */
    int activations; /* bits of activations against quantised weights: 16, or 8 for speed; 0: 16 */
    size_t chunk;    /* tokens a batch at most; 0: 512 */
    size_t context;  /* positions to make room for, over all sessions; 0: the model's own, or as many as
                        half of this machine's memory holds */
    bool ids_only;   /* leave the tokenizer alone: engine_tokenizer is NULL */
    bool no_prefix;  /* run every token that is fed, whatever was run before (engine_reuse) */
    bool (*stop)(void *arg); /* asked before each batch; true ends the step. NULL: nothing does */
    void *stop_arg;
    bool unpinned; /* threads may move between CPUs; else each stays on one, where there is one for each */
    /* Keep the re-laid weights in MODEL.fak-panels (DIR/model.fak-panels), which the next load maps. A file
     * that is cut, damaged or of another state of the model is made again, and engine_note says so. */
    bool cache_panels;
    /* Says how many bytes of the weights are re-laid, from the thread that opens; NULL: nobody asks. */
    void (*progress)(void *arg, size_t done, size_t total);
    void *progress_arg;
};

bool engine_open(struct engine_model **out, const char *path, const struct engine_options *options,
                 struct status *st) STATUS_MUST_USE;
void engine_close(struct engine_model *model);

const struct tokenizer *engine_tokenizer(const struct engine_model *model);
const struct gguf *engine_file(const struct engine_model *model);
size_t engine_n_vocab(const struct engine_model *model);
size_t engine_context(const struct engine_model *model);       /* positions a session can hold */
const char *engine_describe(const struct engine_model *model); /* lane and threads that run */

/* What did not go well and did no harm when the model was opened, in a sentence; "": nothing. */
const char *engine_note(const struct engine_model *model);

bool engine_session_open(struct engine_session **out, struct engine_model *model,
                         struct status *st) STATUS_MUST_USE;
void engine_session_close(struct engine_session *session);

size_t engine_position(const struct engine_session *session); /* tokens fed so far ... */
size_t engine_reused(const struct engine_session *session);   /* ... and how many of them were not run */

enum engine_logits {
    ENGINE_LOGITS_NONE,
    ENGINE_LOGITS_LAST, /* one row of n_vocab, of the last token */
    ENGINE_LOGITS_ALL,  /* a row for each token */
};

/* Runs n further tokens at the session's next positions. Refuses ids outside the vocabulary, positions beyond
 * the context and a step that the pages left cannot hold; then nothing ran. Allocates nothing.
 *
 * Stopped by engine_options.stop it is false, too, with STATUS_STOPPED: then the batches before that have
 * run, engine_position says how far each session is and where it may go on, and `logits` holds nothing that
 * was asked for. (A longrope session that was about to be run again from its first token has begun with
 * that.) */
bool engine_feed(struct engine_session *session, const int32_t *ids, size_t n, enum engine_logits want,
                 float *logits, struct status *st) STATUS_MUST_USE;

/* Tokens that were run before at the same place, behind the same tokens, in any session, open or closed, are
 * not run again: full pages of their keys and values are shared, of the last page the part that is the same
 * is copied, and the logits are those of a first run, bit for bit. Pages of closed sessions stay until their
 * room is needed. It happens by itself when a session at a multiple of KV_PAGE positions, 0 foremost, is fed,
 * but never for tokens whose logits are asked for. A caller who feeds a long text in small parts says it all
 * here first: takes over what there is of the n next tokens, returns their number, and the rest is to be fed.
 * Not for models with states (delta nets, short convolutions): 0. */
size_t engine_reuse(struct engine_session *session, const int32_t *ids, size_t n);

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
