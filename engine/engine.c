#include "engine/engine.h"

#include "engine/backend/backend.h"
#include "engine/file/checkpoint.h"
#include "engine/model/model.h"
#include "engine/model/rotary.h"
#include "engine/session/batcher.h"
#include "engine/session/pagetable.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct engine_model {
    struct gguf *file;
    struct tokenizer *tokenizer;
    struct arena arena; /* the program */
    struct program program;
    struct backend *backend;
    struct pagetable pages;
    struct batcher batcher;
    bool shares;   /* sessions find the pages of others */
    uint64_t step; /* counts engine_step, to see a session that comes twice */
};

struct engine_session {
    struct engine_model *model;
    int32_t sequence;
    size_t position, n_reused;
    uint64_t step;
    bool extended; /* beyond program.extended_from: rotates by the second tables, from position 0 on */
    int32_t *ids;  /* [context] what was fed, and what the step feeds */
    /* Of the step in progress: */
    size_t begin, end; /* positions that are run; begin == end: none */
    int32_t nearest;   /* the page whose first n_nearest positions are copied before begin ... */
    size_t n_nearest;  /* ... or RADIX_NONE */
    bool extends;      /* goes beyond program.extended_from with this step */
};

enum { DEFAULT_CHUNK = 512, MAX_CHUNK = 1 << 16 };

/* --- a model ------------------------------------------------------------------------------------------- */

static bool read_kv(enum kv_type *out, const struct engine_options *o, struct status *st) {
    *out = KV_F32;
    return !o->kv || kv_type_find(out, o->kv) ||
           status_fail(st, STATUS_USAGE,
                       "there is no type '%s' of keys and values; use f32, f16, bf16 or q8_0", o->kv);
}

/* Positions whose keys and values take half of the machine's memory: more would end in the swap. */
static size_t context_that_fits(const struct hparams *h, enum kv_type kv) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return h->context;
    size_t fits = (size_t)pages / 2 * (size_t)page / hparams_kv_bytes(h, kv);
    return fits < h->context ? fits : h->context;
}

static bool open_program(struct engine_model *m, const struct engine_options *o, enum kv_type kv,
                         size_t *room, struct status *st) {
    struct hparams h;
    if (!model_runs(m->file, st) || !hparams_read(&h, m->file, st)) return false;
    *room = o->context ? o->context : context_that_fits(&h, kv);
    if (*room < h.context) h.context = *room;
    if (h.context == 0)
        return status_fail(st, STATUS_NO_MEMORY,
                           "%.120s: this machine's memory cannot hold one position of %zu bytes",
                           gguf_path(m->file), hparams_kv_bytes(&h, kv));
    return model_build(&m->program, &m->arena, m->file, &h, st);
}

/* In a GGUF file, or beside the weights. */
static bool open_tokenizer(struct engine_model *m, const char *path, struct status *st) {
    bool inside = gguf_find(m->file, "tokenizer.ggml.model");
    if (inside ? !tokenizer_open_gguf(&m->tokenizer, m->file, st) : !tokenizer_open(&m->tokenizer, path, st))
        return false;
    size_t n = tokenizer_n_vocab(m->tokenizer);
    return n <= m->program.n_vocab ||
           status_fail(st, STATUS_BAD_INPUT,
                       "%.120s: the tokenizer has %zu ids, but token_embd.weight only %zu rows",
                       gguf_path(m->file), n, m->program.n_vocab);
}

static bool open_backend(struct engine_model *m, const struct engine_options *o, enum kv_type kv, size_t room,
                         struct status *st) {
    size_t n_pages = room / KV_PAGE + (room % KV_PAGE != 0);
    size_t per_sequence = (m->program.context + KV_PAGE - 1) / KV_PAGE;
    size_t chunk = o->chunk ? o->chunk : DEFAULT_CHUNK;
    if (chunk > room) chunk = room;
    struct backend_options options = {
        .isa = o->isa ? o->isa : "auto",
        .threads = o->threads,
        .activations = o->activations,
        .max_batch = chunk < MAX_CHUNK ? chunk : MAX_CHUNK,
        .n_pages = n_pages,
        .kv = kv,
        .unpinned = o->unpinned,
        .progress = o->progress,
        .progress_arg = o->progress_arg,
    };
    struct str path = {0}, key = {0};
    checkpoint_let_go(m->file); /* what the tokenizer took a copy of */
    bool ok = !o->cache_panels ||
              (checkpoint_beside(&path, m->file, "fak-panels", st) && checkpoint_identity(&key, m->file, st));
    if (o->cache_panels) options.cache_path = str_c(&path), options.cache_key = (struct view){key.at, key.n};
    ok = ok && backend_open_cpu(&m->backend, &m->program, &options, st) &&
         pagetable_init(&m->pages, n_pages, per_sequence, st) &&
         batcher_init(&m->batcher, m->backend, &m->pages, options.max_batch, m->program.n_vocab, st);
    str_free(&path);
    str_free(&key);
    return ok;
}

bool engine_open(struct engine_model **out, const char *path, const struct engine_options *options,
                 struct status *st) {
    static const struct engine_options defaults;
    if (!options) options = &defaults;
    *out = NULL;
    struct engine_model *m = calloc(1, sizeof *m);
    if (!m) return status_fail(st, STATUS_NO_MEMORY, "out of memory opening '%s'", path);
    size_t room = 0;
    enum kv_type kv;
    bool ok = checkpoint_open(&m->file, path, st) && read_kv(&kv, options, st) &&
              open_program(m, options, kv, &room, st) && (options->ids_only || open_tokenizer(m, path, st)) &&
              open_backend(m, options, kv, room, st);
    /* A state (delta net, short convolution) is of one position and as large as many pages: none is kept, so
     * a session has to begin at its first token. */
    m->shares = !options->no_prefix && m->program.n_states == 0;
    m->batcher.stop = options->stop;
    m->batcher.stop_arg = options->stop_arg;
    if (ok) *out = m;
    else engine_close(m);
    return ok;
}

void engine_close(struct engine_model *m) {
    if (!m) return;
    batcher_release(&m->batcher);
    pagetable_release(&m->pages);
    if (m->backend) backend_close(m->backend);
    arena_release(&m->arena);
    if (m->tokenizer) tokenizer_close(m->tokenizer);
    gguf_close(m->file);
    free(m);
}

const struct tokenizer *engine_tokenizer(const struct engine_model *m) { return m->tokenizer; }
const struct gguf *engine_file(const struct engine_model *m) { return m->file; }
size_t engine_n_vocab(const struct engine_model *m) { return m->program.n_vocab; }
size_t engine_context(const struct engine_model *m) { return m->program.context; }
const char *engine_note(const struct engine_model *m) { return backend_note(m->backend); }
const char *engine_describe(const struct engine_model *m) { return backend_describe(m->backend); }

/* --- sessions ------------------------------------------------------------------------------------------ */

bool engine_session_open(struct engine_session **out, struct engine_model *model, struct status *st) {
    *out = NULL;
    struct engine_session *s = calloc(1, sizeof *s);
    if (s) s->ids = calloc(model->program.context, sizeof *s->ids);
    bool ok = (s && s->ids) || status_fail(st, STATUS_NO_MEMORY, "out of memory opening a session");
    if (!ok || !pagetable_open(&s->sequence, &model->pages, st)) {
        if (s) free(s->ids);
        free(s);
        return false;
    }
    s->model = model;
    s->nearest = RADIX_NONE;
    if (!backend_sequences(model->backend, model->pages.n_sequences, st)) {
        engine_session_close(s);
        return false;
    }
    *out = s;
    return true;
}

void engine_session_close(struct engine_session *s) {
    if (!s) return;
    pagetable_close(&s->model->pages, s->sequence);
    free(s->ids);
    free(s);
}

size_t engine_position(const struct engine_session *s) { return s->position; }
size_t engine_reused(const struct engine_session *s) { return s->n_reused; }

/* --- prefixes ------------------------------------------------------------------------------------------- */

/* Takes over what the tree has of the session's ids up to position `limit`: whole pages, and of the next one
 * the page that has most of it, to copy. A copy costs about what reading the page once does, running its
 * tokens again the model; and a partly filled page cannot be shared itself, for its next token is to come.
 */
static void adopt(struct engine_session *s, size_t limit) {
    struct engine_model *m = s->model;
    s->begin = s->position;
    if (!m->shares || s->begin % KV_PAGE != 0 || limit <= s->begin) return;
    s->begin = pagetable_adopt(&m->pages, s->sequence, s->ids, limit);
    s->nearest =
        pagetable_nearest(&s->n_nearest, &m->pages, s->sequence, s->ids + s->begin, limit - s->begin);
}

static void forget_nearest(struct engine_session *s) {
    if (s->nearest != RADIX_NONE) radix_drop(&s->model->pages.tree, s->nearest);
    s->nearest = RADIX_NONE;
}

/* The page that the copy goes to has been taken. */
static void copy_nearest(struct engine_session *s) {
    const struct pagetable *table = &s->model->pages;
    if (s->nearest == RADIX_NONE) return;
    size_t at = (size_t)s->sequence * table->pages_per_sequence + s->begin / KV_PAGE;
    backend_copy_page(s->model->backend, table->pages[at], s->nearest);
    s->begin += s->n_nearest;
    forget_nearest(s);
}

/* What has been adopted counts as fed. */
static void settle(struct engine_session *s) {
    if (s->begin > s->position) s->n_reused += s->begin - s->position;
}

/* Pages that became full: only now that all of their positions have been run. */
static void publish(struct engine_session *s) {
    struct pagetable *table = &s->model->pages;
    const struct pagetable_row *row = &table->rows[s->sequence];
    while (s->model->shares && (row->n_shared + 1) * KV_PAGE <= s->position)
        pagetable_publish(table, s->sequence, s->ids + row->n_shared * KV_PAGE);
}

size_t engine_reuse(struct engine_session *s, const int32_t *ids, size_t n) {
    struct engine_model *m = s->model;
    size_t room = m->program.context - s->position, before = s->n_reused;
    if (n > room) n = room;
    memcpy(s->ids + s->position, ids, n * sizeof *ids);
    adopt(s, s->position + n);
    if (s->nearest != RADIX_NONE && pagetable_available(&m->pages) > 0) {
        pagetable_take(&m->pages, s->sequence, s->begin + s->n_nearest);
        copy_nearest(s);
    }
    forget_nearest(s);
    settle(s);
    s->position = s->begin;
    return s->n_reused - before;
}

/* --- running ---------------------------------------------------------------------------------------- */

static bool check_part(const struct engine_model *m, const struct engine_part *part, struct status *st) {
    const struct program *p = &m->program;
    if (part->want == ENGINE_LOGITS_LAST && part->n == 0)
        return status_fail(st, STATUS_USAGE, "no tokens, so there are no logits of the last one");
    if (part->n > p->context - part->session->position)
        return status_fail(st, STATUS_BAD_INPUT, "%zu tokens after %zu exceed the context of %zu positions",
                           part->n, part->session->position, p->context);
    for (size_t i = 0; i < part->n; i++)
        if (part->ids[i] < 0 || (size_t)part->ids[i] >= p->n_vocab)
            return status_fail(st, STATUS_BAD_INPUT, "id %d (number %zu) is outside the vocabulary: 0 to %zu",
                               part->ids[i], i + 1, p->n_vocab - 1);
    return true;
}

/* Tokens in front of this position need no run when the tree has them: the logits of the others are asked
 * for.
 */
static size_t reusable(const struct engine_part *part) {
    size_t position = part->session->position;
    if (part->want == ENGINE_LOGITS_ALL) return position;
    return position + part->n - (part->want == ENGINE_LOGITS_LAST);
}

/* A sequence that leaves the context of the first training rotates by other frequencies, at all of its
 * positions (longrope): what it holds so far is run once more, into other pages, for its own may be shared.
 */
static void plan_part(const struct engine_part *part) {
    struct engine_session *s = part->session;
    size_t from = s->model->program.extended_from;
    memcpy(s->ids + s->position, part->ids, part->n * sizeof *part->ids);
    s->end = s->position + part->n;
    s->extends = from && !s->extended && s->end > from;
    if (!s->extends) adopt(s, reusable(part));
}

static size_t missing_pages(const struct engine_part *parts, size_t n) {
    size_t missing = 0;
    for (size_t i = 0; i < n; i++) {
        const struct engine_session *s = parts[i].session;
        const struct pagetable *table = &s->model->pages;
        missing += pagetable_missing(table, s->sequence, s->end);
        if (s->extends) {
            size_t held = table->rows[s->sequence].n_held, own = pagetable_own(table, s->sequence);
            missing += held - own; /* those that others have, too, do not come back */
        }
    }
    return missing;
}

/* Pages are counted before one is taken. A page that is to be copied counts as one that is not to be had, so
 * without room for it its tokens are run. */
static bool plan_step(struct engine_model *m, const struct engine_part *parts, size_t n, struct status *st) {
    for (size_t i = 0; i < n; i++) plan_part(&parts[i]);
    if (missing_pages(parts, n) > pagetable_available(&m->pages))
        for (size_t i = 0; i < n; i++) forget_nearest(parts[i].session);
    size_t missing = missing_pages(parts, n), available = pagetable_available(&m->pages);
    if (missing <= available) return true;
    for (size_t i = 0; i < n; i++)
        pagetable_cut(&m->pages, parts[i].session->sequence, parts[i].session->position);
    return status_fail(st, STATUS_NO_MEMORY,
                       "the sessions of this model share %zu positions and these tokens need %zu more than "
                       "are free; close a session or open the model with a larger context",
                       m->pages.n_pages * KV_PAGE, (missing - available) * KV_PAGE);
}

/* All or nothing: every part is checked before anything changes. */
static bool check_step(struct engine_model *m, const struct engine_part *parts, size_t n, struct status *st) {
    m->step++;
    for (size_t i = 0; i < n; i++) {
        struct engine_session *s = parts[i].session;
        assert(s->model == m && s->step != m->step);
        s->step = m->step;
        if (!check_part(m, &parts[i], st)) return false;
    }
    return plan_step(m, parts, n, st);
}

static void reach(const struct program *p, size_t n) {
    for (int i = 0; i < p->n_ropes; i++)
        for (int j = 0; j < 2; j++)
            if (p->ropes[i].rotary[j]) rotary_reach(p->ropes[i].rotary[j], n);
}

/* Its old pages are given back; the tree may hold this text's extended ones. */
static void extend(const struct engine_part *part) {
    struct engine_session *s = part->session;
    if (!s->extends) return;
    size_t limit = reusable(part);
    pagetable_restart(&s->model->pages, s->sequence, 1);
    s->extended = true;
    s->position = 0;
    adopt(s, limit);
    forget_nearest(s);
}

static void put_part(struct engine_model *m, const struct engine_part *part) {
    const struct engine_session *s = part->session;
    reach(&m->program, s->end);
    for (size_t i = s->begin; i < s->end; i++) {
        bool wants = (part->want == ENGINE_LOGITS_ALL && i >= s->end - part->n) ||
                     (part->want == ENGINE_LOGITS_LAST && i + 1 == s->end);
        batcher_put(&m->batcher, s->sequence, i, s->ids[i], wants, s->extended);
    }
}

/* Of the n_ran tokens that were run since the first part began, those of this one; the rest is as if it had
 * not been fed. */
static void finish_part(struct engine_session *s, size_t *n_ran) {
    size_t n = s->end - s->begin;
    if (n > *n_ran) n = *n_ran;
    *n_ran -= n;
    settle(s);
    s->position = s->begin + n;
    pagetable_cut(&s->model->pages, s->sequence, s->position);
    publish(s);
}

bool engine_step(struct engine_model *m, const struct engine_part *parts, size_t n_parts, float *logits,
                 struct status *st) {
    if (!check_step(m, parts, n_parts, st)) return false;
    for (size_t i = 0; i < n_parts; i++) extend(&parts[i]);
    for (size_t i = 0; i < n_parts; i++)
        pagetable_take(&m->pages, parts[i].session->sequence, parts[i].session->end);
    for (size_t i = 0; i < n_parts; i++) copy_nearest(parts[i].session);
    batcher_begin(&m->batcher, logits);
    for (size_t i = 0; i < n_parts; i++) put_part(m, &parts[i]);
    batcher_end(&m->batcher);
    size_t n_ran = m->batcher.n_ran;
    for (size_t i = 0; i < n_parts; i++) finish_part(parts[i].session, &n_ran);
    return !m->batcher.stopped ||
           status_fail(st, STATUS_STOPPED, "stopped after %zu tokens", m->batcher.n_ran);
}

bool engine_feed(struct engine_session *s, const int32_t *ids, size_t n, enum engine_logits want,
                 float *logits, struct status *st) {
    return engine_step(s->model, &(struct engine_part){s, ids, n, want}, 1, logits, st);
}
