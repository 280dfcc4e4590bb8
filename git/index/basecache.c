#include "git/index/basecache.h"

#include <stdlib.h>

enum { SLOTS = 1024, OBJECT_ROOM = 1 << 20, ROOM = 64 << 20 };

struct basecache {
    struct {
        uint64_t offset;
        struct object object;
    } slots[SLOTS]; /* by offset; a newer one takes the place of an older */
    size_t used;    /* bytes */
};

/* Offsets of neighbours differ by little (Knuth, multiplicative hashing). */
static size_t slot_of(uint64_t offset) { return (size_t)(offset * 0x9E3779B97F4A7C15U >> 54) % SLOTS; }

const struct object *basecache_find(const struct basecache *cache, uint64_t offset) {
    if (!cache) return NULL;
    size_t i = slot_of(offset);
    return cache->slots[i].object.at && cache->slots[i].offset == offset ? &cache->slots[i].object : NULL;
}

static void drop(struct basecache *cache, size_t i) {
    struct object *object = &cache->slots[i].object;
    cache->used -= object->n;
    free(object->at);
    *object = (struct object){0};
}

void basecache_put(struct basecache **cache, uint64_t offset, struct object *object) {
    bool keeps = object->at && object->n <= OBJECT_ROOM;
    if (keeps && !*cache) *cache = calloc(1, sizeof **cache);
    if (!keeps || !*cache) {
        free(object->at);
    } else {
        size_t i = slot_of(offset);
        drop(*cache, i);
        for (size_t j = 0; (*cache)->used > ROOM - OBJECT_ROOM && j < SLOTS; j++) drop(*cache, j);
        (*cache)->slots[i].offset = offset;
        (*cache)->slots[i].object = *object;
        (*cache)->used += object->n;
    }
    *object = (struct object){0};
}

void basecache_clear(struct basecache **cache) {
    for (size_t i = 0; *cache && i < SLOTS; i++) drop(*cache, i);
    free(*cache);
    *cache = NULL;
}
