#include "sotadb/gaps.h"

#include <string.h>

const char *gap_name(enum gap_kind kind) {
    static const char *const names[GAP_KINDS] = {
        [GAP_NO_WITNESS] = "no witness",
        [GAP_NO_TEST] = "no test",
        [GAP_NO_ACCEPTANCE] = "no acceptance",
        [GAP_NO_FLOOR] = "no floor",
        [GAP_NOT_MEASURED] = "not measured",
        [GAP_NO_PATH] = "no path",
        [GAP_PLANNED] = "planned",
    };
    return names[kind];
}

bool gaps_no_file(const struct matrix *m, const struct op *op) {
    for (unsigned i = 0; i < op->paths.n; i++)
        if (!m->paths[op->paths.first + i].planned) return false;
    return true;
}

/* Is something of this kind missing from one lane? */
static bool lane_lacks(const struct witness *lane, enum gap_kind kind) {
    if (lane->planned) return kind == GAP_PLANNED;
    switch (kind) {
    case GAP_NO_TEST: return !*lane->test;
    case GAP_NO_ACCEPTANCE: return strcmp(lane->device, "cpu") != 0 && !*lane->acceptance;
    case GAP_NO_FLOOR: return *lane->floor_name && lane->state == FLOOR_NONE;
    case GAP_NOT_MEASURED: return lane->state == FLOOR_RECORDED;
    default: return false;
    }
}

static bool op_lacks(const struct matrix *m, const struct op *op, enum gap_kind kind) {
    bool planned = op->status == OP_PLANNED;
    switch (kind) {
    case GAP_PLANNED: return planned;
    case GAP_NO_PATH: return !planned && gaps_no_file(m, op);
    case GAP_NO_WITNESS: return !planned && op->witnesses.n == 0;
    default: return false;
    }
}

static void add(struct gap *out, size_t *n, size_t room, struct gap gap) {
    if (*n < room) out[*n] = gap;
    ++*n;
}

static void find_kind(const struct matrix *m, const struct op *op, enum gap_kind kind, struct gap *out,
                      size_t *n, size_t room) {
    if (op_lacks(m, op, kind)) add(out, n, room, (struct gap){.kind = kind, .op = op});
    if (op->status == OP_PLANNED) return;
    for (unsigned i = 0; i < op->witnesses.n; i++) {
        const struct witness *lane = &m->witnesses[op->witnesses.first + i];
        if (lane_lacks(lane, kind)) add(out, n, room, (struct gap){.kind = kind, .op = op, .witness = lane});
    }
}

size_t gaps_find(const struct matrix *m, const struct op *only, struct gap *out, size_t room) {
    size_t n = 0;
    for (enum gap_kind kind = 0; kind < GAP_KINDS; kind++)
        for (size_t i = 0; i < m->n_ops; i++)
            if (!only || only == &m->ops[i]) find_kind(m, &m->ops[i], kind, out, &n, room);
    return n;
}
