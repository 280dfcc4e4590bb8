/* ladder: how a milestone ladder is shown: as text, as Markdown, as JSON.
 *
 * Owns:    nothing; everything is appended to the caller's text.
 * Trusts:  the matrix.
 * Threads: any.
 *
 * A ladder is external prior art in order of time: named, dated, linked techniques. The one thing it says of
 * us is the rung we stand on, and that is only what a witness backs.
 */
#ifndef LADDERS_LADDER_H
#define LADDERS_LADDER_H

#include "base/jsonout.h"
#include "base/term.h"
#include "sotadb/matrix.h"

/* The rung we stand on and the one after it; NULL: not on the ladder yet, or at its top. */
const struct rung *ladder_current(const struct matrix *m, const struct ladder *ladder);
const struct rung *ladder_next(const struct matrix *m, const struct ladder *ladder);

/* One ladder, rung by rung; `=>` is where we stand, `->` the next milestone, `+` what grew beside it. */
void ladder_text(struct str *out, const struct term *term, const struct matrix *m,
                 const struct ladder *ladder);
void ladder_markdown(struct str *out, const struct matrix *m, const struct ladder *ladder);
void ladder_json(struct jsonout *j, const struct matrix *m, const struct ladder *ladder);

/* Every ladder: its rung and its next milestone. */
void ladder_overview_text(struct str *out, const struct term *term, const struct matrix *m);
void ladder_overview_markdown(struct str *out, const struct matrix *m);

/* "L3 FlashAttention-2 (2023)", or or `otherwise` where there is none (NULL).
 */
void ladder_put_rung(struct str *out, const struct rung *rung, const char *otherwise);

#endif
