#include "cmd/fak/sota_json.h"

/* A row writes its members; `op` is written only in the flat tables, where nothing else says whose row it is.
 */
static void put_op_members(struct json *j, const struct op *op) {
    json_pair_string(j, "slug", op->slug);
    json_pair_string(j, "title", op->title);
    json_pair_string(j, "aliases", op->aliases);
    json_pair_string(j, "summary", op->summary);
    json_pair_string(j, "kind", op_kind_name(op->kind));
    json_pair_string(j, "route", route_name(op->route));
    json_pair_string(j, "route_note", op->route_note);
    json_pair_string(j, "oracle", op->oracle);
    json_pair_string(j, "bottleneck", op->bottleneck);
    json_pair_string(j, "selection", op->selection);
    json_pair_string(j, "plan", op->plan);
    json_pair_string(j, "status", op_status_name(op->status));
    json_pair_string(j, "axis", op->axis);
}

static void put_owner(struct json *j, const char *op) {
    if (op) json_pair_string(j, "op", op);
}

/* Every table has a writer of its rows, and rows are written by put_rows. */
typedef void put_row(struct json *j, const void *row, bool flat);

static void put_path(struct json *j, const void *at, bool flat) {
    const struct op_path *row = at;
    json_begin_object(j);
    put_owner(j, flat ? row->op : NULL);
    json_pair_string(j, "glob", row->glob);
    json_pair_string(j, "role", path_role_name(row->role));
    json_pair_string(j, "generates", row->generates);
    json_pair_bool(j, "planned", row->planned);
    json_end_object(j);
}

static void put_symbol(struct json *j, const void *at, bool flat) {
    const struct op_symbol *row = at;
    json_begin_object(j);
    put_owner(j, flat ? row->op : NULL);
    json_pair_string(j, "pattern", row->pattern);
    json_end_object(j);
}

static void put_reference(struct json *j, const void *at, bool flat) {
    const struct reference *row = at;
    json_begin_object(j);
    put_owner(j, flat ? row->op : NULL);
    json_pair_string(j, "name", row->name);
    json_pair_string(j, "url", row->url);
    json_pair_string(j, "kind", reference_kind_name(row->kind));
    json_pair_string(j, "note", row->note);
    json_pair_string(j, "checked_on", row->checked_on);
    json_end_object(j);
}

static void put_paper(struct json *j, const void *at, bool flat) {
    const struct paper *row = at;
    json_begin_object(j);
    put_owner(j, flat ? row->op : NULL);
    json_pair_string(j, "title", row->title);
    json_pair_string(j, "id", row->id);
    json_pair_string(j, "url", row->url);
    json_pair_int(j, "year", row->year);
    json_end_object(j);
}

static void put_witness(struct json *j, const void *at, bool flat) {
    const struct witness *row = at;
    json_begin_object(j);
    put_owner(j, flat ? row->op : NULL);
    json_pair_string(j, "device", row->device);
    json_pair_string(j, "floor_name", row->floor_name);
    json_pair_string(j, "metric", row->metric);
    json_key(j, "floor");
    if (row->state == FLOOR_NONE) json_null(j);
    else json_double(j, row->floor);
    json_pair_string(j, "state", floor_state_name(row->state));
    json_pair_string(j, "test", row->test);
    json_pair_string(j, "acceptance", row->acceptance);
    json_pair_bool(j, "planned", row->planned);
    json_end_object(j);
}

static void put_bench(struct json *j, const void *at, bool flat) {
    const struct bench *row = at;
    json_begin_object(j);
    put_owner(j, flat ? row->op : NULL);
    json_pair_double(j, "number", row->number);
    json_pair_string(j, "unit", row->unit);
    json_pair_string(j, "model", row->model);
    json_pair_string(j, "quant", row->quant);
    json_pair_string(j, "machine", row->machine);
    json_pair_string(j, "backend", row->backend);
    json_pair_string(j, "engine", row->engine);
    json_pair_string(j, "baseline", row->baseline);
    json_pair_string(j, "commit", row->commit);
    json_pair_bool(j, "public_commit", row->public_commit);
    json_pair_string(j, "artifact", row->artifact);
    json_pair_string(j, "command", row->command);
    json_pair_string(j, "regime", bench_regime_name(row->regime));
    json_pair_string(j, "measured_on", row->measured_on);
    json_end_object(j);
}

static void put_ladder(struct json *j, const void *at, bool flat) {
    const struct ladder *row = at;
    (void)flat;
    json_begin_object(j);
    json_pair_string(j, "axis", row->axis);
    json_pair_string(j, "title", row->title);
    json_pair_int(j, "fak_rung", row->fak_rung);
    json_pair_string(j, "op", row->op);
    json_pair_string(j, "position", row->position);
    json_end_object(j);
}

static void put_rung(struct json *j, const void *at, bool flat) {
    const struct rung *row = at;
    (void)flat;
    json_begin_object(j);
    json_pair_string(j, "axis", row->axis);
    json_pair_int(j, "level", row->level);
    json_pair_string(j, "technique", row->technique);
    json_pair_int(j, "year", row->year);
    json_pair_int(j, "month", row->month);
    json_pair_string(j, "change", row->change);
    json_pair_string(j, "url", row->url);
    json_end_object(j);
}

static void put_floor(struct json *j, const void *at, bool flat) {
    const struct floor *row = at;
    (void)flat;
    json_begin_object(j);
    json_pair_string(j, "name", row->name);
    json_pair_string(j, "metric", row->metric);
    json_pair_double(j, "value", row->value);
    json_pair_string(j, "state", floor_state_name(row->state));
    json_pair_string(j, "note", row->note);
    json_end_object(j);
}

static void put_flat_op(struct json *j, const void *at, bool flat) {
    (void)flat;
    json_begin_object(j);
    put_op_members(j, at);
    json_end_object(j);
}

static void put_rows(struct json *j, const char *key, const void *rows, size_t size, size_t n, put_row *put,
                     bool flat) {
    json_key(j, key);
    json_begin_array(j);
    for (size_t i = 0; i < n; i++) put(j, (const char *)rows + i * size, flat);
    json_end_array(j);
}

static void put_range(struct json *j, const char *key, const void *rows, size_t size, struct range range,
                      put_row *put) {
    put_rows(j, key, range.n ? (const char *)rows + range.first * size : NULL, size, range.n, put, false);
}

void sota_json_benches(struct json *j, const struct matrix *m, const struct op *only) {
    struct range rows = only ? only->benches : (struct range){0, (unsigned)m->n_benches};
    json_begin_array(j);
    for (unsigned i = 0; i < rows.n; i++) put_bench(j, &m->benches[rows.first + i], true);
    json_end_array(j);
}

void sota_json_op(struct json *j, const struct matrix *m, const struct op *op) {
    json_begin_object(j);
    put_op_members(j, op);
    put_range(j, "paths", m->paths, sizeof *m->paths, op->paths, put_path);
    put_range(j, "symbols", m->symbols, sizeof *m->symbols, op->symbols, put_symbol);
    put_range(j, "references", m->references, sizeof *m->references, op->references, put_reference);
    put_range(j, "papers", m->papers, sizeof *m->papers, op->papers, put_paper);
    put_range(j, "witnesses", m->witnesses, sizeof *m->witnesses, op->witnesses, put_witness);
    put_range(j, "benches", m->benches, sizeof *m->benches, op->benches, put_bench);
    json_end_object(j);
}

void sota_json_why(struct json *j, const struct match *match, const char *alias) {
    json_begin_object(j);
    json_pair_string(j, "by", match->symbol ? "symbol" : match->path ? "path" : alias ? "alias" : "slug");
    if (match->symbol) json_pair_string(j, "pattern", match->symbol->pattern);
    if (match->path) json_pair_string(j, "glob", match->path->glob);
    if (match->path) json_pair_string(j, "role", path_role_name(match->path->role));
    if (alias) json_pair_string(j, "alias", alias);
    json_end_object(j);
}

void sota_json_export(struct json *j, const struct matrix *m) {
    json_begin_object(j);
    json_pair_string(j, "source", m->source);
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
    json_end_object(j);
}
