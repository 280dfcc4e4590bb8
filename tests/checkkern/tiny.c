#include "tests/checkkern/tiny.h"

#include "tests/checkkern/synth.h"

#include <math.h>

enum { X, NORMED, Q, K, V, ATTENDED, BRANCH, GATE, UP, HIDDEN, LAST, LAST_NORMED, LOGITS, N_BUFFERS };
enum { STEPS_A_LAYER = 12, WEIGHTS_A_LAYER = 9 };

struct building {
    struct tiny *tiny;
    const struct tiny_shape *shape;
    struct synth random;
    struct weight *weights;
    struct step *steps;
    int n_weights, n_steps;
};

static int matrix(struct building *b, size_t n_rows, size_t n_cols) {
    enum dtype type = b->shape->type;
    struct weight *w = &b->weights[b->n_weights];
    *w = (struct weight){.name = "matrix", .type = type, .n_rows = n_rows, .n_cols = n_cols};
    w->data = synth_weights(&b->tiny->arena, &b->random, SYNTH_UNIFORM, type, n_rows, n_cols);
    return b->n_weights++;
}

static int norm(struct building *b) {
    size_t n = b->shape->width;
    float *values = synth_floats(&b->tiny->arena, &b->random, SYNTH_UNIFORM, 1, n);
    for (size_t i = 0; i < n; i++) values[i] = 1 + values[i] / 4;
    b->weights[b->n_weights] =
        (struct weight){.name = "norm", .type = DTYPE_F32, .n_rows = 1, .n_cols = n, .data = values};
    return b->n_weights++;
}

static struct step *add(struct building *b, enum op_code op, int in, int out, int weight) {
    struct step *s = &b->steps[b->n_steps++];
    *s = (struct step){
        .op = op, .n = 1, .in = {in, -1, -1, -1}, .out = {out, -1, -1, -1}, .weight = {weight, -1, -1, -1}};
    s->heads[0] = 1, s->scale = 1;
    return s;
}

static void add_layer(struct building *b, int layer) {
    const struct tiny_shape *t = b->shape;
    size_t q = t->n_heads * t->head_dim, kv = t->n_kv_heads * t->head_dim;
    struct step *s;
    add(b, OP_rms_norm, X, NORMED, norm(b))->eps = 1e-5F;
    s = add(b, OP_linear, NORMED, Q, matrix(b, q, t->width));
    s->n = 3;
    s->out[1] = K, s->weight[1] = matrix(b, kv, t->width);
    s->out[2] = V, s->weight[2] = matrix(b, kv, t->width);
    s = add(b, OP_rope, -1, Q, -1);
    s->in[0] = Q, s->in[1] = s->out[1] = K, s->pairs = t->pairs;
    s->n = 2, s->heads[0] = t->n_heads, s->heads[1] = t->n_kv_heads;
    s = add(b, OP_kv_store, K, -1, -1);
    s->in[1] = V, s->cache = layer;
    s = add(b, OP_attention, Q, ATTENDED, -1);
    s->cache = layer, s->scale = 1 / sqrtf((float)t->head_dim), s->heads[0] = t->n_heads;
    add(b, OP_linear, ATTENDED, BRANCH, matrix(b, t->width, q));
    add(b, OP_add, BRANCH, X, -1);
    add(b, OP_rms_norm, X, NORMED, norm(b))->eps = 1e-5F;
    s = add(b, OP_linear, NORMED, GATE, matrix(b, t->hidden, t->width));
    s->n = 2;
    s->out[1] = UP, s->weight[1] = matrix(b, t->hidden, t->width);
    s = add(b, OP_swiglu, GATE, HIDDEN, -1);
    s->in[1] = UP;
    add(b, OP_linear, HIDDEN, BRANCH, matrix(b, t->width, t->hidden));
    add(b, OP_add, BRANCH, X, -1);
}

static const float *rope_table(struct building *b, double (*turn)(double)) {
    size_t n = b->shape->head_dim / 2;
    float *table = synth_alloc(&b->tiny->arena, b->shape->context * n, sizeof *table);
    for (size_t p = 0; p < b->shape->context; p++)
        for (size_t i = 0; i < n; i++)
            table[p * n + i] = (float)turn((double)p * pow(10000, -(double)i / (double)n));
    return table;
}

void tiny_build(struct tiny *tiny, const struct tiny_shape *t) {
    *tiny = (struct tiny){0};
    struct building b = {.tiny = tiny, .shape = t, .random = {t->seed ? t->seed : 42}};
    b.weights = synth_alloc(&tiny->arena, WEIGHTS_A_LAYER * t->n_layers + 3, sizeof *b.weights);
    b.steps = synth_alloc(&tiny->arena, STEPS_A_LAYER * t->n_layers + 4, sizeof *b.steps);
    size_t *widths = synth_alloc(&tiny->arena, N_BUFFERS, sizeof *widths);
    size_t q = t->n_heads * t->head_dim, kv = t->n_kv_heads * t->head_dim;
    widths[X] = widths[NORMED] = widths[BRANCH] = widths[LAST] = widths[LAST_NORMED] = t->width;
    widths[Q] = widths[ATTENDED] = q, widths[K] = widths[V] = kv;
    widths[GATE] = widths[UP] = widths[HIDDEN] = t->hidden, widths[LOGITS] = t->vocab;
    int table = matrix(&b, t->vocab, t->width);
    add(&b, OP_embed, -1, X, table);
    for (int layer = 0; layer < (int)t->n_layers; layer++) add_layer(&b, layer);
    add(&b, OP_select, X, LAST, -1);
    add(&b, OP_rms_norm, LAST, LAST_NORMED, norm(&b))->eps = 1e-5F;
    add(&b, OP_linear, LAST_NORMED, LOGITS, table);
    struct program_rope *rope = synth_alloc(&tiny->arena, 1, sizeof *rope);
    struct program_cache *caches = synth_alloc(&tiny->arena, t->n_layers, sizeof *caches);
    rope->dims = t->head_dim;
    rope->cos[0] = rope->cos[1] = rope_table(&b, cos);
    rope->sin[0] = rope->sin[1] = rope_table(&b, sin);
    for (size_t i = 0; i < t->n_layers; i++)
        caches[i] = (struct program_cache){t->n_kv_heads, t->head_dim, t->head_dim};
    tiny->program = (struct program){.weights = b.weights,
                                     .n_weights = b.n_weights,
                                     .steps = b.steps,
                                     .n_steps = b.n_steps,
                                     .widths = widths,
                                     .n_buffers = N_BUFFERS,
                                     .logits = LOGITS,
                                     .n_vocab = t->vocab,
                                     .context = t->context,
                                     .ropes = rope,
                                     .n_ropes = 1,
                                     .caches = caches,
                                     .n_caches = (int)t->n_layers};
}

void tiny_release(struct tiny *tiny) { arena_release(&tiny->arena); }
