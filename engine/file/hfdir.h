/* hfdir: the files of a Hugging Face checkpoint, checked, before anything is made of them. Only engine/file
 * includes this.
 *
 * Owns:    the mapped safetensors files, the parsed JSON, an arena.
 * Trusts:  nothing. model.safetensors.index.json is an allow-list: a tensor counts only in the file that the
 *          index names, and a name that leaves the directory is refused.
 * Threads: constant after open.
 */
#ifndef ENGINE_FILE_HFDIR_H
#define ENGINE_FILE_HFDIR_H

#include "base/arena.h"
#include "base/json/jsonin.h"
#include "engine/file/safetensors.h"

/* A JSON file of the directory; root is NULL when it is not there. */
struct hfdir_json {
    struct str path, text;
    struct jsonin doc;
};

struct hfdir {
    char *path;   /* as it was named */
    char *folder; /* where config.json is looked for */
    struct arena arena;
    struct hfdir_json config;     /* config.json */
    struct hfdir_json generation; /* generation_config.json */
    struct hfdir_json quantize;   /* quantize_config.json of old GPTQ models */
    struct safetensors **shards;
    size_t n_shards;
    const struct safetensors_tensor **tensors; /* by name */
    size_t n_tensors;
};

/* A directory with config.json and *.safetensors, or one safetensors file with the JSON beside it. */
bool hfdir_open(struct hfdir **out, const char *path, struct status *st) STATUS_MUST_USE;
void hfdir_close(struct hfdir *dir); /* NULL is fine */

/* The same from bytes that must outlive *out: config.json, the index (n 0: none) and the one safetensors
 * file, which the index calls "model.safetensors". */
bool hfdir_parse(struct hfdir **out, const char *name, struct view config, struct view index,
                 struct view weights, struct status *st) STATUS_MUST_USE;

bool hfdir_is_directory(const char *path);

const struct safetensors_tensor *hfdir_find(const struct hfdir *dir, const char *name); /* NULL: none */

/* The allow-list of an index: keeps of dir->tensors (all that the shards hold) those it names. */
bool hfdir_apply_index(struct hfdir *dir, const struct jsonin *index, struct status *st) STATUS_MUST_USE;

#endif
