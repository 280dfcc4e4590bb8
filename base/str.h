/* str: a growable text, and views into text.
 *
 * Owns:    struct str owns its bytes; struct view owns nothing.
 * Trusts:  nothing; lengths are explicit, NUL bytes are ordinary.
 * Threads: one struct, one thread.
 *
 * A struct str that could not grow remembers it (`failed`), drops what did not fit and stays valid, so that
 * a long piece of printing is checked once, at its end, with str_ok.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/status.h"

#include <stdarg.h>
#include <stddef.h>

struct view {
    const char *at; /* not NUL-terminated */
    size_t n;
};

struct str {
    char *at; /* NUL-terminated once anything was added; NULL when empty */
    size_t n, room;
    bool failed;
};

/* --- views ------------------------------------------------------------------------------------------ */

struct view view_of(const char *text); /* of a C string; NULL gives an empty view */
bool view_equal(struct view a, struct view b);
bool view_is(struct view a, const char *text);
bool view_starts(struct view a, const char *prefix);
bool view_ends(struct view a, const char *suffix);
/* The next line of *rest without its '\n' (a '\r' before it stays); false when nothing is left. */
bool view_line(struct view *line, struct view *rest);
struct view view_trim(struct view a); /* without ASCII blanks at both ends */

/* At most 64 bytes of a name from outside, safe to put into a message: anything but printable ASCII becomes
 * '?', a cut shows as "...". Returns out. */
enum { VIEW_SHOWN = 68 };
const char *view_shown(char out[VIEW_SHOWN], struct view name);

/* --- growing ---------------------------------------------------------------------------------------- */

void str_add(struct str *s, const char *bytes, size_t n);
void str_puts(struct str *s, const char *text);
void str_putc(struct str *s, char c);
void str_printf(struct str *s, const char *format, ...) STATUS_PRINTF(2, 3);
void str_vprintf(struct str *s, const char *format, va_list args);
void str_clear(struct str *s);          /* keeps the room, and remembers what was lost before */
void str_free(struct str *s);           /* empty again */
const char *str_c(const struct str *s); /* never NULL */
bool str_ok(const struct str *s, struct status *st) STATUS_MUST_USE;

#endif
