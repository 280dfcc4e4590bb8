/* making: what trials are made of, for trial.c and layers.c. Everything lies in the trial's arena. */
#ifndef TESTS_CHECKKERN_MAKING_H
#define TESTS_CHECKKERN_MAKING_H

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

#endif
