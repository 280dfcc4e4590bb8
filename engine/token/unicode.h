/* unicode: the classes of characters that tokenizers ask for, by utf8proc's tables. Owns nothing, trusts
 * nothing, any thread. */
#ifndef ENGINE_TOKEN_UNICODE_H
#define ENGINE_TOKEN_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

bool unicode_is_space(uint32_t c); /* White_Space */
bool unicode_is_mark(uint32_t c);  /* general category M */
bool unicode_is_word(uint32_t c);  /* \w of Unicode TR 18: letters, marks, digits, connectors, joiners */

#endif
