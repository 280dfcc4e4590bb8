/* silu(gate) * up, silu(x) = x / (1 + exp(-x)) (Shazeer, arXiv:2002.05202). */
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/exp.h"

VEC vec_f32 swiglu(vec_f32 gate, vec_f32 up) { return gate / (vec_exp(-gate) + 1) * up; }

void EXACT(swiglu)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct swiglu_task *t = &task->swiglu;
    size_t width = t->out.width, whole = width - width % LANES, rest = width - whole;
    for (size_t i = begin; i < end; i++) {
        const float *gate = t->gate.at + i * t->gate.stride, *up = t->up.at + i * t->up.stride;
        float *out = t->out.at + i * t->out.stride;
        for (size_t j = 0; j < whole; j += LANES)
            vec_store(out + j, swiglu(vec_load(gate + j), vec_load(up + j)));
        if (rest)
            vec_store_some(out + whole,
                           swiglu(vec_load_some(gate + whole, rest), vec_load_some(up + whole, rest)), rest);
    }
}
