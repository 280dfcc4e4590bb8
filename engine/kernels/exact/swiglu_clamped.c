/* gpt-oss's gate: gate at most `limit`, up within it on both sides, then gate * sigmoid(alpha * gate) * (up +
 * 1) (openai/gpt-oss, gpt_oss/torch/model.py). A NaN stays. */
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/gated.h"

VEC vec_f32 swiglu_clamped(vec_f32 gate, vec_f32 up, const struct swiglu_task *t) {
    vec_f32 limit = vec_splat(t->limit);
    gate = vec_pick(gate > limit, limit, gate);
    up = vec_pick(up > limit, limit, vec_pick(up < -limit, -limit, up));
    return vec_gated(gate, -(vec_splat(t->alpha) * gate)) * (up + 1);
}

void EXACT(swiglu_clamped)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    gated_rows(task, begin, end, swiglu_clamped);
}
