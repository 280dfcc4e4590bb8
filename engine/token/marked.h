/* marked: a text of which parts are a user's, byte by byte, on its way through rewriting.
 *
 * Owns:    its bytes and, where `marks` is wanted, one byte each for them: not 0 where the byte is a user's.
 * Trusts:  the caller. Threads: one struct, one thread.
 */
#ifndef ENGINE_TOKEN_MARKED_H
#define ENGINE_TOKEN_MARKED_H

#include "base/str.h"

#include <stdbool.h>

struct marked {
    struct str text, marks;
    bool wants_marks; /* else `marks` stays empty */
};

/* A text and its marks (NULL: nothing is a user's) that others own. */
struct marked_view {
    struct view text;
    const unsigned char *marks;
};

void marked_begin(struct marked *m, bool wants_marks); /* empty, keeps the room */
void marked_put(struct marked *m, const char *bytes, size_t n, bool mark);
/* Bytes [from, to) of another text, with their marks. */
void marked_copy(struct marked *m, struct marked_view in, size_t from, size_t to);
/* Is any of the bytes [from, to) a user's? */
bool marked_any(struct marked_view in, size_t from, size_t to);
struct marked_view marked_part(struct marked_view in, size_t from, size_t to);
struct marked_view marked_seen(const struct marked *m);
bool marked_ok(const struct marked *m, struct status *st) STATUS_MUST_USE;
void marked_free(struct marked *m);

#endif
