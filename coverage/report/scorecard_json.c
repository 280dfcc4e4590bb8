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

static void put_file(struct jsonout *j, const struct report *r, const struct survey_file *file) {
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
        const struct op *op = survey_op(file, k, r->matrix);
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
        jsonout_pair_bool(j, "clean", debt_op_is_clean(r->debt, op));
        jsonout_end_object(j);
    }
    jsonout_end_array(j);
    scorecard_tally_free(&tally);
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
    put_operations(&j, r);
    jsonout_key(&j, "gaps");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < r->debt->n; i++) put_gap(&j, r, &r->debt->gaps[i]);
    jsonout_end_array(&j);
    jsonout_key(&j, "ladders");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < r->matrix->n_ladders; i++) put_ladder(&j, r, &r->matrix->ladders[i]);
    jsonout_end_array(&j);
    put_floors(&j, r->matrix);
    put_refused(&j, r->survey);
    jsonout_key(&j, "files");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < r->survey->n_files; i++) put_file(&j, r, &r->survey->files[i]);
    jsonout_end_array(&j);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}
