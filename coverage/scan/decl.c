#include "coverage/scan/decl.h"

#include <string.h>

/* No template list of people is longer, in tokens; looking no further keeps the walk linear. */
enum { MAX_ANGLES = 512 };

static char punct_at(const struct lex *lex, size_t i) {
    if (i >= lex->n_tokens || lex->tokens[i].kind != LEX_PUNCT) return 0;
    return lex->text.at[lex->tokens[i].begin];
}

size_t decl_skip_angles(const struct lex *lex, size_t i, size_t end) {
    unsigned paren = lex->tokens[i].paren;
    int open = 0;
    if (end - i > MAX_ANGLES) end = i + MAX_ANGLES;
    for (size_t j = i; j < end; j++) {
        if (lex->tokens[j].paren != paren) continue;
        char c = punct_at(lex, j);
        if (c == '<') open++;
        if (c == '>' && --open == 0) return j + 1;
        if (c == ';' || c == '{') break;
    }
    return i;
}

/* What a '{' after the tokens [head, open) opens. */
enum opening { OPENS_SCOPE, OPENS_BODY, OPENS_VALUE };

static bool names_a_scope(struct view word) {
    return view_is(word, "namespace") || view_is(word, "class") || view_is(word, "struct") ||
           view_is(word, "union") || view_is(word, "enum");
}

static enum opening opening_of(const struct lex *lex, size_t head, size_t open) {
    if (head == open) return OPENS_SCOPE;
    unsigned paren = lex->tokens[head].paren;
    bool has_list = false, scope_word = false;
    for (size_t i = head; i < open; i++) {
        if (lex->tokens[i].paren > paren) continue;
        struct view word = lex_view(lex, i);
        char c = punct_at(lex, i);
        if (view_is(word, "template") && punct_at(lex, i + 1) == '<')
            i = decl_skip_angles(lex, i + 1, open) - 1;
        else if (view_is(word, "operator")) i++;
        else if (c == '=') return OPENS_VALUE;
        else if (c == '(') has_list = true;
        else if (!has_list && names_a_scope(word)) scope_word = true;
    }
    /* `struct S f(int a) {` is a function; `struct __attribute__((packed)) S {` is not. */
    char last = punct_at(lex, open - 1);
    if (scope_word && last != ')') return OPENS_SCOPE;
    if (has_list) return OPENS_BODY;
    return OPENS_SCOPE;
}

static bool is_access(const struct lex *lex, size_t head, size_t i) {
    if (i != head + 1) return false;
    return lex_is(lex, head, "public") || lex_is(lex, head, "private") || lex_is(lex, head, "protected");
}

static bool give(struct decl_walk *walk, struct decl *out, size_t head, size_t end) {
    *out = (struct decl){.head = head, .open = end, .close = end};
    walk->i = end + 1;
    return true;
}

bool decl_next(struct decl_walk *walk, struct decl *out) {
    const struct lex *lex = walk->lex;
    size_t head = walk->i;
    for (size_t i = head; i < lex->n_tokens; i++) {
        char c = punct_at(lex, i);
        bool within = lex->tokens[i].paren > lex->tokens[head].paren;
        if (c == '{' && within) {
            i = lex_close(lex, i);
        } else if (c == '{') {
            enum opening opening = opening_of(lex, head, i);
            if (opening == OPENS_SCOPE) {
                head = i + 1;
                continue;
            }
            size_t close = lex_close(lex, i);
            if (opening == OPENS_BODY) {
                *out = (struct decl){.head = head, .open = i, .close = close, .has_body = true};
                walk->i = close < lex->n_tokens ? close + 1 : close;
                return true;
            }
            i = close;
        } else if (c == '}') {
            if (i > head) return give(walk, out, head, i);
            head = i + 1;
        } else if (c ==
                   ';') { /* within parentheses too: no for loop stands here, so they were never closed */
            if (i > head) return give(walk, out, head, i);
            head = i + 1;
        } else if (c == ':' && is_access(lex, head, i)) {
            head = i + 1;
        }
    }
    walk->i = lex->n_tokens;
    if (head >= lex->n_tokens) return false;
    *out = (struct decl){.head = head, .open = lex->n_tokens, .close = lex->n_tokens};
    return true;
}

/* --- the name ------------------------------------------------------------------------------------ */

static bool is_attribute(struct view word) {
    static const char *const words[] = {"noexcept", "requires",   "alignas",  "decltype",
                                        "throw",    "__declspec", "explicit", "asm"};
    if (view_starts(word, "__")) {
        return view_ends(word, "__") || view_starts(word, "__attribute") || view_starts(word, "__declspec");
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_is(word, words[i])) return true;
    return false;
}

static bool is_capitals(struct view word) {
    for (size_t i = 0; i < word.n; i++)
        if (word.at[i] >= 'a' && word.at[i] <= 'z') return false;
    return true;
}

/* The name before the '(' at `i`: `f(`, or `f<int>(`, whose angles are walked back over. */
static size_t name_before(const struct lex *lex, size_t head, size_t i) {
    if (i == head) return SIZE_MAX;
    size_t j = i - 1;
    if (punct_at(lex, j) == '>') {
        int open = 0;
        for (;; j--) {
            if (punct_at(lex, j) == '>') open++;
            if (punct_at(lex, j) == '<' && --open == 0) break;
            if (j == head || i - j > MAX_ANGLES / 4) return SIZE_MAX;
        }
        if (j == head) return SIZE_MAX;
        j--;
    }
    return lex_is_name(lex, j) ? j : SIZE_MAX;
}

size_t decl_name(const struct lex *lex, size_t head, size_t end) {
    size_t best = SIZE_MAX;
    if (head >= end) return best;
    unsigned paren = lex->tokens[head].paren;
    for (size_t i = head; i < end; i++) {
        if (lex->tokens[i].paren > paren) continue;
        char c = punct_at(lex, i);
        if (lex_is(lex, i, "template") && punct_at(lex, i + 1) == '<') {
            size_t after = decl_skip_angles(lex, i + 1, end);
            if (after > i + 1) i = after - 1;
            continue;
        }
        /* A constructor's initializer list is no declarator; `::` is no colon. */
        bool colon = c == ':' && punct_at(lex, i + 1) != ':' && (i == head || punct_at(lex, i - 1) != ':');
        if (best != SIZE_MAX && colon) break;
        if (c != '(') continue;
        size_t name = name_before(lex, head, i);
        if (name == SIZE_MAX || is_attribute(lex_view(lex, name))) continue;
        bool capitals = is_capitals(lex_view(lex, name));
        if (best == SIZE_MAX || !capitals || is_capitals(lex_view(lex, best))) best = name;
    }
    /* Branches of an #if may each write the name: the first is as good as the last. */
    for (size_t i = head; best != SIZE_MAX && i < best; i++)
        if (lex->tokens[i].paren == paren && lex_is(lex, i + 1, "(") &&
            view_equal(lex_view(lex, i), lex_view(lex, best)))
            return i;
    return best;
}
