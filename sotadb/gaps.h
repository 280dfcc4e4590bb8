/* gaps: what the matrix itself says is missing, row by row. No tree is looked at (coverage/ does that).
 *
 * Owns:    nothing.
 * Trusts:  the matrix.
 * Threads: any.
 *
 * This is how the next piece of work is chosen: code that runs without a witness comes first, because nothing
 * may be borrowed before the witness of the current path exists; then lanes whose witness has no acceptance
 * run or whose floor nobody measured; rows that are only planned come last, and are one gap each.
 */
#ifndef SOTADB_GAPS_H
#define SOTADB_GAPS_H

#include "sotadb/matrix.h"

enum gap_kind {                    /* the order in which they are taken up */
                GAP_NO_WITNESS,    /* code, and no witness at all */
                GAP_NO_TEST,       /* a device whose witness names no test */
                GAP_NO_ACCEPTANCE, /* a device lane (not cpu) without an acceptance row */
                GAP_NO_FLOOR,      /* a named floor without a value */
                GAP_NOT_MEASURED,  /* a floor that is recorded from elsewhere and was never measured here */
                GAP_NO_PATH,       /* not planned, and no file */
                GAP_PLANNED,       /* nothing there yet */
                GAP_KINDS
};

struct gap {
    enum gap_kind kind;
    const struct op *op;
    const struct witness *witness; /* the lane that is meant, or NULL: the whole operation */
};

/* "no witness", "floor not measured" ...: what one would say of the row. */
const char *gap_name(enum gap_kind kind);

/* Of one operation, or of all (NULL), in the order of enum gap_kind, within one kind by slug. Fills at most
 * `room`, returns how many there are. */
size_t gaps_find(const struct matrix *m, const struct op *only, struct gap *out, size_t room);

/* Does every row of the operation's paths say that the file is not there yet (or is there no row)? */
bool gaps_no_file(const struct matrix *m, const struct op *op);

#endif
