/* harvest: the records of many files, out of the cache where it knows them, else by scanning, on several
 * threads. What comes out is the same for any number of threads and with or without a cache.
 *
 * Owns:    the encoded records in the items; harvest_free.
 * Trusts:  nothing in the texts; scan bounds the time and memory that one takes.
 * Threads: started and joined within one call; `source` is called from them, the rest from the caller's.
 */
#ifndef COVERAGE_DEBT_HARVEST_H
#define COVERAGE_DEBT_HARVEST_H

#include "coverage/debt/record.h"
#include "git/change.h"

#include <signal.h>

struct cache;
struct catfile;

enum { HARVEST_FILE_LIMIT = 16 << 20, HARVEST_JOBS = 64 };

/* Where texts come from: a tree, or a moment of a history. */
struct harvest_source {
    void *context;
    const char *folder; /* for `git -C`, to read blobs; NULL: none are read */
    /* print = what the file at `path` gives to one that includes it (harvest_print of its text); false where
     * there is no file. */
    bool (*print)(void *context, char print[OID_TEXT], const char *path);
    /* Appends the text of `path`; *refused as tree_text. `oid` may be "". */
    bool (*text)(void *context, struct str *out, const char **refused, const char *path, const char *oid,
                 struct catfile *blobs, struct arena *arena, struct status *st);
};

struct harvest_item {
    const char *path;
    char oid[OID_TEXT]; /* "": not known before it is read */
    bool place;         /* as scan_request.kernel_place */
    struct str record;  /* record_write's bytes */
    struct str seen;    /* of a place: the headers that it depends on, for harvest_holds */
};

struct harvest {
    const struct harvest_source *source;
    struct cache *cache; /* or NULL */
    int jobs;            /* threads, at least 1 */
    void (*progress)(void *context, size_t done, size_t n);
    void *progress_context;
    const volatile sig_atomic_t *stop; /* set: give up soon; or NULL */
};

/* Fills the record of every item. False when an object is missing, memory is out, a grammar does not load, or
 * `stop` was set (STATUS_SYSTEM "interrupted"); what was scanned until then is in the cache. */
bool harvest_run(const struct harvest *h, struct harvest_item *items, size_t n,
                 struct status *st) STATUS_MUST_USE;
/* oid = the name of the blob with this text, as git gives it (SHA-1). Where git filters what lies on disk
 * (line ends), it is a name of what is read all the same. */
void harvest_name(char oid[OID_TEXT], struct view text);

/* print = what a text gives to a file that includes it: its directives and types, hashed. Nothing else of a
 * header is looked at (coverage/scan/include.h), so a new prototype in it makes no file new. */
void harvest_print(char print[OID_TEXT], struct view text);

/* Would a place that saw these headers see the same ones now? */
bool harvest_holds(const struct harvest_source *source, struct view seen);

void harvest_free(struct harvest_item *items, size_t n);

#endif
