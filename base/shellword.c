#include "base/shellword.h"

void shellword_put(struct str *out, const char *text) {
    str_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'') str_puts(out, "'\\''");
        else str_putc(out, *text);
    }
    str_putc(out, '\'');
}

void shellword_take(struct str *out, struct view word) {
    struct str text = {0};
    for (size_t i = 1; view_starts(word, "'") && i < word.n; i++) {
        bool quote = word.at[i] == '\'';
        if (quote && !view_starts((struct view){word.at + i, word.n - i}, "'\\''")) {
            str_add(out, str_c(&text), text.n);
            break;
        }
        str_putc(&text, word.at[i]);
        if (quote) i += 3;
    }
    out->failed |= text.failed;
    str_free(&text);
}
