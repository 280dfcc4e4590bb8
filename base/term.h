/* term: colour and links for people, plain text for pipes.
 *
 * Owns nothing. Trusts the caller's word on whether the stream is a terminal: base reads no environment.
 * Any thread.
 */
#ifndef BASE_TERM_H
#define BASE_TERM_H

#include "base/str.h"

enum term_style { TERM_PLAIN, TERM_BOLD, TERM_DIM, TERM_RED, TERM_GREEN, TERM_YELLOW, TERM_BLUE, TERM_CYAN };

struct term {
    bool colour; /* SGR sequences */
    bool links;  /* OSC 8 hyperlinks */
    int width;   /* columns; 80 when unknown */
};

/* Decides from facts the caller looked up: is it a terminal, NO_COLOR's value (NULL if unset; any
 * non-empty value switches colour off, no-color.org), TERM's value, the width in columns (0: unknown). */
struct term term_decide(bool is_terminal, const char *no_color, const char *term_name, int width);

/* Text from outside, such as a file's name: control characters (C0, DEL, C1) and bytes that are no UTF-8 are
 * shown as \xNN, not sent. */
void term_safe(struct str *out, const char *text);

/* text in a style, or plain when colour is off. */
void term_put(struct str *out, const struct term *term, enum term_style style, const char *text);

/* The same, and blanks up to `width` columns. */
void term_cell(struct str *out, const struct term *term, enum term_style style, int width, const char *text);

/* How many columns a text takes: characters are counted, our own texts hold no wide ones. */
int term_columns(const char *text);

/* text linked to url; without links only the text. */
void term_link(struct str *out, const struct term *term, const char *url, const char *text);

/* text folded at blanks to term->width, and where it has a '\n', every line but the first indented by
 * `indent` blanks; the first is taken to start at column `indent` already. Ends with '\n'. */
void term_fold(struct str *out, const struct term *term, int indent, const char *text);

#endif
