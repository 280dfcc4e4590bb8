/* template: a model's chat template, rendered as Hugging Face transformers renders it.
 *
 * The language is Jinja as transformers 5 sets it up (jinja2 3.1, ImmutableSandboxedEnvironment):
 * trim_blocks, lstrip_blocks, loop controls, `generation` blocks, its own tojson, raise_exception,
 * strftime_now. A template sees its variables and nothing else: it can neither read nor change anything
 * outside.
 *
 * Owns:    struct template its syntax tree; struct template_text its bytes. Everything else of a rendering
 *          lies in an arena that is gone when the call returns.
 * Trusts:  nothing. A template ends: steps, nesting, output and memory are bounded (TEMPLATE_*), and it is
 *          refused with the line and the reason. Text from outside is marked, see struct template_text.
 * Threads: a struct template is constant after open.
 */
#ifndef ENGINE_TOKEN_TEMPLATE_H
#define ENGINE_TOKEN_TEMPLATE_H

#include "engine/token/tokenizer.h"

#include <time.h>

enum {
    TEMPLATE_SOURCE = 4 << 20,  /* bytes of a template */
    TEMPLATE_STEPS = 8000000,   /* nodes evaluated, and blocks of 64 bytes moved */
    TEMPLATE_OUTPUT = 64 << 20, /* bytes of a text */
    TEMPLATE_MEMORY = 192 << 20 /* bytes of all values together */
};

/* What went wrong, by the class of error that jinja2 and Python would raise. */
enum template_kind {
    TEMPLATE_NO_FAULT,
    TEMPLATE_RAISED, /* raise_exception: the message is the template's own */
    TEMPLATE_SYNTAX,
    TEMPLATE_UNDEFINED,
    TEMPLATE_TYPE,
    TEMPLATE_SECURITY,
    TEMPLATE_RUNTIME,
    TEMPLATE_VALUE,
    TEMPLATE_OVERFLOW,
    TEMPLATE_ZERO_DIVISION,
    TEMPLATE_RECURSION,
    TEMPLATE_ARGUMENT,
    TEMPLATE_LIMIT, /* one of the limits above */
};

struct template_fault {
    enum template_kind kind;
    int line; /* of the template; 0: the fault is not in it */
    char message[400];
};

/* "raise", "syntax", "zero-division" ... */
const char *template_kind_name(enum template_kind kind);

struct template;

/* Reads a template (UTF-8). On false the fault tells kind, line and message; *st has them as one sentence. */
bool template_open(struct template **out, struct view source, struct template_fault *fault,
                   struct status *st) STATUS_MUST_USE;
void template_close(struct template *t);

/* What is rendered. Views of JSON text; an empty one: the variable is None (messages: an empty list). */
struct template_input {
    struct view messages, tools, documents; /* arrays; their texts are marked */
    struct view context;                    /* an object: further variables, not marked */
    struct view bos, eos;                   /* the texts of these tokens, bos_token and eos_token */
    bool add_generation_prompt;
    bool continue_final_message; /* end the text right behind the last message's content */
    const struct tm *now;        /* for strftime_now; NULL: the local time */
};

/* A rendered text. marks[i] != 0: byte i came out of messages, tools or documents, however it was cut, joined
 * or escaped on its way. marks is NULL when no byte did. */
struct template_text {
    char *at;
    unsigned char *marks;
    size_t n;
};
void template_text_free(struct template_text *text);

bool template_render(struct template_text *out, const struct template *t, const struct template_input *input,
                     struct template_fault *fault, struct status *st) STATUS_MUST_USE;

#endif
