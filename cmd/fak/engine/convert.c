/* fak convert: a Hugging Face checkpoint as one GGUF file. */
#include "base/checked.h"
#include "cmd/fak/engine/entries.h"
#include "engine/file/checkpoint.h"
#include "engine/file/ggufwrite.h"
#include "engine/token/tokenizer_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conversion {
    struct gguf *file;
    struct ggufwrite *w;
    enum dtype type; /* of matrices */
    bool as_stored;  /* matrices keep their type where GGUF has it */
    bool swap;       /* rows of q and k become neighbours, as ggml's converter has them */
    size_t n_heads, n_kv_heads;
    float *row;
    char *coded;
};

/* --- which type ----------------------------------------------------------------------------------------- */

/* What ggml's converter leaves in F32, whatever the matrices are. */
static bool stays_wide(const struct gguf_tensor *t) {
    static const char *const endings[] = {".bias", "ssm_conv1d.weight", "ffn_gate_inp.weight",
                                          "ffn_gate_inp_shexp.weight", "indexer.proj.weight"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (view_ends(t->name, endings[i])) return true;
    return t->n_dims < 2;
}

/* What GGUF has no type for becomes F16, which is what the formats' own kernels decode to; FP8 times its
 * scale has BF16's range. */
static enum dtype type_of(const struct conversion *c, const struct gguf_tensor *t) {
    if (stays_wide(t)) return DTYPE_F32;
    if (!c->as_stored) return c->type;
    switch (t->type) {
    case DTYPE_F32:
    case DTYPE_F16:
    case DTYPE_BF16:
    case DTYPE_MXFP4: return (enum dtype)t->type;
    case DTYPE_F8_E4M3:
    case DTYPE_F8_E5M2: return DTYPE_BF16;
    default: return DTYPE_F16;
    }
}

static bool read_type(struct conversion *c, const char *name, struct status *st) {
    static const struct {
        const char *name;
        enum dtype type;
    } rows[] = {{"f32", DTYPE_F32}, {"f16", DTYPE_F16}, {"bf16", DTYPE_BF16}};
    c->as_stored = !name || strcmp(name, "auto") == 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (name && strcmp(name, rows[i].name) == 0) {
            c->type = rows[i].type;
            return true;
        }
    return c->as_stored ||
           status_fail(st, STATUS_USAGE, "there is no type '%.40s' to convert to; use auto, f32, f16 or bf16",
                       name);
}

/* --- rows ----------------------------------------------------------------------------------------------- */

/* Round to nearest even. */
static uint16_t to_bf16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static void write_row(struct conversion *c, size_t n, enum dtype type) {
    uint16_t *halves = (uint16_t *)(void *)c->coded;
    if (type == DTYPE_F32) {
        ggufwrite_rows(c->w, c->row, n * sizeof *c->row);
        return;
    }
    for (size_t i = 0; i < n; i++)
        halves[i] = type == DTYPE_F16 ? dtype_f32_to_f16(c->row[i]) : to_bf16(c->row[i]);
    ggufwrite_rows(c->w, halves, n * sizeof *halves);
}

/* gpt-oss' blocks are ggml's but for the order: there elements 16 apart share a byte, here neighbours do. */
static void write_mxfp4(struct conversion *c, const struct layout *l, size_t row) {
    size_t stored = l->first + row * l->step, n = l->n_cols / 32;
    const uint8_t *codes = (const uint8_t *)l->data + stored * n * 16, *scales = l->mxfp4.scales + stored * n;
    for (size_t b = 0; b < n; b++, codes += 16) {
        uint8_t block[17] = {scales[b]};
        for (size_t j = 0; j < 32; j++) {
            unsigned code = (unsigned)codes[j / 2] >> 4 * (j % 2) & 15U;
            block[1 + j % 16] = (uint8_t)(block[1 + j % 16] | code << 4 * (j / 16));
        }
        ggufwrite_rows(c->w, block, sizeof block);
    }
}

/* Row r of a head of the GGUF, pair r / 2, is row r / 2 or half as far again. */
static size_t swapped(size_t row, size_t n_rows, size_t n_heads) {
    size_t size = n_rows / n_heads, at = row % size;
    return row - at + at / 2 + at % 2 * (size / 2);
}

/* The heads whose rows move, 0: none do. */
static size_t heads_of(const struct conversion *c, const struct gguf_tensor *t) {
    if (!c->swap) return 0;
    if (view_ends(t->name, ".attn_q.weight") || view_ends(t->name, ".attn_q.bias")) return c->n_heads;
    return view_ends(t->name, ".attn_k.weight") || view_ends(t->name, ".attn_k.bias") ? c->n_kv_heads : 0;
}

static bool write_matrix(struct conversion *c, const struct gguf_tensor *t, enum dtype type,
                         struct status *st) {
    size_t n_rows = (size_t)(t->dims[1] * t->dims[2] * t->dims[3]), heads = heads_of(c, t);
    for (size_t r = 0; r < n_rows; r++) {
        if (type == DTYPE_MXFP4) {
            write_mxfp4(c, &t->layout[r / t->dims[1]], (size_t)(r % t->dims[1]));
            continue;
        }
        if (!checkpoint_row(c->row, t, heads ? swapped(r, n_rows, heads) : r, st)) return false;
        write_row(c, (size_t)t->dims[0], type);
    }
    return true;
}

/* A bias: one row whose elements move as the rows of its matrix do. */
static bool write_vector(struct conversion *c, const struct gguf_tensor *t, struct status *st) {
    size_t n = (size_t)t->dims[0], heads = heads_of(c, t);
    float *to = (float *)(void *)c->coded;
    if (!checkpoint_row(c->row, t, 0, st)) return false;
    for (size_t i = 0; i < n; i++) to[i] = c->row[heads ? swapped(i, n, heads) : i];
    ggufwrite_rows(c->w, to, n * sizeof *to);
    return true;
}

/* --- the file ------------------------------------------------------------------------------------------- */

/* Pairs to rotate are neighbours in the GGUF of these, halves in the checkpoint. */
static bool swaps_pairs(const struct gguf *file, struct view arch) {
    return gguf_rope_halves(file) && (view_is(arch, "llama") || view_is(arch, "smollm3"));
}

static bool read_heads(struct conversion *c, struct view arch, struct status *st) {
    char key[96];
    uint64_t n, n_kv;
    snprintf(key, sizeof key, "%.*s.attention.head_count", (int)arch.n, arch.at);
    if (!gguf_u64_required(&n, c->file, key, 1 << 20, st)) return false;
    strcat(key, "_kv");
    if (!gguf_u64(&n_kv, c->file, key, 1 << 20, n, st)) return false;
    c->n_heads = (size_t)n;
    c->n_kv_heads = (size_t)n_kv;
    return true;
}

/* llama.cpp reads numbers of single precision, and nothing else. */
static void write_metadata(struct conversion *c, const char *name, enum dtype type) {
    for (size_t i = 0; i < gguf_n_values(c->file); i++) {
        struct gguf_value value = *gguf_value_at(c->file, i);
        if (value.type == GGUF_F64) value.type = GGUF_F32;
        if (!view_starts(value.key, "tokenizer.")) ggufwrite_value(c->w, &value);
    }
    ggufwrite_string(c->w, "general.name", view_of(name));
    ggufwrite_u32(c->w, "general.quantization_version", 2);
    ggufwrite_u32(c->w, "general.file_type", type == DTYPE_F32 ? 0 : type == DTYPE_F16 ? 1 : 32);
}

static bool check_tensor(const struct conversion *c, const struct gguf_tensor *t, struct status *st) {
    size_t heads = heads_of(c, t), n = t->n_dims < 2 ? (size_t)t->dims[0] : (size_t)t->dims[1];
    char shown[VIEW_SHOWN];
    return !heads || n % (2 * heads) == 0 ||
           status_fail(st, STATUS_BAD_INPUT, "%.120s: tensor '%s' does not divide among %zu heads",
                       gguf_path(c->file), view_shown(shown, t->name), heads);
}

static bool announce(struct conversion *c, struct status *st) {
    size_t widest = 1, bytes;
    for (size_t i = 0; i < gguf_n_tensors(c->file); i++) {
        const struct gguf_tensor *t = gguf_tensor_at(c->file, i);
        if (!check_tensor(c, t, st)) return false;
        ggufwrite_tensor(c->w, t->name, t->n_dims, t->dims, type_of(c, t));
        widest = t->dims[0] > widest ? (size_t)t->dims[0] : widest;
    }
    if (checked_mul(&bytes, widest, sizeof(float))) {
        c->row = malloc(bytes);
        c->coded = malloc(bytes);
    }
    return (c->row && c->coded) ||
           status_fail(st, STATUS_NO_MEMORY, "out of memory for a row of %zu", widest);
}

static bool write_tensors(struct conversion *c, struct status *st) {
    for (size_t i = 0; i < gguf_n_tensors(c->file); i++) {
        const struct gguf_tensor *t = gguf_tensor_at(c->file, i);
        if (!(t->n_dims < 2 ? write_vector(c, t, st) : write_matrix(c, t, type_of(c, t), st))) return false;
    }
    return true;
}

/* Of a safetensors file, the tokenizer beside it. */
static bool write_tokenizer(struct conversion *c, const char *from, size_t n_vocab, struct status *st) {
    struct str folder = {0};
    const char *slash = strrchr(from, '/');
    bool file = view_ends(view_of(from), ".safetensors");
    if (!file) str_puts(&folder, from);
    else if (slash) str_add(&folder, from, (size_t)(slash - from) + (slash == from));
    else str_putc(&folder, '.');
    bool ok = str_ok(&folder, st) && tokenizer_write(c->w, str_c(&folder), n_vocab, st);
    str_free(&folder);
    return ok;
}

static bool write_all(struct conversion *c, const char *dir, bool tokenizer, struct status *st) {
    const char *slash = strrchr(dir, '/');
    struct view arch;
    if (!gguf_runnable(c->file, st) || !gguf_string(&arch, c->file, "general.architecture", "", st))
        return false;
    const struct gguf_tensor *table = gguf_find_tensor(c->file, "token_embd.weight");
    if (!arch.n || !table)
        return status_fail(
            st, STATUS_UNSUPPORTED,
            "%.120s: this is no language model whose names GGUF knows, so it cannot be converted", dir);
    c->swap = swaps_pairs(c->file, arch);
    if (c->swap && !read_heads(c, arch, st)) return false;
    write_metadata(c, slash && slash[1] ? slash + 1 : dir, type_of(c, table));
    return (!tokenizer || write_tokenizer(c, dir, (size_t)table->dims[1], st)) && announce(c, st) &&
           write_tensors(c, st);
}

static bool convert(struct cli *cli, const struct cli_args *args, struct status *st) {
    struct conversion c = {0};
    if (!cli_expect(args, 2, 2, st)) return false;
    const char *from = args->positional[0], *to = args->positional[1];
    if (!read_type(&c, cli_value(args, "--type"), st) || !checkpoint_open(&c.file, from, st)) return false;
    bool ok = gguf_is_foreign(c.file) ||
              status_fail(st, STATUS_USAGE, "'%.200s' is a GGUF file already; fak quantize changes its types",
                          from);
    ok = ok && ggufwrite_open(&c.w, to, st) && write_all(&c, from, !cli_given(args, "--no-tokenizer"), st);
    if (ok) ok = ggufwrite_end(c.w, st);
    else ggufwrite_abandon(c.w);
    if (ok) str_printf(&cli->out, "%s: %zu tensors\n", to, gguf_n_tensors(c.file));
    gguf_close(c.file);
    free(c.row);
    free(c.coded);
    return ok;
}

int fak_convert(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !convert(cli, &args, &st))
        return cli_fail(cli, &st);
    return cli_finish(cli, 0);
}
