/* inspect: a model file's header as text for people and as JSON. */
#ifndef CMD_FAK_ENGINE_INSPECT_H
#define CMD_FAK_ENGINE_INSPECT_H

#include "base/str.h"
#include "base/term.h"
#include "engine/file/gguf.h"
#include "engine/token/tokenizer.h"

enum { INSPECT_MAX_TYPES = 64 };

/* All tensors of one type together. */
struct inspect_type {
    uint32_t type;
    uint64_t n_tensors, n_elements, n_bytes;
};

struct inspect {
    const struct gguf *file;
    const struct tokenizer *tokenizer; /* NULL: tokenizer_status says why */
    struct status tokenizer_status;
    bool builds; /* the program; else builds_status says why not */
    struct status builds_status;
    bool runs; /* else runs_status says why not */
    struct status runs_status;
    struct inspect_type types[INSPECT_MAX_TYPES]; /* by size, largest first */
    size_t n_types;
    uint64_t n_elements, n_bytes;
};

/* Writes the dequantised tensor to the file `to` and says so. */
bool inspect_tensor(struct str *out, const struct gguf *file, const char *name, const char *to,
                    struct status *st) STATUS_MUST_USE;

/* One line a check of loading, each tried whatever the others say; true when all hold. */
bool inspect_verify(struct str *out, const struct term *term, const struct inspect *in);

double inspect_bits(const struct inspect *in); /* per weight, over all tensors */
void inspect_json(struct str *out, const struct inspect *in);
void inspect_text(struct str *out, const struct term *term, const struct inspect *in);

#endif
