/* tokenizer_batch: a line of JSON in, a line of JSON out: `fak tokenize --batch` and `fak detokenize
 * --batch`.
 *
 * Owns nothing. Trusts nothing: a line that is wrong is answered {"error": why}. Any thread.
 */
#ifndef ENGINE_TOKEN_TOKENIZER_BATCH_H
#define ENGINE_TOKEN_TOKENIZER_BATCH_H

#include "engine/token/tokenizer.h"

/* {"text" or "text_b64", "add_special", "parse_special"} -> {"ids", "pieces_b64"}; what is left out is as in
 * `defaults`. */
void tokenizer_batch_encode(struct str *out, const struct tokenizer *t, struct view line,
                            struct tokenizer_options defaults);

/* {"ids", "keep_special"} -> {"text", "text_b64"}: the text as a stream shows it, and its bytes. */
void tokenizer_batch_decode(struct str *out, const struct tokenizer *t, struct view line, bool keep_special);

/* Its answer, for a text. */
void tokenizer_batch_text(struct str *out, struct view text);

#endif
