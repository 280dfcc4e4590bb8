#include "git/index/repoformat.h"

#include "git/index/objid.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- the syntax of a configuration file (git-config(1), "Syntax") --- */

enum { WORD = 256, VALUE = REPOFORMAT_PATH };

struct config {
    const char *at, *end;
    char section[WORD], key[WORD], value[VALUE]; /* a longer value is cut: nothing that matters here is */
    bool plain, set;                             /* the section has no "subsection"; the key has a value */
};

static int peek_char(const struct config *c) { return c->at < c->end ? (unsigned char)*c->at : -1; }

static void skip_line(struct config *c) {
    while (c->at < c->end && *c->at != '\n') c->at++;
}

/* Up to WORD - 1 of the characters that `belongs` takes. */
static bool read_word(struct config *c, char out[WORD], bool dots) {
    size_t n = 0;
    for (int ch; (ch = peek_char(c)) >= 0 && (isalnum(ch) || ch == '-' || (dots && ch == '.')); c->at++) {
        if (n == WORD - 1) return false;
        out[n++] = (char)tolower(ch);
    }
    out[n] = '\0';
    return n > 0;
}

/* [section], [section.sub] or [section "sub"] */
static bool read_section(struct config *c) {
    c->at++;
    if (!read_word(c, c->section, true)) return false;
    c->plain = peek_char(c) == ']';
    if (!c->plain) {
        while (peek_char(c) == ' ' || peek_char(c) == '\t') c->at++;
        if (peek_char(c) != '"') return false;
        for (c->at++; peek_char(c) != '"'; c->at++) {
            if (peek_char(c) == '\\') c->at++;
            if (peek_char(c) < 0 || peek_char(c) == '\n') return false;
        }
        c->at++;
    }
    return peek_char(c) == ']' && c->at++;
}

/* What a backslash and the character at c->at stand for; -1 a continued line, -2 an error. */
static int escaped(struct config *c) {
    if (peek_char(c) == '\r' && c->end - c->at > 1 && c->at[1] == '\n') c->at++;
    switch (peek_char(c)) {
    case '\n': return -1;
    case 't': return '\t';
    case 'b': return '\b';
    case 'n': return '\n';
    case '"':
    case '\\': return peek_char(c);
    default: return -2;
    }
}

/* The rest of the line: quotes, escapes, comments; blanks at its end do not count. */
static bool read_value(struct config *c) {
    size_t n = 0, kept = 0;
    bool quoted = false;
    for (; peek_char(c) == ' ' || peek_char(c) == '\t';) c->at++;
    for (int ch; (ch = peek_char(c)) >= 0 && ch != '\n'; c->at++) {
        if (!quoted && (ch == '#' || ch == ';')) {
            skip_line(c);
            break;
        }
        if (ch == '"') {
            quoted = !quoted;
            kept = n;
            continue;
        }
        bool literal = quoted || !isspace(ch);
        if (ch == '\\') {
            c->at++;
            ch = escaped(c);
            if (ch == -2) return false;
            if (ch == -1) continue;
            literal = true;
        }
        if (n < VALUE - 1) c->value[n++] = (char)ch;
        if (literal) kept = n;
    }
    c->value[kept] = '\0';
    return !quoted;
}

/* The next key; *found = false at the end. False when the text is no configuration. */
static bool next_key(struct config *c, bool *found) {
    *found = false;
    for (int ch; (ch = peek_char(c)) >= 0;) {
        if (isspace(ch)) c->at++;
        else if (ch == '#' || ch == ';') skip_line(c);
        else if (ch == '[') {
            if (!read_section(c)) return false;
        } else {
            if (!isalpha(ch) || !c->section[0] || !read_word(c, c->key, false)) return false;
            while (peek_char(c) == ' ' || peek_char(c) == '\t') c->at++;
            c->set = peek_char(c) == '=';
            c->value[0] = '\0';
            if (c->set) {
                c->at++;
                if (!read_value(c)) return false;
            } else if (peek_char(c) == '#' || peek_char(c) == ';') {
                skip_line(c);
            } else if (peek_char(c) == '\r') {
                c->at++;
            } else if (peek_char(c) >= 0 && peek_char(c) != '\n') {
                return false;
            }
            return *found = true;
        }
    }
    return true;
}

/* --- what it means -----------------------------------------------------------------------------------------
 */

static bool is_true(const struct config *c) {
    if (!c->set) return true; /* a key alone */
    static const char *const words[] = {"true", "yes", "on"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(c->value, words[i]) == 0) return true;
    return strtol(c->value, NULL, 10) != 0;
}

static bool take_extension(struct repoformat *format, const struct config *c, struct status *st) {
    /* They change nothing about how the index, refs and objects are read. */
    static const char *const harmless[] = {"noop", "noop-v1", "partialclone", "preciousobjects",
                                           "relativeworktrees"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strcmp(c->key, harmless[i]) == 0) return true;
    if (strcmp(c->key, "worktreeconfig") == 0) {
        format->own_config = is_true(c);
        return true;
    }
    if (strcmp(c->key, "objectformat") == 0 && strcmp(c->value, "sha256") == 0) format->n_id = OBJID_SHA256;
    else if (!(strcmp(c->key, "objectformat") == 0 && strcmp(c->value, "sha1") == 0) &&
             !(strcmp(c->key, "refstorage") == 0 && strcmp(c->value, "files") == 0))
        return status_fail(st, STATUS_UNSUPPORTED, "the repository uses extensions.%s = %s", c->key,
                           c->value);
    return true;
}

static bool take_key(struct repoformat *format, const struct config *c, struct status *st) {
    if (!c->plain) return true;
    if (strcmp(c->section, "extensions") == 0) return take_extension(format, c, st);
    if (strcmp(c->section, "core") != 0) return true;
    if (strcmp(c->key, "bare") == 0) {
        format->bare = is_true(c);
        format->bare_set = true;
    }
    if (strcmp(c->key, "worktree") == 0) {
        memcpy(format->worktree, c->value, sizeof format->worktree);
        if (strlen(c->value) == VALUE - 1)
            return status_fail(st, STATUS_UNSUPPORTED, "core.worktree is longer than %d bytes", VALUE - 2);
    }
    if (strcmp(c->key, "repositoryformatversion") == 0) format->version = strtol(c->value, NULL, 10);
    return true;
}

bool repoformat_read(struct repoformat *format, struct view text, struct status *st) {
    struct config c = {.at = text.at, .end = text.at + text.n};
    if (view_starts(text, "\xef\xbb\xbf")) c.at += 3;
    for (bool found;;) {
        if (!next_key(&c, &found))
            return status_fail(st, STATUS_BAD_INPUT, "the repository's configuration is not understood");
        if (!found) break;
        if (!take_key(format, &c, st)) return false;
    }
    if (format->version < 0 || format->version > 1)
        return status_fail(st, STATUS_UNSUPPORTED, "the repository has format version %ld", format->version);
    if (format->version == 0 && format->n_id != OBJID_SHA1)
        return status_fail(st, STATUS_UNSUPPORTED, "extensions.objectformat needs format version 1");
    return true;
}
