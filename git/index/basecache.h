/* basecache: objects of a pack that were made from deltas, to be the bases of others.
 *
 * Owns:    the objects it was given; basecache_clear.
 * Trusts:  whoever puts: an offset names one object.
 * Threads: one struct, one thread.
 *
 * Trees and commits of a history are deltas on one another in long chains; without this each is inflated from
 * the beginning of its chain.
 */
#ifndef GIT_INDEX_BASECACHE_H
#define GIT_INDEX_BASECACHE_H

#include "git/index/packfile.h"

struct basecache;

/* The object at an offset, or NULL. It stays the cache's, and there until the next put. */
const struct object *basecache_find(const struct basecache *cache, uint64_t offset);

/* Takes the object, whatever happens: one that is too large, or for which there is no memory, is freed.
 * *cache is made when it is first needed. */
void basecache_put(struct basecache **cache, uint64_t offset, struct object *object);

void basecache_clear(struct basecache **cache);

#endif
