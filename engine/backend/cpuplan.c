/* The CPU backend's plan: which kernel does what for each step of a program. */
#include "engine/backend/cpu.h"

#include "engine/kernels/panel.h"

#include <assert.h>
#include <string.h>

enum { EXP_COST = 8 /* of one exp, in f32 operations */ };

/* --- operands ------------------------------------------------------------------------------------------- */

static struct rows *operand(struct backend *b, struct job *job, struct rows *place_in_task, int buffer) {
    assert(buffer >= 0 && buffer < b->program->n_buffers);
    *place_in_task = b->buffers[buffer];
    if (buffer == b->program->logits) job->logits = place_in_task;
    return place_in_task;
}

static struct kv pages_of(const struct backend *b, int index) {
    const struct program_cache *caches = b->program->caches, *c = &caches[index];
    char *at = b->pages.at;
    for (int i = 0; i < index; i++) at += cpu_cache_bytes(b, &caches[i]);
    return (struct kv){.type = b->kv,
                       .keys = at,
                       .values = at + c->n_heads * kv_key_bytes(b->kv, c->key_dim),
                       .page_stride = b->page_stride,
                       .n_kv_heads = c->n_heads,
                       .key_dim = c->key_dim,
                       .value_dim = c->value_dim};
}

static void place_state(const struct backend *b, struct job *job, struct state *state, int index) {
    for (int i = 0; i < index; i++) job->state_at += b->program->states[i];
    state->stride = b->state_stride;
    job->state = state;
}

static const struct weight *weight_of(const struct backend *b, int index) {
    return index >= 0 ? &b->program->weights[index] : NULL;
}

/* The values of an F32 vector, NULL when there is none. */
static const float *floats_of(const struct backend *b, int index) {
    return index >= 0 ? b->program->weights[index].data : NULL;
}

static struct matrices matrices_of(const struct backend *b, int index) {
    const struct weight *w = &b->program->weights[index];
    const struct laid *laid = &b->laid[index];
    return (struct matrices){.type = laid->panels ? laid->type : w->type,
                             .n_rows = w->n_rows,
                             .n_cols = w->n_cols,
                             .data = w->data,
                             .slices = w->slices,
                             .layout = w->layout,
                             .panels = laid->panels,
                             .is_float = !cpu_is_integer(laid),
                             .codes = laid->codes};
}

/* --- stages and jobs --------------------------------------------------------------------------------------
 */

static void add_stage(struct backend *b) {
    struct stage *stage = &b->stages[b->n_stages++];
    stage->first = b->n_jobs, stage->n = 0;
}

/* `rows`: the buffer whose rows it runs over. */
static struct job *add_job(struct backend *b, const struct kernel *kernel, int rows) {
    struct job *job = &b->jobs[b->n_jobs++];
    *job = (struct job){.kernel = kernel,
                        .units_per_row = 1,
                        .group = 1,
                        .own_rows = true,
                        .wanted_rows = b->buffer_is_wanted[rows]};
    job->task.tokens = &b->tokens;
    b->stages[b->n_stages - 1].n++;
    return job;
}

static struct job *add_op(struct backend *b, const char *op, int rows) {
    return add_job(b, kernel_find(op, b->lane, b->clone), rows);
}

/* Units are parts of the output, each over all rows. */
static void by_output(struct job *job, size_t units, size_t work_per_unit) {
    job->units_per_row = 0;
    job->units = units;
    job->work_per_unit = work_per_unit;
    job->work_by_row = true;
    job->own_rows = false;
}

/* --- one function for each operation ---------------------------------------------------------------------
 */

static void plan_embed(struct backend *b, const struct step *s) {
    const struct weight *w = weight_of(b, s->weight[0]);
    struct job *job = add_op(b, "embed", s->out[0]);
    struct embed_task *t = &job->task.embed;
    *t = (struct embed_task){.type = w->type, .table = w->data, .layout = w->layout, .scale = s->scale};
    job->work_per_unit = operand(b, job, &t->out, s->out[0])->width;
}

static void plan_rms_norm(struct backend *b, const struct step *s) {
    const struct weight *w = weight_of(b, s->weight[0]);
    struct job *job = add_op(b, "rms_norm", s->in[0]);
    struct rms_norm_task *t = &job->task.rms_norm;
    *t = (struct rms_norm_task){.in = b->buffers[s->in[0]], .weight = w->data, .eps = s->eps};
    t->n_heads = s->heads[0];
    t->dim = w->n_cols;
    operand(b, job, &t->out, s->out[0]);
    job->work_per_unit = 4 * t->n_heads * t->dim;
}

static void plan_layer_norm(struct backend *b, const struct step *s) {
    struct job *job = add_op(b, "layer_norm", s->in[0]);
    struct layer_norm_task *t = &job->task.layer_norm;
    *t = (struct layer_norm_task){.in = b->buffers[s->in[0]],
                                  .weight = floats_of(b, s->weight[0]),
                                  .bias = floats_of(b, s->weight[1]),
                                  .eps = s->eps};
    job->work_per_unit = 6 * operand(b, job, &t->out, s->out[0])->width;
}

/* The input of a step as integers, in one order of columns. */
static struct quantized quantized_rows(const struct backend *b, int order, size_t width) {
    struct quantized q = b->quantized[order];
    q.width = width;
    return q;
}

static void add_quantize(struct backend *b, const struct step *s, int order, const int32_t *columns,
                         size_t width) {
    struct job *job = add_op(b, "quantize", s->in[0]);
    job->task.quantize = (struct quantize_task){
        .in = b->buffers[s->in[0]], .out = quantized_rows(b, order, width), .columns = columns};
    job->work_per_unit = 4 * width;
}

static const int32_t *columns_of(const struct laid *laid) {
    return laid->codes ? laid->codes[0].columns : NULL;
}

static bool same_columns(const int32_t *a, const int32_t *b, size_t n) {
    return a == b || (a && b && memcmp(a, b, n * sizeof *a) == 0);
}

/* Quantises the input in every order of columns that a weight of the step wants: orders[i] is which. False
 * where none wants integers. */
static bool plan_orders(struct backend *b, const struct step *s, int orders[PROGRAM_MAX_OPERANDS]) {
    const struct laid *wants[PROGRAM_MAX_OPERANDS];
    size_t widths[PROGRAM_MAX_OPERANDS];
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        const struct laid *laid = &b->laid[s->weight[i]];
        size_t width = cpu_laid_width(laid, weight_of(b, s->weight[i]), 0);
        if (!cpu_is_integer(laid)) continue;
        int k = 0;
        while (k < n && !(widths[k] == width && same_columns(columns_of(wants[k]), columns_of(laid), width)))
            k++;
        orders[i] = k;
        if (k < n) continue;
        wants[n] = laid, widths[n] = width;
        add_quantize(b, s, n++, columns_of(laid), width);
    }
    return n > 0;
}

static void plan_linear(struct backend *b, const struct step *s) {
    const struct rows in = b->buffers[s->in[0]];
    int orders[PROGRAM_MAX_OPERANDS];
    if (plan_orders(b, s, orders)) add_stage(b);
    for (int i = 0; i < s->n; i++) {
        const struct weight *w = weight_of(b, s->weight[i]);
        const struct laid *laid = &b->laid[s->weight[i]];
        struct job *job = add_job(b, cpu_linear_kernel(b, w), s->in[0]);
        struct linear_task *t = &job->task.linear;
        *t = (struct linear_task){.type = laid->panels ? laid->type : w->type,
                                  .n_rows = w->n_rows,
                                  .n_cols = w->n_cols,
                                  .weights = laid->panels ? laid->panels[0] : w->data,
                                  .layout = laid->panels ? NULL : w->layout,
                                  .codes = laid->codes,
                                  .in = in};
        if (cpu_is_integer(laid)) t->quantized = quantized_rows(b, orders[i], cpu_laid_width(laid, w, 0));
        operand(b, job, &t->out, s->out[i]);
        assert(in.width == w->n_cols && t->out.width == w->n_rows);
        by_output(job, cpu_n_panels(w), LINEAR_ROWS * w->n_cols);
        job->group = 2; /* products take two panels at once */
    }
}

/* An operation on matrices: the lane's where they are in panels, else ref's. */
static struct job *add_matrices(struct backend *b, const char *op, const struct step *s, int weight) {
    bool panels = b->laid[weight].panels != NULL;
    return add_job(b, kernel_find(op, panels ? b->lane : "ref", panels ? b->clone : ""), s->in[0]);
}

static void plan_head_linear(struct backend *b, const struct step *s) {
    const struct weight *w = weight_of(b, s->weight[0]);
    struct job *job = add_matrices(b, "head_linear", s, s->weight[0]);
    struct head_linear_task *t = &job->task.head_linear;
    *t = (struct head_linear_task){.weights = matrices_of(b, s->weight[0]),
                                   .n_heads = s->heads[0],
                                   .bits = b->quantized[0].bits,
                                   .in = b->buffers[s->in[0]]};
    operand(b, job, &t->out, s->out[0]);
    by_output(job, t->n_heads * cpu_n_panels(w), LINEAR_ROWS * w->n_cols);
}

static void plan_bias(struct backend *b, const struct step *s) {
    for (int i = 0; i < s->n; i++) {
        struct job *job = add_op(b, "bias", s->out[i]);
        job->task.bias.bias = floats_of(b, s->weight[i]);
        job->work_per_unit = operand(b, job, &job->task.bias.out, s->out[i])->width;
    }
}

static void plan_rope(struct backend *b, const struct step *s) {
    const struct program_rope *rope = &b->program->ropes[s->rope];
    for (int i = 0; i < s->n; i++) {
        struct job *job = add_op(b, "rope", s->in[i]);
        job->task.rope = (struct rope_task){.in = b->buffers[s->in[i]],
                                            .out = b->buffers[s->out[i]],
                                            .n_heads = s->heads[i],
                                            .in_at = s->in_at[i],
                                            .out_at = s->out_at[i],
                                            .dims = rope->dims,
                                            .cos = {rope->cos[0], rope->cos[1]},
                                            .sin = {rope->sin[0], rope->sin[1]},
                                            .halves = s->pairs == ROPE_HALVES};
        job->work_per_unit = 4 * s->heads[i] * rope->dims;
    }
}

static void plan_kv_store(struct backend *b, const struct step *s) {
    struct job *job = add_op(b, "kv_store", s->in[0]);
    job->task.kv_store = (struct kv_store_task){
        .k = b->buffers[s->in[0]], .v = b->buffers[s->in[1]], .kv = pages_of(b, s->cache)};
    job->work_per_unit = 2 * job->task.kv_store.k.width;
}

static void plan_attention(struct backend *b, const struct step *s) {
    bool sparse = s->op == OP_dsa_attention;
    struct job *job = add_op(b, sparse ? "dsa_attention" : "attention", s->in[0]);
    struct attention_task *t = &job->task.attention;
    *t = (struct attention_task){.q = b->buffers[s->in[0]],
                                 .out = b->buffers[s->out[0]],
                                 .kv = pages_of(b, s->cache),
                                 .n_heads = s->heads[0],
                                 .rows_per_unit = 1,
                                 .scale = s->scale,
                                 .window = s->window,
                                 .cap = s->cap,
                                 .sinks = floats_of(b, s->weight[0])};
    if (sparse) t->chosen = b->buffers[s->in[1]];
    job->own_rows = false;
    job->units_per_row = t->kv.n_kv_heads;
    job->rows_per_unit = &t->rows_per_unit;
    job->work_per_unit = /* at least a page */
        t->n_heads / t->kv.n_kv_heads * (t->kv.key_dim + t->kv.value_dim) * KV_PAGE;
}

static void plan_dsa_attention(struct backend *b, const struct step *s) { plan_attention(b, s); }

static void plan_dsa_select(struct backend *b, const struct step *s) {
    struct job *job = add_op(b, "dsa_select", s->in[0]);
    struct dsa_select_task *t = &job->task.dsa_select;
    *t = (struct dsa_select_task){.q = b->buffers[s->in[0]],
                                  .weights = b->buffers[s->in[1]],
                                  .kv = pages_of(b, s->cache),
                                  .n_heads = s->heads[0],
                                  .scale = s->scale,
                                  .out = b->buffers[s->out[0]]};
    job->own_rows = false;
    job->work_per_unit = t->n_heads * t->kv.key_dim * KV_PAGE;
}

static void plan_gated(struct backend *b, const struct step *s, const char *op) {
    struct job *job = add_op(b, op, s->in[0]);
    struct swiglu_task *t = &job->task.swiglu;
    *t = (struct swiglu_task){
        .gate = b->buffers[s->in[0]], .up = b->buffers[s->in[1]], .alpha = s->alpha, .limit = s->limit};
    job->work_per_unit = EXP_COST * operand(b, job, &t->out, s->out[0])->width;
}

static void plan_swiglu(struct backend *b, const struct step *s) { plan_gated(b, s, "swiglu"); }
static void plan_geglu(struct backend *b, const struct step *s) { plan_gated(b, s, "geglu"); }
static void plan_swiglu_clamped(struct backend *b, const struct step *s) {
    plan_gated(b, s, "swiglu_clamped");
}

static void plan_add(struct backend *b, const struct step *s) {
    struct job *job = add_op(b, "add", s->in[0]);
    job->task.add.in = b->buffers[s->in[0]];
    job->work_per_unit = operand(b, job, &job->task.add.out, s->out[0])->width;
}

static void plan_sigmoid_gate(struct backend *b, const struct step *s) {
    struct job *job = add_op(b, "sigmoid_gate", s->in[0]);
    struct sigmoid_gate_task *t = &job->task.sigmoid_gate;
    *t = (struct sigmoid_gate_task){.gate = b->buffers[s->in[0]], .n_heads = s->heads[0], .at = s->in_at[0]};
    job->work_per_unit = EXP_COST * operand(b, job, &t->out, s->out[0])->width;
}

static void plan_softcap(struct backend *b, const struct step *s) {
    struct job *job = add_op(b, "softcap", s->out[0]);
    job->task.softcap.cap = s->cap;
    job->work_per_unit = EXP_COST * operand(b, job, &job->task.softcap.out, s->out[0])->width;
}

/* Row i is made of row wanted[i], which another thread may hold: no part of a chain. */
static void plan_select(struct backend *b, const struct step *s) {
    struct job *job = add_op(b, "select", s->in[0]);
    job->wanted_rows = true;
    job->own_rows = false;
    job->task.select.in = b->buffers[s->in[0]];
    job->work_per_unit = operand(b, job, &job->task.select.out, s->out[0])->width;
}

static void plan_route(struct backend *b, const struct step *s) {
    struct job *job = add_op(b, "route", s->in[0]);
    job->task.route = (struct route_task){.in = b->buffers[s->in[0]],
                                          .bias = floats_of(b, s->weight[0]),
                                          .ids = b->buffers[s->out[0]],
                                          .weights = b->buffers[s->out[1]],
                                          .how = s->routing};
    job->work_per_unit = (EXP_COST + job->task.route.ids.width) * job->task.route.in.width;
}

/* Rows as integers, once for all matrices, unless those have their columns in orders of their own. */
static bool plan_expert_input(struct backend *b, const struct step *s) {
    size_t width = b->buffers[s->in[0]].width;
    for (int i = 0; i < s->n; i++) {
        const struct laid *laid = &b->laid[s->weight[i]];
        if (!cpu_is_integer(laid) || laid->codes) continue;
        add_quantize(b, s, 0, NULL, width);
        return true;
    }
    return false;
}

/* The lane's units are panels of chosen experts: so many a token, up to all there are. ref's are all of them,
 * and a token's work is spread over those of the experts it chose. */
static void share_experts(struct job *job, const struct weight *w, size_t n_used, bool panels) {
    size_t n_panels = cpu_n_panels(w), all = w->n_experts * n_panels;
    size_t work = LINEAR_ROWS * w->n_cols * n_used / w->n_experts;
    by_output(job, all, work ? work : 1);
    if (!panels) return;
    job->units = 0, job->units_per_row = n_used * n_panels, job->units_most = all;
    job->work_per_unit = LINEAR_ROWS * w->n_cols;
    job->work_by_row = false;
    job->group = 2;
}

static void plan_experts(struct backend *b, const struct step *s) {
    if (plan_expert_input(b, s)) add_stage(b);
    for (int i = 0; i < s->n; i++) {
        const struct weight *w = weight_of(b, s->weight[i]);
        const struct laid *laid = &b->laid[s->weight[i]];
        struct job *job = add_matrices(b, "experts", s, s->weight[i]);
        struct experts_task *t = &job->task.experts;
        *t = (struct experts_task){.weights = matrices_of(b, s->weight[i]),
                                   .n_experts = w->n_experts,
                                   .bias = floats_of(b, s->weight[s->n + i]),
                                   .in = b->buffers[s->in[0]],
                                   .ids = b->buffers[s->in[1]],
                                   .out = b->buffers[s->out[i]]};
        t->quantized.bits = b->quantized[0].bits;
        if (cpu_is_integer(laid) && !laid->codes) t->quantized = quantized_rows(b, 0, w->n_cols);
        share_experts(job, w, t->ids.width, laid->panels != NULL);
    }
}

static void plan_mix(struct backend *b, const struct step *s) {
    struct job *job = add_op(b, "mix", s->in[0]);
    struct mix_task *t = &job->task.mix;
    *t = (struct mix_task){b->buffers[s->in[0]], b->buffers[s->in[1]], b->buffers[s->out[0]]};
    job->work_per_unit = t->in.width;
}

static void plan_short_conv(struct backend *b, const struct step *s) {
    const struct weight *w = weight_of(b, s->weight[0]);
    struct job *job = add_op(b, "short_conv", s->in[0]);
    struct short_conv_task *t = &job->task.short_conv;
    *t = (struct short_conv_task){
        .in = b->buffers[s->in[0]], .out = b->buffers[s->out[0]], .weight = w->data, .taps = w->n_cols};
    place_state(b, job, &t->state, s->state);
    by_output(job, (t->in.width + LINEAR_ROWS - 1) / LINEAR_ROWS, LINEAR_ROWS * (w->n_cols + EXP_COST));
}

static struct rows part_of(struct rows rows, size_t at, size_t width) {
    return (struct rows){rows.at + at, width, rows.stride};
}

static void plan_delta_net(struct backend *b, const struct step *s) {
    const struct rows qkv = b->buffers[s->in[0]], out = b->buffers[s->out[0]];
    size_t keys = (qkv.width - out.width) / 2, group = s->group;
    struct job *job = add_op(b, "delta_net", s->in[0]);
    struct delta_net_task *t = &job->task.delta_net;
    *t = (struct delta_net_task){.q = part_of(qkv, 0, keys),
                                 .k = part_of(qkv, keys, keys),
                                 .v = part_of(qkv, 2 * keys, out.width),
                                 .a = b->buffers[s->in[1]],
                                 .b = b->buffers[s->in[2]],
                                 .out = out,
                                 .n_key_heads = s->heads[0],
                                 .n_heads = s->heads[1],
                                 .key_dim = keys / s->heads[0],
                                 .value_dim = out.width / s->heads[1],
                                 .run = group ? group : s->heads[1],
                                 .step = 2 * group,
                                 .tiled = s->tiled,
                                 .decay = floats_of(b, s->weight[0]),
                                 .dt_bias = floats_of(b, s->weight[1])};
    t->a.at += group; /* behind b, where they stand together */
    place_state(b, job, &t->state, s->state);
    by_output(job, t->n_heads, 4 * t->key_dim * t->value_dim);
}

/* --- the program ------------------------------------------------------------------------------------------
 */

/* After select, rows are those whose logits are asked for, in every buffer that is made of them. */
static void follow_rows(struct backend *b, const struct step *s) {
    bool wanted = s->op == OP_select || (s->in[0] >= 0 && b->buffer_is_wanted[s->in[0]]);
    for (int i = 0; i < PROGRAM_MAX_OPERANDS && s->in[0] >= 0; i++)
        if (s->out[i] >= 0) b->buffer_is_wanted[s->out[i]] = wanted;
}

static bool is_chain(const struct backend *b, const struct stage *stage) {
    const struct job *first = &b->jobs[stage->first];
    for (const struct job *job = first; job < first + stage->n; job++)
        if (!job->own_rows || job->wanted_rows != first->wanted_rows) return false;
    return true;
}

/* Neighbours that only work row by row become one stage. */
static void join_chains(struct backend *b) {
    size_t n = 0;
    for (struct stage *stage = b->stages; stage < b->stages + b->n_stages; stage++) {
        struct stage *last = n > 0 ? &b->stages[n - 1] : NULL;
        stage->is_chain = is_chain(b, stage);
        if (last && last->is_chain && stage->is_chain &&
            b->jobs[last->first].wanted_rows == b->jobs[stage->first].wanted_rows) {
            last->n += stage->n;
            continue;
        }
        struct stage *to = &b->stages[n++];
        to->first = stage->first, to->n = stage->n, to->is_chain = stage->is_chain;
    }
    b->n_stages = n;
}

void cpu_plan(struct backend *b) {
    static void (*const plan[OP_COUNT])(struct backend *, const struct step *) = {
#define OP(name, text) [OP_##name] = plan_##name,
#include "engine/kernels/ops.inc"
#undef OP
    };
    for (const struct step *s = b->program->steps; s < b->program->steps + b->program->n_steps; s++) {
        add_stage(b);
        plan[s->op](b, s);
        follow_rows(b, s);
    }
    join_chains(b);
}
