/* rangework: one commit while revrange judges it. Not for others.
 *
 * Owns:    nothing; everything lives in the range's arena.
 * Trusts, threads: as revrange.h.
 */
#ifndef HOOKS_RANGE_RANGEWORK_H
#define HOOKS_RANGE_RANGEWORK_H

#include "hooks/range/revrange.h"
#include "hooks/range/squashed.h"

struct judge {
    struct revrange *range;
    const struct revrange_input *in;
    struct squashed squashed; /* in->message, cut into its parts */
    struct history_list list;
    touched_scan *scan; /* NULL: there is none, or it was not asked for yet */
    bool scan_asked;
};

struct work {
    struct judge *judge;
    const struct history_commit *commit; /* NULL: the whole range as one */
    const char *before;                  /* what it is compared with, or "" */
    struct change_list covered;          /* its changes of kernel files, by path */
    int *lines;                          /* for each of them the first that changed */
    struct touched *touched;             /* and its kernels, where they decide; NULL: nobody looked yet */
    struct revrange_commit out;
};

/* Is it judged by what the merge made itself? */
bool rangework_is_merge(const struct work *work);

/* --- rangewords.c: what messages say ----------------------------------------------------------------------
 */

bool rangewords_read(struct view *out, struct revrange *range, const char *oid,
                     struct status *st) STATUS_MUST_USE;
struct view rangewords_subject(struct view message);

/* Fills work->out.report and state from what it touches now, by its own message and by those of others. */
bool rangewords_judge(struct work *work, struct status *st) STATUS_MUST_USE;

/* --- rangecode.c: what the files say ----------------------------------------------------------------------
 */

/* Takes changes of comments and blanks, and generated files, out of work->covered; fills lines and touched.
 */
bool rangecode_drop_silent(struct work *work, struct status *st) STATUS_MUST_USE;

#endif
