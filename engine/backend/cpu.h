/* cpu: what the CPU backend is made of. Only engine/backend includes this; backend.h is the public face.
 *
 * Owns:    struct backend owns its memory, pages, states and threads.
 * Trusts:  the program (program_check).
 * Threads: planned by one thread, read by all, `tokens` and `wanted` written between runs.
 *
 * A program becomes a list of stages; a stage is a few kernels that may run at once.
 */
#ifndef ENGINE_BACKEND_CPU_H
#define ENGINE_BACKEND_CPU_H

#include "engine/backend/backend.h"
#include "engine/backend/pool.h"
#include "engine/backend/region.h"
#include "engine/kernels/kernel.h"

/* One kernel and what it is asked. */
struct job {
    const struct kernel *kernel;
    struct task task;
    struct rows *logits; /* the operand of `task` that is the caller's memory, or NULL */
    struct state *state; /* the one whose memory may move, or NULL ... */
    size_t state_at;     /* ... and where it begins in it, in floats */
    bool wanted_rows;    /* runs over the rows whose logits are asked for; else over all tokens */
    size_t units, units_per_row, work_per_unit;
    bool work_by_row; /* a unit's work is once for each row: linear */
};

/* Jobs [first, first + n): independent of each other, after everything before. */
struct stage {
    size_t first, n;
};

struct backend {
    const struct program *program;
    const char *lane, *clone;
    struct pool *pool;
    size_t max_batch, n_pages, n_sequences;
    struct region memory, pages, states;
    size_t page_stride, state_stride; /* floats */

    struct stage *stages;
    struct job *jobs;
    struct rows *buffers;
    bool *buffer_is_wanted; /* its rows are those whose logits are asked for */
    struct quantized quantized;
    void **panels; /* of each weight, NULL: used as it lies in the file */
    size_t *wanted;
    char *scratch;
    size_t n_stages, n_jobs, scratch_bytes;

    struct tokens tokens; /* of the run in progress */
    char description[96];
};

/* What multiplies by this weight in the backend's lane. */
const struct kernel *cpu_linear_kernel(const struct backend *b, const struct weight *w);

/* Panels of LINEAR_ROWS rows of a weight. */
size_t cpu_n_panels(const struct weight *w);

/* Most jobs and stages that a step becomes. */
enum { CPU_JOBS_A_STEP = 1 + PROGRAM_MAX_OPERANDS, CPU_STAGES_A_STEP = 2 };

/* Stages and jobs of the whole program, into the memory that is there for them. */
void cpu_plan(struct backend *b);

#endif
