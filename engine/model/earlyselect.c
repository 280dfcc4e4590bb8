#include "engine/model/earlyselect.h"

#include "engine/model/steps.h"

/* Needs the token itself: its neighbours, its position, its id. */
static bool is_about_tokens(enum op_code op) {
    switch (op) {
    case OP_embed:
    case OP_rope:
    case OP_kv_store:
    case OP_attention:
    case OP_dsa_select:
    case OP_dsa_attention:
    case OP_short_conv:
    case OP_delta_net: return true;
    default: return false;
    }
}

/* The step behind the last that is about tokens, before `end`. */
static size_t first_alone(const struct step *steps, size_t end) {
    while (end > 0 && !is_about_tokens(steps[end - 1].op) && steps[end - 1].op != OP_select) end--;
    return end;
}

/* The buffers that steps [first, end) read before they write them, and `last`, which is read behind them. */
static uint64_t read_before(const struct program *p, size_t first, size_t end, int last) {
    uint64_t live = UINT64_C(1) << last;
    for (size_t i = end; i-- > first;) {
        const struct step *s = &p->steps[i];
        if (program_fills(p, s)) live &= ~program_buffers(s->out);
        else live |= program_buffers(s->out);
        live |= program_buffers(s->in);
    }
    return live;
}

static void rename_all(struct step *s, const int names[PROGRAM_MAX_BUFFERS]) {
    for (int i = 0; i < PROGRAM_MAX_OPERANDS; i++) {
        if (s->in[i] >= 0) s->in[i] = names[s->in[i]];
        if (s->out[i] >= 0) s->out[i] = names[s->out[i]];
    }
}

/* Steps from `first` on work on selected rows: of the buffers in `live`, which they read, and of their own.
 */
static void move(struct builder *b, size_t first, size_t select, uint64_t live) {
    const struct step *steps = b->steps.at, *end = steps + b->steps.n;
    int names[PROGRAM_MAX_BUFFERS], n_buffers = (int)b->widths.n;
    b->steps = (struct builder_list){0};
    for (const struct step *s = steps; s < steps + first; s++) *builder_step(b, s->op) = *s;
    for (int i = 0; i < n_buffers; i++) {
        names[i] = i;
        if (!(live >> i & 1)) continue;
        names[i] = builder_buffer(b, ((const size_t *)b->widths.at)[i]);
        steps_select(b, i, names[i]);
    }
    names[steps[select].out[0]] = names[steps[select].in[0]];
    for (const struct step *s = steps + first; s < end && !b->failed; s++) {
        if (s == steps + select) continue;
        struct step *to = builder_step(b, s->op);
        *to = *s;
        rename_all(to, names);
    }
}

void earlyselect(struct builder *b) {
    const struct program p = {.steps = b->steps.at, .weights = b->weights.at, .widths = b->widths.at};
    size_t select = 0;
    while (!b->failed && select < b->steps.n && p.steps[select].op != OP_select) select++;
    if (b->failed || select == b->steps.n || b->widths.n > PROGRAM_MAX_BUFFERS) return;
    size_t first = first_alone(p.steps, select);
    uint64_t live = read_before(&p, first, select, p.steps[select].in[0]);
    if (first < select && b->widths.n + (size_t)__builtin_popcountll(live) <= PROGRAM_MAX_BUFFERS)
        move(b, first, select, live);
}
