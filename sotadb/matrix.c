#include "sotadb/matrix.h"

#include "sotadb/glob.h"
#include "sotadb/name.h"

#include <string.h>

/* --- names of the enumerations, as they are written in the seed --- */

const char *route_name(enum route route) {
    static const char *const names[] = {
        [ROUTE_STAY_MINIMAL] = "stay-minimal", [ROUTE_BIND] = "bind", [ROUTE_BORROW] = "borrow"};
    return names[route];
}

const char *op_status_name(enum op_status status) {
    static const char *const names[] = {
        [OP_PLANNED] = "planned", [OP_SELECTED] = "selected", [OP_SHIPPED] = "shipped"};
    return names[status];
}

const char *op_kind_name(enum op_kind kind) {
    static const char *const names[] = {[OP_KERNEL] = "kernel", [OP_FORMAT] = "format"};
    return names[kind];
}

const char *path_role_name(enum path_role role) {
    static const char *const names[] = {
        [PATH_KERNEL] = "kernel", [PATH_HOST] = "host", [PATH_LOADER] = "loader"};
    return names[role];
}

const char *reference_kind_name(enum reference_kind kind) {
    static const char *const names[] = {
        [REFERENCE_PRIMARY] = "primary", [REFERENCE_REPO] = "repo", [REFERENCE_DOCS] = "docs"};
    return names[kind];
}

const char *floor_state_name(enum floor_state state) {
    static const char *const names[] = {
        [FLOOR_NONE] = "none", [FLOOR_RECORDED] = "recorded", [FLOOR_MEASURED] = "measured"};
    return names[state];
}

const char *bench_regime_name(enum bench_regime regime) {
    static const char *const names[] = {
        [BENCH_DETERMINISTIC] = "deterministic", [BENCH_WALL_CLOCK] = "wall-clock"};
    return names[regime];
}

/* --- by name --- */

bool matrix_next_alias(struct view *alias, struct view *rest) {
    while (rest->n) {
        const char *comma = memchr(rest->at, ',', rest->n);
        size_t n = comma ? (size_t)(comma - rest->at) : rest->n;
        *alias = view_trim((struct view){rest->at, n});
        n += comma ? 1 : 0;
        rest->at += n;
        rest->n -= n;
        if (alias->n) return true;
    }
    return false;
}

static bool has_alias(const struct op *op, struct view name) {
    struct view alias, rest = view_of(op->aliases);
    while (matrix_next_alias(&alias, &rest))
        if (name_equal(alias, name)) return true;
    return false;
}

const struct op *matrix_op(const struct matrix *m, const char *name) {
    struct view wanted = view_of(name);
    for (size_t i = 0; i < m->n_ops; i++)
        if (name_equal(view_of(m->ops[i].slug), wanted)) return &m->ops[i];
    for (size_t i = 0; i < m->n_ops; i++)
        if (has_alias(&m->ops[i], wanted)) return &m->ops[i];
    return NULL;
}

const struct ladder *matrix_ladder(const struct matrix *m, const char *axis) {
    for (size_t i = 0; i < m->n_ladders; i++)
        if (name_equal(view_of(m->ladders[i].axis), view_of(axis))) return &m->ladders[i];
    return NULL;
}

const struct reference *matrix_primary(const struct matrix *m, const struct op *op) {
    for (unsigned i = 0; i < op->references.n; i++) {
        const struct reference *row = &m->references[op->references.first + i];
        if (row->kind == REFERENCE_PRIMARY) return row;
    }
    return NULL;
}

/* --- by file and by kernel --- */

static bool covers(const struct op_path *row, const char *path) {
    return glob_match(row->glob, path) || (*row->generates && glob_match(row->generates, path));
}

/* How much a glob says: its characters that are no wildcard. */
static size_t weight(const char *glob) {
    size_t n = 0;
    for (; *glob; glob++) n += *glob != '*' && *glob != '?';
    return n;
}

/* Of the rows of one operation that cover the path, the one that says most. */
static const struct op_path *covering_row(const struct matrix *m, const struct op *op, const char *path) {
    const struct op_path *best = NULL;
    for (unsigned i = 0; i < op->paths.n; i++) {
        const struct op_path *row = &m->paths[op->paths.first + i];
        bool better = !best || weight(row->glob) > weight(best->glob);
        if (better && covers(row, path)) best = row;
    }
    return best;
}

size_t matrix_match_path(const struct matrix *m, const char *path, struct match *out, size_t room) {
    size_t n = 0;
    for (size_t i = 0; i < m->n_ops; i++) {
        const struct op_path *row = covering_row(m, &m->ops[i], path);
        if (!row) continue;
        if (n < room) out[n] = (struct match){.op = &m->ops[i], .path = row};
        n++;
    }
    return n;
}

/* The first components of a glob, as many as the folder has. */
static bool reaches_into(const char *glob, const char *folder) {
    struct str part = {0};
    size_t n = 0;
    if (!*folder) return true;
    for (const char *at = folder; at; at = *at ? strchr(at + 1, '/') : NULL, n += glob[n] == '/' && at)
        n += strcspn(glob + n, "/");
    str_add(&part, glob, n);
    bool reaches = !part.failed && (glob_match(str_c(&part), folder) || glob_match(glob, folder));
    str_free(&part);
    return reaches;
}

size_t matrix_match_folder(const struct matrix *m, const char *folder, struct match *out, size_t room) {
    size_t n = 0;
    for (size_t i = 0; i < m->n_ops; i++) {
        const struct op *op = &m->ops[i];
        const struct op_path *row = NULL;
        for (unsigned k = 0; k < op->paths.n && !row; k++)
            if (reaches_into(m->paths[op->paths.first + k].glob, folder))
                row = &m->paths[op->paths.first + k];
        if (!row) continue;
        if (n < room) out[n] = (struct match){.op = op, .path = row};
        n++;
    }
    return n;
}

/* A scanner may give a name with its namespace; patterns are written without. */
static const char *unqualified(const char *symbol) {
    for (const char *colon; (colon = strstr(symbol, "::"));) symbol = colon + 2;
    return symbol;
}

const struct op_symbol *matrix_names(const struct matrix *m, const struct op *op, const char *symbol) {
    for (unsigned i = 0; i < op->symbols.n; i++) {
        const struct op_symbol *row = &m->symbols[op->symbols.first + i];
        if (glob_match_name(row->pattern, symbol) || glob_match_name(row->pattern, unqualified(symbol)))
            return row;
    }
    return NULL;
}

size_t matrix_match_symbol(const struct matrix *m, const char *symbol, struct match *out, size_t room) {
    size_t n = 0;
    for (size_t i = 0; i < m->n_ops; i++) {
        const struct op_symbol *row = matrix_names(m, &m->ops[i], symbol);
        if (!row) continue;
        if (n < room) out[n] = (struct match){.op = &m->ops[i], .symbol = row};
        n++;
    }
    return n;
}
