/* moment: the state of a repository at one commit of a history, and its matrix then.
 *
 * Owns:    the reader of blobs and the matrices that were loaded; moment_close.
 * Trusts:  nothing in the repository.
 * Threads: one struct, one thread.
 */
#ifndef COVERAGE_HISTORY_MOMENT_H
#define COVERAGE_HISTORY_MOMENT_H

#include "base/hash.h"
#include "coverage/debt/own_matrix.h"
#include "coverage/history/ledger.h"
#include "git/plumbing/catfile.h"

/* One content of one path, and what is known of it. */
struct version {
    const char *oid;
    struct version *next;
    struct record record; /* as of a file that is no kernel place */
    bool known;
    struct survey_file covered;      /* by the rows of this matrix */
    const struct matrix *covered_by; /* NULL: not yet */
    char print[OID_TEXT];            /* harvest_print; "" not yet, "-": none */
    struct record place;             /* as of a kernel place that saw these headers */
    struct view seen;                /* `at` NULL: not yet */
    struct survey_file place_covered;
    const struct matrix *place_covered_by;
};

struct slot { /* of one path */
    struct gitlog_blob now;
    struct version *version, *versions; /* now's; all there were */
    bool scanned;                       /* its name is of a kernel language */
    bool place;                         /* by the fixed matrix: scan_request.kernel_place */
};

struct known_matrix;

struct moment {
    struct ledger *ledger;
    const struct tree *tree;    /* of the revision that was asked for */
    struct slot *slots;         /* of each path of the log */
    const struct matrix *fixed; /* every commit's, or NULL: each has its own */
    const char *where;          /* where that is */
    char digest[HASH_HEX]; /* of what the sheets depend on beside the tree: the fixed matrix, or `where` */
    struct view schema;
    struct known_matrix *matrices;
    struct catfile blobs;
};

bool moment_open(struct moment *moment, struct ledger *ledger, const struct tree *tree,
                 const struct ledger_options *options, struct str *complaints,
                 struct status *st) STATUS_MUST_USE;
void moment_close(struct moment *moment);

/* On to a commit from its first parent, or back. */
bool moment_apply(struct moment *moment, const struct gitlog_commit *commit, bool back,
                  struct status *st) STATUS_MUST_USE;

/* The version of a path with this content, made when it is new. */
struct version *moment_version(struct moment *moment, uint32_t path, const char *oid, struct status *st);

/* The matrix as it is now; *m is NULL where there is none that can be read. */
bool moment_matrix(const struct matrix **m, struct moment *moment, struct status *st) STATUS_MUST_USE;

/* Can the commit have another sheet than its first parent? */
bool moment_matters(const struct moment *moment, const struct gitlog_commit *commit);

#endif
