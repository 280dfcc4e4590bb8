/* revrange: which commits of a range touch kernels of the matrix, and whether each says what it read first.
 *
 * Owns:    the open readers and an arena; revrange_close.
 * Trusts:  the matrix. Repository, range and messages are from outside.
 * Threads: one struct, one thread.
 *
 * A range is what a pull request is: the commits that B has and A has not, for "A..B", "A...B" and "A" (B is
 * HEAD then) alike; an empty side is HEAD; "B^!" is the one commit B. Every commit is judged by its own
 * message, read by the rules for commit messages with git's defaults ('#' starts a comment, ':' ends a key),
 * so that a laptop and a CI agree. A merge is judged by what it made itself (mergemade.h), or, with
 * first_parent, by all that it brings.
 *
 * Where a commit's own message does not cover it, these do, in this order:
 *   - the message that all of it will have (`message`: a squash message or the body of a pull request),
 *   - of a `fixup!`, `squash!` or `amend!`, the commit in the range that it will be folded into,
 *   - of a revert, the commit that it takes back, when it touches no other kernel file.
 *
 * Cheap questions come first: a commit's files, then its message, then the content of the files (a change of
 * comments and blanks only, or of a file that a generator wrote, is none). What cannot be read (a shallow or
 * partial clone) is an error that names the mend, never a verdict.
 */
#ifndef HOOKS_RANGE_REVRANGE_H
#define HOOKS_RANGE_REVRANGE_H

#include "git/history.h"
#include "hooks/gate/gate_priorart.h"
#include "hooks/gate/touched.h"

struct revrange_input {
    const struct matrix *matrix;
    bool (*load)(const struct reader **reader, struct status *st); /* libgit2's reader, or NULL */
    /* Gives the scanner, which names the kernels of a file that belongs to several operations; NULL, or
     * false: such a file touches all of them. */
    bool (*load_scan)(touched_scan **scan, struct status *st);
    const char *range; /* as it was typed */
    bool first_parent;
    bool squash;                /* judge the whole as one commit: its net change */
    const struct view *message; /* NULL: there is none */
};

enum revrange_state {
    REVRANGE_UNTOUCHED,  /* no kernel, or only its comments */
    REVRANGE_STAMPED,    /* its own trailer is valid */
    REVRANGE_BY_MESSAGE, /* `message` covers it */
    REVRANGE_BY_TARGET,  /* a fixup of a commit that is stamped */
    REVRANGE_REVERT,     /* of a commit that is stamped */
    REVRANGE_MISSING,    /* no trailer at all */
    REVRANGE_NEAR, /* one that git does not find, or that names something else; report.stamp says what */
    REVRANGE_STATES
};

struct revrange_commit {
    const char *oid;     /* of the last commit, where the whole is judged as one */
    struct view subject; /* the first line that is not empty */
    struct view message;
    bool merge;
    enum revrange_state state;
    struct gate_report report;
    const struct change *changes; /* report.findings[].hits[].change points among them */
    const int *lines;             /* for each of them the first line that changed, from 1 */
};

struct revrange {
    struct history *history;
    struct arena arena;
    const struct revrange_commit
        *at; /* those that touch kernel files, newest first; untouched ones left out */
    size_t n;
    size_t n_commits;               /* of the whole range */
    size_t counts[REVRANGE_STATES]; /* REVRANGE_UNTOUCHED: all others */
    const char *from, *to;          /* the two ends, as git takes them */
};

bool revrange_open(struct revrange *out, const struct revrange_input *in, struct status *st) STATUS_MUST_USE;
void revrange_close(struct revrange *range);

const char *revrange_state_name(enum revrange_state state); /* "stamped", "missing" ... */

/* How many need a trailer. */
size_t revrange_open_count(const struct revrange *range);

#endif
