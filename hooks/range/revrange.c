#include "hooks/range/revrange.h"

#include "git/plumbing/process.h"
#include "hooks/range/rangework.h"

#include <string.h>

const char *revrange_state_name(enum revrange_state state) {
    static const char *const names[REVRANGE_STATES] = {
        [REVRANGE_UNTOUCHED] = "untouched",   [REVRANGE_STAMPED] = "stamped",
        [REVRANGE_BY_MESSAGE] = "by-message", [REVRANGE_BY_TARGET] = "fixup",
        [REVRANGE_REVERT] = "revert",         [REVRANGE_MISSING] = "missing",
        [REVRANGE_NEAR] = "near-miss"};
    return names[state];
}

size_t revrange_open_count(const struct revrange *range) {
    return range->counts[REVRANGE_MISSING] + range->counts[REVRANGE_NEAR];
}

/* --- the ends of a range ---------------------------------------------------------------------------------
 */

static const char *copy_end(struct revrange *range, struct view text, struct status *st) {
    if (text.n == 0) return "HEAD";
    return arena_copy(&range->arena, text.at, text.n, st);
}

static bool is_single(const char *text) {
    return view_ends(view_of(text), "^!") && strlen(text) > 2 && !strstr(text, "..");
}

static bool is_zeros(const char *text) { return strlen(text) >= 40 && strspn(text, "0") == strlen(text); }

/* "B^!": the one commit B; its ends are "B^" and "B". */
static bool find_single(struct revrange *range, struct view text, struct status *st) {
    range->to = arena_copy(&range->arena, text.at, text.n - 2, st);
    range->from = arena_copy(&range->arena, text.at, text.n - 1, st);
    return range->to && range->from;
}

/* "A..B", "A...B" and "A" are the same set of commits; only the net change would differ, and a pull request
 * is compared with the merge base whatever dots it has. */
static bool find_ends(struct revrange *range, const char *text, struct status *st) {
    const char *dots = strstr(text, "..");
    size_t n = dots ? (dots[2] == '.' ? 3 : 2) : 0;
    struct view left = {text, dots ? (size_t)(dots - text) : strlen(text)};
    struct view right = view_of(dots ? dots + n : "");
    if (text[0] == '-' || !*text || right.at[0] == '-' || strstr(right.at, ".."))
        return status_fail(st, STATUS_USAGE, "'%s' is no range: write A..B, A...B or one revision", text);
    if (is_single(text)) return find_single(range, view_of(text), st);
    range->from = copy_end(range, left, st);
    range->to = range->from ? copy_end(range, right, st) : NULL;
    if (!range->to) return false;
    if (!is_zeros(range->from)) return true;
    return status_fail(st, STATUS_NOT_FOUND,
                       "the range begins at no commit: a new branch was pushed; name where it started, as in "
                       "--range origin/main..%s",
                       range->to);
}

static bool is_shallow(void) {
    struct process p;
    const char *const argv[] = {"git", "rev-parse", "--is-shallow-repository", NULL};
    if (!process_run(&p, argv, NULL)) return false;
    bool shallow = p.exit_code == 0 && view_starts((struct view){str_c(&p.out), p.out.n}, "true");
    process_free(&p);
    return shallow;
}

/* git is asked for "^A B"; who typed A should read of A. */
static void drop_caret(struct status *st) {
    char *caret = strstr(st->message, "'^");
    if (caret) memmove(caret + 1, caret + 2, strlen(caret + 2) + 1);
}

/* What git said, with the mend. */
static bool say_mend(struct status *why, struct status *st) {
    drop_caret(why);
    *st = *why;
    if (strstr(why->message, "unshallow")) return false;
    if (is_shallow())
        return status_fail(
            st, why->code,
            "%.300s; the clone is shallow: run git fetch --unshallow (in a workflow, fetch-depth: 0)",
            why->message);
    if (strstr(why->message, "missing") || strstr(why->message, "promisor"))
        return status_fail(st, why->code, "%.250s; a partial clone? `git log -p RANGE >/dev/null` fetches it",
                           why->message);
    return false;
}

/* oid = where the two ends meet. */
static bool merge_base(char oid[OID_TEXT], const struct revrange *range, struct status *st) {
    struct process p;
    const char *const argv[] = {"git", "merge-base", "--end-of-options", range->from, range->to, NULL};
    if (!process_run(&p, argv, st)) return false;
    struct view text = view_trim((struct view){str_c(&p.out), p.out.n});
    bool ok = p.exit_code == 0 && text.n < OID_TEXT;
    if (ok) memcpy(oid, text.at, text.n);
    if (ok) oid[text.n] = '\0';
    else
        status_fail(st, STATUS_NOT_FOUND, "%s and %s have no commit in common that is here", range->from,
                    range->to);
    process_free(&p);
    return ok;
}

/* --- what a commit changes -------------------------------------------------------------------------------
 */

static bool keep_covered(struct work *w, const struct change_list *changes, struct status *st) {
    struct arena *arena = &w->judge->range->arena;
    for (size_t i = 0; i < changes->n; i++) {
        const struct change *change = &changes->at[i];
        bool mode_only = strcmp(change->old_oid, change->new_oid) == 0;
        if (!change_is_file(change) || mode_only || !gate_covers(w->judge->in->matrix, change->path))
            continue;
        if (!change_add(&w->covered, change, strlen(change->path), arena, st)) return false;
    }
    w->lines = arena_alloc(arena, w->covered.n, sizeof *w->lines, st);
    return w->lines != NULL;
}

bool rangework_is_merge(const struct work *w) {
    return w->commit && w->commit->n_parents > 1 && !w->judge->in->first_parent;
}

/* The lists live no longer than this: of a large merge only kernel files are kept. */
static bool read_changes(struct work *w, struct status *st) {
    struct history *history = w->judge->range->history;
    struct arena arena = {0};
    struct change_list list;
    bool ok = w->commit ? history_changes(&list, history, w->commit, rangework_is_merge(w), &arena, st)
                        : history_between(&list, history, w->before, w->out.oid, &arena, st);
    ok = ok && keep_covered(w, &list, st);
    arena_release(&arena);
    return ok;
}

/* --- one commit ------------------------------------------------------------------------------------------
 */

static bool is_open(const struct work *w) {
    return w->out.state == REVRANGE_MISSING || w->out.state == REVRANGE_NEAR;
}

static bool judge_one(struct work *w, struct status *st) {
    w->out.state = REVRANGE_UNTOUCHED;
    if (!read_changes(w, st)) return false;
    if (!w->covered.n) return true;
    if (!w->out.message.at && !rangewords_read(&w->out.message, w->judge->range, w->out.oid, st))
        return false;
    w->out.subject = rangewords_subject(w->out.message);
    if (!rangewords_judge(w, st)) return false;
    if (is_open(w)) {
        size_t before = w->covered.n;
        if (!rangecode_drop_silent(w, st)) return false;
        bool other = w->covered.n != before;
        for (size_t i = 0; i < w->covered.n; i++) other |= w->touched[i].n > 0;
        if (other && !rangewords_judge(w, st)) return false;
    }
    w->out.changes = w->covered.at;
    w->out.lines = w->lines;
    return true;
}

static bool judge_commits(struct judge *judge, struct status *st) {
    struct revrange *range = judge->range;
    struct revrange_commit *found = arena_alloc(&range->arena, judge->list.n, sizeof *found, st);
    if (!found) return false;
    range->at = found;
    for (size_t i = 0; i < judge->list.n; i++) {
        const struct history_commit *commit = &judge->list.at[i];
        struct work work = {.judge = judge, .commit = commit, .before = ""};
        work.out.oid = commit->oid;
        work.out.merge = commit->n_parents > 1;
        if (!judge_one(&work, st)) return false;
        range->counts[work.out.state]++;
        if (work.out.state != REVRANGE_UNTOUCHED) found[range->n++] = work.out;
    }
    return true;
}

static bool judge_whole(struct judge *judge, struct status *st) {
    struct revrange *range = judge->range;
    char base[OID_TEXT];
    if (!judge->list.n) return true;
    struct revrange_commit *found = arena_alloc(&range->arena, 1, sizeof *found, st);
    if (!found || !merge_base(base, range, st)) return false;
    struct work work = {.judge = judge, .before = base};
    work.out.oid = judge->list.at[0].oid;
    work.out.message = judge->in->message ? *judge->in->message : view_of("");
    if (!judge_one(&work, st)) return false;
    range->at = found;
    range->counts[work.out.state]++;
    if (work.out.state != REVRANGE_UNTOUCHED) found[range->n++] = work.out;
    return true;
}

/* --- all of it -------------------------------------------------------------------------------------------
 */

static bool list_commits(struct judge *judge, struct status *st) {
    struct revrange *range = judge->range;
    struct str left = {0};
    str_printf(&left, "^%s", range->from);
    struct history_range wanted = {.revisions = {range->to, str_c(&left)},
                                   .first_parent = judge->in->first_parent};
    if (is_single(judge->in->range)) {
        wanted.revisions[0] = judge->in->range;
        wanted.revisions[1] = NULL;
    }
    bool ok = str_ok(&left, st) && history_range(&judge->list, range->history, &wanted, st);
    str_free(&left);
    range->n_commits = judge->list.n;
    return ok;
}

bool revrange_open(struct revrange *out, const struct revrange_input *in, struct status *st) {
    const struct history_options options = {.load = in->load};
    struct judge judge = {.range = out, .in = in};
    struct status why;
    *out = (struct revrange){0};
    bool ok = find_ends(out, in->range, &why);
    if (ok && in->message) ok = squashed_split(&judge.squashed, *in->message, &out->arena, &why);
    ok = ok && history_open(&out->history, &options, &why) && list_commits(&judge, &why) &&
         (in->squash ? judge_whole(&judge, &why) : judge_commits(&judge, &why));
    return ok || say_mend(&why, st);
}

void revrange_close(struct revrange *range) {
    history_close(range->history);
    arena_release(&range->arena);
}
