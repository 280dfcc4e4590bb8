/* The CPU backend: a program becomes a list of stages, a stage a few kernels that may run at once. */
#include "engine/backend/backend.h"

#include "base/checked.h"
#include "engine/backend/pool.h"
#include "engine/backend/region.h"
#include "engine/kernels/kernel.h"
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
    EXP_COST = 8, /* of one exp, in the same unit */
};

/* One kernel and what it is asked. */
struct job {
    const struct kernel *kernel;
    struct task task;
    struct rows *logits; /* the operand of `task` that is the caller's memory, or NULL */
    bool wanted_rows;    /* runs over the rows whose logits are asked for; else over all tokens */
    size_t units, units_per_row, work_per_unit;
    bool work_by_row; /* a unit's work is once for each row: linear */
};

/* Jobs [first, first + n): independent of each other, after everything before. */
struct stage {
    size_t first, n;
};

/* Memory is planned by walking the program twice: once to count, once to place. */
struct room {
    char *base; /* NULL while counting */
    size_t used;
    bool too_large;
};

struct backend {
    const struct program *program;
    const char *lane, *clone;
    struct pool *pool;
    size_t max_batch, n_pages;
    struct region memory, pages;
    size_t page_stride; /* floats */

    struct stage *stages;
    struct job *jobs;
    struct rows *buffers;
    bool *buffer_is_wanted; /* its rows are those whose logits are asked for */
    struct quantized quantized;
    void **panels; /* of each weight, NULL: used as it lies in the file */
    size_t *wanted;
    char *scratch;
    size_t n_stages, n_jobs, scratch_bytes;

    struct tokens tokens; /* of the run in progress */
    char description[96];
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

static size_t n_panels(const struct weight *w) { return (w->n_rows + LINEAR_ROWS - 1) / LINEAR_ROWS; }

static size_t panel_bytes(const struct weight *w) {
    return w->n_cols / QUANT_BLOCK * panel_block_bytes(w->type);
}

/* A matrix that is not rows of blocks is ref's. */
static const struct kernel *linear_kernel(const struct backend *b, const struct weight *w) {
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
            const struct kernel *kernel = linear_kernel(b, w);
            bool panels = strcmp(kernel->lane, "ref") != 0 && panel_block_bytes(w->type) > 0;
            if (!panels || (b->panels && b->panels[index])) continue;
            void *at = place(room, n_panels(w), panel_bytes(w));
            if (b->panels) b->panels[index] = at;
        }
    }
}

static void place_all(struct backend *b, struct room *room) {
    const struct program *p = b->program;
    size_t width = widest_row(p), group = p->n_heads / larger(p->n_kv_heads, 1);
    b->stages = place(room, 2 * (size_t)p->n_steps, sizeof *b->stages);
    b->jobs = place(room, (1 + PROGRAM_MAX_OPERANDS) * (size_t)p->n_steps, sizeof *b->jobs);
    b->buffers = place(room, (size_t)p->n_buffers, sizeof *b->buffers);
    b->buffer_is_wanted = place(room, (size_t)p->n_buffers, sizeof *b->buffer_is_wanted);
    b->wanted = place(room, b->max_batch, sizeof *b->wanted);
    b->scratch_bytes = (kernel_scratch(width, p->head_dim, group) + ALIGN - 1) / ALIGN * ALIGN;
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
    size_t bytes;
    bool fits = checked_mul(&b->page_stride, p->n_kv_heads, p->head_dim) &&
                checked_mul(&b->page_stride, b->page_stride, 2 * KV_PAGE) &&
                checked_mul(&b->page_stride, b->page_stride, p->n_layers) &&
                checked_mul(&bytes, b->page_stride, b->n_pages) && checked_mul(&bytes, bytes, sizeof(float));
    if (!fits)
        return status_fail(st, STATUS_NO_MEMORY,
                           "%zu pages of keys and values overflow an address; ask for less context",
                           b->n_pages);
    return region_open(&b->pages, bytes, false, "keys and values (less with a smaller context)", st);
}

/* Every thread takes its share of each weight's panels. */
static void pack_panels(void *arg, size_t thread, size_t n_threads) {
    const struct backend *b = arg;
    for (int i = 0; i < b->program->n_weights; i++) {
        const struct weight *w = &b->program->weights[i];
        size_t n = n_panels(w), end = n * (thread + 1) / n_threads;
        for (size_t panel = n * thread / n_threads; b->panels[i] && panel < end; panel++)
            panel_pack((char *)b->panels[i] + panel * panel_bytes(w), w->type, w->data, w->n_rows, w->n_cols,
                       panel);
    }
}

/* --- planning
 * ----------------------------------------------------------------------------------------------- */

static struct rows *operand(struct backend *b, struct job *job, struct rows *place_in_task, int buffer) {
    assert(buffer >= 0 && buffer < b->program->n_buffers);
    *place_in_task = b->buffers[buffer];
    if (buffer == b->program->logits) job->logits = place_in_task;
    return place_in_task;
}

static struct kv layer_pages(const struct backend *b, int layer) {
    const struct program *p = b->program;
    size_t n = p->n_kv_heads * p->head_dim * KV_PAGE;
    float *at = (float *)b->pages.at + 2 * (size_t)layer * n;
    return (struct kv){.keys = at,
                       .values = at + n,
                       .page_stride = b->page_stride,
                       .n_kv_heads = p->n_kv_heads,
                       .head_dim = p->head_dim};
}

static struct job *add_job(struct backend *b, const char *op, int buffer) {
    struct job *job = &b->jobs[b->n_jobs++];
    *job = (struct job){.units_per_row = 1, .wanted_rows = b->buffer_is_wanted[buffer]};
    job->task.tokens = &b->tokens;
    if (op) job->kernel = kernel_find(op, b->lane, b->clone);
    b->stages[b->n_stages - 1].n++;
    return job;
}

static void add_stage(struct backend *b) { b->stages[b->n_stages++] = (struct stage){.first = b->n_jobs}; }

static bool wants_integers(const struct backend *b, const struct step *s) {
    for (int i = 0; i < s->n; i++)
        if (b->panels[s->weight[i]]) return true;
    return false;
}

static struct quantized quantized_rows(const struct backend *b, size_t width) {
    struct quantized q = b->quantized;
    q.width = width;
    return q;
}

static void plan_linear(struct backend *b, const struct step *s) {
    const struct rows in = b->buffers[s->in[0]];
    if (wants_integers(b, s)) {
        add_stage(b);
        struct job *job = add_job(b, "quantize", s->in[0]);
        job->task.quantize = (struct quantize_task){.in = in, .out = quantized_rows(b, in.width)};
        job->work_per_unit = 4 * in.width;
    }
    add_stage(b);
    for (int i = 0; i < s->n; i++) {
        const struct weight *w = &b->program->weights[s->weight[i]];
        struct job *job = add_job(b, NULL, s->in[0]);
        struct linear_task *t = &job->task.linear;
        const void *panels = b->panels[s->weight[i]];
        job->kernel = linear_kernel(b, w);
        *t = (struct linear_task){.type = w->type, .n_rows = w->n_rows, .n_cols = w->n_cols, .in = in};
        t->weights = panels ? panels : w->data;
        t->layout = w->layout;
        if (panels) t->quantized = quantized_rows(b, in.width);
        operand(b, job, &t->out, s->out[i]);
        assert(in.width == w->n_cols && t->out.width == w->n_rows);
        job->units_per_row = 0;
        job->units = n_panels(w);
        job->work_per_unit = LINEAR_ROWS * w->n_cols;
        job->work_by_row = true;
        b->buffer_is_wanted[s->out[i]] = b->buffer_is_wanted[s->in[0]];
    }
}

static void plan_attention(struct backend *b, const struct step *s, struct job *job) {
    const struct program *p = b->program;
    job->task.attention = (struct attention_task){.q = b->buffers[s->in[0]],
                                                  .out = b->buffers[s->out[0]],
                                                  .kv = layer_pages(b, s->layer),
                                                  .n_heads = p->n_heads,
                                                  .scale = s->scale};
    job->units_per_row = p->n_kv_heads;
    job->work_per_unit = p->n_heads / p->n_kv_heads * p->head_dim * KV_PAGE * 2; /* at least a page */
}

static void plan_rope(struct backend *b, const struct step *s, struct job *job) {
    const struct program *p = b->program;
    job->task.rope = (struct rope_task){.q = b->buffers[s->out[0]],
                                        .k = b->buffers[s->out[1]],
                                        .head_dim = p->head_dim,
                                        .dims = p->rope_dims,
                                        .cos = p->rope_cos,
                                        .sin = p->rope_sin,
                                        .halves = s->pairs == ROPE_HALVES};
    job->work_per_unit = 4 * job->task.rope.q.width;
}

static void plan_elementwise(struct backend *b, const struct step *s, struct job *job) {
    const struct weight *w = s->weight[0] >= 0 ? &b->program->weights[s->weight[0]] : NULL;
    struct task *task = &job->task;
    switch (s->op) {
    case OP_embed:
        task->embed = (struct embed_task){.type = w->type, .table = w->data, .layout = w->layout};
        job->work_per_unit = operand(b, job, &task->embed.out, s->out[0])->width;
        assert(task->embed.out.width == w->n_cols);
        break;
    case OP_rms_norm:
        task->rms_norm = (struct rms_norm_task){.in = b->buffers[s->in[0]], .weight = w->data, .eps = s->eps};
        job->work_per_unit = 4 * operand(b, job, &task->rms_norm.out, s->out[0])->width;
        assert(w->type == DTYPE_F32 && w->n_cols == task->rms_norm.in.width);
        break;
    case OP_kv_store:
        task->kv_store = (struct kv_store_task){
            .k = b->buffers[s->in[0]], .v = b->buffers[s->in[1]], .kv = layer_pages(b, s->layer)};
        job->work_per_unit = 2 * task->kv_store.k.width;
        break;
    case OP_swiglu:
        task->swiglu = (struct swiglu_task){.gate = b->buffers[s->in[0]], .up = b->buffers[s->in[1]]};
        job->work_per_unit = EXP_COST * operand(b, job, &task->swiglu.out, s->out[0])->width;
        break;
    case OP_add:
        task->add.in = b->buffers[s->in[0]];
        job->work_per_unit = operand(b, job, &task->add.out, s->out[0])->width;
        break;
    case OP_select:
        job->wanted_rows = true;
        task->select.in = b->buffers[s->in[0]];
        job->work_per_unit = operand(b, job, &task->select.out, s->out[0])->width;
        b->buffer_is_wanted[s->out[0]] = true;
        break;
    case OP_rope: plan_rope(b, s, job); break;
    case OP_attention: plan_attention(b, s, job); break;
    case OP_linear:
    case OP_COUNT: assert(false);
    }
}

static const char *op_name(enum op_code op) {
    static const char *const names[] = {
#define OP(name, text) #name,
#include "engine/kernels/ops.inc"
#undef OP
    };
    return names[op];
}

static void plan_steps(struct backend *b) {
    for (const struct step *s = b->program->steps; s < b->program->steps + b->program->n_steps; s++) {
        if (s->op == OP_linear) {
            plan_linear(b, s);
            continue;
        }
        int first = s->op == OP_embed || s->op == OP_rope ? s->out[0] : s->in[0];
        add_stage(b);
        struct job *job = add_job(b, op_name(s->op), first);
        plan_elementwise(b, s, job);
        if (s->op != OP_embed && s->op != OP_kv_store && s->op != OP_rope && job->wanted_rows)
            b->buffer_is_wanted[s->out[0]] = true;
    }
}

/* --- running
 * ------------------------------------------------------------------------------------------------ */

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
                                .wanted = b->wanted};
    check_batch(b, batch);
    for (struct job *job = b->jobs; job < b->jobs + b->n_jobs; job++) {
        job->task.n = job->wanted_rows ? n_wanted : batch->n;
        if (job->logits) job->logits->at = logits;
    }
    if (batch->n > 0) pool_run(b->pool, run_stages, b);
}

/* --- opening
 * ------------------------------------------------------------------------------------------------ */

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
    assert(program->n_kv_heads == 0 || program->n_heads % program->n_kv_heads == 0);
    *out = NULL;
    struct backend *b = calloc(1, sizeof *b);
    if (!b) return status_fail(st, STATUS_NO_MEMORY, "no memory for a backend");
    b->program = program;
    b->max_batch = options->max_batch;
    b->n_pages = options->n_pages;
    if (!choose_lane(b, options->isa ? options->isa : "auto", st)) goto out;
    if (!pool_open(&b->pool, (size_t)options->threads, st)) goto out;
    if (!plan_memory(b, st) || !plan_pages(b, st)) goto out;
    plan_steps(b);
    pool_run(b->pool, pack_panels, b);
    describe(b);
    *out = b;
out:
    if (!*out) backend_close(b);
    return *out != NULL;
}

void backend_close(struct backend *b) {
    if (!b) return;
    pool_close(b->pool);
    region_close(&b->memory);
    region_close(&b->pages);
    free(b);
}

const char *backend_describe(const struct backend *b) { return b->description; }
