/* tokenizer_write: the tokenizer of a Hugging Face directory as GGUF's metadata.
 *
 * Owns:    nothing.
 * Trusts:  nothing: what is written is read back and has to cut the same probe texts into the same ids.
 * Threads: any.
 */
#ifndef ENGINE_TOKEN_TOKENIZER_WRITE_H
#define ENGINE_TOKEN_TOKENIZER_WRITE_H

#include "engine/file/ggufwrite.h"

/* Writes tokenizer.ggml.* from DIR/tokenizer.json or, without one, DIR/tokenizer.model, and
 * tokenizer.chat_template where the directory has one: byte-level BPE ("gpt2"), BPE with byte fallback
 * ("llama", or "gemma4" where scores cannot say the order of merges) and Unigram ("t5").
 *
 * GGUF has names and flags where a tokenizer.json has rules: those are taken whose ids are those of the file
 * on all probes, and when none are, that is said. Unigram with byte fallback and BPE with a charsmap cannot
 * be said and are refused. Two rules go under keys that only fak reads (tokenizer_parts.h): a space in front
 * of a text only where it has none, and a charsmap that is asked for clusters. lstrip, rstrip, single_word
 * and normalized of an added token have no word in GGUF and are left out, as llama.cpp's converter does.
 *
 * Ids up to n_vocab, the rows of the token table, are filled with unused tokens. */
bool tokenizer_write(struct ggufwrite *w, const char *dir, size_t n_vocab, struct status *st) STATUS_MUST_USE;

#endif
