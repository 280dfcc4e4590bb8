#include "sotadb/sql/complaint.h"

#include "base/utf8.h"

enum { LONGEST = 400 };

/* Printable: not C0, DEL or C1. */
static bool is_plain(const char *at, size_t n) {
    size_t length;
    uint32_t c = utf8_decode(at, n, &length);
    return length > 0 && c >= 0x20 && (c < 0x7f || c > 0x9f);
}

void complaint_add(struct str *complaints, const char *file, int line, struct view reason) {
    size_t i = 0;
    str_printf(complaints, "%s:%d: ", file, line);
    while (i < reason.n && i < LONGEST) {
        size_t length = utf8_valid_length(reason.at + i, reason.n - i);
        if (is_plain(reason.at + i, reason.n - i)) str_add(complaints, reason.at + i, length);
        else str_puts(complaints, reason.at[i] == '\n' ? " " : "\xef\xbf\xbd");
        i += length ? length : utf8_maximal_ill_formed(reason.at + i, reason.n - i);
    }
    str_puts(complaints, i < reason.n ? "...\n" : "\n");
}
