/* token_list: a growing list of ids. struct token_list is in tokenizer.h, which tells its owner to free it.
 */
#ifndef ENGINE_TOKEN_TOKEN_LIST_H
#define ENGINE_TOKEN_TOKEN_LIST_H

#include "engine/token/tokenizer.h"

bool token_list_add(struct token_list *list, int32_t id, struct status *st) STATUS_MUST_USE;

#endif
