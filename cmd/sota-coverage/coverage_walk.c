#include "cmd/sota-coverage/coverage_walk.h"

#include "base/file.h"
#include "base/utf8.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

static bool add(struct walk *walk, const char *path, const char *refused, struct status *st) {
    if (walk->n == walk->room) {
        size_t room = walk->room ? walk->room * 2 : 256;
        struct batch_item *items = realloc(walk->items, room * sizeof *items);
        if (!items) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu files", room);
        walk->items = items;
        walk->room = room;
    }
    const char *copy = arena_copy(&walk->arena, path, strlen(path), st);
    const char *why = refused ? arena_copy(&walk->arena, refused, strlen(refused), st) : NULL;
    if (!copy || (refused && !why)) return false;
    walk->items[walk->n++] = (struct batch_item){.path = copy, .refused = why};
    return true;
}

static bool is_utf8(struct view text) {
    while (text.n) {
        size_t n = utf8_valid_length(text.at, text.n);
        if (!n) return false;
        text.at += n;
        text.n -= n;
    }
    return true;
}

static bool is_repository(const char *folder) {
    struct str path = {0};
    str_printf(&path, "%s/.git", folder);
    bool is = file_exists(str_c(&path));
    str_free(&path);
    return is;
}

static bool add_file(struct walk *walk, const FTSENT *entry, struct status *st) {
    bool kernel = scan_language_of(entry->fts_path) != SCAN_NONE;
    if (entry->fts_level == 0 && !kernel)
        return status_fail(st, STATUS_BAD_INPUT,
                           "%s: its extension is of no language that kernels are written in",
                           entry->fts_path);
    bool readable = is_utf8(view_of(entry->fts_path));
    return !kernel || add(walk, entry->fts_path, readable ? NULL : "its path is not UTF-8", st);
}

static bool add_entry(struct walk *walk, FTS *fts, FTSENT *entry, struct status *st) {
    bool top = entry->fts_level == 0;
    switch (entry->fts_info) {
    case FTS_D:
        if (strcmp(entry->fts_name, ".git") == 0) fts_set(fts, entry, FTS_SKIP);
        else if (!top && is_repository(entry->fts_path)) {
            fts_set(fts, entry, FTS_SKIP);
            return add(walk, entry->fts_path, "a repository of its own (a submodule): scan it by itself", st);
        }
        return true;
    case FTS_DNR:
    case FTS_NS:
    case FTS_ERR:
        errno = entry->fts_errno;
        if (top) return status_fail_errno(st, "%s", entry->fts_path);
        return add(walk, entry->fts_path, strerror(entry->fts_errno), st);
    case FTS_F:
    case FTS_SL:
    case FTS_SLNONE:
    case FTS_DEFAULT: return add_file(walk, entry, st);
    default: return true;
    }
}

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

bool walk_add(struct walk *walk, const char *path, struct status *st) {
    char *roots[] = {(char *)(size_t)path, NULL};
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    if (!fts) return status_fail_errno(st, "%s", path);
    bool ok = true;
    for (FTSENT *entry; ok && (entry = fts_read(fts));) ok = add_entry(walk, fts, entry, st);
    fts_close(fts);
    return ok;
}

static int by_folded_path(const void *a, const void *b) {
    const struct batch_item *const *x = a, *const *y = b;
    return strcasecmp((*x)->path, (*y)->path);
}

bool walk_note_twins(struct walk *walk, struct status *st) {
    struct batch_item **sorted = malloc((walk->n + 1) * sizeof(struct batch_item *));
    if (!sorted) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu files", walk->n);
    for (size_t i = 0; i < walk->n; i++) sorted[i] = &walk->items[i];
    if (walk->n) qsort(sorted, walk->n, sizeof *sorted, by_folded_path);
    for (size_t i = 1; i < walk->n; i++) {
        struct batch_item *a = sorted[i - 1], *b = sorted[i];
        if (strcasecmp(a->path, b->path) != 0 || strcmp(a->path, b->path) == 0) continue;
        a->note = b->note = "another path differs in case alone: some systems keep one of the two";
    }
    free(sorted);
    return true;
}

void walk_free(struct walk *walk) {
    free(walk->items);
    arena_release(&walk->arena);
    *walk = (struct walk){0};
}
