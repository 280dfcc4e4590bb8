#include "hooks/trailer/append.h"

#include <string.h>
#include <strings.h>

/* What a value is about: its words before the first ';'. */
static struct view head_of(struct view value) {
    const char *end = value.n ? memchr(value.at, ';', value.n) : NULL;
    return view_trim((struct view){value.at, end ? (size_t)(end - value.at) : value.n});
}

static bool is_same_key(struct view a, struct view b) {
    return a.n == b.n && strncasecmp(a.at, b.at, a.n) == 0;
}

/* The trailer that says the same of the same, the last one; NULL when there is none. */
static const struct trailer *find_older(const struct trailer_list *list, struct view key, struct view value) {
    for (size_t i = list->n; i-- > 0;)
        if (is_same_key(list->at[i].key, key) && view_equal(head_of(list->at[i].value), head_of(value)))
            return &list->at[i];
    return NULL;
}

/* Its lines, folded ones too, with their line breaks. */
static struct view lines_of(const struct trailer *trailer, struct view body) {
    size_t start = (size_t)(trailer->key.at - body.at), end = start;
    do {
        while (end < body.n && body.at[end] != '\n') end++;
        if (end < body.n) end++;
    } while (end < body.n && (body.at[end] == ' ' || body.at[end] == '\t'));
    return (struct view){body.at + start, end - start};
}

static void add_line(struct str *out, struct view trailer) {
    str_add(out, trailer.at, trailer.n);
    str_putc(out, '\n');
}

static bool ends_blank(struct view body) {
    size_t n = body.n;
    if (n && body.at[n - 1] == '\n') n--;
    while (n && (body.at[n - 1] == ' ' || body.at[n - 1] == '\t' || body.at[n - 1] == '\r')) n--;
    return n && body.at[n - 1] == '\n';
}

/* Without lines of blanks at its end: what follows them would be another paragraph. */
static struct view without_blank_lines(struct view body) {
    size_t n = body.n;
    for (size_t i = n; i > 0 && strchr(" \t\r\n", body.at[i - 1]) && body.at[i - 1]; i--)
        if (i < 2 || body.at[i - 2] == '\n') n = i - 1;
    body.n = n;
    return body;
}

static void add_behind(struct str *out, struct view body, bool joins, struct view trailer) {
    str_add(out, body.at, body.n);
    if (body.n && body.at[body.n - 1] != '\n') str_putc(out, '\n');
    if (body.n == 0) str_puts(out, "\n\n");
    else if (!joins && !ends_blank(body)) str_putc(out, '\n');
    add_line(out, trailer);
}

bool append_trailer(struct str *out, struct view message, struct view trailer,
                    const struct trailer_rules *rules, struct arena *arena, struct status *st) {
    struct trailer_list list;
    size_t colon = trailer_separator(trailer, ":");
    struct view key = view_trim((struct view){trailer.at, colon});
    struct view value = view_trim((struct view){trailer.at + colon + 1, trailer.n - colon - 1});
    if (!trailer_parse(&list, message, rules, arena, st)) return false;
    const struct trailer *older = find_older(&list, key, value);
    if (older) {
        struct view old = lines_of(older, list.body);
        size_t at = (size_t)(old.at - message.at);
        str_add(out, message.at, at);
        add_line(out, trailer);
        str_add(out, old.at + old.n, message.n - at - old.n);
        return str_ok(out, st);
    }
    bool joins = list.start < list.body.n;
    struct view body = joins ? without_blank_lines(list.body) : list.body;
    add_behind(out, body, joins, trailer);
    str_add(out, message.at + body.n, message.n - body.n);
    return str_ok(out, st);
}
