#include "sotadb/glob.h"

#include "base/str.h"
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* One character; a byte that is not UTF-8 stands for itself, outside of Unicode. */
static uint32_t take(struct view *text) {
    size_t n = 1;
    uint32_t c = (unsigned char)text->at[0];
    if (c >= 0x80 && utf8_valid_length(text->at, text->n) > 0) c = utf8_decode(text->at, text->n, &n);
    else if (c >= 0x80) c += 0x110000u;
    text->at += n;
    text->n -= n;
    return c;
}

/* The bytes of the set at `set` with both brackets, or 0 when it is not closed and '[' means itself. */
static size_t set_length(struct view set) {
    size_t i = 1;
    if (i < set.n && (set.at[i] == '!' || set.at[i] == '^')) i++;
    if (i < set.n && set.at[i] == ']') i++; /* a bracket that comes first is a member */
    while (i < set.n && set.at[i] != ']') i += set.at[i] == '\\' && i + 1 < set.n ? 2 : 1;
    return i < set.n ? i + 1 : 0;
}

static uint32_t take_member(struct view *set) {
    if (set->at[0] == '\\' && set->n > 1) set->at++, set->n--;
    return take(set);
}

static bool set_has(struct view set, uint32_t c) {
    struct view members = {set.at + 1, set.n - 2};
    bool negated = members.n && (members.at[0] == '!' || members.at[0] == '^');
    if (negated) members.at++, members.n--;
    bool found = false;
    while (members.n) {
        uint32_t low = take_member(&members), high = low;
        if (members.n > 1 && members.at[0] == '-') {
            members.at++, members.n--;
            high = take_member(&members);
        }
        found |= low <= c && c <= high;
    }
    return found != negated;
}

/* Does the first element of the pattern, which is no star, match the first character? Takes both. */
static bool match_one(struct view *pattern, struct view *text) {
    char kind = pattern->at[0];
    size_t set = kind == '[' ? set_length(*pattern) : 0;
    if (kind == '?' || set) {
        struct view members = {pattern->at, set};
        uint32_t c = take(text);
        pattern->at += set ? set : 1, pattern->n -= set ? set : 1;
        return !set || set_has(members, c);
    }
    if (kind == '\\' && pattern->n > 1) pattern->at++, pattern->n--;
    return take(pattern) == take(text); /* half a character is none */
}

/* Behind a star: on to where the pattern's next character stands, if it is a plain one. */
static bool skip_to(struct view *text, struct view pattern) {
    unsigned char c = pattern.n ? (unsigned char)pattern.at[0] : 0;
    if (!c || c > 0x7e || strchr("?[\\", c)) return true;
    const char *there = text->n ? memchr(text->at, c, text->n) : NULL;
    if (!there) return false;
    *text = (struct view){there, text->n - (size_t)(there - text->at)};
    return true;
}

/* One component against one name. Only the last star is ever retried: what came before it matched as early as
 * it could, and a later place leaves no more room. */
static bool match_component(struct view pattern, struct view text) {
    struct view star = {0}, retry = {0};
    while (text.n || pattern.n) {
        if (pattern.n && pattern.at[0] == '*') {
            while (pattern.n && pattern.at[0] == '*') pattern.at++, pattern.n--;
            if (!pattern.n) return true;
            star = pattern;
            retry = text;
            continue;
        }
        if (pattern.n && text.n && match_one(&pattern, &text)) continue;
        if (!star.at || !retry.n) return false;
        take(&retry);
        if (!skip_to(&retry, star)) return false;
        pattern = star;
        text = retry;
    }
    return true;
}

/* The component before the next '/', and whether there is more behind it. */
static bool split(struct view *part, struct view *rest) {
    const char *slash = rest->n ? memchr(rest->at, '/', rest->n) : NULL;
    *part = (struct view){rest->at, slash ? (size_t)(slash - rest->at) : rest->n};
    size_t taken = part->n + (slash ? 1 : 0);
    rest->at += taken;
    rest->n -= taken;
    return slash != NULL;
}

bool glob_match(const char *glob, const char *path) {
    size_t plain = glob_literal_prefix(glob);
    if (!*glob || strncmp(glob, path, plain) != 0) return false;
    struct view pattern = view_of(glob), text = view_of(path);
    struct view after = {0}, retry = {0}; /* behind the last "**", and where it was tried last */
    bool pattern_more = true, text_more = true;
    for (;;) {
        struct view want, name;
        if (pattern_more && text_more) {
            if (pattern.n == 0) return text.n > 0; /* "a/": all that is below */
            pattern_more = split(&want, &pattern);
            if (view_is(want, "**")) {
                if (!pattern_more || pattern.n == 0) return text.n > 0;
                after = pattern;
                retry = text;
                pattern_more = true;
                continue;
            }
            text_more = split(&name, &text);
            if (match_component(want, name)) continue;
        } else if (!pattern_more && !text_more) {
            return true;
        }
        if (!after.at || !split(&name, &retry)) return false;
        pattern = after;
        text = retry;
        pattern_more = text_more = true;
    }
}

bool glob_match_name(const char *pattern, const char *name) {
    size_t plain = glob_literal_prefix(pattern);
    return strncmp(pattern, name, plain) == 0 &&
           match_component(view_of(pattern + plain), view_of(name + plain));
}

size_t glob_literal_prefix(const char *glob) { return strcspn(glob, "*?[\\"); }

/* --- what is wrong with a pattern --- */

/* One component; counts its plain characters. */
static const char *component_mistake(size_t *plain, struct view part) {
    while (part.n) {
        size_t set = part.at[0] == '[' ? set_length(part) : 0;
        bool star = part.at[0] == '*', escape = part.at[0] == '\\';
        if (part.at[0] == '[' && !set) return "opens a set with '[' and never closes it";
        if (escape && part.n == 1) return "ends in '\\' with nothing behind it";
        if (star && part.n > 1 && part.at[1] == '*')
            return "has '**' beside other characters; it stands for folders only as a whole component";
        *plain += !set && !star && part.at[0] != '?';
        size_t n = set ? set : escape ? 2 : 1;
        part.at += n;
        part.n -= n;
    }
    return NULL;
}

const char *glob_mistake(const char *glob) {
    struct view part, rest = view_of(glob);
    const char *mistake = NULL;
    size_t plain = 0;
    for (bool more = true; more && !mistake;) {
        more = split(&part, &rest);
        if (part.n == 0 && more) mistake = "has an empty component";
        else if (view_is(part, ".") || view_is(part, ".."))
            mistake = "has '.' or '..' as a component, and a path from the root has neither";
        else if (!view_is(part, "**")) mistake = component_mistake(&plain, part);
    }
    return mistake || plain > 0 ? mistake : "matches everything";
}

const char *glob_name_mistake(const char *pattern) {
    enum { LEAST = 3 };
    size_t plain = 0;
    const char *mistake = component_mistake(&plain, view_of(pattern));
    if (!mistake && strpbrk(pattern, " /")) mistake = "holds a blank or a '/', and no kernel's name does";
    return mistake || plain >= LEAST
               ? mistake
               : "has fewer than three plain characters and matches what it does not mean";
}
