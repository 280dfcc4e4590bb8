/* out *= sigmoid(gate): value by value, or all of a row by one. */
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/sigmoid.h"

VEC vec_f32 gate_part(const float *gate, bool one, size_t j, size_t n) {
    if (one) return vec_splat(*gate);
    return n < LANES ? vec_load_some(gate + j, n) : vec_load(gate + j);
}

VEC void gate_row(float *out, const float *gate, bool one, size_t dim) {
    size_t j = 0;
    for (; j + LANES <= dim; j += LANES)
        vec_store(out + j, vec_gated(vec_load(out + j), -gate_part(gate, one, j, LANES)));
    if (j < dim) {
        vec_f32 last = vec_gated(vec_load_some(out + j, dim - j), -gate_part(gate, one, j, dim - j));
        vec_store_some(out + j, last, dim - j);
    }
}

void EXACT(sigmoid_gate)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct sigmoid_gate_task *t = &task->sigmoid_gate;
    size_t dim = t->out.width / t->n_heads, part = t->gate.width / t->n_heads;
    for (size_t i = begin; i < end; i++)
        for (size_t h = 0; h < t->n_heads; h++)
            gate_row(t->out.at + i * t->out.stride + h * dim,
                     t->gate.at + i * t->gate.stride + h * part + t->at, part == 1, dim);
}
