/* The CPU backend's buffers: which may share memory, and where each lies in a token's row.
 *
 * All buffers of a token stand together, so that a few tokens touch little memory, and those whose values are
 * never needed at the same time stand in the same place: the program is walked backwards with the set of
 * buffers that later steps still read, as register allocators do it (Chaitin, doi:10.1145/872726.806984). */
#include "engine/backend/cpu.h"

enum { LINE = 64 / sizeof(float) };

struct sharing {
    const struct program *program;
    uint64_t apart[PROGRAM_MAX_BUFFERS]; /* buffers that need memory of their own beside this one */
    uint64_t filled;                     /* those that some step writes as a whole */
    size_t at[PROGRAM_MAX_BUFFERS];
};

static void keep_apart(struct sharing *s, uint64_t these, uint64_t those) {
    for (int i = 0; i < s->program->n_buffers; i++) {
        if (these >> i & 1) s->apart[i] |= those;
        if (those >> i & 1) s->apart[i] |= these;
    }
}

/* What a step writes must not lie where something is that it reads or that is read later. */
static void find_neighbours(struct sharing *s) {
    const struct program *p = s->program;
    uint64_t read_later = UINT64_C(1) << p->logits;
    for (const struct step *step = p->steps + p->n_steps; step-- > p->steps;) {
        uint64_t in = program_buffers(step->in), out = program_buffers(step->out);
        keep_apart(s, out, in | out | read_later);
        if (program_fills(p, step)) read_later &= ~out, s->filled |= out;
        else read_later |= out;
        read_later |= in;
    }
}

static size_t width_of(const struct sharing *s, int buffer) {
    return (s->program->widths[buffer] + LINE - 1) / LINE * LINE;
}

/* The first place that is free beside the neighbours among `placed`. */
static size_t place_for(const struct sharing *s, int buffer, uint64_t placed) {
    size_t at = 0, width = width_of(s, buffer);
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < s->program->n_buffers; i++) {
            if (!((placed & s->apart[buffer]) >> i & 1)) continue;
            if (at >= s->at[i] + width_of(s, i) || s->at[i] >= at + width) continue;
            at = s->at[i] + width_of(s, i);
            moved = true;
        }
    }
    return at;
}

size_t cpu_place_buffers(const struct program *p, size_t at[PROGRAM_MAX_BUFFERS]) {
    struct sharing s = {.program = p};
    size_t stride = LINE;
    uint64_t placed = UINT64_C(1) << p->logits, all = UINT64_MAX;
    find_neighbours(&s);
    keep_apart(&s, ~s.filled, all); /* parts that no step writes stay zero */
    for (int n = 1; n < p->n_buffers; n++) {
        int widest = -1;
        for (int i = 0; i < p->n_buffers; i++)
            if (!(placed >> i & 1) && (widest < 0 || p->widths[i] > p->widths[widest])) widest = i;
        s.at[widest] = place_for(&s, widest, placed & ~(UINT64_C(1) << p->logits));
        placed |= UINT64_C(1) << widest;
        if (s.at[widest] + width_of(&s, widest) > stride) stride = s.at[widest] + width_of(&s, widest);
    }
    for (int i = 0; i < p->n_buffers; i++) at[i] = s.at[i];
    return stride / LINE % 2 ? stride : stride + LINE;
}
