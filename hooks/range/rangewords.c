#include "hooks/gate/stamp.h"
#include "hooks/range/pointer.h"
#include "hooks/range/rangework.h"

#include <string.h>

enum { REVERTS = 8 };

/* git's defaults, whatever is configured here. */
static const struct trailer_rules rules = {"#", ":"};

struct view rangewords_subject(struct view message) {
    struct view line, rest = message;
    while (view_line(&line, &rest)) {
        line = view_trim(line);
        if (line.n) return line;
    }
    return (struct view){0};
}

bool rangewords_read(struct view *out, struct revrange *range, const char *oid, struct status *st) {
    struct str text = {0};
    bool ok = history_message(&text, range->history, oid, st);
    char *copy = ok ? arena_copy(&range->arena, str_c(&text), text.n, st) : NULL;
    *out = (struct view){copy, text.n};
    str_free(&text);
    return copy != NULL;
}

static bool report(struct work *w, struct view message, struct status *st) {
    struct revrange *range = w->judge->range;
    return gate_priorart_of(&w->out.report, w->judge->in->matrix, &w->covered, w->touched, &message, &rules,
                            &range->arena, st);
}

/* Does this message, as one of its own, cover what the commit touches? The body of a pull request has no
 * subject, so its first paragraph counts: a blank line before it says so. */
static bool judge_text(struct stamp *out, struct work *w, struct view text, bool has_subject,
                       struct status *st) {
    struct revrange *range = w->judge->range;
    const struct gate_report *r = &w->out.report;
    if (!has_subject) {
        struct str bare = {0};
        str_putc(&bare, '\n');
        str_add(&bare, text.at, text.n);
        char *copy = str_ok(&bare, st) ? arena_copy(&range->arena, str_c(&bare), bare.n, st) : NULL;
        text = (struct view){copy, bare.n};
        str_free(&bare);
        if (!copy) return false;
    }
    return stamp_judge(out, w->judge->in->matrix, r->findings, r->n, text, &rules, &range->arena, st);
}

static bool by_message(bool *covers, struct work *w, struct status *st) {
    *covers = false;
    const struct squashed *squashed = &w->judge->squashed;
    for (size_t i = 0; i < squashed->n && !*covers; i++) {
        struct stamp with = {0}, without = {0};
        if (!judge_text(&with, w, squashed->at[i].text, true, st)) return false;
        if (i == 0 && !judge_text(&without, w, squashed->at[i].text, false, st)) return false;
        *covers = with.state == STAMP_VALID || without.state == STAMP_VALID;
        /* What is wrong with the message that the whole will have is what has to be mended. */
        if (i == 0 && !*covers && with.state == STAMP_NEAR) w->out.report.stamp = with;
    }
    return true;
}

/* The message of a squash without one given: what the commits say. */
static bool by_any_commit(bool *covers, struct work *w, struct status *st) {
    *covers = false;
    for (size_t i = 0; i < w->judge->list.n && !*covers; i++) {
        struct view message;
        struct stamp stamp;
        if (!rangewords_read(&message, w->judge->range, w->judge->list.at[i].oid, st) ||
            !judge_text(&stamp, w, message, true, st))
            return false;
        *covers = stamp.state == STAMP_VALID;
        if (stamp.state == STAMP_NEAR && w->out.report.stamp.state == STAMP_ABSENT)
            w->out.report.stamp = stamp;
    }
    return true;
}

static bool by_target(bool *covers, struct work *w, struct status *st) {
    struct view target = pointer_target(w->out.subject);
    *covers = false;
    if (!target.n || !w->commit) return true;
    for (size_t i = 0; i < w->judge->list.n; i++) {
        const char *oid = w->judge->list.at[i].oid;
        struct view message;
        struct stamp stamp;
        if (!rangewords_read(&message, w->judge->range, oid, st)) return false;
        bool named = target.n >= 7 && strncmp(oid, target.at, target.n) == 0;
        if (!named && !view_equal(rangewords_subject(message), target)) continue;
        if (!judge_text(&stamp, w, message, true, st)) return false;
        *covers = stamp.state == STAMP_VALID;
        if (*covers) return true;
    }
    return true;
}

/* Does the list name every kernel file that the commit touches? */
static bool has_all(const struct change_list *list, const struct change_list *covered) {
    size_t j = 0;
    for (size_t i = 0; i < covered->n; i++) {
        while (j < list->n && strcmp(list->at[j].path, covered->at[i].path) < 0) j++;
        if (j == list->n || strcmp(list->at[j].path, covered->at[i].path) != 0) return false;
    }
    return true;
}

/* One commit that a chain of reverts leads to: its message, and whether it is about the same files. A commit
 * that is not here covers nothing. */
static bool look_back(struct view *message, bool *same_files, struct work *w, const char *oid,
                      struct status *st) {
    struct revrange *range = w->judge->range;
    const struct history_range one = {.revisions = {oid}, .limit = 1};
    struct history_list list;
    struct arena arena = {0};
    struct change_list changes;
    *same_files = false;
    *message = (struct view){0};
    if (!history_range(&list, range->history, &one, NULL) || list.n != 1 || list.at[0].cut) return true;
    if (!rangewords_read(message, range, list.at[0].oid, st)) return false;
    bool ok = history_changes(&changes, range->history, &list.at[0], false, &arena, st);
    if (ok) *same_files = has_all(&changes, &w->covered);
    arena_release(&arena);
    return ok;
}

static bool by_revert(bool *covers, struct work *w, struct status *st) {
    char oid[OID_TEXT];
    struct view message = w->out.message;
    *covers = false;
    for (int i = 0; i < REVERTS && !*covers; i++) {
        struct stamp stamp;
        bool same_files;
        pointer_reverted(oid, message);
        if (!oid[0]) return true;
        if (!look_back(&message, &same_files, w, oid, st)) return false;
        if (!same_files) return true;
        if (!judge_text(&stamp, w, message, true, st)) return false;
        *covers = stamp.state == STAMP_VALID;
    }
    return true;
}

/* From the cheapest to the dearest; *state stays when nothing covers the commit. */
static bool find_cover(struct work *w, struct status *st) {
    static const struct {
        enum revrange_state state;
        bool (*find)(bool *covers, struct work *w, struct status *st);
    } ways[] = {
        {REVRANGE_BY_MESSAGE, by_message}, {REVRANGE_BY_TARGET, by_target}, {REVRANGE_REVERT, by_revert}};
    if (!w->commit && !w->judge->in->message) {
        bool covers;
        if (!by_any_commit(&covers, w, st)) return false;
        if (covers) w->out.state = REVRANGE_STAMPED;
        return true;
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        bool covers;
        if (!ways[i].find(&covers, w, st)) return false;
        if (!covers) continue;
        w->out.state = ways[i].state;
        return true;
    }
    return true;
}

static enum revrange_state own_state(const struct gate_report *r) {
    static const enum revrange_state states[] = {
        [STAMP_ABSENT] = REVRANGE_MISSING, [STAMP_NEAR] = REVRANGE_NEAR, [STAMP_VALID] = REVRANGE_STAMPED};
    return r->n ? states[r->stamp.state] : REVRANGE_UNTOUCHED;
}

static bool is_open(const struct work *w) {
    return w->out.state == REVRANGE_MISSING || w->out.state == REVRANGE_NEAR;
}

/* By what it says, and by what others say of it. */
bool rangewords_judge(struct work *w, struct status *st) {
    if (!report(w, w->out.message, st)) return false;
    w->out.state = own_state(&w->out.report);
    if (!is_open(w)) return true;
    if (!find_cover(w, st)) return false;
    if (is_open(w)) w->out.state = own_state(&w->out.report);
    return true;
}
