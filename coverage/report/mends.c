/* Which mends come next, and which links are stale: the two lists of the scorecard that are worked out. */
#include "coverage/report/scorecard.h"

#include <stdlib.h>
#include <string.h>

/* --- the next mends -------------------------------------------------------------------------------- */

/* Kernels that the gap stands in the way of. */
static size_t count_kernels(const struct debt_gap *gap, const struct scorecard_tally *tally,
                            const struct report *r) {
    const struct op *op = gap->op[0] ? matrix_op(r->matrix, gap->op) : NULL;
    if (gap->kind == DEBT_SEVERAL) return 1;
    if (op) return debt_is_beside(gap) ? 0 : tally->by_op[op - r->matrix->ops];
    size_t n = 0;
    for (size_t i = 0; gap->kind == DEBT_UNCOVERED && i < r->survey->n_files; i++) {
        const struct scan_file *scan = &r->survey->files[i].scan;
        if (strcmp(gap->path, scan->path) != 0) continue;
        for (size_t k = 0; k < scan->n_kernels; k++) n += scan->kernels[k].kind != SCAN_HELPER;
    }
    return n;
}

static bool comes_first(const struct scorecard_mend *a, const struct scorecard_mend *b) {
    bool wrong_a = a->gap->kind < DEBT_SELECTED, wrong_b = b->gap->kind < DEBT_SELECTED;
    if (wrong_a != wrong_b) return wrong_a;
    if (a->kernels != b->kernels) return a->kernels > b->kernels;
    return a->gap < b->gap;
}

size_t scorecard_mends(struct scorecard_mend *out, size_t room, const struct report *r) {
    size_t n = 0;
    struct scorecard_tally tally;
    if (!scorecard_tally(&tally, r)) return 0;
    for (size_t i = 0; i < r->debt->n; i++) {
        struct scorecard_mend mend = {&r->debt->gaps[i], count_kernels(&r->debt->gaps[i], &tally, r)};
        size_t at = n < room ? n++ : room;
        while (at > 0 && comes_first(&mend, &out[at - 1])) {
            if (at < room) out[at] = out[at - 1];
            at--;
        }
        if (at < room) out[at] = mend;
    }
    scorecard_tally_free(&tally);
    return n;
}

/* --- freshness ------------------------------------------------------------------------------------- */

/* Howard Hinnant, "chrono-compatible low-level date algorithms": days_from_civil */
static long days_from_civil(long y, unsigned m, unsigned d) {
    y -= m <= 2;
    long era = (y >= 0 ? y : y - 399) / 400;
    unsigned yoe = (unsigned)(y - era * 400);
    unsigned doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
    unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + (long)doe - 719468;
}

static bool digits(unsigned *out, const char *at, int n) {
    *out = 0;
    for (int i = 0; i < n; i++) {
        if (at[i] < '0' || at[i] > '9') return false;
        *out = *out * 10 + (unsigned)(at[i] - '0');
    }
    return true;
}

bool scorecard_day(long *day, const char *date) {
    static const unsigned lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned y, m, d;
    if (strlen(date) != 10 || date[4] != '-' || date[7] != '-') return false;
    if (!digits(&y, date, 4) || !digits(&m, date + 5, 2) || !digits(&d, date + 8, 2)) return false;
    if (m < 1 || m > 12 || d < 1) return false;
    bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
    if (d > lengths[m - 1] + (m == 2 && leap)) return false;
    *day = days_from_civil((long)y, m, d);
    return true;
}

size_t scorecard_stale(struct scorecard_stale *out, size_t room, const struct report *r) {
    long today, checked;
    size_t n = 0;
    if (!r->today || !scorecard_day(&today, r->today)) return 0;
    for (size_t i = 0; i < r->matrix->n_references; i++) {
        const struct reference *reference = &r->matrix->references[i];
        bool known = scorecard_day(&checked, reference->checked_on);
        if (known && today - checked <= r->window) continue;
        if (n < room) out[n] = (struct scorecard_stale){reference, known ? today - checked : -1};
        n++;
    }
    return n;
}
