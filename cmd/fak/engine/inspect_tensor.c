/* fak inspect --tensor NAME -o FILE: one weight, dequantised, as bare f32. */
#include "base/checked.h"
#include "base/file.h"
#include "cmd/fak/engine/inspect.h"
#include "engine/file/checkpoint.h"

#include <stdlib.h>

static bool decode(float *out, const struct gguf_tensor *t, size_t n_rows, struct status *st) {
    for (size_t row = 0; row < n_rows; row++)
        if (!checkpoint_row(out + row * (size_t)t->dims[0], t, row, st)) return false;
    return true;
}

bool inspect_tensor(struct str *out, const struct gguf *file, const char *name, const char *to,
                    struct status *st) {
    struct gguf_tensor t;
    if (!checkpoint_find(&t, file, name, st)) return false;
    size_t n_rows = (size_t)(t.dims[1] * t.dims[2] * t.dims[3]), n,
           bytes; /* the file holds them: no overflow */
    float *values = NULL;
    bool ok = checked_mul(&n, n_rows, (size_t)t.dims[0]) && checked_mul(&bytes, n, sizeof *values);
    if (ok) values = malloc(bytes ? bytes : 1);
    if (!values)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory for the %zu rows of '%s'", n_rows, name);
    ok = decode(values, &t, n_rows, st) && file_replace(to, values, bytes, st);
    free(values);
    if (!ok) return false;
    str_printf(out, "%s: %s, ", name, gguf_tensor_type_name(t.type));
    for (unsigned i = t.n_dims; i-- > 0;) str_printf(out, "[%llu]", (unsigned long long)t.dims[i]);
    str_printf(out, " as float32 in %s, %zu bytes\n", to, bytes);
    return true;
}
