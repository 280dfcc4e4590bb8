#include "cmd/fak/sql/reposeed.h"

#include "cmd/cli/cli.h"
#include "git/plumbing/process.h"
#include "sotadb/sql/seedfiles.h"

#include <stdio.h>
#include <string.h>

/* sotadb/schema.sql, put into the module by the linker (Makefile). */
extern const char _binary_sotadb_schema_sql_start[], _binary_sotadb_schema_sql_end[];

/* *where: the path that is configured, or NULL. */
static bool configured(const char **where, const char *root, struct arena *arena, struct status *st) {
    struct process p;
    const char *const argv[] = {"git",         "-C",    root,         "config", "-z",
                                "--type=path", "--get", "fak.matrix", NULL};
    *where = NULL;
    if (!process_run(&p, argv, st)) return false;
    bool ok = p.exit_code <= 1;
    if (!ok)
        status_fail(st, STATUS_BAD_INPUT, "git config fak.matrix: %.*s", (int)strcspn(str_c(&p.err), "\n"),
                    str_c(&p.err));
    if (ok && p.exit_code == 0 && *str_c(&p.out)) {
        *where = arena_copy(arena, str_c(&p.out), strlen(str_c(&p.out)), st);
        ok = *where != NULL;
    }
    process_free(&p);
    return ok;
}

/* The first complaint is told, and how many there are. */
static bool say_first(const struct str *complaints, struct status *st) {
    struct view line, rest = {str_c(complaints), complaints->n};
    size_t n = 0;
    if (!view_line(&line, &rest)) return false;
    for (size_t i = 0; i < complaints->n; i++) n += complaints->at[i] == '\n';
    char more[40] = "";
    if (n > 1) snprintf(more, sizeof more, " (and %zu more)", n - 1);
    return status_fail(st, STATUS_BAD_INPUT, "the matrix of this repository is not right: %.*s%s",
                       (int)(line.n < 360 ? line.n : 360), line.at, more);
}

static bool load(struct matrix *m, bool *found, const char *root, bool seeded, struct arena *arena,
                 struct status *st) {
    const char *where;
    struct seedfiles files;
    struct str complaints = {0};
    *found = false;
    if (!configured(&where, root, arena, st)) return false;
    bool named = where != NULL;
    if (!named && !seeded) return true;
    if (!named) where = SEEDFILES_FOLDER;
    if (!seedfiles_read(&files, root, where, arena, st))
        return named && status_wrap(st, "git config fak.matrix");
    if (!files.n && named)
        return status_fail(
            st, STATUS_NOT_FOUND,
            "git config fak.matrix names '%s', which holds no *.sql; mend it, or take the built-in "
            "matrix with `git config --unset fak.matrix`",
            where);
    if (!files.n) return true;
    struct view schema = {_binary_sotadb_schema_sql_start,
                          (size_t)(_binary_sotadb_schema_sql_end - _binary_sotadb_schema_sql_start)};
    bool ok = seedfiles_load(m, &files, &complaints, schema, where, arena, st);
    if (!ok) say_first(&complaints, st);
    str_free(&complaints);
    *found = ok;
    return ok;
}

/* Commands of its own the module has none: `fak` asks for the table of functions. */
extern const struct reposeed_table fak_reposeed;
CLI_EXPORT const struct reposeed_table fak_reposeed = {.load = load};
