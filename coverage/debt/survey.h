/* survey: every kernel file of a tree, and the rows that cover it.
 *
 * Owns:    nothing; everything lives in the caller's arena.
 * Trusts:  the matrix; not the files.
 * Threads: one at a time; files are read and scanned on as many threads as asked for (harvest.h).
 */
#ifndef COVERAGE_DEBT_SURVEY_H
#define COVERAGE_DEBT_SURVEY_H

#include "coverage/debt/harvest.h"
#include "coverage/debt/tree.h"
#include "sotadb/matrix.h"

struct survey_file {
    struct scan_file scan;
    const struct op *const *ops; /* that cover it, in slug order; none: uncovered */
    size_t n_ops;
    const struct op *const *owners; /* of each kernel, as survey_op gives it */
    const char *through; /* an instance file that takes the rows of what it includes: that path, else NULL */
};

struct survey_comment;

struct survey {
    struct survey_file *files; /* kernel files, by path */
    size_t n_files;
    struct scan_file *refused; /* files of a kernel language that were not analysed */
    size_t n_refused;
    size_t n_scanned;
    struct survey_comment *comments; /* suppressions in the files, by path, then line */
    size_t n_comments;
};

struct survey_comment {
    const char *path;
    struct suppress suppress;
};

/* How files are read: zeros are one thread, no cache, no word of progress. */
struct survey_options {
    struct cache *cache;
    int jobs;
    void (*progress)(void *context, size_t done, size_t n);
    void *progress_context;
    const volatile sig_atomic_t *stop;
};

/* Reads every file of the tree whose name is of a kernel language. */
bool survey_tree(struct survey *survey, const struct tree *tree, const struct matrix *m,
                 const struct survey_options *options, struct arena *arena,
                 struct status *st) STATUS_MUST_USE;

/* Is the file to be scanned as a kernel place (scan_request.kernel_place)? Only C and C++ are: what makes a
 * CUDA or Triton kernel stands in its own file, and it does not depend on the headers of its moment. */
bool survey_is_place(const struct matrix *m, const char *path);

/* Adds one record: a kernel file is covered, another passed over. Every array has to have the room
 * (survey_tree; coverage/history). */
bool survey_add(struct survey *survey, const struct record *record, const struct matrix *m,
                struct arena *arena, struct status *st) STATUS_MUST_USE;

/* Covers one scanned file; for survey_tree and for tests. */
bool survey_cover(struct survey_file *out, const struct scan_file *scan, const struct matrix *m,
                  struct arena *arena, struct status *st) STATUS_MUST_USE;

/* The operation of one kernel of the file: by its name among those that cover the file, or the only one; NULL
 * when there is none or the file is several operations' and the name decides nothing. */
const struct op *survey_op(const struct survey_file *file, const struct scan_kernel *kernel);

#endif
