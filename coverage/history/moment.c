#include "coverage/history/moment.h"

#include "sotadb/sql/seed.h"

#include <stdlib.h>
#include <string.h>

/* --- paths and what lies there ----------------------------------------------------------------------------
 */

struct version *moment_version(struct moment *moment, uint32_t path, const char *oid, struct status *st) {
    struct slot *slot = &moment->slots[path];
    for (struct version *v = slot->versions; v; v = v->next)
        if (strcmp(v->oid, oid) == 0) return v;
    struct version *v = arena_alloc(&moment->ledger->arena, 1, sizeof *v, st);
    if (!v) return NULL;
    v->oid = oid;
    v->next = slot->versions;
    slot->versions = v;
    return v;
}

bool moment_apply(struct moment *moment, const struct gitlog_commit *commit, bool back, struct status *st) {
    for (uint32_t i = 0; i < commit->n_changes; i++) {
        const struct gitlog_change *change = &moment->ledger->log.changes[commit->first_change + i];
        struct slot *slot = &moment->slots[change->path];
        slot->now = back ? change->before : change->after;
        slot->version = NULL;
        if (!slot->scanned || !slot->now.oid || slot->now.is_link) continue;
        slot->version = moment_version(moment, change->path, slot->now.oid, st);
        if (!slot->version) return false;
    }
    return true;
}

bool moment_matters(const struct moment *moment, const struct gitlog_commit *commit) {
    if (!commit->n_parents) return true;
    for (uint32_t i = 0; i < commit->n_changes; i++) {
        const struct gitlog_change *change = &moment->ledger->log.changes[commit->first_change + i];
        bool comes_or_goes = !change->before.oid != !change->after.oid;
        if (comes_or_goes || moment->slots[change->path].scanned) return true;
        if (!moment->fixed && own_matrix_holds(moment->where, moment->ledger->log.paths[change->path]))
            return true;
    }
    return false;
}

/* --- the matrix --------------------------------------------------------------------------------------------
 */

struct known_matrix {
    struct known_matrix *next;
    const char *names; /* path and blob of each seed file */
    struct matrix matrix;
    bool usable;
};

/* PATH LF BLOB LF of each seed file as it is now; returns how many. */
static size_t name_seeds(struct str *out, const struct moment *moment) {
    const struct gitlog *log = &moment->ledger->log;
    size_t n = 0;
    for (size_t i = 0; i < log->n_paths; i++) {
        const struct slot *slot = &moment->slots[i];
        if (!slot->now.oid || slot->now.is_link || !own_matrix_holds(moment->where, log->paths[i])) continue;
        str_printf(out, "%s\n%s\n", log->paths[i], slot->now.oid);
        n++;
    }
    return n;
}

static bool read_seeds(struct origin_file *files, size_t n, struct moment *moment, struct status *st) {
    const struct gitlog *log = &moment->ledger->log;
    struct arena *arena = &moment->ledger->arena;
    size_t used = 0;
    bool ok = true;
    for (size_t i = 0; ok && used < n && i < log->n_paths; i++) {
        const struct slot *slot = &moment->slots[i];
        struct str text = {0};
        if (!slot->now.oid || slot->now.is_link || !own_matrix_holds(moment->where, log->paths[i])) continue;
        ok = catfile_read(&text, &moment->blobs, slot->now.oid, SEED_MAX_FILE, st);
        if (ok) {
            files[used].path = log->paths[i];
            files[used].text = (struct view){arena_copy(arena, str_c(&text), text.n, st), text.n};
            ok = files[used++].text.at != NULL;
        }
        str_free(&text);
    }
    return ok;
}

/* A matrix that does not load is one that nobody could have used: known, and not usable. */
static bool load(struct known_matrix *known, struct moment *moment, size_t n, struct status *st) {
    struct arena *arena = &moment->ledger->arena;
    struct origin_file *files = arena_alloc(arena, n, sizeof *files, st);
    struct own_matrix own = {.schema = moment->schema};
    struct status why;
    if (!files || !read_seeds(files, n, moment, st)) return false;
    struct origins origins = {files, n};
    known->usable = own_matrix_load(&known->matrix, &origins, &own, moment->where, arena, &why) &&
                    known->matrix.n_ops > 0;
    str_free(&own.complaints);
    return known->usable || why.code != STATUS_NO_MEMORY ||
           status_fail(st, STATUS_NO_MEMORY, "out of memory");
}

bool moment_matrix(const struct matrix **m, struct moment *moment, struct status *st) {
    struct str names = {0};
    *m = moment->fixed;
    if (*m) return true;
    size_t n = name_seeds(&names, moment);
    struct known_matrix *known = moment->matrices;
    while (known && strcmp(known->names, str_c(&names)) != 0) known = known->next;
    bool ok = str_ok(&names, st);
    if (ok && n && !known) {
        known = arena_alloc(&moment->ledger->arena, 1, sizeof *known, st);
        ok = known && (known->names = arena_copy(&moment->ledger->arena, str_c(&names), names.n, st)) &&
             load(known, moment, n, st);
        if (ok) {
            known->next = moment->matrices;
            moment->matrices = known;
        }
    }
    str_free(&names);
    *m = ok && n && known->usable ? &known->matrix : NULL;
    return ok;
}

/* --- opening --- */

static bool holds_seeds(const struct tree *tree, const char *where) {
    for (size_t i = 0; i < tree->n; i++)
        if (own_matrix_holds(where, tree->paths[i])) return true;
    return false;
}

static void digest(struct moment *moment, const struct origins *origins) {
    struct str text = {0};
    str_puts(&text, moment->fixed ? "fixed" : moment->where);
    for (size_t i = 0; moment->fixed && i < origins->n; i++) {
        str_add(&text, "", 1);
        str_puts(&text, origins->files[i].path);
        str_add(&text, "", 1);
        str_add(&text, origins->files[i].text.at, origins->files[i].text.n);
    }
    hash_sha256(moment->digest, str_c(&text), text.n);
    str_free(&text);
}

/* The matrix of the revision itself is loaded in any case: what is wrong with it is wrong for good. */
static bool choose_matrix(struct moment *moment, const struct ledger_options *options, struct str *complaints,
                          struct status *st) {
    struct arena *arena = &moment->ledger->arena;
    struct own_matrix own = {.schema = options->schema, .path = options->matrix};
    struct matrix *m = arena_alloc(arena, 1, sizeof *m, st);
    struct origins origins;
    bool configured;
    bool ok = m && own_matrix(m, &origins, &own, moment->tree, arena, st) &&
              own_matrix_where(&moment->where, &configured, moment->tree, arena, st);
    str_add(complaints, str_c(&own.complaints), own.complaints.n);
    str_free(&own.complaints);
    if (!ok) return false;
    bool own_ones = !options->matrix && holds_seeds(moment->tree, moment->where);
    moment->ledger->own_matrices = own_ones;
    if (!own_ones) moment->fixed = m;
    digest(moment, &origins);
    return true;
}

bool moment_open(struct moment *moment, struct ledger *ledger, const struct tree *tree,
                 const struct ledger_options *options, struct str *complaints, struct status *st) {
    *moment =
        (struct moment){.ledger = ledger, .tree = tree, .schema = options->schema, .blobs = {.socket = -1}};
    moment->slots = arena_alloc(&ledger->arena, ledger->log.n_paths, sizeof *moment->slots, st);
    if (!moment->slots) return false;
    if (!choose_matrix(moment, options, complaints, st)) return false;
    for (size_t i = 0; i < ledger->log.n_paths; i++) {
        struct slot *slot = &moment->slots[i];
        slot->scanned = scan_language_of(ledger->log.paths[i]) != SCAN_NONE;
        slot->place = slot->scanned && moment->fixed && survey_is_place(moment->fixed, ledger->log.paths[i]);
    }
    return catfile_open(&moment->blobs, tree->folder, st);
}

void moment_close(struct moment *moment) { catfile_close(&moment->blobs); }
