/* reply: runs a prompt and writes what the model says to it, piece by piece.
 *
 * Owns:    its session, logits and sampler. The model, and the chat if there is one, outlive it.
 * Trusts:  the model's text for nothing: on a terminal, control characters are shown as '?'.
 * Threads: the main thread. Ctrl-C sets a flag that both loops look at.
 */
#ifndef CMD_FAK_ENGINE_REPLY_H
#define CMD_FAK_ENGINE_REPLY_H

#include "engine/engine.h"
#include "engine/session/sample.h"
#include "engine/token/chat.h"

/* Why a reply ended. */
enum reply_end { REPLY_ENDED, REPLY_LENGTH, REPLY_CONTEXT, REPLY_INTERRUPTED };

struct reply {
    struct engine_model *model;
    const struct chat *chat; /* NULL: no chat */
    const char *path;        /* of the model, for messages */
    struct engine_session *session;
    struct token_list fed; /* ids in the session */
    struct sampler sampler;
    float *logits;
    struct tokenizer_stream stream;
    struct str piece; /* text not yet written */
    bool quiet;       /* text is collected and not written */
    bool progress;    /* stderr is a terminal that shows how far the prompt is */
    /* Of the last prompt and reply: */
    struct str text;
    struct token_list ids;            /* without the end token */
    size_t n_prompt, n_reused, n_run; /* ids of the prompt: those that had been run before, and the others */
    size_t n_decoded;                 /* ids of the reply that were run */
    double prefill_s, decode_s;
    enum reply_end end;
    bool ends_line; /* the last byte written was a newline */
};

bool reply_open(struct reply *r, struct engine_model *model, const struct chat *chat, const char *path,
                const struct sample_options *options, struct status *st) STATUS_MUST_USE;
void reply_close(struct reply *r);

/* Runs the prompt, or only what is new in it when the session holds its beginning, then writes at most n_max
 * tokens
 * (-1: to the end). A prompt that the context cannot hold is refused before anything runs. */
bool reply_run(struct reply *r, const struct token_list *prompt, long n_max,
               struct status *st) STATUS_MUST_USE;

const char *reply_end_name(enum reply_end end); /* "end", "length", "context", "interrupt" */

/* "5 prompt tokens (reused 3), 410.2 tok/s; 20 reply tokens, 80.1 tok/s; c AVX2, 2 threads" */
void reply_speed(struct str *out, const struct reply *r);

/* Ctrl-C sets the flag; with `once` a second one ends the program. */
void reply_catch_interrupt(bool once);
bool reply_interrupted(void);
void reply_forget_interrupt(void);

/* Seconds of a clock that only goes forward. */
double reply_now(void);

#endif
