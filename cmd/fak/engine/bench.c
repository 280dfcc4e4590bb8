/* fak bench: tokens a second, in the shape of llama-bench, beside what this machine could do at most. */
#include "cmd/fak/engine/bench.h"

#include "cmd/fak/engine/entries.h"
#include "engine/file/randomdir.h"
#include "engine/kernels/kernel.h"
#include "engine/kernels/kv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct bench {
    struct cli *cli;
    struct bench_plan plan;
    struct bench_table table;
    struct roof roofs[BENCH_MOST];
    size_t n_roofs;
    char roof_lanes[BENCH_MOST][64]; /* whose widest instructions a roof is about */
    bool shows;                      /* progress, on stderr */
    struct engine_model *model;
    float *logits;
    int32_t *ids;
    uint64_t seed;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show(const struct bench *b, const char *what, const char *name, size_t i, size_t n) {
    if (!b->shows) return;
    fprintf(stderr, "\r\033[K%s%s%s", what, *what ? " " : "", name);
    if (n) fprintf(stderr, ", %zu of %zu", i, n);
    fflush(stderr);
}

static void hide(const struct bench *b) {
    if (b->shows) fputs("\r\033[K", stderr);
}

/* --- one test ------------------------------------------------------------------------------------------- */

/* Random ids, as llama-bench feeds them: what a token is changes nothing about the work, but a text that
 * comes twice need not be computed twice. */
static void draw_ids(struct bench *b, size_t n) {
    size_t n_vocab = engine_n_vocab(b->model);
    for (size_t i = 0; i < n; i++) {
        b->seed = b->seed * 6364136223846793005U + 1442695040888963407U; /* Knuth, TAOCP 3.3.4, table 1 */
        b->ids[i] = (int32_t)((b->seed >> 33) % n_vocab);
    }
}

/* What stands before the test is the same each time, and run the first time only. */
static bool go_to_depth(struct bench *b, struct engine_session *session, size_t depth, struct status *st) {
    uint64_t seed = b->seed;
    b->seed = 0;
    draw_ids(b, depth);
    b->seed = seed;
    return engine_feed(session, b->ids, depth, ENGINE_LOGITS_NONE, NULL, st);
}

static bool run_once(double *seconds, struct bench *b, const struct bench_test *t, struct status *st) {
    struct engine_session *session;
    if (!engine_session_open(&session, b->model, st)) return false;
    bool ok = go_to_depth(b, session, t->depth, st);
    uint64_t seed = b->seed;
    if (t->again) b->seed = 1;
    draw_ids(b, t->n_prompt + t->n_gen);
    if (t->again) b->seed = seed;
    double start = now();
    if (ok && t->n_prompt) ok = engine_feed(session, b->ids, t->n_prompt, ENGINE_LOGITS_LAST, b->logits, st);
    for (size_t i = 0; ok && i < t->n_gen; i++)
        ok = engine_feed(session, b->ids + t->n_prompt + i, 1, ENGINE_LOGITS_LAST, b->logits, st);
    *seconds = now() - start;
    engine_session_close(session);
    return ok;
}

/* A whole prompt, but few replies: pages are there and clocks are up after a moment. */
static bool warm_up(struct bench *b, const struct bench_test *t, struct status *st) {
    enum { REPLIES = 8 };
    double seconds;
    struct bench_test first = *t;
    if (t->n_gen > REPLIES) first.n_gen = REPLIES;
    if (!t->again) first.depth = 0;
    return (!b->plan.warms && !t->again) || run_once(&seconds, b, &first, st);
}

static bool measure(struct bench *b, struct bench_result *r, struct status *st) {
    char test[64];
    bench_test_name(test, r->test);
    show(b, r->model->name, test, 0, 0);
    if (!warm_up(b, r->test, st)) return false;
    for (r->n = 0; r->n < b->plan.repeats; r->n++) {
        show(b, r->model->name, test, r->n + 1, b->plan.repeats);
        if (!run_once(&r->seconds[r->n], b, r->test, st)) return false;
    }
    hide(b);
    return true;
}

/* --- memory --------------------------------------------------------------------------------------------- */

/* Forgets the peak until now (Linux, Documentation/filesystems/proc.rst, clear_refs). */
static void reset_peak(void) {
    FILE *file = fopen("/proc/self/clear_refs", "we");
    if (!file) return;
    fputs("5", file);
    fclose(file);
}

static size_t peak_bytes(void) {
    char line[128];
    unsigned long kib = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "VmHWM: %lu kB", &kib) != 1) {
    }
    if (file) fclose(file);
    return kib * 1024;
}

/* --- one configuration ---------------------------------------------------------------------------------- */

static size_t longest(const struct bench_plan *plan, bool with_depth) {
    size_t most = 1;
    for (size_t i = 0; i < plan->n_tests; i++) {
        const struct bench_test *t = &plan->tests[i];
        size_t n = t->n_prompt + t->n_gen + (with_depth ? t->depth : 0);
        if (!with_depth && t->depth > n) n = t->depth;
        if (n > most) most = n;
    }
    return most;
}

static bool find_roof(const struct roof **out, struct bench *b, const char *lane, size_t threads,
                      struct status *st) {
    for (size_t i = 0; i < b->n_roofs; i++)
        if (b->roofs[i].threads == threads && strcmp(b->roof_lanes[i], lane) == 0)
            return *out = &b->roofs[i], true;
    show(b, "measuring", "the roof", 0, 0);
    *out = NULL;
    if (b->n_roofs == BENCH_MOST) return true;
    struct roof *roof = &b->roofs[b->n_roofs];
    if (!roof_measure(roof, lane, threads, st)) return false;
    snprintf(b->roof_lanes[b->n_roofs++], sizeof b->roof_lanes[0], "%s", lane);
    *out = roof;
    return true;
}

/* "avx512 vnni, 2 threads, pinned" without what columns of their own say. */
static void lane_of(char out[64], const char *description) {
    snprintf(out, 64, "%.*s", (int)strcspn(description, ","), description);
}

static bool allocate(struct bench *b, struct bench_result *r, struct status *st) {
    r->seconds = calloc(b->plan.repeats, sizeof *r->seconds);
    b->logits = calloc(engine_n_vocab(b->model), sizeof *b->logits);
    b->ids = calloc(longest(&b->plan, false), sizeof *b->ids);
    return (r->seconds && b->logits && b->ids) ||
           status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu tokens", longest(&b->plan, false));
}

static bool run_tests(struct bench *b, struct bench_result *r, struct status *st) {
    struct workload load;
    if (!workload_of(&load, engine_file(b->model), r->setting->kv, st) || !allocate(b, r, st)) return false;
    r->load = &load;
    lane_of(r->lane, engine_describe(b->model));
    if (b->plan.measures_roof && !find_roof(&r->roof, b, r->lane, r->setting->threads, st)) return false;
    for (size_t i = 0; i < b->plan.n_tests; i++) {
        r->test = &b->plan.tests[i];
        if (!measure(b, r, st)) return false;
        if (!b->plan.measures_roof) r->peak_bytes = peak_bytes();
        if (!bench_table_row(&b->table, r, st)) return false;
    }
    return true;
}

static bool run_configuration(struct bench *b, const char *path, struct bench_result *r, struct status *st) {
    const struct engine_options options = {.isa = r->setting->isa,
                                           .activations = r->setting->activations,
                                           .kv = r->setting->kv,
                                           .threads = (int)r->setting->threads,
                                           .chunk = r->setting->chunk,
                                           .context = longest(&b->plan, true) + KV_PAGE, /* a page to copy */
                                           .ids_only = true};
    show(b, "loading", r->model->name, 0, 0);
    reset_peak();
    double start = now();
    bool ok = engine_open(&b->model, path, &options, st);
    r->load_seconds = now() - start;
    r->peak_bytes = peak_bytes();
    ok = ok && run_tests(b, r, st);
    engine_close(b->model);
    free(b->logits), free(b->ids), free(r->seconds);
    b->model = NULL, b->logits = NULL, b->ids = NULL;
    return ok;
}

static bool run_configurations(struct bench *b, const struct bench_model *model, const char *path,
                               struct status *st) {
    bool ok = true;
    for (size_t i = 0; ok && i < b->plan.n_settings; i++) {
        struct bench_result r = {.model = model, .setting = &b->plan.settings[i]};
        ok = run_configuration(b, path, &r, st);
    }
    return ok || (model->path ? false : status_wrap(st, "%s", model->name));
}

/* --- one model ------------------------------------------------------------------------------------------ */

static bool write_model(struct bench *b, const struct bench_model *model, const char *path,
                        struct status *st) {
    const struct randommodel_shape *shape = randommodel_shape(model->shape);
    show(b, "writing", path, 0, 0);
    return randomdir_type(model->type) ? randomdir_write(path, shape, model->type, st)
                                       : randommodel_write(path, shape, model->type, st);
}

static const char *ending(const struct bench_model *model) {
    return randomdir_type(model->type) ? "" : ".gguf";
}

/* What there is under its name is whole, and the same as it would be now: the bytes are. */
static bool is_there(const char *path, const struct bench_model *model) {
    struct str weights = {0};
    str_printf(&weights, "%s%s", path, randomdir_type(model->type) ? "/model.safetensors" : "");
    bool there = access(str_c(&weights), R_OK) == 0;
    str_free(&weights);
    return there;
}

static bool run_kept(struct bench *b, const struct bench_model *model, struct status *st) {
    struct str path = {0};
    bool ok = false;
    str_printf(&path, "%s/%s%s", b->plan.keep, model->name, ending(model));
    if (!str_ok(&path, st)) goto out;
    if (mkdir(b->plan.keep, 0777) != 0 && errno != EEXIST) {
        status_fail_errno(st, "cannot make the folder '%.200s'", b->plan.keep);
        goto out;
    }
    if (!is_there(str_c(&path), model) && !write_model(b, model, str_c(&path), st)) goto out;
    ok = b->plan.n_tests == 0 || run_configurations(b, model, str_c(&path), st);
out:
    str_free(&path);
    return ok;
}

static void remove_model(const char *path) {
    static const char *const files[] = {"/config.json", "/model.safetensors", ""};
    struct str name = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        str_clear(&name);
        str_printf(&name, "%s%s", path, files[i]);
        remove(str_c(&name));
    }
    str_free(&name);
}

/* A file is gone before anything is measured: it needs no name once it is open, and whoever interrupts us
 * leaves nothing behind. A directory goes when it was measured. */
static bool run_temporary_at(struct bench *b, const struct bench_model *model, const char *path,
                             struct status *st) {
    char open_path[64];
    int fd = -1;
    bool ok = write_model(b, model, path, st);
    if (ok && !randomdir_type(model->type)) {
        if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
            ok = status_fail_errno(st, "cannot read '%.200s' again", path);
        remove_model(path);
        snprintf(open_path, sizeof open_path, "/proc/self/fd/%d", fd);
        path = open_path;
    }
    ok = ok && (b->plan.n_tests == 0 || run_configurations(b, model, path, st));
    if (fd >= 0) close(fd);
    else remove_model(path);
    return ok;
}

static bool run_temporary(struct bench *b, const struct bench_model *model, struct status *st) {
    const char *root = getenv("TMPDIR");
    struct str folder = {0}, path = {0};
    str_printf(&folder, "%s/fak-bench-XXXXXX", root && *root ? root : "/tmp");
    bool ok = str_ok(&folder, st);
    if (ok && !mkdtemp(folder.at))
        ok = status_fail_errno(st, "cannot make the folder '%.200s'", str_c(&folder));
    if (ok) {
        str_printf(&path, "%s/model", str_c(&folder));
        ok = str_ok(&path, st) && run_temporary_at(b, model, str_c(&path), st);
        rmdir(str_c(&folder));
    }
    str_free(&folder);
    str_free(&path);
    return ok;
}

static bool run_model(struct bench *b, const struct bench_model *model, struct status *st) {
    if (model->path) return b->plan.n_tests == 0 || run_configurations(b, model, model->path, st);
    return b->plan.keep ? run_kept(b, model, st) : run_temporary(b, model, st);
}

/* --- the command ---------------------------------------------------------------------------------------- */

/* Without a model: the limits alone, of the widest lane. */
static bool run_roofs(struct bench *b, struct status *st) {
    const struct roof *roof;
    for (size_t i = 0; i < b->plan.threads.n; i++)
        if (!find_roof(&roof, b, kernel_clone_text(kernel_choose_clone("auto", NULL)), b->plan.threads.at[i],
                       st))
            return false;
    return true;
}

static enum bench_form form_of(const struct cli_args *args) {
    static const char *const names[] = {"md", "csv", "json", "jsonl"};
    const char *given = cli_value(args, "--output");
    for (int i = 0; given && i < 4; i++)
        if (strcmp(given, names[i]) == 0) return (enum bench_form)i;
    return BENCH_MARKDOWN;
}

static bool work(struct bench *b, const struct cli_args *args, struct status *st) {
    struct bench_plan *plan = &b->plan;
    if (!bench_plan(plan, args, st)) return false;
    b->shows = !cli_given(args, "--quiet") && isatty(STDERR_FILENO);
    bench_table_begin(&b->table, b->cli, form_of(args), plan);
    for (size_t i = 0; i < plan->n_models; i++)
        if (!run_model(b, &plan->models[i], st)) return false;
    if (!plan->n_models && !run_roofs(b, st)) return false;
    hide(b);
    bench_table_end(&b->table, b->roofs, b->n_roofs);
    return true;
}

/* llama-bench's own spelling of one option, which a single dash would take apart. */
static void respell(int argc, char **argv) {
    static char pg[] = "--pg";
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-pg") == 0) argv[i] = pg;
}

int fak_bench(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    struct bench *b = calloc(1, sizeof *b);
    bool ok = b || status_fail(&st, STATUS_NO_MEMORY, "out of memory");
    respell(argc, argv);
    if (ok) b->cli = cli;
    ok = ok && cli_parse(&args, cli->command, argc, argv, &st) && work(b, &args, &st);
    if (!ok && b) hide(b);
    free(b);
    return ok ? cli_finish(cli, 0) : cli_fail(cli, &st);
}
