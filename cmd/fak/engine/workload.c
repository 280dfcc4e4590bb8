#include "cmd/fak/engine/workload.h"

#include "engine/model/hparams.h"

static bool is_output(const struct gguf *file, const struct gguf_tensor *t) {
    bool tied = !gguf_find_tensor(file, "output.weight");
    return view_is(t->name, tied ? "token_embd.weight" : "output.weight");
}

/* Is it looked up by row, and no factor of a product? */
static bool is_table(const struct gguf *file, const struct gguf_tensor *t) {
    return view_is(t->name, "token_embd.weight") && !is_output(file, t);
}

static bool is_float(uint32_t type) { return type == DTYPE_F32 || type == DTYPE_F16 || type == DTYPE_BF16; }

bool workload_of(struct workload *out, const struct gguf *file, const char *kv, struct status *st) {
    struct hparams h;
    enum kv_type type;
    double integers = 0;
    *out = (struct workload){0};
    if (!hparams_read(&h, file, st) || !kv_type_find(&type, kv)) return false;
    for (size_t i = 0; i < gguf_n_tensors(file); i++) {
        const struct gguf_tensor *t = gguf_tensor_at(file, i);
        size_t n = (size_t)(t->dims[0] * t->dims[1] * t->dims[2] * t->dims[3]);
        bool experts = h.experts.n && t->dims[2] == h.experts.n;
        double used = experts ? (double)h.experts.n_used / (double)h.experts.n : 1;
        out->bytes += t->bytes;
        out->n_params += n;
        if (is_table(file, t)) continue;
        out->read += used * (double)t->bytes;
        if (t->n_dims < 2 || is_output(file, t)) continue;
        out->prompt_ops += used * 2 * (double)n;
        if (!is_float(t->type)) integers += used * 2 * (double)n;
    }
    out->kv_read = (double)hparams_kv_bytes(&h, type);
    out->integers = integers > out->prompt_ops / 2;
    return true;
}
