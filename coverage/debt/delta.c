#include "coverage/debt/delta.h"

/* The gaps of `a` that `b` does not have, in order. */
static bool without(const struct debt_gap *const **out, size_t *n, const struct debt *a, const struct debt *b,
                    struct arena *arena, struct status *st) {
    const struct debt_gap **list = arena_alloc(arena, a->n, sizeof *list, st);
    if (!list) return false;
    *n = 0;
    for (size_t i = 0; i < a->n; i++)
        if (!debt_has(b, a->gaps[i].fingerprint)) list[(*n)++] = &a->gaps[i];
    *out = list;
    return true;
}

bool delta_compare(struct delta *delta, const struct debt *base, const struct debt *now, struct arena *arena,
                   struct status *st) {
    delta->before = base->n;
    return without(&delta->added, &delta->n_added, now, base, arena, st) &&
           without(&delta->removed, &delta->n_removed, base, now, arena, st);
}
