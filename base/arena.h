/* arena: memory that is freed all at once.
 *
 * Owns:    a chain of blocks, each at least ARENA_BLOCK bytes.
 * Trusts:  nothing; every size product is checked for overflow.
 * Threads: one arena, one thread.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/status.h"

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *last;
    size_t total; /* bytes handed out */
};

/* Zero initialisation (`struct arena a = {0}`) is an empty arena. */

/* n items of `size` bytes each, zeroed, aligned to 16. NULL and *st on overflow or exhaustion.
 * n or size of 0 gives a valid pointer to nothing. */
void *arena_alloc(struct arena *arena, size_t n, size_t size, struct status *st) STATUS_MUST_USE;

/* A NUL-terminated copy of n bytes. */
char *arena_copy(struct arena *arena, const char *text, size_t n, struct status *st) STATUS_MUST_USE;

/* Frees every block; the arena is empty and may be used again. */
void arena_release(struct arena *arena);

#endif
