/* webpage: the report as one HTML page that needs nothing else: no network, no font, no second file.
 *
 * Owns:    nothing; appends to the caller's text.
 * Trusts:  the report's parts, not the names and texts in them: all are escaped, links are http(s) only, and
 *          the page forbids itself to load anything (Content-Security-Policy).
 * Threads: any.
 *
 * Same report, same bytes: no time, no absolute path. Everything reads without scripts; webpage.js adds the
 * filter, the sorting and links to a filtered table (#q=attention&status=shipped).
 */
#ifndef COVERAGE_WEBPAGE_WEBPAGE_H
#define COVERAGE_WEBPAGE_WEBPAGE_H

#include "coverage/report/scorecard.h"

struct webpage_about {
    const char *name;     /* of the repository: the folder's */
    const char *revision; /* what was read: a commit, or "working tree" */
    const char *plot;     /* the history as an SVG element (plot.h), or "": there is none */
    const char *no_plot;  /* why there is none, or "": it was not asked for */
    struct view style, script;
};

void webpage_html(struct str *out, const struct report *report, const struct webpage_about *about);

/* Its sections, one file each. */
void webpage_gaps(struct str *out, const struct report *report);
void webpage_matrix(struct str *out, const struct report *report, const struct scorecard_tally *tally);
void webpage_kernels(struct str *out, const struct report *report, const struct scorecard_tally *tally);
void webpage_ladders(struct str *out, const struct matrix *m);

/* <section id="ID"><h2>title <span class="count">n</span></h2> */
void webpage_section(struct str *out, const char *id, const char *title, size_t n);

/* "awq-gemm", linked to its row of the table. */
void webpage_op_link(struct str *out, const char *slug);

#endif
