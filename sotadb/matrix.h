/* matrix: the prior-art matrix as plain data, and look-ups over it.
 *
 * Owns:    nothing; every pointer is into constant data (the compiled literal) or into the arena of whoever
 *          loaded another matrix.
 * Trusts:  the compiler of the matrix (sotac), which checked every row: ranges are in bounds, slugs are
 *          unique and sorted, texts are NUL-terminated and never NULL (absent is ""). Where a row was written
 *          is not kept: the same rows give the same bytes, whatever their order. grep the slug in the seed.
 * Threads: constant; any thread.
 *
 * One operation that kernels perform is one `struct op`. What belongs to it (paths, symbols, references,
 * papers, witnesses, bench rows) lies in flat arrays, each sorted by operation, and the op holds a range.
 * sotadb/schema.sql says what each column means; sotadb/seed/ is where rows are written.
 */
#ifndef SOTADB_MATRIX_H
#define SOTADB_MATRIX_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

enum route { ROUTE_STAY_MINIMAL, ROUTE_BIND, ROUTE_BORROW };
enum op_status {
    OP_PLANNED,  /* no code yet, or no witness yet */
    OP_SELECTED, /* planned, and the next step: `selection` and `plan` say what */
    OP_SHIPPED,  /* its witness runs */
};
enum op_kind { OP_KERNEL, OP_FORMAT }; /* kernel prerequisite, or format and load prerequisite */
enum path_role { PATH_KERNEL, PATH_HOST, PATH_LOADER };
enum reference_kind { REFERENCE_PRIMARY, REFERENCE_REPO, REFERENCE_DOCS };
enum floor_state { FLOOR_NONE, FLOOR_RECORDED, FLOOR_MEASURED };
enum bench_regime { BENCH_DETERMINISTIC, BENCH_WALL_CLOCK };

struct range {
    unsigned first, n; /* rows [first, first + n) of the flat array that the member's comment names */
};

struct op {
    const char *slug;    /* "fused-attention" */
    const char *title;   /* "Fused attention (MHA/GQA/MQA)" */
    const char *aliases; /* further names, comma-separated: "flash-attention,sdpa" */
    const char *summary; /* one sentence: what the operation computes */
    enum op_kind kind;
    enum route route;
    const char *route_note; /* why this route */
    const char *oracle;     /* what proves a version right, in words: "cpuref, argmax + cosine >= floor" */
    const char *bottleneck;
    const char *selection; /* what is selected and not shipped yet, or "" */
    const char *plan;      /* the falsifiable target: what to build and what would refute it, or "" */
    enum op_status status;
    const char *axis; /* its ladder, or "" */
    struct range paths, symbols, references, papers, witnesses, benches;
};

struct op_path {
    const char *op, *glob; /* from the repository root; `*` stays within one folder, `**` does not */
    enum path_role role;
    const char *generates; /* glob of files that this one generates, or "" */
    bool planned;          /* the file is not there yet, and the row says so */
};

struct op_symbol {
    const char *op, *pattern; /* of a kernel name, `*` any run: "k_awq_*" */
};

struct reference {
    const char *op, *name, *url;
    enum reference_kind kind;
    const char *note;       /* what to read there, or "" */
    const char *checked_on; /* ISO date the link was last read, or "" */
};

struct paper {
    const char *op, *title, *id; /* "arXiv:2205.14135", "doi:..." */
    const char *url;
    int year;
};

/* A number that a lane has to reach against the oracle. */
struct floor {
    const char *name;   /* "cudaAWQCosineMin" */
    const char *metric; /* "cosine" ... */
    double value;
    enum floor_state state; /* recorded: written down; measured: seen on the device */
    const char *note;       /* where the number comes from */
};

/* What proves the operation on one device. */
struct witness {
    const char *op;
    const char *device;     /* cpu, cuda, metal, nccl ... */
    const char *floor_name; /* "cudaAWQCosineMin", or "" where the lane is exact */
    const char *metric;     /* "cosine", "max|d|=0" ... */
    double floor;           /* meaningful when state is not FLOOR_NONE */
    enum floor_state state;
    const char *test;       /* test file, or "" */
    const char *acceptance; /* acceptance script row (device lanes only), or "" */
    bool planned;           /* the lane is not there yet, and the row says so */
};

struct ladder {
    const char *axis; /* "attention" */
    const char *title;
    int fak_rung;          /* level of the rung we stand on, -1: axis not implemented */
    const char *op;        /* the operation whose witness backs the rung, or "" */
    const char *position;  /* where we stand, in words */
    struct range rungs;    /* the main line; a rung's level is its index here */
    struct range branches; /* what grew beside it */
};

struct rung {
    const char *axis;
    int level; /* 0, 1, 2 ... without gaps; of a branch: the rung that it stands beside */
    const char *technique;
    int year, month;    /* month 0: unknown */
    const char *change; /* what it changed */
    const char *url;
};

/* A gap of sota-coverage that is accepted. Empty members stand for any. */
struct suppression {
    const char *class, *op, *path, *detail, *reason;
};

struct bench {
    const char *op;
    double number;
    const char *unit, *model, *quant, *machine, *backend, *engine, *baseline;
    const char *commit;
    bool public_commit;
    const char *artifact, *command;
    enum bench_regime regime;
    const char *measured_on; /* ISO date */
};

struct matrix {
    const struct op *ops;
    size_t n_ops; /* sorted by slug */
    const struct op_path *paths;
    size_t n_paths; /* by op, then glob */
    const struct op_symbol *symbols;
    size_t n_symbols;
    const struct reference *references;
    size_t n_references; /* primary first */
    const struct paper *papers;
    size_t n_papers; /* by op, then year */
    const struct witness *witnesses;
    size_t n_witnesses;
    const struct ladder *ladders;
    size_t n_ladders; /* sorted by axis */
    const struct rung *rungs;
    size_t n_rungs; /* by axis, then level */
    const struct rung *branches;
    size_t n_branches; /* by axis, then level, then date */
    const struct floor *floors;
    size_t n_floors; /* by name */
    const struct bench *benches;
    size_t n_benches;
    const struct suppression *suppressions;
    size_t n_suppressions;
    const char *source; /* "built-in", or where it was loaded from */
};

/* The one compiled literal, build/gen/sota_matrix.c. */
extern const struct matrix sota_matrix;

/* As they are written in the seed. */
const char *route_name(enum route route);
const char *op_status_name(enum op_status status);
const char *op_kind_name(enum op_kind kind);
const char *path_role_name(enum path_role role);
const char *reference_kind_name(enum reference_kind kind);
const char *floor_state_name(enum floor_state state);
const char *bench_regime_name(enum bench_regime regime);

/* The operation of this slug or alias, or NULL. Case does not count; blank, '_' and '-' are one. */
const struct op *matrix_op(const struct matrix *m, const char *name);
/* The next of the comma-separated names in *rest; false when nothing is left. */
bool matrix_next_alias(struct view *alias, struct view *rest);
const struct ladder *matrix_ladder(const struct matrix *m, const char *axis);

/* The first reference of kind primary, or NULL. */
const struct reference *matrix_primary(const struct matrix *m, const struct op *op);

/* The floor of this name, or NULL: `matrix_floor(&sota_matrix, "cudaAWQCosineMin")->value`. */
const struct floor *matrix_floor(const struct matrix *m, const char *name);

/* Why an operation was found. */
struct match {
    const struct op *op;
    const struct op_path *path;     /* the row that covers the path (the most specific one), or NULL */
    const struct op_symbol *symbol; /* the row that matched, or NULL */
};

/* The operations whose globs (sotadb/glob.h) cover `path`, from the repository root, in slug order; files
 * that a row generates count. Fills at most `room`, returns how many there are. */
size_t matrix_match_path(const struct matrix *m, const char *path, struct match *out, size_t room);

/* The operations that have, or may have, files below `folder` ("": the root). */
size_t matrix_match_folder(const struct matrix *m, const char *folder, struct match *out, size_t room);

/* The row of op whose pattern matches a kernel's name, with or without its namespace; or NULL. */
const struct op_symbol *matrix_names(const struct matrix *m, const struct op *op, const char *symbol);

/* The operations whose symbol patterns match a kernel's name, with or without its namespace. */
size_t matrix_match_symbol(const struct matrix *m, const char *symbol, struct match *out, size_t room);

#endif
