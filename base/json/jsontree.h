/* jsontree: a JSON message from outside (RFC 8259) as a tree that may be asked anything, read by jansson.
 *
 * Owns:    the tree, from jsontree_parse to jsontree_free; nodes and texts live as long as it does.
 * Trusts:  nothing. Ill-formed UTF-8, a NUL escape, numbers out of range and nesting beyond 2048 levels
 * (jansson's limit) are errors; of two members of one name the last counts. Threads: one tree, one thread.
 *
 * Every question takes NULL for a node that is not there, and answers NULL or false, so that a path into a
 * document is written without a check at each step.
 */
#ifndef BASE_JSON_JSONTREE_H
#define BASE_JSON_JSONTREE_H

#include "base/jsonout.h"

struct json_t; /* jansson's */

enum jsontree_kind {
    JSONTREE_ABSENT,
    JSONTREE_NULL,
    JSONTREE_BOOL,
    JSONTREE_NUMBER,
    JSONTREE_TEXT,
    JSONTREE_ARRAY,
    JSONTREE_OBJECT
};

/* Any value, with nothing but blanks behind it. The message of *st says where it is wrong. */
bool jsontree_parse(struct json_t **out, struct view text, struct status *st) STATUS_MUST_USE;
void jsontree_free(struct json_t *root);

enum jsontree_kind jsontree_kind(const struct json_t *node);

/* A member of an object. */
const struct json_t *jsontree_get(const struct json_t *object, const char *key);

/* Of an array; 0 for anything else. */
size_t jsontree_count(const struct json_t *array);
const struct json_t *jsontree_at(const struct json_t *array, size_t i);

/* The text, or NULL for anything else. It holds no NUL. */
const char *jsontree_text(const struct json_t *node);
/* A whole number. */
bool jsontree_int(int64_t *out, const struct json_t *node);

/* Writes a null, boolean, number or text as it was read; anything else as null. */
void jsontree_echo(struct jsonout *out, const struct json_t *node);

#endif
