/* cpu: what the CPU backend is made of. Only engine/backend includes this; backend.h is the public face.
 *
 * Owns:    struct backend owns its memory, weights, pages, states and threads.
 * Trusts:  the program (program_check).
 * Threads: planned by one thread, read by all, `tokens` and `wanted` written between runs; the stages'
 *          `next` is every thread's.
 *
 * A program becomes a list of stages with a barrier between them; a stage is a few kernels. cpuplan.c plans,
 * cpuweights.c re-lays the weights, cpupanels.c keeps them in a file, cpurun.c runs, cpu.c opens.
 */
#ifndef ENGINE_BACKEND_CPU_H
#define ENGINE_BACKEND_CPU_H

#include "engine/backend/backend.h"
#include "engine/backend/panelcache.h"
#include "engine/backend/pool.h"
#include "engine/backend/region.h"
#include "engine/kernels/kernel.h"
#include "engine/kernels/lpanel.h"

#include <stdatomic.h>

/* One kernel and what it is asked. */
struct job {
    const struct kernel *kernel;
    struct task task;
    struct rows *logits; /* the operand of `task` that is the caller's memory, or NULL */
    struct state *state; /* the one whose memory may move, or NULL ... */
    size_t state_at;     /* ... and where it begins in it, in floats */
    bool wanted_rows;    /* runs over the rows whose logits are asked for; else over all tokens */
    size_t units, units_per_row, work_per_unit;
    size_t units_most;     /* that rows make; 0: no bound */
    size_t *rows_per_unit; /* the operand of `task` that says so, or NULL: attention */
    size_t group;          /* neighbouring units that are cheaper together: cuts fall between groups */
    bool work_by_row;      /* a unit's work is once for each row: linear */
    bool own_rows;         /* a unit is a row, and reads nothing that earlier jobs wrote for other rows */
};

/* Who works on a stage of a run. */
enum share {
    SHARE_ALONE,   /* one thread: sharing would cost more than it saves */
    SHARE_EVENLY,  /* every thread its part: one stretch of memory, the same in every run */
    SHARE_BY_TURN, /* whoever has time takes the next part, so that a slow CPU holds nobody up */
};

/* Jobs [first, first + n), after everything before. Either they are independent of each other and the units
 * of one follow those of the other; or they form a chain: all have rows of their own, and who takes a row
 * runs it through all jobs. */
struct stage {
    size_t first, n;
    bool is_chain;
    /* Of the run in progress: */
    enum share share;
    size_t units;
    _Alignas(64) atomic_size_t next; /* SHARE_BY_TURN: the first unit that nobody took */
};

/* What became of a weight that the lane's kernels want re-laid. */
struct laid {
    enum dtype type;      /* of its rows */
    const void **panels;  /* of each of its matrices; NULL: it is used as it lies in the file */
    struct lpanel *codes; /* how each of them is laid out; NULL: as `type` is */
};

/* One of its matrices: where the panels lie and how they are made. */
struct relaid {
    int weight;
    size_t matrix;
    const void *data;                 /* in the file, where it begins */
    size_t at, n_panels, panel_bytes; /* at: bytes into `weights` */
    atomic_size_t left;               /* panels that are still to be made */
};

struct backend {
    const struct program *program;
    const char *lane, *clone;
    struct pool *pool;
    size_t max_batch, n_pages, n_sequences;
    struct region memory, weights, pages, states;
    struct panelcache panelcache;     /* instead of `weights`, where there is a good one */
    size_t page_stride, state_stride; /* bytes, floats */
    enum kv_type kv;

    struct stage *stages;
    struct job *jobs;
    struct rows *buffers;
    bool *buffer_is_wanted;                           /* its rows are those whose logits are asked for */
    struct quantized quantized[PROGRAM_MAX_OPERANDS]; /* for each order of columns that a step has */
    struct laid *laid;     /* of each weight; it, `relaid` and what they point to are in the arena */
    struct relaid *relaid; /* in the order of their data in memory */
    struct arena arena;
    const struct relaid
        *table;             /* the first stage's, embed's; NULL: its pages in the file are the only ones */
    atomic_size_t embedded; /* rows of it */
    size_t *wanted;
    char *scratch;
    size_t n_stages, n_jobs, n_relaid, scratch_bytes;

    struct tokens tokens; /* of the run in progress */
    char description[BACKEND_DESCRIBED], note[560];
};

/* Bytes that a cache takes in a page. */
size_t cpu_cache_bytes(const struct backend *b, const struct program_cache *cache);

/* What multiplies by this weight in the backend's lane. */
const struct kernel *cpu_linear_kernel(const struct backend *b, const struct weight *w);

/* Panels of LINEAR_ROWS rows of a weight. */
size_t cpu_n_panels(const struct weight *w);

/* Most jobs and stages that a step becomes. */
enum { CPU_JOBS_A_STEP = 2 * PROGRAM_MAX_OPERANDS, CPU_STAGES_A_STEP = 2 };

/* cpubuffers.c: at[i] = where buffer i, all but the logits, begins in a token's row of as many floats as it
 * returns: whole lines of a cache, an odd number, so that rows do not fall into the same sets of one. */
size_t cpu_place_buffers(const struct program *program, size_t at[PROGRAM_MAX_BUFFERS]);

/* Fills `laid` and `relaid`, and says in `bytes` how much `weights` must hold. */
bool cpu_choose_relaid(struct backend *b, size_t *bytes, struct status *st) STATUS_MUST_USE;
/* Opens `weights` and fills it, every thread its part. */
bool cpu_relay(struct backend *b, size_t bytes, const struct backend_options *options,
               struct status *st) STATUS_MUST_USE;

/* How wide a row is as the columns of this matrix lie, in their own order or not. */
size_t cpu_laid_width(const struct laid *laid, const struct weight *w, size_t matrix);

/* Are its products taken of integers? */
bool cpu_is_integer(const struct laid *laid);
/* The file's pages of a matrix, where it is mapped, are not needed now. */
void cpu_let_go(const struct backend *b, const struct relaid *r);
/* Panels [first, end) of a matrix; lets go of the rows they were made from. `room` is for LINEAR_ROWS rows.
 */
void cpu_make_panels(const struct backend *b, char *to, const struct relaid *r, size_t first, size_t end,
                     char *room);

/* cpupanels.c: the panels from options->cache_path, or into it. What does not go well is a sentence in `note`
 * and costs time alone. */
bool cpu_read_panels(struct backend *b, size_t bytes, const struct backend_options *options);
void cpu_write_panels(struct backend *b, const struct backend_options *options);

/* Stages and jobs of the whole program, into the memory that is there for them. */
void cpu_plan(struct backend *b);

#endif
