#include "base/shellword.h"

void shellword_put(struct str *out, const char *text) {
    str_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'') str_puts(out, "'\\''");
        else str_putc(out, *text);
    }
    str_putc(out, '\'');
}
