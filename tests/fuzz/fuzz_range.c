/* fuzz_range: any bytes as the message of a squash, of a revert, and as three versions of a merged file.
 * Parts lie within the message or are as long as what they came from; git could have merged a file with
 * itself. */
#include "hooks/range/mergemade.h"
#include "hooks/range/pointer.h"
#include "hooks/range/squashed.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_squashed(struct view message) {
    struct arena arena = {0};
    struct squashed parts;
    struct status st;
    if (squashed_split(&parts, message, &arena, &st)) {
        int line = 0;
        if (parts.n == 0 || parts.at[0].text.n != message.n) abort();
        for (size_t i = 0; i < parts.n; i++) {
            if (parts.at[i].text.n > message.n + 1 || parts.at[i].line < line) abort();
            line = parts.at[i].line;
        }
    }
    arena_release(&arena);
}

static void try_pointer(struct view message) {
    char oid[OID_TEXT];
    pointer_reverted(oid, message);
    size_t n = strlen(oid);
    if (n && (n < 7 || strspn(oid, "0123456789abcdef") != n)) abort();
    struct view target = pointer_target(message);
    if (target.n >= message.n && message.n) abort();
    if (pointer_target(target).n) abort(); /* the innermost */
}

static void try_merge(struct view a, struct view b, struct view c) {
    struct status st;
    int line;
    if (mergemade(&line, a, (const struct view[]){b, a}, 2, &st) && line) abort();
    if (mergemade(&line, a, (const struct view[]){b, c}, 2, &st) && line < 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct view all = {(const char *)data, size}, a = {all.at, size / 3};
    struct view b = {a.at + a.n, a.n}, c = {b.at + b.n, size - 2 * a.n};
    try_squashed(all);
    try_pointer(all);
    try_merge(a, b, c);
    return 0;
}
