#include "tests/checkkern/checkkern.h"

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
};

/* How the units of a task are handed out. */
enum cut { CUT_NOT, CUT_EACH, CUT_THIRDS, CUT_BACKWARDS, CUT_TOKENS, N_CUTS };

/* --- running ----------------------------------------------------------------------------------------------
 */

/* `linear`, one token at a time: what a batch may not change. */
static void run_tokens(const struct running *r, kernel_fn *run, const struct task *task) {
    for (size_t i = 0; i < task->n; i++) {
        struct task one = *task;
        struct linear_task *t = &one.linear;
        size_t blocks = t->quantized.width / QUANT_BLOCK;
        one.n = 1;
        t->in.at += i * t->in.stride, t->out.at += i * t->out.stride;
        if (t->quantized.q) {
            t->quantized.q += i * t->quantized.width;
            t->quantized.scale += i * blocks, t->quantized.scaled_sum += i * blocks;
        }
        run(&one, 0, r->trial->units, r->scratch);
    }
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
        if (strncmp(r->trial->op, "linear", 6) == 0) run_tokens(r, run, task);
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
                 " (%s %s numbers, %zu rows, width %zu, %zu columns, head %zu x %zu x %zu, position %zu%s%s)",
                 dtype_info(s->type)->name, synth_kind_name(s->kind), s->n, s->width, s->n_cols, s->head_dim,
                 s->n_kv_heads, s->group, s->positions, s->strided ? ", strided" : "",
                 s->first_page_masked ? ", first page masked" : "");
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

static void compare(struct running *r, const double *got, const double *want, size_t n) {
    struct checkkern_result *result = r->result;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(got[i])) {
            result->finite = false;
            fail(r, "result %zu is %g, ref says %g", i, got[i], want[i]);
            return;
        }
    struct sums s = sum_up(got, want, n);
    bool nothing = sqrt(s.ww) < NOTHING;
    double error = nothing ? (sqrt(s.gg) < NOTHING ? 0 : 1) : sqrt(s.dd / s.ww);
    double cosine = nothing ? 1 : s.gg <= 0 ? 0 : s.gw / sqrt(s.gg * s.ww);
    result->error = fmax(result->error, error);
    result->cosine = fmin(result->cosine, cosine);
    if (!(cosine >= r->floor.cosine)) fail(r, "cosine 1 - %.2g", 1 - cosine);
    if (!(error <= r->floor.error)) fail(r, "normalised error %.2e", error);
    size_t width = trial_row_width(r->trial);
    result->has_argmax |= width > 0;
    for (size_t at = 0; width && !nothing && at + width <= n; at += width)
        if (!argmax_agrees(got + at, want + at, width, r->floor.error * s.largest)) {
            result->argmax = false;
            fail(r, "row %zu has its largest element elsewhere", at / width);
        }
}

static const char *const cut_names[] = {"whole", "unit by unit", "in thirds", "backwards", "token by token"};

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
    struct running as_ref = *r;
    as_ref.trial = &oracle;
    float *memory = outputs_of(&as_ref, kernel_find(op, "ref", "")->run, CUT_NOT, &words);
    size_t got = trial_values(&oracle, memory, want);
    if (got != n) fail(r, "ref gave %zu values, not %zu", got, n);
    trial_release(&oracle);
}

/* The same bits in every cut, and in the baseline clone. */
static void check_bits(struct running *r, const float *memory, size_t n) {
    size_t words;
    for (enum cut cut = CUT_EACH; cut < N_CUTS; cut++)
        if (memcmp(outputs_of(r, r->kernel->run, cut, &words), memory, n * sizeof *memory) != 0) {
            r->result->same_bits = false;
            fail(r, "other bits when run %s", cut_names[cut]);
        }
    const struct kernel *base = kernel_find(r->kernel->op, r->kernel->lane, "base");
    if (strcmp(r->kernel->clone, "") == 0 || strcmp(base->lane, r->kernel->lane) != 0) return;
    if (memcmp(outputs_of(r, base->run, CUT_NOT, &words), memory, n * sizeof *memory) != 0) {
        r->result->same_bits = false;
        fail(r, "other bits than the baseline clone");
    }
}

static void check_case(struct running *r, const struct trial_shape *shape) {
    struct trial trial;
    size_t words;
    bool panels = strcmp(r->kernel->lane, "ref") != 0; /* and so not the oracle */
    trial_build(&trial, r->kernel->op, shape, panels);
    r->trial = &trial;
    size_t width = shape->width > shape->n_cols ? shape->width : shape->n_cols;
    size_t head = shape->value_dim > shape->head_dim ? shape->value_dim : shape->head_dim;
    r->scratch = synth_alloc(&trial.arena, 1, kernel_scratch(width, head, shape->group) + 64);
    r->scratch = (char *)r->scratch + (64 - (uintptr_t)r->scratch % 64) % 64;
    float *memory = outputs_of(r, r->kernel->run, CUT_NOT, &words);
    size_t n = trial_values(&trial, memory, NULL);
    double *got = synth_alloc(&trial.arena, n, sizeof *got),
           *want = synth_alloc(&trial.arena, n, sizeof *want);
    trial_values(&trial, memory, got);
    r->result->is_oracle = !panels && !trial_definition(&trial, NULL);
    expect(r, want, n);
    compare(r, got, want, n);
    check_bits(r, memory, words);
    r->result->n_cases++;
    trial_release(&trial);
}

/* The weight types an op is tried with: its own, or all of them. */
static bool takes_type(const char *op, enum dtype type) {
    if (strcmp(op, "embed") == 0 || strcmp(op, "linear") == 0) return true;
    if (strcmp(op, "head_linear") == 0 || strcmp(op, "experts") == 0) /* dtype's decoding again: some */
        return type == DTYPE_F32 || type == DTYPE_MXFP4;
    if (strncmp(op, "linear_", 7) == 0) return strcasecmp(op + 7, dtype_info(type)->name) == 0;
    return type == DTYPE_F32;
}

void checkkern_run(struct checkkern_result *result, const struct kernel *kernel,
                   const struct checkkern_floor *floor) {
    static const enum dtype types[] = {
#define DTYPE(name, id, elements, bytes) DTYPE_##name,
#include "engine/tensor/dtypes.inc"
#undef DTYPE
    };
    struct running r = {.result = result, .kernel = kernel, .floor = *floor};
    *result = (struct checkkern_result){
        .cosine = 1, .argmax = true, .finite = true, .guards = true, .same_bits = true};
    if (!kernel->runs_here()) {
        result->verdict = CHECKKERN_SKIP;
        snprintf(result->why, sizeof result->why, "this CPU lacks %s", kernel_clone_text(kernel->clone));
        return;
    }
    struct trial_shape shape;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 0;
             takes_type(kernel->op, types[t]) && trial_next_shape(&shape, kernel->op, types[t], i); i++)
            check_case(&r, &shape);
}

struct checkkern_floor checkkern_floor(const char *op) {
    if (strncmp(op, "linear_q", 8) == 0) return (struct checkkern_floor){1 - 1e-8, 1e-4};
    if (strcmp(op, "quantize") == 0) return (struct checkkern_floor){1 - 1e-8, 1e-4};
    return (struct checkkern_floor){1 - 1e-10, 2e-6};
}

const char *checkkern_verdict_name(enum checkkern_verdict verdict) {
    static const char *const names[] = {"PASS", "FAIL", "SKIP"};
    return names[verdict];
}
