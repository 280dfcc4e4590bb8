#include "tests/checkkern/mutants.h"

#include "engine/kernels/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- products ---------------------------------------------------------------------------------------------
 */

/* Runs the true kernel on a copy of the panels that `change` has spoilt, block by block. */
static void with_panels(const struct task *task, size_t begin, size_t end, kernel_fn *run,
                        void (*change)(uint8_t *block, size_t bytes)) {
    struct task copy = *task;
    size_t wide = kpanel_lines(task->linear.type) ? KPANEL_SUBS : 1;
    size_t block = panel_block_bytes(task->linear.type) * wide,
           panels = (task->linear.n_rows + LINEAR_ROWS - 1) / LINEAR_ROWS;
    size_t bytes = panels * (task->linear.n_cols / QUANT_BLOCK / wide) * block;
    uint8_t *weights = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!weights) abort();
    memcpy(weights, task->linear.weights, bytes);
    for (size_t at = 0; at < bytes; at += block) change(weights + at, block);
    copy.linear.weights = weights;
    run(&copy, begin, end, NULL);
    free(weights);
}

static void swap_halves(uint8_t *block, size_t bytes) {
    for (size_t i = 64; i < bytes; i++) block[i] = (uint8_t)(block[i] << 4 | block[i] >> 4);
}

static void nibbles_swapped(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    with_panels(task, begin, end, linear_q4_1_exact_base, swap_halves);
}

/* Every row with its neighbour's scale. */
static void rotate_scales(uint8_t *block, size_t bytes) {
    (void)bytes;
    uint8_t first[2] = {block[0], block[1]};
    memmove(block, block + 2, 30);
    memcpy(block + 30, first, 2);
}

static void scale_of_the_next_row(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    with_panels(task, begin, end, linear_q8_0_exact_base, rotate_scales);
}

static void min_dropped(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    size_t n = task->n * task->linear.n_cols / QUANT_BLOCK;
    copy.linear.quantized.scaled_sum = calloc(n + 1, sizeof(float));
    linear_q4_1_exact_base(&copy, begin, end, scratch);
    free(copy.linear.quantized.scaled_sum);
}

/* Sub-blocks 2k and 2k + 1 with each other's scales and minima. */
static void exchange_scales(uint8_t *block, size_t bytes) {
    (void)bytes;
    for (size_t i = KPANEL_SCALES; i < KPANEL_QUANTS; i += 4) {
        uint8_t first[2] = {block[i], block[i + 1]};
        memmove(block + i, block + i + 2, 2);
        memcpy(block + i + 2, first, 2);
    }
}

static void scales_of_the_other_sub_block(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    with_panels(task, begin, end, linear_q4_k_exact_base, exchange_scales);
}

static void drop_dmin(uint8_t *block, size_t bytes) {
    (void)bytes;
    memset(block + PANEL_LINE / 2, 0, PANEL_LINE / 2);
}

static void sub_block_minima_dropped(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    with_panels(task, begin, end, linear_q5_k_exact_base, drop_dmin);
}

/* The last line of each sub-block: fifth bits of Q5_K, the upper bits of Q6_K's last 16 columns. */
static void flip_high_bits(uint8_t *block, size_t bytes) {
    size_t sub = (bytes - KPANEL_QUANTS) / KPANEL_SUBS;
    for (size_t at = KPANEL_QUANTS + sub; at <= bytes; at += sub)
        for (size_t i = at - PANEL_LINE; i < at; i++) block[i] ^= 0xFF;
}

static void fifth_bits_flipped(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    with_panels(task, begin, end, linear_q5_k_exact_base, flip_high_bits);
}

static void upper_bits_flipped(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    with_panels(task, begin, end, linear_q6_k_exact_base, flip_high_bits);
}

/* The scale of the first 16 columns for the second 16 too. */
static void repeat_scales(uint8_t *block, size_t bytes) {
    (void)bytes;
    for (size_t i = KPANEL_SCALES; i < KPANEL_QUANTS; i += 2) block[i + 1] = block[i];
}

static void one_scale_for_32_columns(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    with_panels(task, begin, end, linear_q6_k_exact_base, repeat_scales);
}

/* Twice what it should be: a cosine of 1. */
static void scale_doubled(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_q4_0_exact_base(task, begin, end, scratch);
    for (size_t i = 0; i < task->n; i++)
        for (size_t row = begin * LINEAR_ROWS; row < end * LINEAR_ROWS && row < task->linear.n_rows; row++)
            task->linear.out.at[i * task->linear.out.stride + row] *= 2;
}

static void last_rows_skipped(const struct task *task, size_t begin, size_t end, void *scratch) {
    size_t whole = task->linear.n_rows / LINEAR_ROWS;
    linear_q8_0_exact_base(task, begin, end < whole ? end : whole > begin ? whole : begin, scratch);
}

static void last_columns_skipped(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    float *row = malloc((task->linear.n_cols + 1) * sizeof *row);
    for (size_t i = 0; row && i < task->n; i++) {
        copy.n = 1;
        copy.linear.in.at = row;
        copy.linear.out.at = task->linear.out.at + i * task->linear.out.stride;
        memcpy(row, task->linear.in.at + i * task->linear.in.stride, task->linear.n_cols * sizeof *row);
        for (size_t j = task->linear.n_cols / 16 * 16; j < task->linear.n_cols; j++) row[j] = 0;
        linear_f32_exact_base(&copy, begin, end, scratch);
    }
    free(row);
}

/* In a batch of several a token hears the one before it. */
static void hears_its_neighbour(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_f16_exact_base(task, begin, end, scratch);
    for (size_t i = 1; i < task->n && begin == 0 && end > 0; i++)
        task->linear.out.at[i * task->linear.out.stride] += task->linear.out.at[0] * 0x1p-23F;
}

static float nudged(float x) { return nextafterf(x, INFINITY); }

static void depends_on_the_cut(const struct task *task, size_t begin, size_t end, void *scratch) {
    rms_norm_exact_base(task, begin, end, scratch);
    for (size_t i = begin; i < end && begin > 0; i++) {
        float *out = task->rms_norm.out.at + i * task->rms_norm.out.stride;
        out[0] = nudged(out[0]);
    }
}

/* One bit off, always: only the comparison with the other clones sees it. */
static void sums_in_another_order(const struct task *task, size_t begin, size_t end, void *scratch) {
    swiglu_exact_base(task, begin, end, scratch);
    for (size_t i = begin; i < end; i++) {
        float *out = task->swiglu.out.at + i * task->swiglu.out.stride;
        out[0] = nudged(out[0]);
    }
}

static void writes_one_too_many(const struct task *task, size_t begin, size_t end, void *scratch) {
    swiglu_exact_base(task, begin, end, scratch);
    for (size_t i = begin; i < end; i++)
        task->swiglu.out.at[i * task->swiglu.out.stride + task->swiglu.out.width] = 0;
}

static void eps_forgotten(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    copy.rms_norm.eps = 0;
    rms_norm_exact_base(&copy, begin, end, scratch);
}

/* --- activations ------------------------------------------------------------------------------------------
 */

static void scale_of_the_block_before(const struct task *task, size_t begin, size_t end, void *scratch) {
    quantize_exact_base(task, begin, end, scratch);
    size_t blocks = task->quantize.out.width / QUANT_BLOCK;
    for (size_t i = begin; i < end; i++)
        for (size_t b = blocks - 1; b > 0; b--)
            task->quantize.out.scale[i * blocks + b] = task->quantize.out.scale[i * blocks + b - 1];
}

static void wrong_sum(const struct task *task, size_t begin, size_t end, void *scratch) {
    quantize_exact_base(task, begin, end, scratch);
    size_t blocks = task->quantize.out.width / QUANT_BLOCK;
    for (size_t i = begin * blocks; i < end * blocks; i++)
        task->quantize.out.scaled_sum[i] -=
            task->quantize.out.scale[i] * (float)task->quantize.out.q[i * QUANT_BLOCK];
}

/* --- positions and heads ----------------------------------------------------------------------------------
 */

static void pairs_of_the_other_kind(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    copy.rope.halves = !copy.rope.halves;
    rope_exact_base(&copy, begin, end, scratch);
}

static void sine_for_cosine(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    copy.rope.cos[0] = task->rope.sin[0], copy.rope.sin[0] = task->rope.cos[0];
    rope_exact_base(&copy, begin, end, scratch);
}

/* Attention with the query heads dealt out to KV heads in turn instead of in groups: right for ratio 1. */
static void heads_dealt_in_turn(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct attention_task *t = &task->attention;
    size_t group = t->n_heads / t->kv.n_kv_heads, dim = t->kv.key_dim, n_kv = t->kv.n_kv_heads;
    for (size_t unit = begin; unit < end; unit++)
        for (size_t h = 0; h < group; h++) {
            size_t head = unit % n_kv * group + h, row = unit / n_kv;
            struct task one = *task;
            one.attention.n_heads = n_kv; /* one query head a KV head, the right one at the wrong place */
            one.attention.q.at = t->q.at + head * dim - head % n_kv * dim;
            one.attention.out.at = t->out.at + head * dim - head % n_kv * dim;
            attention_exact_base(&one, row * n_kv + head % n_kv, row * n_kv + head % n_kv + 1, scratch);
        }
}

static void forgets_itself(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    struct tokens tokens = *task->tokens;
    int32_t *positions = calloc(task->n + 1, sizeof *positions);
    for (size_t i = 0; positions && i < task->n; i++)
        positions[i] = task->tokens->positions[i] > 0 ? task->tokens->positions[i] - 1 : 0;
    tokens.positions = positions;
    copy.tokens = &tokens;
    attention_exact_base(&copy, begin, end, scratch);
    free(positions);
}

static void scores_not_scaled(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    copy.attention.scale = 1;
    attention_exact_base(&copy, begin, end, scratch);
}

static void page_in_another_sequence(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    struct tokens tokens = *task->tokens;
    int32_t *sequences = calloc(task->n + 1, sizeof *sequences);
    tokens.sequences = sequences;
    copy.tokens = &tokens;
    attention_exact_base(&copy, begin, end, scratch);
    free(sequences);
}

static void keys_not_turned(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    copy.kv_store.kv.keys = task->kv_store.kv.values, copy.kv_store.k = task->kv_store.v;
    kv_store_ref(&copy, begin, end, scratch);
}

static void next_row_of_the_table(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    for (size_t i = begin; i < end; i++) {
        size_t row = ((size_t)task->tokens->ids[i] + 1) % 7;
        const char *at =
            (const char *)task->embed.table + row * dtype_row_bytes(task->embed.type, task->embed.out.width);
        dtype_decode(task->embed.out.at + i * task->embed.out.stride, task->embed.type, at,
                     task->embed.out.width);
    }
}

static void first_rows_instead(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    for (size_t i = begin; i < end; i++)
        memcpy(task->select.out.at + i * task->select.out.stride,
               task->select.in.at + i * task->select.in.stride, task->select.out.width * sizeof(float));
}

static void overwrites(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    for (size_t i = begin; i < end; i++)
        memcpy(task->add.out.at + i * task->add.out.stride, task->add.in.at + i * task->add.in.stride,
               task->add.out.width * sizeof(float));
}

static void gate_and_up_swapped(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    copy.swiglu.gate = task->swiglu.up, copy.swiglu.up = task->swiglu.gate;
    swiglu_exact_base(&copy, begin, end, scratch);
}

/* --- layers -----------------------------------------------------------------------------------------------
 */

/* A mutant that runs the true kernel on a task with one thing changed. */
#define CHANGED(name, kernel, change)                                                                        \
    static void name(const struct task *task, size_t begin, size_t end, void *scratch) {                     \
        struct task copy = *task;                                                                            \
        change;                                                                                              \
        kernel(&copy, begin, end, scratch);                                                                  \
    }

static const float zeros[4096];

CHANGED(head_norms_as_one, rms_norm_exact_base,
        (copy.rms_norm.dim *= copy.rms_norm.n_heads, copy.rms_norm.n_heads = 1))
CHANGED(bias_dropped, layer_norm_ref, copy.layer_norm.bias = zeros)
CHANGED(silu_for_gelu, swiglu_ref, (void)copy)
CHANGED(never_clamped, swiglu_clamped_ref, copy.swiglu.limit = INFINITY)
CHANGED(gates_from_the_start, sigmoid_gate_ref, copy.sigmoid_gate.at = 0)
CHANGED(cap_doubled, softcap_ref, copy.softcap.cap *= 2)
CHANGED(one_wider, attention_exact_base, copy.attention.window += copy.attention.window > 0)
CHANGED(sinks_dropped, attention_exact_base, copy.attention.sinks = NULL)
CHANGED(looks_at_everything, attention_ref, (void)copy)
CHANGED(worst_chosen, dsa_select_ref, copy.dsa_select.scale *= -1)
CHANGED(softmax_for_sigmoid, route_ref, copy.route.how.sigmoid = false)
CHANGED(not_normalised, route_ref, copy.route.how.normalised = false)
CHANGED(all_groups, route_ref, copy.route.how.n_groups_used = copy.route.how.n_groups)
CHANGED(groups_by_their_best, route_ref, copy.route.how.group_top = 1)
CHANGED(correction_dropped, route_ref, copy.route.bias = NULL)
CHANGED(expert_bias_dropped, experts_ref, copy.experts.bias = NULL)
CHANGED(first_input_for_all, experts_ref, copy.experts.in.width = copy.experts.weights.n_cols)
CHANGED(heads_share_a_key, delta_net_ref, copy.delta_net.tiled = !copy.delta_net.tiled)
CHANGED(never_forgets, delta_net_ref, copy.delta_net.decay = zeros)
CHANGED(a_for_b, delta_net_ref, copy.delta_net.b = copy.delta_net.a)

static void added_twice(const struct task *task, size_t begin, size_t end, void *scratch) {
    bias_ref(task, begin, end, scratch);
    bias_ref(task, begin, end, scratch);
}

/* A weight as if it were the next expert's. */
static void matrices_of_the_next(struct matrices *m, const void **slices, size_t n) {
    size_t bytes = m->n_rows * dtype_row_bytes(m->type, m->n_cols);
    for (size_t e = 0; e < n; e++) slices[e] = (const char *)m->data + (e + 1) % n * bytes;
    m->slices = slices;
}

static void matrices_of_the_next_expert(const struct task *task, size_t begin, size_t end, void *scratch) {
    const void *slices[16];
    struct task copy = *task;
    matrices_of_the_next(&copy.experts.weights, slices, copy.experts.n_experts);
    experts_ref(&copy, begin, end, scratch);
}

static void matrices_of_the_next_head(const struct task *task, size_t begin, size_t end, void *scratch) {
    const void *slices[16];
    struct task copy = *task;
    matrices_of_the_next(&copy.head_linear.weights, slices, copy.head_linear.n_heads);
    head_linear_ref(&copy, begin, end, scratch);
}

static void weighed_by_the_first(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    size_t n = task->mix.weights.width;
    float *weights = calloc(task->n * n + 1, sizeof *weights);
    for (size_t i = 0; weights && i < task->n * n; i++)
        weights[i] = task->mix.weights.at[i / n * task->mix.weights.stride];
    copy.mix.weights = (struct rows){weights, n, n};
    mix_ref(&copy, begin, end, scratch);
    free(weights);
}

/* Every token as if it were its sequence's first. */
static void starts_anew(const struct task *task, size_t begin, size_t end, void *scratch, kernel_fn *run) {
    struct task copy = *task;
    struct tokens tokens = *task->tokens;
    int32_t *positions = calloc(task->n + 1, sizeof *positions);
    tokens.positions = positions;
    copy.tokens = &tokens;
    run(&copy, begin, end, scratch);
    free(positions);
}

static void conv_starts_anew(const struct task *task, size_t begin, size_t end, void *scratch) {
    starts_anew(task, begin, end, scratch, short_conv_ref);
}

static void delta_starts_anew(const struct task *task, size_t begin, size_t end, void *scratch) {
    starts_anew(task, begin, end, scratch, delta_net_ref);
}

static bool always(void) { return true; }

#define MUTANT(function, op, lane, found_by)                                                                 \
    { #function, {op, lane, "mutant", "", always, function }, found_by }
const struct mutant mutants[] = {
    MUTANT(nibbles_swapped, "linear_q4_1", "exact", "cosine"),
    MUTANT(min_dropped, "linear_q4_1", "exact", "cosine"),
    MUTANT(scale_of_the_next_row, "linear_q8_0", "exact", "cosine"),
    MUTANT(scale_doubled, "linear_q4_0", "exact", "normalised error 1.00"),
    MUTANT(scales_of_the_other_sub_block, "linear_q4_k", "exact", "cosine"),
    MUTANT(sub_block_minima_dropped, "linear_q5_k", "exact", "cosine"),
    MUTANT(fifth_bits_flipped, "linear_q5_k", "exact", "cosine"),
    MUTANT(upper_bits_flipped, "linear_q6_k", "exact", "cosine"),
    MUTANT(one_scale_for_32_columns, "linear_q6_k", "exact", "cosine"),
    MUTANT(last_rows_skipped, "linear_q8_0", "exact", "nan"),
    MUTANT(last_columns_skipped, "linear_f32", "exact", "cosine"),
    MUTANT(hears_its_neighbour, "linear_f16", "exact", "token by token"),
    MUTANT(depends_on_the_cut, "rms_norm", "exact", "unit by unit"),
    MUTANT(eps_forgotten, "rms_norm", "exact", "cosine"),
    MUTANT(sums_in_another_order, "swiglu", "exact", "baseline clone"),
    MUTANT(writes_one_too_many, "swiglu", "exact", "outside of the output"),
    MUTANT(gate_and_up_swapped, "swiglu", "exact", "cosine"),
    MUTANT(scale_of_the_block_before, "quantize", "exact", "cosine"),
    MUTANT(wrong_sum, "quantize", "exact", "cosine"),
    MUTANT(pairs_of_the_other_kind, "rope", "exact", "cosine"),
    MUTANT(sine_for_cosine, "rope", "exact", "cosine"),
    MUTANT(heads_dealt_in_turn, "attention", "exact", "cosine"),
    MUTANT(forgets_itself, "attention", "exact", "cosine"),
    MUTANT(scores_not_scaled, "attention", "exact", "cosine"),
    MUTANT(page_in_another_sequence, "attention", "exact", "cosine"),
    MUTANT(keys_not_turned, "kv_store", "ref", "cosine"),
    MUTANT(next_row_of_the_table, "embed", "ref", "cosine"),
    MUTANT(first_rows_instead, "select", "ref", "cosine"),
    MUTANT(overwrites, "add", "ref", "cosine"),
    MUTANT(head_norms_as_one, "rms_norm", "exact", "cosine"),
    MUTANT(bias_dropped, "layer_norm", "ref", "cosine"),
    MUTANT(added_twice, "bias", "ref", "cosine"),
    MUTANT(silu_for_gelu, "geglu", "ref", "cosine"),
    MUTANT(never_clamped, "swiglu_clamped", "ref", "cosine"),
    MUTANT(gates_from_the_start, "sigmoid_gate", "ref", "cosine"),
    MUTANT(cap_doubled, "softcap", "ref", "cosine"),
    MUTANT(one_wider, "attention", "exact", "cosine"),
    MUTANT(sinks_dropped, "attention", "exact", "cosine"),
    MUTANT(looks_at_everything, "dsa_attention", "ref", "cosine"),
    MUTANT(worst_chosen, "dsa_select", "ref", "cosine"),
    MUTANT(softmax_for_sigmoid, "route", "ref", "cosine"),
    MUTANT(not_normalised, "route", "ref", "cosine"),
    MUTANT(all_groups, "route", "ref", "cosine"),
    MUTANT(groups_by_their_best, "route", "ref", "cosine"),
    MUTANT(correction_dropped, "route", "ref", "cosine"),
    MUTANT(expert_bias_dropped, "experts", "ref", "cosine"),
    MUTANT(first_input_for_all, "experts", "ref", "cosine"),
    MUTANT(matrices_of_the_next_expert, "experts", "ref", "cosine"),
    MUTANT(matrices_of_the_next_head, "head_linear", "ref", "cosine"),
    MUTANT(weighed_by_the_first, "mix", "ref", "cosine"),
    MUTANT(conv_starts_anew, "short_conv", "ref", "cosine"),
    MUTANT(delta_starts_anew, "delta_net", "ref", "cosine"),
    MUTANT(heads_share_a_key, "delta_net", "ref", "cosine"),
    MUTANT(never_forgets, "delta_net", "ref", "cosine"),
    MUTANT(a_for_b, "delta_net", "ref", "cosine"),
};
const size_t n_mutants = sizeof mutants / sizeof *mutants;
