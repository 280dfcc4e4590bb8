/* store: the objects of a repository: loose, packed, and those of its alternates.
 *
 * Owns:    the mapped pack indexes; store_close.
 * Trusts:  nothing: an object is given out only when its bytes hash to its name. One object is at most 64
 * MiB, and all that are read for one question at most STORE_LIMIT together.
 * Threads: one struct, one thread.
 */
#ifndef GIT_INDEX_STORE_H
#define GIT_INDEX_STORE_H

#include "base/arena.h"
#include "git/index/packfile.h"

enum { STORE_LIMIT = 512 << 20, STORE_FOLDERS = 32 };

struct store {
    size_t n_id, left;                  /* bytes of a name; what may still be read */
    const char *folders[STORE_FOLDERS]; /* "objects", then the alternates */
    size_t n_folders;
    struct packfile *packs;
    size_t n_packs, last_pack; /* which one was asked last */
    bool packs_known;
    struct arena arena;
};

/* `folder` is the repository's "objects", `more` are others, one a line. Nothing but the lists of alternates
 * is read yet. */
bool store_open(struct store *out, const char *folder, struct view more, size_t n_id,
                struct status *st) STATUS_MUST_USE;
void store_close(struct store *store);

/* A new question: STORE_LIMIT bytes may be read again. */
void store_refill(struct store *store);

/* out = the object; free(out->at). One that is missing, or of another type, is an error. */
bool store_read(struct object *out, struct store *store, const uint8_t *id, enum object_type type,
                struct status *st) STATUS_MUST_USE;

/* out = the object that the bytes of a loose file hold. */
bool store_parse_loose(struct object *out, const uint8_t *bytes, size_t n, struct status *st) STATUS_MUST_USE;

#endif
