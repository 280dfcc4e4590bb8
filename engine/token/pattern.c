#include "engine/token/pattern.h"

#include <oniguruma.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Backtracks of one search: far more than any honest text needs, about a second's worth. */
    RETRY_BASE = 10 * 1000 * 1000,
    RETRIES_PER_BYTE = 16,
    MAX_EXPRESSION = 1 << 16,
    SHOWN = 48,
};

struct pattern {
    regex_t *regex; /* NULL: `literal` is looked for */
    char *literal;
    size_t n;
    char shown[SHOWN + 4]; /* the expression, for messages */
};

struct pattern_search {
    OnigRegion *region;
    OnigMatchParam *limits;
};

/* --- opening ------------------------------------------------------------------------------------------- */

/* A run of blanks before the end of a line, which deepseek-llm asks for: tried at every blank of a long run
 * it takes quadratic time, and whether the run ends the line is the same for all of them. */
static struct view rewritten(struct view expression) {
    return view_is(expression, "\\s+$") ? view_of("(?<!\\s)\\s+$") : expression;
}

static bool compile(struct pattern *p, struct view expression, struct status *st) {
    OnigErrorInfo info;
    OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
    onig_initialize(encodings, 1);
    const OnigUChar *start = (const OnigUChar *)expression.at;
    int code = onig_new(&p->regex, start, start + expression.n, ONIG_OPTION_NONE, ONIG_ENCODING_UTF8,
                        ONIG_SYNTAX_RUBY, &info);
    if (code == ONIG_NORMAL) return true;
    char why[ONIG_MAX_ERROR_MESSAGE_LEN];
    onig_error_code_to_str((OnigUChar *)why, code, &info);
    p->regex = NULL;
    return status_fail(st, STATUS_UNSUPPORTED, "Oniguruma refuses the pattern '%s': %.90s", p->shown, why);
}

static struct pattern *new_pattern(struct view text, struct status *st) {
    struct pattern *p = calloc(1, sizeof *p);
    if (!p) {
        status_fail(st, STATUS_NO_MEMORY, "out of memory for a pattern");
        return NULL;
    }
    char shown[VIEW_SHOWN];
    view_shown(shown, text);
    memcpy(p->shown, shown, SHOWN);
    return p;
}

bool pattern_open(struct pattern **out, struct view expression, struct status *st) {
    *out = NULL;
    if (expression.n > MAX_EXPRESSION)
        return status_fail(st, STATUS_UNSUPPORTED, "a pattern of %zu bytes is longer than %d", expression.n,
                           MAX_EXPRESSION);
    struct pattern *p = new_pattern(expression, st);
    if (!p) return false;
    if (!compile(p, rewritten(expression), st)) {
        pattern_close(p);
        return false;
    }
    *out = p;
    return true;
}

bool pattern_open_literal(struct pattern **out, struct view text, struct status *st) {
    *out = NULL;
    struct pattern *p = new_pattern(text, st);
    if (!p) return false;
    p->n = text.n;
    p->literal = malloc(text.n + 1);
    if (!p->literal) {
        pattern_close(p);
        return status_fail(st, STATUS_NO_MEMORY, "out of memory for a pattern");
    }
    memcpy(p->literal, text.at, text.n);
    *out = p;
    return true;
}

void pattern_close(struct pattern *p) {
    if (!p) return;
    if (p->regex) onig_free(p->regex);
    free(p->literal);
    free(p);
}

/* --- searching ----------------------------------------------------------------------------------------- */

struct pattern_search *pattern_search_open(size_t n, struct status *st) {
    struct pattern_search *s = calloc(1, sizeof *s);
    if (s) s->region = onig_region_new();
    if (s) s->limits = onig_new_match_param();
    if (!s || !s->region || !s->limits) {
        pattern_search_close(s);
        status_fail(st, STATUS_NO_MEMORY, "out of memory for cutting a text");
        return NULL;
    }
    onig_initialize_match_param(s->limits);
    unsigned long retries = RETRY_BASE + RETRIES_PER_BYTE * (unsigned long)n;
    onig_set_retry_limit_in_match_of_match_param(s->limits, retries);
    onig_set_retry_limit_in_search_of_match_param(s->limits, retries);
    return s;
}

void pattern_search_close(struct pattern_search *s) {
    if (!s) return;
    if (s->region) onig_region_free(s->region, 1);
    if (s->limits) onig_free_match_param(s->limits);
    free(s);
}

static enum pattern_found find_literal(size_t *start, size_t *end, const struct pattern *p, struct view text,
                                       size_t from) {
    const char *at = from < text.n ? memmem(text.at + from, text.n - from, p->literal, p->n) : NULL;
    if (!at) return PATTERN_NONE;
    *start = (size_t)(at - text.at);
    *end = *start + p->n;
    return PATTERN_FOUND;
}

enum pattern_found pattern_find(size_t *start, size_t *end, const struct pattern *p, struct pattern_search *s,
                                struct view text, size_t from, struct status *st) {
    if (!p->regex) return find_literal(start, end, p, text, from);
    const OnigUChar *at = (const OnigUChar *)text.at, *stop = at + text.n;
    int found =
        onig_search_with_param(p->regex, at, stop, at + from, stop, s->region, ONIG_OPTION_NONE, s->limits);
    if (found == ONIG_MISMATCH) return PATTERN_NONE;
    if (found >= 0) {
        *start = (size_t)s->region->beg[0];
        *end = (size_t)s->region->end[0];
        return PATTERN_FOUND;
    }
    char why[ONIG_MAX_ERROR_MESSAGE_LEN];
    onig_error_code_to_str((OnigUChar *)why, found);
    status_fail(st, STATUS_UNSUPPORTED, "the pattern '%s' gives up on the text: %.90s", p->shown, why);
    return PATTERN_FAILED;
}

size_t pattern_next(struct view text, size_t start, size_t end) {
    if (end > start) return end;
    end++;
    while (end < text.n && ((unsigned char)text.at[end] & 0xC0) == 0x80) end++;
    return end;
}
