/* html: text that stays text when it is written into a page.
 * Owns nothing, trusts nothing, any thread. */
#ifndef BASE_HTML_H
#define BASE_HTML_H

#include "base/str.h"

/* `text` as the content of an element or of an attribute in double quotes. Control characters and bytes that
 * are no UTF-8 are shown as \xNN, so that the page is valid whatever a path holds. */
void html_text(struct str *out, const char *text);

/* The same, and line breaks in it are line breaks in the page. */
void html_lines(struct str *out, const char *text);

/* <NAME class="CLASS">text</NAME>; without a class when it is "". The name and the class are ours. */
void html_element(struct str *out, const char *name, const char *class, const char *text);

/* A link; only the text when url is neither http nor https, so that no row can plant a script. */
void html_link(struct str *out, const char *text, const char *url);

#endif
