/* squashed: the messages within a message, where several commits were folded into one.
 *
 * Owns:    nothing; a part points into the message, or into the arena where it had to be un-indented.
 * Trusts:  nothing in the message.
 * Threads: pure; any thread.
 *
 * git (`merge --squash`) writes "commit OID", headers and each message indented by four blanks; GitHub writes
 * "* SUBJECT" and the rest of each message as it was. Their trailers are no trailers of the whole any more,
 * but whoever squashes means to keep them.
 */
#ifndef HOOKS_RANGE_SQUASHED_H
#define HOOKS_RANGE_SQUASHED_H

#include "base/arena.h"
#include "base/str.h"

struct squashed_part {
    struct view text;
    int line; /* of its first line in the message, from 1 */
};

struct squashed {
    struct squashed_part *at; /* the whole message first, then its parts in order */
    size_t n;
};

bool squashed_split(struct squashed *out, struct view message, struct arena *arena,
                    struct status *st) STATUS_MUST_USE;

#endif
