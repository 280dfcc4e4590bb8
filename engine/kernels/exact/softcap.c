/* cap * tanh(x / cap) (Gemma 2, arXiv:2408.00118, section 2). */
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/tanh.h"

VEC vec_f32 capped(vec_f32 x, float cap) { return vec_splat(cap) * vec_tanh(x / vec_splat(cap)); }

void EXACT(softcap)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct softcap_task *t = &task->softcap;
    for (size_t i = begin; i < end; i++) {
        float *out = t->out.at + i * t->out.stride;
        size_t j = 0;
        for (; j + LANES <= t->out.width; j += LANES) vec_store(out + j, capped(vec_load(out + j), t->cap));
        if (j < t->out.width) {
            size_t rest = t->out.width - j;
            vec_store_some(out + j, capped(vec_load_some(out + j, rest), t->cap), rest);
        }
    }
}
