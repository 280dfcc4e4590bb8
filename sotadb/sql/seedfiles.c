#include "sotadb/sql/seedfiles.h"

#include "base/file.h"
#include "sotadb/sql/matrix_read.h"
#include "sotadb/sql/seed.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int is_sql(const struct dirent *entry) {
    return entry->d_name[0] != '.' && view_ends(view_of(entry->d_name), ".sql");
}

static int by_bytes(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void put_path(struct str *out, const char *root, const char *path) {
    str_clear(out);
    if (path[0] != '/' && root[0]) str_printf(out, "%s/", root);
    str_puts(out, path);
}

static bool read_one(struct seedfile *out, const char *root, const char *path, struct arena *arena,
                     struct status *st) {
    struct str full = {0}, text = {0};
    put_path(&full, root, path);
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

static bool read_folder(struct seedfiles *out, const char *root, const char *folder, struct arena *arena,
                        struct status *st) {
    struct str path = {0};
    struct dirent **entries = NULL;
    put_path(&path, root, folder);
    int n = scandir(str_c(&path), &entries, is_sql, by_bytes);
    size_t used = n < 0 ? 0 : n < SEEDFILES_MAX ? (size_t)n : SEEDFILES_MAX;
    out->at = arena_alloc(arena, used, sizeof *out->at, st);
    bool ok = out->at != NULL;
    for (size_t i = 0; ok && i < used; i++) {
        str_clear(&path);
        str_printf(&path, "%s/%s", folder, entries[i]->d_name);
        ok = str_ok(&path, st) && read_one(&out->at[i], root, path.at, arena, st);
    }
    for (int i = 0; i < n; i++) free(entries[i]);
    free(entries);
    str_free(&path);
    out->n = ok ? used : 0;
    return ok;
}

bool seedfiles_read(struct seedfiles *out, const char *root, const char *where, struct arena *arena,
                    struct status *st) {
    *out = (struct seedfiles){0};
    if (!view_ends(view_of(where), ".sql")) return read_folder(out, root, where, arena, st);
    out->at = arena_alloc(arena, 1, sizeof *out->at, st);
    if (!out->at || !read_one(out->at, root, where, arena, st)) return false;
    out->n = 1;
    return true;
}

bool seedfiles_load(struct matrix *m, const struct seedfiles *files, struct str *complaints,
                    struct view schema, const char *source, struct arena *arena, struct status *st) {
    struct seed seed = {0};
    bool ok = seed_open(&seed, "sotadb/schema.sql", schema, st);
    for (size_t i = 0; ok && i < files->n; i++)
        ok = seed_add(complaints, &seed, files->at[i].path, files->at[i].text, st);
    /* A refused row makes others dangle: the first lot first. */
    if (ok && complaints->n == 0) ok = seed_check(complaints, &seed, NULL, st);
    if (ok && complaints->n)
        ok = status_fail(st, STATUS_BAD_INPUT, "the matrix is not right; mend the rows above");
    ok = ok && matrix_read(m, arena, &seed, source, st);
    seed_close(&seed);
    return ok;
}
