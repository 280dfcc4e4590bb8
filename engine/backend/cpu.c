/* The CPU backend: memory, running, opening (cpuplan.c: planning). */
#include "engine/backend/cpu.h"

#include "base/checked.h"
#include "engine/kernels/panel.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGN = 64,
    /* A stage of less work (f32 operations, roughly) is done by one thread alone: sharing it would cost more
     * in barriers, about half a microsecond each, than it saves. */
    ALONE_WORK = 16384,
};

/* Memory is planned by walking the program twice: once to count, once to place. */
struct room {
    char *base; /* NULL while counting */
    size_t used;
    bool too_large;
};

/* --- memory ----------------------------------------------------------------------------------------- */

static void *place(struct room *room, size_t n, size_t size) {
    size_t bytes, end;
    if (!checked_mul(&bytes, n, size) || !checked_add(&end, room->used, bytes) || end > SIZE_MAX - ALIGN) {
        room->too_large = true;
        return NULL;
    }
    void *at = room->base ? room->base + room->used : NULL;
    room->used = (end + ALIGN - 1) / ALIGN * ALIGN;
    return at;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t widest_row(const struct program *p) {
    size_t width = 1;
    for (int i = 0; i < p->n_buffers; i++) width = larger(width, p->widths[i]);
    return width;
}

size_t cpu_n_panels(const struct weight *w) { return (w->n_rows + LINEAR_ROWS - 1) / LINEAR_ROWS; }

static size_t panel_bytes(const struct weight *w) {
    return w->n_cols / QUANT_BLOCK * panel_block_bytes(w->type);
}

/* A matrix that is not rows of blocks is ref's. */
const struct kernel *cpu_linear_kernel(const struct backend *b, const struct weight *w) {
    return w->layout ? kernel_find("linear", "ref", "") : kernel_find_linear(w->type, b->lane, b->clone);
}

/* Panels for the weights that the lane's kernel wants re-laid. */
static void place_panels(struct backend *b, struct room *room) {
    const struct program *p = b->program;
    b->panels = place(room, (size_t)p->n_weights, sizeof *b->panels);
    for (int s = 0; s < p->n_steps; s++) {
        if (p->steps[s].op != OP_linear) continue;
        for (int i = 0; i < p->steps[s].n; i++) {
            int index = p->steps[s].weight[i];
            const struct weight *w = &p->weights[index];
            const struct kernel *kernel = cpu_linear_kernel(b, w);
            bool panels = strcmp(kernel->lane, "ref") != 0 && panel_block_bytes(w->type) > 0;
            if (!panels || (b->panels && b->panels[index])) continue;
            void *at = place(room, cpu_n_panels(w), panel_bytes(w));
            if (b->panels) b->panels[index] = at;
        }
    }
}

/* The hungriest attention decides. */
static size_t scratch_of(const struct program *p, size_t width) {
    size_t most = kernel_scratch(width, 1, 1);
    for (const struct step *s = p->steps; s < p->steps + p->n_steps; s++) {
        if (s->op != OP_attention && s->op != OP_dsa_attention) continue;
        const struct program_cache *cache = &p->caches[s->cache];
        size_t dim = larger(cache->key_dim, cache->value_dim);
        most = larger(most, kernel_scratch(width, dim, s->heads[0] / cache->n_heads));
    }
    return most;
}

static void place_all(struct backend *b, struct room *room) {
    const struct program *p = b->program;
    size_t width = widest_row(p);
    b->stages = place(room, CPU_STAGES_A_STEP * (size_t)p->n_steps, sizeof *b->stages);
    b->jobs = place(room, CPU_JOBS_A_STEP * (size_t)p->n_steps, sizeof *b->jobs);
    b->buffers = place(room, (size_t)p->n_buffers, sizeof *b->buffers);
    b->buffer_is_wanted = place(room, (size_t)p->n_buffers, sizeof *b->buffer_is_wanted);
    b->wanted = place(room, b->max_batch, sizeof *b->wanted);
    b->scratch_bytes = (scratch_of(p, width) + ALIGN - 1) / ALIGN * ALIGN;
    b->scratch = place(room, pool_threads(b->pool), b->scratch_bytes);
    for (int i = 0; i < p->n_buffers; i++) {
        size_t row_bytes = p->widths[i] * sizeof(float);
        void *at = i == p->logits ? NULL : place(room, b->max_batch, row_bytes);
        if (b->buffers) b->buffers[i] = (struct rows){at, p->widths[i], p->widths[i]};
    }
    b->quantized.q = place(room, b->max_batch, width * sizeof *b->quantized.q);
    b->quantized.scale = place(room, b->max_batch, (width / QUANT_BLOCK + 1) * sizeof(float));
    b->quantized.scaled_sum = place(room, b->max_batch, (width / QUANT_BLOCK + 1) * sizeof(float));
    place_panels(b, room);
}

static bool plan_memory(struct backend *b, struct status *st) {
    struct room room = {0};
    place_all(b, &room);
    if (room.too_large)
        return status_fail(st, STATUS_NO_MEMORY, "weights and a batch of %zu tokens overflow an address",
                           b->max_batch);
    if (!region_open(&b->memory, room.used, true, "weights and activations", st)) return false;
    room = (struct room){.base = b->memory.at};
    place_all(b, &room);
    return true;
}

/* Page by page, all layers of a page together, so that memory is touched as the context grows. */
static bool plan_pages(struct backend *b, struct status *st) {
    const struct program *p = b->program;
    size_t bytes, width = 0;
    for (int i = 0; i < p->n_caches; i++)
        width += p->caches[i].n_heads * (p->caches[i].key_dim + p->caches[i].value_dim);
    bool fits = checked_mul(&b->page_stride, width, KV_PAGE) &&
                checked_mul(&bytes, b->page_stride, b->n_pages) && checked_mul(&bytes, bytes, sizeof(float));
    if (!fits)
        return status_fail(st, STATUS_NO_MEMORY,
                           "%zu pages of keys and values overflow an address; ask for less context",
                           b->n_pages);
    for (int i = 0; i < p->n_states; i++) b->state_stride += p->states[i];
    return region_open(&b->pages, bytes, false, "keys and values (less with a smaller context)", st);
}

/* Every thread takes its share of each weight's panels. */
static void pack_panels(void *arg, size_t thread, size_t n_threads) {
    const struct backend *b = arg;
    for (int i = 0; i < b->program->n_weights; i++) {
        const struct weight *w = &b->program->weights[i];
        size_t n = cpu_n_panels(w), end = n * (thread + 1) / n_threads;
        for (size_t panel = n * thread / n_threads; b->panels[i] && panel < end; panel++)
            panel_pack((char *)b->panels[i] + panel * panel_bytes(w), w->type, w->data, w->n_rows, w->n_cols,
                       panel);
    }
}

/* --- running --- */

static size_t job_units(const struct job *job) { return job->units + job->units_per_row * job->task.n; }

static size_t stage_work(const struct backend *b, const struct stage *stage) {
    size_t work = 0;
    for (const struct job *job = &b->jobs[stage->first]; job < &b->jobs[stage->first + stage->n]; job++)
        work += job_units(job) * job->work_per_unit * (job->work_by_row ? job->task.n : 1);
    return work;
}

static size_t stage_units(const struct backend *b, const struct stage *stage) {
    size_t units = 0;
    for (size_t i = 0; i < stage->n; i++) units += job_units(&b->jobs[stage->first + i]);
    return units;
}

/* Units [begin, end) of the stage, its jobs one behind the other. */
static void run_units(const struct backend *b, const struct stage *stage, size_t begin, size_t end,
                      void *scratch) {
    size_t before = 0;
    for (const struct job *job = &b->jobs[stage->first]; job < &b->jobs[stage->first + stage->n]; job++) {
        size_t n = job_units(job), from = larger(begin, before) - before;
        size_t to = end < before + n ? end : before + n;
        if (to > before && from < to - before) job->kernel->run(&job->task, from, to - before, scratch);
        before += n;
    }
}

static void run_stages(void *arg, size_t thread, size_t n_threads) {
    const struct backend *b = arg;
    void *scratch = b->scratch + thread * b->scratch_bytes;
    bool was_alone = true;
    for (const struct stage *stage = b->stages; stage < b->stages + b->n_stages; stage++) {
        bool alone = stage_work(b, stage) <= ALONE_WORK;
        size_t units = stage_units(b, stage);
        if (!alone || !was_alone) pool_barrier(b->pool);
        if (!alone)
            run_units(b, stage, units * thread / n_threads, units * (thread + 1) / n_threads, scratch);
        else if (thread == 0) run_units(b, stage, 0, units, scratch);
        was_alone = alone;
    }
}

static void check_batch(const struct backend *b, const struct batch *batch) {
    assert(batch->n <= b->max_batch);
    assert(b->state_stride == 0 || batch->n_sequences <= b->n_sequences);
    for (size_t i = 0; i < batch->n; i++) {
        size_t position = (size_t)batch->positions[i];
        assert(batch->ids[i] >= 0 && (size_t)batch->ids[i] < b->program->n_vocab);
        assert(batch->positions[i] >= 0 && position < b->program->context);
        assert(batch->sequences[i] >= 0 && (size_t)batch->sequences[i] < batch->n_sequences);
        assert(position / KV_PAGE < batch->pages_per_sequence);
        int32_t page = tokens_page(&b->tokens, i, position);
        assert(page >= 0 && (size_t)page < b->n_pages);
        (void)page;
    }
}

void backend_run(struct backend *b, const struct batch *batch, float *logits) {
    size_t n_wanted = 0;
    for (size_t i = 0; i < batch->n; i++)
        if (batch->wants_logits[i]) b->wanted[n_wanted++] = i;
    b->tokens = (struct tokens){.ids = batch->ids,
                                .positions = batch->positions,
                                .sequences = batch->sequences,
                                .pages = batch->pages,
                                .pages_per_sequence = batch->pages_per_sequence,
                                .wanted = b->wanted,
                                .extended = batch->extended};
    check_batch(b, batch);
    for (struct job *job = b->jobs; job < b->jobs + b->n_jobs; job++) {
        job->task.n = job->wanted_rows ? n_wanted : batch->n;
        if (job->logits) job->logits->at = logits;
        if (job->state) job->state->at = (float *)b->states.at + job->state_at;
    }
    if (batch->n > 0) pool_run(b->pool, run_stages, b);
}

/* --- opening --- */

/* "ref"; "c" or "auto", the exact lane in its widest clone; "c:v3", in that clone. */
static bool choose_lane(struct backend *b, const char *isa, struct status *st) {
    b->lane = "exact", b->clone = kernel_widest_clone();
    if (strcmp(isa, "c") == 0 || strcmp(isa, "auto") == 0) return true;
    if (strcmp(isa, "ref") == 0) {
        b->lane = "ref", b->clone = "";
        return true;
    }
    for (const struct kernel *k = kernel_table; k < kernel_table + kernel_count; k++) {
        if (strcmp(k->lane, "exact") != 0 || strncmp(isa, "c:", 2) != 0 || strcmp(k->clone, isa + 2) != 0)
            continue;
        b->clone = k->clone;
        if (k->runs_here()) return true;
        return status_fail(st, STATUS_UNSUPPORTED, "this CPU cannot run lane '%s' (%s); use auto", isa,
                           kernel_clone_text(k->clone));
    }
    return status_fail(st, STATUS_USAGE, "there is no lane '%s'; use ref, c or auto", isa);
}

static void describe(struct backend *b) {
    size_t n = pool_threads(b->pool);
    bool ref = strcmp(b->lane, "ref") == 0;
    snprintf(b->description, sizeof b->description, "%s%s%s%s, %zu thread%s", ref ? "ref" : "c",
             ref ? "" : " (", kernel_clone_text(b->clone), ref ? "" : ")", n, n == 1 ? "" : "s");
}

bool backend_open_cpu(struct backend **out, const struct program *program,
                      const struct backend_options *options, struct status *st) {
    assert(program->n_buffers > 0 && options->max_batch > 0 && options->threads >= 0);
    *out = NULL;
    struct backend *b = calloc(1, sizeof *b);
    if (!b) return status_fail(st, STATUS_NO_MEMORY, "no memory for a backend");
    b->program = program;
    b->max_batch = options->max_batch;
    b->n_pages = options->n_pages;
    if (!choose_lane(b, options->isa ? options->isa : "auto", st)) goto out;
    if (!pool_open(&b->pool, (size_t)options->threads, st)) goto out;
    if (!plan_memory(b, st) || !plan_pages(b, st)) goto out;
    cpu_plan(b);
    pool_run(b->pool, pack_panels, b);
    describe(b);
    *out = b;
out:
    if (!*out) backend_close(b);
    return *out != NULL;
}

/* Twice as many as before at least: sequences come one by one. */
bool backend_sequences(struct backend *b, size_t n, struct status *st) {
    struct region larger_one;
    size_t bytes;
    if (b->state_stride == 0 || n <= b->n_sequences) return true;
    if (n < 2 * b->n_sequences) n = 2 * b->n_sequences;
    if (!checked_mul(&bytes, b->state_stride * sizeof(float), n))
        return status_fail(st, STATUS_NO_MEMORY, "the states of %zu sequences overflow an address", n);
    if (!region_open(&larger_one, bytes, false, "the sequences' states", st)) return false;
    if (b->n_sequences) memcpy(larger_one.at, b->states.at, b->n_sequences * b->state_stride * sizeof(float));
    region_close(&b->states);
    b->states = larger_one;
    b->n_sequences = n;
    return true;
}

void backend_close(struct backend *b) {
    if (!b) return;
    pool_close(b->pool);
    region_close(&b->memory);
    region_close(&b->pages);
    region_close(&b->states);
    free(b);
}

const char *backend_describe(const struct backend *b) { return b->description; }
