#include "engine/kernels/lpanel.h"

#include "engine/kernels/kernel.h"
#include "engine/kernels/panel.h"

#include <assert.h>
#include <string.h>

bool lpanel_takes(const struct layout *layout) {
    return layout->kind == LAYOUT_GPTQ || layout->kind == LAYOUT_AWQ || layout->kind == LAYOUT_PACKED ||
           layout->kind == LAYOUT_EXL2;
}

static size_t blocks_of(size_t columns) { return (columns + QUANT_BLOCK - 1) / QUANT_BLOCK; }

static const struct layout_groups *groups_of(const struct layout *l) {
    return l->kind == LAYOUT_GPTQ ? &l->gptq.groups : l->kind == LAYOUT_AWQ ? &l->awq : &l->packed;
}

/* --- columns, group by group ---------------------------------------------------------------------------- */

/* A group is what has one scale: its columns, and the width of their codes. */
struct group {
    size_t n, next;
    unsigned bits;
};

struct making {
    struct lpanel *out;
    struct group *groups;
    size_t n_groups;
    int32_t *columns;
    struct layout_place *places;
};

static size_t count_groups(const struct layout *l) {
    if (l->kind == LAYOUT_EXL2) return l->exl2.n_runs;
    size_t most = 0;
    for (size_t c = 0; c < l->n_cols; c++) {
        size_t group = layout_group(groups_of(l), c) + 1;
        if (group > most) most = group;
    }
    return most;
}

static void read_groups(struct making *m) {
    const struct layout *l = m->out->layout;
    for (size_t g = 0; g < m->n_groups; g++) {
        struct group *group = &m->groups[g];
        if (l->kind != LAYOUT_EXL2) group->bits = groups_of(l)->bits;
        else *group = (struct group){.n = l->exl2.runs[g].n, .bits = l->exl2.runs[g].bits};
    }
    for (size_t c = 0; c < l->n_cols && l->kind != LAYOUT_EXL2; c++)
        m->groups[layout_group(groups_of(l), c)].n++;
    for (size_t g = 0; g < m->n_groups; g++) {
        m->groups[g].next = m->out->n_blocks * QUANT_BLOCK;
        m->out->n_blocks += blocks_of(m->groups[g].n);
    }
}

/* Column c is the next of its group; EXL2 has them in order. */
static void put_column(struct making *m, size_t group, size_t c) {
    m->columns[m->groups[group].next++] = (int32_t)c;
}

static void put_columns(struct making *m) {
    const struct layout *l = m->out->layout;
    for (size_t i = 0; i < m->out->n_blocks * QUANT_BLOCK; i++) m->columns[i] = -1;
    if (l->kind != LAYOUT_EXL2) {
        for (size_t c = 0; c < l->n_cols; c++) put_column(m, layout_group(groups_of(l), c), c);
        return;
    }
    for (size_t g = 0, stored = 0; g < m->n_groups; g++)
        for (size_t i = 0; i < m->groups[g].n; i++) put_column(m, g, l->exl2.columns[stored++]);
}

static void put_places(struct making *m) {
    for (size_t g = 0, b = 0; g < m->n_groups; g++)
        for (size_t i = 0; i < blocks_of(m->groups[g].n); i++)
            m->places[b++] = (struct layout_place){g, i * QUANT_BLOCK};
}

static bool in_place(const struct making *m) {
    for (size_t i = 0; i < m->out->n_blocks * QUANT_BLOCK; i++)
        if (m->columns[i] != (int32_t)i) return false;
    return true;
}

/* --- segments ------------------------------------------------------------------------------------------- */

/* Most blocks that a scale may be for, so that no group begins within them; the last group may be short. */
static unsigned scale_shift(const struct making *m, size_t first, size_t end) {
    unsigned shift = CPANEL_SHIFT;
    size_t at = 0;
    for (size_t g = first; g < end; at += blocks_of(m->groups[g++].n))
        while (at % ((size_t)1 << shift)) shift--;
    return shift;
}

static void add_segment(struct making *m, size_t first, size_t end) {
    const struct layout *l = m->out->layout;
    assert(m->out->n_segments < LPANEL_SEGMENTS);
    struct lpanel_segment *s = &m->out->segments[m->out->n_segments++];
    if (m->out->n_segments > 1) s->first = s[-1].first + s[-1].n_blocks;
    for (size_t g = first; g < end; g++) s->n_blocks += blocks_of(m->groups[g].n);
    s->at = m->out->bytes;
    s->form = (struct cpanel){m->groups[first].bits, scale_shift(m, first, end), DTYPE_F16, false};
    if (l->kind != LAYOUT_EXL2)
        s->form.type = groups_of(l)->scale_type, s->form.has_zeros = groups_of(l)->zeros;
    m->out->bytes += cpanel_bytes(&s->form, s->n_blocks);
}

static void add_segments(struct making *m) {
    for (size_t g = 0, first = 0; g < m->n_groups; first = g) {
        while (g < m->n_groups && m->groups[g].bits == m->groups[first].bits) g++;
        add_segment(m, first, g);
    }
}

bool lpanel_make(struct lpanel *out, const struct layout *layout, size_t n_rows, struct arena *arena,
                 struct status *st) {
    struct making m = {.out = out, .n_groups = count_groups(layout)};
    *out = (struct lpanel){.layout = layout, .n_rows = n_rows};
    m.groups = arena_alloc(arena, m.n_groups, sizeof *m.groups, st);
    if (!m.groups) return false;
    read_groups(&m);
    m.columns = arena_alloc(arena, out->n_blocks * QUANT_BLOCK, sizeof *m.columns, st);
    m.places = m.columns ? arena_alloc(arena, out->n_blocks, sizeof *m.places, st) : NULL;
    if (!m.places) return false;
    put_columns(&m);
    put_places(&m);
    add_segments(&m);
    out->columns = in_place(&m) ? NULL : m.columns;
    out->places = m.places;
    return true;
}

/* --- packing -------------------------------------------------------------------------------------------- */

/* The rows of a panel, as stored. */
struct stored {
    size_t rows[LINEAR_ROWS], n;
};

static void put_factors(uint8_t *header, const struct cpanel *form, const struct layout *l,
                        const struct stored *rows, size_t scale, size_t group) {
    uint8_t *zeros = header + cpanel_zeros(form) + scale * LINEAR_ROWS;
    for (size_t r = 0; r < rows->n; r++) {
        struct layout_factor factor = layout_factor_of(l, rows->rows[r], group);
        cpanel_put_scale(header, form->type, scale * LINEAR_ROWS + r, factor.scale);
        if (form->has_zeros) zeros[r] = (uint8_t)factor.zero;
    }
}

/* The codes of block `block`, row by row; 0 where a column is none. */
static void read_codes(uint8_t codes[LINEAR_ROWS][QUANT_BLOCK], const struct lpanel *of,
                       const struct stored *rows, size_t block) {
    uint8_t column_codes[LINEAR_ROWS];
    struct layout_place place = of->places[block];
    memset(codes, 0, LINEAR_ROWS * QUANT_BLOCK);
    for (size_t c = 0; c < QUANT_BLOCK; c++, place.column++) {
        size_t at = block * QUANT_BLOCK + c;
        int32_t column = of->columns ? of->columns[at] : (int32_t)at;
        if (column < 0) return;
        if (of->layout->kind != LAYOUT_EXL2) place.column = (size_t)column;
        layout_codes(column_codes, of->layout, rows->rows, rows->n, place);
        for (size_t r = 0; r < rows->n; r++) codes[r][c] = column_codes[r];
    }
}

static void pack_block(uint8_t *panel, const struct lpanel *of, const struct lpanel_segment *s,
                       const struct stored *rows, size_t sub) {
    const struct cpanel *form = &s->form;
    uint8_t codes[LINEAR_ROWS][QUANT_BLOCK], *group = cpanel_group(panel, form, sub);
    size_t in_group = sub % CPANEL_BLOCKS;
    if (in_group == 0) memset(group, 0, cpanel_header(form));
    if (sub % ((size_t)1 << form->shift) == 0)
        put_factors(group, form, of->layout, rows, in_group >> form->shift, of->places[s->first + sub].group);
    read_codes(codes, of, rows, s->first + sub);
    for (size_t r = 0; r < LINEAR_ROWS; r++)
        cpanel_put_codes(group + cpanel_header(form) + in_group * form->bits * PANEL_LINE, form->bits,
                         codes[r], r);
}

void lpanel_pack(uint8_t *out, const struct lpanel *of, size_t panel) {
    struct stored rows = {.n = 0};
    for (; rows.n < LINEAR_ROWS && panel * LINEAR_ROWS + rows.n < of->n_rows; rows.n++)
        rows.rows[rows.n] = layout_stored(of->layout, panel * LINEAR_ROWS + rows.n);
    for (const struct lpanel_segment *s = of->segments; s < of->segments + of->n_segments; s++)
        for (size_t sub = 0; sub < s->n_blocks; sub++) pack_block(out + s->at, of, s, &rows, sub);
}
