#include "cmd/fak/sota_find.h"

#include "base/file.h"
#include "base/module.h"
#include "cmd/fak/repo_path.h"
#include "sotadb/name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void sota_found_free(struct sota_found *found) {
    str_free(&found->path);
    str_free(&found->file);
    str_free(&found->symbol);
    str_free(&found->alias);
}

/* "file:12" or "file:12:5" as compilers write it: the length of the file's name and the line, or false. */
static bool split_line(size_t *name_length, long *line, const char *text) {
    size_t n = strlen(text);
    for (int part = 0; part < 2; part++) {
        size_t end = n;
        while (n > 0 && isdigit((unsigned char)text[n - 1])) n--;
        if (n == end || n < 2 || text[n - 1] != ':' || end - n > 9) return part > 0;
        *line = strtol(text + n, NULL, 10);
        *name_length = --n;
    }
    return true;
}

static void match_rows(struct sota_found *found, const struct matrix *m, const char *path) {
    found->n = found->is_folder ? matrix_match_folder(m, path, found->match, SOTA_MATCHES)
                                : matrix_match_path(m, path, found->match, SOTA_MATCHES);
}

/* Where the file is: as it was typed or, for who stands in a folder and types it from the root, from there.
 */
static bool locate(struct sota_found *found, const char *given, struct status *st) {
    struct stat info;
    found->is_there = stat(given, &info) == 0;
    if (!found->is_there && given[0] != '/') {
        if (!repo_path_at_root(&found->file, given, st)) return false;
        found->is_there = found->file.n > 0 && stat(found->file.at, &info) == 0;
    }
    if (!found->is_there || found->file.n == 0) {
        str_clear(&found->file);
        str_puts(&found->file, given);
    }
    found->is_folder = (found->is_there && S_ISDIR(info.st_mode)) || given[strlen(given) - 1] == '/';
    return str_ok(&found->file, st);
}

/* The rows of one path. One that is nowhere is looked up from the folder and, without a row, from the root.
 */
static bool match_path(struct sota_found *found, const struct matrix *m, const char *given,
                       struct status *st) {
    if (!locate(found, given, st) || !repo_path(&found->path, found->file.at, st)) return false;
    match_rows(found, m, str_c(&found->path));
    if (found->n > 0 || found->is_there || given[0] == '/') return true;
    struct str tidy = {0};
    repo_path_tidy(&tidy, given);
    match_rows(found, m, str_c(&tidy));
    bool ok = str_ok(&tidy, st);
    if (ok && found->n > 0) {
        str_free(&found->path);
        found->path = tidy;
    } else {
        str_free(&tidy);
    }
    return ok;
}

/* Of the rows that cover the file those that name the kernel; where none does, the file's rows stay; and
 * where the file has none, the kernel's. */
static void narrow_to_kernel(struct sota_found *found, const struct matrix *m) {
    struct match by_name[SOTA_MATCHES], both[SOTA_MATCHES];
    size_t n_by_name = matrix_match_symbol(m, str_c(&found->symbol), by_name, SOTA_MATCHES), n = 0;
    if (n_by_name > SOTA_MATCHES) n_by_name = SOTA_MATCHES;
    for (size_t i = 0; i < n_by_name; i++)
        for (size_t k = 0; k < found->n && k < SOTA_MATCHES; k++)
            if (found->match[k].op == by_name[i].op) {
                both[n] = found->match[k];
                both[n++].symbol = by_name[i].symbol;
            }
    if (found->n > 0 && n == 0) return;
    found->n = found->n > 0 ? n : n_by_name;
    memcpy(found->match, n > 0 ? both : by_name, found->n * sizeof both[0]);
}

static bool is_kernel_place(const struct sota_found *found) {
    for (size_t i = 0; i < found->n && i < SOTA_MATCHES; i++)
        if (found->match[i].path->role == PATH_KERNEL) return true;
    return false;
}

static bool match_place(struct sota_found *found, const struct matrix *m, const char *file, long line,
                        struct status *st) {
    const void *table;
    if (line == 0) return status_fail(st, STATUS_USAGE, "lines count from 1: '%s'", found->query);
    if (!match_path(found, m, file, st)) return false;
    if (found->is_folder) return status_fail(st, STATUS_USAGE, "'%s' is a folder and has no lines", file);
    if (!module_table(&table, "fak-scan", "fak_place", st)) return false;
    const struct place_table *scan = table;
    if (!scan->kernel_at(&found->place, &found->symbol, found->file.at, is_kernel_place(found), line, st))
        return false;
    if (found->symbol.n) narrow_to_kernel(found, m);
    return true;
}

static void match_name(struct sota_found *found, const struct matrix *m, const char *name) {
    const struct op *op = matrix_op(m, name);
    if (op) {
        found->match[found->n++].op = op;
        if (!name_equal(view_of(op->slug), view_of(name))) str_puts(&found->alias, name);
        return;
    }
    found->n = matrix_match_symbol(m, name, found->match, SOTA_MATCHES);
    if (found->n) str_puts(&found->symbol, name);
}

bool sota_find(struct sota_found *found, const struct matrix *m, const char *query, struct status *st) {
    size_t name_length;
    long line;
    *found = (struct sota_found){.query = query};
    if (split_line(&name_length, &line, query) && !file_exists(query)) {
        struct str file = {0};
        str_add(&file, query, name_length);
        bool ok = str_ok(&file, st) && match_place(found, m, str_c(&file), line, st);
        str_free(&file);
        return ok;
    }
    if (strpbrk(query, "/.")) return match_path(found, m, query, st);
    match_name(found, m, query);
    if (found->n > 0) return true;
    if (*query && file_exists(query)) return match_path(found, m, query, st);
    return sota_unknown(m, "operation, file, kernel or command", query, true, st);
}
