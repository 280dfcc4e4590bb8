/* The CPU backend's weights: which are re-laid into panels, where those lie, and how they get there. */
#include "engine/backend/cpu.h"

#include "base/checked.h"
#include "engine/kernels/panel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    ALIGN = 64,
    PIECE = 1 << 20, /* bytes of panels that a thread makes at once: a huge page is two threads' at most */
};

size_t cpu_n_panels(const struct weight *w) { return (w->n_rows + LINEAR_ROWS - 1) / LINEAR_ROWS; }

static size_t n_matrices(const struct weight *w) { return w->n_experts ? w->n_experts : 1; }

/* Codes have a kernel of their own; layouts of scaled numbers are ref's. */
const struct kernel *cpu_linear_kernel(const struct backend *b, const struct weight *w) {
    enum dtype type = w->type;
    if (w->layout && lpanel_takes(w->layout) && strcmp(b->lane, "ref") != 0)
        return kernel_find("linear_codes", b->lane, b->clone);
    if (w->layout && (!layout_is_rows(w->layout, &type) || !panel_bytes(type, w->n_cols)))
        return kernel_find("linear", "ref", "");
    return kernel_find_linear(type, b->lane, b->clone);
}

size_t cpu_laid_width(const struct laid *laid, const struct weight *w, size_t matrix) {
    return laid->codes ? laid->codes[matrix].n_blocks * QUANT_BLOCK : w->n_cols;
}

bool cpu_is_integer(const struct laid *laid) {
    return laid->panels && (laid->codes || panel_form_of(laid->type) != PANEL_NONE);
}

/* --- which ---------------------------------------------------------------------------------------------- */

static bool make_codes(struct backend *b, struct laid *laid, const struct weight *w, struct status *st) {
    laid->codes = arena_alloc(&b->arena, n_matrices(w), sizeof *laid->codes, st);
    for (size_t m = 0; laid->codes && m < n_matrices(w); m++)
        if (!lpanel_make(&laid->codes[m], &w->layout[m], w->n_rows, &b->arena, st)) return false;
    return laid->codes != NULL;
}

static const void *matrix_data(const struct weight *w, size_t matrix) {
    if (w->layout) return w->layout[matrix].data;
    if (w->slices) return w->slices[matrix];
    return (const char *)w->data + matrix * w->n_rows * dtype_row_bytes(w->type, w->n_cols);
}

static bool choose(struct backend *b, int weight, struct status *st) {
    const struct weight *w = &b->program->weights[weight];
    struct laid *laid = &b->laid[weight];
    if (laid->panels || strcmp(cpu_linear_kernel(b, w)->lane, "ref") == 0) return true;
    laid->type = w->type;
    if (w->layout && lpanel_takes(w->layout)) {
        if (!make_codes(b, laid, w, st)) return false;
    } else {
        if (w->layout) layout_is_rows(w->layout, &laid->type);
        if (!panel_bytes(laid->type, w->n_cols)) return true;
    }
    laid->panels = arena_alloc(&b->arena, n_matrices(w), sizeof *laid->panels, st);
    for (size_t m = 0; laid->panels && m < n_matrices(w); m++) {
        struct relaid *r = &b->relaid[b->n_relaid++];
        r->weight = weight, r->matrix = m, r->data = matrix_data(w, m), r->n_panels = cpu_n_panels(w);
        r->panel_bytes = laid->codes ? laid->codes[m].bytes : panel_bytes(laid->type, w->n_cols);
        atomic_init(&r->left, r->n_panels);
    }
    return laid->panels != NULL;
}

/* What is read in one go is best read from the file's beginning to its end. */
static int by_place(const void *a, const void *b) {
    const struct relaid *left = a, *right = b;
    uintptr_t l = (uintptr_t)left->data, r = (uintptr_t)right->data;
    return l < r ? -1 : l > r;
}

static bool takes_panels(enum op_code op) {
    return op == OP_linear || op == OP_experts || op == OP_head_linear;
}

bool cpu_choose_relaid(struct backend *b, size_t *bytes, struct status *st) {
    const struct program *p = b->program;
    size_t most = 0;
    *bytes = 0;
    for (int i = 0; i < p->n_weights; i++) most += n_matrices(&p->weights[i]);
    b->laid = arena_alloc(&b->arena, (size_t)p->n_weights, sizeof *b->laid, st);
    b->relaid = b->laid ? arena_alloc(&b->arena, most, sizeof *b->relaid, st) : NULL;
    if (!b->relaid) return false;
    for (const struct step *s = p->steps; s < p->steps + p->n_steps; s++)
        for (int i = 0; takes_panels(s->op) && i < s->n; i++)
            if (!choose(b, s->weight[i], st)) return false;
    qsort(b->relaid, b->n_relaid, sizeof *b->relaid, by_place);
    for (struct relaid *r = b->relaid; r < b->relaid + b->n_relaid; r++) {
        size_t n;
        r->at = *bytes;
        if (!checked_mul(&n, r->n_panels, r->panel_bytes) || !checked_add(bytes, *bytes, n) ||
            *bytes > SIZE_MAX - ALIGN)
            return status_fail(st, STATUS_NO_MEMORY, "the weights overflow an address");
        *bytes = (*bytes + ALIGN - 1) / ALIGN * ALIGN;
    }
    return true;
}

/* --- how ------------------------------------------------------------------------------------------------ */

struct relaying {
    struct backend *b;
    const struct backend_options *options;
    size_t total;
    atomic_size_t next, done; /* panels taken and bytes made, over all weights */
};

/* The whole pages within bytes [from, to) of a matrix that is in panels now: the file is not needed a second
 * time. */
static void let_go(const struct weight *w, const void *data, size_t from, size_t to) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)data + from + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)data + to) / page * page;
    if (w->mapped && first < end) madvise((void *)first, end - first, MADV_DONTNEED);
}

static void let_go_rows(const struct weight *w, const void *data, size_t first, size_t end) {
    size_t row_bytes = dtype_row_bytes(w->type, w->n_cols);
    let_go(w, data, first * row_bytes, (end < w->n_rows ? end : w->n_rows) * row_bytes);
}

void cpu_let_go(const struct backend *b, const struct relaid *r) {
    const struct weight *w = &b->program->weights[r->weight];
    if (w->layout) let_go(w, r->data, 0, layout_bytes(&w->layout[r->matrix], w->n_rows));
    else let_go_rows(w, r->data, 0, w->n_rows);
}

/* Rows of a layout that are rows of a type but for their place are brought together first. */
static void pack_copies(void *to, const struct relaid *r, const struct weight *w, enum dtype type,
                        size_t panel, char *room) {
    size_t row_bytes = dtype_row_bytes(type, w->n_cols), first = panel * LINEAR_ROWS, n = 0;
    for (; n < LINEAR_ROWS && first + n < w->n_rows; n++)
        layout_copy(room + n * row_bytes, &w->layout[r->matrix], first + n);
    panel_pack(to, type, room, n, w->n_cols, 0);
}

void cpu_make_panels(const struct backend *b, char *to, const struct relaid *r, size_t first, size_t end,
                     char *room) {
    const struct weight *w = &b->program->weights[r->weight];
    const struct laid *laid = &b->laid[r->weight];
    for (size_t panel = first; panel < end; panel++, to += r->panel_bytes)
        if (laid->codes) lpanel_pack((uint8_t *)to, &laid->codes[r->matrix], panel);
        else if (w->layout) pack_copies(to, r, w, laid->type, panel, room);
        else panel_pack(to, w->type, r->data, w->n_rows, w->n_cols, panel);
    if (!w->layout) let_go_rows(w, r->data, first * LINEAR_ROWS, end * LINEAR_ROWS);
}

/* The next piece of the first weight, in order, that has panels left; `before` counts those of the weights
 * before r. */
static bool take_piece(struct relaying *l, struct relaid **r, size_t *before, size_t *first, size_t *end) {
    struct relaid *last = l->b->relaid + l->b->n_relaid;
    size_t at = atomic_load_explicit(&l->next, memory_order_relaxed), n;
    do {
        while (*r < last && at >= *before + (*r)->n_panels) *before += (*r)++->n_panels;
        if (*r == last) return false;
        n = (PIECE + (*r)->panel_bytes - 1) / (*r)->panel_bytes;
        *first = at - *before;
        *end = n < (*r)->n_panels - *first ? *first + n : (*r)->n_panels;
    } while (!atomic_compare_exchange_weak_explicit(&l->next, &at, *before + *end, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

static void make_pieces(void *arg, size_t thread, size_t n_threads) {
    struct relaying *l = arg;
    struct relaid *r = l->b->relaid;
    char *room = l->b->scratch + thread * l->b->scratch_bytes;
    size_t before = 0, first, end;
    (void)n_threads;
    while (take_piece(l, &r, &before, &first, &end)) {
        cpu_make_panels(l->b, (char *)l->b->weights.at + r->at + first * r->panel_bytes, r, first, end, room);
        if (atomic_fetch_sub(&r->left, end - first) == end - first) cpu_let_go(l->b, r);
        size_t n = (end - first) * r->panel_bytes, done = atomic_fetch_add(&l->done, n) + n;
        if (thread == 0 && l->options->progress)
            l->options->progress(l->options->progress_arg, done, l->total);
    }
}

static void point_into(struct backend *b, const void *weights) {
    for (const struct relaid *r = b->relaid; r < b->relaid + b->n_relaid; r++) {
        b->laid[r->weight].panels[r->matrix] = (const char *)weights + r->at;
        cpu_let_go(b, r); /* what reading ahead brought back */
    }
}

/* The token table, where it is also the last product's matrix. */
static const struct relaid *table_twice(const struct backend *b) {
    const struct program *p = b->program;
    int table = p->steps[0].op == OP_embed ? p->steps[0].weight[0] : PROGRAM_NONE;
    for (const struct relaid *r = b->relaid; r < b->relaid + b->n_relaid; r++)
        if (table >= 0 && r->data && r->data == p->weights[table].data) return r;
    return NULL;
}

bool cpu_relay(struct backend *b, size_t bytes, const struct backend_options *options, struct status *st) {
    struct relaying l = {.b = b, .options = options, .total = bytes};
    if (b->n_relaid == 0) return true;
    b->table = table_twice(b);
    if (options->cache_path && cpu_read_panels(b, bytes, options)) {
        point_into(b, b->panelcache.data);
        return true;
    }
    if (!region_open(&b->weights, bytes, true, "weights", st)) return false;
    pool_run(b->pool, make_pieces, &l);
    if (options->cache_path) cpu_write_panels(b, options);
    point_into(b, b->weights.at);
    return true;
}
