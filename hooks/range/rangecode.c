#include "hooks/gate/code.h"
#include "hooks/range/mergemade.h"
#include "hooks/range/rangework.h"

#include <stdlib.h>
#include <string.h>

enum { BLOB_LIMIT = 4 << 20, MERGE_PARENTS = 64, ROWS = 64 };

/* A blob that is not here is no verdict; one that is too large for a source counts as a change. */
static bool read_blob(struct str *out, bool *too_large, struct work *w, const char *oid, const char *path,
                      struct status *st) {
    struct status why;
    *too_large = false;
    if (oid[strspn(oid, "0")] == '\0') return true; /* no file */
    if (history_text(out, w->judge->range->history, oid, BLOB_LIMIT, &why)) return true;
    *too_large = why.code == STATUS_UNSUPPORTED;
    if (*too_large) return true;
    return status_fail(
        st, why.code,
        "the content of %.200s at %.12s is missing (%.120s), so whether its code changed cannot be "
        "told; `git log -p RANGE >/dev/null` fetches it in a partial clone",
        path, w->out.oid, why.message);
}

/* The first line of `after` that is not as in `before`, from 1; its last where it only lost some. */
static int first_change(struct view before, struct view after) {
    size_t n = before.n < after.n ? before.n : after.n, same = 0;
    int line = 1;
    while (same < n && before.at[same] == after.at[same]) same++;
    for (size_t i = 0; i < same; i++)
        if (after.at[i] == '\n' && i + 1 < after.n) line++;
    return line;
}

/* What a merge changes against each of its parents, listed once for all its files. */
struct parents {
    struct change_list at[MERGE_PARENTS];
    struct arena arena;
};

static bool list_parents(struct parents *out, struct work *w, struct status *st) {
    struct history *history = w->judge->range->history;
    *out = (struct parents){0};
    if (!rangework_is_merge(w) || !w->covered.n) return true;
    for (size_t i = 0; i < w->commit->n_parents && i < MERGE_PARENTS; i++)
        if (!history_between(&out->at[i], history, w->commit->parents[i], w->out.oid, &out->arena, st))
            return false;
    return true;
}

static int by_path(const void *path, const void *change) {
    return strcmp(path, ((const struct change *)change)->path);
}

/* What the file was for every parent. */
static bool read_parents(struct str texts[MERGE_PARENTS], bool *too_large, struct work *w,
                         const struct parents *parents, const struct change *change, struct status *st) {
    for (size_t i = 0; !*too_large && i < w->commit->n_parents; i++) {
        const struct change_list *list = &parents->at[i];
        const struct change *own =
            list->n ? bsearch(change->path, list->at, list->n, sizeof *list->at, by_path) : NULL;
        if (own && !read_blob(&texts[i], too_large, w, own->old_oid, change->path, st)) return false;
    }
    return true;
}

/* *line: 0 when git could have made the file of its parents. */
static bool judge_merge(int *line, struct work *w, const struct parents *parents, const struct change *change,
                        struct view after, struct status *st) {
    struct str texts[MERGE_PARENTS] = {{0}};
    struct view views[MERGE_PARENTS];
    bool too_large = w->commit->n_parents > MERGE_PARENTS;
    *line = 1;
    bool ok = too_large || read_parents(texts, &too_large, w, parents, change, st);
    size_t n = too_large ? 0 : w->commit->n_parents;
    for (size_t i = 0; i < n; i++) views[i] = (struct view){str_c(&texts[i]), texts[i].n};
    if (ok && !too_large) ok = mergemade(line, after, views, n, st);
    for (size_t i = 0; ok && *line && i < n; i++) {
        bool same;
        ok = code_same(&same, change->path, views[i], after, st);
        if (ok && same) *line = 0;
    }
    for (size_t i = 0; i < n; i++) str_free(&texts[i]);
    return ok;
}

/* Kernels are named only where a file belongs to several operations, because scanning is dear. A scanner that
 * does not load, or fails, names none. */
static void find_touched(struct touched *out, struct work *w, const char *path, struct view before,
                         struct view after) {
    struct judge *judge = w->judge;
    struct match match[ROWS];
    size_t n = matrix_match_path(judge->in->matrix, path, match, ROWS);
    bool kernel_place = false;
    *out = (struct touched){0};
    if (n < 2) return;
    for (size_t i = 0; i < n && i < ROWS; i++) kernel_place |= match[i].path->role == PATH_KERNEL;
    if (!judge->scan_asked && judge->in->load_scan && !judge->in->load_scan(&judge->scan, NULL))
        judge->scan = NULL;
    judge->scan_asked = true;
    if (!judge->scan ||
        !touched_find(out, path, kernel_place, before, after, judge->scan, &judge->range->arena, NULL))
        *out = (struct touched){0};
}

/* *line: where the code of the file changes, or 0 when only its comments do, or a generator wrote it. */
static bool judge_content(int *line, struct touched *touched, struct work *w, const struct parents *parents,
                          const struct change *change, struct status *st) {
    struct str before = {0}, after = {0};
    bool large = false, large_too = false, same = false;
    *line = 1;
    bool ok = read_blob(&after, &large, w, change->new_oid, change->path, st) &&
              (rangework_is_merge(w) || read_blob(&before, &large_too, w, change->old_oid, change->path, st));
    struct view a = {str_c(&before), before.n}, b = {str_c(&after), after.n};
    if (ok && !large && !large_too) {
        if (code_generated(change->status == 'D' ? a : b)) *line = 0;
        else if (rangework_is_merge(w)) ok = judge_merge(line, w, parents, change, b, st);
        else {
            *line = first_change(a, b);
            if (change->status == 'M') ok = code_same(&same, change->path, a, b, st);
            if (same) *line = 0;
            if (ok && *line) find_touched(touched, w, change->path, a, b);
        }
    }
    str_free(&before);
    str_free(&after);
    return ok;
}

bool rangecode_drop_silent(struct work *w, struct status *st) {
    struct parents parents;
    size_t kept = 0;
    w->touched = arena_alloc(&w->judge->range->arena, w->covered.n, sizeof *w->touched, st);
    if (!w->touched) return false;
    bool ok = list_parents(&parents, w, st);
    for (size_t i = 0; ok && i < w->covered.n; i++) {
        struct touched touched = {0};
        int line;
        ok = judge_content(&line, &touched, w, &parents, &w->covered.at[i], st);
        if (!ok || !line) continue;
        w->lines[kept] = line;
        w->touched[kept] = touched;
        w->covered.at[kept++] = w->covered.at[i];
    }
    w->covered.n = kept;
    arena_release(&parents.arena);
    return ok;
}
