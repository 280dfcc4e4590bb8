/* panelcache: re-laid weights in a file beside the model, for the next load to map.
 *
 * Owns:    a mapping, from open to close.
 * Trusts:  nothing: lengths, a checksum of the header, one of each piece of the data, and the key, which says
 *          what the data was made from. They find what was cut, mixed up or went bad, not what means harm.
 * Threads: constant after open; panelcache_sound by any number at once, on different pieces.
 *
 * A file is a header of 4096-byte pages, then the data as it lies in memory. All numbers are little-endian:
 *   0    "FAKPANEL"
 *   8    u64 version of this form, u64 bytes of the header, u64 bytes of the data
 *   32   64 hexadecimal digits: the SHA-256 of the key
 *   96   u64 checksum of the header, with 0 in this place
 *   104  u64 checksum of each piece of PANELCACHE_PIECE bytes, the last one shorter; zeros
 */
#ifndef ENGINE_BACKEND_PANELCACHE_H
#define ENGINE_BACKEND_PANELCACHE_H

#include "base/file.h"

enum { PANELCACHE_PIECE = 1 << 20 };

struct panelcache {
    struct mapping map;
    const char *path;    /* the caller's */
    const uint8_t *data; /* at a page's beginning */
    size_t n;
};

/* False with STATUS_NOT_FOUND: there is no such file. Else the message says why its data is of no use: cut,
 * damaged, of another version, or made from something else than `key` says. The pieces are not read. */
bool panelcache_open(struct panelcache *cache, const char *path, struct view key, size_t n,
                     struct status *st) STATUS_MUST_USE;
void panelcache_close(struct panelcache *cache);

/* Do pieces [first, end) have their checksums? On false *bad is the first that has not. */
bool panelcache_sound(const struct panelcache *cache, size_t first, size_t end, size_t *bad);

/* Puts a file in place, whole or not at all. */
bool panelcache_write(const char *path, struct view key, const void *data, size_t n,
                      struct status *st) STATUS_MUST_USE;

static inline size_t panelcache_pieces(size_t n) {
    return n / PANELCACHE_PIECE + (n % PANELCACHE_PIECE != 0);
}

#endif
