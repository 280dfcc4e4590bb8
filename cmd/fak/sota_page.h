/* sota_page: one operation of the matrix for people, as text and as Markdown.
 * Owns nothing. Trusts the matrix. Any thread.
 *
 * The order is that of the work: what to read, which route, what proves it, what is missing, where the code
 * is.
 */
#ifndef CMD_FAK_SOTA_PAGE_H
#define CMD_FAK_SOTA_PAGE_H

#include "base/term.h"
#include "sotadb/matrix.h"

/* All that the matrix knows of it. `why` says why it was found, or is "". */
void sota_page_text(struct str *out, const struct term *term, const struct matrix *m, const struct op *op,
                    const char *why);

/* What to read before touching it: one of several operations of a file. */
void sota_page_brief(struct str *out, const struct term *term, const struct matrix *m, const struct op *op,
                     const char *why);

/* Slug, status, title and why: one of many. */
void sota_page_head(struct str *out, const struct term *term, const struct op *op, const char *why);

void sota_page_markdown(struct str *out, const struct matrix *m, const struct op *op, const char *why);

/* The parts that an issue and a page share, in Markdown. */
void sota_page_markdown_references(struct str *out, const struct matrix *m, const struct op *op);
void sota_page_markdown_witnesses(struct str *out, const struct matrix *m, const struct op *op);

/* "cudaAWQCosineMin >= 0.995, recorded; " and the metric in words, or that alone where the lane is exact. */
void sota_page_floor(struct str *out, const struct witness *lane);

/* The trailer that a commit on this operation carries: sotadb/credit.h. */
void sota_page_trailer(struct str *out, const struct matrix *m, const struct op *op);

#endif
