/* objid: object names, and the proof that bytes are the object that a name stands for.
 *
 * Owns:    nothing.
 * Trusts:  nothing.
 * Threads: any.
 *
 * A name is the SHA-1 (20 bytes) or SHA-256 (32 bytes) of "TYPE LENGTH\0" and the content
 * (git, Documentation/technical/hash-function-transition).
 */
#ifndef GIT_INDEX_OBJID_H
#define GIT_INDEX_OBJID_H

#include "base/str.h"
#include "git/change.h"

#include <stdint.h>

enum { OBJID_SHA1 = 20, OBJID_SHA256 = 32, OBJID_MAX = 32 };

/* out = the n-byte name in hexadecimal. */
void objid_to_text(char out[OID_TEXT], const uint8_t *id, size_t n);

/* id = the n bytes that exactly 2 n hexadecimal digits stand for; false when the text is anything else. */
bool objid_from_text(uint8_t id[OBJID_MAX], struct view text, size_t n);

bool objid_is_zero(const uint8_t *id, size_t n);

/* out = the hash of `size` bytes, by SHA-1 or SHA-256 as n says. */
void objid_hash(uint8_t out[OBJID_MAX], size_t n, const void *bytes, size_t size);

/* out = the name of the object of a type ("tree") with this content. */
void objid_name(uint8_t out[OBJID_MAX], size_t n, const char *type, const void *bytes, size_t size);

#endif
