/* tokenizer: text to ids and back, as the model's own file says.
 *
 * Owns:    the vocabulary's tables, in an arena of its own.
 * Trusts:  nothing; what a file claims is checked when it is opened.
 * Threads: constant after open; a struct tokenizer_stream belongs to one thread.
 */
#ifndef ENGINE_TOKEN_TOKENIZER_H
#define ENGINE_TOKEN_TOKENIZER_H

#include "base/status.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gguf;
struct tokenizer;

struct token_list {
    int32_t *ids;
    size_t n, room;
};
void token_list_free(struct token_list *list);

/* From a path: a GGUF file, a tokenizer.json or a tokenizer.model, told apart by what is in them, and nothing
 * beside the file is read; or a directory (or a safetensors file in it) with a tokenizer.json or, without
 * one, a tokenizer.model, whose tokenizer_config.json, generation_config.json and config.json say which
 * tokens begin and end a text. */
bool tokenizer_open(struct tokenizer **out, const char *path, struct status *st) STATUS_MUST_USE;

/* From a GGUF file's tokenizer.ggml.* metadata: "llama" (SPM with byte fallback), "gpt2" (byte-level BPE;
 * pre-tokenizers: engine/token/pretokenizers.inc), "gemma4" (BPE of characters) or "t5" (Unigram). An unknown
 * kind or pre-tokenizer is refused by name. The file must outlive the tokenizer. */
bool tokenizer_open_gguf(struct tokenizer **out, const struct gguf *file, struct status *st) STATUS_MUST_USE;

/* From the text of a tokenizer.json (Hugging Face tokenizers): BPE and Unigram. What it asks for and we do
 * not do is refused by name. `name` stands for the path in messages; the bytes are not needed afterwards. */
bool tokenizer_open_json(struct tokenizer **out, const char *name, struct view json,
                         struct status *st) STATUS_MUST_USE;

/* From the bytes of a tokenizer.model (sentencepiece): BPE and Unigram. */
bool tokenizer_open_sentencepiece(struct tokenizer **out, const char *name, struct view bytes,
                                  struct status *st) STATUS_MUST_USE;
void tokenizer_close(struct tokenizer *t);

struct tokenizer_options {
    /* put the leading token that the model asks for, and the closing one (few ask for it) */
    bool add_special;
    /* special tokens written in the text become themselves; off: they are ordinary text, while user-defined
     * tokens are found all the same */
    bool parse_special;
};

/* Appends the ids of `text` to *out. Ill-formed UTF-8 is read as U+FFFD, one for each maximal part. */
bool tokenizer_encode(struct token_list *out, const struct tokenizer *t, struct view text,
                      struct tokenizer_options options, struct status *st) STATUS_MUST_USE;

/* The same for a text of which a part is a user's: marks[i] != 0 where byte i is. No special token is read
 * there, nor a user-defined one but words and white space (<think>, [INST] and the like frame chats too), so
 * that a text cannot break out of its message; all else is cut and merged as if there were no marks. The text
 * has to be well-formed UTF-8. */
bool tokenizer_encode_marked(struct token_list *out, const struct tokenizer *t, struct view text,
                             const unsigned char *marks, struct tokenizer_options options,
                             struct status *st) STATUS_MUST_USE;

/* The bytes of one id, or an empty view for an id out of range. For a byte token: that byte. */
struct view tokenizer_piece(const struct tokenizer *t, int32_t id);

/* "normal", "control", "user-defined", "byte", "unused" or "unknown"; "none" for an id out of range. */
const char *tokenizer_token_kind(const struct tokenizer *t, int32_t id);

/* Streaming: appends to *out what id adds to the text, holding back up to three bytes that may still become
 * one character. tokenizer_stream_end gives the rest (a cut character becomes U+FFFD). Control tokens
 * (begin, end, <|im_end|> ...) are kept when `keep_special`, else they add nothing. */
struct tokenizer_stream {
    const struct tokenizer *tokenizer;
    bool keep_special, started;
    char held[4];
    size_t n_held;
};
void tokenizer_stream_begin(struct tokenizer_stream *s, const struct tokenizer *t, bool keep_special);
void tokenizer_stream_put(struct tokenizer_stream *s, int32_t id, struct str *out);
void tokenizer_stream_end(struct tokenizer_stream *s, struct str *out);

/* Appends the text of n ids, as a stream from begin to end gives it. */
void tokenizer_decode(struct str *out, const struct tokenizer *t, const int32_t *ids, size_t n,
                      bool keep_special);

size_t tokenizer_n_vocab(const struct tokenizer *t);
int32_t tokenizer_bos(const struct tokenizer *t); /* -1: none */
int32_t tokenizer_eos(const struct tokenizer *t); /* -1: none */
/* What add_special puts in front of a text: *n ids, often the begin token alone or none. */
const int32_t *tokenizer_front(size_t *n, const struct tokenizer *t);
bool tokenizer_adds_bos(const struct tokenizer *t);           /* is the begin token among them? */
bool tokenizer_is_end(const struct tokenizer *t, int32_t id); /* ends a reply: eos, eot */
const char *tokenizer_kind(const struct tokenizer *t);        /* "SPM", "byte-level BPE (smollm)" */

#endif
