#include "engine/token/pretokenize.h"

#include <oniguruma.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PATTERNS = 8,
    /* Backtracks of one search: far more than any honest text needs, about a second's worth. */
    RETRY_BASE = 10 * 1000 * 1000,
    RETRIES_PER_BYTE = 16,
};

struct walk;
typedef bool last_step(struct walk *walk, struct view piece, struct status *st);
static last_step falcon_digits;

struct row {
    const char *names; /* separated by blanks */
    struct pretokenize_traits traits;
    last_step *last;
    const char *patterns[MAX_PATTERNS + 1];
};

static const struct row rows[] = {
#define PRETOKENIZER(names, nfc, ignore_merges, adds_bos, last, ...)                                         \
    {names, {nfc, ignore_merges, adds_bos}, last, {__VA_ARGS__}},
#include "engine/token/pretokenizers.inc"
#undef PRETOKENIZER
};
enum { N_ROWS = sizeof rows / sizeof *rows };

struct pretokenizer {
    const struct row *row;
    char name[32];
    regex_t *regexes[MAX_PATTERNS];
    int n;
};

/* --- opening ------------------------------------------------------------------------------------------- */

static bool has_name(const char *names, struct view name) {
    while (*names) {
        size_t n = strcspn(names, " ");
        if (view_equal(name, (struct view){names, n})) return true;
        names += n;
        names += strspn(names, " ");
    }
    return false;
}

static bool find_row(const struct row **out, struct view name, struct status *st) {
    char known[300] = "", shown[VIEW_SHOWN];
    for (size_t i = 0; i < N_ROWS; i++) {
        *out = &rows[i];
        if (has_name(rows[i].names, name)) return true;
        strcat(strcat(known, i ? ", " : ""), rows[i].names);
    }
    if (name.n == 0)
        return status_fail(
            st, STATUS_UNSUPPORTED,
            "the file does not name its pre-tokenizer ('tokenizer.ggml.pre'), so its text cannot "
            "be cut as the model was trained: convert the model again");
    return status_fail(st, STATUS_UNSUPPORTED, "the pre-tokenizer '%s' is not one of those that run: %s",
                       view_shown(shown, name), known);
}

static bool compile(regex_t **out, const char *pattern, struct status *st) {
    OnigErrorInfo info;
    const OnigUChar *start = (const OnigUChar *)pattern;
    int code = onig_new(out, start, start + strlen(pattern), ONIG_OPTION_NONE, ONIG_ENCODING_UTF8,
                        ONIG_SYNTAX_RUBY, &info);
    if (code == ONIG_NORMAL) return true;
    char why[ONIG_MAX_ERROR_MESSAGE_LEN];
    onig_error_code_to_str((OnigUChar *)why, code, &info);
    *out = NULL;
    return status_fail(st, STATUS_UNSUPPORTED, "Oniguruma refuses the pattern '%.60s': %.90s", pattern, why);
}

bool pretokenize_open(struct pretokenizer **out, struct view name, struct status *st) {
    *out = NULL;
    const struct row *row;
    if (!find_row(&row, name, st)) return false;
    OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
    onig_initialize(encodings, 1);
    struct pretokenizer *p = calloc(1, sizeof *p);
    if (!p) return status_fail(st, STATUS_NO_MEMORY, "out of memory for a pre-tokenizer");
    p->row = row;
    memcpy(p->name, name.at, name.n);
    bool ok = true;
    while (ok && row->patterns[p->n]) {
        ok = compile(&p->regexes[p->n], row->patterns[p->n], st);
        if (ok) p->n++;
    }
    if (ok) *out = p;
    else pretokenize_close(p);
    return ok;
}

void pretokenize_close(struct pretokenizer *p) {
    if (!p) return;
    for (int i = 0; i < p->n; i++) onig_free(p->regexes[i]);
    free(p);
}

const char *pretokenize_name(const struct pretokenizer *p) { return p->name; }
struct pretokenize_traits pretokenize_traits(const struct pretokenizer *p) {
    return p->row->traits;
}

/* --- cutting ------------------------------------------------------------------------------------------- */

struct walk {
    const struct pretokenizer *p;
    pretokenize_sink *sink;
    void *context;
    OnigRegion *regions[MAX_PATTERNS]; /* one a step: the steps nest */
    OnigMatchParam *limits;
};

static bool cut(struct walk *w, int step, struct view text, struct status *st);

/* Hands on a piece that step `step` has made. */
static bool next_step(struct walk *w, int step, struct view text, size_t from, size_t to, struct status *st) {
    if (from == to) return true;
    return cut(w, step + 1, (struct view){text.at + from, to - from}, st);
}

/* The next match of a step at or after byte `from`: 1, 0 for none, -1 for an error. */
static int search(struct walk *w, int step, struct view text, size_t from, struct status *st) {
    const OnigUChar *start = (const OnigUChar *)text.at, *end = start + text.n;
    int at = onig_search_with_param(w->p->regexes[step], start, end, start + from, end, w->regions[step],
                                    ONIG_OPTION_NONE, w->limits);
    if (at >= 0 || at == ONIG_MISMATCH) return at >= 0;
    char why[ONIG_MAX_ERROR_MESSAGE_LEN];
    onig_error_code_to_str((OnigUChar *)why, at);
    status_fail(st, STATUS_UNSUPPORTED, "the pre-tokenizer '%s' gives up on the text: %.90s", w->p->name,
                why);
    return -1;
}

/* Matches and what lies between them are pieces of their own (`Split` with behavior Isolated). */
static bool cut(struct walk *w, int step, struct view text, struct status *st) {
    if (step == w->p->n) {
        if (w->p->row->last) return w->p->row->last(w, text, st);
        return w->sink(w->context, text, st);
    }
    size_t done = 0, from = 0;
    while (from < text.n) {
        int found = search(w, step, text, from, st);
        if (found < 0) return false;
        if (found == 0) break;
        size_t start = (size_t)w->regions[step]->beg[0], end = (size_t)w->regions[step]->end[0];
        if (!next_step(w, step, text, done, start, st) || !next_step(w, step, text, start, end, st))
            return false;
        done = end;
        from = end > start ? end : end + 1; /* an empty match cuts, and takes nothing */
        while (from < text.n && ((unsigned char)text.at[from] & 0xC0) == 0x80) from++;
    }
    return next_step(w, step, text, done, text.n, st);
}

/* tokenizers runs falcon's `Digits` on the byte alphabet, where six bytes look like superscripts and
 * fractions and count as digits; so characters are cut here. Then every three ASCII digits are a piece. */
static bool is_falcon_digit(char c) {
    return (c >= '0' && c <= '9') || (c && strchr("\xB2\xB3\xB9\xBC\xBD\xBE", c));
}

static bool is_ascii_digits(const char *at) {
    for (int i = 0; i < 3; i++)
        if (at[i] < '0' || at[i] > '9') return false;
    return true;
}

static bool falcon_digits(struct walk *w, struct view text, struct status *st) {
    size_t done = 0, i = 0;
    while (i < text.n) {
        bool digit = is_falcon_digit(text.at[i]),
             three = digit && text.n - i >= 3 && is_ascii_digits(text.at + i);
        bool turns = i > done && digit != is_falcon_digit(text.at[i - 1]);
        if (i > done && (turns || three)) {
            if (!w->sink(w->context, (struct view){text.at + done, i - done}, st)) return false;
            done = i;
        }
        i += three ? 3 : 1;
        if (three) {
            if (!w->sink(w->context, (struct view){text.at + done, 3}, st)) return false;
            done = i;
        }
    }
    return done == text.n || w->sink(w->context, (struct view){text.at + done, text.n - done}, st);
}

static bool walk_open(struct walk *w, size_t n) {
    w->limits = onig_new_match_param();
    if (!w->limits) return false;
    onig_initialize_match_param(w->limits);
    unsigned long retries = RETRY_BASE + RETRIES_PER_BYTE * (unsigned long)n;
    onig_set_retry_limit_in_match_of_match_param(w->limits, retries);
    onig_set_retry_limit_in_search_of_match_param(w->limits, retries);
    for (int i = 0; i < w->p->n; i++)
        if (!(w->regions[i] = onig_region_new())) return false;
    return true;
}

bool pretokenize(const struct pretokenizer *p, struct view text, pretokenize_sink *sink, void *context,
                 struct status *st) {
    struct walk w = {.p = p, .sink = sink, .context = context};
    bool ok = walk_open(&w, text.n);
    if (!ok) status_fail(st, STATUS_NO_MEMORY, "out of memory for cutting a text");
    ok = ok && (text.n == 0 || cut(&w, 0, text, st));
    for (int i = 0; i < p->n; i++)
        if (w.regions[i]) onig_region_free(w.regions[i], 1);
    if (w.limits) onig_free_match_param(w.limits);
    return ok;
}
