#include "engine/session/batcher.h"

#include <stdlib.h>

bool batcher_init(struct batcher *b, struct backend *backend, const struct pagetable *table, size_t max,
                  size_t n_vocab, struct status *st) {
    *b = (struct batcher){.backend = backend, .table = table, .max = max, .n_vocab = n_vocab};
    b->ids = calloc(max, sizeof *b->ids);
    b->positions = calloc(max, sizeof *b->positions);
    b->sequences = calloc(max, sizeof *b->sequences);
    b->wants_logits = calloc(max, sizeof *b->wants_logits);
    b->extended = calloc(max, sizeof *b->extended);
    if (b->ids && b->positions && b->sequences && b->wants_logits && b->extended) return true;
    batcher_release(b);
    return status_fail(st, STATUS_NO_MEMORY, "no memory for batches of %zu tokens", max);
}

void batcher_release(struct batcher *b) {
    free(b->ids);
    free(b->positions);
    free(b->sequences);
    free(b->wants_logits);
    free(b->extended);
    *b = (struct batcher){0};
}

void batcher_begin(struct batcher *b, float *logits) {
    b->n = b->n_logits = b->n_ran = 0;
    b->logits = logits;
    b->stopped = false;
}

void batcher_end(struct batcher *b) {
    if (b->n == 0) return;
    if (!b->stopped && b->stop) b->stopped = b->stop(b->stop_arg);
    if (b->stopped) {
        b->n = b->n_logits = 0;
        return;
    }
    const struct batch batch = {
        .n = b->n,
        .ids = b->ids,
        .positions = b->positions,
        .sequences = b->sequences,
        .wants_logits = b->wants_logits,
        .pages = b->table->pages,
        .n_sequences = b->table->n_sequences,
        .pages_per_sequence = b->table->pages_per_sequence,
        .extended = b->extended,
    };
    backend_run(b->backend, &batch, b->logits);
    if (b->logits) b->logits += b->n_logits * b->n_vocab;
    b->n_ran += b->n;
    b->n = b->n_logits = 0;
}

void batcher_put(struct batcher *b, int32_t sequence, size_t position, int32_t id, bool wants_logits,
                 bool extended) {
    b->ids[b->n] = id;
    b->positions[b->n] = (int32_t)position;
    b->sequences[b->n] = sequence;
    b->wants_logits[b->n] = wants_logits;
    b->extended[b->n] = extended;
    b->n++;
    b->n_logits += wants_logits;
    if (b->n == b->max) batcher_end(b);
}
