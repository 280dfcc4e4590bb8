#include "coverage/scan/kernel_place.h"

#include "sotadb/glob.h"

#include <string.h>

/* The folder of a path or glob, cut off at its last '/', into out. False when it lies in the root or is too
 * long. */
static bool folder_of(char out[512], const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash || slash - path >= 512) return false;
    memcpy(out, path, (size_t)(slash - path));
    out[slash - path] = 0;
    return true;
}

static bool is_called_kernels(const char *folder) {
    struct view rest = view_of(folder);
    while (rest.n) {
        const char *slash = memchr(rest.at, '/', rest.n);
        size_t n = slash ? (size_t)(slash - rest.at) : rest.n;
        if (view_is((struct view){rest.at, n}, "kernels")) return true;
        if (!slash) break;
        rest = (struct view){slash + 1, rest.n - n - 1};
    }
    return false;
}

static bool lies_beside_kernels(const struct matrix *m, const char *path) {
    char folder[512], known[512];
    if (!folder_of(folder, path) || !is_called_kernels(folder)) return false;
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct op_path *row = &m->paths[i];
        if (row->role == PATH_KERNEL && folder_of(known, row->glob) && glob_match(known, folder)) return true;
    }
    return false;
}

bool kernel_place(const struct matrix *m, const char *path) {
    bool named = false;
    for (size_t i = 0; i < m->n_paths; i++) {
        if (!glob_match(m->paths[i].glob, path)) continue;
        if (m->paths[i].role == PATH_KERNEL) return true;
        named = true;
    }
    return !named && lies_beside_kernels(m, path);
}
