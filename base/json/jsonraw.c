#include "base/json/jsonraw.h"

#include <string.h>

static size_t skip_blanks(struct view text, size_t i) {
    while (i < text.n && text.at[i] && strchr(" \t\r\n", text.at[i])) i++;
    return i;
}

/* Behind the string that starts at i. */
static size_t string_end(struct view text, size_t i) {
    for (i++; i < text.n && text.at[i] != '"'; i++) i += text.at[i] == '\\';
    return i < text.n ? i + 1 : text.n;
}

/* Behind the value that starts at i: brackets are counted, not matched. */
static size_t value_end(struct view text, size_t i) {
    size_t depth = 0;
    while (i < text.n) {
        char c = text.at[i];
        if (c == '"') {
            i = string_end(text, i);
            if (depth == 0) return i;
            continue;
        }
        if (depth == 0 && c && strchr(",}] \t\r\n", c)) return i;
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        i++;
        if (depth == 0 && (c == '}' || c == ']')) return i;
    }
    return i;
}

bool jsonraw_next(struct view *name, struct view *value, struct view object, size_t *at) {
    size_t i = skip_blanks(object, *at);
    if (i == object.n || object.at[i] != (*at == 0 ? '{' : ',')) return false;
    i = skip_blanks(object, i + 1);
    if (i == object.n || object.at[i] != '"') {
        if (*at == 0) *at = i; /* an empty object: what is left is its end */
        return false;
    }
    size_t end = string_end(object, i);
    *name = (struct view){object.at + i + 1, end - i > 1 ? end - i - 2 : 0};
    i = skip_blanks(object, end);
    if (i == object.n || object.at[i] != ':') return false;
    i = skip_blanks(object, i + 1);
    end = value_end(object, i);
    *value = (struct view){object.at + i, end - i};
    if (end > i) *at = end;
    return end > i;
}

bool jsonraw_ended(struct view object, size_t at) {
    at = skip_blanks(object, at);
    return at > 0 && at < object.n && object.at[at] == '}' && skip_blanks(object, at + 1) == object.n;
}

struct view jsonraw_member(struct view object, const char *name) {
    struct view found = {0}, key, value;
    for (size_t at = 0; jsonraw_next(&key, &value, object, &at);)
        if (view_is(key, name)) found = value;
    return found;
}
