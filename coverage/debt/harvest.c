#include "coverage/debt/harvest.h"

#include "base/hash.h"
#include "git/index/objid.h"
#include "git/plumbing/catfile.h"
#include "sotadb/sql/cache.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 20 };

struct run {
    const struct harvest *h;
    struct harvest_item *items;
    size_t n;
    size_t *todo, n_todo;
    atomic_size_t next, done;
    atomic_bool failed;
    pthread_mutex_t lock; /* of the cache, the progress and what follows */
    size_t failed_at;
    struct status why;
};

/* --- headers: what a record depends on beside its own blob ------------------------------------------- */

struct headers {
    const struct harvest_source *source;
    struct catfile *blobs;
    struct arena *arena;
    struct str seen; /* PATH NUL PRINT LF, each that was asked for; PRINT "-": not there */
};

/* "a/./b/../c.h" is "a/c.h"; a path that climbs out of the tree is "". */
static void normalise(struct str *out, const char *path) {
    while (*path) {
        size_t n = strcspn(path, "/");
        if (n == 2 && memcmp(path, "..", 2) == 0) {
            const char *up = out->n ? memrchr(out->at, '/', out->n) : NULL;
            if (!out->n) return;
            out->n = up ? (size_t)(up - out->at) : 0;
            out->at[out->n] = 0;
        } else if (n && !(n == 1 && *path == '.')) {
            if (out->n) str_putc(out, '/');
            str_add(out, path, n);
        }
        path += n;
        path += *path == '/';
    }
}

static bool read_header(void *context, struct str *out, const char *path) {
    struct headers *h = context;
    struct str name = {0};
    char print[OID_TEXT] = "-";
    const char *refused = NULL;
    normalise(&name, path);
    bool there = name.n && !name.failed && h->source->print(h->source->context, print, str_c(&name));
    if (there)
        there =
            h->source->text(h->source->context, out, &refused, str_c(&name), "", h->blobs, h->arena, NULL) &&
            !refused;
    str_add(&h->seen, str_c(&name), name.n + 1);
    str_printf(&h->seen, "%s\n", print);
    str_free(&name);
    return there;
}

bool harvest_holds(const struct harvest_source *source, struct view seen) {
    while (seen.n) {
        const char *nul = memchr(seen.at, 0, seen.n);
        const char *end = nul ? memchr(nul, '\n', seen.n - (size_t)(nul - seen.at)) : NULL;
        char print[OID_TEXT];
        if (!end) return false;
        if (!*seen.at || !source->print(source->context, print, seen.at)) strcpy(print, "-");
        size_t n = (size_t)(end - nul - 1);
        if (strlen(print) != n || memcmp(print, nul + 1, n) != 0) return false;
        seen = (struct view){end + 1, seen.n - (size_t)(end + 1 - seen.at)};
    }
    return true;
}

struct recall {
    const struct harvest_source *source;
    struct harvest_item *item;
};

/* Are all headers still what they were when this variant was made? */
static bool still_holds(void *context, struct view variant) {
    const struct recall *recall = context;
    if (!harvest_holds(recall->source, variant)) return false;
    str_clear(&recall->item->seen);
    str_add(&recall->item->seen, variant.at, variant.n);
    return true;
}

/* --- what a header gives ------------------------------------------------------------------------------- */

/* From a directive to its end, or from `typedef` or `using` to the ';'. A line too many does no harm. */
static size_t piece_length(struct view rest) {
    if (view_starts(rest, "typedef") || view_starts(rest, "using")) {
        const char *end = memchr(rest.at, ';', rest.n);
        return end ? (size_t)(end - rest.at) + 1 : rest.n;
    }
    size_t n = 0;
    while (n < rest.n && (rest.at[n] != '\n' || (n && rest.at[n - 1] == '\\'))) n++;
    return n;
}

static bool begins_piece(struct view text, size_t i, bool line_start) {
    struct view rest = {text.at + i, text.n - i};
    if (rest.at[0] == '#') return line_start;
    bool word = i == 0 || !(isalnum((unsigned char)text.at[i - 1]) || text.at[i - 1] == '_');
    return word && (view_starts(rest, "typedef") || view_starts(rest, "using"));
}

void harvest_print(char print[OID_TEXT], struct view text) {
    struct str pieces = {0};
    uint8_t hash[KEY];
    bool line_start = true;
    for (size_t i = 0; i < text.n;) {
        if (begins_piece(text, i, line_start)) {
            size_t n = piece_length((struct view){text.at + i, text.n - i});
            str_add(&pieces, text.at + i, n);
            str_putc(&pieces, '\n');
            i += n;
            continue;
        }
        if (text.at[i] == '\n') line_start = true;
        else if (text.at[i] != ' ' && text.at[i] != '\t' && text.at[i] != '\r') line_start = false;
        i++;
    }
    hash_sha1_of_two(hash, "", 0, str_c(&pieces), pieces.n);
    objid_to_text(print, hash, KEY);
    str_free(&pieces);
}

/* --- one file ------------------------------------------------------------------------------------------ */

static void make_key(uint8_t key[KEY], const struct harvest_item *item) {
    struct str text = {0};
    str_printf(&text, "record %s %d", record_version(), item->place);
    str_add(&text, "", 1);
    str_add(&text, item->path, strlen(item->path) + 1);
    hash_sha1_of_two(key, str_c(&text), text.n, item->oid, strlen(item->oid));
    str_free(&text);
}

static bool look_up(struct run *run, struct harvest_item *item) {
    uint8_t key[KEY];
    if (!run->h->cache || !item->oid[0]) return false;
    make_key(key, item);
    pthread_mutex_lock(&run->lock);
    struct recall recall = {run->h->source, item};
    bool found = cache_get(&item->record, run->h->cache, (struct view){(const char *)key, KEY},
                           item->place ? still_holds : NULL, &recall);
    pthread_mutex_unlock(&run->lock);
    return found;
}

/* How far a parse came within its time is no property of the text. */
static bool depends_on_time(const struct scan_file *scan) {
    return scan->tree_note && strstr(scan->tree_note, "stopped after");
}

static void keep(struct run *run, const struct harvest_item *item, const struct scan_file *scan) {
    uint8_t key[KEY];
    if (!run->h->cache || !item->oid[0] || depends_on_time(scan)) return;
    make_key(key, item);
    pthread_mutex_lock(&run->lock);
    cache_put(run->h->cache, (struct view){(const char *)key, KEY},
              (struct view){str_c(&item->seen), item->seen.n},
              (struct view){str_c(&item->record), item->record.n});
    pthread_mutex_unlock(&run->lock);
}

void harvest_name(char oid[OID_TEXT], struct view text) {
    uint8_t hash[KEY];
    struct str head = {0};
    str_printf(&head, "blob %zu", text.n);
    hash_sha1_of_two(hash, str_c(&head), head.n + 1, text.at, text.n);
    objid_to_text(oid, hash, KEY);
    str_free(&head);
}

static bool scan_it(struct run *run, struct harvest_item *item, const struct str *text,
                    struct headers *headers, struct status *st) {
    struct scan_headers from = {.read = read_header, .context = headers};
    struct scan_request request = {
        .path = item->path, .kernel_place = item->place, .root = "", .headers = &from};
    struct view view = {str_c(text), text->n};
    struct record record = {0};
    bool ok = scan_text(&record.scan, view, &request, headers->arena, st) &&
              suppress_find(&record.suppresses, &record.n_suppresses, view, headers->arena, st);
    if (ok) record_write(&item->record, &record);
    ok = ok && str_ok(&item->record, st) && str_ok(&headers->seen, st);
    if (ok) {
        str_free(&item->seen);
        item->seen = headers->seen;
        headers->seen = (struct str){0};
        keep(run, item, &record.scan);
    }
    return ok;
}

static bool refuse_it(struct harvest_item *item, const char *why, struct status *st) {
    struct record record = {.scan = {.path = item->path,
                                     .language = scan_language_of(item->path),
                                     .engine = "token",
                                     .not_analysed = why,
                                     .is_link = strcmp(why, "symbolic link") == 0}};
    record_write(&item->record, &record);
    return str_ok(&item->record, st);
}

static bool do_item(struct run *run, struct harvest_item *item, struct catfile *blobs, struct status *st) {
    const struct harvest_source *source = run->h->source;
    struct arena arena = {0};
    struct str text = {0};
    struct headers headers = {.source = source, .blobs = blobs, .arena = &arena};
    const char *refused;
    bool known = item->oid[0] != 0;
    bool ok = source->text(source->context, &text, &refused, item->path, item->oid, blobs, &arena, st);
    if (ok && refused) {
        ok = refuse_it(item, refused, st);
    } else if (ok) {
        if (!known) harvest_name(item->oid, (struct view){str_c(&text), text.n});
        if (known || !look_up(run, item)) ok = scan_it(run, item, &text, &headers, st);
    }
    str_free(&headers.seen);
    str_free(&text);
    arena_release(&arena);
    return ok;
}

/* --- all of them --------------------------------------------------------------------------------------- */

static void report(struct run *run) {
    size_t done = atomic_fetch_add(&run->done, 1) + 1;
    if (!run->h->progress) return;
    pthread_mutex_lock(&run->lock);
    run->h->progress(run->h->progress_context, run->n - run->n_todo + done, run->n);
    pthread_mutex_unlock(&run->lock);
}

/* The failure that is told is the first by place, whichever thread met one first. */
static void fail_at(struct run *run, size_t at, const struct status *why) {
    pthread_mutex_lock(&run->lock);
    if (!atomic_load(&run->failed) || at < run->failed_at) {
        run->failed_at = at;
        run->why = *why;
    }
    atomic_store(&run->failed, true);
    pthread_mutex_unlock(&run->lock);
}

static bool is_stopped(const struct run *run) { return run->h->stop && *run->h->stop; }

static void *work(void *context) {
    struct run *run = context;
    struct catfile blobs = {.socket = -1};
    struct status why = {0};
    bool ok = !run->h->source->folder || catfile_open(&blobs, run->h->source->folder, &why);
    if (!ok) fail_at(run, 0, &why);
    while (ok && !atomic_load(&run->failed) && !is_stopped(run)) {
        size_t i = atomic_fetch_add(&run->next, 1);
        if (i >= run->n_todo) break;
        ok = do_item(run, &run->items[run->todo[i]], &blobs, &why);
        if (!ok) fail_at(run, run->todo[i], &why);
        report(run);
    }
    catfile_close(&blobs);
    return NULL;
}

static void start(struct run *run) {
    pthread_t threads[HARVEST_JOBS];
    size_t wanted = run->h->jobs < 1 ? 1 : run->h->jobs > HARVEST_JOBS ? HARVEST_JOBS : (size_t)run->h->jobs;
    size_t started = 0;
    if (wanted > run->n_todo) wanted = run->n_todo;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, work, run) == 0) started++;
    work(run); /* this thread is one of them */
    while (started > 0) pthread_join(threads[--started], NULL);
}

bool harvest_run(const struct harvest *h, struct harvest_item *items, size_t n, struct status *st) {
    struct run run = {.h = h, .items = items, .n = n};
    run.todo = malloc((n + 1) * sizeof *run.todo);
    if (!run.todo) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu files", n);
    pthread_mutex_init(&run.lock, NULL);
    for (size_t i = 0; i < n; i++)
        if (!look_up(&run, &items[i])) run.todo[run.n_todo++] = i;
    if (run.n_todo) start(&run);
    cache_commit(h->cache);
    pthread_mutex_destroy(&run.lock);
    free(run.todo);
    /* Ctrl-C reaches git too: what it failed at then is no failure. */
    if (is_stopped(&run)) return status_fail(st, STATUS_SYSTEM, "interrupted; what was scanned is kept");
    if (run.failed && st) *st = run.why;
    return !run.failed;
}

void harvest_free(struct harvest_item *items, size_t n) {
    for (size_t i = 0; i < n; i++) {
        str_free(&items[i].record);
        str_free(&items[i].seen);
    }
}
