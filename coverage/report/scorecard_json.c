#include "base/jsonout.h"
#include "coverage/report/scorecard.h"

static void put_gap(struct jsonout *j, const struct report *r, const struct debt_gap *gap) {
    struct origin origin = origin_of(&r->origins, gap);
    jsonout_begin_object(j);
    jsonout_pair_string(j, "fingerprint", gap->fingerprint);
    jsonout_pair_string(j, "class", debt_class_name(gap->kind));
    jsonout_pair_string(j, "op", gap->op[0] ? gap->op : NULL);
    jsonout_pair_string(j, "path", gap->path[0] ? gap->path : NULL);
    jsonout_pair_string(j, "detail", gap->detail[0] ? gap->detail : NULL);
    jsonout_pair_string(j, "file", origin.line ? origin.path : NULL);
    jsonout_key(j, "line");
    if (origin.line) jsonout_int(j, origin.line);
    else jsonout_null(j);
    jsonout_pair_string(j, "what", gap->what);
    jsonout_pair_string(j, "mend", gap->mend);
    jsonout_end_object(j);
}

static void put_file(struct jsonout *j, const struct survey_file *file) {
    jsonout_begin_object(j);
    jsonout_pair_string(j, "path", file->scan.path);
    jsonout_pair_string(j, "language", scan_language_name(file->scan.language));
    jsonout_pair_string(j, "engine", file->scan.engine);
    jsonout_pair_double(j, "error_share", file->scan.error_share);
    jsonout_pair_bool(j, "generated", file->scan.generated);
    jsonout_pair_string(j, "not_analysed", file->scan.not_analysed);
    jsonout_pair_string(j, "through", file->through);
    jsonout_key(j, "ops");
    jsonout_begin_array(j);
    for (size_t i = 0; i < file->n_ops; i++) jsonout_string(j, file->ops[i]->slug);
    jsonout_end_array(j);
    jsonout_key(j, "kernels");
    jsonout_begin_array(j);
    for (size_t i = 0; i < file->scan.n_kernels; i++) {
        const struct scan_kernel *k = &file->scan.kernels[i];
        const struct op *op = survey_op(file, k);
        jsonout_begin_object(j);
        jsonout_pair_string(j, "name", k->name);
        jsonout_pair_int(j, "line", k->line);
        jsonout_pair_int(j, "end_line", k->end_line);
        jsonout_pair_string(j, "kind", scan_kind_name(k->kind));
        jsonout_pair_string(j, "language", scan_language_name(k->language));
        jsonout_pair_string(j, "op", op ? op->slug : NULL);
        jsonout_end_object(j);
    }
    jsonout_end_array(j);
    jsonout_end_object(j);
}

static void put_ladder(struct jsonout *j, const struct report *r, const struct ladder *ladder) {
    const struct op *op = ladder->op[0] ? matrix_op(r->matrix, ladder->op) : NULL;
    jsonout_begin_object(j);
    jsonout_pair_string(j, "axis", ladder->axis);
    jsonout_pair_int(j, "fak_rung", ladder->fak_rung);
    jsonout_pair_string(j, "op", op ? op->slug : NULL);
    jsonout_pair_bool(j, "backed", ladder->fak_rung < 0 || (op && op->status == OP_SHIPPED));
    jsonout_end_object(j);
}

static void put_floors(struct jsonout *j, const struct matrix *m) {
    jsonout_key(j, "recorded_floors");
    jsonout_begin_array(j);
    for (size_t i = 0; i < m->n_floors; i++) {
        if (m->floors[i].state != FLOOR_RECORDED) continue;
        jsonout_begin_object(j);
        jsonout_pair_string(j, "name", m->floors[i].name);
        jsonout_pair_string(j, "metric", m->floors[i].metric);
        jsonout_pair_double(j, "value", m->floors[i].value);
        jsonout_end_object(j);
    }
    jsonout_end_array(j);
}

static void put_operations(struct jsonout *j, const struct report *r) {
    struct scorecard_tally tally;
    if (!scorecard_tally(&tally, r)) {
        j->out->failed = true;
        return;
    }
    jsonout_key(j, "operations");
    jsonout_begin_array(j);
    for (size_t i = 0; i < r->matrix->n_ops; i++) {
        const struct op *op = &r->matrix->ops[i];
        jsonout_begin_object(j);
        jsonout_pair_string(j, "slug", op->slug);
        jsonout_pair_string(j, "status", op_status_name(op->status));
        jsonout_pair_int(j, "kernels", (int64_t)tally.by_op[i]);
        jsonout_pair_bool(j, "clean", r->debt->clean[i]);
        jsonout_end_object(j);
    }
    jsonout_end_array(j);
    scorecard_tally_free(&tally);
}

static void put_gaps(struct jsonout *j, const struct report *r, const char *key,
                     const struct debt_gap *const *gaps, size_t n) {
    jsonout_key(j, key);
    jsonout_begin_array(j);
    for (size_t i = 0; i < n; i++) put_gap(j, r, gaps[i]);
    jsonout_end_array(j);
}

static void put_delta(struct jsonout *j, const struct report *r) {
    const struct delta *d = r->delta;
    if (!d) return;
    jsonout_key(j, "since");
    jsonout_begin_object(j);
    jsonout_pair_string(j, "revision", d->since);
    jsonout_pair_string(j, "base", d->base);
    jsonout_pair_bool(j, "base_has_a_matrix", d->own_matrix);
    jsonout_pair_int(j, "debt_before", (int64_t)d->before);
    jsonout_pair_int(j, "debt_added", (int64_t)d->n_added);
    jsonout_pair_int(j, "debt_removed", (int64_t)d->n_removed);
    put_gaps(j, r, "added", d->added, d->n_added);
    put_gaps(j, r, "removed", d->removed, d->n_removed);
    jsonout_end_object(j);
}

static void put_accepted(struct jsonout *j, const struct report *r) {
    jsonout_key(j, "accepted");
    jsonout_begin_array(j);
    for (size_t i = 0; i < r->debt->n_accepted; i++) {
        const struct debt_accepted *a = &r->debt->accepted[i];
        jsonout_begin_object(j);
        jsonout_pair_string(j, "reason", a->reason);
        jsonout_pair_string(j, "comment_in", a->path[0] ? a->path : NULL);
        jsonout_key(j, "gap");
        put_gap(j, r, &a->gap);
        jsonout_end_object(j);
    }
    jsonout_end_array(j);
}

static void put_mends(struct jsonout *j, const struct report *r) {
    enum { MENDS = 5 };
    struct scorecard_mend mends[MENDS];
    size_t n = scorecard_mends(mends, MENDS, r);
    jsonout_key(j, "next_mends");
    jsonout_begin_array(j);
    for (size_t i = 0; i < n; i++) {
        jsonout_begin_object(j);
        jsonout_pair_string(j, "fingerprint", mends[i].gap->fingerprint);
        jsonout_pair_string(j, "mend", mends[i].gap->mend);
        jsonout_pair_int(j, "kernels", (int64_t)mends[i].kernels);
        jsonout_end_object(j);
    }
    jsonout_end_array(j);
}

static void put_stale(struct jsonout *j, const struct report *r) {
    enum { ROOM = 1000 };
    struct scorecard_stale stale[ROOM];
    if (!r->today) return;
    size_t n = scorecard_stale(stale, ROOM, r);
    jsonout_key(j, "freshness");
    jsonout_begin_object(j);
    jsonout_pair_string(j, "today", r->today);
    jsonout_pair_int(j, "window_days", r->window);
    jsonout_pair_int(j, "past_the_window", (int64_t)n);
    jsonout_key(j, "references");
    jsonout_begin_array(j);
    for (size_t i = 0; i < n && i < ROOM; i++) {
        jsonout_begin_object(j);
        jsonout_pair_string(j, "op", stale[i].reference->op);
        jsonout_pair_string(j, "url", stale[i].reference->url);
        jsonout_pair_string(j, "checked_on",
                            stale[i].reference->checked_on[0] ? stale[i].reference->checked_on : NULL);
        jsonout_end_object(j);
    }
    jsonout_end_array(j);
    jsonout_end_object(j);
}

static void put_refused(struct jsonout *j, const struct survey *survey) {
    jsonout_key(j, "not_analysed");
    jsonout_begin_array(j);
    for (size_t i = 0; i < survey->n_refused; i++) {
        jsonout_begin_object(j);
        jsonout_pair_string(j, "path", survey->refused[i].path);
        jsonout_pair_string(j, "why", survey->refused[i].not_analysed);
        jsonout_end_object(j);
    }
    jsonout_end_array(j);
}

void scorecard_gap_json(struct str *out, const struct report *r, const struct debt_gap *gap) {
    struct jsonout j;
    jsonout_init(&j, out, 2);
    put_gap(&j, r, gap);
    str_putc(out, '\n');
}

void scorecard_json(struct str *out, const struct report *r) {
    struct jsonout j;
    jsonout_init(&j, out, 2);
    jsonout_begin_object(&j);
    jsonout_pair_int(&j, "sota_debt", (int64_t)r->debt->n);
    jsonout_key(&j, "grade");
    if (r->debt->n_kernels) jsonout_int(&j, debt_grade(r->debt));
    else jsonout_null(&j);
    jsonout_pair_int(&j, "kernels", (int64_t)r->debt->n_kernels);
    jsonout_pair_int(&j, "kernels_without_a_gap", (int64_t)r->debt->n_clean);
    jsonout_pair_int(&j, "files_read", (int64_t)r->survey->n_scanned);
    jsonout_pair_int(&j, "files_absent", (int64_t)r->tree->n_absent);
    jsonout_pair_string(&j, "matrix", r->matrix->source);
    jsonout_pair_string(&j, "tree", r->tree->name);
    jsonout_pair_string(&j, "commit", r->tree->commit[0] ? r->tree->commit : NULL);
    put_operations(&j, r);
    put_mends(&j, r);
    put_delta(&j, r);
    jsonout_key(&j, "gaps");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < r->debt->n; i++) put_gap(&j, r, &r->debt->gaps[i]);
    jsonout_end_array(&j);
    jsonout_key(&j, "ladders");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < r->matrix->n_ladders; i++) put_ladder(&j, r, &r->matrix->ladders[i]);
    jsonout_end_array(&j);
    put_floors(&j, r->matrix);
    put_accepted(&j, r);
    put_stale(&j, r);
    put_refused(&j, r->survey);
    jsonout_key(&j, "files");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < r->survey->n_files; i++) put_file(&j, &r->survey->files[i]);
    jsonout_end_array(&j);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}
