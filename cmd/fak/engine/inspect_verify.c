/* fak inspect --verify: every check that loading makes, and every weight decoded once. */
#include "cmd/fak/engine/inspect.h"
#include "engine/file/checkpoint.h"

#include <math.h>
#include <stdlib.h>

/* Refuses the first element that is no finite number. */
static bool check_values(const struct gguf *file, const struct gguf_tensor *t, float *row,
                         struct status *st) {
    size_t n_rows = (size_t)(t->dims[1] * t->dims[2] * t->dims[3]), n = (size_t)t->dims[0];
    char shown[VIEW_SHOWN];
    for (size_t r = 0; r < n_rows; r++) {
        if (!checkpoint_row(row, t, r, st)) return false;
        for (size_t c = 0; c < n; c++)
            if (!isfinite(row[c]))
                return status_fail(
                    st, STATUS_BAD_INPUT,
                    "%.120s: tensor '%s' (at byte %zu): row %zu, column %zu is %g; the file is damaged or "
                    "was made from weights that overflowed",
                    gguf_tensor_path(file, t), view_shown(shown, t->name), t->offset, r, c, (double)row[c]);
    }
    return true;
}

static bool check_weights(const struct gguf *file, struct status *st) {
    size_t widest = 1;
    if (!gguf_runnable(file, st)) return false;
    for (size_t i = 0; i < gguf_n_tensors(file); i++) {
        size_t n = (size_t)gguf_tensor_at(file, i)->dims[0];
        widest = n > widest ? n : widest;
    }
    float *row = calloc(widest, sizeof *row);
    bool ok = row || status_fail(st, STATUS_NO_MEMORY, "out of memory for a row of %zu", widest);
    for (size_t i = 0; ok && i < gguf_n_tensors(file); i++)
        ok = check_values(file, gguf_tensor_at(file, i), row, st);
    free(row);
    return ok;
}

static void line(struct str *out, const struct term *term, bool ok, const char *what, const char *said) {
    str_puts(out, "  ");
    term_cell(out, term, ok ? TERM_GREEN : TERM_RED, 8, ok ? "ok" : "FAILED");
    term_fold(out, term, 10, ok ? what : said);
}

bool inspect_verify(struct str *out, const struct term *term, const struct inspect *in) {
    struct status weights;
    bool sound = check_weights(in->file, &weights);
    bool tokenizer = in->tokenizer != NULL;
    term_put(out, term, TERM_BOLD, gguf_path(in->file));
    str_putc(out, '\n');
    line(out, term, true, "container: every count, range and shape lies within the files", "");
    line(out, term, in->builds, "model: its metadata and every tensor's name, type and shape",
         in->builds_status.message);
    line(out, term, tokenizer, "tokenizer: vocabulary, merges and special tokens",
         in->tokenizer_status.message);
    line(out, term, sound, "weights: every element decodes to a finite number", weights.message);
    return in->builds && tokenizer && sound;
}
