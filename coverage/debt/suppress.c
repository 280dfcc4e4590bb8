#include "coverage/debt/suppress.h"

#include <string.h>

static const char mark[] = "sota-coverage: suppress ";

/* Does a comment begin right before, and not in a string? */
static bool is_comment(const char *line, size_t n) {
    static const char *const marks[] = {"//", "/*", "*", "#", ";", "--"};
    struct view before = view_trim((struct view){line, n});
    if (memchr(before.at, '"', before.n)) return false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (view_ends(before, marks[i])) return true;
    return false;
}

static struct view next_word(struct view *rest) {
    *rest = view_trim(*rest);
    size_t n = 0;
    while (n < rest->n && !strchr(" \t:", rest->at[n])) n++;
    struct view word = {rest->at, n};
    *rest = (struct view){rest->at + n, rest->n - n};
    return word;
}

static bool keep(struct suppress *out, struct view line, struct arena *arena, struct status *st) {
    struct view class = next_word(&line), detail = next_word(&line), reason = view_trim(line);
    if (reason.n && reason.at[0] == ':') reason = view_trim((struct view){reason.at + 1, reason.n - 1});
    else reason = (struct view){0};
    if (view_ends(reason, "*/")) reason = view_trim((struct view){reason.at, reason.n - 2});
    out->class = arena_copy(arena, class.at, class.n, st);
    out->detail = arena_copy(arena, detail.at, detail.n, st);
    out->reason = arena_copy(arena, reason.n ? reason.at : "", reason.n, st);
    return out->class && out->detail && out->reason;
}

bool suppress_find(const struct suppress **out, size_t *n, struct view text, struct arena *arena,
                   struct status *st) {
    struct suppress *found = NULL;
    struct view rest = text;
    int line = 1;
    *out = NULL;
    *n = 0;
    for (const char *at;
         *n < SUPPRESS_LIMIT && rest.n && (at = memmem(rest.at, rest.n, mark, sizeof mark - 1));) {
        const char *start = memrchr(rest.at, '\n', (size_t)(at - rest.at));
        start = start ? start + 1 : rest.at;
        const char *end = memchr(at, '\n', (size_t)(rest.at + rest.n - at));
        if (!end) end = rest.at + rest.n;
        for (const char *c = rest.at; c < start; c++) line += *c == '\n';
        if (is_comment(start, (size_t)(at - start))) {
            const char *from = at + sizeof mark - 1;
            if (!found) found = arena_alloc(arena, SUPPRESS_LIMIT, sizeof *found, st);
            if (!found || !keep(&found[*n], (struct view){from, (size_t)(end - from)}, arena, st))
                return false;
            found[(*n)++].line = line;
        }
        if (end == rest.at + rest.n) break;
        line++;
        rest = (struct view){end + 1, rest.n - (size_t)(end + 1 - rest.at)};
    }
    *out = found;
    return true;
}
