#include "hooks/range/mergemade.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The lines of a text, sorted, without the blanks around them. */
struct lines {
    struct view *at;
    size_t n;
};

static int by_bytes(const void *a, const void *b) {
    const struct view *x = a, *y = b;
    size_t n = x->n < y->n ? x->n : y->n;
    int order = n ? memcmp(x->at, y->at, n) : 0;
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

static bool lines_open(struct lines *out, struct view text, struct status *st) {
    struct view line, rest = text;
    size_t n = 0;
    while (view_line(&line, &rest)) n++;
    *out = (struct lines){.at = calloc(n + 1, sizeof *out->at)};
    if (!out->at) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    rest = text;
    while (view_line(&line, &rest)) out->at[out->n++] = view_trim(line);
    qsort(out->at, out->n, sizeof *out->at, by_bytes);
    return true;
}

static bool has(const struct lines *lines, struct view line) {
    return bsearch(&line, lines->at, lines->n, sizeof line, by_bytes) != NULL;
}

static bool any_has(const struct lines *lines, size_t n, struct view line) {
    for (size_t i = 0; i < n; i++)
        if (has(&lines[i], line)) return true;
    return false;
}

static bool all_have(const struct lines *lines, size_t n, struct view line) {
    for (size_t i = 0; i < n; i++)
        if (!has(&lines[i], line)) return false;
    return true;
}

static int first_made(struct view result, const struct lines *own, const struct lines *parents, size_t n) {
    struct view line, rest = result;
    for (int number = 1; view_line(&line, &rest); number++) {
        line = view_trim(line);
        if (line.n && !any_has(parents, n, line)) return number;
    }
    for (size_t i = 0; n && i < parents[0].n; i++) {
        line = parents[0].at[i];
        if (line.n && !has(own, line) && all_have(parents, n, line)) return 1;
    }
    return 0;
}

bool mergemade(int *line, struct view result, const struct view *parents, size_t n_parents,
               struct status *st) {
    struct lines own = {0}, *lines = calloc(n_parents + 1, sizeof *lines);
    bool ok = lines ? true : status_fail(st, STATUS_NO_MEMORY, "out of memory");
    ok = ok && lines_open(&own, result, st);
    for (size_t i = 0; ok && i < n_parents; i++) ok = lines_open(&lines[i], parents[i], st);
    *line = ok ? first_made(result, &own, lines, n_parents) : 0;
    for (size_t i = 0; lines && i < n_parents; i++) free(lines[i].at);
    free(own.at);
    free(lines);
    return ok;
}
