#include "engine/file/randommodel.h"

#include "engine/file/ggufwrite.h"
#include "engine/file/mixture.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- what there is -------------------------------------------------------------------------------------- */

/* The vocabulary is Llama 2's in both: a larger one adds to a token's cost nothing but one more matrix. */
static const struct randommodel_shape shapes[] = {
    {"1b", "Llama-3.2-1B, 32,000 tokens, tied", 16, 2048, 8192, 32, 8, 64, 32000, 131072, 0, 0},
    {"110m", "stories110M, 32,000 tokens, tied", 12, 768, 2048, 12, 12, 64, 32000, 8192, 0, 0},
    {"moe", "4 of 32 experts, 1.1 G parameters", 12, 1024, 1024, 16, 4, 64, 32000, 8192, 32, 4},
    {"tiny-moe", "for tests: 2 of 8 experts", 2, 256, 256, 4, 2, 64, 320, 512, 8, 2},
    {"tiny", "for tests: 2 layers of 256", 2, 256, 512, 4, 2, 64, 320, 512, 0, 0},
};

/* Types that no mixture writes, and llama.cpp's number for a file of them (llama_ftype). */
static const struct {
    const char *name;
    enum dtype type;
    uint32_t file_type;
} read_only[] = {
    {"Q4_1", DTYPE_Q4_1, 3},      {"Q5_0", DTYPE_Q5_0, 8},    {"Q5_1", DTYPE_Q5_1, 9},
    {"Q2_K", DTYPE_Q2_K, 10},     {"Q3_K", DTYPE_Q3_K, 12},   {"IQ4_NL", DTYPE_IQ4_NL, 25},
    {"IQ4_XS", DTYPE_IQ4_XS, 30}, {"MXFP4", DTYPE_MXFP4, 38},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, N_READ_ONLY = sizeof read_only / sizeof *read_only };

const struct randommodel_shape *randommodel_shape_at(size_t i) { return i < N_SHAPES ? &shapes[i] : NULL; }

const struct randommodel_shape *randommodel_shape(const char *name) {
    for (size_t i = 0; i < N_SHAPES; i++)
        if (strcasecmp(shapes[i].name, name) == 0) return &shapes[i];
    return NULL;
}

const char *randommodel_type_at(size_t i) {
    size_t n = 0;
    for (; mixture_at(n); n++)
        if (n == i) return mixture_at(i)->name;
    return i - n < N_READ_ONLY ? read_only[i - n].name : NULL;
}

const char *randommodel_type(const char *name) {
    const char *known;
    for (size_t i = 0; (known = randommodel_type_at(i)); i++)
        if (strcasecmp(known, name) == 0) return known;
    return NULL;
}

/* --- weights -------------------------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

/* Where the halves of a block lie, how large its elements are without them (the root of the mean square of
 * code times sub-scale), and how many scales the minimum is, so that the mean is about 0. */
static const struct block {
    enum dtype type;
    unsigned char scale_at, min_at; /* min_at 0: no minimum */
    float size, min;
} blocks[] = {
    {DTYPE_Q4_0, 0, 0, 4.6F, 0},      {DTYPE_Q4_1, 0, 2, 4.6F, -7.5F}, {DTYPE_Q5_0, 0, 0, 9.2F, 0},
    {DTYPE_Q5_1, 0, 2, 9.2F, -15.5F}, {DTYPE_Q8_0, 0, 0, 74, 0},       {DTYPE_Q2_K, 80, 82, 17, 1.5F},
    {DTYPE_Q3_K, 108, 0, 43, 0},      {DTYPE_Q4_K, 0, 2, 260, 7.5F},   {DTYPE_Q5_K, 0, 2, 530, 15.5F},
    {DTYPE_Q6_K, 208, 0, 1370, 0},    {DTYPE_IQ4_NL, 0, 0, 70, 0},     {DTYPE_IQ4_XS, 0, 0, 1290, 0},
};

static const struct block *block_of(enum dtype type) {
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (blocks[i].type == type) return &blocks[i];
    return NULL;
}

static void put_half(uint8_t *at, float value) {
    uint16_t half = dtype_f32_to_f16(value);
    at[0] = (uint8_t)half, at[1] = (uint8_t)(half >> 8);
}

enum { N_SCALES = 64 };

/* 64 scales around one: rounding each block's anew would take longer than all the rest. */
static void set_scales(uint8_t *at, size_t n, size_t stride, const struct block *b, float target,
                       uint64_t *seed) {
    uint8_t scale[N_SCALES][2], min[N_SCALES][2];
    for (int i = 0; i < N_SCALES; i++) {
        float d = target / b->size * (0.75F + (float)i / (2 * N_SCALES));
        put_half(scale[i], d);
        put_half(min[i], d * b->min);
    }
    for (size_t i = 0; i < n; i++, at += stride) {
        uint64_t which = draw(seed) % N_SCALES;
        memcpy(at + b->scale_at, scale[which], 2);
        if (b->min_at) memcpy(at + b->min_at, min[which], 2);
    }
}

/* The scale is a power of two in one byte; E2M1 is about 2.9 in size. */
static void set_exponents(uint8_t *at, size_t n, size_t stride, float target) {
    int exponent = 127 + (int)lrintf(log2f(target / 2.9F));
    for (size_t i = 0; i < n; i++) at[i * stride] = (uint8_t)exponent;
}

/* Floats of `width` bytes: any sign and fraction, one exponent, so that all lie within a factor of two. */
static void set_float_exponents(uint8_t *at, size_t n, size_t width, int fraction_bits, int bias,
                                float target) {
    uint32_t exponent_mask = (width == 4 ? 0x7FFFFFFFU : 0x7FFFU) & ~((1U << fraction_bits) - 1);
    uint32_t exponent = (uint32_t)(bias + ilogbf(target * 0.7F)) << fraction_bits;
    for (size_t i = 0; i < n; i++, at += width) {
        uint32_t bits = 0;
        memcpy(&bits, at, width);
        bits = (bits & ~exponent_mask) | exponent;
        memcpy(at, &bits, width);
    }
}

void randommodel_bytes(void *out, size_t n, uint64_t *seed) {
    uint8_t *at = out;
    for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
        uint64_t bits = draw(seed);
        memcpy(at + i, &bits, n - i < sizeof bits ? n - i : sizeof bits);
    }
}

void randommodel_rows(void *out, enum dtype type, size_t n_rows, size_t n_cols, uint64_t *seed) {
    size_t bytes = n_rows * dtype_row_bytes(type, n_cols), stride = dtype_info(type)->block_bytes;
    size_t n = bytes / stride;
    float target = 1 / sqrtf((float)n_cols);
    uint8_t *at = out;
    randommodel_bytes(out, bytes, seed);
    const struct block *b = block_of(type);
    if (b) set_scales(at, n, stride, b, target, seed);
    else if (type == DTYPE_MXFP4) set_exponents(at, n, stride, target);
    else if (type == DTYPE_F16) set_float_exponents(at, n, stride, 10, 15, target);
    else if (type == DTYPE_BF16) set_float_exponents(at, n, stride, 7, 127, target);
    else if (type == DTYPE_F32) set_float_exponents(at, n, stride, 23, 127, target);
    else assert(0 && "a type without a rule");
}

/* --- metadata ------------------------------------------------------------------------------------------- */

enum { N_SPECIAL = 3, N_BYTES = 256, WORD = 12 };

/* llama.cpp's kinds of token. */
enum { NORMAL = 1, UNKNOWN = 2, CONTROL = 3, BYTE = 6 };

static void name_token(char out[WORD], size_t id) {
    static const char *const special[N_SPECIAL] = {"<unk>", "<s>", "</s>"};
    if (id < N_SPECIAL) snprintf(out, WORD, "%s", special[id]);
    else if (id < N_SPECIAL + N_BYTES) snprintf(out, WORD, "<0x%02X>", (unsigned)(id - N_SPECIAL));
    else { /* a number in letters: no two are equal */ int n = 0;
        for (id -= N_SPECIAL + N_BYTES; n < 2 || id; id /= 26) out[n++] = (char)('a' + id % 26);
        out[n] = '\0';
    }
}

static bool put_tokenizer(struct ggufwrite *w, size_t n, struct status *st) {
    char(*words)[WORD] = calloc(n, sizeof *words);
    struct view *tokens = calloc(n, sizeof *tokens);
    float *scores = calloc(n, sizeof *scores);
    int32_t *kinds = calloc(n, sizeof *kinds);
    bool ok = (words && tokens && scores && kinds) ||
              status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu tokens", n);
    for (size_t i = 0; ok && i < n; i++) {
        name_token(words[i], i);
        tokens[i] = view_of(words[i]);
        scores[i] = i < N_SPECIAL + N_BYTES ? 0 : -(float)i;
        kinds[i] = i == 0 ? UNKNOWN : i < N_SPECIAL ? CONTROL : i < N_SPECIAL + N_BYTES ? BYTE : NORMAL;
    }
    if (ok) {
        ggufwrite_string(w, "tokenizer.ggml.model", view_of("llama"));
        ggufwrite_strings(w, "tokenizer.ggml.tokens", tokens, n);
        ggufwrite_array(w, "tokenizer.ggml.scores", GGUF_F32, scores, n);
        ggufwrite_array(w, "tokenizer.ggml.token_type", GGUF_I32, kinds, n);
        ggufwrite_u32(w, "tokenizer.ggml.unknown_token_id", 0);
        ggufwrite_u32(w, "tokenizer.ggml.bos_token_id", 1);
        ggufwrite_u32(w, "tokenizer.ggml.eos_token_id", 2);
    }
    free(words), free(tokens), free(scores), free(kinds);
    return ok;
}

static void put_shape(struct ggufwrite *w, const struct randommodel_shape *s, const char *type) {
    char name[64];
    snprintf(name, sizeof name, "random %s %s", s->name, type);
    ggufwrite_string(w, "general.architecture", view_of("llama"));
    ggufwrite_string(w, "general.name", view_of(name));
    ggufwrite_u32(w, "llama.block_count", (uint32_t)s->n_layers);
    ggufwrite_u32(w, "llama.context_length", (uint32_t)s->context);
    ggufwrite_u32(w, "llama.embedding_length", (uint32_t)s->d);
    ggufwrite_u32(w, "llama.feed_forward_length", (uint32_t)s->d_ff);
    ggufwrite_u32(w, "llama.attention.head_count", (uint32_t)s->n_heads);
    ggufwrite_u32(w, "llama.attention.head_count_kv", (uint32_t)s->n_kv_heads);
    ggufwrite_f32(w, "llama.attention.layer_norm_rms_epsilon", 1e-5F);
    ggufwrite_f32(w, "llama.rope.freq_base", 500000);
    ggufwrite_u32(w, "llama.rope.dimension_count", (uint32_t)s->head_dim);
    ggufwrite_u32(w, "llama.vocab_size", (uint32_t)s->n_vocab);
    if (!s->n_experts) return;
    ggufwrite_u32(w, "llama.expert_count", (uint32_t)s->n_experts);
    ggufwrite_u32(w, "llama.expert_used_count", (uint32_t)s->n_used);
}

/* --- the file ------------------------------------------------------------------------------------------- */

struct model {
    const struct randommodel_shape *shape;
    struct mixture mixture; /* for a type that no mixture writes, one of that type */
    struct mixture_model layers;
    struct ggufwrite *out;
    bool writes_rows; /* the second of two walks: first all tensors are announced */
    uint64_t seed;
    struct status *st;
};

static bool put_rows(struct model *m, enum dtype type, size_t n_rows, size_t n_cols) {
    enum { BYTES = 8 << 20 };
    size_t row_bytes = dtype_row_bytes(type, n_cols), batch = BYTES / row_bytes ? BYTES / row_bytes : 1;
    uint8_t *at = malloc((batch < n_rows ? batch : n_rows) * row_bytes);
    if (!at) return status_fail(m->st, STATUS_NO_MEMORY, "out of memory for %zu rows", batch);
    for (size_t i = 0; i < n_rows; i += batch) {
        size_t n = n_rows - i < batch ? n_rows - i : batch;
        randommodel_rows(at, type, n, n_cols, &m->seed);
        ggufwrite_rows(m->out, at, n * row_bytes);
    }
    free(at);
    return true;
}

/* n of them; 0: one, and no third dimension. */
static bool put_matrices(struct model *m, const char *name, size_t n_rows, size_t n_cols, size_t n) {
    struct gguf_tensor t = {.name = view_of(name),
                            .n_dims = n ? 3 : 2,
                            .dims = {n_cols, n_rows, n ? n : 1, 1},
                            .type = DTYPE_F32};
    enum dtype type = (enum dtype)mixture_type(&m->mixture, &m->layers, &t);
    if (m->writes_rows) return put_rows(m, type, n_rows * (n ? n : 1), n_cols);
    ggufwrite_tensor(m->out, t.name, t.n_dims, t.dims, type);
    return true;
}

static bool put_norm(struct model *m, const char *name) {
    size_t n = m->shape->d;
    if (!m->writes_rows) {
        ggufwrite_tensor(m->out, view_of(name), 1, (uint64_t[]){n}, DTYPE_F32);
        return true;
    }
    for (size_t i = 0; i < n; i++) ggufwrite_rows(m->out, &(float){1}, sizeof(float));
    return true;
}

static bool put_layer(struct model *m, size_t layer) {
    const struct randommodel_shape *s = m->shape;
    const size_t q = s->n_heads * s->head_dim, kv = s->n_kv_heads * s->head_dim, n = s->n_experts;
    const struct {
        const char *name;
        size_t n_rows, n_cols, n; /* 0 rows: a norm, or there is none */
    } tensors[] = {
        {"attn_norm", 0, 0, 0},
        {"attn_q", q, s->d, 0},
        {"attn_k", kv, s->d, 0},
        {"attn_v", kv, s->d, 0},
        {"attn_output", s->d, q, 0},
        {"ffn_norm", 0, 0, 0},
        {"ffn_gate_inp", n, s->d, 0}, /* the router */
        {n ? "ffn_gate_exps" : "ffn_gate", s->d_ff, s->d, n},
        {n ? "ffn_up_exps" : "ffn_up", s->d_ff, s->d, n},
        {n ? "ffn_down_exps" : "ffn_down", s->d, s->d_ff, n},
    };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof tensors / sizeof *tensors; i++) {
        char name[64];
        snprintf(name, sizeof name, "blk.%zu.%s.weight", layer, tensors[i].name);
        if (tensors[i].n_rows) ok = put_matrices(m, name, tensors[i].n_rows, tensors[i].n_cols, tensors[i].n);
        else if (tensors[i].n_cols == 0) ok = put_norm(m, name);
    }
    return ok;
}

static bool put_tensors(struct model *m) {
    const struct randommodel_shape *s = m->shape;
    bool ok = put_matrices(m, "token_embd.weight", s->n_vocab, s->d, 0);
    for (size_t i = 0; ok && i < s->n_layers; i++) ok = put_layer(m, i);
    return ok && put_norm(m, "output_norm.weight");
}

static struct mixture mixture_for(const char *type) {
    const struct mixture *known = mixture_find(type);
    if (known) return *known;
    for (size_t i = 0; i < N_READ_ONLY; i++)
        if (strcmp(read_only[i].name, type) == 0)
            return (struct mixture){type, read_only[i].type, read_only[i].file_type, ""};
    assert(0 && "randommodel_type has not been asked");
    return (struct mixture){0};
}

bool randommodel_write(const char *path, const struct randommodel_shape *shape, const char *type,
                       struct status *st) {
    struct model m = {.shape = shape,
                      .mixture = mixture_for(type),
                      .layers = {.n_layers = shape->n_layers, .n_experts = shape->n_experts, .tied = true},
                      .st = st};
    if (!ggufwrite_open(&m.out, path, st)) return false;
    put_shape(m.out, shape, type);
    ggufwrite_u32(m.out, "general.quantization_version", 2);
    ggufwrite_u32(m.out, "general.file_type", m.mixture.file_type);
    bool ok = put_tokenizer(m.out, shape->n_vocab, st) && put_tensors(&m);
    m.writes_rows = true;
    if (ok && put_tensors(&m)) return ggufwrite_end(m.out, st);
    ggufwrite_abandon(m.out);
    return false;
}
