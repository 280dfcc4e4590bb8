/* The CPU backend's plan: which kernel does what for each step of a program. */
#include "engine/backend/cpu.h"

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
    float *at = b->pages.at;
    for (int i = 0; i < index; i++)
        at += caches[i].n_heads * (caches[i].key_dim + caches[i].value_dim) * KV_PAGE;
    return (struct kv){.keys = at,
                       .values = at + c->n_heads * c->key_dim * KV_PAGE,
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

static struct matrices matrices_of(const struct weight *w) {
    return (struct matrices){w->type, w->n_rows, w->n_cols, w->data, w->slices, w->layout};
}

/* --- stages and jobs --------------------------------------------------------------------------------------
 */

static void add_stage(struct backend *b) { b->stages[b->n_stages++] = (struct stage){.first = b->n_jobs}; }

/* `rows`: the buffer whose rows it runs over. */
static struct job *add_job(struct backend *b, const struct kernel *kernel, int rows) {
    struct job *job = &b->jobs[b->n_jobs++];
    *job = (struct job){.kernel = kernel, .units_per_row = 1, .wanted_rows = b->buffer_is_wanted[rows]};
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
        struct job *job = add_op(b, "quantize", s->in[0]);
        job->task.quantize = (struct quantize_task){.in = in, .out = quantized_rows(b, in.width)};
        job->work_per_unit = 4 * in.width;
        add_stage(b);
    }
    for (int i = 0; i < s->n; i++) {
        const struct weight *w = weight_of(b, s->weight[i]);
        struct job *job = add_job(b, cpu_linear_kernel(b, w), s->in[0]);
        struct linear_task *t = &job->task.linear;
        const void *panels = b->panels[s->weight[i]];
        *t = (struct linear_task){.type = w->type, .n_rows = w->n_rows, .n_cols = w->n_cols, .in = in};
        t->weights = panels ? panels : w->data;
        t->layout = w->layout;
        if (panels) t->quantized = quantized_rows(b, in.width);
        operand(b, job, &t->out, s->out[i]);
        assert(in.width == w->n_cols && t->out.width == w->n_rows);
        by_output(job, cpu_n_panels(w), LINEAR_ROWS * w->n_cols);
    }
}

static void plan_head_linear(struct backend *b, const struct step *s) {
    const struct weight *w = weight_of(b, s->weight[0]);
    struct job *job = add_op(b, "head_linear", s->in[0]);
    struct head_linear_task *t = &job->task.head_linear;
    *t = (struct head_linear_task){
        .weights = matrices_of(w), .n_heads = s->heads[0], .in = b->buffers[s->in[0]]};
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

/* The exact lane has no kernel for capped scores. */
static void plan_attention(struct backend *b, const struct step *s) {
    bool sparse = s->op == OP_dsa_attention;
    const struct kernel *kernel =
        s->cap > 0 ? kernel_find("attention", "ref", "")
                   : kernel_find(sparse ? "dsa_attention" : "attention", b->lane, b->clone);
    struct job *job = add_job(b, kernel, s->in[0]);
    struct attention_task *t = &job->task.attention;
    *t = (struct attention_task){.q = b->buffers[s->in[0]],
                                 .out = b->buffers[s->out[0]],
                                 .kv = pages_of(b, s->cache),
                                 .n_heads = s->heads[0],
                                 .scale = s->scale,
                                 .window = s->window,
                                 .cap = s->cap,
                                 .sinks = floats_of(b, s->weight[0])};
    if (sparse) t->chosen = b->buffers[s->in[1]];
    job->units_per_row = t->kv.n_kv_heads;
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

static void plan_select(struct backend *b, const struct step *s) {
    struct job *job = add_op(b, "select", s->in[0]);
    job->wanted_rows = true;
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

/* A token's work is spread over the units of the experts it chose. */
static void plan_experts(struct backend *b, const struct step *s) {
    for (int i = 0; i < s->n; i++) {
        const struct weight *w = weight_of(b, s->weight[i]);
        struct job *job = add_op(b, "experts", s->in[0]);
        struct experts_task *t = &job->task.experts;
        *t = (struct experts_task){.weights = matrices_of(w),
                                   .n_experts = w->n_experts,
                                   .bias = floats_of(b, s->weight[s->n + i]),
                                   .in = b->buffers[s->in[0]],
                                   .ids = b->buffers[s->in[1]],
                                   .out = b->buffers[s->out[i]]};
        size_t work = LINEAR_ROWS * w->n_cols * t->ids.width / w->n_experts;
        by_output(job, w->n_experts * cpu_n_panels(w), work ? work : 1);
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
}
