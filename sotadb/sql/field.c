#include "sotadb/sql/field.h"

#include <string.h>

/* --- enums ---------------------------------------------------------------------------------------------- */

static const struct field_name routes[] = {
    [ROUTE_STAY_MINIMAL] = {"stay-minimal", "ROUTE_STAY_MINIMAL"},
    [ROUTE_BIND] = {"bind", "ROUTE_BIND"},
    [ROUTE_BORROW] = {"borrow", "ROUTE_BORROW"},
    {0},
};
static const struct field_name statuses[] = {
    [OP_PLANNED] = {"planned", "OP_PLANNED"},
    [OP_SELECTED] = {"selected", "OP_SELECTED"},
    [OP_SHIPPED] = {"shipped", "OP_SHIPPED"},
    {0},
};
static const struct field_name op_kinds[] = {
    [OP_KERNEL] = {"kernel", "OP_KERNEL"},
    [OP_FORMAT] = {"format", "OP_FORMAT"},
    {0},
};
static const struct field_name roles[] = {
    [PATH_KERNEL] = {"kernel", "PATH_KERNEL"},
    [PATH_HOST] = {"host", "PATH_HOST"},
    [PATH_LOADER] = {"loader", "PATH_LOADER"},
    {0},
};
static const struct field_name reference_kinds[] = {
    [REFERENCE_PRIMARY] = {"primary", "REFERENCE_PRIMARY"},
    [REFERENCE_REPO] = {"repo", "REFERENCE_REPO"},
    [REFERENCE_DOCS] = {"docs", "REFERENCE_DOCS"},
    {0},
};
static const struct field_name floor_states[] = {
    [FLOOR_NONE] = {"none", "FLOOR_NONE"},
    [FLOOR_RECORDED] = {"recorded", "FLOOR_RECORDED"},
    [FLOOR_MEASURED] = {"measured", "FLOOR_MEASURED"},
    {0},
};
static const struct field_name regimes[] = {
    [BENCH_DETERMINISTIC] = {"deterministic", "BENCH_DETERMINISTIC"},
    [BENCH_WALL_CLOCK] = {"wall-clock", "BENCH_WALL_CLOCK"},
    {0},
};

/* --- structs -------------------------------------------------------------------------------------------- */

#define FIELD(type, kind, member, sql)                                                                       \
    { #member, FIELD_##kind, offsetof(struct type, member), NULL, sql }
#define ENUM(type, member, names, sql)                                                                       \
    { #member, FIELD_ENUM, offsetof(struct type, member), names, sql }
#define END                                                                                                  \
    { 0 }

static const struct field op_fields[] = {
    FIELD(op, TEXT, slug, "slug"),
    FIELD(op, TEXT, title, "title"),
    FIELD(
        op, TEXT, aliases,
        "(SELECT group_concat(alias, ',') FROM (SELECT alias FROM op_alias WHERE op = slug ORDER BY alias))"),
    FIELD(op, TEXT, summary, "summary"),
    ENUM(op, kind, op_kinds, "kind"),
    ENUM(op, route, routes, "route"),
    FIELD(op, TEXT, route_note, "route_note"),
    FIELD(op, TEXT, oracle, "oracle"),
    FIELD(op, TEXT, bottleneck, "bottleneck"),
    FIELD(op, TEXT, selection, "selection"),
    FIELD(op, TEXT, plan, "plan"),
    ENUM(op, status, statuses, "status"),
    FIELD(op, TEXT, axis, "axis"),
    FIELD(op, RANGE, paths, "paths"),
    FIELD(op, RANGE, symbols, "symbols"),
    FIELD(op, RANGE, references, "references"),
    FIELD(op, RANGE, papers, "papers"),
    FIELD(op, RANGE, witnesses, "witnesses"),
    FIELD(op, RANGE, benches, "benches"),
    END,
};
static const struct field op_path_fields[] = {
    FIELD(op_path, TEXT, op, "op"),           FIELD(op_path, TEXT, glob, "glob"),
    ENUM(op_path, role, roles, "role"),       FIELD(op_path, TEXT, generates, "generates"),
    FIELD(op_path, BOOL, planned, "planned"), END,
};
static const struct field op_symbol_fields[] = {
    FIELD(op_symbol, TEXT, op, "op"),
    FIELD(op_symbol, TEXT, pattern, "pattern"),
    END,
};
static const struct field reference_fields[] = {
    FIELD(reference, TEXT, op, "op"),
    FIELD(reference, TEXT, name, "name"),
    FIELD(reference, TEXT, url, "url"),
    ENUM(reference, kind, reference_kinds, "kind"),
    FIELD(reference, TEXT, note, "note"),
    FIELD(reference, TEXT, checked_on, "checked_on"),
    END,
};
static const struct field paper_fields[] = {
    FIELD(paper, TEXT, op, "op"),   FIELD(paper, TEXT, title, "title"), FIELD(paper, TEXT, id, "id"),
    FIELD(paper, TEXT, url, "url"), FIELD(paper, INT, year, "year"),    END,
};
static const struct field witness_fields[] = {
    FIELD(witness, TEXT, op, "op"),
    FIELD(witness, TEXT, device, "device"),
    FIELD(witness, TEXT, floor_name, "floor"),
    FIELD(witness, TEXT, metric, "w.metric"),
    FIELD(witness, DOUBLE, floor, "coalesce(value, 0.0)"),
    ENUM(witness, state, floor_states, "coalesce(state, 'none')"),
    FIELD(witness, TEXT, test, "test"),
    FIELD(witness, TEXT, acceptance, "acceptance"),
    FIELD(witness, BOOL, planned, "planned"),
    END,
};
static const struct field ladder_fields[] = {
    FIELD(ladder, TEXT, axis, "axis"),          FIELD(ladder, TEXT, title, "title"),
    FIELD(ladder, INT, fak_rung, "fak_rung"),   FIELD(ladder, TEXT, op, "op"),
    FIELD(ladder, TEXT, position, "position"),  FIELD(ladder, RANGE, rungs, "rungs"),
    FIELD(ladder, RANGE, branches, "branches"), END,
};
static const struct field rung_fields[] = {
    FIELD(rung, TEXT, axis, "axis"),
    FIELD(rung, INT, level, "level"),
    FIELD(rung, TEXT, technique, "technique"),
    FIELD(rung, INT, year, "year"),
    FIELD(rung, INT, month, "month"),
    FIELD(rung, TEXT, change, "change"),
    FIELD(rung, TEXT, url, "url"),
    END,
};
static const struct field floor_fields[] = {
    FIELD(floor, TEXT, name, "name"),     FIELD(floor, TEXT, metric, "metric"),
    FIELD(floor, DOUBLE, value, "value"), ENUM(floor, state, floor_states, "state"),
    FIELD(floor, TEXT, note, "note"),     END,
};
static const struct field bench_fields[] = {
    FIELD(bench, TEXT, op, "op"),
    FIELD(bench, DOUBLE, number, "number"),
    FIELD(bench, TEXT, unit, "unit"),
    FIELD(bench, TEXT, model, "model"),
    FIELD(bench, TEXT, quant, "quant"),
    FIELD(bench, TEXT, machine, "machine"),
    FIELD(bench, TEXT, backend, "backend"),
    FIELD(bench, TEXT, engine, "engine"),
    FIELD(bench, TEXT, baseline, "baseline"),
    FIELD(bench, TEXT, commit, "commit_id"),
    FIELD(bench, BOOL, public_commit, "public_commit"),
    FIELD(bench, TEXT, artifact, "artifact"),
    FIELD(bench, TEXT, command, "command"),
    ENUM(bench, regime, regimes, "regime"),
    FIELD(bench, TEXT, measured_on, "measured_on"),
    END,
};

static const struct field suppression_fields[] = {
    FIELD(suppression, TEXT, class, "class"),   FIELD(suppression, TEXT, op, "op"),
    FIELD(suppression, TEXT, path, "path"),     FIELD(suppression, TEXT, detail, "detail"),
    FIELD(suppression, TEXT, reason, "reason"), END,
};

/* --- arrays --------------------------------------------------------------------------------------------- */

#define TABLE(array, type, from)                                                                             \
    {                                                                                                        \
#array, #type, sizeof(struct type), offsetof(struct matrix, array),                                  \
            offsetof(struct matrix, n_##array), type##_fields, from                                          \
    }

const struct field_table field_tables[] = {
    TABLE(ops, op, "FROM op ORDER BY slug"),
    TABLE(paths, op_path, "FROM op_path ORDER BY op, glob"),
    TABLE(symbols, op_symbol, "FROM op_symbol ORDER BY op, pattern"),
    TABLE(references, reference,
          "FROM reference ORDER BY op, CASE kind WHEN 'primary' THEN 0 WHEN 'repo' THEN 1 ELSE 2 END, name, "
          "url"),
    TABLE(papers, paper, "FROM paper ORDER BY op, year, id"),
    TABLE(witnesses, witness,
          "FROM witness w LEFT JOIN floor f ON floor = name ORDER BY op, device, w.metric"),
    TABLE(ladders, ladder, "FROM ladder ORDER BY axis"),
    TABLE(rungs, rung, "FROM rung ORDER BY axis, level"),
    TABLE(branches, rung, "FROM branch ORDER BY axis, level, year, month, technique"),
    TABLE(floors, floor, "FROM floor ORDER BY name"),
    TABLE(benches, bench,
          "FROM bench ORDER BY op, measured_on, model, quant, machine, backend, engine, unit, commit_id, "
          "command"),
    TABLE(suppressions, suppression, "FROM suppression ORDER BY class, op, path, detail"),
    {0},
};

const struct field_table *field_table(const char *array) {
    for (const struct field_table *table = field_tables; table->array; table++)
        if (strcmp(table->array, array) == 0) return table;
    return NULL;
}

const void *field_rows(size_t *n, const struct field_table *table, const struct matrix *m) {
    const void *rows;
    memcpy(n, (const char *)m + table->count, sizeof *n);
    memcpy(&rows, (const char *)m + table->rows, sizeof rows);
    return rows;
}
