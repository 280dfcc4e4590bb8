/* Layers with a state, in every clone: what a prompt gives does not depend on how it is cut into runs, to the
 * bit, nor on the other sequence of the batch; states too. */
#include "engine/kernels/kernel.h"
#include "tests/checkkern/synth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TOKENS = 130, KEY_HEADS = 2, HEADS = 4, KEY_DIM = 48, VALUE_DIM = 72, CHANNELS = 40, TAPS = 4 };
enum { WIDTH = HEADS * VALUE_DIM, STATE = HEADS * KEY_DIM * VALUE_DIM, SCRATCH = 1 << 20 };

/* Two sequences: whole runs of one, then tokens in turn. */
struct prompt {
    int32_t positions[TOKENS], sequences[TOKENS];
    float *q, *k, *v, *a, *b, *out, *state;
    const float *decay, *bias, *weight;
};

static void number(struct prompt *p) {
    int32_t next[2] = {0};
    for (size_t i = 0; i < TOKENS; i++) {
        p->sequences[i] = i < 50 ? 0 : i < 100 ? 1 : i % 2;
        if (i == 30) next[0] = 0; /* begins anew */
        p->positions[i] = next[p->sequences[i]]++;
    }
}

static struct rows from(float *rows, size_t i, size_t width) {
    return (struct rows){rows + i * width, width, width};
}

static struct task delta(const struct prompt *p, size_t i) {
    struct task t = {0};
    t.delta_net = (struct delta_net_task){.q = from(p->q, i, KEY_HEADS * KEY_DIM),
                                          .k = from(p->k, i, KEY_HEADS * KEY_DIM),
                                          .v = from(p->v, i, WIDTH),
                                          .a = from(p->a, i, HEADS),
                                          .b = from(p->b, i, HEADS),
                                          .out = from(p->out, i, WIDTH),
                                          .n_key_heads = KEY_HEADS,
                                          .n_heads = HEADS,
                                          .key_dim = KEY_DIM,
                                          .value_dim = VALUE_DIM,
                                          .run = HEADS,
                                          .decay = p->decay,
                                          .dt_bias = p->bias,
                                          .state = {p->state, STATE}};
    return t;
}

static struct task conv(const struct prompt *p, size_t i) {
    struct task t = {0};
    t.short_conv = (struct short_conv_task){.in = from(p->v, i, CHANNELS),
                                            .out = from(p->out, i, CHANNELS),
                                            .weight = p->weight,
                                            .taps = TAPS,
                                            .state = {p->state, STATE}};
    return t;
}

static void run(const struct kernel *k, struct prompt *p, size_t chunk, void *scratch) {
    bool is_conv = strcmp(k->op, "short_conv") == 0;
    size_t units = is_conv ? (CHANNELS + LINEAR_ROWS - 1) / LINEAR_ROWS : HEADS;
    for (size_t i = 0; i < 2 * STATE; i++) p->state[i] = 1; /* of another text: position 0 wipes it out */
    memset(p->out, 0, TOKENS * WIDTH * sizeof *p->out);
    for (size_t i = 0; i < TOKENS; i += chunk) {
        struct tokens tokens = {.positions = p->positions + i, .sequences = p->sequences + i};
        struct task task = is_conv ? conv(p, i) : delta(p, i);
        task.n = TOKENS - i < chunk ? TOKENS - i : chunk;
        task.tokens = &tokens;
        k->run(&task, 0, units, scratch);
    }
}

static void a_prompt_may_be_cut_anywhere(void **state) {
    (void)state;
    static _Alignas(64) char scratch[SCRATCH];
    static const size_t chunks[] = {1, 7, 31, 64};
    struct arena arena = {0};
    struct synth s = {7};
    struct prompt p;
    number(&p);
    assert_true(kernel_scratch(WIDTH, VALUE_DIM) <= sizeof scratch);
    p.q = synth_floats(&arena, &s, SYNTH_UNIFORM, TOKENS, KEY_HEADS * KEY_DIM);
    p.k = synth_floats(&arena, &s, SYNTH_UNIFORM, TOKENS, KEY_HEADS * KEY_DIM);
    p.v = synth_floats(&arena, &s, SYNTH_UNIFORM, TOKENS, WIDTH);
    p.a = synth_floats(&arena, &s, SYNTH_UNIFORM, TOKENS, HEADS);
    p.b = synth_floats(&arena, &s, SYNTH_UNIFORM, TOKENS, HEADS);
    p.weight = synth_floats(&arena, &s, SYNTH_UNIFORM, CHANNELS, TAPS);
    p.decay = (const float[]){-0.1F, -0.5F, -1, -3};
    p.bias = synth_floats(&arena, &s, SYNTH_UNIFORM, 1, HEADS);
    p.out = synth_alloc(&arena, TOKENS * WIDTH, sizeof *p.out);
    p.state = synth_alloc(&arena, 2 * STATE, sizeof *p.state);
    float *out = synth_alloc(&arena, TOKENS * WIDTH, sizeof *out);
    float *after = synth_alloc(&arena, 2 * STATE, sizeof *after);
    for (const struct kernel *k = kernel_table; k < kernel_table + kernel_count; k++) {
        if ((strcmp(k->op, "delta_net") != 0 && strcmp(k->op, "short_conv") != 0) || !k->runs_here())
            continue;
        run(k, &p, TOKENS, scratch);
        memcpy(out, p.out, TOKENS * WIDTH * sizeof *out);
        memcpy(after, p.state, 2 * STATE * sizeof *after);
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
            run(k, &p, chunks[c], scratch);
            if (memcmp(out, p.out, TOKENS * WIDTH * sizeof *out) != 0 ||
                memcmp(after, p.state, 2 * STATE * sizeof *after) != 0)
                fail_msg("%s %s %s: other bits in chunks of %zu", k->op, k->lane, k->clone, chunks[c]);
        }
    }
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_prompt_may_be_cut_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
