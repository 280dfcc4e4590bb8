#include "cmd/sota-coverage/own_matrix.h"

#include "base/file.h"
#include "sotadb/sql/matrix_read.h"
#include "sotadb/sql/seed.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* sotadb/schema.sql, put into the program by the linker (Makefile). */
extern const char _binary_sotadb_schema_sql_start[], _binary_sotadb_schema_sql_end[];

enum { MAX_SEEDS = 1000 };

static int is_sql(const struct dirent *entry) {
    return entry->d_name[0] != '.' && view_ends(view_of(entry->d_name), ".sql");
}

static int by_bytes(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool read_seed(struct origin_file *out, const struct tree *tree, const char *path, struct arena *arena,
                      struct status *st) {
    struct str full = {0}, text = {0};
    str_printf(&full, path[0] == '/' ? "%s%s" : "%s/%s", path[0] == '/' ? "" : tree->root, path);
    bool ok = str_ok(&full, st) && file_read(&text, str_c(&full), SEED_MAX_FILE, st);
    if (ok) {
        out->path = arena_copy(arena, path, strlen(path), st);
        out->text = (struct view){arena_copy(arena, str_c(&text), text.n, st), text.n};
        ok = out->path && out->text.at;
    }
    str_free(&full);
    str_free(&text);
    return ok;
}

static bool read_folder(struct origins *origins, const struct tree *tree, const char *folder,
                        struct arena *arena, struct status *st) {
    struct str full = {0}, path = {0};
    str_printf(&full, folder[0] == '/' ? "%s%s" : "%s/%s", folder[0] == '/' ? "" : tree->root, folder);
    struct dirent **entries = NULL;
    int n = scandir(str_c(&full), &entries, is_sql, by_bytes);
    int used = n < 0 ? 0 : n < MAX_SEEDS ? n : MAX_SEEDS;
    struct origin_file *files = arena_alloc(arena, (size_t)used, sizeof *files, st);
    bool ok = files != NULL;
    for (int i = 0; ok && i < used; i++) {
        str_clear(&path);
        str_printf(&path, "%s/%s", folder, entries[i]->d_name);
        ok = str_ok(&path, st) && read_seed(&files[i], tree, str_c(&path), arena, st);
    }
    for (int i = 0; i < n; i++) free(entries[i]);
    free(entries);
    str_free(&full);
    str_free(&path);
    *origins = (struct origins){files, ok ? (size_t)used : 0};
    return ok;
}

static bool read_seeds(struct origins *origins, const struct tree *tree, const char *where,
                       struct arena *arena, struct status *st) {
    if (!view_ends(view_of(where), ".sql")) return read_folder(origins, tree, where, arena, st);
    struct origin_file *file = arena_alloc(arena, 1, sizeof *file, st);
    if (!file || !read_seed(file, tree, where, arena, st)) return false;
    *origins = (struct origins){file, 1};
    return true;
}

static bool load(struct matrix *m, const struct origins *origins, struct str *complaints,
                 const struct tree *tree, const char *source, struct arena *arena, struct status *st) {
    struct seed seed = {0};
    struct view schema = {_binary_sotadb_schema_sql_start,
                          (size_t)(_binary_sotadb_schema_sql_end - _binary_sotadb_schema_sql_start)};
    bool ok = seed_open(&seed, "sotadb/schema.sql", schema, st);
    for (size_t i = 0; ok && i < origins->n; i++)
        ok = seed_add(complaints, &seed, origins->files[i].path, origins->files[i].text, st);
    /* A refused row makes others dangle: the first lot first. */
    if (ok && complaints->n == 0) ok = seed_check(complaints, &seed, tree->root, st);
    if (ok && complaints->n)
        ok = status_fail(st, STATUS_BAD_INPUT, "the matrix is not right; mend the rows above");
    ok = ok && matrix_read(m, arena, &seed, source, st);
    seed_close(&seed);
    return ok;
}

bool own_matrix(struct matrix *m, struct origins *origins, struct str *complaints, const struct tree *tree,
                struct arena *arena, struct status *st) {
    const char *where;
    if (!tree_config(&where, tree, "fak.matrix", arena, st)) return false;
    bool configured = where[0] != 0;
    if (!configured) where = "sotadb/seed";
    if (!read_seeds(origins, tree, where, arena, st))
        return configured && status_wrap(st, "git config fak.matrix");
    if (!origins->n)
        return status_fail(st, STATUS_NOT_FOUND,
                           "no matrix: %s/%s holds no *.sql; write its rows there, or name their folder with "
                           "`git config fak.matrix DIR`",
                           tree->root, where);
    if (!load(m, origins, complaints, tree, where, arena, st)) return false;
    if (m->n_ops) return true;
    return status_fail(st, STATUS_NOT_FOUND, "no matrix: %s/%s names no operation; add a row to op",
                       tree->root, where);
}
