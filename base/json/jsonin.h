/* jsonin: JSON from outside, read by jansson within bounds.
 *
 * Owns:    the values; the text stays the caller's and must live as long.
 * Trusts:  nothing: depth is bounded, a key that stands twice in an object is refused, memory is some forty
 *          times the text at worst.
 * Threads: one document, one thread.
 *
 * Values are jansson's json_t. Refusals name the file and the byte; the place of a value that parsed is found
 * again by its key.
 */
#ifndef BASE_JSON_JSONIN_H
#define BASE_JSON_JSONIN_H

#include "base/str.h"

#include <jansson.h>

enum { JSONIN_DEPTH = 64 };

struct jsonin {
    json_t *root; /* an object */
    const char *path;
    struct view text;
    size_t offset; /* of the text in the file */
};

/* `what` ("header", "config") names the text in messages. The root has to be an object. */
bool jsonin_open(struct jsonin *out, const char *path, struct view text, size_t offset, const char *what,
                 struct status *st) STATUS_MUST_USE;
void jsonin_close(struct jsonin *doc); /* an empty one is fine */

/* Where in the file the first "key" stands, else where the text begins. */
size_t jsonin_offset(const struct jsonin *doc, struct view key);

/* Typed reads of a member, absent or null: `otherwise` and true. Wrong types and numbers out of range are
 * refused with file, byte, key and what it should be. */
bool jsonin_size(size_t *out, const struct jsonin *doc, const json_t *object, const char *key,
                 size_t otherwise, struct status *st) STATUS_MUST_USE;
bool jsonin_number(double *out, const struct jsonin *doc, const json_t *object, const char *key,
                   double otherwise, struct status *st) STATUS_MUST_USE;
bool jsonin_bool(bool *out, const struct jsonin *doc, const json_t *object, const char *key, bool otherwise,
                 struct status *st) STATUS_MUST_USE;
bool jsonin_string(struct view *out, const struct jsonin *doc, const json_t *object, const char *key,
                   const char *otherwise, struct status *st) STATUS_MUST_USE;
/* An object or an array (`type`), NULL when absent. */
bool jsonin_child(json_t **out, const struct jsonin *doc, const json_t *object, const char *key,
                  json_type type, struct status *st) STATUS_MUST_USE;

#endif
