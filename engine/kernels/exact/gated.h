/* gated: a row whose every value is a function of a value of each of two rows. Owns nothing; any thread. */
#ifndef ENGINE_KERNELS_EXACT_GATED_H
#define ENGINE_KERNELS_EXACT_GATED_H

#include "engine/kernels/exact/sigmoid.h"
#include "engine/kernels/kernel.h"

typedef vec_f32 gated_fn(vec_f32 gate, vec_f32 up, const struct swiglu_task *t);

/* out[i] = f(gate[i], up[i]); `f` is a constant, so it is inlined. */
VEC void gated_row(float *out, const float *gate, const float *up, size_t width, gated_fn *f,
                   const struct swiglu_task *t) {
    size_t j = 0;
    for (; j + LANES <= width; j += LANES) vec_store(out + j, f(vec_load(gate + j), vec_load(up + j), t));
    if (j < width) {
        vec_f32 last = f(vec_load_some(gate + j, width - j), vec_load_some(up + j, width - j), t);
        vec_store_some(out + j, last, width - j);
    }
}

/* Rows [begin, end) of the task. */
VEC void gated_rows(const struct task *task, size_t begin, size_t end, gated_fn *f) {
    const struct swiglu_task *t = &task->swiglu;
    for (size_t i = begin; i < end; i++)
        gated_row(t->out.at + i * t->out.stride, t->gate.at + i * t->gate.stride, t->up.at + i * t->up.stride,
                  t->out.width, f, t);
}

#endif
