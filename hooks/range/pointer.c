#include "hooks/range/pointer.h"

#include <string.h>

void pointer_reverted(char oid[OID_TEXT], struct view message) {
    static const char words[] = "This reverts commit ";
    size_t n_words = sizeof words - 1, n = 0;
    const char *at = message.n ? memmem(message.at, message.n, words, n_words) : NULL;
    oid[0] = '\0';
    if (!at) return;
    struct view rest = {at + n_words, message.n - (size_t)(at - message.at) - n_words};
    while (n < rest.n && n < OID_TEXT - 1 && strchr("0123456789abcdef", rest.at[n]) && rest.at[n]) n++;
    if (n < 7) return;
    memcpy(oid, rest.at, n);
    oid[n] = '\0';
}

struct view pointer_target(struct view subject) {
    static const char *const marks[] = {"fixup! ", "squash! ", "amend! "};
    struct view target = {0};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (!view_starts(subject, marks[i])) continue;
        size_t n = strlen(marks[i]);
        subject = target = view_trim((struct view){subject.at + n, subject.n - n});
        i = (size_t)-1; /* again, from the first */
    }
    return target;
}
