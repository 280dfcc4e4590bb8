#include "coverage/scan/trees.h"

#include "coverage/scan/blank.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- what is parsed ------------------------------------------------------------------------------ */

struct plan {
    struct syntax_range *at;
    size_t n, bytes;
};

static void plan_add(struct plan *plan, size_t begin, size_t end) {
    if (begin >= end) return;
    plan->at[plan->n++] = (struct syntax_range){begin, end};
    plan->bytes += end - begin;
}

static size_t line_begin(struct view text, size_t at) {
    while (at > 0 && text.at[at - 1] != '\n') at--;
    return at;
}

static void plan_site(struct plan *plan, struct view text, const struct site *site, bool python) {
    bool parts = site->exact && (!python || site->inner != SIZE_MAX);
    size_t from = python ? line_begin(text, site->begin) : site->begin;
    size_t last = plan->n ? plan->at[plan->n - 1].end : 0;
    if (site->body == SIZE_MAX || from < last) return; /* nested: the tokens alone say where it is */
    if (!parts) {
        plan_add(plan, from, site->end);
    } else if (python) {
        plan_add(plan, from, site->inner + 1);
        plan_add(plan, site->inner + 1, site->inner + 2 < text.n ? site->inner + 2 : text.n);
    } else {
        plan_add(plan, site->begin, site->body + 1);
        plan_add(plan, site->tail ? site->tail : site->end - 1, site->end);
    }
}

static bool plan_init(struct plan *plan, const struct trees_work *work, struct status *st) {
    *plan = (struct plan){.at = malloc((2 * work->sites->n + 1) * sizeof *plan->at)};
    if (!plan->at)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory for the ranges of %zu kernels",
                           work->sites->n);
    for (size_t i = 0; i < work->sites->n; i++) plan_site(plan, work->text, &work->sites->at[i], !work->lex);
    if (!work->sites->n) plan_add(plan, 0, work->text.n);
    return true;
}

/* Python has no brackets to leave a body out between: the first statement becomes `0`. */
static void copy_python(char *out, const struct trees_work *work, const struct plan *plan) {
    for (size_t i = 0; i < plan->n; i++)
        memcpy(out + plan->at[i].begin, work->text.at + plan->at[i].begin,
               plan->at[i].end - plan->at[i].begin);
    for (size_t i = 0; i < work->sites->n; i++) {
        size_t inner = work->sites->at[i].inner;
        if (inner == SIZE_MAX) continue;
        out[inner] = '0';
        if (inner + 1 < work->text.n) out[inner + 1] = '\n';
    }
}

/* --- both copies --------------------------------------------------------------------------------- */

static bool parse_copy(struct trees *t, const struct trees_work *work, const struct plan *plan,
                       uint64_t deadline, struct status *st) {
    char *copy = malloc(work->text.n + 1);
    if (!copy)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory for a copy of %zu bytes", work->text.n);
    if (work->lex) blank_copy(copy, work->lex, work->language);
    else copy_python(copy, work, plan);
    bool ok = syntax_parse(&t->blanked, (struct view){copy, work->text.n}, plan->at, plan->n, t->grammar,
                           deadline, st);
    free(copy);
    return ok;
}

static bool all_clear(const struct syntax *syntax, const struct sites *sites) {
    if (syntax->stopped || syntax->error_bytes) return false;
    for (size_t i = 0; i < sites->n; i++) {
        if (sites->at[i].body == SIZE_MAX) continue;
        const struct syntax_function *f = syntax_find(syntax, sites->at[i].body);
        if (!f || !f->clean) return false;
    }
    return sites->n > 0;
}

static bool parse_both(struct trees *t, const struct trees_work *work, const struct plan *plan,
                       struct status *st) {
    uint64_t deadline = syntax_now() + work->ms;
    if (!parse_copy(t, work, plan, deadline, st)) return false;
    bool raw = work->lex && !all_clear(&t->blanked, work->sites);
    if (raw && !syntax_parse(&t->raw, work->text, plan->at, plan->n, t->grammar, deadline, st)) return false;
    size_t errors = SIZE_MAX;
    if (!t->blanked.stopped) errors = t->blanked.error_bytes;
    if (raw && !t->raw.stopped && t->raw.error_bytes < errors) errors = t->raw.error_bytes;
    t->stopped = errors == SIZE_MAX;
    if (t->stopped) t->grammar = NULL;
    else t->error_share = (double)errors / (double)plan->bytes;
    return true;
}

bool trees_parse(struct trees *trees, const struct trees_work *work, struct status *st) {
    struct plan plan;
    *trees = (struct trees){0};
    if (!plan_init(&plan, work, st)) return false;
    bool ok = true;
    trees->too_large = plan.bytes > work->bytes;
    if (plan.n && !trees->too_large) {
        trees->grammar = syntax_grammar(work->grammar);
        ok = parse_both(trees, work, &plan, st);
    }
    free(plan.at);
    return ok;
}

void trees_free(struct trees *trees) {
    syntax_free(&trees->raw);
    syntax_free(&trees->blanked);
}

const struct syntax_function *trees_find(const struct trees *trees, size_t key) {
    const struct syntax_function *raw = syntax_find(&trees->raw, key);
    const struct syntax_function *blanked = syntax_find(&trees->blanked, key);
    if (raw && (raw->clean || !blanked || !blanked->clean)) return raw;
    return blanked;
}
