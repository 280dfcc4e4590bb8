#include "engine/file/randomdir.h"

#include "base/file.h"
#include "base/jsonout.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GROUP = 128, PER_WORD = 8 };

/* What a part of a module holds. */
enum filling {
    CODES,    /* any bits */
    EIGHTS,   /* zero points of 8, a nibble each */
    SEVENS,   /* the same as GPTQ's version 1 writes them, less one */
    SCALES,   /* F16, so that the matrix keeps the size of what it multiplies */
    MAXIMA,   /* F16, the largest scale of an EXL2 group; its scales are squares of up to 16 / 16 of it */
    GROUPS,   /* I16: bits and first row of each EXL2 group */
    IDENTITY, /* I32: 0, 1, 2 ... */
    MAP,      /* I32: the group of each input */
    MATRIX,   /* F16 numbers */
    ONES,     /* F16 */
};

/* Parts of a module [out][in]: sizes as quotients of those. 0: there is no second dimension. */
struct part {
    const char *name;
    const char *type;
    enum filling filling;
    size_t rows, columns;
};

enum { MOST_PARTS = 5 };

static const char *const types[] = {"GPTQ", "AWQ", "EXL2"};
enum { N_TYPES = sizeof types / sizeof *types };

const char *randomdir_type_at(size_t i) { return i < N_TYPES ? types[i] : NULL; }

const char *randomdir_type(const char *name) {
    for (size_t i = 0; i < N_TYPES; i++)
        if (strcasecmp(types[i], name) == 0) return types[i];
    return NULL;
}

/* Returns how many. */
static size_t parts_of(struct part parts[MOST_PARTS], const char *type, size_t out, size_t in) {
    const size_t groups = in / GROUP;
    const struct part gptq[] = {{"qweight", "I32", CODES, in / PER_WORD, out},
                                {"qzeros", "I32", SEVENS, groups, out / PER_WORD},
                                {"scales", "F16", SCALES, groups, out},
                                {"g_idx", "I32", MAP, in, 0}};
    const struct part awq[] = {{"qweight", "I32", CODES, in, out / PER_WORD},
                               {"qzeros", "I32", EIGHTS, groups, out / PER_WORD},
                               {"scales", "F16", SCALES, groups, out}};
    const struct part exl2[] = {{"q_weight", "I32", CODES, in / PER_WORD, out},
                                {"q_scale", "I32", CODES, groups, out / PER_WORD},
                                {"q_scale_max", "F16", MAXIMA, groups, 0},
                                {"q_groups", "I16", GROUPS, 2 * groups, 0},
                                {"q_invperm", "I32", IDENTITY, in, 0}};
    bool is_gptq = strcmp(type, "GPTQ") == 0, is_awq = strcmp(type, "AWQ") == 0;
    size_t n = is_gptq ? 4 : is_awq ? 3 : 5;
    memcpy(parts, is_gptq ? gptq : is_awq ? awq : exl2, n * sizeof *parts);
    return n;
}

/* --- config.json ---------------------------------------------------------------------------------------- */

static void put_quantization(struct jsonout *j, const char *type) {
    char method[8];
    size_t n = 0;
    for (; type[n]; n++) method[n] = (char)(type[n] | 0x20); /* digits have the bit already */
    method[n] = '\0';
    jsonout_key(j, "quantization_config");
    jsonout_begin_object(j);
    jsonout_pair_string(j, "quant_method", method);
    jsonout_pair_int(j, "bits", 4);
    jsonout_pair_int(j, "group_size", GROUP);
    jsonout_pair_bool(j, "desc_act", false);
    jsonout_pair_bool(j, "sym", true);
    jsonout_pair_bool(j, "zero_point", true);
    if (strcmp(type, "AWQ") == 0) jsonout_pair_string(j, "version", "gemm");
    jsonout_end_object(j);
}

static void put_config(struct str *out, const struct randommodel_shape *s, const char *type) {
    struct jsonout j;
    jsonout_init(&j, out, 2);
    jsonout_begin_object(&j);
    jsonout_key(&j, "architectures");
    jsonout_begin_array(&j);
    jsonout_string(&j, "LlamaForCausalLM");
    jsonout_end_array(&j);
    jsonout_pair_string(&j, "model_type", "llama");
    jsonout_pair_string(&j, "hidden_act", "silu");
    jsonout_pair_int(&j, "hidden_size", (int64_t)s->d);
    jsonout_pair_int(&j, "intermediate_size", (int64_t)s->d_ff);
    jsonout_pair_int(&j, "num_hidden_layers", (int64_t)s->n_layers);
    jsonout_pair_int(&j, "num_attention_heads", (int64_t)s->n_heads);
    jsonout_pair_int(&j, "num_key_value_heads", (int64_t)s->n_kv_heads);
    jsonout_pair_int(&j, "head_dim", (int64_t)s->head_dim);
    jsonout_pair_int(&j, "vocab_size", (int64_t)s->n_vocab);
    jsonout_pair_int(&j, "max_position_embeddings", (int64_t)s->context);
    jsonout_pair_double(&j, "rms_norm_eps", 1e-5);
    jsonout_pair_double(&j, "rope_theta", 500000);
    jsonout_pair_bool(&j, "tie_word_embeddings", true);
    jsonout_pair_bool(&j, "attention_bias", false);
    jsonout_pair_bool(&j, "mlp_bias", false);
    jsonout_pair_string(&j, "torch_dtype", "float16");
    put_quantization(&j, type);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}

/* --- numbers -------------------------------------------------------------------------------------------- */

static void put_halves(uint16_t *at, size_t n, float value) {
    uint16_t half = dtype_f32_to_f16(value);
    for (size_t i = 0; i < n; i++) at[i] = half;
}

/* Codes from -8 to 7 are 4.6 in size, squares of 1 to 16 over 256 are 0.47. */
static void fill(void *at, const struct part *p, size_t in, uint64_t *seed) {
    const size_t n = p->rows * (p->columns ? p->columns : 1);
    const float size = 1 / (4.6F * sqrtf((float)in));
    int32_t *words = at;
    int16_t *shorts = at;
    switch (p->filling) {
    case CODES: randommodel_bytes(at, n * 4, seed); break;
    case MATRIX: randommodel_rows(at, DTYPE_F16, p->rows, p->columns, seed); break;
    case EIGHTS: memset(at, 0x88, n * 4); break;
    case SEVENS: memset(at, 0x77, n * 4); break;
    case SCALES: put_halves(at, n, size); break;
    case MAXIMA: put_halves(at, n, size / 0.47F); break;
    case ONES: put_halves(at, n, 1); break;
    case IDENTITY:
        for (size_t i = 0; i < n; i++) words[i] = (int32_t)i;
        break;
    case MAP:
        for (size_t i = 0; i < n; i++) words[i] = (int32_t)(i / GROUP);
        break;
    case GROUPS:
        for (size_t i = 0; i < n; i += 2)
            shorts[i] = 4, shorts[i + 1] = (int16_t)(i / 2 * (GROUP / PER_WORD));
        break;
    }
}

/* --- model.safetensors ---------------------------------------------------------------------------------- */

struct folder {
    const struct randommodel_shape *shape;
    const char *type;
    struct jsonout header;
    struct str text;
    size_t offset;
    FILE *file; /* NULL: the first of two walks, which writes the header */
    uint64_t seed;
    struct status *st;
};

static bool put_part(struct folder *f, const char *module, const struct part *p, size_t in) {
    const size_t width = p->type[0] == 'I' && p->type[1] == '3' ? 4 : 2;
    const size_t bytes = p->rows * (p->columns ? p->columns : 1) * width;
    if (f->file) {
        void *at = malloc(bytes);
        if (!at)
            return status_fail(f->st, STATUS_NO_MEMORY, "out of memory for %zu bytes of %s", bytes, module);
        fill(at, p, in, &f->seed);
        bool ok = fwrite(at, 1, bytes, f->file) == bytes ||
                  status_fail_errno(f->st, "cannot write the weights of %s", module);
        free(at);
        return ok;
    }
    struct jsonout *j = &f->header;
    char name[96];
    snprintf(name, sizeof name, "%s.%s", module, p->name);
    jsonout_key(j, name);
    jsonout_begin_object(j);
    jsonout_pair_string(j, "dtype", p->type);
    jsonout_key(j, "shape");
    jsonout_begin_array(j);
    jsonout_int(j, (int64_t)p->rows);
    if (p->columns) jsonout_int(j, (int64_t)p->columns);
    jsonout_end_array(j);
    jsonout_key(j, "data_offsets");
    jsonout_begin_array(j);
    jsonout_int(j, (int64_t)f->offset);
    jsonout_int(j, (int64_t)(f->offset += bytes));
    jsonout_end_array(j);
    jsonout_end_object(j);
    return true;
}

static bool put_module(struct folder *f, size_t layer, const char *name, size_t out, size_t in) {
    struct part parts[MOST_PARTS];
    char module[80];
    bool ok = true;
    snprintf(module, sizeof module, "model.layers.%zu.%s", layer, name);
    size_t n = parts_of(parts, f->type, out, in);
    for (size_t i = 0; ok && i < n; i++) ok = put_part(f, module, &parts[i], in);
    return ok;
}

static bool put_norm(struct folder *f, const char *module) {
    return put_part(f, module, &(struct part){"weight", "F16", ONES, f->shape->d, 0}, 1);
}

static bool put_layer(struct folder *f, size_t i) {
    const struct randommodel_shape *s = f->shape;
    const size_t q = s->n_heads * s->head_dim, kv = s->n_kv_heads * s->head_dim;
    char before[80], after[80];
    snprintf(before, sizeof before, "model.layers.%zu.input_layernorm", i);
    snprintf(after, sizeof after, "model.layers.%zu.post_attention_layernorm", i);
    return put_norm(f, before) && put_module(f, i, "self_attn.q_proj", q, s->d) &&
           put_module(f, i, "self_attn.k_proj", kv, s->d) && put_module(f, i, "self_attn.v_proj", kv, s->d) &&
           put_module(f, i, "self_attn.o_proj", s->d, q) && put_norm(f, after) &&
           put_module(f, i, "mlp.gate_proj", s->d_ff, s->d) &&
           put_module(f, i, "mlp.up_proj", s->d_ff, s->d) && put_module(f, i, "mlp.down_proj", s->d, s->d_ff);
}

static bool put_tensors(struct folder *f) {
    const struct randommodel_shape *s = f->shape;
    bool ok =
        put_part(f, "model.embed_tokens", &(struct part){"weight", "F16", MATRIX, s->n_vocab, s->d}, s->d);
    for (size_t i = 0; ok && i < s->n_layers; i++) ok = put_layer(f, i);
    return ok && put_norm(f, "model.norm");
}

/* The header's length, the header, padded with blanks to 8 bytes, and the tensors without a gap. */
static bool put_weights(struct folder *f) {
    jsonout_init(&f->header, &f->text, 0);
    jsonout_begin_object(&f->header);
    FILE *file = f->file;
    f->file = NULL;
    bool ok = put_tensors(f);
    f->file = file;
    jsonout_end_object(&f->header);
    while (f->text.n % 8) str_putc(&f->text, ' ');
    uint64_t n = f->text.n; /* as little-endian machines have it, and all of ours are */
    return ok && str_ok(&f->text, f->st) &&
           ((fwrite(&n, sizeof n, 1, file) == 1 && fwrite(f->text.at, 1, f->text.n, file) == f->text.n) ||
            status_fail_errno(f->st, "cannot write the header")) &&
           put_tensors(f);
}

/* The weights come last, and appear whole: a folder that has them is complete. */
static bool write_weights(struct folder *f, const char *path) {
    struct str name = {0}, temporary = {0};
    str_printf(&name, "%s/model.safetensors", path);
    str_printf(&temporary, "%s.part", str_c(&name));
    bool ok = str_ok(&name, f->st) && str_ok(&temporary, f->st);
    if (ok) f->file = fopen(str_c(&temporary), "wb");
    if (ok && !f->file) ok = status_fail_errno(f->st, "cannot write '%.200s'", str_c(&temporary));
    ok = ok && put_weights(f);
    if (f->file && fclose(f->file) != 0 && ok)
        ok = status_fail_errno(f->st, "cannot write '%.200s'", str_c(&temporary));
    if (ok && rename(str_c(&temporary), str_c(&name)) != 0)
        ok = status_fail_errno(f->st, "cannot write '%.200s'", str_c(&name));
    if (!ok && f->file) unlink(str_c(&temporary));
    str_free(&name);
    str_free(&temporary);
    return ok;
}

bool randomdir_write(const char *path, const struct randommodel_shape *shape, const char *type,
                     struct status *st) {
    struct folder f = {.shape = shape, .type = type, .st = st};
    struct str config = {0}, name = {0};
    put_config(&config, shape, type);
    str_printf(&name, "%s/config.json", path);
    bool ok =
        (mkdir(path, 0777) == 0 || errno == EEXIST) || status_fail_errno(st, "cannot make '%.200s'", path);
    ok = ok && str_ok(&config, st) && str_ok(&name, st) &&
         file_replace(str_c(&name), config.at, config.n, st) && write_weights(&f, path);
    str_free(&config);
    str_free(&name);
    str_free(&f.text);
    return ok;
}
