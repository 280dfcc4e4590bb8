/* making: what trials are made of, for trial.c and layers.c. Everything lies in the trial's arena. */
#ifndef TESTS_CHECKKERN_MAKING_H
#define TESTS_CHECKKERN_MAKING_H

#include "engine/kernels/lpanel.h"
#include "tests/checkkern/trial.h"

#define AT(member) offsetof(struct task, member)

struct rows making_input(struct trial *t, struct synth *s, size_t n, size_t width);

/* An operand that the kernel writes, `at` in struct task; `initial` as in struct trial_output. */
struct rows making_output(struct trial *t, size_t at, size_t n, size_t width, const float *initial);

/* Rows without gaps that the kernel writes: pages, states. */
void making_memory(struct trial *t, size_t at, size_t n, size_t width, const float *initial);

/* Tokens of two sequences whose pages lie in no order. The last token of sequence 0 stands at
 * `positions` - 1, those before it at the positions before. */
struct tokens *making_tokens(struct trial *t, struct synth *s, size_t *n_pages);
struct kv making_pages(struct trial *t, struct synth *s, size_t n_pages);

/* The rows as integers, in the order of panels of codes unless `codes` is NULL. */
struct quantized making_quantized(struct trial *t, const struct rows *in, size_t n,
                                  const struct lpanel *codes);

/* The rows as kernels see them once they are integers: each number rounded, in its place. */
void making_rounded(struct arena *arena, const struct rows *rows, size_t n, int bits,
                    const struct lpanel *codes);

/* Weights as lanes other than ref want them. `codes` is how a layout is laid out, NULL for rows of a type. */
struct lpanel *making_codes(struct trial *t, const struct layout *layout, size_t n_rows);
void *making_panels(struct trial *t, enum dtype type, const void *rows, size_t n_rows, size_t n_cols,
                    const struct lpanel *codes);

#endif
