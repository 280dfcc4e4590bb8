#include "cmd/sota-coverage/scene.h"

#include "base/file.h"
#include "cmd/fak/commands.h"
#include "sotadb/sql/cache.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CANNOT_DECIDE = 2, INTERRUPTED = 130 };

/* sotadb/schema.sql, put into the program by the linker (Makefile). */
extern const char _binary_sotadb_schema_sql_start[], _binary_sotadb_schema_sql_end[];

/* --- Ctrl-C, and a limit of time ---------------------------------------------------------------------------
 */

static volatile sig_atomic_t interrupted, out_of_time, stopping; /* the last: either */

/* The first asks us to stop, which keeps what was scanned; the second is the usual one. */
static void on_interrupt(int number) {
    interrupted = stopping = 1;
    signal(number, SIG_DFL);
}

static void on_alarm(int number) {
    (void)number;
    out_of_time = stopping = 1;
}

bool scene_limit(unsigned seconds) {
    signal(SIGALRM, on_alarm);
    alarm(seconds);
    bool passed = out_of_time;
    out_of_time = 0;
    stopping = interrupted;
    return passed;
}

bool scene_interrupted(void) { return interrupted; }

/* --- progress ------------------------------------------------------------------------------------------- */

void scene_progress(void *context, size_t done, size_t n) {
    static struct timespec last;
    struct scene *scene = context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long since = (now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000;
    if (since < 100) return;
    last = now;
    fprintf(stderr, "\r\033[K%zu of %zu", done, n);
    fflush(stderr);
    scene->shows_progress = true;
}

void scene_quiet(struct scene *scene) {
    if (scene->shows_progress) fputs("\r\033[K", stderr);
    scene->shows_progress = false;
    const char *note = scene->cache ? cache_note(scene->cache) : "";
    if (note[0]) fprintf(stderr, "sota-coverage: %s\n", note);
}

/* --- the cache ------------------------------------------------------------------------------------------ */

static bool make_folders(const char *path) {
    struct str part = {0};
    bool ok = true;
    for (const char *slash = strchr(path + 1, '/'); ok && slash; slash = strchr(slash + 1, '/')) {
        str_clear(&part);
        str_add(&part, path, (size_t)(slash - path));
        ok = !part.failed && (mkdir(str_c(&part), 0700) == 0 || errno == EEXIST);
    }
    str_free(&part);
    return ok;
}

/* Does `path` lie below `root`, as the file system sees both? */
static bool lies_below(const char *path, const char *root) {
    char real[4096];
    struct str folder = {0};
    const char *slash = strrchr(path, '/');
    str_add(&folder, path, slash ? (size_t)(slash - path) : 0);
    const char *resolved = realpath(str_c(&folder), real);
    size_t n = strlen(root);
    bool below = resolved && n && strncmp(resolved, root, n) == 0 && (!resolved[n] || resolved[n] == '/');
    str_free(&folder);
    return below;
}

/* $XDG_CACHE_HOME/fak/coverage-VERSION.sqlite; nowhere inside the tree that is looked at. */
static void open_cache(struct scene *scene) {
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct str path = {0};
    if (xdg && xdg[0] == '/') str_printf(&path, "%s/fak/", xdg);
    else if (home && home[0] == '/') str_printf(&path, "%s/.cache/fak/", home);
    if (path.n) str_printf(&path, "coverage-%s.sqlite", record_version());
    if (!path.n || path.failed) {
        str_free(&path);
        return;
    }
    if (!make_folders(str_c(&path)))
        fprintf(stderr, "sota-coverage: working without a cache: %s cannot be made\n", str_c(&path));
    else if (lies_below(str_c(&path), scene->tree.root))
        fprintf(stderr,
                "sota-coverage: working without a cache: %s would lie in the tree that is looked at\n",
                str_c(&path));
    else scene->cache = cache_open(str_c(&path));
    str_free(&path);
}

/* --- opening -------------------------------------------------------------------------------------------- */

static bool read_options(struct scene *scene, const struct cli_args *args, struct status *st) {
    long jobs, processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < 1) processors = 1;
    if (processors > HARVEST_JOBS) processors = HARVEST_JOBS;
    if (!cli_number(&jobs, args, "--jobs", 1, HARVEST_JOBS, processors, st)) return false;
    scene->options.jobs = (int)jobs;
    scene->own.path = cli_value(args, "--matrix");
    scene->own.schema =
        (struct view){_binary_sotadb_schema_sql_start,
                      (size_t)(_binary_sotadb_schema_sql_end - _binary_sotadb_schema_sql_start)};
    scene->options.stop = &stopping;
    if (isatty(STDERR_FILENO)) scene->options.progress = scene_progress;
    scene->options.progress_context = scene;
    return true;
}

static void begin_report(struct scene *scene) {
    scene->report = (struct report){.matrix = &scene->matrix,
                                    .tree = &scene->tree,
                                    .survey = &scene->survey,
                                    .debt = &scene->debt,
                                    .version = FAK_VERSION};
}

bool scene_open(struct scene *scene, struct cli *cli, const struct cli_args *args, const char *rev,
                bool staged, struct status *st) {
    *scene = (struct scene){.cli = cli};
    begin_report(scene);
    if (!read_options(scene, args, st)) return false;
    signal(SIGINT, on_interrupt);
    const char *folder = cli_value(args, "--directory");
    enum tree_kind kind = rev ? TREE_COMMIT : staged ? TREE_INDEX : TREE_WORK;
    if (!tree_open(&scene->tree, folder ? folder : ".", kind, rev, &scene->arena, st)) return false;
    if (!cli_given(args, "--no-cache")) open_cache(scene);
    scene->options.cache = scene->cache;
    return true;
}

bool scene_scan(struct scene *scene, struct status *st) {
    return own_matrix(&scene->matrix, &scene->report.origins, &scene->own, &scene->tree, &scene->arena, st) &&
           survey_tree(&scene->survey, &scene->tree, &scene->matrix, &scene->options, &scene->arena, st) &&
           debt_fold(&scene->debt, &scene->matrix, &scene->tree, &scene->survey, &scene->arena, st);
}

/* A commit from before the matrix is held to today's: what a change added is then what it added to that. */
static bool base_matrix(struct scene *other, const struct scene *scene, struct status *st) {
    if (own_matrix(&other->matrix, &other->report.origins, &other->own, &other->tree, &other->arena, st))
        return true;
    if (other->own.found) return status_wrap(st, "the matrix of %.12s", other->tree.commit);
    other->matrix = scene->matrix;
    other->report.origins = scene->report.origins;
    return true;
}

bool scene_beside(struct scene *other, const struct scene *scene, const char *rev, struct status *st) {
    *other = (struct scene){.cli = scene->cli, .options = scene->options};
    other->own = (struct own_matrix){.schema = scene->own.schema, .path = scene->own.path};
    begin_report(other);
    return tree_open_commit(&other->tree, &scene->tree, rev, &other->arena, st) &&
           base_matrix(other, scene, st) &&
           survey_tree(&other->survey, &other->tree, &other->matrix, &other->options, &other->arena, st) &&
           debt_fold(&other->debt, &other->matrix, &other->tree, &other->survey, &other->arena, st);
}

void scene_close(struct scene *scene) {
    cache_close(scene->cache);
    str_free(&scene->own.complaints);
    arena_release(&scene->arena);
}

int scene_give_up(struct scene *scene, const struct status *st) {
    scene_quiet(scene);
    struct status stopped;
    if (interrupted) {
        status_fail(&stopped, STATUS_SYSTEM, "interrupted; what was scanned is kept");
        st = &stopped;
    }
    if (scene->own.complaints.n) fputs(str_c(&scene->own.complaints), stderr);
    cli_fail(scene->cli, st);
    return interrupted ? INTERRUPTED : CANNOT_DECIDE;
}
