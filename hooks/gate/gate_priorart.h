/* gate_priorart: which operations of the matrix a change touches, and what to read before it is committed.
 *
 * Owns:    nothing; findings live in the arena of whoever asked, texts belong to the matrix and the change.
 * Trusts:  the matrix. Paths and message are from outside.
 * Threads: pure; any thread.
 */
#ifndef HOOKS_GATE_GATE_PRIORART_H
#define HOOKS_GATE_GATE_PRIORART_H

#include "git/change.h"
#include "hooks/gate/touched.h"
#include "hooks/trailer/trailer.h"
#include "sotadb/matrix.h"

/* One file that made an operation match, and the row that says so. */
struct hit {
    const struct change *change;
    const struct op_path *row;
    struct touched touched; /* its kernels whose code changes; none where nobody looked */
};

/* Everything about one operation that the change touches. */
struct finding {
    const struct op *op;
    const struct reference *reference; /* the one to read first, or NULL */
    const struct hit *hits;            /* by path; at least one */
    size_t n_hits;
    const char *trailer; /* "Prior-art: fused-attention; FlashInfer (flashinfer-ai/flashinfer)" */
};

enum stamp_state {
    STAMP_ABSENT,
    STAMP_NEAR,  /* somebody meant to write one, or it names the wrong operation */
    STAMP_VALID, /* free text, or an operation that the change touches */
};

struct stamp {
    enum stamp_state state;
    int line;            /* of the message, from 1; 0 when absent */
    const char *problem; /* for STAMP_NEAR: one sentence that says what to mend */
};

struct gate_report {
    const struct finding *findings; /* sorted by slug */
    size_t n;
    struct stamp stamp;  /* STAMP_ABSENT without a message */
    const char *trailer; /* one line that covers all findings; "" without findings */
};

/* Does a row cover this file? Tests, documents and files that another one generates do not count. */
bool gate_covers(const struct matrix *m, const char *path);

/* One finding per operation. `message` may be NULL: there is none yet. */
bool gate_priorart(struct gate_report *out, const struct matrix *m, const struct change_list *changes,
                   const struct view *message, const struct trailer_rules *rules, struct arena *arena,
                   struct status *st) STATUS_MUST_USE;

/* The same with the kernels of each change known (as many as there are changes). Where rows of a file name,
 * by their symbols, each of its touched kernels, the file's other rows are left out. */
bool gate_priorart_of(struct gate_report *out, const struct matrix *m, const struct change_list *changes,
                      const struct touched *touched, const struct view *message,
                      const struct trailer_rules *rules, struct arena *arena,
                      struct status *st) STATUS_MUST_USE;

#endif
