#include "engine/tensor/quantize_fit.h"

#include <math.h>

int quantize_fit_nearest(double value, int low, int high) {
    if (!(value > low)) return low;
    return value >= high ? high : (int)nearbyint(value);
}

/* --- a scale alone -------------------------------------------------------------------------------------- */

/* Levels by the inverse scale; the scale that fits them best is product / square, and what it explains of the
 * weighted square of x is product^2 / square. */
struct fit {
    double product, square;
};

static struct fit fit_of(const float *x, const float *weights, int n, int top, double inverse) {
    struct fit f = {0, 0};
    for (int i = 0; i < n; i++) {
        double level = quantize_fit_nearest(inverse * (double)x[i], -top, top - 1), w = (double)weights[i];
        f.product += w * (double)x[i] * level;
        f.square += w * level * level;
    }
    return f;
}

double quantize_fit_signed(const float *x, const float *weights, int n, int top) {
    enum { STEPS = 9 };
    double largest = 0;
    for (int i = 0; i < n; i++)
        if (fabs((double)x[i]) > fabs(largest)) largest = (double)x[i];
    if (fabs(largest) < 1e-15) return 0;
    struct fit best = {0, 0};
    double explained = 0;
    for (int step = -STEPS; step <= STEPS; step++) {
        struct fit f = fit_of(x, weights, n, top, -(top + 0.1 * step) / largest);
        if (!(f.square > 0) || !(f.product * f.product / f.square > explained)) continue;
        explained = f.product * f.product / f.square;
        best = f;
    }
    return best.square > 0 ? best.product / best.square : -largest / top;
}

/* --- a scale and a minimum ------------------------------------------------------------------------------ */

struct sums {
    double w, x, l, ll, xl;
};

static double error_of(const float *x, const float *weights, const int *levels, int n, double scale,
                       double offset) {
    double error = 0;
    for (int i = 0; i < n; i++) {
        double off = scale * levels[i] + offset - (double)x[i];
        error += (double)weights[i] * off * off;
    }
    return error;
}

/* The line through (level, x) of least weighted error, its offset not above 0. False: all levels are one. */
static bool line(double *scale, double *offset, const struct sums *s) {
    double determinant = s->w * s->ll - s->l * s->l;
    if (!(determinant > 0)) return false;
    *scale = (s->w * s->xl - s->x * s->l) / determinant;
    *offset = (s->ll * s->x - s->l * s->xl) / determinant;
    if (*offset > 0) {
        *offset = 0;
        *scale = s->xl / s->ll;
    }
    return true;
}

static struct sums levels_of(int *levels, const float *x, const float *weights, int n, int top,
                             double inverse, double low) {
    struct sums s = {0, 0, 0, 0, 0};
    for (int i = 0; i < n; i++) {
        double w = (double)weights[i], at = (double)x[i];
        levels[i] = quantize_fit_nearest(inverse * (at - low), 0, top);
        s.w += w;
        s.x += w * at;
        s.l += w * levels[i];
        s.ll += w * levels[i] * levels[i];
        s.xl += w * levels[i] * at;
    }
    return s;
}

double quantize_fit_affine(double *minimum, const float *x, const float *weights, int n, int top) {
    enum { STEPS = 40 };
    int levels[QUANTIZE_FIT_MAX];
    double low = 0, high = (double)x[0];
    for (int i = 0; i < n; i++) {
        low = fmin(low, (double)x[i]);
        high = fmax(high, (double)x[i]);
    }
    *minimum = -low;
    if (high <= low) return 0;
    double best_scale = (high - low) / top, best_offset = low;
    levels_of(levels, x, weights, n, top, 1 / best_scale, low);
    double best = error_of(x, weights, levels, n, best_scale, best_offset);
    for (int step = 0; step <= STEPS; step++) {
        double scale, offset, inverse = (top - 1 + 0.05 * step) / (high - low);
        struct sums s = levels_of(levels, x, weights, n, top, inverse, low);
        if (!line(&scale, &offset, &s)) continue;
        double error = error_of(x, weights, levels, n, scale, offset);
        if (!(error < best)) continue;
        best = error;
        best_scale = scale;
        best_offset = offset;
    }
    *minimum = -best_offset;
    return best_scale;
}

/* --- levels that are not negative ----------------------------------------------------------------------- */

double quantize_fit_levels(uint8_t *levels, const double *x, const double *weights, int n, int top) {
    enum { STEPS = 20 };
    double largest = 0, explained = 0, inverse = 0, scale = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, x[i]);
    if (largest > 1e-30) inverse = top / largest, scale = largest / top;
    for (int step = -STEPS; largest > 1e-30 && step <= STEPS; step++) {
        double product = 0, square = 0, tried = (top + 0.1 * step) / largest;
        for (int i = 0; i < n; i++) {
            double level = quantize_fit_nearest(tried * x[i], 0, top);
            product += weights[i] * x[i] * level;
            square += weights[i] * level * level;
        }
        if (!(square > 0) || !(product * product / square > explained)) continue;
        explained = product * product / square;
        inverse = tried;
        scale = product / square;
    }
    for (int i = 0; i < n; i++) levels[i] = (uint8_t)quantize_fit_nearest(inverse * x[i], 0, top);
    return scale;
}
