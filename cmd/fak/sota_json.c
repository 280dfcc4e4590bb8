#include "cmd/fak/sota_json.h"

/* A row writes its members; `op` is written only in the flat tables, where nothing else says whose row it is.
 */
static void put_op_members(struct jsonout *j, const struct op *op) {
    jsonout_pair_string(j, "slug", op->slug);
    jsonout_pair_string(j, "title", op->title);
    jsonout_pair_string(j, "aliases", op->aliases);
    jsonout_pair_string(j, "summary", op->summary);
    jsonout_pair_string(j, "kind", op_kind_name(op->kind));
    jsonout_pair_string(j, "route", route_name(op->route));
    jsonout_pair_string(j, "route_note", op->route_note);
    jsonout_pair_string(j, "oracle", op->oracle);
    jsonout_pair_string(j, "bottleneck", op->bottleneck);
    jsonout_pair_string(j, "selection", op->selection);
    jsonout_pair_string(j, "plan", op->plan);
    jsonout_pair_string(j, "status", op_status_name(op->status));
    jsonout_pair_string(j, "axis", op->axis);
}

static void put_owner(struct jsonout *j, const char *op) {
    if (op) jsonout_pair_string(j, "op", op);
}

/* Every table has a writer of its rows, and rows are written by put_rows. */
typedef void put_row(struct jsonout *j, const void *row, bool flat);

static void put_path(struct jsonout *j, const void *at, bool flat) {
    const struct op_path *row = at;
    jsonout_begin_object(j);
    put_owner(j, flat ? row->op : NULL);
    jsonout_pair_string(j, "glob", row->glob);
    jsonout_pair_string(j, "role", path_role_name(row->role));
    jsonout_pair_string(j, "generates", row->generates);
    jsonout_pair_bool(j, "planned", row->planned);
    jsonout_end_object(j);
}

static void put_symbol(struct jsonout *j, const void *at, bool flat) {
    const struct op_symbol *row = at;
    jsonout_begin_object(j);
    put_owner(j, flat ? row->op : NULL);
    jsonout_pair_string(j, "pattern", row->pattern);
    jsonout_end_object(j);
}

static void put_reference(struct jsonout *j, const void *at, bool flat) {
    const struct reference *row = at;
    jsonout_begin_object(j);
    put_owner(j, flat ? row->op : NULL);
    jsonout_pair_string(j, "name", row->name);
    jsonout_pair_string(j, "url", row->url);
    jsonout_pair_string(j, "kind", reference_kind_name(row->kind));
    jsonout_pair_string(j, "note", row->note);
    jsonout_pair_string(j, "checked_on", row->checked_on);
    jsonout_end_object(j);
}

static void put_paper(struct jsonout *j, const void *at, bool flat) {
    const struct paper *row = at;
    jsonout_begin_object(j);
    put_owner(j, flat ? row->op : NULL);
    jsonout_pair_string(j, "title", row->title);
    jsonout_pair_string(j, "id", row->id);
    jsonout_pair_string(j, "url", row->url);
    jsonout_pair_int(j, "year", row->year);
    jsonout_end_object(j);
}

static void put_witness(struct jsonout *j, const void *at, bool flat) {
    const struct witness *row = at;
    jsonout_begin_object(j);
    put_owner(j, flat ? row->op : NULL);
    jsonout_pair_string(j, "device", row->device);
    jsonout_pair_string(j, "floor_name", row->floor_name);
    jsonout_pair_string(j, "metric", row->metric);
    jsonout_key(j, "floor");
    if (row->state == FLOOR_NONE) jsonout_null(j);
    else jsonout_double(j, row->floor);
    jsonout_pair_string(j, "state", floor_state_name(row->state));
    jsonout_pair_string(j, "test", row->test);
    jsonout_pair_string(j, "acceptance", row->acceptance);
    jsonout_pair_bool(j, "planned", row->planned);
    jsonout_end_object(j);
}

static void put_bench(struct jsonout *j, const void *at, bool flat) {
    const struct bench *row = at;
    jsonout_begin_object(j);
    put_owner(j, flat ? row->op : NULL);
    jsonout_pair_double(j, "number", row->number);
    jsonout_pair_string(j, "unit", row->unit);
    jsonout_pair_string(j, "model", row->model);
    jsonout_pair_string(j, "quant", row->quant);
    jsonout_pair_string(j, "machine", row->machine);
    jsonout_pair_string(j, "backend", row->backend);
    jsonout_pair_string(j, "engine", row->engine);
    jsonout_pair_string(j, "baseline", row->baseline);
    jsonout_pair_string(j, "commit", row->commit);
    jsonout_pair_bool(j, "public_commit", row->public_commit);
    jsonout_pair_string(j, "artifact", row->artifact);
    jsonout_pair_string(j, "command", row->command);
    jsonout_pair_string(j, "regime", bench_regime_name(row->regime));
    jsonout_pair_string(j, "measured_on", row->measured_on);
    jsonout_end_object(j);
}

static void put_ladder(struct jsonout *j, const void *at, bool flat) {
    const struct ladder *row = at;
    (void)flat;
    jsonout_begin_object(j);
    jsonout_pair_string(j, "axis", row->axis);
    jsonout_pair_string(j, "title", row->title);
    jsonout_pair_int(j, "fak_rung", row->fak_rung);
    jsonout_pair_string(j, "op", row->op);
    jsonout_pair_string(j, "position", row->position);
    jsonout_end_object(j);
}

static void put_rung(struct jsonout *j, const void *at, bool flat) {
    const struct rung *row = at;
    (void)flat;
    jsonout_begin_object(j);
    jsonout_pair_string(j, "axis", row->axis);
    jsonout_pair_int(j, "level", row->level);
    jsonout_pair_string(j, "technique", row->technique);
    jsonout_pair_int(j, "year", row->year);
    jsonout_pair_int(j, "month", row->month);
    jsonout_pair_string(j, "change", row->change);
    jsonout_pair_string(j, "url", row->url);
    jsonout_end_object(j);
}

static void put_floor(struct jsonout *j, const void *at, bool flat) {
    const struct floor *row = at;
    (void)flat;
    jsonout_begin_object(j);
    jsonout_pair_string(j, "name", row->name);
    jsonout_pair_string(j, "metric", row->metric);
    jsonout_pair_double(j, "value", row->value);
    jsonout_pair_string(j, "state", floor_state_name(row->state));
    jsonout_pair_string(j, "note", row->note);
    jsonout_end_object(j);
}

static void put_suppression(struct jsonout *j, const void *at, bool flat) {
    const struct suppression *row = at;
    (void)flat;
    jsonout_begin_object(j);
    jsonout_pair_string(j, "class", row->class);
    jsonout_pair_string(j, "op", row->op);
    jsonout_pair_string(j, "path", row->path);
    jsonout_pair_string(j, "detail", row->detail);
    jsonout_pair_string(j, "reason", row->reason);
    jsonout_end_object(j);
}

static void put_flat_op(struct jsonout *j, const void *at, bool flat) {
    (void)flat;
    jsonout_begin_object(j);
    put_op_members(j, at);
    jsonout_end_object(j);
}

static void put_rows(struct jsonout *j, const char *key, const void *rows, size_t size, size_t n,
                     put_row *put, bool flat) {
    jsonout_key(j, key);
    jsonout_begin_array(j);
    for (size_t i = 0; i < n; i++) put(j, (const char *)rows + i * size, flat);
    jsonout_end_array(j);
}

static void put_range(struct jsonout *j, const char *key, const void *rows, size_t size, struct range range,
                      put_row *put) {
    put_rows(j, key, range.n ? (const char *)rows + range.first * size : NULL, size, range.n, put, false);
}

void sota_json_benches(struct jsonout *j, const struct matrix *m, const struct op *only) {
    struct range rows = only ? only->benches : (struct range){0, (unsigned)m->n_benches};
    jsonout_begin_array(j);
    for (unsigned i = 0; i < rows.n; i++) put_bench(j, &m->benches[rows.first + i], true);
    jsonout_end_array(j);
}

void sota_json_op(struct jsonout *j, const struct matrix *m, const struct op *op) {
    jsonout_begin_object(j);
    put_op_members(j, op);
    put_range(j, "paths", m->paths, sizeof *m->paths, op->paths, put_path);
    put_range(j, "symbols", m->symbols, sizeof *m->symbols, op->symbols, put_symbol);
    put_range(j, "references", m->references, sizeof *m->references, op->references, put_reference);
    put_range(j, "papers", m->papers, sizeof *m->papers, op->papers, put_paper);
    put_range(j, "witnesses", m->witnesses, sizeof *m->witnesses, op->witnesses, put_witness);
    put_range(j, "benches", m->benches, sizeof *m->benches, op->benches, put_bench);
    jsonout_end_object(j);
}

void sota_json_why(struct jsonout *j, const struct match *match, const char *alias) {
    jsonout_begin_object(j);
    jsonout_pair_string(j, "by", match->symbol ? "symbol" : match->path ? "path" : alias ? "alias" : "slug");
    if (match->symbol) jsonout_pair_string(j, "pattern", match->symbol->pattern);
    if (match->path) jsonout_pair_string(j, "glob", match->path->glob);
    if (match->path) jsonout_pair_string(j, "role", path_role_name(match->path->role));
    if (alias) jsonout_pair_string(j, "alias", alias);
    jsonout_end_object(j);
}

void sota_json_export(struct jsonout *j, const struct matrix *m) {
    jsonout_begin_object(j);
    jsonout_pair_string(j, "source", m->source);
    put_rows(j, "ops", m->ops, sizeof *m->ops, m->n_ops, put_flat_op, true);
    put_rows(j, "paths", m->paths, sizeof *m->paths, m->n_paths, put_path, true);
    put_rows(j, "symbols", m->symbols, sizeof *m->symbols, m->n_symbols, put_symbol, true);
    put_rows(j, "references", m->references, sizeof *m->references, m->n_references, put_reference, true);
    put_rows(j, "papers", m->papers, sizeof *m->papers, m->n_papers, put_paper, true);
    put_rows(j, "witnesses", m->witnesses, sizeof *m->witnesses, m->n_witnesses, put_witness, true);
    put_rows(j, "ladders", m->ladders, sizeof *m->ladders, m->n_ladders, put_ladder, true);
    put_rows(j, "rungs", m->rungs, sizeof *m->rungs, m->n_rungs, put_rung, true);
    put_rows(j, "branches", m->branches, sizeof *m->branches, m->n_branches, put_rung, true);
    put_rows(j, "floors", m->floors, sizeof *m->floors, m->n_floors, put_floor, true);
    put_rows(j, "benches", m->benches, sizeof *m->benches, m->n_benches, put_bench, true);
    put_rows(j, "suppressions", m->suppressions, sizeof *m->suppressions, m->n_suppressions, put_suppression,
             true);
    jsonout_end_object(j);
}
