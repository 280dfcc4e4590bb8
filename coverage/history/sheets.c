#include "coverage/history/sheets.h"

#include "base/hash.h"
#include "coverage/history/moment.h"
#include "sotadb/sql/cache.h"

#include <stdlib.h>
#include <string.h>

enum { KEY = 20, PRINT = DEBT_FINGERPRINT - 1 };

struct filling {
    struct ledger *ledger;
    struct moment *moment;
    const struct ledger_options *options;
    struct cache *cache;
    struct harvest_source source; /* the moment's files */
    struct ledger_sheet **sheets; /* of each commit; NULL: not there yet */
    uint32_t *same;               /* the commit whose sheet it shares: itself, or one before it */
    uint32_t *index;              /* of gaps by fingerprint: number + 1; 0: free */
    size_t n_index;               /* a power of two, more than twice the gaps */
    size_t n_wanted, n_done;
    struct status *st;
};

/* --- gaps and their numbers -------------------------------------------------------------------------------
 */

static size_t place_of(const struct filling *f, const char *fingerprint) {
    size_t hash = 0;
    for (int i = 0; i < PRINT; i++) hash = hash * 31 + (unsigned char)fingerprint[i];
    size_t at = hash & (f->n_index - 1);
    while (f->index[at] && strcmp(f->ledger->gaps[f->index[at] - 1].fingerprint, fingerprint) != 0)
        at = (at + 1) & (f->n_index - 1);
    return at;
}

static bool grow(struct filling *f) {
    struct ledger *l = f->ledger;
    if (2 * (l->n_gaps + 1) < f->n_index) return true;
    size_t n = f->n_index ? f->n_index * 2 : 1024;
    uint32_t *index = calloc(n, sizeof *index);
    struct ledger_gap *gaps = index ? realloc(l->gaps, n / 2 * sizeof *gaps) : NULL;
    if (!gaps) {
        free(index);
        return status_fail(f->st, STATUS_NO_MEMORY, "out of memory for %zu gaps", n / 2);
    }
    free(f->index);
    l->gaps = gaps;
    f->index = index;
    f->n_index = n;
    for (size_t i = 0; i < l->n_gaps; i++) index[place_of(f, l->gaps[i].fingerprint)] = (uint32_t)i + 1;
    return true;
}

/* The number of a gap, or false when it has none yet. */
static bool number_of(uint32_t *number, const struct filling *f, const char *fingerprint) {
    if (!f->n_index) return false;
    uint32_t at = f->index[place_of(f, fingerprint)];
    *number = at - 1;
    return at != 0;
}

static bool add_gap(uint32_t *number, struct filling *f, const char *fingerprint,
                    const char *const words[4]) {
    struct ledger *l = f->ledger;
    const char *copies[4];
    if (!grow(f)) return false;
    for (int i = 0; i < 4; i++) {
        copies[i] = arena_copy(&l->arena, words[i], strlen(words[i]), f->st);
        if (!copies[i]) return false;
    }
    struct ledger_gap *gap = &l->gaps[l->n_gaps];
    *gap = (struct ledger_gap){"", copies[0], copies[1], copies[2], copies[3], GITLOG_NONE, false};
    memcpy(gap->fingerprint, fingerprint, DEBT_FINGERPRINT);
    f->index[place_of(f, fingerprint)] = (uint32_t)l->n_gaps + 1;
    *number = (uint32_t)l->n_gaps++;
    return true;
}

static void gap_key(struct str *out, const char *fingerprint) { str_printf(out, "gap 1 %s", fingerprint); }

static void keep_gap(struct filling *f, const char *fingerprint, const char *const words[4]) {
    struct str key = {0}, value = {0};
    gap_key(&key, fingerprint);
    for (int i = 0; i < 4; i++) str_add(&value, words[i], strlen(words[i]) + 1);
    if (!key.failed && !value.failed)
        cache_put(f->cache, (struct view){key.at, key.n}, (struct view){0}, (struct view){value.at, value.n});
    str_free(&key);
    str_free(&value);
}

/* *found: the cache knows what the fingerprint stands for. */
static bool recall_gap(uint32_t *number, bool *found, struct filling *f, const char *fingerprint) {
    struct str key = {0}, value = {0};
    const char *words[4], *at;
    gap_key(&key, fingerprint);
    *found = !key.failed && cache_get(&value, f->cache, (struct view){key.at, key.n}, NULL, NULL);
    at = str_c(&value);
    for (int i = 0; *found && i < 4; i++) {
        words[i] = at;
        at += strlen(at) + 1;
        if (at > str_c(&value) + value.n) *found = false;
    }
    bool ok = !*found || add_gap(number, f, fingerprint, words);
    str_free(&key);
    str_free(&value);
    return ok;
}

/* --- sheets in the cache --- */

static void sheet_key(uint8_t key[KEY], const struct filling *f, const struct gitlog_commit *commit) {
    struct str text = {0};
    str_printf(&text, "sheet 1 %s %s", record_version(), f->moment->digest);
    str_add(&text, "", 1);
    hash_sha1_of_two(key, str_c(&text), text.n, commit->tree, strlen(commit->tree));
    str_free(&text);
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static struct ledger_sheet *new_sheet(struct filling *f, size_t n_gaps) {
    struct ledger_sheet *sheet = arena_alloc(&f->ledger->arena, 1, sizeof *sheet, f->st);
    if (sheet) sheet->gaps = arena_alloc(&f->ledger->arena, n_gaps, sizeof *sheet->gaps, f->st);
    return sheet && sheet->gaps ? sheet : NULL;
}

/* Known, kernels, clean: three numbers of four bytes; then the fingerprints. */
static void keep_sheet(struct filling *f, const struct gitlog_commit *commit,
                       const struct ledger_sheet *sheet) {
    uint8_t key[KEY];
    uint32_t head[3] = {sheet->known, sheet->n_kernels, sheet->n_clean};
    struct str value = {0};
    str_add(&value, (const char *)head, sizeof head);
    for (uint32_t i = 0; i < sheet->n_gaps; i++)
        str_add(&value, f->ledger->gaps[sheet->gaps[i]].fingerprint, PRINT);
    sheet_key(key, f, commit);
    if (!value.failed)
        cache_put(f->cache, (struct view){(const char *)key, KEY}, (struct view){0},
                  (struct view){value.at, value.n});
    str_free(&value);
}

/* *out stays NULL when the cache does not know the sheet, or one of its gaps. */
static bool read_sheet(struct ledger_sheet **out, struct filling *f, struct view value) {
    uint32_t head[3];
    *out = NULL;
    if (value.n < sizeof head || (value.n - sizeof head) % PRINT) return true;
    memcpy(head, value.at, sizeof head);
    size_t n = (value.n - sizeof head) / PRINT;
    struct ledger_sheet *sheet = new_sheet(f, n);
    if (!sheet) return false;
    *sheet = (struct ledger_sheet){head[0] != 0, head[1], head[2], sheet->gaps, (uint32_t)n};
    for (size_t i = 0; i < n; i++) {
        char print[DEBT_FINGERPRINT] = "";
        bool found = true;
        memcpy(print, value.at + sizeof head + i * PRINT, PRINT);
        if (!number_of(&sheet->gaps[i], f, print) && !recall_gap(&sheet->gaps[i], &found, f, print))
            return false;
        if (!found) return true;
    }
    if (n) qsort(sheet->gaps, n, sizeof *sheet->gaps, ascending);
    *out = sheet;
    return true;
}

static bool recall_sheet(struct filling *f, uint32_t at) {
    uint8_t key[KEY];
    struct str value = {0};
    sheet_key(key, f, &f->ledger->log.commits[at]);
    bool ok = !cache_get(&value, f->cache, (struct view){(const char *)key, KEY}, NULL, NULL) ||
              read_sheet(&f->sheets[at], f, (struct view){str_c(&value), value.n});
    str_free(&value);
    return ok;
}

/* Parents before children: which commits share a sheet, which the cache knows, which have to be folded. */
static bool recall_all(struct filling *f) {
    const struct gitlog *log = &f->ledger->log;
    for (size_t i = log->n; i > 0; i--) {
        uint32_t at = (uint32_t)i - 1;
        bool matters = moment_matters(f->moment, &log->commits[at]);
        f->same[at] = matters ? at : f->same[log->commits[at].parents[0]];
        if (!matters) continue;
        if (!recall_sheet(f, at)) return false;
        f->n_wanted += !f->sheets[at];
    }
    return true;
}

/* --- the files of a moment --- */

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct slot *slot_of(const struct filling *f, const char *path) {
    const struct gitlog *log = &f->ledger->log;
    const char *const *found =
        log->n_paths ? bsearch(&path, log->paths, log->n_paths, sizeof path, by_bytes) : NULL;
    return found ? &f->moment->slots[found - log->paths] : NULL;
}

/* A header's content is read once in the whole history. */
static void take_print(struct filling *f, struct version *v) {
    struct str text = {0};
    if (catfile_read(&text, &f->moment->blobs, v->oid, HARVEST_FILE_LIMIT, NULL))
        harvest_print(v->print, (struct view){str_c(&text), text.n});
    else strcpy(v->print, "-");
    str_free(&text);
}

static bool print_then(void *context, char print[OID_TEXT], const char *path) {
    struct filling *f = context;
    struct slot *slot = slot_of(f, path);
    if (!slot || !slot->now.oid || slot->now.is_link) return false;
    struct version *v =
        slot->version ? slot->version
                      : moment_version(f->moment, (uint32_t)(slot - f->moment->slots), slot->now.oid, NULL);
    if (!v) return false;
    if (!v->print[0]) take_print(f, v);
    memcpy(print, v->print, OID_TEXT);
    return strcmp(print, "-") != 0;
}

static bool text_of(void *context, struct str *out, const char **refused, const char *path, const char *oid,
                    struct catfile *blobs, struct arena *arena, struct status *st) {
    struct status why = {0};
    (void)arena;
    *refused = NULL;
    if (!oid[0]) { /* a header, by its name */
        const struct slot *slot = slot_of(context, path);
        oid = slot && slot->now.oid ? slot->now.oid : "";
    }
    if (catfile_read(out, blobs, oid, HARVEST_FILE_LIMIT, &why)) return true;
    if (why.code == STATUS_UNSUPPORTED) *refused = "larger than the limit";
    return *refused || status_fail(st, why.code, "%s: %s", path, why.message);
}

static struct harvest harvest_of(struct filling *f, bool shows) {
    const struct survey_options *scan = &f->options->scan;
    return (struct harvest){.source = &f->source,
                            .cache = f->cache,
                            .jobs = scan->jobs,
                            .progress = shows ? scan->progress : NULL,
                            .progress_context = scan->progress_context,
                            .stop = scan->stop};
}

/* Every content of every file once, before commits are looked at: this is where the time goes. Kernel places
 * depend on the headers of their moment and wait. */
static bool scan_all(struct filling *f) {
    const struct gitlog *log = &f->ledger->log;
    size_t n = 0, room = 0;
    for (size_t i = 0; i < log->n; i++) room += log->commits[i].n_changes;
    struct harvest_item *items = calloc(room + 1, sizeof *items);
    struct version **versions = calloc(room + 1, sizeof *versions);
    bool ok = items && versions;
    if (!ok) status_fail(f->st, STATUS_NO_MEMORY, "out of memory for %zu files", room);
    for (size_t i = 0; ok && i < room; i++) {
        const struct gitlog_change *change = &log->changes[i];
        if (!change->after.oid || change->after.is_link || strlen(change->after.oid) >= OID_TEXT) continue;
        if (!f->moment->slots[change->path].scanned || f->moment->slots[change->path].place) continue;
        struct version *v = moment_version(f->moment, change->path, change->after.oid, f->st);
        ok = v != NULL;
        if (!ok || v->known) continue;
        v->known = true;
        items[n] = (struct harvest_item){.path = log->paths[change->path]};
        strcpy(items[n].oid, v->oid);
        versions[n++] = v;
    }
    struct harvest harvest = harvest_of(f, true);
    ok = ok && harvest_run(&harvest, items, n, f->st);
    for (size_t i = 0; ok && i < n; i++)
        ok = record_read(&versions[i]->record, (struct view){str_c(&items[i].record), items[i].record.n},
                         items[i].path, &f->ledger->arena) ||
             status_fail(f->st, STATUS_NO_MEMORY, "out of memory for what is known of %s", items[i].path);
    harvest_free(items, n);
    free(items);
    free(versions);
    return ok;
}

/* --- one commit --- */

struct folding {
    struct filling *f;
    struct arena arena; /* until the commit is folded */
    const struct matrix *m;
    struct tree tree;
    struct survey survey;
};

/* The paths of the moment, and room for as many files. */
static bool list_paths(struct folding *g) {
    const struct gitlog *log = &g->f->ledger->log;
    const char **paths = arena_alloc(&g->arena, log->n_paths, sizeof *paths, g->f->st);
    size_t n = 0;
    if (!paths) return false;
    for (size_t i = 0; i < log->n_paths; i++) {
        const struct slot *slot = &g->f->moment->slots[i];
        if (slot->now.oid) paths[n++] = log->paths[i];
    }
    g->tree = (struct tree){
        .kind = TREE_COMMIT, .root = "", .folder = "", .name = "", .commit = "", .paths = paths, .n = n};
    g->survey.files = arena_alloc(&g->arena, n, sizeof *g->survey.files, g->f->st);
    g->survey.refused = arena_alloc(&g->arena, n, sizeof *g->survey.refused, g->f->st);
    return g->survey.files && g->survey.refused;
}

/* A file that is no kernel place is known from any commit that held it; a place, from one with the same
 * headers. */
static bool add_file(struct folding *g, const struct record *record, struct survey_file *covered,
                     const struct matrix **covered_by) {
    const struct scan_file *scan = &record->scan;
    for (size_t i = 0; i < record->n_suppresses; i++)
        g->survey.comments[g->survey.n_comments++] =
            (struct survey_comment){scan->path, record->suppresses[i]};
    g->survey.n_scanned++;
    if (!scan_is_kernel_file(scan)) return true;
    if (*covered_by != g->m) {
        if (!survey_cover(covered, scan, g->m, &g->f->ledger->arena, g->f->st)) return false;
        *covered_by = g->m;
    }
    g->survey.files[g->survey.n_files++] = *covered;
    return true;
}

static bool keep_place(struct folding *g, struct version *v, const struct harvest_item *item) {
    struct arena *arena = &g->f->ledger->arena;
    v->place_covered_by = NULL;
    v->seen = (struct view){arena_copy(arena, str_c(&item->seen), item->seen.n, g->f->st), item->seen.n};
    return v->seen.at &&
           (record_read(&v->place, (struct view){str_c(&item->record), item->record.n}, item->path, arena) ||
            status_fail(g->f->st, STATUS_NO_MEMORY, "out of memory for what is known of %s", item->path));
}

static bool is_place(const struct folding *g, size_t path) {
    const struct slot *slot = &g->f->moment->slots[path];
    return g->f->moment->fixed ? slot->place : survey_is_place(g->m, g->f->ledger->log.paths[path]);
}

/* Places that were not seen with these headers yet are scanned. */
static bool read_places(struct folding *g, const bool *place) {
    const struct gitlog *log = &g->f->ledger->log;
    struct harvest harvest = harvest_of(g->f, false);
    struct harvest_item *items = arena_alloc(&g->arena, g->tree.n, sizeof *items, g->f->st);
    struct version **versions = arena_alloc(&g->arena, g->tree.n, sizeof *versions, g->f->st);
    size_t n = 0;
    if (!items || !versions) return false;
    for (size_t i = 0; i < log->n_paths; i++) {
        struct version *v = g->f->moment->slots[i].version;
        if (!place[i] || (v->seen.at && harvest_holds(&g->f->source, v->seen))) continue;
        items[n] = (struct harvest_item){.path = log->paths[i], .place = true};
        strcpy(items[n].oid, v->oid);
        versions[n++] = v;
    }
    harvest.jobs = 1; /* a few files, mostly in the cache; and the moment is one thread's */
    bool ok = harvest_run(&harvest, items, n, g->f->st);
    for (size_t i = 0; ok && i < n; i++) ok = keep_place(g, versions[i], &items[i]);
    harvest_free(items, n);
    return ok;
}

static bool room_for_comments(struct folding *g, const bool *place) {
    size_t room = 0;
    for (size_t i = 0; i < g->f->ledger->log.n_paths; i++) {
        const struct version *v = g->f->moment->slots[i].version;
        if (v) room += place[i] ? v->place.n_suppresses : v->record.n_suppresses;
    }
    g->survey.comments = arena_alloc(&g->arena, room, sizeof *g->survey.comments, g->f->st);
    return g->survey.comments != NULL;
}

static bool add_files(struct folding *g) {
    size_t n_paths = g->f->ledger->log.n_paths;
    bool *place = arena_alloc(&g->arena, n_paths, sizeof *place, g->f->st);
    if (!place) return false;
    for (size_t i = 0; i < n_paths; i++) place[i] = g->f->moment->slots[i].version && is_place(g, i);
    bool ok = read_places(g, place) && room_for_comments(g, place);
    for (size_t i = 0; ok && i < n_paths; i++) {
        struct version *v = g->f->moment->slots[i].version;
        if (v && place[i]) ok = add_file(g, &v->place, &v->place_covered, &v->place_covered_by);
        else if (v) ok = add_file(g, &v->record, &v->covered, &v->covered_by);
    }
    return ok;
}

static bool write_sheet(struct ledger_sheet **out, struct filling *f, const struct debt *debt) {
    struct ledger_sheet *sheet = new_sheet(f, debt->n);
    if (!sheet) return false;
    *sheet = (struct ledger_sheet){true, (uint32_t)debt->n_kernels, (uint32_t)debt->n_clean, sheet->gaps,
                                   (uint32_t)debt->n};
    for (size_t i = 0; i < debt->n; i++) {
        const struct debt_gap *gap = &debt->gaps[i];
        const char *words[4] = {debt_class_name(gap->kind), gap->op, gap->path, gap->detail};
        if (number_of(&sheet->gaps[i], f, gap->fingerprint)) continue;
        if (!add_gap(&sheet->gaps[i], f, gap->fingerprint, words)) return false;
        keep_gap(f, gap->fingerprint, words);
    }
    if (debt->n) qsort(sheet->gaps, debt->n, sizeof *sheet->gaps, ascending);
    *out = sheet;
    return true;
}

/* Without a matrix there is no debt to speak of, but there are kernels. */
static bool write_blank(struct ledger_sheet **out, struct filling *f) {
    struct ledger_sheet *sheet = new_sheet(f, 0);
    if (!sheet) return false;
    for (size_t i = 0; i < f->ledger->log.n_paths; i++) {
        const struct version *v = f->moment->slots[i].version;
        for (size_t k = 0; v && v->known && k < v->record.scan.n_kernels; k++)
            sheet->n_kernels += v->record.scan.kernels[k].kind != SCAN_HELPER;
    }
    *out = sheet;
    return true;
}

static bool fold(struct filling *f, uint32_t at) {
    struct folding g = {.f = f};
    struct debt debt;
    bool ok = moment_matrix(&g.m, f->moment, f->st);
    if (ok && !g.m) {
        ok = write_blank(&f->sheets[at], f);
    } else if (ok) {
        ok = list_paths(&g) && add_files(&g) && debt_fold(&debt, g.m, &g.tree, &g.survey, &g.arena, f->st) &&
             write_sheet(&f->sheets[at], f, &debt);
    }
    if (ok) keep_sheet(f, &f->ledger->log.commits[at], f->sheets[at]);
    arena_release(&g.arena);
    return ok ? ok : status_wrap(f->st, "commit %.12s", f->ledger->log.commits[at].oid);
}

/* --- all of them --- */

static bool is_stopped(const struct filling *f) {
    const struct survey_options *scan = &f->options->scan;
    if (!scan->stop || !*scan->stop) return false;
    cache_commit(f->cache);
    return !status_fail(f->st, STATUS_SYSTEM, "interrupted; what was done is kept");
}

static bool enter(struct filling *f, uint32_t at) {
    const struct survey_options *scan = &f->options->scan;
    if (!moment_apply(f->moment, &f->ledger->log.commits[at], false, f->st)) return false;
    if (f->same[at] != at || f->sheets[at]) return true;
    if (is_stopped(f) || !fold(f, at)) return false;
    if (scan->progress) scan->progress(scan->progress_context, ++f->n_done, f->n_wanted);
    return true;
}

/* Down the forest of first parents and up again. */
static bool walk(struct filling *f) {
    const struct gitlog *log = &f->ledger->log;
    struct arena *arena = &f->ledger->arena;
    uint32_t *child = arena_alloc(arena, log->n, sizeof *child, f->st);
    uint32_t *sibling = arena_alloc(arena, log->n, sizeof *sibling, f->st);
    if (!child || !sibling) return false;
    for (size_t i = 0; i < log->n; i++) child[i] = sibling[i] = GITLOG_NONE;
    uint32_t root = GITLOG_NONE;
    for (uint32_t i = 0; i < log->n; i++) {
        uint32_t *first = log->commits[i].n_parents ? &child[log->commits[i].parents[0]] : &root;
        sibling[i] = *first;
        *first = i;
    }
    for (uint32_t at = root; at != GITLOG_NONE;) {
        if (!enter(f, at)) return false;
        uint32_t next = child[at];
        while (next == GITLOG_NONE && at != GITLOG_NONE) {
            if (!moment_apply(f->moment, &log->commits[at], true, f->st)) return false;
            next = sibling[at];
            at = log->commits[at].n_parents ? log->commits[at].parents[0] : GITLOG_NONE;
        }
        at = next;
    }
    return true;
}

/* --- the same numbers in every run ------------------------------------------------------------------------
 */

struct order {
    const struct ledger_gap *gap;
    uint32_t was;
};

static int by_fingerprint(const void *a, const void *b) {
    return strcmp(((const struct order *)a)->gap->fingerprint, ((const struct order *)b)->gap->fingerprint);
}

/* Gaps were numbered as they came, from the cache or not: now by fingerprint. */
static bool renumber(struct filling *f) {
    struct ledger *l = f->ledger;
    struct order *order = malloc((l->n_gaps + 1) * sizeof *order);
    struct ledger_gap *gaps = malloc((l->n_gaps + 1) * sizeof *gaps);
    uint32_t *now = malloc((l->n_gaps + 1) * sizeof *now);
    bool ok = order && gaps && now;
    if (!ok) status_fail(f->st, STATUS_NO_MEMORY, "out of memory for %zu gaps", l->n_gaps);
    for (uint32_t i = 0; ok && i < l->n_gaps; i++) order[i] = (struct order){&l->gaps[i], i};
    if (ok && l->n_gaps) qsort(order, l->n_gaps, sizeof *order, by_fingerprint);
    for (uint32_t i = 0; ok && i < l->n_gaps; i++) {
        gaps[i] = *order[i].gap;
        now[order[i].was] = i;
    }
    for (size_t i = 0; ok && i < l->log.n; i++) {
        struct ledger_sheet *sheet = f->same[i] == i ? f->sheets[i] : NULL;
        for (uint32_t k = 0; sheet && k < sheet->n_gaps; k++) sheet->gaps[k] = now[sheet->gaps[k]];
        if (sheet && sheet->n_gaps) qsort(sheet->gaps, sheet->n_gaps, sizeof *sheet->gaps, ascending);
    }
    if (ok) {
        free(l->gaps);
        l->gaps = gaps;
    } else {
        free(gaps);
    }
    free(order);
    free(now);
    return ok;
}

static bool fill(struct filling *f) {
    const struct gitlog *log = &f->ledger->log;
    struct arena *arena = &f->ledger->arena;
    f->sheets = arena_alloc(arena, log->n, sizeof *f->sheets, f->st);
    f->same = arena_alloc(arena, log->n, sizeof *f->same, f->st);
    if (!f->sheets || !f->same) return false;
    if (!recall_all(f) || (f->n_wanted && !(scan_all(f) && walk(f))) || !renumber(f)) return false;
    for (size_t i = 0; i < log->n; i++) f->ledger->entries[i].sheet = f->sheets[f->same[i]];
    return true;
}

bool sheets_fill(struct ledger *ledger, const struct tree *tree, const struct ledger_options *options,
                 struct str *complaints, struct status *st) {
    struct moment moment;
    struct filling f = {
        .ledger = ledger, .moment = &moment, .options = options, .cache = options->scan.cache, .st = st};
    struct cache *own =
        f.cache ? NULL : cache_open(":memory:"); /* kernel places are asked for again and again */
    if (!f.cache) f.cache = own;
    f.source = (struct harvest_source){&f, tree->folder, print_then, text_of};
    bool ok = moment_open(&moment, ledger, tree, options, complaints, st) && fill(&f);
    moment_close(&moment);
    cache_commit(f.cache);
    cache_close(own);
    free(f.index);
    return ok;
}
