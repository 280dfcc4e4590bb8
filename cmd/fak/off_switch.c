#include "cmd/fak/off_switch.h"

#include "base/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool word_in_list(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ", ");
        if (length == n && strncmp(at, word, n) == 0) return true;
        at += length;
        at += strspn(at, ", ");
    }
    return false;
}

const char *off_switch(void) {
    const char *skip = getenv("FAK_SKIP"), *list = getenv("SKIP"); /* SKIP is pre-commit's */
    if (skip && *skip && strcmp(skip, "0") != 0) return "FAK_SKIP in the environment";
    return list && word_in_list(list, "priorart") ? "SKIP=priorart in the environment" : NULL;
}

void off_switch_complain(const char *what, const struct status *why) {
    struct str text = {0};
    term_safe(&text, why->message);
    fprintf(stderr, "fak: %s: %s\n", what, text.failed ? "out of memory" : str_c(&text));
    str_free(&text);
}
