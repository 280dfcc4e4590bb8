#include "sotadb/search.h"

#include "sotadb/name.h"

#include <string.h>

struct best {
    int score;
    const char *field;
};

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

static size_t common_length(const char *text, const char *word) {
    size_t n = 0;
    while (word[n] && name_fold(text[n]) == name_fold(word[n])) n++;
    return n;
}

/* 0: not there; 1: inside of a word; 2: begins one; 4: is one. */
static int found_as(const char *text, const char *word) {
    size_t n = strlen(word);
    int best = 0;
    char before = ' ';
    if (n == 0) return 0;
    for (const char *at = text; *at; before = name_fold(*at), at++) {
        if (common_length(at, word) < n) continue;
        bool begins = !is_word_char(before), ends = !is_word_char(name_fold(at[n]));
        int as = begins && ends ? 4 : begins ? 2 : 1;
        if (as > best) best = as;
    }
    return best;
}

static void look(struct best *best, const char *text, const char *word, int weight, const char *field) {
    int score = weight * found_as(text, word);
    if (score > best->score) *best = (struct best){score, field};
}

static struct best best_in_op(const struct matrix *m, const struct op *op, const char *word) {
    struct best best = {0};
    look(&best, op->slug, word, 10, "slug");
    look(&best, op->aliases, word, 9, "alias");
    look(&best, op->title, word, 8, "title");
    look(&best, op->summary, word, 5, "summary");
    for (unsigned i = 0; i < op->symbols.n; i++)
        look(&best, m->symbols[op->symbols.first + i].pattern, word, 6, "kernel");
    for (unsigned i = 0; i < op->references.n; i++) {
        const struct reference *row = &m->references[op->references.first + i];
        look(&best, row->name, word, row->kind == REFERENCE_PRIMARY ? 6 : 4, "reference");
        look(&best, row->url, word, 2, "reference");
        look(&best, row->note, word, 2, "reference");
    }
    for (unsigned i = 0; i < op->papers.n; i++) {
        look(&best, m->papers[op->papers.first + i].title, word, 4, "paper");
        look(&best, m->papers[op->papers.first + i].id, word, 4, "paper");
    }
    for (unsigned i = 0; i < op->paths.n; i++)
        look(&best, m->paths[op->paths.first + i].glob, word, 3, "path");
    for (unsigned i = 0; i < op->witnesses.n; i++) {
        look(&best, m->witnesses[op->witnesses.first + i].floor_name, word, 6, "floor");
        look(&best, m->witnesses[op->witnesses.first + i].device, word, 3, "witness");
    }
    look(&best, route_name(op->route), word, 3, "route");
    look(&best, op->route_note, word, 2, "route note");
    look(&best, op->oracle, word, 2, "oracle");
    look(&best, op->bottleneck, word, 2, "bottleneck");
    look(&best, op->selection, word, 2, "selection");
    look(&best, op->plan, word, 1, "plan");
    return best;
}

static struct best best_in_rung(const struct rung *rung, const char *word) {
    struct best best = {0};
    look(&best, rung->technique, word, 6, "technique");
    look(&best, rung->change, word, 2, "rung");
    look(&best, rung->axis, word, 1, "axis");
    return best;
}

/* Keeps out[0..n) sorted; equal scores stay in the order they came in. Returns the new n. */
static size_t insert(struct search_hit *out, size_t n, size_t room, struct search_hit hit) {
    size_t at = n < room ? n : room;
    while (at > 0 && out[at - 1].score < hit.score) {
        if (at < room) out[at] = out[at - 1];
        at--;
    }
    if (at < room) out[at] = hit;
    return n + 1;
}

static const struct rung *rung_at(const struct matrix *m, size_t i) {
    return i < m->n_rungs ? &m->rungs[i] : &m->branches[i - m->n_rungs];
}

size_t search_matrix(const struct matrix *m, const char *const *words, size_t n_words, bool any,
                     struct search_hit *out, size_t room) {
    size_t n = 0;
    for (size_t row = 0; row < m->n_ops + m->n_rungs + m->n_branches; row++) {
        const struct op *op = row < m->n_ops ? &m->ops[row] : NULL;
        const struct rung *rung = op ? NULL : rung_at(m, row - m->n_ops);
        struct search_hit hit = {.op = op, .rung = rung};
        size_t n_found = 0;
        int most = 0;
        for (size_t i = 0; i < n_words; i++) {
            struct best best = op ? best_in_op(m, op, words[i]) : best_in_rung(rung, words[i]);
            n_found += best.score > 0;
            hit.score += best.score;
            if (best.score > most) most = best.score, hit.field = best.field;
        }
        if (n_found > 0 && (any || n_found == n_words)) n = insert(out, n, room, hit);
    }
    return n;
}
