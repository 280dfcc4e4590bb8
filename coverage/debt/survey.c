#include "coverage/debt/survey.h"

#include "coverage/scan/kernel_place.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OPS = 64 };

static bool match_path(struct survey_file *out, const char *path, const struct matrix *m, struct arena *arena,
                       struct status *st) {
    struct match found[MAX_OPS];
    size_t n = matrix_match_path(m, path, found, MAX_OPS);
    if (n > MAX_OPS) n = MAX_OPS;
    const struct op **ops = arena_alloc(arena, n, sizeof(struct op *), st);
    if (!ops) return false;
    for (size_t i = 0; i < n; i++) ops[i] = found[i].op;
    out->ops = ops;
    out->n_ops = n;
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

bool survey_cover(struct survey_file *out, const struct scan_file *scan, const struct matrix *m,
                  struct arena *arena, struct status *st) {
    *out = (struct survey_file){.scan = *scan};
    if (!match_path(out, scan->path, m, arena, st)) return false;
    return out->n_ops || !only_instances(scan) || inherit(out, m, arena, st);
}

static bool scan_file(struct scan_file *out, const struct tree *tree, const char *path,
                      const struct matrix *m, struct arena *arena, struct status *st) {
    struct str full = {0};
    str_printf(&full, "%s/%s", tree->root, path);
    struct scan_request request = {.path = path, .kernel_place = kernel_place(m, path), .root = tree->root};
    bool ok = str_ok(&full, st) && scan_path(out, str_c(&full), &request, arena, st);
    str_free(&full);
    return ok;
}

bool survey_tree(struct survey *survey, const struct tree *tree, const struct matrix *m, struct arena *arena,
                 struct status *st) {
    struct survey_file *files = arena_alloc(arena, tree->n, sizeof *files, st);
    struct scan_file *refused = arena_alloc(arena, tree->n, sizeof *refused, st);
    *survey = (struct survey){.files = files, .refused = refused};
    if (!files || !refused) return false;
    for (size_t i = 0; i < tree->n; i++) {
        struct scan_file scan;
        if (scan_language_of(tree->paths[i]) == SCAN_NONE) continue;
        if (!scan_file(&scan, tree, tree->paths[i], m, arena, st)) return false;
        survey->n_scanned++;
        if (scan.not_analysed) refused[survey->n_refused++] = scan;
        if (scan_is_kernel_file(&scan) && !survey_cover(&files[survey->n_files++], &scan, m, arena, st))
            return false;
    }
    return true;
}

static bool covers(const struct survey_file *file, const struct op *op) {
    for (size_t i = 0; i < file->n_ops; i++)
        if (file->ops[i] == op) return true;
    return false;
}

const struct op *survey_op(const struct survey_file *file, const struct scan_kernel *kernel,
                           const struct matrix *m) {
    struct match found[MAX_OPS];
    size_t n = matrix_match_symbol(m, kernel->name, found, MAX_OPS);
    for (size_t i = 0; i < n && i < MAX_OPS; i++)
        if (covers(file, found[i].op)) return found[i].op;
    return file->n_ops == 1 ? file->ops[0] : NULL;
}
