#include "tests/checkkern/mutants.h"

#include "engine/kernels/lpanel.h"
#include "engine/kernels/panel.h"
#include "tests/checkkern/spoilt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- products ---------------------------------------------------------------------------------------------
 */

/* Q4_0 lies as IQ4_NL does; its levels are evenly spaced. */
static void levels_evenly_spaced(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    copy.linear.type = DTYPE_Q4_0;
    linear_q4_0_exact_c(&copy, begin, end, scratch);
}

/* Twice what it should be: a cosine of 1. */
static void scale_doubled(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_q4_0_exact_c(task, begin, end, scratch);
    for (size_t i = 0; i < task->n; i++)
        for (size_t row = begin * LINEAR_ROWS; row < end * LINEAR_ROWS && row < task->linear.n_rows; row++)
            task->linear.out.at[i * task->linear.out.stride + row] *= 2;
}

/* In a batch of several a token hears the one before it. */
static void hears_its_neighbour(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_f16_exact_c(task, begin, end, scratch);
    for (size_t i = 1; i < task->n && begin == 0 && end > 0; i++)
        task->linear.out.at[i * task->linear.out.stride] += task->linear.out.at[0] * 0x1p-23F;
}

/* Two neighbouring columns in each other's place. */
static void columns_exchanged(const struct task *task, size_t begin, size_t end, void *scratch) {
    size_t bytes = panel_bytes(DTYPE_BF16, task->linear.n_cols),
           units = (task->linear.n_rows + LINEAR_ROWS - 1) / LINEAR_ROWS;
    uint32_t *weights = malloc(bytes * units + 1);
    struct task copy = *task;
    if (!weights) abort();
    memcpy(weights, task->linear.weights, bytes * units);
    for (size_t i = 0; i < bytes * units / sizeof *weights; i++)
        weights[i] = weights[i] << 16 | weights[i] >> 16;
    copy.linear.weights = weights;
    linear_bf16_exact_c(&copy, begin, end, scratch);
    free(weights);
}

/* The last of the four streams stands still. */
static void last_panel_again(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    size_t units = (task->linear.n_rows + LINEAR_ROWS - 1) / LINEAR_ROWS, last = units - 1;
    size_t bytes = panel_bytes(DTYPE_F16, task->linear.n_cols);
    char *weights = malloc(bytes * units + 1);
    if (!weights) abort();
    memcpy(weights, task->linear.weights, bytes * units);
    if (last > 0) memcpy(weights + last * bytes, weights + (last - 1) * bytes, bytes);
    copy.linear.weights = weights;
    linear_f16_exact_c(&copy, begin, end, scratch);
    free(weights);
}

static float nudged(float x) { return nextafterf(x, INFINITY); }

static void depends_on_the_cut(const struct task *task, size_t begin, size_t end, void *scratch) {
    rms_norm_exact_c(task, begin, end, scratch);
    for (size_t i = begin; i < end && begin > 0; i++) {
        float *out = task->rms_norm.out.at + i * task->rms_norm.out.stride;
        out[0] = nudged(out[0]);
    }
}

/* One bit off, always: only the comparison with the other clones sees it. */
static void sums_in_another_order(const struct task *task, size_t begin, size_t end, void *scratch) {
    swiglu_exact_c(task, begin, end, scratch);
    for (size_t i = begin; i < end; i++) {
        float *out = task->swiglu.out.at + i * task->swiglu.out.stride;
        out[0] = nudged(out[0]);
    }
}

static void writes_one_too_many(const struct task *task, size_t begin, size_t end, void *scratch) {
    swiglu_exact_c(task, begin, end, scratch);
    for (size_t i = begin; i < end; i++)
        task->swiglu.out.at[i * task->swiglu.out.stride + task->swiglu.out.width] = 0;
}

static void eps_forgotten(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    copy.rms_norm.eps = 0;
    rms_norm_exact_c(&copy, begin, end, scratch);
}

/* --- activations ------------------------------------------------------------------------------------------
 */

static void scale_of_the_block_before(const struct task *task, size_t begin, size_t end, void *scratch) {
    quantize_exact_c(task, begin, end, scratch);
    size_t blocks = task->quantize.out.width / QUANT_BLOCK;
    for (size_t i = begin; i < end; i++)
        for (size_t b = blocks - 1; b > 0; b--)
            task->quantize.out.scale[i * blocks + b] = task->quantize.out.scale[i * blocks + b - 1];
}

static void wrong_sum(const struct task *task, size_t begin, size_t end, void *scratch) {
    quantize_exact_c(task, begin, end, scratch);
    size_t blocks = task->quantize.out.width / QUANT_BLOCK;
    for (size_t i = begin * blocks; i < end * blocks; i++)
        task->quantize.out.scaled_sum[i] -=
            task->quantize.out.scale[i] * (float)task->quantize.out.sums[2 * i];
}

/* --- positions and heads ----------------------------------------------------------------------------------
 */

static void pairs_of_the_other_kind(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    copy.rope.halves = !copy.rope.halves;
    rope_exact_c(&copy, begin, end, scratch);
}

static void sine_for_cosine(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    copy.rope.cos[0] = task->rope.sin[0], copy.rope.sin[0] = task->rope.cos[0];
    rope_exact_c(&copy, begin, end, scratch);
}

/* Attention with the query heads dealt out to KV heads in turn instead of in groups: right for ratio 1. */
static void heads_dealt_in_turn(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct attention_task *t = &task->attention;
    size_t group = t->n_heads / t->kv.n_kv_heads, dim = t->kv.key_dim, n_kv = t->kv.n_kv_heads;
    for (size_t i = begin; i < end; i++) {
        struct attention_unit unit = attention_unit(task->n, t->rows_per_unit, i);
        for (size_t h = 0; h < group; h++) {
            size_t head = unit.kv_head * group + h, blocks = attention_blocks(task->n, t->rows_per_unit);
            struct task one = *task;
            one.attention.n_heads = n_kv; /* one query head a KV head, the right one at the wrong place */
            one.attention.q.at = t->q.at + head * dim - head % n_kv * dim;
            one.attention.out.at = t->out.at + (head - head % n_kv) * t->kv.value_dim;
            size_t other = head % n_kv * blocks + i % blocks;
            attention_exact_c(&one, other, other + 1, scratch);
        }
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
    attention_exact_c(&copy, begin, end, scratch);
    free(positions);
}

static void scores_not_scaled(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    copy.attention.scale = 1;
    attention_exact_c(&copy, begin, end, scratch);
}

static void page_in_another_sequence(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    struct tokens tokens = *task->tokens;
    int32_t *sequences = calloc(task->n + 1, sizeof *sequences);
    tokens.sequences = sequences;
    copy.tokens = &tokens;
    attention_exact_c(&copy, begin, end, scratch);
    free(sequences);
}

static void keys_not_turned(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    copy.kv_store.kv.keys = task->kv_store.kv.values, copy.kv_store.k = task->kv_store.v;
    kv_store_ref(&copy, begin, end, scratch);
}

/* Every row of a block sees what the last one does. */
static void one_edge_for_a_block(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    struct tokens tokens = *task->tokens;
    size_t rows = task->attention.rows_per_unit;
    int32_t *positions = calloc(task->n + 1, sizeof *positions);
    for (size_t i = 0; positions && i < task->n; i++) {
        size_t last = i / rows * rows + rows - 1;
        if (last >= task->n || tokens.sequences[last] != tokens.sequences[i]) last = i;
        positions[i] = task->tokens->positions[last];
    }
    tokens.positions = positions;
    copy.tokens = &tokens;
    attention_exact_c(&copy, begin, end, scratch);
    free(positions);
}

static size_t n_pages_of(const struct task *task) {
    size_t most = 0;
    for (size_t i = 0; i < task->n; i++)
        for (size_t at = 0; at <= (size_t)task->tokens->positions[i]; at += KV_PAGE) {
            int32_t page = tokens_page(task->tokens, i, at);
            most = page >= 0 && (size_t)page >= most ? (size_t)page + 1 : most;
        }
    return most;
}

/* Turns the sign of all codes of the keys: 128 too many or too few. */
static void turn_codes(const struct task *task) {
    const struct kv *kv = &task->attention.kv;
    size_t scales = kv_blocks(kv->key_dim) * KV_PAGE * sizeof(float);
    for (size_t page = 0; kv->type == KV_Q8_0 && page < n_pages_of(task); page++)
        for (size_t head = 0; head < kv->n_kv_heads; head++) {
            unsigned char *keys = kv_keys(kv, page, head);
            for (size_t i = scales; i < kv_key_bytes(kv->type, kv->key_dim); i++) keys[i] ^= 0x80;
        }
}

static void codes_without_their_offset(const struct task *task, size_t begin, size_t end, void *scratch) {
    turn_codes(task);
    attention_exact_c(task, begin, end, scratch);
    turn_codes(task);
}

/* Of bf16 the upper half as it is. */
static void bf16_cut_short(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    struct rows *k = &copy.kv_store.k;
    float *cut = calloc(task->n * k->stride + 1, sizeof *cut);
    for (size_t i = 0; cut && i < task->n * k->stride; i++) {
        uint32_t bits;
        memcpy(&bits, &k->at[i], sizeof bits);
        if (copy.kv_store.kv.type == KV_BF16) bits &= 0xFFFF0000;
        memcpy(&cut[i], &bits, sizeof bits);
    }
    k->at = cut;
    kv_store_ref(&copy, begin, end, scratch);
    free(cut);
}

/* The second block of q8_0 with the scale of the first. */
static void scale_of_another_block(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct kv *kv = &task->kv_store.kv;
    kv_store_ref(task, begin, end, scratch);
    for (size_t i = begin; kv->type == KV_Q8_0 && kv->value_dim > KV_BLOCK && i < end; i++) {
        size_t position = (size_t)task->tokens->positions[i];
        float *scales = kv_values(kv, (size_t)tokens_page(task->tokens, i, position), 0);
        scales[KV_PAGE + position % KV_PAGE] = scales[position % KV_PAGE];
    }
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
    swiglu_exact_c(&copy, begin, end, scratch);
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

/* The same on panels of codes, with another form. */
#define RESHAPED(name, change)                                                                               \
    static void name(const struct task *task, size_t begin, size_t end, void *scratch) {                     \
        struct task copy = *task;                                                                            \
        struct lpanel codes = *task->linear.codes;                                                           \
        for (size_t i = 0; i < codes.n_segments; i++) codes.segments[i].form.change;                         \
        copy.linear.codes = &codes;                                                                          \
        linear_codes_exact_c(&copy, begin, end, scratch);                                                    \
    }

RESHAPED(one_scale_for_four_blocks, shift = CPANEL_SHIFT)
RESHAPED(zero_points_dropped, has_zeros = false)

static const float zeros[4096];

CHANGED(head_norms_as_one, rms_norm_exact_c,
        (copy.rms_norm.dim *= copy.rms_norm.n_heads, copy.rms_norm.n_heads = 1))
CHANGED(bias_dropped, layer_norm_exact_c, copy.layer_norm.bias = zeros)
CHANGED(silu_for_gelu, swiglu_exact_c, (void)copy)
CHANGED(never_clamped, swiglu_clamped_exact_c, copy.swiglu.limit = INFINITY)
CHANGED(gates_from_the_start, sigmoid_gate_exact_c, copy.sigmoid_gate.at = 0)
CHANGED(cap_doubled, softcap_exact_c, copy.softcap.cap *= 2)
CHANGED(one_wider, attention_exact_c, copy.attention.window += copy.attention.window > 0)
CHANGED(sinks_dropped, attention_exact_c, copy.attention.sinks = NULL)
CHANGED(cap_dropped, attention_exact_c, copy.attention.cap = 0)
CHANGED(remembers_one_span, attention_exact_c,
        copy.attention.window = copy.attention.window - 1 < 512 ? copy.attention.window : 512)
CHANGED(halves_of_the_other_kind, attention_exact_c,
        copy.attention.kv.type = copy.attention.kv.type == KV_F16 ? KV_BF16 : copy.attention.kv.type)
CHANGED(looks_at_everything, attention_ref, (void)copy)
CHANGED(worst_chosen, dsa_select_ref, copy.dsa_select.scale *= -1)
CHANGED(softmax_for_sigmoid, route_exact_c, copy.route.how.sigmoid = false)
CHANGED(not_normalised, route_exact_c, copy.route.how.normalised = false)
CHANGED(all_groups, route_exact_c, copy.route.how.n_groups_used = copy.route.how.n_groups)
CHANGED(groups_by_their_best, route_exact_c, copy.route.how.group_top = 1)
CHANGED(correction_dropped, route_exact_c, copy.route.bias = NULL)
CHANGED(expert_bias_dropped, experts_ref, copy.experts.bias = NULL)
CHANGED(first_input_for_all, experts_ref, copy.experts.in.width = copy.experts.weights.n_cols)
CHANGED(heads_share_a_key, delta_net_exact_c, copy.delta_net.tiled = !copy.delta_net.tiled)
CHANGED(never_forgets, delta_net_exact_c, copy.delta_net.decay = zeros)
CHANGED(a_for_b, delta_net_exact_c, copy.delta_net.b = copy.delta_net.a)

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

static void panels_of_the_next(struct matrices *m, const void **panels, size_t n) {
    for (size_t e = 0; e < n; e++) panels[e] = m->panels[(e + 1) % n];
    m->panels = panels;
}

static void panels_of_the_next_expert(const struct task *task, size_t begin, size_t end, void *scratch) {
    const void *panels[16];
    struct task copy = *task;
    panels_of_the_next(&copy.experts.weights, panels, copy.experts.n_experts);
    experts_exact_c(&copy, begin, end, scratch);
}

static void panels_of_the_next_head(const struct task *task, size_t begin, size_t end, void *scratch) {
    const void *panels[16];
    struct task copy = *task;
    panels_of_the_next(&copy.head_linear.weights, panels, copy.head_linear.n_heads);
    head_linear_exact_c(&copy, begin, end, scratch);
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
    mix_exact_c(&copy, begin, end, scratch);
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
    starts_anew(task, begin, end, scratch, short_conv_exact_c);
}

static void delta_starts_anew(const struct task *task, size_t begin, size_t end, void *scratch) {
    starts_anew(task, begin, end, scratch, delta_net_exact_c);
}

static bool always(void) { return true; }

#define ROW(name, op, lane, function, found_by, bits, type, kv)                                              \
    {                                                                                                        \
        name, {op, lane, "mutant", "", always, function}, found_by, { CHECKKERN_QUICK, bits, type, kv }      \
    }
#define MUTANT(function, op, lane, found_by) ROW(#function, op, lane, function, found_by, 0, NULL, NULL)
#define MUTANT_OF(kv, function, op, lane) ROW(#function, op, lane, function, kv " keys", 0, NULL, kv)

/* A product with weights of a type, with activations of one width alone. */
#define SPOILT(how, op, type, bits, found_by)                                                                \
    ROW(#how ", " type ", " #bits " bits", op, "exact", spoilt_##how, found_by, bits, type, NULL)
#define SPOILT_BOTH(how, op, type, found_by)                                                                 \
    SPOILT(how, op, type, 16, found_by), SPOILT(how, op, type, 8, found_by)

/* Of every type of codes: those with minima multiply them by the sums, the others take an offset off by them
 * where there are many tokens. Of those with bits above their nibbles; of super-blocks. */
#define CODES(op, type, sums_found_by)                                                                       \
    SPOILT_BOTH(nibbles_swapped, op, type, "cosine"),                                                        \
        SPOILT_BOTH(scale_of_the_next_row, op, type, "cosine"),                                              \
        SPOILT_BOTH(half_of_the_sums, op, type, sums_found_by),                                              \
        SPOILT_BOTH(last_rows_skipped, op, type, "nan"),                                                     \
        SPOILT_BOTH(last_columns_skipped, op, type, "cosine")
#define OFFSET(op, type) CODES(op, type, "other bits when run in other batches")
#define MINIMA(op, type) CODES(op, type, "cosine"), SPOILT_BOTH(min_dropped, op, type, "cosine")
#define HIGH_BITS(op, type) SPOILT_BOTH(high_bits_flipped, op, type, "cosine")
#define SUPER_BLOCKS(op, type) SPOILT_BOTH(scale_of_the_other_block, op, type, "cosine")
#define NUMBERS(op, type)                                                                                    \
    SPOILT(last_rows_skipped, op, type, 16, "nan"), SPOILT(last_columns_skipped, op, type, 16, "cosine")

const struct mutant mutants[] = {
    OFFSET("linear_q8_0", "Q8_0"),
    OFFSET("linear_q4_0", "Q4_0"),
    MINIMA("linear_q4_1", "Q4_1"),
    OFFSET("linear_q5_0", "Q5_0"),
    HIGH_BITS("linear_q5_0", "Q5_0"),
    MINIMA("linear_q5_1", "Q5_1"),
    HIGH_BITS("linear_q5_1", "Q5_1"),
    MINIMA("linear_q2_k", "Q2_K"),
    SUPER_BLOCKS("linear_q2_k", "Q2_K"),
    OFFSET("linear_q3_k", "Q3_K"),
    HIGH_BITS("linear_q3_k", "Q3_K"),
    SUPER_BLOCKS("linear_q3_k", "Q3_K"),
    MINIMA("linear_q4_k", "Q4_K"),
    SUPER_BLOCKS("linear_q4_k", "Q4_K"),
    MINIMA("linear_q5_k", "Q5_K"),
    HIGH_BITS("linear_q5_k", "Q5_K"),
    SUPER_BLOCKS("linear_q5_k", "Q5_K"),
    OFFSET("linear_q6_k", "Q6_K"),
    HIGH_BITS("linear_q6_k", "Q6_K"),
    SUPER_BLOCKS("linear_q6_k", "Q6_K"),
    OFFSET("linear_iq4_nl", "IQ4_NL"),
    OFFSET("linear_iq4_xs", "IQ4_XS"),
    SUPER_BLOCKS("linear_iq4_xs", "IQ4_XS"),
    OFFSET("linear_mxfp4", "MXFP4"),
    MINIMA("linear_codes", "GPTQ"),
    MINIMA("linear_codes", "AWQ"),
    MINIMA("linear_codes", "EXL2"),
    MINIMA("linear_codes", "PACKED"),
    NUMBERS("linear_f32", "F32"),
    NUMBERS("linear_f16", "F16"),
    NUMBERS("linear_bf16", "BF16"),
    MUTANT(scale_doubled, "linear_q4_0", "exact", "normalised error 1.00"),
    MUTANT(columns_exchanged, "linear_bf16", "exact", "cosine"),
    MUTANT(last_panel_again, "linear_f16", "exact", "cosine"),
    MUTANT(hears_its_neighbour, "linear_f16", "exact", "in other batches"),
    MUTANT(depends_on_the_cut, "rms_norm", "exact", "unit by unit"),
    MUTANT(eps_forgotten, "rms_norm", "exact", "cosine"),
    MUTANT(sums_in_another_order, "swiglu", "exact", "portable clone"),
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
    MUTANT(cap_dropped, "attention", "exact", "cosine"),
    MUTANT(remembers_one_span, "attention", "exact", "cosine"),
    MUTANT_OF("f16", halves_of_the_other_kind, "attention", "exact"),
    MUTANT(one_edge_for_a_block, "attention", "exact", "cosine"),
    MUTANT_OF("q8_0", codes_without_their_offset, "attention", "exact"),
    MUTANT_OF("bf16", bf16_cut_short, "kv_store", "ref"),
    MUTANT_OF("q8_0", scale_of_another_block, "kv_store", "ref"),
    MUTANT(keys_not_turned, "kv_store", "ref", "cosine"),
    MUTANT(next_row_of_the_table, "embed", "ref", "cosine"),
    MUTANT(first_rows_instead, "select", "ref", "cosine"),
    MUTANT(overwrites, "add", "ref", "cosine"),
    MUTANT(head_norms_as_one, "rms_norm", "exact", "cosine"),
    MUTANT(bias_dropped, "layer_norm", "exact", "cosine"),
    MUTANT(added_twice, "bias", "ref", "cosine"),
    MUTANT(silu_for_gelu, "geglu", "exact", "cosine"),
    MUTANT(never_clamped, "swiglu_clamped", "exact", "cosine"),
    MUTANT(gates_from_the_start, "sigmoid_gate", "exact", "cosine"),
    MUTANT(cap_doubled, "softcap", "exact", "cosine"),
    MUTANT(one_wider, "attention", "exact", "cosine"),
    MUTANT(sinks_dropped, "attention", "exact", "cosine"),
    MUTANT(looks_at_everything, "dsa_attention", "ref", "cosine"),
    MUTANT(worst_chosen, "dsa_select", "ref", "cosine"),
    MUTANT(softmax_for_sigmoid, "route", "exact", "cosine"),
    MUTANT(not_normalised, "route", "exact", "cosine"),
    MUTANT(all_groups, "route", "exact", "cosine"),
    MUTANT(groups_by_their_best, "route", "exact", "cosine"),
    MUTANT(correction_dropped, "route", "exact", "cosine"),
    MUTANT(expert_bias_dropped, "experts", "ref", "cosine"),
    MUTANT(first_input_for_all, "experts", "ref", "cosine"),
    MUTANT(matrices_of_the_next_expert, "experts", "ref", "cosine"),
    MUTANT(matrices_of_the_next_head, "head_linear", "ref", "cosine"),
    MUTANT(panels_of_the_next_expert, "experts", "exact", "cosine"),
    MUTANT(panels_of_the_next_head, "head_linear", "exact", "cosine"),
    MUTANT(levels_evenly_spaced, "linear_iq4_nl", "exact", "cosine"),
    MUTANT(one_scale_for_four_blocks, "linear_codes", "exact", "cosine"),
    MUTANT(zero_points_dropped, "linear_codes", "exact", "cosine"),
    MUTANT(weighed_by_the_first, "mix", "exact", "cosine"),
    MUTANT(conv_starts_anew, "short_conv", "exact", "cosine"),
    MUTANT(delta_starts_anew, "delta_net", "exact", "cosine"),
    MUTANT(heads_share_a_key, "delta_net", "exact", "cosine"),
    MUTANT(never_forgets, "delta_net", "exact", "cosine"),
    MUTANT(a_for_b, "delta_net", "exact", "cosine"),
};
const size_t n_mutants = sizeof mutants / sizeof *mutants;
