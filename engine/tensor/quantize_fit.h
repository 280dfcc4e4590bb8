/* quantize_fit: numbers of few bits that come closest to given ones, by weighted squared error.
 * Owns nothing. Trusts the caller for n <= 32, weights that are not negative and finite numbers. Any thread.
 */
#ifndef ENGINE_TENSOR_QUANTIZE_FIT_H
#define ENGINE_TENSOR_QUANTIZE_FIT_H

#include <stdbool.h>
#include <stdint.h>

enum { QUANTIZE_FIT_MAX = 32 };

/* scale so that x is close to scale * level, level in [-top, top - 1]. May be negative; 0 when x is all zero.
 */
double quantize_fit_signed(const float *x, const float *weights, int n, int top);

/* scale and *minimum >= 0 so that x is close to scale * level - minimum, level in [0, top]. */
double quantize_fit_affine(double *minimum, const float *x, const float *weights, int n, int top);

/* scale and levels in [0, top] so that x, not negative, is close to scale * level. */
double quantize_fit_levels(uint8_t *levels, const double *x, const double *weights, int n, int top);

/* The nearest whole number within [low, high]; halves to even. */
int quantize_fit_nearest(double value, int low, int high);

#endif
