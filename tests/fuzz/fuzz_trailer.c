/* fuzz_trailer: any bytes as a commit message, and as two versions of a source file. The first byte chooses
 * the rules. What belongs to the message has the same trailers when it is read again, and a file says what
 * itself says. */
#include "hooks/gate/code.h"
#include "hooks/trailer/trailer.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct trailer_rules rules[] = {{"#", ":"}, {";", ":="}, {"\xe2\x80\xa3", ":"}, {"#", "#"}};
static const char *const names[] = {"a.c", "a.py", "a.txt"};

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

static void try_code(struct view text, const char *name) {
    struct status st;
    bool same;
    struct view half = {text.at, text.n / 2};
    if (code_same(&same, name, text, text, &st) && !same) abort();
    if (!code_same(&same, name, half, text, &st)) return;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    struct view text = {(const char *)data + 1, size - 1};
    try_message(text, &rules[data[0] % (sizeof rules / sizeof *rules)]);
    try_code(text, names[data[0] % (sizeof names / sizeof *names)]);
    return 0;
}
