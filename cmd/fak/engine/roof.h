/* roof: what this machine can do at most with so many threads, measured by loops that do nothing else.
 *
 * Owns:    its threads and memory while it measures.
 * Trusts:  the caller for `lane`.
 * Threads: one at a time; nothing else should run.
 *
 * Each figure is the best of several short runs, on threads as the backend has them: a limit is not an
 * average. The three are those that a matrix product meets (Williams, Waterman and Patterson, Roofline,
 * 2009).
 */
#ifndef CMD_FAK_ENGINE_ROOF_H
#define CMD_FAK_ENGINE_ROOF_H

#include "base/status.h"

#include <stddef.h>

struct roof {
    size_t threads;
    double read;                  /* bytes a second out of memory, far more of it than any cache holds */
    double int8_ops;              /* multiplications and additions a second: 8-bit dot products */
    double f32_ops;               /* f32 fused multiply-adds, two each */
    const char *int8_by, *f32_by; /* the instructions: "vpdpbusd, 512 bits" */
};

/* `lane` as engine_describe says it: the loops use the widest instructions that this lane has. */
bool roof_measure(struct roof *out, const char *lane, size_t threads, struct status *st) STATUS_MUST_USE;

#endif
