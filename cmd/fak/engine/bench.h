/* bench: what `fak bench` is asked, and what it found. */
#ifndef CMD_FAK_ENGINE_BENCH_H
#define CMD_FAK_ENGINE_BENCH_H

#include "cmd/cli/cli.h"
#include "cmd/fak/engine/roof.h"
#include "cmd/fak/engine/workload.h"
#include "engine/engine.h"

enum { BENCH_MOST = 64 }; /* values of an option, tests, models */

/* n_prompt tokens at once, then n_gen one by one, after `depth` tokens that do not count. `again`: the same
 * tokens each time, the first of which does not count, so that what a session finds of another is measured.
 */
struct bench_test {
    size_t n_prompt, n_gen, depth;
    bool again;
};

struct bench_model {
    const char *path;  /* NULL: made ... */
    const char *shape; /* ... of this shape */
    const char *type;  /* ... and these weights */
    char name[64];
};

/* How a model is opened. */
struct bench_setting {
    const char *isa, *kv; /* as engine_options has them */
    int activations;
    size_t threads, chunk;
};

struct bench_list {
    size_t at[BENCH_MOST], n;
};

struct bench_plan {
    struct bench_model models[BENCH_MOST];
    struct bench_test tests[BENCH_MOST];
    struct bench_setting settings[BENCH_MOST];
    struct bench_list threads;
    size_t n_models, n_tests, n_settings, repeats;
    const char *keep; /* the folder for models that are made; NULL: a temporary one */
    bool warms, measures_roof;
};

/* The options as a plan. */
bool bench_plan(struct bench_plan *out, const struct cli_args *args, struct status *st) STATUS_MUST_USE;

/* "1,2,4" appended: whole numbers from `low` on; `option` begins the message. */
bool bench_numbers(struct bench_list *list, const char *option, const char *text, size_t low,
                   struct status *st) STATUS_MUST_USE;

/* One test of one model in one configuration. */
struct bench_result {
    const struct bench_model *model;
    const struct bench_setting *setting;
    const struct bench_test *test;
    const struct workload *load;
    const struct roof *roof; /* NULL: not measured */
    char lane[64];           /* what ran */
    double load_seconds;     /* from opening the file until the first token could run */
    size_t peak_bytes;       /* resident at most, since before the model was opened; 0: unknown */
    double *seconds;         /* [n] of each repetition */
    size_t n;
};

/* "pp512", "tg128 @ d4096", "pp512+tg64", "pp512 again". */
void bench_test_name(char out[64], const struct bench_test *test);

/* Tokens a second of each repetition: mean, standard deviation (n - 1), median. */
struct bench_rate {
    double mean, deviation, median;
};
struct bench_rate bench_rate(const struct bench_result *r);

/* Of the roof that bounds this test: reading for tokens one by one, dot products for a prompt. Negative:
 * none was measured, or the test is both, or not all of it is run. */
double bench_share(const struct bench_result *r);

/* Rows as they come, in one of four forms. */
enum bench_form { BENCH_MARKDOWN, BENCH_CSV, BENCH_JSON, BENCH_JSONL };
struct bench_table {
    struct cli *cli;
    enum bench_form form;
    int width[8]; /* of each column of Markdown, 0: left out */
    size_t n_rows;
};
void bench_table_begin(struct bench_table *t, struct cli *cli, enum bench_form form,
                       const struct bench_plan *plan);
bool bench_table_row(struct bench_table *t, const struct bench_result *r, struct status *st) STATUS_MUST_USE;
void bench_table_end(struct bench_table *t, const struct roof *roofs, size_t n_roofs);

#endif
