#include "engine/engine.h"

#include "engine/backend/backend.h"
#include "engine/file/checkpoint.h"
#include "engine/model/model.h"
#include "engine/model/rotary.h"
#include "engine/session/batcher.h"
#include "engine/session/pagetable.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

struct engine_model {
    struct gguf *file;
    struct tokenizer *tokenizer;
    struct arena arena; /* the program */
    struct program program;
    struct backend *backend;
    struct pagetable pages;
    struct batcher batcher;
    uint64_t step; /* counts engine_step, to see a session that comes twice */
};

struct engine_session {
    struct engine_model *model;
    int32_t sequence;
    size_t position;
    uint64_t step;
    bool extended;    /* beyond program.extended_from: rotates by the second tables, from position 0 on */
    int32_t *history; /* the ids until then, to run them again; NULL: the model has no second tables */
};

enum { DEFAULT_CHUNK = 512, MAX_CHUNK = 1 << 16 };

/* --- a model ------------------------------------------------------------------------------------------- */

/* Positions whose keys and values take half of the machine's memory: more would end in the swap. */
static size_t context_that_fits(const struct hparams *h) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return h->context;
    size_t fits = (size_t)pages / 2 * (size_t)page / hparams_kv_bytes(h);
    return fits < h->context ? fits : h->context;
}

static bool open_program(struct engine_model *m, const struct engine_options *o, size_t *room,
                         struct status *st) {
    struct hparams h;
    if (!model_runs(m->file, st) || !hparams_read(&h, m->file, st)) return false;
    *room = o->context ? o->context : context_that_fits(&h);
    if (*room < h.context) h.context = *room;
    if (h.context == 0)
        return status_fail(st, STATUS_NO_MEMORY,
                           "%.120s: this machine's memory cannot hold one position of %zu bytes",
                           gguf_path(m->file), hparams_kv_bytes(&h));
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

static bool open_backend(struct engine_model *m, const struct engine_options *o, size_t room,
                         struct status *st) {
    size_t n_pages = room / KV_PAGE + (room % KV_PAGE != 0);
    size_t per_sequence = (m->program.context + KV_PAGE - 1) / KV_PAGE;
    size_t chunk = o->chunk ? o->chunk : DEFAULT_CHUNK;
    if (chunk > room) chunk = room;
    const struct backend_options options = {
        .isa = o->isa ? o->isa : "auto",
        .threads = o->threads,
        .max_batch = chunk < MAX_CHUNK ? chunk : MAX_CHUNK,
        .n_pages = n_pages,
    };
    return backend_open_cpu(&m->backend, &m->program, &options, st) &&
           pagetable_init(&m->pages, n_pages, per_sequence, st) &&
           batcher_init(&m->batcher, m->backend, &m->pages, options.max_batch, m->program.n_vocab, st);
}

bool engine_open(struct engine_model **out, const char *path, const struct engine_options *options,
                 struct status *st) {
    static const struct engine_options defaults;
    if (!options) options = &defaults;
    *out = NULL;
    struct engine_model *m = calloc(1, sizeof *m);
    if (!m) return status_fail(st, STATUS_NO_MEMORY, "out of memory opening '%s'", path);
    size_t room = 0;
    bool ok = checkpoint_open(&m->file, path, st) && open_program(m, options, &room, st) &&
              (options->ids_only || open_tokenizer(m, path, st)) && open_backend(m, options, room, st);
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
const char *engine_describe(const struct engine_model *m) { return backend_describe(m->backend); }

/* --- sessions ------------------------------------------------------------------------------------------ */

bool engine_session_open(struct engine_session **out, struct engine_model *model, struct status *st) {
    *out = NULL;
    struct engine_session *s = calloc(1, sizeof *s);
    if (!s) return status_fail(st, STATUS_NO_MEMORY, "out of memory opening a session");
    s->model = model;
    size_t n = model->program.extended_from;
    if (n && n < model->program.context) {
        s->history = calloc(n, sizeof *s->history);
        if (!s->history) status_fail(st, STATUS_NO_MEMORY, "out of memory opening a session");
    }
    if ((n && n < model->program.context && !s->history) ||
        !pagetable_open(&s->sequence, &model->pages, st)) {
        free(s->history);
        free(s);
        return false;
    }
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
    free(s->history);
    free(s);
}

size_t engine_position(const struct engine_session *s) { return s->position; }

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

/* All or nothing: every part is checked and the pages are counted before one is taken. */
static bool check_step(struct engine_model *m, const struct engine_part *parts, size_t n, struct status *st) {
    size_t missing = 0;
    m->step++;
    for (size_t i = 0; i < n; i++) {
        struct engine_session *s = parts[i].session;
        assert(s->model == m && s->step != m->step);
        s->step = m->step;
        if (!check_part(m, &parts[i], st)) return false;
        missing += pagetable_missing(&m->pages, s->sequence, s->position + parts[i].n);
    }
    if (missing <= m->pages.n_free) return true;
    return status_fail(st, STATUS_NO_MEMORY,
                       "the sessions of this model share %zu positions and these tokens need %zu more than "
                       "are free; close a session or open the model with a larger context",
                       m->pages.n_pages * KV_PAGE, (missing - m->pages.n_free) * KV_PAGE);
}

static void reach(const struct program *p, size_t n) {
    for (int i = 0; i < p->n_ropes; i++)
        for (int j = 0; j < 2; j++)
            if (p->ropes[i].rotary[j]) rotary_reach(p->ropes[i].rotary[j], n);
}

/* A sequence that leaves the context of the first training rotates by other frequencies, at all of its
 * positions (longrope): what it holds so far is run once more, into the same pages. */
static void extend(struct engine_model *m, struct engine_session *s, size_t n) {
    if (!s->history || s->extended || n <= m->program.extended_from) return;
    s->extended = true;
    for (size_t i = 0; i < s->position; i++)
        batcher_put(&m->batcher, s->sequence, i, s->history[i], false, true);
}

static void run_part(struct engine_model *m, const struct engine_part *part) {
    struct engine_session *s = part->session;
    pagetable_take(&m->pages, s->sequence, s->position + part->n);
    reach(&m->program, s->position + part->n);
    extend(m, s, s->position + part->n);
    for (size_t i = 0; i < part->n; i++) {
        bool wants =
            part->want == ENGINE_LOGITS_ALL || (part->want == ENGINE_LOGITS_LAST && i + 1 == part->n);
        if (s->history && !s->extended) s->history[s->position] = part->ids[i];
        batcher_put(&m->batcher, s->sequence, s->position++, part->ids[i], wants, s->extended);
    }
}

bool engine_step(struct engine_model *m, const struct engine_part *parts, size_t n_parts, float *logits,
                 struct status *st) {
    if (!check_step(m, parts, n_parts, st)) return false;
    batcher_begin(&m->batcher, logits);
    for (size_t i = 0; i < n_parts; i++) run_part(m, &parts[i]);
    batcher_end(&m->batcher);
    return true;
}

bool engine_feed(struct engine_session *s, const int32_t *ids, size_t n, enum engine_logits want,
                 float *logits, struct status *st) {
    return engine_step(s->model, &(struct engine_part){s, ids, n, want}, 1, logits, st);
}
