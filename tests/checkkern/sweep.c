#include "tests/checkkern/sweep.h"

#include <stddef.h>
#include <string.h>

enum { MIDDLE = 64, MOST_DIMS = 5 };
static const size_t sizes[] = {MIDDLE, 1, 7, 15, 16, 17, 255, 256, 257, 4096};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

/* What an op's work is the product of. */
struct dim {
    bool is_one;
    size_t at;           /* in struct trial_shape */
    size_t block, least; /* halved no further than that */
};

#define DIM(member, block, least)                                                                            \
    { true, offsetof(struct trial_shape, member), block, least }
#define N DIM(n, 1, 1)
#define WIDTH DIM(width, 1, 1)
#define COLUMNS DIM(n_cols, 0, 1) /* block 0: that of the weights */
#define POSITIONS DIM(positions, 1, 1)
/* In a narrower head the outliers of a query and a key meet, and exp makes anything of that. */
#define HEAD_DIM DIM(head_dim, 1, 16)
#define HEADS DIM(n_kv_heads, 1, 1)
#define GROUP DIM(group, 1, 1)

/* By the beginning of the op's name; the first that fits. */
static const struct space {
    const char *op;
    struct dim dims[MOST_DIMS];
} spaces[] = {
    {"linear", {N, WIDTH, COLUMNS}},
    {"experts", {N, WIDTH, COLUMNS}},
    {"head_linear", {N, WIDTH, COLUMNS}},
    {"attention", {N, POSITIONS, HEAD_DIM, HEADS, GROUP}},
    {"dsa_attention", {N, POSITIONS, HEAD_DIM, HEADS, GROUP}},
    {"dsa_select", {N, POSITIONS, HEAD_DIM, GROUP}},
    {"delta_net", {N, HEAD_DIM, DIM(value_dim, 1, 1), HEADS, GROUP}},
    {"rope", {N, POSITIONS, DIM(head_dim, 2, 2), HEADS, GROUP}},
    {"kv_store", {N, POSITIONS, HEAD_DIM, HEADS}},
    {"quantize", {N, DIM(width, QUANT_BLOCK, 1)}},
    {"embed", {N, DIM(width, 0, 1)}},
    {"", {N, WIDTH}},
};

static const struct space *space_of(const char *op) {
    const struct space *space = spaces;
    while (strncmp(op, space->op, strlen(space->op)) != 0) space++;
    return space;
}

static size_t *place(struct trial_shape *shape, const struct dim *dim) {
    return (size_t *)(void *)((char *)shape + dim->at);
}

/* The nearest size that the dimension can have. */
static size_t legal(const struct dim *dim, enum dtype type, size_t size) {
    size_t block = dim->block ? dim->block : dtype_info(type)->block_elements;
    size_t whole = (size + block / 2) / block * block;
    return whole > block ? whole : block;
}

static double products(const struct space *space, struct trial_shape *shape) {
    double all = 1;
    for (size_t d = 0; d < MOST_DIMS && space->dims[d].is_one; d++)
        all *= (double)*place(shape, &space->dims[d]);
    return all;
}

/* Halves the largest of the dimensions other than `kept` that can be. */
static bool halve(const struct space *space, struct trial_shape *shape, size_t kept) {
    size_t *largest = NULL, half = 0;
    for (size_t d = 0; d < MOST_DIMS && space->dims[d].is_one; d++) {
        size_t *at = place(shape, &space->dims[d]), to = legal(&space->dims[d], shape->type, *at / 2);
        if (d == kept || to >= *at || to < space->dims[d].least || (largest && *at <= *largest)) continue;
        largest = at, half = to;
    }
    if (largest) *largest = half;
    return largest != NULL;
}

bool sweep_next_shape(struct trial_shape *shape, const char *op, size_t most, size_t i) {
    const struct space *space = space_of(op);
    const struct trial_shape like = *shape;
    size_t n_dims = 0, swept = i / N_SIZES;
    while (n_dims < MOST_DIMS && space->dims[n_dims].is_one) n_dims++;
    if (swept >= n_dims) return false;
    *shape = (struct trial_shape){
        .n = 5, .width = 64, .n_cols = 64, .head_dim = 32, .n_kv_heads = 2, .group = 3, .positions = 70};
    shape->type = like.type, shape->bits = like.bits, shape->kv = like.kv, shape->kind = like.kind;
    shape->strided = (i + (size_t)like.kind) % 2;
    for (size_t d = 0; d < n_dims; d++)
        *place(shape, &space->dims[d]) =
            legal(&space->dims[d], like.type, d == swept ? sizes[i % N_SIZES] : (size_t)MIDDLE);
    while (products(space, shape) > (double)most)
        if (!halve(space, shape, swept)) break;
    /* Two tokens of a batch never stand at one position of a sequence, and kv_store would mind. */
    if (strcmp(op, "kv_store") == 0 && shape->positions < shape->n) shape->positions = shape->n;
    return true;
}
