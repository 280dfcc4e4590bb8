/* quantize_kquant: super-blocks of 256 elements. */
#include "engine/tensor/kquant.h"
#include "engine/tensor/quantize_fit.h"
#include "engine/tensor/quantize_row.h"

#include <math.h>
#include <string.h>

enum { SUPER = KQUANT_BLOCK, MAX_SUBS = 16, REFITS = 3 };

/* A super-block on its way: element i of sub-block s is d * scales[s] * quants[i] - dmin * minimums[s]. */
struct super {
    int top, n_subs, width; /* largest quant; sub-blocks, and elements of one */
    float weights[SUPER];
    uint16_t d, dmin; /* as stored */
    int scales[MAX_SUBS], minimums[MAX_SUBS];
    int16_t quants[SUPER];
    double error;
};

static double half(uint16_t bits) { return (double)dtype_f16_to_f32(bits); }

/* With importance an error counts by it, more where the weight is large; without, by the size of the weight
 * beside the mean of its sub-block. */
static void weigh(struct super *s, const float *x, const float *importance) {
    double square = 0;
    for (int i = 0; i < SUPER; i++) square += (double)x[i] * (double)x[i];
    for (int sub = 0; sub < s->n_subs; sub++) {
        double own = 0;
        for (int i = sub * s->width; i < (sub + 1) * s->width; i++) own += (double)x[i] * (double)x[i];
        for (int i = sub * s->width; i < (sub + 1) * s->width; i++) {
            double at = (double)x[i];
            s->weights[i] = (float)(importance ? (double)importance[i] * sqrt(2 * square / SUPER + at * at)
                                               : sqrt(own / s->width) + fabs(at));
        }
    }
}

/* --- quants of scales ----------------------------------------------------------------------------------- */

/* The nearest quants to x, and the weighted error that they leave. */
static void requant(struct super *s, const float *x, int low) {
    s->error = 0;
    for (int i = 0; i < SUPER; i++) {
        int sub = i / s->width;
        double scale = half(s->d) * s->scales[sub], minimum = half(s->dmin) * s->minimums[sub];
        double at = (double)x[i] + minimum;
        s->quants[i] = (int16_t)(scale != 0 ? quantize_fit_nearest(at / scale, low, s->top) : 0);
        double off = scale * s->quants[i] - at;
        s->error += (double)s->weights[i] * off * off;
    }
}

/* d and dmin of least weighted error for these quants. False: they do not say. */
static bool refit(struct super *s, const float *x, bool affine) {
    double aa = 0, ab = 0, bb = 0, xa = 0, xb = 0;
    for (int i = 0; i < SUPER; i++) {
        double w = (double)s->weights[i], at = (double)x[i], a = s->scales[i / s->width] * s->quants[i],
               b = -s->minimums[i / s->width];
        aa += w * a * a, ab += w * a * b, bb += w * b * b;
        xa += w * at * a, xb += w * at * b;
    }
    if (!affine || !(bb > 0)) {
        if (!(aa > 0)) return false;
        s->d = dtype_f32_to_f16((float)(xa / aa));
        return true;
    }
    double determinant = aa * bb - ab * ab;
    if (!(determinant > 1e-12 * aa * bb)) return false;
    double d = (xa * bb - xb * ab) / determinant, dmin = (xb * aa - xa * ab) / determinant;
    if (!(d > 0) || !(dmin >= 0)) return false;
    s->d = dtype_f32_to_f16((float)d);
    s->dmin = dtype_f32_to_f16((float)dmin);
    return true;
}

/* As long as the error falls. */
static void improve(struct super *s, const float *x, int low, bool affine) {
    requant(s, x, low);
    for (int i = 0; i < REFITS; i++) {
        struct super next = *s;
        if (!refit(&next, x, affine)) return;
        requant(&next, x, low);
        if (!(next.error < s->error)) return;
        *s = next;
    }
}

/* --- Q4_K, Q5_K ----------------------------------------------------------------------------------------- */

enum { SCALE_TOP = 63 };

static void fit_affine(struct super *s, const float *x) {
    double scales[8], minimums[8], weights[8];
    uint8_t levels[8];
    for (int sub = 0; sub < s->n_subs; sub++) {
        const float *w = s->weights + sub * s->width;
        scales[sub] = quantize_fit_affine(&minimums[sub], x + sub * s->width, w, s->width, s->top);
        weights[sub] = 0;
        for (int i = 0; i < s->width; i++) weights[sub] += (double)w[i];
    }
    s->d = dtype_f32_to_f16((float)quantize_fit_levels(levels, scales, weights, s->n_subs, SCALE_TOP));
    for (int i = 0; i < s->n_subs; i++) s->scales[i] = levels[i];
    s->dmin = dtype_f32_to_f16((float)quantize_fit_levels(levels, minimums, weights, s->n_subs, SCALE_TOP));
    for (int i = 0; i < s->n_subs; i++) s->minimums[i] = levels[i];
}

/* Eight scales and eight minimums of six bits in twelve bytes. */
static void put_scales(uint8_t *at, const struct super *s) {
    memset(at, 0, 12);
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(s->scales[i] | (s->scales[i + 4] >> 4) << 6);
        at[i + 4] = (uint8_t)(s->minimums[i] | (s->minimums[i + 4] >> 4) << 6);
        at[i + 8] = (uint8_t)((s->scales[i + 4] & 15) | (s->minimums[i + 4] & 15) << 4);
    }
}

static void put_affine(uint8_t *out, const struct super *s, bool five) {
    memcpy(out, &s->d, 2);
    memcpy(out + 2, &s->dmin, 2);
    put_scales(out + 4, s);
    uint8_t *high = out + 16, *low = five ? high + 32 : high;
    if (five) memset(high, 0, 32);
    for (int chunk = 0; chunk < 4; chunk++) {
        for (int i = 0; i < 32; i++) {
            int a = s->quants[64 * chunk + i], b = s->quants[64 * chunk + 32 + i];
            low[32 * chunk + i] = (uint8_t)((a & 15) | (b & 15) << 4);
            if (five) high[i] |= (uint8_t)(a >> 4 << 2 * chunk | b >> 4 << (2 * chunk + 1));
        }
    }
}

/* --- Q6_K ----------------------------------------------------------------------------------------------- */

enum { LOW = -32, LOWEST_SCALE = -128, HIGHEST_SCALE = 127 };

/* Without importance, by the square of the weight, as ggml's own search has it. */
static void weigh_signed(struct super *s, const float *x, const float *importance) {
    for (int i = 0; i < SUPER; i++) s->weights[i] = importance ? importance[i] : x[i] * x[i];
}

static void fit_signed(struct super *s, const float *x) {
    double scales[MAX_SUBS], largest = 0;
    for (int sub = 0; sub < s->n_subs; sub++) {
        scales[sub] = quantize_fit_signed(x + sub * s->width, s->weights + sub * s->width, s->width, -LOW);
        if (fabs(scales[sub]) > fabs(largest)) largest = scales[sub];
    }
    double inverse = fabs(largest) > 1e-15 ? LOWEST_SCALE / largest : 0;
    s->d = dtype_f32_to_f16(inverse != 0 ? (float)(1 / inverse) : 0);
    for (int sub = 0; sub < s->n_subs; sub++)
        s->scales[sub] = quantize_fit_nearest(inverse * scales[sub], LOWEST_SCALE, HIGHEST_SCALE);
}

static void put_signed(uint8_t *out, const struct super *s) {
    uint8_t *low = out, *high = out + 128;
    for (int part = 0; part < 2; part++, low += 64, high += 32) {
        const int16_t *q = s->quants + 128 * part;
        for (int i = 0; i < 32; i++) {
            int a = q[i] - LOW, b = q[i + 32] - LOW, c = q[i + 64] - LOW, d = q[i + 96] - LOW;
            low[i] = (uint8_t)((a & 15) | (c & 15) << 4);
            low[i + 32] = (uint8_t)((b & 15) | (d & 15) << 4);
            high[i] = (uint8_t)(a >> 4 | b >> 4 << 2 | c >> 4 << 4 | d >> 4 << 6);
        }
    }
    for (int i = 0; i < 16; i++) out[192 + i] = (uint8_t)(int8_t)s->scales[i];
    memcpy(out + 208, &s->d, 2);
}

/* --- a super-block -------------------------------------------------------------------------------------- */

void quantize_kquant(uint8_t *out, enum dtype type, const float *x, const float *importance) {
    struct super s = {.top = 31, .n_subs = 8, .width = 32};
    if (type == DTYPE_Q6_K) {
        s.n_subs = 16, s.width = 16;
        weigh_signed(&s, x, importance);
        fit_signed(&s, x);
        improve(&s, x, LOW, false);
        put_signed(out, &s);
        return;
    }
    if (type == DTYPE_Q4_K) s.top = 15;
    weigh(&s, x, importance);
    fit_affine(&s, x);
    improve(&s, x, 0, true);
    put_affine(out, &s, type == DTYPE_Q5_K);
}
