/* Products of the chosen experts. Units are the panels of those experts that a token chose, and no others, so
 * that any part of them is work; a task has room for as many experts as its tokens could choose. Rows that
 * chose an expert go through its matrix together (matrices.h): llama.cpp's mul_mat_id and ik_llama.cpp's row
 * mappings. */
#include "engine/kernels/exact/matrices.h"

#include <string.h>

static size_t chosen_by(const struct experts_task *t, size_t slot) {
    size_t n = t->ids.width;
    return (size_t)t->ids.at[slot / n * t->ids.stride + slot % n];
}

/* chosen[e] for every expert. */
static void mark_chosen(bool *chosen, const struct experts_task *t, size_t n) {
    memset(chosen, 0, t->n_experts * sizeof *chosen);
    for (size_t slot = 0; slot < n * t->ids.width; slot++) chosen[chosen_by(t, slot)] = true;
}

/* The next rows, from slot *slot on, that chose the expert. */
static void find_rows(struct matrices_rows *rows, const struct experts_task *t, size_t n, size_t expert,
                      size_t *slot) {
    const size_t n_cols = t->weights.n_cols, slots = t->ids.width;
    const bool apart = t->in.width != n_cols; /* an input for each slot */
    for (rows->n = 0; *slot < n * slots && rows->n < MATRICES_ROWS; ++*slot) {
        if (chosen_by(t, *slot) != expert) continue;
        size_t i = *slot / slots, s = *slot % slots;
        rows->in[rows->n] = t->in.at + i * t->in.stride + (apart ? s * n_cols : 0);
        rows->out[rows->n] = t->out.at + i * t->out.stride + s * t->weights.n_rows;
        rows->quantized[rows->n++] = (uint32_t)(apart ? *slot : i);
    }
}

/* Panels [first, end) of an expert. */
static void run_expert(const struct experts_task *t, size_t n, size_t expert, size_t first, size_t end,
                       char *scratch) {
    const float *bias = t->bias ? t->bias + expert * t->weights.n_rows : NULL;
    struct matrices_rows rows;
    for (size_t slot = 0; slot < n * t->ids.width;) {
        find_rows(&rows, t, n, expert, &slot);
        if (rows.n > 0) EXACT(matrices)(&t->weights, expert, first, end, &rows, &t->quantized, bias, scratch);
    }
}

void EXACT(experts)(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct experts_task *t = &task->experts;
    const size_t panels = (t->weights.n_rows + LINEAR_ROWS - 1) / LINEAR_ROWS;
    bool *chosen = scratch;
    char *rest = (char *)scratch + (t->n_experts + 63) / 64 * 64;
    size_t before = 0; /* units of the experts so far */
    mark_chosen(chosen, t, task->n);
    for (size_t expert = 0; expert < t->n_experts && before < end; expert++) {
        if (!chosen[expert]) continue;
        size_t from = begin > before ? begin - before : 0, to = end - before < panels ? end - before : panels;
        if (from < to) run_expert(t, task->n, expert, from, to, rest);
        before += panels;
    }
}
