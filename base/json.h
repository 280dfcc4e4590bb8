/* json: writes JSON, compact or indented, and never an invalid document.
 *
 * Owns:    nothing but the nesting state; the text goes to a struct str.
 * Trusts:  the caller to pair begin and end (asserted). Text may hold any bytes: ill-formed UTF-8 becomes
 *          U+FFFD, control characters are escaped.
 * Threads: one writer, one thread.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/str.h"

#include <stdint.h>

enum { JSON_DEPTH = 32 };

struct json {
    struct str *out;
    int indent; /* blanks a level; 0 writes one line */
    int depth;
    bool has_item[JSON_DEPTH], in_object[JSON_DEPTH], after_key;
};

void json_init(struct json *j, struct str *out, int indent);

void json_begin_object(struct json *j);
void json_end_object(struct json *j);
void json_begin_array(struct json *j);
void json_end_array(struct json *j);

void json_key(struct json *j, const char *key);
void json_string(struct json *j, const char *text); /* NULL writes null */
void json_view(struct json *j, struct view text);
void json_int(struct json *j, int64_t value);
void json_double(struct json *j,
                 double value); /* shortest of 17 digits that reads back; NaN and infinity: null */
void json_bool(struct json *j, bool value);
void json_null(struct json *j);

/* key and value in one call */
void json_pair_string(struct json *j, const char *key, const char *text);
void json_pair_int(struct json *j, const char *key, int64_t value);
void json_pair_double(struct json *j, const char *key, double value);
void json_pair_bool(struct json *j, const char *key, bool value);

#endif
