/* packfile: one pack and its index (version 2), mapped.
 *
 * Owns:    the two mappings; packfile_close. The pack itself is mapped when an object is first read from it.
 * Trusts:  nothing: offsets, counts, sizes and delta instructions are checked; what comes out is proved by
 *          its name (store.h).
 * Threads: one struct, one thread.
 *
 * Format: git, Documentation/gitformat-pack.
 */
#ifndef GIT_INDEX_PACKFILE_H
#define GIT_INDEX_PACKFILE_H

#include "base/file.h"

enum object_type { OBJECT_COMMIT = 1, OBJECT_TREE, OBJECT_BLOB, OBJECT_TAG };

/* Any object is refused beyond this. */
enum { OBJECT_LIMIT = 64 << 20 };

struct object {
    uint8_t *at; /* free() */
    size_t n;
    enum object_type type;
};

struct basecache;

struct packfile {
    struct mapping idx, pack;
    struct basecache *cache; /* of what was read; NULL: nothing yet */
    char *path;              /* of the .pack */
    size_t n, n_id;
};

/* `path` ends in ".idx". */
bool packfile_open(struct packfile *out, const char *path, size_t n_id, struct status *st) STATUS_MUST_USE;
void packfile_close(struct packfile *pack);

/* Is the object in it, and where? */
bool packfile_find(uint64_t *offset, const struct packfile *pack, const uint8_t *id);

/* out = the object at an offset, its deltas applied. */
bool packfile_read(struct object *out, struct packfile *pack, uint64_t offset,
                   struct status *st) STATUS_MUST_USE;

/* out = `size` bytes inflated exactly from the start of n. */
bool packfile_inflate(uint8_t **out, size_t size, const uint8_t *bytes, size_t n,
                      struct status *st) STATUS_MUST_USE;

/* out = what the n bytes of a delta make of `base`. */
bool packfile_patch(struct object *out, const struct object *base, const uint8_t *delta, size_t n,
                    struct status *st) STATUS_MUST_USE;

#endif
