/* scene: what every command of sota-coverage does first: open the tree, its matrix and the cache, read the
 * kernels, fold the debt.
 *
 * Owns:    everything it opened; scene_close.
 * Trusts:  nothing of what it reads; the environment for where caches lie (XDG_CACHE_HOME, HOME).
 * Threads: the main thread.
 */
#ifndef CMD_SOTA_COVERAGE_SCENE_H
#define CMD_SOTA_COVERAGE_SCENE_H

#include "cmd/cli/cli.h"
#include "coverage/debt/own_matrix.h"
#include "coverage/report/scorecard.h"

struct cache;

struct scene {
    struct arena arena;
    struct tree tree;
    struct matrix matrix;
    struct own_matrix own;
    struct survey survey;
    struct debt debt;
    struct report report;
    struct cache *cache;
    struct survey_options options;
    struct cli *cli;
    bool shows_progress; /* something stands on the terminal's last line */
};

/* The options that all of them have: rows for an option table. */
#define SCENE_OPTIONS                                                                                        \
    {"-C, --directory", "DIR", "Look at the repository that DIR lies in, not at the one we are in."},        \
        {"--matrix", "PATH",                                                                                 \
         "Take this folder of *.sql, or this file, in place of the repository's own matrix."},               \
        {"-j, --jobs", "N", "Scan on N threads (default: the processors there are)."}, {                     \
        "--no-cache", NULL, "Scan everything again, and keep nothing."                                       \
    }

/* Reads the options, opens the cache and the tree that they name, and its matrix. What is asked for by `rev`
 * is a revision, or NULL; `staged` means the index. */
bool scene_open(struct scene *scene, struct cli *cli, const struct cli_args *args, const char *rev,
                bool staged, struct status *st) STATUS_MUST_USE;

/* The tree and the matrix alone: no file is scanned yet. */
bool scene_scan(struct scene *scene, struct status *st) STATUS_MUST_USE;

/* Survey and debt of another tree of the same repository, into *other, which borrows cache and options. */
bool scene_beside(struct scene *other, const struct scene *scene, const char *rev,
                  struct status *st) STATUS_MUST_USE;

void scene_close(struct scene *scene);

/* What runs stops by itself after so many seconds, as if it were interrupted, and keeps what was done; 0
 * takes the limit away. True: it passed. */
bool scene_limit(unsigned seconds);

/* Was it Ctrl-C? */
bool scene_interrupted(void);

/* Says why there is no answer. Never a pass: 2, or 130 when it was interrupted. */
int scene_give_up(struct scene *scene, const struct status *st);

/* Writes what is wrong with the cache, one line, and takes the progress off the terminal. */
void scene_quiet(struct scene *scene);

/* Progress on stderr when it is a terminal: "scanning 120 of 900". */
void scene_progress(void *scene, size_t done, size_t n);

#endif
