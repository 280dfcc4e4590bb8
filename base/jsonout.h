/* jsonout: writes JSON, compact or indented, and never an invalid document.
 *
 * Owns:    nothing but the nesting state; the text goes to a struct str.
 * Trusts:  the caller to pair begin and end (asserted). Text may hold any bytes: ill-formed UTF-8 becomes
 *          U+FFFD, control characters are escaped.
 * Threads: one writer, one thread.
 *
 * The prefix is not json_: jansson, which the tests read JSON with, has that one.
 */
#ifndef BASE_JSONOUT_H
#define BASE_JSONOUT_H

#include "base/str.h"

#include <stdint.h>

enum { JSONOUT_DEPTH = 32 };

struct jsonout {
    struct str *out;
    int indent; /* blanks a level; 0 writes one line */
    int depth;
    bool has_item[JSONOUT_DEPTH], in_object[JSONOUT_DEPTH], after_key;
};

void jsonout_init(struct jsonout *j, struct str *out, int indent);

void jsonout_begin_object(struct jsonout *j);
void jsonout_end_object(struct jsonout *j);
void jsonout_begin_array(struct jsonout *j);
void jsonout_end_array(struct jsonout *j);

void jsonout_key(struct jsonout *j, const char *key);
void jsonout_string(struct jsonout *j, const char *text); /* NULL writes null */
void jsonout_view(struct jsonout *j, struct view text);
void jsonout_int(struct jsonout *j, int64_t value);
void jsonout_double(struct jsonout *j,
                    double value); /* shortest of 17 digits that reads back; NaN and infinity: null */
void jsonout_bool(struct jsonout *j, bool value);
void jsonout_null(struct jsonout *j);

/* key and value in one call */
void jsonout_pair_string(struct jsonout *j, const char *key, const char *text);
void jsonout_pair_int(struct jsonout *j, const char *key, int64_t value);
void jsonout_pair_double(struct jsonout *j, const char *key, double value);
void jsonout_pair_bool(struct jsonout *j, const char *key, bool value);

#endif
