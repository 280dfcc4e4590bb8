/* mixture: which type each tensor gets when a model is quantised, by its name, as llama.cpp's llama-quantize
 * has it (src/llama-quant.cpp): the tensors that hurt most get more bits.
 *
 * Owns nothing. Trusts nothing: a row that is no whole number of blocks gets a type that fits. Any thread.
 */
#ifndef ENGINE_FILE_MIXTURE_H
#define ENGINE_FILE_MIXTURE_H

#include "engine/file/gguf.h"

struct mixture {
    const char *name;   /* "Q4_K_M" */
    enum dtype usual;   /* of most matrices */
    uint32_t file_type; /* general.file_type */
    const char *summary;
};

/* By name, in any case; NULL: there is none. mixture_at lists them: NULL behind the last. */
const struct mixture *mixture_find(const char *name);
const struct mixture *mixture_at(size_t i);

/* What the choice depends on beside the tensor. */
struct mixture_model {
    uint64_t n_layers, n_experts;
    bool tied;       /* there is no output.weight: token_embd.weight is it */
    bool importance; /* an importance matrix is given */
};
bool mixture_model_read(struct mixture_model *out, const struct gguf *file,
                        struct status *st) STATUS_MUST_USE;

/* Vectors, norms, routers, and what is not a weight stay as they are. */
uint32_t mixture_type(const struct mixture *m, const struct mixture_model *model,
                      const struct gguf_tensor *tensor);

#endif
