/* hfmodel: a Hugging Face checkpoint in GGUF's terms. Only engine/file includes this.
 *
 * Owns:    what it makes lies in the arena of the struct gguf it fills; weights stay in the mapped files.
 * Trusts:  hfdir as far as it checked; of config.json nothing.
 * Threads: one checkpoint, one thread.
 *
 * Two tables say all there is to know: hfkeys.inc (members of config.json and GGUF's keys) and hfnames.inc
 * (tensors and GGUF's names, with what has to be done to them). A model family that is in neither is refused.
 */
#ifndef ENGINE_FILE_HFMODEL_H
#define ENGINE_FILE_HFMODEL_H

#include "engine/file/ggufread.h"
#include "engine/file/hfdir.h"

#include <stdarg.h>

enum { HFMODEL_NAME = 64 };

/* quantization_config: what is said of the whole model; the tensors say the rest. */
enum hfquant_method {
    HFQUANT_NONE,
    HFQUANT_GPTQ,
    HFQUANT_AWQ,
    HFQUANT_EXL2,
    HFQUANT_COMPRESSED,
    HFQUANT_FP8,
    HFQUANT_MXFP4,
};
struct hfquant {
    enum hfquant_method method;
    const struct jsonin *doc; /* where it stands, for messages */
    const json_t *object;     /* NULL: nowhere */
    const char *name;         /* of the method; NULL: none */
    unsigned bits;
    size_t group;                /* 0: one group of all inputs */
    bool zeros_minus_one;        /* GPTQ version 1 */
    bool dynamic;                /* GPTQ: modules may differ from bits and group */
    size_t tile_rows, tile_cols; /* FP8 in blocks; 0: not */
};

/* config.json as the adapter uses it. */
struct hfmodel {
    struct hfdir *dir;
    struct gguf *file;
    struct status *st;
    struct view family; /* model_type */
    const char *arch;   /* GGUF's general.architecture */
    json_t *text;       /* the object with the language model's members: the root, or its text_config */
    size_t n_values_room, n_tensors_room;
    /* members that transforms need */
    size_t hidden, layers, heads, kv_heads, head_dim, rotary, ffn, vocab;
    size_t nope, rope_dim, v_dim, kv_lora;             /* MLA */
    size_t key_heads, value_heads, key_dim, value_dim; /* gated delta net */
    size_t experts;
    bool tied;
    struct hfquant quant;
};

/* Fills *file (path is set) from *dir, which it takes over whatever happens. */
/* A family that is in no table is shown under its own names, and runs nowhere. */
bool hfmodel_fill(struct gguf *file, struct hfdir *dir, struct status *st) STATUS_MUST_USE;

/* --- parts (hfconfig.c, hftensors.c) ---------------------------------------------------------------------
 */

/* A list of names divided by blanks holds this one; "*" holds all. */
bool hfmodel_in(struct view name, const char *list);

/* Sets family, text and arch, which stays NULL for a family that no table has; then there is nothing to map.
 */
bool hfmodel_family(struct hfmodel *m) STATUS_MUST_USE;

/* Reads the members of config.json into *m and into metadata. */
bool hfmodel_config(struct hfmodel *m) STATUS_MUST_USE;

/* Renames, groups and transforms the tensors. */
bool hfmodel_tensors(struct hfmodel *m) STATUS_MUST_USE;

/* The weight of a stored module or tensor, as it is before any renaming, with its layout in the arena. */
bool hfmodel_stored(struct gguf_tensor *out, struct hfmodel *m, const char *name) STATUS_MUST_USE;

/* Metadata by key suffix: "block_count" becomes "ARCH.block_count"; one with "general." or "tokenizer."
 * before it stays. `from` is the member of config.json it comes from, for offsets in messages. */
struct gguf_value *hfmodel_value(struct hfmodel *m, enum gguf_type type, const char *key, const char *from);
bool hfmodel_u32(struct hfmodel *m, const char *key, const char *from, size_t value);
bool hfmodel_f64(struct hfmodel *m, const char *key, const char *from, double value);
bool hfmodel_bool(struct hfmodel *m, const char *key, const char *from, bool value);
bool hfmodel_text(struct hfmodel *m, const char *key, const char *from, struct view value);
/* n items of one byte (bool) or four (u32), copied. */
bool hfmodel_array(struct hfmodel *m, const char *key, const char *from, enum gguf_type type, size_t n,
                   const void *items);

/* A new tensor of this GGUF name, with shape and contents to be set; NULL and a status without room. `of`, a
 * tensor or module of the file, is what messages call it. */
struct gguf_tensor *hfmodel_tensor(struct hfmodel *m, const char *name, struct view of);

/* An F32 copy of the elements of a small tensor: NULL and a status when its type is no float. */
float *hfmodel_floats(struct hfmodel *m, const struct safetensors_tensor *t);

/* As one vector of F32. */
bool hfmodel_vector(struct hfmodel *m, const char *name, struct view of, size_t n, const float *values);

/* "FILE: byte N: ...", about a member of config.json. */
bool hfmodel_refuse(struct hfmodel *m, enum status_code code, const char *member, const char *format, ...)
    STATUS_PRINTF(4, 5);
/* "FILE: byte N, tensor 'x' ...", about a tensor. */
bool hfmodel_refuse_tensor(struct hfmodel *m, enum status_code code, const struct safetensors_tensor *t,
                           const char *format, ...) STATUS_PRINTF(4, 5);

/* --- matrices (hfquant.c) --------------------------------------------------------------------------------
 */

/* The tensors of a module: NAME.weight, NAME.qweight, NAME.scales ... */
struct hfmodule {
    struct view name;
    const struct safetensors_tensor *const *parts; /* by name */
    size_t n_parts;
};

/* A matrix where it lies: rows one behind the other from `data`, or as `layout` says. */
struct hfmatrix {
    struct view of;
    uint32_t type; /* of dtype.h */
    size_t n_rows, n_cols, offset, bytes;
    const void *data;
    bool has_layout;
    struct layout layout;
};

/* The part of this ending ("weight"), or NULL. */
const struct safetensors_tensor *hfmodel_part(const struct hfmodule *module, const char *ending);

/* The weight of a module, whatever its format; checks every part of a quantised one. */
bool hfquant_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module);

/* A matrix of plain numbers: elements [n_rows][n_cols] of t from `skip` on. */
bool hfquant_plain(struct hfmatrix *out, struct hfmodel *m, const struct safetensors_tensor *t, size_t skip,
                   size_t n_rows, size_t n_cols);

/* The same matrix with a layout, which may then be changed. */
void hfquant_lay(struct hfmatrix *matrix);

/* What quantization_config says, before any tensor is looked at. */
bool hfquant_config(struct hfmodel *m);

/* "FILE: byte N: ...", about a member of quantization_config. */
bool hfquant_refuse(struct hfmodel *m, enum status_code code, const char *member, const char *format, ...)
    STATUS_PRINTF(4, 5);

/* Formats of one module; each checks every part and refuses by the part's name. `part` is the one it is known
 * by.
 */
bool hfgptq_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module,
                   const struct safetensors_tensor *part);
bool hfawq_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module,
                  const struct safetensors_tensor *part);
bool hfexl2_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module,
                   const struct safetensors_tensor *part);
bool hfpacked_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module,
                     const struct safetensors_tensor *part);
bool hffp8_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module,
                  const struct safetensors_tensor *part);

/* The experts of a tensor NAME_blocks with NAME_scales: [experts] matrices in the arena, NULL and a status.
 */
struct hfmatrix *hfmxfp4_experts(struct hfmodel *m, const struct safetensors_tensor *blocks);

/* --- for the formats -------------------------------------------------------------------------------------
 */

/* The sizes that config.json gives a module; 0 where it says nothing. */
struct hfsizes {
    size_t out, in;
};
struct hfsizes hfquant_sizes(const struct hfmodel *m, struct view module);

/* A part that has to be there, of one of the types (a list of names: "F16 BF16 F32"). */
bool hfquant_part(const struct safetensors_tensor **out, struct hfmodel *m, const struct hfmodule *module,
                  const char *ending, const char *types);

/* Is the part [n_rows][n_cols]? Refuses with `why`: "bits 4 of quantization_config". */
bool hfquant_shape(struct hfmodel *m, const struct safetensors_tensor *t, size_t n_rows, size_t n_cols,
                   const char *why);

/* The int32 map of columns to groups, NULL where it is not needed (absent, or all zero: sequential). */
bool hfquant_map(const void **out, struct hfmodel *m, const struct hfmodule *module, const char *ending,
                 size_t n, size_t n_groups);

/* Bytes of all parts but the bias. */
size_t hfquant_bytes(const struct hfmodule *module);

#endif
