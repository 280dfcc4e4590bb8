/* append: puts a trailer into a commit message, where git would.
 *
 * Owns:    nothing; the message that results is appended to the caller's text.
 * Trusts:  nothing in the message; the trailer is one line "Key: value" without its line break.
 * Threads: pure; any thread.
 *
 * As `git interpret-trailers --trailer` does: at the end of the trailers that are there, or as a paragraph of
 * its own behind the body; in front of comments, scissors and what they cut off, which stay. What is there
 * already keeps its bytes. A message without a subject gets an empty line for one, so that the trailer does
 * not become it.
 */
#ifndef HOOKS_TRAILER_APPEND_H
#define HOOKS_TRAILER_APPEND_H

#include "hooks/trailer/trailer.h"

/* A trailer of the same key that begins with the same words, up to a ';', is replaced instead: the same
 * statement, newer. */
bool append_trailer(struct str *out, struct view message, struct view trailer,
                    const struct trailer_rules *rules, struct arena *arena,
                    struct status *st) STATUS_MUST_USE;

#endif
