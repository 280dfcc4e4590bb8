/* page: the pages under docs/ that are rendered from the matrix, in GitHub's Markdown.
 *
 * Owns:    nothing; text goes to a struct str.
 * Trusts:  the matrix.
 * Threads: any.
 */
#ifndef CMD_SOTAC_PAGE_H
#define CMD_SOTAC_PAGE_H

#include "sotadb/matrix.h"

typedef void page_render(struct str *out, const struct matrix *m);

struct page {
    const char *name; /* "sota-matrix.md" */
    page_render *render;
};

extern const struct page pages[]; /* ended by a NULL name */

page_render page_matrix, page_ladders, page_benchmarks, page_hardware;

/* The first lines of every page: its title, and that it is rendered. */
void page_head(struct str *out, const char *title);

/* | cell | cell | ... |, escaped; `cells` ends with NULL. */
void page_row(struct str *out, const char *const *cells);

/* "1234.5 tok/s" */
void page_number(struct str *out, const struct bench *row);

#endif
