#include "engine/session/sample.h"

#include <assert.h>
#include <math.h>

int32_t sample_greedy(const float *logits, size_t n, float *margin) {
    assert(n > 0 && n <= INT32_MAX);
    size_t best = 0;
    float first = -INFINITY, second = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (logits[i] > first) {
            second = first;
            first = logits[i];
            best = i;
        } else if (logits[i] > second) {
            second = logits[i];
        }
    }
    if (margin) *margin = first > second ? first - second : 0.0F;
    return (int32_t)best;
}
