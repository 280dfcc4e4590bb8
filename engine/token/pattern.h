/* pattern: a regular expression as tokenizer.json means it: Oniguruma's, with Ruby syntax and Unicode
 * classes.
 *
 * Owns:    a pattern its compiled form; a search its registers and limits.
 * Trusts:  the text to be well-formed UTF-8. Not the expression, nor how long the text is: every search has a
 *          limit of steps, so that none runs for ever.
 * Threads: a pattern is constant after open; a search belongs to one thread.
 */
#ifndef ENGINE_TOKEN_PATTERN_H
#define ENGINE_TOKEN_PATTERN_H

#include "base/status.h"
#include "base/str.h"

#include <stdbool.h>

struct pattern;
struct pattern_search;

/* An expression that Oniguruma refuses is refused with its reason. */
bool pattern_open(struct pattern **out, struct view expression, struct status *st) STATUS_MUST_USE;
/* The pattern that finds `text` itself, which is not empty. */
bool pattern_open_literal(struct pattern **out, struct view text, struct status *st) STATUS_MUST_USE;
void pattern_close(struct pattern *p); /* NULL is fine */

/* What searches of texts of at most n bytes need. NULL and *st when memory is short. */
struct pattern_search *pattern_search_open(size_t n, struct status *st);
void pattern_search_close(struct pattern_search *s); /* NULL is fine */

enum pattern_found { PATTERN_NONE, PATTERN_FOUND, PATTERN_FAILED };

/* The first match at or after byte `from`: bytes [*start, *end) of the text, maybe none. PATTERN_FAILED: it
 * gave up, and *st says so. */
enum pattern_found pattern_find(size_t *start, size_t *end, const struct pattern *p, struct pattern_search *s,
                                struct view text, size_t from, struct status *st);

/* Where to look on after a match: behind it, and behind one character more when it was empty. */
size_t pattern_next(struct view text, size_t start, size_t end);

#endif
