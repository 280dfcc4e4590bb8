/* tokenizer_write: the tokenizer of a Hugging Face directory as GGUF's metadata.
 *
 * Owns:    nothing.
 * Trusts:  nothing: what is written is read back and has to cut the same probe texts into the same ids.
 * Threads: any.
 */
#ifndef ENGINE_TOKEN_TOKENIZER_WRITE_H
#define ENGINE_TOKEN_TOKENIZER_WRITE_H

#include "engine/file/ggufwrite.h"

/* Writes tokenizer.ggml.* from DIR/tokenizer.json, and tokenizer.chat_template where the directory has one.
 * Byte-level BPE and BPE with byte fallback; others are refused by name. GGUF has names for pre-tokenizers
 * where a tokenizer.json has rules: the one is taken whose ids are those of the tokenizer.json on all probes,
 * and when none is, that is said. Ids up to n_vocab, the rows of the token table, are filled with unused
 * tokens. */
bool tokenizer_write(struct ggufwrite *w, const char *dir, size_t n_vocab, struct status *st) STATUS_MUST_USE;

#endif
