/* debt: what is missing between a tree and its matrix, gap by gap, folded into one number.
 *
 * Owns:    nothing; gaps live in the caller's arena and point into matrix, tree and survey.
 * Trusts:  the matrix. Nothing is read from disk here: plain structs in, gaps out.
 * Threads: any.
 *
 * A gap is known by its fingerprint: class, operation, path and what else names it, never a line, so that
 * moving code about changes nothing. sota_debt is the number of distinct fingerprints and is never stored.
 *
 * A planned operation is one gap and nothing else. A recorded floor is none: it is listed apart. A gap that
 * somebody accepted, with a reason (suppress.h), is none either, and is listed apart too.
 */
#ifndef COVERAGE_DEBT_DEBT_H
#define COVERAGE_DEBT_DEBT_H

#include "coverage/debt/survey.h"

enum debt_class { /* the order in which they are told: what is wrong before what is not there yet */
                  DEBT_UNCOVERED,  /* a kernel file that no row covers */
                  DEBT_SEVERAL,    /* a kernel whose file is several operations', and none knows its name */
                  DEBT_NO_FILE,    /* a row names a file that is not there */
                  DEBT_EMPTY_GLOB, /* a row's glob matches no file */
                  DEBT_NO_PRIMARY, /* an operation without a primary link */
                  DEBT_NO_ORACLE,  /* ... without an oracle */
                  DEBT_NO_WITNESS, /* shipped, and nothing witnesses it */
                  DEBT_NO_FLOOR,   /* shipped on a device, and no floor says how close is close enough */
                  DEBT_NO_TEST,    /* shipped, and the test of a witness is not there */
                  DEBT_NO_ACCEPTANCE, /* shipped on a device, and the witness has no acceptance script that is
                                         there */
                  DEBT_RUNG,          /* a ladder claims a rung that no witnessed operation backs */
                  DEBT_SUPPRESSION,   /* a suppression that suppresses nothing, or gives no reason */
                  DEBT_SELECTED,      /* code is there, the operation is not shipped */
                  DEBT_PLANNED,       /* an operation, or a path of one that is not, is only planned */
                  DEBT_CLASSES
};

enum { DEBT_FINGERPRINT = 13 };

struct debt_gap {
    enum debt_class kind;
    char fingerprint[DEBT_FINGERPRINT]; /* 12 hexadecimal digits */
    const char *op;                     /* slug, or "" */
    const char *path;                   /* file or glob, or "" */
    const char *detail;                 /* device, axis or kernel, or "" */
    int line;                /* where `path` is a file that is there: of the kernel, the comment; else 0 */
    const char *what, *mend; /* sentences */
};

/* A gap that counts no more, and where that is written. */
struct debt_accepted {
    struct debt_gap gap;
    const char *reason;
    const char *path; /* of the comment, with its line; "": a row of the table suppression */
    int line;
};

struct debt {
    const struct debt_gap *gaps; /* by class, operation, path, detail; fingerprints are distinct */
    size_t n;                    /* sota_debt */
    const struct debt_accepted *accepted;
    size_t n_accepted;
    const bool *clean;         /* of each operation of the matrix: no gap that its kernels share */
    size_t n_kernels, n_clean; /* kernels and instances; those under no gap */
};

/* Everything that is missing. */
bool debt_fold(struct debt *debt, const struct matrix *m, const struct tree *tree,
               const struct survey *survey, struct arena *arena, struct status *st) STATUS_MUST_USE;

const char *debt_class_name(enum debt_class kind);  /* "uncovered", "no-file" ...: part of the fingerprint */
const char *debt_class_title(enum debt_class kind); /* "kernel files that no row covers" */
const char *debt_class_meaning(enum debt_class kind); /* why it counts, a sentence */
const char *debt_class_mend(enum debt_class kind);    /* of many gaps of this class at once */

/* Does the gap say nothing about the kernels that are there: a lane not written yet beside others, a ladder?
 */
bool debt_is_beside(const struct debt_gap *gap);

/* Is `name` a class, and which? */
bool debt_class_of(enum debt_class *kind, struct view name);

/* Is a kernel under no gap: neither of its own, nor of its operation? */
bool debt_kernel_is_clean(const struct debt *debt, const struct survey_file *file,
                          const struct scan_kernel *kernel, const struct matrix *m);

/* The gap whose fingerprint begins with `prefix` (at least 4 digits), or NULL; *several when more than one
 * does. */
const struct debt_gap *debt_find(const struct debt *debt, const char *prefix, bool *several);

/* Is there a gap with this fingerprint? */
bool debt_has(const struct debt *debt, const char *fingerprint);

/* The share of kernels without a gap in percent, rounded down: 100 only when it is all of them. */
int debt_grade(const struct debt *debt);

#endif
