#include "git/change.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct change_list *list, struct arena *arena, struct status *st) {
    size_t room = list->room ? list->room * 2 : 32;
    struct change *at = arena_alloc(arena, room, sizeof *at, st);
    if (!at) return false;
    if (list->n) memcpy(at, list->at, list->n * sizeof *at);
    list->at = at;
    list->room = room;
    return true;
}

bool change_add(struct change_list *list, const struct change *change, size_t n_path, struct arena *arena,
                struct status *st) {
    if (list->n == list->room && !grow(list, arena, st)) return false;
    char *path = arena_copy(arena, change->path, n_path, st);
    if (!path) return false;
    list->at[list->n] = *change;
    list->at[list->n++].path = path;
    return true;
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const struct change *)a)->path, ((const struct change *)b)->path);
}

void change_sort(struct change_list *list) {
    if (list->n > 1) qsort(list->at, list->n, sizeof *list->at, by_path);
}

void change_keep_common(struct change_list *list, const struct change_list *other) {
    size_t kept = 0, j = 0;
    for (size_t i = 0; i < list->n; i++) {
        while (j < other->n && strcmp(other->at[j].path, list->at[i].path) < 0) j++;
        if (j < other->n && strcmp(other->at[j].path, list->at[i].path) == 0) list->at[kept++] = list->at[i];
    }
    list->n = kept;
}

static bool is_file_mode(unsigned mode) { return (mode & 0170000) == 0100000; }

bool change_is_file(const struct change *change) {
    return is_file_mode(change->old_mode) || is_file_mode(change->new_mode);
}
