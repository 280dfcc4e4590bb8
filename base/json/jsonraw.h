/* jsonraw: the members of a JSON object as text, unread: for those who hand a value on, and for numbers that
 * no C type holds. Owns nothing, any thread.
 *
 * Trusts:  nothing. It finds where a value ends and no more: whoever reads it has to check it. Names are
 * compared as they are written, so one with an escape in it is not found.
 */
#ifndef BASE_JSON_JSONRAW_H
#define BASE_JSON_JSONRAW_H

#include "base/str.h"

#include <stdbool.h>

/* The next member of an object: *at starts as 0 and goes on. False: there is none, or the text is no object
 * from there on; jsonraw_ended tells the two apart. */
bool jsonraw_next(struct view *name, struct view *value, struct view object, size_t *at);
bool jsonraw_ended(struct view object, size_t at);

/* The value of a member (of two with one name the last), or an empty view. */
struct view jsonraw_member(struct view object, const char *name);

#endif
