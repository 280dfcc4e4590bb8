/* spm: sentencepiece's BPE: characters are merged by the scores of the pieces they make, what is left over
 * becomes byte tokens (sentencepiece src/bpe_model.cc).
 *
 * Owns nothing. Trusts: text is well-formed UTF-8. Threads: struct merge is the caller's.
 */
#ifndef ENGINE_TOKEN_SPM_H
#define ENGINE_TOKEN_SPM_H

#include "engine/token/merge.h"
#include "engine/token/tokenizer.h"
#include "engine/token/vocab.h"

/* Appends the ids of text, in which spaces are spaces. A character that is neither a piece nor has byte
 * tokens becomes `unknown`, one for a run of them; with unknown = -1 it is an error. */
bool spm_encode(struct token_list *out, const struct vocab *v, struct view text, int32_t unknown,
                struct merge *work, struct status *st) STATUS_MUST_USE;

#endif
