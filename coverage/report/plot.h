/* plot: the debt of a history as one SVG picture, made to be put in a slide: debt above, kernels below, on
 * one axis of time.
 *
 * Owns:    nothing; appends to the caller's text.
 * Trusts:  the ledger, not the names in it: what XML cannot carry is replaced.
 * Threads: any.
 *
 * One point a commit of the mainline; where commits stand closer than a pixel, the last of them. No script,
 * no font, no link: it looks the same everywhere. Its rules hold within .debt-plot alone, so that a page may
 * take it in (webpage.h).
 */
#ifndef COVERAGE_REPORT_PLOT_H
#define COVERAGE_REPORT_PLOT_H

#include "coverage/history/ledger.h"

void plot_svg(struct str *out, const struct ledger *ledger, const struct tree *tree);

#endif
