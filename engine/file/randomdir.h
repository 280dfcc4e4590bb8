/* randomdir: Hugging Face directories with random GPTQ, AWQ or EXL2 weights, beside randommodel's GGUF files.
 *
 * Owns:    nothing but memory for a while.
 * Trusts:  nothing.
 * Threads: any.
 *
 * The formats are those of GPTQModel, AutoAWQ (gemm) and ExLlamaV2: four bits, groups of 128. Embeddings,
 * which are the output matrix too, are F16. There is no tokenizer.
 */
#ifndef ENGINE_FILE_RANDOMDIR_H
#define ENGINE_FILE_RANDOMDIR_H

#include "engine/file/randommodel.h"

/* "GPTQ", "AWQ", "EXL2", in any case; NULL: none of them. _type_at lists them. */
const char *randomdir_type(const char *name);
const char *randomdir_type_at(size_t i);

/* Writes `path`, a folder that is made where it is not, as config.json and model.safetensors. */
bool randomdir_write(const char *path, const struct randommodel_shape *shape, const char *type,
                     struct status *st) STATUS_MUST_USE;

#endif
