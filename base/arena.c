#include "base/arena.h"

#include "base/checked.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BLOCK = 64 * 1024, ARENA_ALIGN = 16 };

struct arena_block {
    struct arena_block *before;
    size_t used, size;
    alignas(ARENA_ALIGN) unsigned char bytes[];
};

static struct arena_block *block_add(struct arena *arena, size_t need) {
    size_t size = need > ARENA_BLOCK ? need : ARENA_BLOCK;
    if (size > SIZE_MAX - sizeof(struct arena_block)) return NULL;
    struct arena_block *block = calloc(1, sizeof *block + size);
    if (!block) return NULL;
    block->before = arena->last;
    block->size = size;
    arena->last = block;
    return block;
}

void *arena_alloc(struct arena *arena, size_t n, size_t size, struct status *st) {
    size_t bytes;
    if (!checked_mul(&bytes, n, size) || bytes > SIZE_MAX - ARENA_ALIGN) {
        status_fail(st, STATUS_NO_MEMORY, "%zu items of %zu bytes exceed the address space", n, size);
        return NULL;
    }
    bytes = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    struct arena_block *block = arena->last;
    if (!block || block->size - block->used < bytes) block = block_add(arena, bytes);
    if (!block) {
        status_fail(st, STATUS_NO_MEMORY, "out of memory asking for %zu bytes", bytes);
        return NULL;
    }
    void *at = block->bytes + block->used;
    block->used += bytes;
    arena->total += bytes;
    return at;
}

char *arena_copy(struct arena *arena, const char *text, size_t n, struct status *st) {
    char *copy = n < SIZE_MAX ? arena_alloc(arena, n + 1, 1, st) : NULL;
    if (copy && n) memcpy(copy, text, n);
    return copy;
}

void arena_release(struct arena *arena) {
    while (arena->last) {
        struct arena_block *before = arena->last->before;
        free(arena->last);
        arena->last = before;
    }
    arena->total = 0;
}
