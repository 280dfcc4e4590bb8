#include "hooks/range/rangereport.h"

#include "base/hash.h"
#include "base/shellword.h"
#include "hooks/gate/advice.h"

#include <string.h>

enum { SHORT_OID = 10, FINGERPRINT = 16, LABEL = 8 };

static const struct diagnostic_rule rules[] = {
    {"prior-art-missing", "A kernel changes and the commit does not say what was read first.",
     "Others have solved this operation. Read the reference that the matrix names, then end the commit's "
     "message "
     "with a Prior-art trailer that says so: git commit --amend --trailer '...', or `reword` in git rebase "
     "-i.",
     "", DIAGNOSTIC_WARNING},
    {"prior-art-near-miss",
     "A Prior-art trailer is meant, and git does not find it or it names something else.",
     "Trailers are the last paragraph of a message, alone, each written `Key: value` from the first column; "
     "the "
     "first word names an operation of the matrix that the commit touches.",
     "", DIAGNOSTIC_WARNING},
};

static bool is_open(const struct revrange_commit *commit) {
    return commit->state == REVRANGE_MISSING || commit->state == REVRANGE_NEAR;
}

static void put_view(struct str *out, struct view text) {
    struct str copy = {0};
    str_add(&copy, text.at, text.n);
    term_safe(out, str_c(&copy));
    out->failed |= copy.failed;
    str_free(&copy);
}

/* --- the whole in one line -------------------------------------------------------------------------------
 */

void rangereport_result(struct str *out, const struct revrange *range) {
    static const struct {
        enum revrange_state state;
        const char *text;
    } parts[] = {{REVRANGE_STAMPED, "stamped"},
                 {REVRANGE_BY_MESSAGE, "covered by the message"},
                 {REVRANGE_BY_TARGET, "a fixup of what is stamped"},
                 {REVRANGE_REVERT, "a revert of what was stamped"},
                 {REVRANGE_NEAR, "with a trailer that does not count"},
                 {REVRANGE_MISSING, "without a trailer"}};
    str_printf(out, "%zu commit%s, ", range->n_commits, range->n_commits == 1 ? "" : "s");
    if (range->n) str_printf(out, "%zu touch%s a kernel", range->n, range->n == 1 ? "es" : "");
    else str_puts(out, "none touches a kernel");
    const char *before = ": ";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t n = range->counts[parts[i].state];
        if (!n) continue;
        str_printf(out, "%s%zu %s", before, n, parts[i].text);
        before = ", ";
    }
}

/* --- for people ------------------------------------------------------------------------------------------
 */

static void put_label(struct str *out, const struct term *term, const char *label) {
    str_puts(out, "    ");
    term_cell(out, term, TERM_DIM, LABEL, label);
}

static void put_finding(struct str *out, const struct term *term, const struct revrange_commit *commit,
                        const struct finding *finding) {
    const struct change *change = finding->hits[0].change;
    str_puts(out, "    ");
    term_put(out, term, TERM_CYAN, finding->op->slug);
    str_puts(out, "  ");
    term_safe(out, change->path);
    if (change->status != 'D') str_printf(out, ":%d", commit->lines[change - commit->changes]);
    if (finding->n_hits > 1) str_printf(out, " and %zu more", finding->n_hits - 1);
    str_putc(out, '\n');
    if (!finding->reference) return;
    put_label(out, term, "read");
    str_printf(out, "%s  ", finding->reference->name);
    term_link(out, term, finding->reference->url, finding->reference->url);
    str_putc(out, '\n');
}

static void put_commit(struct str *out, const struct term *term, const struct revrange_commit *commit) {
    char oid[SHORT_OID + 1];
    memcpy(oid, commit->oid, SHORT_OID);
    oid[SHORT_OID] = '\0';
    struct str subject = {0};
    str_puts(&subject, commit->merge ? "(merge) " : "");
    put_view(&subject, commit->subject);
    term_put(out, term, TERM_YELLOW, oid);
    str_puts(out, "  ");
    term_fold(out, term, SHORT_OID + 2, str_c(&subject));
    out->failed |= subject.failed;
    str_free(&subject);
    for (size_t i = 0; i < commit->report.n; i++) put_finding(out, term, commit, &commit->report.findings[i]);
    if (commit->state == REVRANGE_NEAR) {
        struct str problem = {0};
        term_safe(&problem, commit->report.stamp.problem);
        put_label(out, term, "but");
        term_fold(out, term, 4 + LABEL, str_c(&problem));
        str_free(&problem);
    }
    put_label(out, term, "stamp");
    term_put(out, term, TERM_GREEN, commit->report.trailer);
    str_puts(out, "\n\n");
}

void rangereport_text(struct str *out, const struct term *term, const struct revrange *range) {
    struct str result = {0};
    size_t n = revrange_open_count(range);
    for (size_t i = 0; i < range->n; i++)
        if (is_open(&range->at[i])) put_commit(out, term, &range->at[i]);
    rangereport_result(&result, range);
    term_fold(out, term, 0, str_c(&result));
    if (n) {
        struct str from = {0};
        term_fold(out, term, 0, "To stamp them, `reword` each and end its message with its line above:");
        term_safe(&from, range->from);
        str_puts(out, "git rebase -i ");
        shellword_put(out, str_c(&from));
        str_putc(out, '\n');
        str_free(&from);
    }
    out->failed |= result.failed;
    str_free(&result);
}

/* --- for programs ----------------------------------------------------------------------------------------
 */

static void json_commit(struct jsonout *j, const struct matrix *m, const struct revrange_commit *commit) {
    jsonout_begin_object(j);
    jsonout_pair_string(j, "commit", commit->oid);
    jsonout_key(j, "subject");
    jsonout_view(j, commit->subject);
    jsonout_pair_bool(j, "merge", commit->merge);
    jsonout_pair_string(j, "state", revrange_state_name(commit->state));
    jsonout_pair_bool(j, "needs_trailer", is_open(commit));
    advice_json(j, m, &commit->report);
    jsonout_end_object(j);
}

void rangereport_json(struct str *out, const struct matrix *m, const struct revrange *range) {
    struct jsonout j;
    jsonout_init(&j, out, 2);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "from", range->from);
    jsonout_pair_string(&j, "to", range->to);
    jsonout_pair_int(&j, "commits", (int64_t)range->n_commits);
    jsonout_key(&j, "counts");
    jsonout_begin_object(&j);
    for (int state = 0; state < REVRANGE_STATES; state++)
        jsonout_pair_int(&j, revrange_state_name((enum revrange_state)state), (int64_t)range->counts[state]);
    jsonout_end_object(&j);
    jsonout_pair_int(&j, "need_trailer", (int64_t)revrange_open_count(range));
    jsonout_key(&j, "touching");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < range->n; i++) json_commit(&j, m, &range->at[i]);
    jsonout_end_array(&j);
    jsonout_pair_string(&j, "reader", history_reader(range->history));
    jsonout_pair_string(&j, "matrix", m->source);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}

/* --- for a CI --------------------------------------------------------------------------------------------
 */

struct making {
    struct diagnostic *at;
    size_t n;
    struct arena *arena;
};

static const char *take(struct str *text, struct arena *arena, struct status *st) {
    const char *out = str_ok(text, st) ? arena_copy(arena, str_c(text), text->n, st) : NULL;
    str_free(text);
    return out;
}

static const char *fingerprint_of(const struct making *making, const char *rule,
                                  const struct finding *finding, struct view subject, struct status *st) {
    struct str key = {0};
    char hex[HASH_HEX];
    str_printf(&key, "%s%c%s%c%s%c", rule, 0, finding->op->slug, 0, finding->hits[0].change->path, 0);
    str_add(&key, subject.at, subject.n);
    /* The same again gets another number: a second commit of this name on this file. */
    for (int again = 0;; again++) {
        bool taken = false;
        hash_sha256(hex, str_c(&key), key.n);
        for (size_t i = 0; i < making->n; i++)
            taken |= strncmp(making->at[i].fingerprint, hex, FINGERPRINT) == 0;
        if (!taken || key.failed) break;
        str_printf(&key, "%c%d", 0, again);
    }
    bool ok = str_ok(&key, st);
    str_free(&key);
    return ok ? arena_copy(making->arena, hex, FINGERPRINT, st) : NULL;
}

static const char *message_of(const struct revrange_commit *commit, const struct finding *finding,
                              struct arena *arena, struct status *st) {
    struct str text = {0};
    str_printf(&text, "%.*s \"%.*s\" touches %s (%s)", SHORT_OID, commit->oid, (int)commit->subject.n,
               commit->subject.n ? commit->subject.at : "", finding->op->slug, finding->op->title);
    if (commit->state == REVRANGE_NEAR)
        str_printf(&text, ", and of its message: %s.", commit->report.stamp.problem);
    else str_puts(&text, ", and its message has no Prior-art trailer.");
    return take(&text, arena, st);
}

static const char *mend_of(const struct revrange_commit *commit, const struct finding *finding,
                           struct arena *arena, struct status *st) {
    struct str text = {0};
    str_printf(&text, "When you have read %s, end the message with: %s",
               finding->reference ? finding->reference->name : "the reference", commit->report.trailer);
    return take(&text, arena, st);
}

static bool add_finding(struct making *making, const struct revrange_commit *commit,
                        const struct finding *finding, bool required, struct status *st) {
    const struct diagnostic_rule *rule = &rules[commit->state == REVRANGE_NEAR];
    const struct change *change = finding->hits[0].change;
    struct diagnostic d = {.rule = rule,
                           .level = required ? DIAGNOSTIC_ERROR : rule->level,
                           .url = finding->reference ? finding->reference->url : "",
                           .line = change->status == 'D' ? 0 : commit->lines[change - commit->changes]};
    d.message = message_of(commit, finding, making->arena, st);
    d.mend = d.message ? mend_of(commit, finding, making->arena, st) : NULL;
    d.path = d.mend ? arena_copy(making->arena, change->path, strlen(change->path), st) : NULL;
    d.fingerprint = d.path ? fingerprint_of(making, rule->id, finding, commit->subject, st) : NULL;
    if (!d.fingerprint) return false;
    making->at[making->n++] = d;
    return true;
}

static bool add_passed(const char **out, const struct revrange_commit *commit, struct arena *arena,
                       struct status *st) {
    struct str text = {0};
    str_printf(&text, "%.*s %.*s", SHORT_OID, commit->oid, (int)commit->subject.n,
               commit->subject.n ? commit->subject.at : "");
    *out = take(&text, arena, st);
    return *out != NULL;
}

static bool add_notes(struct diagnostic_report *out, const struct revrange *range, struct arena *arena,
                      struct status *st) {
    struct str text = {0};
    const char **note = arena_alloc(arena, 1, sizeof *note, st);
    if (!note) return false;
    if (!*history_fallback(range->history)) return true;
    str_printf(&text, "read with git (%s)", history_fallback(range->history));
    note[0] = take(&text, arena, st);
    out->notes = note;
    out->n_notes = 1;
    return note[0] != NULL;
}

bool rangereport_diagnostics(struct diagnostic_report *out, const struct matrix *m,
                             const struct revrange *range, bool required, struct arena *arena,
                             struct status *st) {
    struct making making = {.arena = arena};
    struct str result = {0};
    size_t n = 0;
    (void)m;
    for (size_t i = 0; i < range->n; i++) n += range->at[i].report.n;
    making.at = arena_alloc(arena, n, sizeof *making.at, st);
    const char **passed = arena_alloc(arena, range->n, sizeof *passed, st);
    if (!making.at || !passed) return false;
    *out = (struct diagnostic_report){.tool = "fak",
                                      .category = "fak-gate",
                                      .title = "Prior art",
                                      .rules = rules,
                                      .n_rules = sizeof rules / sizeof *rules,
                                      .at = making.at,
                                      .passed = passed};
    for (size_t i = 0; i < range->n; i++) {
        const struct revrange_commit *commit = &range->at[i];
        if (!is_open(commit) && !add_passed(&passed[out->n_passed++], commit, arena, st)) return false;
        for (size_t k = 0; is_open(commit) && k < commit->report.n; k++)
            if (!add_finding(&making, commit, &commit->report.findings[k], required, st)) return false;
    }
    out->n = making.n;
    rangereport_result(&result, range);
    out->result = take(&result, arena, st);
    return out->result && add_notes(out, range, arena, st);
}
