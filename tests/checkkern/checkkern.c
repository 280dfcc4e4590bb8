#include "tests/checkkern/checkkern.h"

#include "engine/kernels/panel.h"
#include "tests/checkkern/sweep.h"
#include "tests/checkkern/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Below this a vector counts as zero: quantised activations of subnormal scale are 0 by contract (exact.h).
 */
static const double NOTHING = 1e-30;

struct running {
    struct checkkern_result *result;
    const struct kernel *kernel;
    struct checkkern_floor floor;
    struct trial *trial;
    void *scratch;
    size_t scratch_bytes;
    const struct checkkern_cases *cases;
    size_t n_seen; /* run or passed over */
};

/* How the units of a task are handed out. */
enum cut { CUT_NOT, CUT_EACH, CUT_THIRDS, CUT_BACKWARDS, CUT_TOKENS, N_CUTS };

/* --- running ----------------------------------------------------------------------------------------------
 */

static void advance(struct quantized *x, size_t rows) {
    size_t blocks = x->width / QUANT_BLOCK;
    if (!x->q) return;
    x->q = (char *)x->q + rows * x->width * (size_t)x->bits / 8;
    x->sums += rows * blocks * 2;
    x->scale += rows * blocks, x->scaled_sum += rows * blocks;
}

static void run_token_of_experts(const struct running *r, kernel_fn *run, const struct task *task, size_t i) {
    struct task one = *task;
    struct experts_task *t = &one.experts;
    one.n = 1;
    t->in.at += i * t->in.stride, t->out.at += i * t->out.stride, t->ids.at += i * t->ids.stride;
    advance(&t->quantized, i * (t->in.width / t->weights.n_cols));
    run(&one, 0, r->trial->units, r->scratch);
}

/* Products, one token at a time: what a batch may not change. */
static void run_tokens(const struct running *r, kernel_fn *run, const struct task *task) {
    for (size_t i = 0; i < task->n; i++) {
        struct task one = *task;
        struct linear_task *t = &one.linear;
        if (strcmp(r->trial->op, "experts") == 0) {
            run_token_of_experts(r, run, task, i);
            continue;
        }
        one.n = 1;
        t->in.at += i * t->in.stride, t->out.at += i * t->out.stride;
        advance(&t->quantized, i);
        run(&one, 0, r->trial->units, r->scratch);
    }
}

/* `attention`, in blocks of other sizes: what shares a block may not change it either. */
static void run_blocks(const struct running *r, kernel_fn *run, const struct task *task) {
    struct task other = *task;
    struct attention_task *t = &other.attention;
    t->rows_per_unit = 2 * t->rows_per_unit + 1;
    run(&other, 0, attention_blocks(task->n, t->rows_per_unit) * t->kv.n_kv_heads, r->scratch);
}

static void run_cut(const struct running *r, kernel_fn *run, const struct task *task, enum cut cut) {
    size_t n = r->trial->units;
    switch (cut) {
    case CUT_NOT: run(task, 0, n, r->scratch); break;
    case CUT_EACH:
        for (size_t i = 0; i < n; i++) run(task, i, i + 1, r->scratch);
        break;
    case CUT_THIRDS:
        for (size_t i = 0; i < 3; i++) run(task, n * i / 3, n * (i + 1) / 3, r->scratch);
        break;
    case CUT_BACKWARDS:
        for (size_t i = n; i > 0; i--) run(task, i - 1, i, r->scratch);
        break;
    case CUT_TOKENS:
        if (strncmp(r->trial->op, "linear", 6) == 0 || strcmp(r->trial->op, "experts") == 0)
            run_tokens(r, run, task);
        else if (strcmp(r->trial->op, "attention") == 0) run_blocks(r, run, task);
        else run(task, 0, n, r->scratch);
        break;
    case N_CUTS: break;
    }
}

/* --- comparing --------------------------------------------------------------------------------------------
 */

static void fail(struct running *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct running *r, const char *format, ...) {
    const struct trial_shape *s = &r->trial->shape;
    struct checkkern_result *result = r->result;
    if (result->verdict != CHECKKERN_FAIL) {
        va_list args;
        va_start(args, format);
        int used = vsnprintf(result->why, sizeof result->why, format, args);
        va_end(args);
        size_t at = used < 0 ? 0 : (size_t)used < sizeof result->why ? (size_t)used : sizeof result->why - 1;
        snprintf(result->why + at, sizeof result->why - at,
                 " (%s %s numbers, %d bits, %s keys and values, %zu rows, width %zu, %zu columns, head %zu x "
                 "%zu x "
                 "%zu, position %zu%s%s)",
                 dtype_info(s->type)->name, synth_kind_name(s->kind), s->bits, kv_type_name(s->kv), s->n,
                 s->width, s->n_cols, s->head_dim, s->n_kv_heads, s->group, s->positions,
                 s->strided ? ", strided" : "", s->first_page_masked ? ", first page masked" : "");
    }
    result->verdict = CHECKKERN_FAIL;
}

struct sums {
    double gg, ww, gw, dd, largest;
};

static struct sums sum_up(const double *got, const double *want, size_t n) {
    struct sums s = {0};
    for (size_t i = 0; i < n; i++) {
        double d = got[i] - want[i];
        s.gg += got[i] * got[i], s.ww += want[i] * want[i], s.gw += got[i] * want[i], s.dd += d * d;
        s.largest = fmax(s.largest, fabs(want[i]));
    }
    return s;
}

static bool argmax_agrees(const double *got, const double *want, size_t width, double slack) {
    size_t g = 0, w = 0;
    for (size_t i = 1; i < width; i++) {
        if (got[i] > got[g]) g = i;
        if (want[i] > want[w]) w = i;
    }
    return want[g] >= want[w] - slack;
}

/* What was asked for, or the bar of the case's contract where it has one of its own. */
static struct checkkern_floor floor_of(const struct running *r) {
    const char *op = r->kernel->op;
    struct checkkern_floor all = checkkern_floor(op, 16, KV_F32);
    struct checkkern_floor own = checkkern_floor(op, r->trial->shape.bits, r->trial->shape.kv);
    return own.error < all.error || own.error > all.error ? own : r->floor;
}

/* Eight bits of a query with an outlier hold little else, and a key with one makes the rounding a score of
 * hundreds: which key such a query finds, ref cannot say. */
static bool is_anybodys_guess(const struct running *r) {
    const struct trial_shape *s = &r->trial->shape;
    return s->kv == KV_Q8_0 && s->kind == SYNTH_OUTLIER && strcmp(r->trial->op, "attention") == 0;
}

static void compare(struct running *r, const double *got, const double *want, size_t n) {
    struct checkkern_result *result = r->result;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(got[i])) {
            result->finite = false;
            fail(r, "result %zu is %g, ref says %g", i, got[i], want[i]);
            return;
        }
    if (is_anybodys_guess(r)) return;
    struct sums s = sum_up(got, want, n);
    /* A value a thousand times the others leaves these fewer bits. */
    double slack = r->trial->shape.kind == SYNTH_OUTLIER ? 4 : 1;
    bool nothing = sqrt(s.ww) < NOTHING;
    double error = nothing ? (sqrt(s.gg) < NOTHING ? 0 : 1) : sqrt(s.dd / s.ww);
    double cosine = nothing ? 1 : s.gg <= 0 ? 0 : s.gw / sqrt(s.gg * s.ww);
    result->error = fmax(result->error, error);
    result->cosine = fmin(result->cosine, cosine);
    struct checkkern_floor floor = floor_of(r);
    if (!(1 - cosine <= (1 - floor.cosine) * slack * slack)) fail(r, "cosine 1 - %.2g", 1 - cosine);
    if (!(error <= floor.error * slack)) fail(r, "normalised error %.2e", error);
    size_t width = trial_row_width(r->trial);
    result->has_argmax |= width > 0;
    for (size_t at = 0; width && !nothing && at + width <= n; at += width)
        if (!argmax_agrees(got + at, want + at, width, floor.error * s.largest)) {
            result->argmax = false;
            fail(r, "row %zu has its largest element elsewhere", at / width);
        }
}

/* FNV-1a over the numbers. */
static uint64_t hash_of(uint64_t hash, const double *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int byte = 0; byte < 8; byte++) hash = (hash ^ (bits >> 8 * byte & 255)) * 0x100000001B3;
    }
    return hash;
}

static const char *const cut_names[] = {"whole", "unit by unit", "in thirds", "backwards",
                                        "in other batches"};

/* The outputs of a cut; false after a guard word changed. */
static float *outputs_of(struct running *r, kernel_fn *run, enum cut cut, size_t *n) {
    float *memory;
    struct task task = trial_outputs(r->trial, &memory, n);
    run_cut(r, run, &task, cut);
    if (!trial_guards_hold(r->trial, memory)) {
        r->result->guards = false;
        fail(r, "a word outside of the output was written, %s", cut_names[cut]);
    }
    return memory;
}

static void expect(struct running *r, double *want, size_t n) {
    size_t words;
    if (trial_definition(r->trial, want)) return;
    struct trial *trial = r->trial, oracle;
    const char *op = strncmp(trial->op, "linear", 6) == 0 ? "linear" : trial->op;
    trial_build(&oracle, trial->op, &trial->shape, false);
    if (trial->shape.bits == 8)
        trial_decode_input(&oracle); /* what the eight bits lost is not the kernel's */
    struct running as_ref = *r;
    as_ref.trial = &oracle;
    float *memory = outputs_of(&as_ref, kernel_find(op, "ref", "")->run, CUT_NOT, &words);
    size_t got = trial_values(&oracle, memory, want);
    if (got != n) fail(r, "ref gave %zu values, not %zu", got, n);
    trial_release(&oracle);
}

/* The same bits in every cut, and in the portable clone. */
static void check_bits(struct running *r, const float *memory, size_t n) {
    size_t words;
    for (enum cut cut = CUT_EACH; cut < N_CUTS; cut++)
        if (memcmp(outputs_of(r, r->kernel->run, cut, &words), memory, n * sizeof *memory) != 0) {
            r->result->same_bits = false;
            fail(r, "other bits when run %s", cut_names[cut]);
        }
    const struct kernel *base = kernel_find(r->kernel->op, r->kernel->lane, "c");
    if (strcmp(r->kernel->clone, "") == 0 || strcmp(base->lane, r->kernel->lane) != 0) return;
    if (memcmp(outputs_of(r, base->run, CUT_NOT, &words), memory, n * sizeof *memory) != 0) {
        r->result->same_bits = false;
        fail(r, "other bits than the portable clone");
    }
}

/* 64-byte aligned, of what a kernel may ask for, and guard bytes behind it. */
enum { SCRATCH_GUARD = 0x5A, SCRATCH_GUARDS = 64 };

static void make_scratch(struct running *r) {
    const struct trial_shape *s = &r->trial->shape;
    r->scratch_bytes =
        kernel_scratch(trial_width(r->trial), s->value_dim > s->head_dim ? s->value_dim : s->head_dim);
    char *at = synth_alloc(&r->trial->arena, 1, r->scratch_bytes + 64 + SCRATCH_GUARDS);
    r->scratch = at + (64 - (uintptr_t)at % 64) % 64;
    memset((char *)r->scratch + r->scratch_bytes, SCRATCH_GUARD, SCRATCH_GUARDS);
}

static void check_scratch(struct running *r) {
    for (size_t i = 0; i < SCRATCH_GUARDS; i++)
        if (((const char *)r->scratch)[r->scratch_bytes + i] != SCRATCH_GUARD) {
            r->result->guards = false;
            fail(r, "a byte behind the scratch was written");
            return;
        }
}

static void check_case(struct running *r, const struct trial_shape *shape) {
    struct trial trial;
    size_t words;
    bool panels = strcmp(r->kernel->lane, "ref") != 0; /* and so not the oracle */
    trial_build(&trial, r->kernel->op, shape, panels);
    r->trial = &trial;
    make_scratch(r);
    float *memory = outputs_of(r, r->kernel->run, CUT_NOT, &words);
    size_t n = trial_values(&trial, memory, NULL);
    double *got = synth_alloc(&trial.arena, n, sizeof *got),
           *want = synth_alloc(&trial.arena, n, sizeof *want);
    trial_values(&trial, memory, got);
    r->result->bits = hash_of(r->result->bits, got, n);
    r->result->is_oracle = !panels && !trial_definition(&trial, NULL);
    expect(r, want, n);
    compare(r, got, want, n);
    check_bits(r, memory, words);
    check_scratch(r);
    r->result->n_cases++;
    trial_release(&trial);
}

/* The weight types an op is tried with: its own, or all of them. */
static bool takes_type(const struct kernel *kernel, enum dtype type) {
    const char *op = kernel->op;
    bool some = strcmp(op, "head_linear") == 0 || strcmp(op, "experts") == 0;
    if (some && (type == DTYPE_GPTQ || type == DTYPE_EXL2)) return true;
    if (strcmp(op, "linear_codes") == 0)
        return type == DTYPE_GPTQ || type == DTYPE_AWQ || type == DTYPE_EXL2 || type == DTYPE_PACKED;
    if (type == DTYPE_GPTQ || type == DTYPE_AWQ || type == DTYPE_EXL2 || type == DTYPE_PACKED) return false;
    if (strcmp(op, "embed") == 0 || strcmp(op, "linear") == 0) return true;
    if (some && strcmp(kernel->lane, "ref") != 0 && !panel_bytes(type, 256)) return false;
    if (some) /* dtype's decoding again */
        return type == DTYPE_F32 || type == DTYPE_BF16 || type == DTYPE_MXFP4 || type == DTYPE_Q4_K;
    if (strncmp(op, "linear_", 7) == 0) return strcasecmp(op + 7, dtype_info(type)->name) == 0;
    return type == DTYPE_F32;
}

static bool is_large(enum checkkern_depth depth) {
    return depth == CHECKKERN_FULL || depth == CHECKKERN_TENTH;
}

/* Products of a case, at most: what a unit test has time for; 2^24, which 64 x 64 x 4096 is, and a sixteenth
 * of it where the numbers are of a special kind. Attention and the delta net have five dimensions, so that
 * their every case would be as large; ref decodes a weight for each product. Of other types of
 * keys and values than F32 a part. */
static size_t most_products(const struct running *r, const struct trial_shape *like) {
    static const char *const small[] = {"attention",   "dsa_",      "experts",
                                        "head_linear", "delta_net", "kv_store"};
    size_t most = 1 << 24;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (strncmp(r->kernel->op, small[i], strlen(small[i])) == 0) most = 1 << 20;
    if (r->result->is_oracle || strcmp(r->kernel->op, "delta_net") == 0) most = 1 << 18;
    if (!is_large(r->cases->depth)) return like->kv == KV_F32 ? 1 << 15 : 1 << 14;
    if (like->kind != SYNTH_UNIFORM) most /= 16;
    return like->kv == KV_F32 ? most : most / 4;
}

/* Is it this case's turn? A tenth is the same in every run: one of each ten and then the one before, since a
 * dimension has ten sizes and every one is to come up. ref multiplies numbers as they are. */
static bool is_due(struct running *r, const struct trial_shape *shape) {
    if (r->cases->activations && shape->bits != r->cases->activations) return false;
    if (r->cases->kv && strcmp(kv_type_name(shape->kv), r->cases->kv) != 0) return false;
    if (shape->bits == 8 && strcmp(r->kernel->lane, "ref") == 0) return false;
    bool tenth = r->cases->depth == CHECKKERN_TENTH || r->cases->depth == CHECKKERN_SPARSE;
    bool due = !tenth || (r->n_seen + r->n_seen / 10) % 10 == 0;
    r->n_seen++;
    return due && r->result->verdict == CHECKKERN_PASS;
}

/* The sweep over the dimensions; with every kind of number where there is time, unless the kernel is what
 * others are compared with. */
static void check_sweep(struct running *r, struct trial_shape *like) {
    bool all = is_large(r->cases->depth) && !r->result->is_oracle;
    for (int kind = 0; kind < (all ? SYNTH_KINDS : 1); kind++) {
        like->kind = (enum synth_kind)kind;
        struct trial_shape shape = *like;
        for (size_t i = 0; sweep_next_shape(&shape, r->kernel->op, most_products(r, like), i);
             i++, shape = *like)
            if (is_due(r, &shape)) check_case(r, &shape);
    }
}

/* With both widths of activations and with every type of keys and values, where those matter. */
static void check_sweeps(struct running *r, enum dtype type) {
    const char *op = r->kernel->op;
    bool integers = trial_takes_integers(op, type);
    for (int bits = 16; bits >= (integers ? 8 : 16); bits -= 8)
        for (int kv = 0; kv < (trial_takes_pages(op) ? KV_TYPES : 1); kv++)
            check_sweep(r, &(struct trial_shape){.type = type, .bits = bits, .kv = (enum kv_type)kv});
}

static const enum dtype types[] = {
#define DTYPE(name, id, elements, bytes) DTYPE_##name,
#include "engine/tensor/dtypes.inc"
#undef DTYPE
    DTYPE_GPTQ, DTYPE_AWQ, DTYPE_EXL2, DTYPE_PACKED};
enum { N_TYPES = sizeof types / sizeof *types };

bool checkkern_has_widths(const struct kernel *kernel) {
    for (size_t i = 0; i < N_TYPES && strcmp(kernel->lane, "ref") != 0; i++)
        if (takes_type(kernel, types[i]) && trial_takes_integers(kernel->op, types[i])) return true;
    return false;
}

bool checkkern_has_pages(const struct kernel *kernel) { return trial_takes_pages(kernel->op); }

void checkkern_run(struct checkkern_result *result, const struct kernel *kernel,
                   const struct checkkern_floor *floor, const struct checkkern_cases *cases) {
    struct running r = {.result = result, .kernel = kernel, .floor = *floor, .cases = cases};
    *result = (struct checkkern_result){.cosine = 1,
                                        .argmax = true,
                                        .finite = true,
                                        .guards = true,
                                        .same_bits = true,
                                        .bits = 0xCBF29CE484222325};
    if (!kernel->runs_here()) {
        result->verdict = CHECKKERN_SKIP;
        snprintf(result->why, sizeof result->why, "this CPU cannot run %s", kernel_clone_text(kernel->clone));
        return;
    }
    struct trial_shape shape;
    for (size_t t = 0; t < N_TYPES; t++) {
        if (!takes_type(kernel, types[t])) continue;
        if (cases->type && strcmp(cases->type, dtype_info(types[t])->name) != 0) continue;
        for (size_t i = 0; trial_next_shape(&shape, kernel->op, types[t], i); i++)
            if (is_due(&r, &shape)) check_case(&r, &shape);
        check_sweeps(&r, types[t]);
    }
}

struct checkkern_floor checkkern_floor(const char *op, int activations, enum kv_type kv) {
    bool attention = strcmp(op, "attention") == 0, quantize = strcmp(op, "quantize") == 0;
    bool whole =
        strcmp(op, "linear_f32") == 0 || strcmp(op, "linear_f16") == 0 || strcmp(op, "linear_bf16") == 0;
    bool products = (strncmp(op, "linear_", 7) == 0 && !whole) || strcmp(op, "experts") == 0 ||
                    strcmp(op, "head_linear") == 0;
    /* It rounds queries and weights as well, which ref does not. */
    if (attention && kv == KV_Q8_0) return (struct checkkern_floor){1 - 1e-4, 1e-2};
    if (attention) return (struct checkkern_floor){1 - 1e-10, 1e-5};
    if (quantize && activations == 8) return (struct checkkern_floor){1 - 5e-5, 1e-2};
    /* Products of eight bits are compared with what rounding left of the activations. */
    if (quantize || (products && activations != 8)) return (struct checkkern_floor){1 - 1e-8, 1e-4};
    return (struct checkkern_floor){1 - 1e-10, 2e-6};
}

const char *checkkern_verdict_name(enum checkkern_verdict verdict) {
    static const char *const names[] = {"PASS", "FAIL", "SKIP"};
    return names[verdict];
}
