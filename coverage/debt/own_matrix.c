#include "coverage/debt/own_matrix.h"

#include "git/plumbing/catfile.h"
#include "sotadb/sql/seed.h"
#include "sotadb/sql/seedfiles.h"

#include <string.h>

/* --- from disk ---------------------------------------------------------------------------------------- */

static bool read_disk(struct origins *origins, const char *root, const char *where, struct arena *arena,
                      struct status *st) {
    struct seedfiles seed;
    if (!seedfiles_read(&seed, root, where, arena, st)) return false;
    struct origin_file *files = arena_alloc(arena, seed.n, sizeof *files, st);
    for (size_t i = 0; files && i < seed.n; i++)
        files[i] = (struct origin_file){seed.at[i].path, seed.at[i].text};
    *origins = (struct origins){files, files ? seed.n : 0};
    return files != NULL;
}

static bool keep(struct origin_file *out, const char *path, const struct str *text, struct arena *arena,
                 struct status *st) {
    out->path = arena_copy(arena, path, strlen(path), st);
    out->text = (struct view){arena_copy(arena, str_c(text), text->n, st), text->n};
    return out->path && out->text.at;
}

/* --- from a commit or the index ------------------------------------------------------------------------ */

bool own_matrix_holds(const char *where, const char *path) {
    size_t n = strlen(where);
    while (n && where[n - 1] == '/') n--;
    if (strcmp(where, path) == 0) return view_ends(view_of(path), ".sql");
    if (strncmp(path, where, n) != 0 || path[n] != '/') return false;
    const char *name = path + n + 1;
    return name[0] != '.' && !strchr(name, '/') && view_ends(view_of(name), ".sql");
}

static bool read_blobs(struct origin_file *files, size_t *used, const struct tree *tree, const char *where,
                       struct catfile *blobs, struct arena *arena, struct status *st) {
    for (size_t i = 0; i < tree->n && *used < SEEDFILES_MAX; i++) {
        struct str text = {0};
        const char *refused = NULL;
        if (!own_matrix_holds(where, tree->paths[i])) continue;
        bool ok = tree_text(&text, &refused, tree, i, SEED_MAX_FILE, blobs, arena, st);
        if (ok && refused) ok = status_fail(st, STATUS_BAD_INPUT, "%s: %s", tree->paths[i], refused);
        ok = ok && keep(&files[(*used)++], tree->paths[i], &text, arena, st);
        str_free(&text);
        if (!ok) return false;
    }
    return true;
}

static bool read_tree(struct origins *origins, const struct tree *tree, const char *where,
                      struct arena *arena, struct status *st) {
    size_t n = 0, used = 0;
    for (size_t i = 0; i < tree->n; i++) n += own_matrix_holds(where, tree->paths[i]);
    if (!n) return true;
    struct origin_file *files = arena_alloc(arena, n, sizeof *files, st);
    struct catfile blobs = {.socket = -1};
    bool ok = files && catfile_open(&blobs, tree->folder, st) &&
              read_blobs(files, &used, tree, where, &blobs, arena, st);
    catfile_close(&blobs);
    *origins = (struct origins){files, ok ? used : 0};
    return ok;
}

/* --- the matrix ---------------------------------------------------------------------------------------- */

bool own_matrix_load(struct matrix *m, const struct origins *origins, struct own_matrix *own,
                     const char *source, struct arena *arena, struct status *st) {
    struct seedfiles seed = {.at = arena_alloc(arena, origins->n, sizeof *seed.at, st), .n = origins->n};
    if (!seed.at) return false;
    for (size_t i = 0; i < seed.n; i++)
        seed.at[i] = (struct seedfile){origins->files[i].path, origins->files[i].text};
    return seedfiles_load(m, &seed, &own->complaints, own->schema, source, arena, st);
}

bool own_matrix_where(const char **where, bool *configured, const struct tree *tree, struct arena *arena,
                      struct status *st) {
    if (!tree_config(where, tree, "fak.matrix", arena, st)) return false;
    *configured = (*where)[0] != 0;
    if (!*configured) *where = SEEDFILES_FOLDER;
    return true;
}

/* Does a sparse checkout leave a file of the matrix out? */
static bool is_left_out(const struct tree *tree, const char *where) {
    for (size_t i = 0; tree->n_sparse && i < tree->n; i++)
        if (tree->blobs[i].oid && own_matrix_holds(where, tree->paths[i])) return true;
    return false;
}

/* Seeds at the place that is configured or usual; from the tree itself where it holds some. */
static bool read_usual(struct origins *origins, const char **where, const struct tree *tree,
                       struct arena *arena, struct status *st) {
    bool configured;
    if (!own_matrix_where(where, &configured, tree, arena, st)) return false;
    bool work = tree->kind == TREE_WORK && !is_left_out(tree, *where);
    if (!work && (*where)[0] != '/' && !read_tree(origins, tree, *where, arena, st)) return false;
    bool on_disk = work || (configured && !origins->n && (tree->root[0] || (*where)[0] == '/'));
    return !on_disk || read_disk(origins, tree->root, *where, arena, st) ||
           (configured && status_wrap(st, "git config fak.matrix"));
}

static bool say_none(const struct own_matrix *own, const struct tree *tree, const char *where,
                     struct status *st) {
    if (own->path) return status_fail(st, STATUS_NOT_FOUND, "no matrix: %s holds no *.sql", where);
    return status_fail(
        st, STATUS_NOT_FOUND,
        "no matrix: %s%s%s of the %s holds no *.sql; `fak sota init` proposes one, or name the folder "
        "with `git config fak.matrix DIR` or --matrix DIR",
        where[0] == '/' ? "" : tree->root, where[0] == '/' || !tree->root[0] ? "" : "/", where,
        tree->kind == TREE_COMMIT ? "commit" : tree->name);
}

bool own_matrix(struct matrix *m, struct origins *origins, struct own_matrix *own, const struct tree *tree,
                struct arena *arena, struct status *st) {
    const char *where = own->path;
    *origins = (struct origins){0};
    own->found = false;
    bool ok = own->path ? read_disk(origins, "", own->path, arena, st)
                        : read_usual(origins, &where, tree, arena, st);
    if (!ok) return false;
    if (!origins->n) return say_none(own, tree, where, st);
    own->found = true;
    if (!own_matrix_load(m, origins, own, where, arena, st)) return false;
    if (m->n_ops) return true;
    return status_fail(st, STATUS_NOT_FOUND, "no matrix: %s names no operation; add a row to op", where);
}
