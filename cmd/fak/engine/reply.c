#include "cmd/fak/engine/reply.h"

#include "engine/token/token_list.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Tokens of the prompt that are run between two looks at Ctrl-C and two lines of progress: so many that they
 * take some tenths of a second. The result does not depend on it. */
enum { FEW = 16, MANY = 512 };

/* --- Ctrl-C -------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

void reply_catch_interrupt(bool once) {
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = once ? (int)SA_RESETHAND : 0};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

bool reply_interrupted(void) { return interrupted; }
void reply_forget_interrupt(void) { interrupted = 0; }

double reply_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- opening ------------------------------------------------------------------------------------------- */

bool reply_open(struct reply *r, struct engine_model *model, const struct chat *chat, const char *path,
                const struct sample_options *options, struct status *st) {
    size_t n_vocab = engine_n_vocab(model);
    *r = (struct reply){.model = model, .chat = chat, .path = path};
    r->logits = malloc(n_vocab * sizeof *r->logits);
    if (!r->logits) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu logits", n_vocab);
    return sample_open(&r->sampler, options, n_vocab, st) && engine_session_open(&r->session, model, st);
}

void reply_close(struct reply *r) {
    engine_session_close(r->session);
    sample_close(&r->sampler);
    free(r->logits);
    token_list_free(&r->fed);
    token_list_free(&r->ids);
    str_free(&r->piece);
    str_free(&r->text);
    *r = (struct reply){0};
}

/* --- text ---------------------------------------------------------------------------------------------- */

/* A model may say anything, and a terminal obeys escape sequences: control characters (U+0080 to U+009F are
 * some, too) but newline and tab are shown as '?' there. Pipes get the bytes as they are. */
static void tame(struct str *text) {
    for (size_t i = 0; i < text->n; i++) {
        unsigned char c = (unsigned char)text->at[i];
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) text->at[i] = '?';
        if (c == 0xC2 && i + 1 < text->n && (unsigned char)text->at[i + 1] < 0xA0)
            text->at[i] = text->at[i + 1] = '?';
    }
}

static bool show(struct reply *r, struct status *st) {
    struct str *piece = &r->piece;
    if (!str_ok(piece, st)) return false;
    if (piece->n == 0) return true;
    str_add(&r->text, piece->at, piece->n);
    if (isatty(STDOUT_FILENO)) tame(piece);
    r->ends_line = piece->at[piece->n - 1] == '\n';
    bool ok = r->quiet || (fwrite(piece->at, 1, piece->n, stdout) == piece->n && fflush(stdout) == 0);
    str_clear(piece);
    return (ok || status_fail_errno(st, "cannot write the reply")) && str_ok(&r->text, st);
}

/* --- the prompt ---------------------------------------------------------------------------------------- */

/* How far it is, on a terminal, once it takes a while. */
static void show_progress(const struct reply *r, size_t done, size_t n, double start) {
    if (!r->progress || reply_now() - start < 0.5) return;
    if (done < n) fprintf(stderr, "\r\033[Kreading the prompt: %zu of %zu tokens", done, n);
    else fputs("\r\033[K", stderr);
}

/* The ids that the session has already, when they begin the prompt and leave something to run; else it is
 * emptied. */
static bool keep_common(struct reply *r, const struct token_list *prompt, size_t *kept, struct status *st) {
    *kept = r->fed.n;
    if (r->fed.n < prompt->n &&
        (r->fed.n == 0 || memcmp(r->fed.ids, prompt->ids, r->fed.n * sizeof *prompt->ids) == 0))
        return true;
    engine_session_close(r->session);
    r->session = NULL;
    r->fed.n = *kept = 0;
    return engine_session_open(&r->session, r->model, st);
}

/* What another session has run: a conversation that was taken back, or asked for anew. The last token is run,
 * for its logits. */
static bool take_over(struct reply *r, const struct token_list *prompt, size_t *done, struct status *st) {
    size_t n = prompt->n > *done ? engine_reuse(r->session, prompt->ids + *done, prompt->n - *done - 1) : 0;
    for (size_t end = *done + n; *done < end; (*done)++)
        if (!token_list_add(&r->fed, prompt->ids[*done], st)) return false;
    return true;
}

static bool feed(struct reply *r, const int32_t *ids, size_t n, enum engine_logits want, struct status *st) {
    if (!engine_feed(r->session, ids, n, want, r->logits, st)) return false;
    for (size_t i = 0; i < n; i++)
        if (!token_list_add(&r->fed, ids[i], st)) return false;
    return true;
}

/* Its text goes through the decoder unseen, so that the reply continues it exactly. */
static bool prefill(struct reply *r, const struct token_list *prompt, struct status *st) {
    double start = reply_now();
    size_t done;
    tokenizer_stream_begin(&r->stream, engine_tokenizer(r->model), false);
    for (size_t i = 0; i < prompt->n; i++) {
        tokenizer_stream_put(&r->stream, prompt->ids[i], &r->piece);
        sample_seen(&r->sampler, prompt->ids[i]);
    }
    str_clear(&r->piece);
    if (!keep_common(r, prompt, &done, st) || !take_over(r, prompt, &done, st)) return false;
    size_t kept = done;
    size_t part = FEW;
    for (size_t n; done < prompt->n && !interrupted; done += n) {
        double began = reply_now();
        n = prompt->n - done < part ? prompt->n - done : part;
        if (!feed(r, prompt->ids + done, n, done + n == prompt->n ? ENGINE_LOGITS_LAST : ENGINE_LOGITS_NONE,
                  st))
            return false;
        show_progress(r, done + n, prompt->n, start);
        if (reply_now() - began < 0.1 && part < MANY) part *= 2;
        if (reply_now() - began > 0.5 && part > 1) part /= 2;
    }
    r->n_reused = kept;
    r->n_run = done - kept;
    if (interrupted) show_progress(r, 1, 1, start);
    r->prefill_s = reply_now() - start;
    return true;
}

/* --- the reply ----------------------------------------------------------------------------------------- */

/* NaN is no id: a model with damaged weights would go on with id 0 for ever. */
static bool next_id(int32_t *id, struct reply *r, struct status *st) {
    return sample_next(id, &r->sampler, r->logits) ||
           status_fail(st, STATUS_BAD_INPUT,
                       "%.120s: after %zu tokens the model gives no numbers (NaN): its weights are damaged; "
                       "fetch or convert it again",
                       r->path, engine_position(r->session));
}

static bool is_end(const struct reply *r, int32_t id) {
    return r->chat ? chat_is_end(r->chat, id) : tokenizer_is_end(engine_tokenizer(r->model), id);
}

/* One token; *more = false when the reply ends with it. */
static bool step(struct reply *r, long n_max, bool *more, struct status *st) {
    int32_t id;
    if (!next_id(&id, r, st)) return false;
    *more = !is_end(r, id);
    if (!*more) return true;
    sample_seen(&r->sampler, id);
    tokenizer_stream_put(&r->stream, id, &r->piece);
    if (!token_list_add(&r->ids, id, st) || !show(r, st)) return false;
    bool enough = n_max >= 0 && r->ids.n == (size_t)n_max;
    bool full = engine_position(r->session) == engine_context(r->model);
    if (enough || full) r->end = enough ? REPLY_LENGTH : REPLY_CONTEXT;
    *more = !enough && !full;
    if (!*more) return true;
    r->n_decoded++;
    return feed(r, &id, 1, ENGINE_LOGITS_LAST, st);
}

static bool decode(struct reply *r, long n_max, struct status *st) {
    double start = reply_now();
    bool ok = true, more = n_max != 0;
    if (!more) r->end = REPLY_LENGTH;
    while (ok && more && !interrupted) ok = step(r, n_max, &more, st);
    if (interrupted) r->end = REPLY_INTERRUPTED;
    r->decode_s = reply_now() - start;
    tokenizer_stream_end(&r->stream, &r->piece);
    return ok && show(r, st);
}

bool reply_run(struct reply *r, const struct token_list *prompt, long n_max, struct status *st) {
    size_t context = engine_context(r->model);
    if (prompt->n > context)
        return status_fail(st, STATUS_BAD_INPUT,
                           "the prompt has %zu tokens and the context holds %zu; shorten it", prompt->n,
                           context);
    str_clear(&r->text);
    r->ids.n = r->n_decoded = 0;
    r->n_prompt = prompt->n;
    r->end = REPLY_ENDED;
    r->ends_line = false;
    r->decode_s = 0;
    return prefill(r, prompt, st) &&
           (interrupted ? (r->end = REPLY_INTERRUPTED, true) : decode(r, n_max, st));
}

/* --- what is said about it ----------------------------------------------------------------------------- */

const char *reply_end_name(enum reply_end end) {
    static const char *const names[] = {"end", "length", "context", "interrupt"};
    return names[end];
}

/* "5 prompt tokens (reused 3), 410.2 tok/s": the rate of those that were run, where any were. */
static void put_rate(struct str *out, size_t n_tokens, const char *whose, size_t n_reused, size_t n_run,
                     double time) {
    str_printf(out, "%zu %s token%s", n_tokens, whose, n_tokens == 1 ? "" : "s");
    if (n_reused) str_printf(out, " (reused %zu)", n_reused);
    if (n_run && time > 0) str_printf(out, ", %.1f tok/s", (double)n_run / time);
    str_puts(out, "; ");
}

void reply_speed(struct str *out, const struct reply *r) {
    const struct sample_options *o = &r->sampler.options;
    put_rate(out, r->n_prompt, "prompt", r->n_reused, r->n_run, r->prefill_s);
    put_rate(out, r->ids.n, "reply", 0, r->n_decoded, r->decode_s);
    str_puts(out, engine_describe(r->model));
    if (o->temperature > 0) str_printf(out, "; seed %llu", (unsigned long long)o->seed);
    if (r->end == REPLY_CONTEXT) str_puts(out, "; stopped: the context is full");
    if (r->end == REPLY_INTERRUPTED) str_puts(out, "; stopped: Ctrl-C");
}
