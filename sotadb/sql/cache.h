/* cache: bytes that are kept between runs, by key, in one SQLite file.
 *
 * Owns:    the open database; cache_close.
 * Trusts:  nothing: every value carries a hash of key and value, and one that does not hold is not given out.
 *          A file that is no cache of ours, or a damaged one, is replaced.
 * Threads: one handle, one thread.
 *
 * A cache is never needed: whoever asks can work without, so nothing here fails. What went wrong is one
 * sentence in cache_note, and from then on nothing is found and nothing kept. Writers do not wait for one
 * another: while another process writes, ours reads on and keeps nothing.
 *
 * A key may have several values, told apart by a variant ("": the only one): what else the value depends on,
 * when only the value itself can say what that is.
 */
#ifndef SOTADB_SQL_CACHE_H
#define SOTADB_SQL_CACHE_H

#include "base/str.h"

struct cache;

/* The cache in the file at `path`, made when it is not there; its folder must be. NULL: no memory. */
struct cache *cache_open(const char *path);

/* Keeps what was put since the last call on disk. */
void cache_commit(struct cache *cache);
void cache_close(struct cache *cache); /* commits; NULL is fine */

/* Why nothing is kept, or that the file was replaced: one sentence; "" when all is well. */
const char *cache_note(const struct cache *cache);

/* Goes through the values of a key until `take` is true; *out is then the value. Both views passed to `take`
 * last until it returns. Without `take`, the first. */
bool cache_get(struct str *out, struct cache *cache, struct view key,
               bool (*take)(void *context, struct view variant), void *context);

/* Keeps a value; one of the same key and variant is replaced. */
void cache_put(struct cache *cache, struct view key, struct view variant, struct view value);

#endif
