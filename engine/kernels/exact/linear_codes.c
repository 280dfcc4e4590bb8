/* out = in * weights' for weights in panels of codes (lpanel.h): GPTQ, AWQ, EXL2, compressed-tensors'
 * integers. Each width of code is a product with some of the columns, added to what is there. */
#include "engine/kernels/exact/linear_quant.h"
#include "engine/kernels/lpanel.h"

VEC void codes_segment(const struct task *task, const struct lpanel_segment *s, size_t begin, size_t end,
                       enum panel_form form, void *scratch) {
    const struct linear_task *t = &task->linear;
    struct direct_panels of = {.at = (const uint8_t *)t->weights + s->at,
                               .stride = t->codes->bytes,
                               .shape = panel_shape(form),
                               .block = s->first,
                               .n_blocks = s->n_blocks};
    of.shape.header_bytes = cpanel_header(&s->form);
    of.shape.codes = &s->form;
    linear_panels(task, &of, begin, end, form, scratch);
}

#define CODES(bits)                                                                                          \
    __attribute__((noinline)) static void codes_##bits(                                                      \
        const struct task *task, const struct lpanel_segment *s, size_t begin, size_t end, void *scratch) {  \
        codes_segment(task, s, begin, end, PANEL_CODES##bits, scratch);                                      \
    }
CODES(2)
CODES(3)
CODES(4)
CODES(5)
CODES(6)
CODES(8)

void EXACT(linear_codes)(const struct task *task, size_t begin, size_t end, void *scratch) {
    static void (*const run[])(const struct task *, const struct lpanel_segment *, size_t, size_t, void *) = {
        [2] = codes_2, [3] = codes_3, [4] = codes_4, [5] = codes_5, [6] = codes_6, [8] = codes_8};
    const struct lpanel *of = task->linear.codes;
    /* Few tokens: panel by panel as they lie in memory, for each is read but once. */
    const size_t step = of->n_segments > 1 && task->n <= DIRECT_TOKENS ? 1 : end - begin;
    for (size_t unit = begin; unit < end; unit += step)
        for (const struct lpanel_segment *s = of->segments; s < of->segments + of->n_segments; s++)
            run[s->form.bits](task, s, unit, unit + step, scratch);
}
