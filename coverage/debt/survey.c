#include "coverage/debt/survey.h"

#include "coverage/debt/stamps.h"
#include "coverage/scan/kernel_place.h"
#include "git/plumbing/catfile.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { MAX_OPS = 64 };

static bool match_path(struct survey_file *out, const char *path, const struct matrix *m, struct arena *arena,
                       struct status *st) {
    struct match found[MAX_OPS];
    size_t n = matrix_match_path(m, path, found, MAX_OPS);
    if (n > MAX_OPS) n = MAX_OPS;
    const struct op **ops = arena_alloc(arena, n, sizeof(struct op *), st);
    if (!ops) return false;
    out->ops = ops;
    out->n_ops = 0;
    /* Where an operation has the file as its kernel, those that have it as their host or loader do not own
     * what is in it. */
    bool kernel = false;
    for (size_t i = 0; i < n; i++) kernel |= found[i].path && found[i].path->role == PATH_KERNEL;
    for (size_t i = 0; i < n; i++)
        if (!kernel || (found[i].path && found[i].path->role == PATH_KERNEL)) ops[out->n_ops++] = found[i].op;
    return true;
}

/* "a/b/c.cu" including "../x.cuh" is "a/x.cuh"; an include that climbs out of the tree gives "". */
static void resolve(struct str *out, const char *path, const char *include) {
    const char *slash = strrchr(path, '/');
    if (slash) str_add(out, path, (size_t)(slash - path));
    for (const char *at = include; *at;) {
        size_t n = strcspn(at, "/");
        if (n == 2 && memcmp(at, "..", 2) == 0) {
            const char *up = out->n ? memrchr(out->at, '/', out->n) : NULL;
            if (!out->n) {
                str_clear(out);
                return;
            }
            out->n = up ? (size_t)(up - out->at) : 0;
            out->at[out->n] = 0;
        } else if (n && !(n == 1 && *at == '.')) {
            if (out->n) str_putc(out, '/');
            str_add(out, at, n);
        }
        at += n;
        at += *at == '/';
    }
}

static bool only_instances(const struct scan_file *scan) {
    for (size_t i = 0; i < scan->n_kernels; i++)
        if (scan->kernels[i].kind == SCAN_KERNEL) return false;
    return scan->n_kernels > 0;
}

/* An instance file without a row of its own stands under the rows of the first include that has some. */
static bool inherit(struct survey_file *out, const struct matrix *m, struct arena *arena, struct status *st) {
    for (size_t i = 0; i < out->scan.n_includes && out->n_ops == 0; i++) {
        struct str path = {0};
        resolve(&path, out->scan.path, out->scan.includes[i]);
        bool ok = str_ok(&path, st);
        if (ok && path.n) ok = match_path(out, str_c(&path), m, arena, st);
        if (ok && out->n_ops) ok = (out->through = arena_copy(arena, str_c(&path), path.n, st)) != NULL;
        str_free(&path);
        if (!ok) return false;
    }
    return true;
}

static const struct op *owner_of(const struct survey_file *file, const struct scan_kernel *kernel,
                                 const struct matrix *m) {
    if (file->n_ops < 2) return file->n_ops ? file->ops[0] : NULL;
    for (size_t i = 0; i < file->n_ops; i++)
        if (matrix_names(m, file->ops[i], kernel->name)) return file->ops[i];
    return NULL;
}

static bool find_owners(struct survey_file *out, const struct matrix *m, struct arena *arena,
                        struct status *st) {
    const struct op **owners = arena_alloc(arena, out->scan.n_kernels, sizeof(struct op *), st);
    for (size_t i = 0; owners && i < out->scan.n_kernels; i++)
        owners[i] = owner_of(out, &out->scan.kernels[i], m);
    out->owners = owners;
    return owners != NULL;
}

bool survey_cover(struct survey_file *out, const struct scan_file *scan, const struct matrix *m,
                  struct arena *arena, struct status *st) {
    *out = (struct survey_file){.scan = *scan};
    if (!match_path(out, scan->path, m, arena, st)) return false;
    bool known = out->n_ops || !only_instances(scan) || inherit(out, m, arena, st);
    return known && find_owners(out, m, arena, st);
}

/* --- the files of a tree ------------------------------------------------------------------------------ */

struct looked {
    const struct tree *tree;
    struct stamp *stamps; /* of each path of a working tree, while nothing about it moved; oid "" where not */
    char (*prints)[OID_TEXT]; /* of each path that was asked for: harvest_print; "" not yet, "-" none */
    struct catfile blobs;     /* to read them, opened when one is asked for */
    pthread_mutex_t lock;     /* of both */
};

/* A header is read once, whoever includes it. */
static void take_print(struct looked *look, size_t i) {
    struct arena arena = {0};
    struct str text = {0};
    const char *refused;
    bool ready = !look->tree->blobs[i].oid || look->blobs.socket >= 0 ||
                 catfile_open(&look->blobs, look->tree->folder, NULL);
    bool there = ready &&
                 tree_text(&text, &refused, look->tree, i, HARVEST_FILE_LIMIT, &look->blobs, &arena, NULL) &&
                 !refused;
    if (there) harvest_print(look->prints[i], (struct view){str_c(&text), text.n});
    else strcpy(look->prints[i], "-");
    str_free(&text);
    arena_release(&arena);
}

static bool print_now(void *context, char print[OID_TEXT], const char *path) {
    struct looked *look = context;
    size_t i;
    if (!tree_find(&i, look->tree, path)) return false;
    pthread_mutex_lock(&look->lock);
    if (!look->prints[i][0]) take_print(look, i);
    pthread_mutex_unlock(&look->lock);
    memcpy(print, look->prints[i], OID_TEXT);
    return strcmp(print, "-") != 0;
}

static bool text_now(void *context, struct str *out, const char **refused, const char *path, const char *oid,
                     struct catfile *blobs, struct arena *arena, struct status *st) {
    const struct looked *look = context;
    size_t i;
    (void)oid;
    if (!tree_find(&i, look->tree, path))
        return status_fail(st, STATUS_NOT_FOUND, "%s is in no list of files; run again", path);
    return tree_text(out, refused, look->tree, i, HARVEST_FILE_LIMIT, blobs, arena, st);
}

/* Which of the files are known without being read. */
static void take_stamps(struct looked *look, struct cache *cache) {
    const struct tree *tree = look->tree;
    struct stamps known;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    stamps_load(&known, cache, tree->root);
    for (size_t i = 0; i < tree->n; i++) {
        struct str full = {0};
        struct stat info;
        look->stamps[i] = (struct stamp){.path = tree->paths[i]};
        if (scan_language_of(tree->paths[i]) == SCAN_NONE) continue;
        str_printf(&full, "%s/%s", tree->root, tree->paths[i]);
        bool settled = !full.failed && lstat(str_c(&full), &info) == 0 &&
                       stamp_take(&look->stamps[i], tree->paths[i], &info, (int64_t)now.tv_sec * 1000000000);
        if (!settled) look->stamps[i].inode = 0;
        else stamps_find(&look->stamps[i], &known);
        str_free(&full);
    }
    stamps_free(&known);
}

/* What was read and cannot have changed since. */
static void keep_stamps(struct looked *look, struct cache *cache, const struct harvest_item *items,
                        size_t n) {
    const struct tree *tree = look->tree;
    size_t kept = 0, at;
    bool news = false;
    for (size_t i = 0; i < n; i++) {
        if (!tree_find(&at, tree, items[i].path) || !look->stamps[at].inode || !items[i].oid[0]) continue;
        struct stamp stamp = look->stamps[at];
        news |= !stamp.oid[0];
        memcpy(stamp.oid, items[i].oid, OID_TEXT);
        look->stamps[kept++] = stamp; /* kept <= at: both are in order of path */
    }
    if (news) stamps_save(cache, tree->root, look->stamps, kept);
}

bool survey_is_place(const struct matrix *m, const char *path) {
    enum scan_language language = scan_language_of(path);
    return (language == SCAN_C || language == SCAN_CPP) && kernel_place(m, path);
}

static size_t make_items(struct harvest_item *items, const struct looked *look, const struct matrix *m) {
    const struct tree *tree = look->tree;
    size_t n = 0;
    for (size_t i = 0; i < tree->n; i++) {
        if (scan_language_of(tree->paths[i]) == SCAN_NONE) continue;
        struct harvest_item *item = &items[n++];
        *item = (struct harvest_item){.path = tree->paths[i], .place = survey_is_place(m, tree->paths[i])};
        const char *oid = !tree->blobs[i].oid      ? look->stamps[i].oid
                          : tree->blobs[i].is_link ? ""
                                                   : tree->blobs[i].oid;
        if (strlen(oid) < OID_TEXT) strcpy(item->oid, oid);
    }
    return n;
}

static bool room_for(struct survey *survey, const struct record *records, size_t n, struct arena *arena,
                     struct status *st) {
    size_t n_comments = 0;
    for (size_t i = 0; i < n; i++) n_comments += records[i].n_suppresses;
    *survey = (struct survey){
        .files = arena_alloc(arena, n, sizeof *survey->files, st),
        .refused = arena_alloc(arena, n, sizeof *survey->refused, st),
        .comments = arena_alloc(arena, n_comments, sizeof *survey->comments, st),
    };
    return survey->files && survey->refused && survey->comments;
}

bool survey_add(struct survey *survey, const struct record *record, const struct matrix *m,
                struct arena *arena, struct status *st) {
    const struct scan_file *scan = &record->scan;
    survey->n_scanned++;
    if (scan->not_analysed) survey->refused[survey->n_refused++] = *scan;
    for (size_t i = 0; i < record->n_suppresses; i++)
        survey->comments[survey->n_comments++] = (struct survey_comment){scan->path, record->suppresses[i]};
    if (!scan_is_kernel_file(scan)) return true;
    return survey_cover(&survey->files[survey->n_files++], scan, m, arena, st);
}

static bool add_all(struct survey *survey, const struct harvest_item *items, size_t n, const struct matrix *m,
                    struct arena *arena, struct status *st) {
    struct record *records = arena_alloc(arena, n, sizeof *records, st);
    if (!records) return false;
    for (size_t i = 0; i < n; i++)
        if (!record_read(&records[i], (struct view){str_c(&items[i].record), items[i].record.n},
                         items[i].path, arena))
            return status_fail(st, STATUS_NO_MEMORY, "out of memory for what is known of %s", items[i].path);
    if (!room_for(survey, records, n, arena, st)) return false;
    for (size_t i = 0; i < n; i++)
        if (!survey_add(survey, &records[i], m, arena, st)) return false;
    return true;
}

bool survey_tree(struct survey *survey, const struct tree *tree, const struct matrix *m,
                 const struct survey_options *options, struct arena *arena, struct status *st) {
    bool work = tree->kind == TREE_WORK;
    struct looked look = {.tree = tree, .blobs = {.socket = -1}, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct harvest_source source = {&look, work && !tree->n_sparse ? NULL : tree->folder, print_now,
                                    text_now};
    struct harvest harvest = {.source = &source,
                              .cache = options->cache,
                              .jobs = options->jobs,
                              .progress = options->progress,
                              .progress_context = options->progress_context,
                              .stop = options->stop};
    struct harvest_item *items = arena_alloc(arena, tree->n, sizeof *items, st);
    *survey = (struct survey){0};
    look.stamps = arena_alloc(arena, work ? tree->n : 0, sizeof *look.stamps, st);
    look.prints = arena_alloc(arena, tree->n, sizeof *look.prints, st);
    if (!items || !look.stamps || !look.prints) return false;
    if (work) take_stamps(&look, options->cache);
    size_t n = make_items(items, &look, m);
    bool ok = harvest_run(&harvest, items, n, st) && add_all(survey, items, n, m, arena, st);
    if (ok && work) keep_stamps(&look, options->cache, items, n);
    harvest_free(items, n);
    catfile_close(&look.blobs);
    return ok;
}

const struct op *survey_op(const struct survey_file *file, const struct scan_kernel *kernel) {
    return file->owners[kernel - file->scan.kernels];
}
