/* trailer: the "Key: value" lines at the end of a commit message, as git finds them.
 *
 * Owns:    nothing; trailers live in the arena of whoever asked.
 * Trusts:  nothing in the message; it ends at its first NUL byte, as for git.
 * Threads: pure; any thread.
 *
 * The rules are those of git-interpret-trailers(1) for a commit message (no "---" divider), measured against
 * the program itself (tests/unit/test_trailer.c): everything from the scissors line on is gone; so are
 * comments and blank lines at the end, and an old "Conflicts:" block. Trailers are the last paragraph, never
 * the first, when all of its lines are trailers, or a quarter of them and one that git writes
 * ("Signed-off-by: ",
 * "(cherry picked from commit "). A line that starts blank continues the one before. One thing differs on
 * purpose: a local `trailer.*.key` does not make a paragraph count, or a laptop and CI would disagree.
 */
#ifndef HOOKS_TRAILER_TRAILER_H
#define HOOKS_TRAILER_TRAILER_H

#include "base/arena.h"
#include "base/str.h"

struct trailer_rules {
    const char *comment;    /* what starts a comment line: "#", or any longer text */
    const char *separators; /* which characters end a key: ":" */
};

struct trailer {
    struct view key, value; /* trimmed; folded lines of the value are joined by one blank */
    int line;               /* in the message, from 1 */
};

struct trailer_list {
    struct trailer *at;
    size_t n;
    struct view body; /* the message without what is not of it: comments at its end, what scissors cut */
    size_t start;     /* where in the message the trailers start; == body.n when there are none */
};

bool trailer_parse(struct trailer_list *out, struct view message, const struct trailer_rules *rules,
                   struct arena *arena, struct status *st) STATUS_MUST_USE;

/* The last trailer of this key (case-insensitive), or NULL. */
const struct trailer *trailer_find(const struct trailer_list *list, const char *key);

/* Where the key of the line ends (the offset of its separator), or 0: not a "Key: value" line. */
size_t trailer_separator(struct view line, const char *separators);

/* The comment character that `core.commentChar=auto` chose: that of the block of comments at the end of the
 * message or before its scissors; "#" when there is none. */
const char *trailer_auto_comment(struct view message);

#endif
