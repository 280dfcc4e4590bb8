#include "hooks/gate/gate_priorart.h"

#include "hooks/gate/stamp.h"
#include "sotadb/credit.h"
#include "sotadb/glob.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_OPS = 64 }; /* rows that cover one file */

/* --- which files count -----------------------------------------------------------------------------------
 */

static bool view_in(struct view name, const char *const *list) {
    for (; *list; list++)
        if (view_is(name, *list)) return true;
    return false;
}

static bool is_aside_folder(struct view name) {
    static const char *const aside[] = {"test", "tests", "testing", "testdata",  "unittests",
                                        "doc",  "docs",  "build",   "generated", NULL};
    return view_in(name, aside);
}

/* "test_gemm.c", "gemm_test.cu", "gemm.test.c" and "README.md". */
static bool is_aside_file(struct view name) {
    static const char *const documents[] = {"md", "rst", "txt", "adoc", "html", NULL};
    const char *dot = memrchr(name.at, '.', name.n);
    struct view stem = dot ? (struct view){name.at, (size_t)(dot - name.at)} : name;
    struct view extension = dot ? (struct view){dot + 1, name.n - stem.n - 1} : (struct view){0};
    return view_starts(stem, "test_") || view_ends(stem, "_test") || view_ends(stem, ".test") ||
           view_in(extension, documents);
}

static bool is_aside(const char *path) {
    struct view rest = view_of(path);
    for (const char *slash; (slash = memchr(rest.at, '/', rest.n));) {
        size_t n = (size_t)(slash - rest.at);
        if (is_aside_folder((struct view){rest.at, n})) return true;
        rest = (struct view){slash + 1, rest.n - n - 1};
    }
    return is_aside_file(rest);
}

static bool is_generated(const struct matrix *m, const char *path) {
    for (size_t i = 0; i < m->n_paths; i++)
        if (m->paths[i].generates[0] && glob_match(m->paths[i].generates, path)) return true;
    return false;
}

bool gate_covers(const struct matrix *m, const char *path) {
    struct match match;
    return matrix_match_path(m, path, &match, 1) > 0 && !is_aside(path) && !is_generated(m, path);
}

/* --- findings ----------------------------------------------------------------------------------------------
 */

struct pair {
    const struct op *op;
    struct hit hit;
};

static int by_slug_then_path(const void *a, const void *b) {
    const struct pair *x = a, *y = b;
    int order = strcmp(x->op->slug, y->op->slug);
    return order ? order : strcmp(x->hit.change->path, y->hit.change->path);
}

static bool names_kernel(const struct matrix *m, const struct op *op, const char *kernel) {
    struct match by_name[MAX_OPS];
    size_t n = matrix_match_symbol(m, kernel, by_name, MAX_OPS);
    for (size_t i = 0; i < n && i < MAX_OPS; i++)
        if (by_name[i].op == op) return true;
    return false;
}

/* The rows of one file that name its touched kernels; all of them when one kernel is named by none. */
static size_t narrow(struct match *matches, size_t n, const struct matrix *m, const struct touched *touched) {
    bool named[MAX_OPS] = {false};
    for (size_t k = 0; k < touched->n; k++) {
        bool any = false;
        for (size_t i = 0; i < n; i++)
            if (names_kernel(m, matches[i].op, touched->names[k])) any = named[i] = true;
        if (!any) return n;
    }
    size_t kept = 0;
    for (size_t i = 0; touched->n && i < n; i++)
        if (named[i]) matches[kept++] = matches[i];
    return kept ? kept : n;
}

/* Every (operation, file) pair of the change, sorted. */
static bool find_pairs(struct pair **out, size_t *n, const struct matrix *m,
                       const struct change_list *changes, const struct touched *touched, struct arena *arena,
                       struct status *st) {
    static const struct touched unknown;
    struct match matches[MAX_OPS];
    size_t room = 0;
    *n = 0;
    *out = NULL;
    for (size_t i = 0; i < changes->n; i++)
        if (gate_covers(m, changes->at[i].path))
            room += matrix_match_path(m, changes->at[i].path, matches, MAX_OPS);
    *out = arena_alloc(arena, room, sizeof **out, st);
    if (!*out) return false;
    for (size_t i = 0; i < changes->n; i++) {
        const struct change *change = &changes->at[i];
        if (!gate_covers(m, change->path)) continue;
        size_t found = matrix_match_path(m, change->path, matches, MAX_OPS);
        const struct touched *kernels = touched ? &touched[i] : &unknown;
        found = narrow(matches, found < MAX_OPS ? found : MAX_OPS, m, kernels);
        for (size_t j = 0; j < found; j++)
            (*out)[(*n)++] = (struct pair){matches[j].op, {change, matches[j].path, *kernels}};
    }
    if (*n > 1) qsort(*out, *n, sizeof **out, by_slug_then_path);
    return true;
}

static const char *arena_str(struct str *text, struct arena *arena, struct status *st) {
    const char *out = str_ok(text, st) ? arena_copy(arena, str_c(text), text->n, st) : NULL;
    str_free(text);
    return out;
}

/* One line for all of them. */
static const char *trailer_of(const struct finding *findings, size_t n, struct arena *arena,
                              struct status *st) {
    struct str text = {0};
    if (n == 0) return "";
    const struct op **ops = arena_alloc(arena, n, sizeof *ops, st);
    const struct reference **references = arena_alloc(arena, n, sizeof *references, st);
    if (!ops || !references) return NULL;
    for (size_t i = 0; i < n; i++) {
        ops[i] = findings[i].op;
        references[i] = findings[i].reference;
    }
    credit_lines(&text, ops, references, n);
    return arena_str(&text, arena, st);
}

static bool fold_pairs(struct gate_report *out, const struct matrix *m, const struct pair *pairs, size_t n,
                       struct arena *arena, struct status *st) {
    struct finding *findings = arena_alloc(arena, n, sizeof *findings, st);
    struct hit *hits = arena_alloc(arena, n, sizeof *hits, st);
    if (!findings || !hits) return false;
    for (size_t i = 0; i < n; i++) {
        hits[i] = pairs[i].hit;
        if (i == 0 || pairs[i].op != pairs[i - 1].op) {
            struct finding *finding = &findings[out->n++];
            *finding = (struct finding){.op = pairs[i].op, .hits = &hits[i]};
            finding->reference = credit_reference(m, finding->op);
            finding->trailer = trailer_of(finding, 1, arena, st);
            if (!finding->trailer) return false;
        }
        findings[out->n - 1].n_hits++;
    }
    out->findings = findings;
    out->trailer = trailer_of(findings, out->n, arena, st);
    return out->trailer != NULL;
}

bool gate_priorart_of(struct gate_report *out, const struct matrix *m, const struct change_list *changes,
                      const struct touched *touched, const struct view *message,
                      const struct trailer_rules *rules, struct arena *arena, struct status *st) {
    struct pair *pairs;
    size_t n;
    *out = (struct gate_report){.trailer = ""};
    if (!find_pairs(&pairs, &n, m, changes, touched, arena, st)) return false;
    if (!fold_pairs(out, m, pairs, n, arena, st)) return false;
    if (!message) return true;
    return stamp_judge(&out->stamp, m, out->findings, out->n, *message, rules, arena, st);
}

bool gate_priorart(struct gate_report *out, const struct matrix *m, const struct change_list *changes,
                   const struct view *message, const struct trailer_rules *rules, struct arena *arena,
                   struct status *st) {
    return gate_priorart_of(out, m, changes, NULL, message, rules, arena, st);
}
