#include "engine/token/pretokenize.h"

#include "engine/token/pattern.h"
#include "engine/token/vocab.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct step {
    enum pretokenize_kind kind;
    enum pretokenize_behaviour behaviour;
    enum pretokenize_scheme scheme;
    bool invert;
    struct pattern *pattern;
    char mark[16]; /* what stands for a space */
};

struct pretokenizer {
    char name[32];
    struct step steps[PRETOKENIZE_MAX_STEPS];
    size_t n;
    bool in_alphabet; /* the last steps see the alphabet, not bytes */
};

/* --- opening ------------------------------------------------------------------------------------------- */

static bool open_step(struct step *out, const struct pretokenize_step *in, struct status *st) {
    *out = (struct step){in->kind, in->behaviour, in->scheme, in->invert, NULL, ""};
    if (in->kind == PRETOKENIZE_METASPACE) {
        if (in->text.n >= sizeof out->mark)
            return status_fail(st, STATUS_UNSUPPORTED, "%zu bytes that stand for a space: at most %zu run",
                               in->text.n, sizeof out->mark - 1);
        memcpy(out->mark, in->text.at, in->text.n);
    }
    if (in->kind != PRETOKENIZE_SPLIT) return true;
    if (in->literal && in->text.n) return pattern_open_literal(&out->pattern, in->text, st);
    return pattern_open(&out->pattern, in->text, st);
}

bool pretokenize_open(struct pretokenizer **out, const char *name, const struct pretokenize_step *steps,
                      size_t n, struct status *st) {
    *out = NULL;
    assert(n <= PRETOKENIZE_MAX_STEPS);
    struct pretokenizer *p = calloc(1, sizeof *p);
    if (!p) return status_fail(st, STATUS_NO_MEMORY, "out of memory for a pre-tokenizer");
    snprintf(p->name, sizeof p->name, "%s", name);
    while (n && steps[n - 1].kind == PRETOKENIZE_ALPHABET) n--; /* there and back at once */
    for (; p->n < n; p->n++) {
        if (!open_step(&p->steps[p->n], &steps[p->n], st)) {
            pretokenize_close(p);
            return false;
        }
        p->in_alphabet = p->in_alphabet || steps[p->n].kind == PRETOKENIZE_ALPHABET;
    }
    *out = p;
    return true;
}

void pretokenize_close(struct pretokenizer *p) {
    if (!p) return;
    for (size_t i = 0; i < p->n; i++) pattern_close(p->steps[i].pattern);
    free(p);
}

const char *pretokenize_name(const struct pretokenizer *p) { return p->name; }

/* --- those that GGUF files name ------------------------------------------------------------------------ */

#define SPLIT(expression)                                                                                    \
    {                                                                                                        \
        .kind = PRETOKENIZE_SPLIT, .text = { expression, sizeof expression - 1 }                             \
    }

struct row {
    const char *names; /* separated by blanks */
    struct pretokenize_traits traits;
    struct pretokenize_step steps[PRETOKENIZE_MAX_STEPS];
};

static const struct row rows[] = {
#define PRETOKENIZER(names, nfc, ignore_merges, adds_bos, ...)                                               \
    {names, {nfc, ignore_merges, adds_bos}, {__VA_ARGS__}},
#include "engine/token/pretokenizers.inc"
#undef PRETOKENIZER
};
enum { N_ROWS = sizeof rows / sizeof *rows };

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
    char known[400] = "", shown[VIEW_SHOWN];
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

bool pretokenize_open_named(struct pretokenizer **out, struct pretokenize_traits *traits, struct view name,
                            struct status *st) {
    *out = NULL;
    const struct row *row;
    char called[32];
    if (!find_row(&row, name, st)) return false;
    *traits = row->traits;
    snprintf(called, sizeof called, "%.*s", (int)name.n, name.at);
    size_t n = 0;
    while (n < PRETOKENIZE_MAX_STEPS && row->steps[n].kind != PRETOKENIZE_END) n++;
    return pretokenize_open(out, called, row->steps, n, st);
}

/* --- cutting ------------------------------------------------------------------------------------------- */

struct walk {
    const struct pretokenizer *p;
    pretokenize_sink *sink;
    void *context;
    struct pattern_search *search;
    struct str texts[PRETOKENIZE_MAX_STEPS]; /* what steps wrote; one a step, for the steps nest */
    struct str bytes;
};

static bool cut(struct walk *w, size_t i, struct view text, bool first, struct status *st);

/* The pieces of one step on their way: a match may wait for what comes next to it. */
struct joiner {
    struct walk *w;
    size_t step; /* that comes next */
    struct view text;
    bool first;
    size_t from, to;
    bool waits, matched;
};

static bool flush(struct joiner *j, struct status *st) {
    if (!j->waits || j->from == j->to) return true;
    j->waits = false;
    return cut(j->w, j->step, (struct view){j->text.at + j->from, j->to - j->from}, j->first && j->from == 0,
               st);
}

static bool joins(const struct joiner *j, enum pretokenize_behaviour behaviour, bool match) {
    if (!j->waits) return false;
    switch (behaviour) {
    case PRETOKENIZE_CONTIGUOUS: return match == j->matched;
    case PRETOKENIZE_WITH_PREVIOUS: return match && !j->matched;
    case PRETOKENIZE_WITH_NEXT: return !match && j->matched;
    case PRETOKENIZE_ISOLATED:
    case PRETOKENIZE_REMOVED: return false;
    }
    return false;
}

/* Takes the next part of the text, a match or what lies between two. */
static bool take(struct joiner *j, const struct step *step, size_t from, size_t to, bool match,
                 struct status *st) {
    match = match != step->invert;
    if (from == to || (match && step->behaviour == PRETOKENIZE_REMOVED)) return true;
    bool joined = joins(j, step->behaviour, match);
    if (!joined && !flush(j, st)) return false;
    if (!joined) j->from = from;
    j->to = to;
    j->waits = true;
    j->matched = match;
    return true;
}

static bool split(struct walk *w, size_t i, struct view text, bool first, struct status *st) {
    const struct step *step = &w->p->steps[i];
    struct joiner j = {.w = w, .step = i + 1, .text = text, .first = first};
    size_t done = 0;
    for (size_t from = 0, start, end; from < text.n; from = pattern_next(text, start, end)) {
        enum pattern_found found = pattern_find(&start, &end, step->pattern, w->search, text, from, st);
        if (found == PATTERN_FAILED) return false;
        if (found == PATTERN_NONE) break;
        if (!take(&j, step, done, start, false, st) || !take(&j, step, start, end, true, st)) return false;
        done = end;
    }
    return take(&j, step, done, text.n, false, st) && flush(&j, st);
}

static void put_marks(struct str *out, const struct step *step, struct view text, bool first) {
    size_t n = strlen(step->mark);
    bool front = step->scheme == PRETOKENIZE_ALWAYS || (step->scheme == PRETOKENIZE_FIRST && first);
    if (front && text.at[0] != ' ' && !view_starts(text, step->mark)) str_add(out, step->mark, n);
    for (size_t i = 0; i < text.n; i++) {
        if (text.at[i] == ' ') str_add(out, step->mark, n);
        else str_putc(out, text.at[i]);
    }
}

static bool rewrite(struct walk *w, size_t i, struct view text, bool first, struct status *st) {
    const struct step *step = &w->p->steps[i];
    struct str *out = &w->texts[i];
    str_clear(out);
    if (step->kind == PRETOKENIZE_METASPACE) put_marks(out, step, text, first);
    else if (step->kind == PRETOKENIZE_ALPHABET) vocab_to_alphabet(out, text);
    else {
        if (text.at[0] != ' ') str_putc(out, ' ');
        str_add(out, text.at, text.n);
    }
    return str_ok(out, st) && cut(w, i + 1, (struct view){out->at, out->n}, first, st);
}

static bool give(struct walk *w, struct view text, struct status *st) {
    if (!w->p->in_alphabet) return w->sink(w->context, text, st);
    str_clear(&w->bytes);
    bool ours = vocab_from_alphabet(&w->bytes, text);
    assert(ours);
    (void)ours;
    return str_ok(&w->bytes, st) && w->sink(w->context, (struct view){str_c(&w->bytes), w->bytes.n}, st);
}

static bool cut(struct walk *w, size_t i, struct view text, bool first, struct status *st) {
    if (text.n == 0) return true;
    if (i == w->p->n) return give(w, text, st);
    return w->p->steps[i].kind == PRETOKENIZE_SPLIT ? split(w, i, text, first, st)
                                                    : rewrite(w, i, text, first, st);
}

bool pretokenize(const struct pretokenizer *p, struct view text, bool first, pretokenize_sink *sink,
                 void *context, struct status *st) {
    struct walk w = {.p = p, .sink = sink, .context = context};
    w.search = pattern_search_open(text.n, st);
    bool ok = w.search && cut(&w, 0, text, first, st);
    pattern_search_close(w.search);
    for (size_t i = 0; i < p->n; i++) str_free(&w.texts[i]);
    str_free(&w.bytes);
    return ok;
}
