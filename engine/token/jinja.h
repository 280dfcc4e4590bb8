/* jinja: the values of the template language and what its files share. Internal to engine/token.
 *
 * Values are Python's, as far as a template can tell: integers do not wrap (they end at 127 bits, with an
 * error), texts count characters, printing is repr. All but namespaces, loops, cyclers and joiners are
 * constant.
 *
 * Owns:    everything lies in the arena of the rendering (or, for a template's constants, of the template).
 * Trusts:  texts to be well-formed UTF-8: the lexer and the JSON reader see to it.
 * Threads: one struct jinja, one thread.
 */
#ifndef ENGINE_TOKEN_JINJA_H
#define ENGINE_TOKEN_JINJA_H

#include "base/arena.h"
#include "base/str.h"
#include "engine/token/template.h"

#include <stdint.h>

__extension__ typedef __int128 jinja_int;

/* Bytes, each from the template or, where from[i] != 0, from outside. */
struct text {
    const char *at;
    const uint8_t *from; /* NULL: all from the template */
    size_t n;
    bool safe; /* marked safe for HTML: joining it with other text escapes that */
};

enum value_kind {
    VALUE_ABSENT, /* an argument that was not given; never seen by a template */
    VALUE_UNDEFINED,
    VALUE_NONE,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_TEXT,
    VALUE_LIST,
    VALUE_TUPLE,
    VALUE_DICT,
    VALUE_RANGE,
    VALUE_LAZY, /* generators and views: can be iterated, not indexed */
    VALUE_NAMESPACE,
    VALUE_MACRO,
    VALUE_FUNCTION, /* a global function */
    VALUE_METHOD,   /* bound to its object */
    VALUE_LOOP,
    VALUE_CYCLER,
    VALUE_JOINER,
};

struct value {
    enum value_kind kind;
    union {
        bool b;
        jinja_int i;
        double f;
        const struct text *text;
        const struct undefined *undefined;
        const struct list *list; /* lists and tuples */
        struct dict *dict;       /* dicts and namespaces */
        const struct range *range;
        struct lazy *lazy;
        const struct macro *macro;
        const struct function *function;
        const struct method *method;
        struct loop *loop;
        struct cycler *cycler;
        struct joiner *joiner;
    };
};

/* Why a value is undefined, kept until somebody uses it. */
struct undefined {
    const struct text *name; /* NULL: no name */
    const char *owner;       /* type of the object that has no such attribute; NULL: a variable */
    const char *message;     /* said in place of all that */
    bool unsafe;             /* an attribute that the sandbox hides */
};

struct list {
    struct value *items;
    size_t n;
    bool group; /* a tuple of groupby: has .grouper and .list */
};
struct entry {
    struct value key, value;
};
struct dict {
    struct entry *entries; /* in order of insertion */
    size_t n, room;
};
struct range {
    jinja_int start, stop, step;
    size_t n;
};
struct lazy {
    struct list list;
    const char *type; /* as Python names it */
    bool once, sized; /* a generator is empty after it was read; a view has a length */
};
struct loop {
    const struct list *items;
    size_t index; /* from 0 */
    int depth;
    const struct value *changed;  /* the last value of loop.changed; NULL: none yet */
    const struct node *recursive; /* the `for`, when it is marked so */
    struct scope *scope;
};
struct cycler {
    struct list items;
    size_t at;
};
struct joiner {
    struct value separator;
    bool used;
};
struct macro {
    const struct node *node; /* NODE_MACRO or NODE_CALL_BLOCK */
    struct scope *scope;     /* where it was defined */
    const struct text *name; /* NULL: the caller of a call block */
};

/* Arguments of a call. */
struct named {
    const struct text *name;
    struct value value;
};
struct args {
    struct value *items;
    size_t n;
    struct named *named;
    size_t n_named;
};

struct binding {
    const struct text *name; /* interned: compared by address */
    struct value value;
};
struct scope {
    struct scope *up;
    struct binding *bindings;
    size_t n, room;
};

struct jinja_names;

struct jinja {
    struct arena *arena;
    struct template_fault *fault;
    struct jinja_names *names;
    struct scope *scope, *root;
    struct jinja_builder *out;
    struct tm now;
    int line; /* of the node that is evaluated */
    int depth;
    long steps;
};

/* --- memory, limits, faults (jinja.c) ------------------------------------------------------------------ */

/* Fills the fault, with the current line; is false. */
bool jinja_fail(struct jinja *j, enum template_kind kind, const char *format, ...) STATUS_PRINTF(3, 4);
/* n items, zeroed; NULL with a fault when TEMPLATE_MEMORY would be passed. */
void *jinja_alloc(struct jinja *j, size_t n, size_t size) STATUS_MUST_USE;
/* Room for one more item in an array that grows; items keep their order. */
bool jinja_grow(struct jinja *j, void **items, size_t n, size_t *room, size_t size) STATUS_MUST_USE;
/* Counts the work of n bytes or items; false when TEMPLATE_STEPS are used up. */
bool jinja_work(struct jinja *j, size_t n) STATUS_MUST_USE;
/* One level deeper; pairs with j->depth--. */
bool jinja_enter(struct jinja *j) STATUS_MUST_USE;
/* The one text with these bytes, for names. NULL with a fault. */
const struct text *jinja_intern(struct jinja *j, struct view name);
/* Begins with the names of a template, which stay where they are. */
bool jinja_names_copy(struct jinja *j, const struct jinja_names *names) STATUS_MUST_USE;

/* --- texts (jinja_text.c) ------------------------------------------------------------------------------ */

/* Grows a text. A failure is kept, with its fault, until jinja_built. */
struct jinja_builder {
    struct jinja *j;
    char *at;
    uint8_t *from; /* NULL until a marked byte comes */
    size_t n, room;
    bool failed;
};
void jinja_add(struct jinja_builder *b, const char *at, const uint8_t *from, size_t n);
void jinja_add_text(struct jinja_builder *b, const struct text *text);
void jinja_add_part(struct jinja_builder *b, const struct text *text, size_t start, size_t end);
void jinja_puts(struct jinja_builder *b, const char *text);
void jinja_put_repeated(struct jinja_builder *b, char c, size_t n);
void jinja_printf(struct jinja_builder *b, const char *format, ...) STATUS_PRINTF(2, 3);
/* Bytes that stand for one character of the text at `i`: they come from where it came. */
void jinja_add_for(struct jinja_builder *b, const struct text *text, size_t i, const char *at, size_t n);
bool jinja_built(struct value *out, struct jinja_builder *b, bool safe) STATUS_MUST_USE;
bool jinja_built_text(const struct text **out, struct jinja_builder *b, bool safe) STATUS_MUST_USE;

bool jinja_text_value(struct jinja *j, struct value *out, const char *text) STATUS_MUST_USE; /* a copy */
/* The bytes [start, end) of a text: shares them. */
bool jinja_text_part(struct jinja *j, struct value *out, const struct text *text, size_t start,
                     size_t end) STATUS_MUST_USE;
bool jinja_text_equal(const struct text *a, const struct text *b);
bool jinja_text_is(const struct text *a, const char *b);
size_t jinja_text_length(const struct text *text); /* characters */
/* Where `part` begins in text at or behind `from`, or SIZE_MAX. */
size_t jinja_text_find(const struct text *text, const struct text *part, size_t from);
/* The code point at byte i, and how many bytes it has. */
uint32_t jinja_text_char(const struct text *text, size_t i, size_t *length);
bool jinja_is_space(uint32_t c); /* as Python's str.isspace */
/* [*start, *end) without white space (chars NULL) or without these characters, at the sides that are asked
 * for. */
void jinja_text_strip(const struct text *text, const struct text *chars, bool left, bool right, size_t *start,
                      size_t *end);
/* text with &, <, >, ' and " escaped; a safe one as it is. */
bool jinja_escape(struct jinja *j, const struct text **out, const struct text *text) STATUS_MUST_USE;

/* --- values (jinja_value.c) ---------------------------------------------------------------------------- */

struct value jinja_none(void);
struct value jinja_bool(bool b);
struct value jinja_integer(jinja_int i);
struct value jinja_float(double f);
struct value jinja_list(const struct list *list);
bool jinja_list_new(struct jinja *j, struct list **out, size_t n) STATUS_MUST_USE;
bool jinja_lazy_new(struct jinja *j, struct value *out, struct list list, const char *type, bool once,
                    bool sized) STATUS_MUST_USE;
bool jinja_undefined(struct jinja *j, struct value *out, const struct text *name,
                     const char *owner) STATUS_MUST_USE;
bool jinja_fail_undefined(struct jinja *j, const struct value *v); /* the fault of using it */
const char *jinja_type(const struct value *v);                     /* as Python names it */
bool jinja_truth(const struct value *v);
bool jinja_is_number(const struct value *v); /* int, float, bool */
jinja_int jinja_as_int(const struct value *v);
double jinja_as_float(const struct value *v);
bool jinja_equal(struct jinja *j, bool *out, const struct value *a, const struct value *b) STATUS_MUST_USE;
/* a < b for the operators <, <=, >, >=: type errors for what has no order. */
bool jinja_compare(struct jinja *j, int *out, const struct value *a, const struct value *b,
                   const char *op) STATUS_MUST_USE;
bool jinja_contains(struct jinja *j, bool *out, const struct value *item,
                    const struct value *in) STATUS_MUST_USE;
/* The items of anything that can be iterated; reading a generator empties it. */
bool jinja_items(struct jinja *j, struct list *out, const struct value *v) STATUS_MUST_USE;
bool jinja_is_iterable(const struct value *v);
bool jinja_length(struct jinja *j, size_t *out, const struct value *v) STATUS_MUST_USE;
bool jinja_hashable(struct jinja *j, const struct value *key) STATUS_MUST_USE;
/* The value at a key or NULL. */
bool jinja_dict_get(struct jinja *j, const struct value **out, const struct dict *d,
                    const struct value *key) STATUS_MUST_USE;
bool jinja_dict_set(struct jinja *j, struct dict *d, const struct value *key,
                    const struct value *v) STATUS_MUST_USE;
/* x[key] and x.name; undefined when it is not there. */
bool jinja_item(struct jinja *j, struct value *out, const struct value *x,
                const struct value *key) STATUS_MUST_USE;
bool jinja_attribute(struct jinja *j, struct value *out, const struct value *x,
                     const struct text *name) STATUS_MUST_USE;
/* x[a:b:c]; absent and None bounds are open. */
bool jinja_slice(struct jinja *j, struct value *out, const struct value *x,
                 const struct value bounds[3]) STATUS_MUST_USE;

/* --- printing and numbers (jinja_print.c, jinja_json.c, jinja_math.c) ---------------------------------- */

void jinja_print(struct jinja_builder *b, const struct value *v); /* str() */
void jinja_repr(struct jinja_builder *b, const struct value *v);
void jinja_print_float(struct jinja_builder *b, double f);
void jinja_print_int(struct jinja_builder *b, jinja_int i);
/* str(v) as a text; a text is itself. */
bool jinja_string(struct jinja *j, const struct text **out, const struct value *v) STATUS_MUST_USE;
bool jinja_tojson(struct jinja *j, struct value *out, const struct value *v,
                  const struct value *options) STATUS_MUST_USE;
/* A value out of JSON text; its texts, keys too, are marked when `mark`. */
bool jinja_from_json(struct jinja *j, struct value *out, struct view json, bool mark,
                     const char *what) STATUS_MUST_USE;
/* op: one of + - * / % and 'd' for //, 'p' for **. */
bool jinja_math(struct jinja *j, struct value *out, const struct value *a, const struct value *b,
                char op) STATUS_MUST_USE;
bool jinja_negate(struct jinja *j, struct value *out, const struct value *v, bool negative) STATUS_MUST_USE;
/* int(text), base 10 or as given; false without a fault: it is none. */
bool jinja_parse_int(jinja_int *out, struct view text, int base);
bool jinja_parse_float(double *out, struct view text);

/* --- formatting (jinja_format.c, jinja_time.c) --------------------------------------------------------- */

bool jinja_percent(struct jinja *j, struct value *out, const struct text *format,
                   const struct value *v) STATUS_MUST_USE; /* format % v */
bool jinja_braces(struct jinja *j, struct value *out, const struct text *format,
                  const struct args *args) STATUS_MUST_USE; /* format.format(...) */
bool jinja_strftime(struct jinja *j, struct value *out, const struct text *format) STATUS_MUST_USE;

/* --- calls (jinja_call.c and the tables) --------------------------------------------------------------- */

/* The arguments by a list of names ("width first? blank?": a ? marks one that may be left out) into out,
 * VALUE_ABSENT where none was given. */
bool jinja_bind(struct jinja *j, struct value *out, const char *what, const char *names,
                const struct args *args) STATUS_MUST_USE;
bool jinja_call(struct jinja *j, struct value *out, const struct value *callee,
                const struct args *args) STATUS_MUST_USE;

struct filter;
struct test;
const struct filter *jinja_filter_find(const struct text *name); /* NULL: there is none */
const struct test *jinja_test_find(const struct text *name);
bool jinja_filter_apply(struct jinja *j, struct value *out, const struct filter *f, const struct value *in,
                        const struct args *args) STATUS_MUST_USE;
bool jinja_test_apply(struct jinja *j, bool *out, const struct test *t, const struct value *in,
                      const struct args *args) STATUS_MUST_USE;
/* A method of a text, list or dict by name; false without a fault in *found: there is none. */
bool jinja_method(struct jinja *j, struct value *out, const struct value *object, const struct text *name,
                  bool *found) STATUS_MUST_USE;
bool jinja_method_call(struct jinja *j, struct value *out, const struct method *m,
                       const struct args *args) STATUS_MUST_USE;
const struct function *jinja_global(const struct text *name); /* NULL: there is none */
bool jinja_function_call(struct jinja *j, struct value *out, const struct function *f,
                         const struct args *args) STATUS_MUST_USE;

/* For `sort`, `min`, `groupby` ...: items by a key, made of an attribute ("a.b,c") and lower case. */
bool jinja_key(struct jinja *j, struct value *out, const struct value *item, const struct value *attribute,
               bool ignore_case, const struct value *fallback) STATUS_MUST_USE;
bool jinja_sort(struct jinja *j, struct value *items, struct value *keys, size_t n,
                bool reverse) STATUS_MUST_USE;

#endif
