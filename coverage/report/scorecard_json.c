#include "base/json.h"
#include "coverage/report/scorecard.h"

static void put_gap(struct json *j, const struct report *r, const struct debt_gap *gap) {
    struct origin origin = origin_of(&r->origins, gap);
    json_begin_object(j);
    json_pair_string(j, "fingerprint", gap->fingerprint);
    json_pair_string(j, "class", debt_class_name(gap->kind));
    json_pair_string(j, "op", gap->op[0] ? gap->op : NULL);
    json_pair_string(j, "path", gap->path[0] ? gap->path : NULL);
    json_pair_string(j, "detail", gap->detail[0] ? gap->detail : NULL);
    json_pair_string(j, "file", origin.line ? origin.path : NULL);
    json_key(j, "line");
    if (origin.line) json_int(j, origin.line);
    else json_null(j);
    json_pair_string(j, "what", gap->what);
    json_pair_string(j, "mend", gap->mend);
    json_end_object(j);
}

static void put_file(struct json *j, const struct report *r, const struct survey_file *file) {
    json_begin_object(j);
    json_pair_string(j, "path", file->scan.path);
    json_pair_string(j, "language", scan_language_name(file->scan.language));
    json_pair_string(j, "engine", file->scan.engine);
    json_pair_double(j, "error_share", file->scan.error_share);
    json_pair_bool(j, "generated", file->scan.generated);
    json_pair_string(j, "not_analysed", file->scan.not_analysed);
    json_pair_string(j, "through", file->through);
    json_key(j, "ops");
    json_begin_array(j);
    for (size_t i = 0; i < file->n_ops; i++) json_string(j, file->ops[i]->slug);
    json_end_array(j);
    json_key(j, "kernels");
    json_begin_array(j);
    for (size_t i = 0; i < file->scan.n_kernels; i++) {
        const struct scan_kernel *k = &file->scan.kernels[i];
        const struct op *op = survey_op(file, k, r->matrix);
        json_begin_object(j);
        json_pair_string(j, "name", k->name);
        json_pair_int(j, "line", k->line);
        json_pair_int(j, "end_line", k->end_line);
        json_pair_string(j, "kind", scan_kind_name(k->kind));
        json_pair_string(j, "language", scan_language_name(k->language));
        json_pair_string(j, "op", op ? op->slug : NULL);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

static void put_ladder(struct json *j, const struct report *r, const struct ladder *ladder) {
    const struct op *op = ladder->op[0] ? matrix_op(r->matrix, ladder->op) : NULL;
    json_begin_object(j);
    json_pair_string(j, "axis", ladder->axis);
    json_pair_int(j, "fak_rung", ladder->fak_rung);
    json_pair_string(j, "op", op ? op->slug : NULL);
    json_pair_bool(j, "backed", ladder->fak_rung < 0 || (op && op->status == OP_SHIPPED));
    json_end_object(j);
}

static void put_floors(struct json *j, const struct matrix *m) {
    json_key(j, "recorded_floors");
    json_begin_array(j);
    for (size_t i = 0; i < m->n_floors; i++) {
        if (m->floors[i].state != FLOOR_RECORDED) continue;
        json_begin_object(j);
        json_pair_string(j, "name", m->floors[i].name);
        json_pair_string(j, "metric", m->floors[i].metric);
        json_pair_double(j, "value", m->floors[i].value);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_operations(struct json *j, const struct report *r) {
    struct scorecard_tally tally;
    if (!scorecard_tally(&tally, r)) {
        j->out->failed = true;
        return;
    }
    json_key(j, "operations");
    json_begin_array(j);
    for (size_t i = 0; i < r->matrix->n_ops; i++) {
        const struct op *op = &r->matrix->ops[i];
        json_begin_object(j);
        json_pair_string(j, "slug", op->slug);
        json_pair_string(j, "status", op_status_name(op->status));
        json_pair_int(j, "kernels", (int64_t)tally.by_op[i]);
        json_pair_bool(j, "clean", debt_op_is_clean(r->debt, op));
        json_end_object(j);
    }
    json_end_array(j);
    scorecard_tally_free(&tally);
}

static void put_refused(struct json *j, const struct survey *survey) {
    json_key(j, "not_analysed");
    json_begin_array(j);
    for (size_t i = 0; i < survey->n_refused; i++) {
        json_begin_object(j);
        json_pair_string(j, "path", survey->refused[i].path);
        json_pair_string(j, "why", survey->refused[i].not_analysed);
        json_end_object(j);
    }
    json_end_array(j);
}

void scorecard_json(struct str *out, const struct report *r) {
    struct json j;
    json_init(&j, out, 2);
    json_begin_object(&j);
    json_pair_int(&j, "sota_debt", (int64_t)r->debt->n);
    json_key(&j, "grade");
    if (r->debt->n_kernels) json_int(&j, debt_grade(r->debt));
    else json_null(&j);
    json_pair_int(&j, "kernels", (int64_t)r->debt->n_kernels);
    json_pair_int(&j, "kernels_without_a_gap", (int64_t)r->debt->n_clean);
    json_pair_int(&j, "files_read", (int64_t)r->survey->n_scanned);
    json_pair_string(&j, "matrix", r->matrix->source);
    put_operations(&j, r);
    json_key(&j, "gaps");
    json_begin_array(&j);
    for (size_t i = 0; i < r->debt->n; i++) put_gap(&j, r, &r->debt->gaps[i]);
    json_end_array(&j);
    json_key(&j, "ladders");
    json_begin_array(&j);
    for (size_t i = 0; i < r->matrix->n_ladders; i++) put_ladder(&j, r, &r->matrix->ladders[i]);
    json_end_array(&j);
    put_floors(&j, r->matrix);
    put_refused(&j, r->survey);
    json_key(&j, "files");
    json_begin_array(&j);
    for (size_t i = 0; i < r->survey->n_files; i++) put_file(&j, r, &r->survey->files[i]);
    json_end_array(&j);
    json_end_object(&j);
    str_putc(out, '\n');
}
