/* fuzz_trailer: any bytes as a commit message, and as two versions of a source file. The first byte chooses
 * the rules. What belongs to the message has the same trailers when it is read again, and a file says what
 * itself says. */
#include "hooks/gate/code.h"
#include "hooks/trailer/trailer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct trailer_rules rules[] = {{"#", ":"}, {";", ":="}, {"\xe2\x80\xa3", ":"}, {"#", "#"}};
static const char *const names[] = {"a.c", "a.py", "a.txt", "a.wgsl", "a.s", "a.S", "a.asm"};

static void check_trailers(const struct trailer_list *list, struct view message) {
    if (list->body.n > message.n || list->start > list->body.n) abort();
    for (size_t i = 0; i < list->n; i++) {
        if (list->at[i].key.n == 0 || list->at[i].line < 1) abort();
        if (i && list->at[i].line <= list->at[i - 1].line) abort();
    }
}

static void try_message(struct view message, const struct trailer_rules *choice) {
    struct arena arena = {0};
    struct trailer_list list, again;
    struct status st;
    if (trailer_parse(&list, message, choice, &arena, &st)) {
        check_trailers(&list, message);
        if (trailer_parse(&again, list.body, choice, &arena, &st)) {
            if (again.n != list.n) abort();
            for (size_t i = 0; i < list.n; i++)
                if (!view_equal(list.at[i].value, again.at[i].value)) abort();
        }
    }
    (void)trailer_auto_comment(message);
    arena_release(&arena);
}

/* The text between two comments, which differ from one number to the other: nothing is common any more. */
static void wrap(struct str *out, struct view text, const char *name, int number) {
    bool python = strcmp(name, "a.py") == 0, nasm = strcmp(name, "a.asm") == 0;
    str_printf(out, python ? "#%d\n" : nasm ? ";%d\n" : "/*%d*/\n", number);
    str_add(out, text.at, text.n);
    if (!python)
        str_printf(out, "\n\n%s%d\n", nasm ? ";" : "//", number); /* Python's texts may still be open */
}

/* A backslash at the end would join what wrap puts behind it. */
static bool is_open(struct view text) {
    if (view_ends(text, "\r")) text.n--;
    return view_ends(text, "\\");
}

/* What two texts have in common is scanned once or not at all, and that must not show. */
static void try_pair(struct view a, struct view b, const char *name) {
    struct str x = {0}, y = {0};
    struct status st;
    bool same, same_wrapped;
    if (is_open(a) || is_open(b)) return;
    wrap(&x, a, name, 1);
    wrap(&y, b, name, 2);
    if (code_same(&same, name, a, b, &st) &&
        code_same(&same_wrapped, name, (struct view){x.at, x.n}, (struct view){y.at, y.n}, &st) &&
        same != same_wrapped)
        abort();
    str_free(&x);
    str_free(&y);
}

static void try_code(struct view text, const char *name) {
    struct status st;
    bool same;
    struct view half = {text.at, text.n / 2}, rest = {text.at + half.n, text.n - half.n};
    if (code_same(&same, name, text, text, &st) && !same) abort();
    if (!code_same(&same, name, half, text, &st)) return;
    if (strcmp(name, "a.txt") == 0) return; /* it knows no comments to wrap it with */
    try_pair(half, rest, name);
    /* the same text with its middle byte taken out, and with a comment in its middle */
    struct str other = {0};
    str_add(&other, text.at, half.n);
    if (rest.n) str_add(&other, rest.at + 1, rest.n - 1);
    try_pair(text, (struct view){str_c(&other), other.n}, name);
    str_clear(&other);
    str_add(&other, text.at, half.n);
    str_puts(&other, strcmp(name, "a.py") == 0 ? "#x\n" : "/*x*/");
    str_add(&other, rest.at, rest.n);
    try_pair(text, (struct view){str_c(&other), other.n}, name);
    str_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    struct view text = {(const char *)data + 1, size - 1};
    try_message(text, &rules[data[0] % (sizeof rules / sizeof *rules)]);
    try_code(text, names[data[0] % (sizeof names / sizeof *names)]);
    return 0;
}
