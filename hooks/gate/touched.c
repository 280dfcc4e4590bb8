#include "hooks/gate/touched.h"

#include "hooks/gate/code.h"

#include <stdlib.h>
#include <string.h>

struct version {
    struct view text;
    struct scan_file file;
};

static struct view code_of(const struct version *version, const struct scan_kernel *kernel) {
    return (struct view){version->text.at + kernel->begin, kernel->end - kernel->begin};
}

/* The n-th kernel of a name: overloads and instances share one. */
static const struct scan_kernel *nth(const struct version *version, const char *name, size_t n) {
    for (size_t i = 0; i < version->file.n_kernels; i++)
        if (strcmp(version->file.kernels[i].name, name) == 0 && n-- == 0) return &version->file.kernels[i];
    return NULL;
}

static size_t rank_of(const struct version *version, size_t index) {
    size_t n = 0;
    for (size_t i = 0; i < index; i++)
        n += strcmp(version->file.kernels[i].name, version->file.kernels[index].name) == 0;
    return n;
}

static bool is_named(const struct touched *out, const char *name) {
    for (size_t i = 0; i < out->n; i++)
        if (strcmp(out->names[i], name) == 0) return true;
    return false;
}

struct search {
    const char *path;
    const char **names;
    bool helpers;
};

/* Kernels of `here` that `there` lacks or has otherwise. */
static bool collect(struct touched *out, const struct search *search, const struct version *here,
                    const struct version *there, struct status *st) {
    for (size_t i = 0; i < here->file.n_kernels; i++) {
        const struct scan_kernel *kernel = &here->file.kernels[i];
        if ((kernel->kind == SCAN_HELPER) != search->helpers || is_named(out, kernel->name)) continue;
        const struct scan_kernel *other = nth(there, kernel->name, rank_of(here, i));
        bool same = false;
        if (other && !code_same(&same, search->path, code_of(there, other), code_of(here, kernel), st))
            return false;
        if (!same) search->names[out->n++] = kernel->name;
    }
    return true;
}

bool touched_find(struct touched *out, const char *path, bool kernel_place, struct view before,
                  struct view after, touched_scan *scan, struct arena *arena, struct status *st) {
    const struct scan_request request = {.path = path, .kernel_place = kernel_place};
    struct version old = {.text = before}, new = {.text = after};
    *out = (struct touched){0};
    if ((before.n && !scan(&old.file, before, &request, arena, st)) ||
        (after.n && !scan(&new.file, after, &request, arena, st)))
        return false;
    size_t room = old.file.n_kernels + new.file.n_kernels;
    struct search search = {path, arena_alloc(arena, room + 1, sizeof *search.names, st), false};
    if (!search.names) return false;
    out->names = search.names;
    for (int pass = 0; pass < 2 && out->n == 0; pass++) {
        search.helpers = pass == 1;
        if (!collect(out, &search, &new, &old, st) || !collect(out, &search, &old, &new, st)) return false;
    }
    return true;
}
