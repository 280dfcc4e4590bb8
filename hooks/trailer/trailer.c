#include "hooks/trailer/trailer.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char cut_line[] = " ------------------------ >8 ------------------------\n";

/* The lines git itself writes at the end of messages. */
static const char *const generated[] = {"Signed-off-by: ", "(cherry picked from commit "};

/* --- characters and lines ------------------------------------------------------------------------------- */

/* git's idea of a blank, the same in every locale. */
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool is_key_char(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

static struct view trim(struct view a) {
    while (a.n && is_space(a.at[0])) a.at++, a.n--;
    while (a.n && is_space(a.at[a.n - 1])) a.n--;
    return a;
}

static bool is_blank_line(struct view line) { return trim(line).n == 0; }

static bool is_comment(struct view line, const struct trailer_rules *rules) {
    return *rules->comment && view_starts(line, rules->comment);
}

static bool is_generated(struct view line) {
    for (size_t i = 0; i < sizeof generated / sizeof *generated; i++)
        if (view_starts(line, generated[i])) return true;
    return false;
}

size_t trailer_separator(struct view line, const char *separators) {
    bool blank_seen = false;
    for (size_t i = 0; i < line.n; i++) {
        char c = line.at[i];
        if (c && strchr(separators, c)) return i;
        if (!blank_seen && is_key_char(c)) continue;
        if (i == 0 || (c != ' ' && c != '\t')) return 0;
        blank_seen = true;
    }
    return 0;
}

/* --- where the message ends -------------------------------------------------------------------------------
 */

/* Without the scissors line and everything below it. */
static struct view above_scissors(struct view message, const struct trailer_rules *rules) {
    struct view line, rest = message;
    size_t n_comment = strlen(rules->comment);
    while (rest.n) {
        struct view from = rest;
        if (is_comment(from, rules)) {
            struct view cut = {from.at + n_comment, from.n - n_comment};
            if (view_starts(cut, cut_line)) return (struct view){message.at, message.n - from.n};
        }
        if (!view_line(&line, &rest)) break;
    }
    return message;
}

/* Without the comments, empty lines and old-style "Conflicts:" block that git appended. */
static struct view without_tail(struct view message, const struct trailer_rules *rules) {
    struct view line, rest = message;
    size_t end = message.n; /* where the tail that we are in started; message.n: in none */
    bool conflicts = false;
    for (struct view from = rest; view_line(&line, &rest); from = rest) {
        size_t at = message.n - from.n;
        bool conflicts_head = view_starts(from, "Conflicts:\n");
        if (conflicts_head) conflicts = true;
        bool tail =
            line.n == 0 || is_comment(line, rules) || conflicts_head || (conflicts && line.at[0] == '\t');
        if (tail && end == message.n) end = at;
        if (!tail) {
            end = message.n;
            conflicts = false;
        }
    }
    return (struct view){message.at, end};
}

/* --- where the trailers start --- */

/* The line that ends where `end` is (its own newline included). */
static struct view line_before(struct view body, size_t end) {
    size_t start = end > 0 ? end - 1 : 0;
    while (start > 0 && body.at[start - 1] != '\n') start--;
    return (struct view){body.at + start, end - start};
}

/* The first paragraph is the subject: trailers start behind it. */
static size_t subject_end(struct view body, const struct trailer_rules *rules) {
    struct view line, rest = body;
    for (struct view from = rest; view_line(&line, &rest); from = rest)
        if (!is_comment(line, rules) && is_blank_line(line)) return body.n - from.n;
    return body.n;
}

/* What the lines of the last paragraph are, counted from its end. */
struct tally {
    int trailers, others;
    int continued; /* lines that start blank and belong to whatever line stands above them */
    bool generated;
};

static void tally_line(struct tally *tally, struct view line, const struct trailer_rules *rules) {
    if (is_comment(line, rules)) {
        tally->others += tally->continued;
        tally->continued = 0;
    } else if (is_generated(line)) {
        tally->trailers++;
        tally->continued = 0;
        tally->generated = true;
    } else if (is_space(line.at[0])) {
        tally->continued++;
    } else if (trailer_separator(line, rules->separators)) {
        tally->trailers++;
        tally->continued = 0;
    } else {
        tally->others += 1 + tally->continued;
        tally->continued = 0;
    }
}

static bool tally_accepts(const struct tally *tally) {
    int others = tally->others + tally->continued;
    if (tally->generated && tally->trailers * 3 >= others) return true;
    return tally->trailers && !others;
}

/* Goes up from the end to the blank line above the last paragraph. Returns body.n when there are no trailers.
 */
static size_t find_start(struct view body, const struct trailer_rules *rules) {
    struct tally tally = {0};
    bool only_blank = true;
    size_t subject = subject_end(body, rules);
    for (size_t end = body.n; end > 0;) {
        struct view line = line_before(body, end);
        size_t start = (size_t)(line.at - body.at);
        if (start < subject) break;
        if (is_comment(line, rules) || !is_blank_line(line)) {
            if (!is_comment(line, rules)) only_blank = false;
            tally_line(&tally, line, rules);
        } else if (!only_blank) {
            return tally_accepts(&tally) ? end : body.n;
        }
        end = start;
    }
    return body.n;
}

/* --- the trailers ----------------------------------------------------------------------------------------
 */

/* Joins folded lines: each line break with the blanks around it becomes one blank. */
static bool unfold(struct view *out, struct view value, struct arena *arena, struct status *st) {
    char *text = arena_copy(arena, value.at, value.n, st);
    if (!text) return false;
    size_t n = 0;
    for (size_t i = 0; i < value.n;) {
        char c = value.at[i++];
        if (c == '\n') {
            while (i < value.n && is_space(value.at[i])) i++;
            c = ' ';
        }
        text[n++] = c;
    }
    *out = trim((struct view){text, n});
    return true;
}

/* How many bytes the line and the lines that continue it take. */
static size_t folded_length(struct view from) {
    struct view line, rest = from;
    if (!view_line(&line, &rest)) return 0;
    while (rest.n && is_space(rest.at[0])) (void)view_line(&line, &rest);
    return from.n - rest.n;
}

static bool collect(struct trailer_list *out, const struct trailer_rules *rules, int first_line,
                    struct arena *arena, struct status *st) {
    struct view rest = {out->body.at + out->start, out->body.n - out->start};
    int number = first_line;
    while (rest.n) {
        struct view first, after = rest;
        (void)view_line(&first, &after);
        size_t separator = trailer_separator(first, rules->separators);
        size_t n = separator ? folded_length(rest) : rest.n - after.n;
        if (separator && !is_comment(first, rules)) {
            struct trailer *trailer = &out->at[out->n];
            trailer->key = trim((struct view){rest.at, separator});
            trailer->line = number;
            if (!unfold(&trailer->value, (struct view){rest.at + separator + 1, n - separator - 1}, arena,
                        st))
                return false;
            out->n++;
        }
        for (size_t i = 0; i < n; i++) number += rest.at[i] == '\n';
        rest = (struct view){rest.at + n, rest.n - n};
    }
    return true;
}

bool trailer_parse(struct trailer_list *out, struct view message, const struct trailer_rules *rules,
                   struct arena *arena, struct status *st) {
    const char *nul = message.n ? memchr(message.at, '\0', message.n) : NULL;
    if (nul) message.n = (size_t)(nul - message.at);
    *out = (struct trailer_list){.body = without_tail(above_scissors(message, rules), rules)};
    out->start = find_start(out->body, rules);
    int line = 1;
    size_t lines = 1;
    for (size_t i = 0; i < out->start; i++) line += message.at[i] == '\n';
    for (size_t i = out->start; i < out->body.n; i++) lines += message.at[i] == '\n';
    out->at = arena_alloc(arena, lines, sizeof *out->at, st);
    return out->at && collect(out, rules, line, arena, st);
}

const struct trailer *trailer_find(const struct trailer_list *list, const char *key) {
    size_t n = strlen(key);
    for (size_t i = list->n; i-- > 0;)
        if (list->at[i].key.n == n && strncasecmp(list->at[i].key.at, key, n) == 0) return &list->at[i];
    return NULL;
}

/* git picks one of these and starts each line of its own block with it, a blank or the line's end after it.
 */
const char *trailer_auto_comment(struct view message) {
    static const char *const choices[] = {"#", ";", "@", "!", "$", "%", "^", "&", "|", ":"};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct trailer_rules rules = {choices[i], ":"};
        struct view above = above_scissors(message, &rules);
        if (above.n != message.n) return choices[i];
        size_t end = above.n;
        int lines = 0;
        for (; end > 0; lines++) {
            struct view line = line_before(above, end);
            if (!is_comment(line, &rules)) break;
            end -= line.n;
        }
        if (lines >= 2) return choices[i];
    }
    return "#";
}
