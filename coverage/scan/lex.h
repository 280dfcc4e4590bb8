/* lex: the tokens of C and everything that looks like it (C++, CUDA, HIP, Metal, OpenCL, GLSL, HLSL).
 *
 * Owns:    struct lex owns its arrays; offsets point into the text it was given.
 * Trusts:  nothing: any bytes, any nesting. Linear time, 20 bytes a token.
 * Threads: one struct, one thread.
 *
 * Comments are dropped; string and character literals (raw ones too) are one token each; preprocessor
 * lines are kept apart as directives. Brackets carry their depth, an opening and its closing one the same.
 * At #else and #elif depths return to what they were at #if, so that branches which each open a brace of
 * their own (llama.cpp's ggml-quants.c does) do not unbalance what follows. What stands under `#if 0` is no
 * code.
 */
#ifndef COVERAGE_SCAN_LEX_H
#define COVERAGE_SCAN_LEX_H

#include "base/str.h"

#include <stdint.h>

enum { LEX_TOKENS = 6000000 }; /* of a file that is read: more are left out, and lex.full says so */

enum lex_kind { LEX_NAME, LEX_NUMBER, LEX_STRING, LEX_PUNCT };

struct lex_token {
    uint32_t begin, end;
    uint32_t close;        /* of a bracket that opens: lex_close */
    uint16_t brace, paren; /* depth of {} and of ()[] around the token, at most 65535 */
    uint8_t kind;
};

enum lex_branch { LEX_PLAIN, LEX_IF, LEX_ELSE, LEX_ENDIF, LEX_DEFINE, LEX_INCLUDE };

struct lex_directive {
    uint32_t begin, end; /* from '#' to the newline that ends it, which is not part of it */
    uint32_t rest;       /* what follows the directive's name */
    uint8_t branch;
    bool dead; /* LEX_IF and LEX_ELSE: the condition is the literal 0, or follows a literal 1 */
};

struct lex {
    struct view text;
    struct lex_token *tokens;
    size_t n_tokens, room_tokens;
    struct lex_directive *directives;
    size_t n_directives, room_directives;
    bool full;
};

/* text of less than 4 GiB */
bool lex_text(struct lex *lex, struct view text, struct status *st) STATUS_MUST_USE;
void lex_free(struct lex *lex);

struct view lex_view(const struct lex *lex, size_t token); /* an empty view past the end */
bool lex_is(const struct lex *lex, size_t token, const char *text);
bool lex_is_name(const struct lex *lex, size_t token);

/* The token that closes the '{', '(' or '[' at `open`, or n_tokens when nothing does. */
size_t lex_close(const struct lex *lex, size_t open);

/* What an include names between quotation marks; false when it names none, or between < and >. */
bool lex_quoted(struct view *name, const struct lex *lex, const struct lex_directive *include);

/* The first token that begins at or after `offset`. */
size_t lex_at(const struct lex *lex, size_t offset);

#endif
