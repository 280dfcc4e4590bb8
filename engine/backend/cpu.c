/* The CPU backend: memory and opening (cpu.h: the rest). */
#include "engine/backend/cpu.h"

#include "base/checked.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

/* Memory is planned by walking the program twice: once to count, once to place. */
struct room {
    char *base; /* NULL while counting */
    size_t used;
    bool too_large;
};

/* --- memory ----------------------------------------------------------------------------------------- */

static void *place(struct room *room, size_t n, size_t size) {
    size_t bytes, end;
    if (!checked_mul(&bytes, n, size) || !checked_add(&end, room->used, bytes) || end > SIZE_MAX - ALIGN) {
        room->too_large = true;
        return NULL;
    }
    void *at = room->base ? room->base + room->used : NULL;
    room->used = (end + ALIGN - 1) / ALIGN * ALIGN;
    return at;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Of buffers, and of inputs whose columns are filled up to whole blocks. */
static size_t widest_row(const struct backend *b) {
    const struct program *p = b->program;
    size_t width = 1;
    for (int i = 0; i < p->n_buffers; i++) width = larger(width, p->widths[i]);
    for (const struct relaid *r = b->relaid; r < b->relaid + b->n_relaid; r++)
        width = larger(width, cpu_laid_width(&b->laid[r->weight], &p->weights[r->weight], r->matrix));
    return width;
}

/* Orders of columns that a step's input may be quantised in at most. */
static int n_orders(const struct backend *b) {
    int most = 1;
    for (const struct step *s = b->program->steps; s < b->program->steps + b->program->n_steps; s++) {
        int n = 0;
        for (int i = 0; s->op == OP_linear && i < s->n; i++) n += b->laid[s->weight[i]].codes != NULL;
        most = n + 1 > most ? n + 1 : most;
    }
    return most < PROGRAM_MAX_OPERANDS ? most : PROGRAM_MAX_OPERANDS;
}

/* The hungriest attention or delta net decides. */
static size_t scratch_of(const struct program *p, size_t width) {
    size_t most = kernel_scratch(width, 1);
    for (const struct step *s = p->steps; s < p->steps + p->n_steps; s++) {
        if (s->op == OP_delta_net) {
            size_t keys = (p->widths[s->in[0]] - p->widths[s->out[0]]) / 2;
            most = larger(most, kernel_scratch(width, keys / s->heads[0]));
        }
        if (s->op != OP_attention && s->op != OP_dsa_attention && s->op != OP_dsa_select) continue;
        const struct program_cache *cache = &p->caches[s->cache];
        most = larger(most, kernel_scratch(width, larger(cache->key_dim, cache->value_dim)));
    }
    return most;
}

static void place_buffers(struct backend *b, struct room *room) {
    const struct program *p = b->program;
    size_t at[PROGRAM_MAX_BUFFERS], stride = cpu_place_buffers(p, at);
    float *rows = place(room, b->max_batch, stride * sizeof *rows);
    for (int i = 0; i < p->n_buffers && b->buffers; i++)
        b->buffers[i] = i == p->logits ? (struct rows){NULL, p->widths[i], p->widths[i]}
                                       : (struct rows){rows + at[i], p->widths[i], stride};
}

static void place_all(struct backend *b, struct room *room) {
    const struct program *p = b->program;
    size_t width = widest_row(b);
    b->stages = place(room, CPU_STAGES_A_STEP * (size_t)p->n_steps, sizeof *b->stages);
    b->jobs = place(room, CPU_JOBS_A_STEP * (size_t)p->n_steps, sizeof *b->jobs);
    b->buffers = place(room, (size_t)p->n_buffers, sizeof *b->buffers);
    b->buffer_is_wanted = place(room, (size_t)p->n_buffers, sizeof *b->buffer_is_wanted);
    b->wanted = place(room, b->max_batch, sizeof *b->wanted);
    b->scratch_bytes = (scratch_of(p, width) + ALIGN - 1) / ALIGN * ALIGN;
    b->scratch = place(room, pool_threads(b->pool), b->scratch_bytes);
    place_buffers(b, room);
    for (int i = 0; i < n_orders(b); i++) {
        struct quantized *q = &b->quantized[i];
        q->q = place(room, b->max_batch, width * (size_t)q->bits / 8);
        q->sums = place(room, b->max_batch, (width / QUANT_BLOCK + 1) * 2 * sizeof(int32_t));
        q->scale = place(room, b->max_batch, (width / QUANT_BLOCK + 1) * sizeof(float));
        q->scaled_sum = place(room, b->max_batch, (width / QUANT_BLOCK + 1) * sizeof(float));
    }
}

static bool plan_memory(struct backend *b, struct status *st) {
    struct room room = {0};
    place_all(b, &room);
    if (room.too_large)
        return status_fail(st, STATUS_NO_MEMORY, "a batch of %zu tokens overflows an address", b->max_batch);
    if (!region_open(&b->memory, room.used, true, "activations", st)) return false;
    room = (struct room){.base = b->memory.at};
    place_all(b, &room);
    return true;
}

size_t cpu_cache_bytes(const struct backend *b, const struct program_cache *c) {
    return c->n_heads * (kv_key_bytes(b->kv, c->key_dim) + kv_value_bytes(b->kv, c->value_dim));
}

/* Page by page, all layers of a page together, so that memory is touched as the context grows. */
static bool plan_pages(struct backend *b, struct status *st) {
    const struct program *p = b->program;
    size_t bytes;
    for (int i = 0; i < p->n_caches; i++) b->page_stride += cpu_cache_bytes(b, &p->caches[i]);
    if (!checked_mul(&bytes, b->page_stride, b->n_pages))
        return status_fail(st, STATUS_NO_MEMORY,
                           "%zu pages of keys and values overflow an address; ask for less context",
                           b->n_pages);
    for (int i = 0; i < p->n_states; i++) b->state_stride += p->states[i];
    return region_open(&b->pages, bytes, false, "keys and values (less with a smaller context)", st);
}

/* --- opening --- */

static bool choose_lane(struct backend *b, const char *isa, struct status *st) {
    bool exists, ref = strcmp(isa, "ref") == 0;
    char here[64];
    b->lane = ref ? "ref" : "exact";
    b->clone = ref ? "" : kernel_choose_clone(isa, &exists);
    if (b->clone) return true;
    if (exists)
        return status_fail(st, STATUS_UNSUPPORTED, "this CPU cannot run lane '%s'; it has ref, %s", isa,
                           kernel_isas_here(here, sizeof here));
    return status_fail(st, STATUS_USAGE, "there is no lane '%s'; use auto, ref, %s", isa,
                       kernel_isas_here(here, sizeof here));
}

static bool check_activations(const struct backend *b, struct status *st) {
    int bits = b->quantized[0].bits;
    if (bits != 16 && bits != 8)
        return status_fail(st, STATUS_USAGE, "activations have 16 bits or 8, not %d", bits);
    return bits == 16 || strcmp(b->lane, "ref") != 0 ||
           status_fail(st, STATUS_USAGE,
                       "lane ref multiplies numbers as they are; 8-bit activations are for others");
}

static void describe(char out[BACKEND_DESCRIBED], const char *lane, const char *clone, int bits,
                     enum kv_type kv, size_t threads, bool pinned) {
    if (strcmp(lane, "ref") != 0) lane = kernel_clone_text(clone);
    int used =
        snprintf(out, BACKEND_DESCRIBED, "%s%s, %zu thread%s%s", lane, bits == 8 ? ", 8-bit activations" : "",
                 threads, threads == 1 ? "" : "s", pinned ? ", pinned" : "");
    if (kv != KV_F32)
        snprintf(out + used, BACKEND_DESCRIBED - (size_t)used, ", keys and values in %s", kv_type_name(kv));
}

void backend_describe_default(char out[BACKEND_DESCRIBED]) {
    size_t threads = pool_cpus();
    describe(out, "exact", kernel_choose_clone("auto", NULL), 16, KV_F32, threads, pool_pins(threads));
}

bool backend_open_cpu(struct backend **out, const struct program *program,
                      const struct backend_options *options, struct status *st) {
    assert(program->n_buffers > 0 && options->max_batch > 0 && options->threads >= 0);
    *out = NULL;
    struct backend *b = calloc(1, sizeof *b);
    if (!b) return status_fail(st, STATUS_NO_MEMORY, "no memory for a backend");
    b->program = program;
    b->max_batch = options->max_batch;
    b->n_pages = options->n_pages;
    b->kv = options->kv;
    for (int i = 0; i < PROGRAM_MAX_OPERANDS; i++)
        b->quantized[i].bits = options->activations ? options->activations : 16;
    if (!choose_lane(b, options->isa ? options->isa : "auto", st)) goto out;
    if (!check_activations(b, st)) goto out;
    if (!pool_open(&b->pool, (size_t)options->threads, st)) goto out;
    bool pinned = !options->unpinned && pool_pin(b->pool);
    size_t bytes;
    if (!cpu_choose_relaid(b, &bytes, st) || !plan_memory(b, st) || !plan_pages(b, st)) goto out;
    if (!cpu_relay(b, bytes, options, st)) goto out;
    cpu_plan(b);
    describe(b->description, b->lane, b->clone, b->quantized[0].bits, b->kv, pool_threads(b->pool), pinned);
    *out = b;
out:
    if (!*out) backend_close(b);
    return *out != NULL;
}

/* Twice as many as before at least: sequences come one by one. */
bool backend_sequences(struct backend *b, size_t n, struct status *st) {
    struct region larger_one;
    size_t bytes;
    if (b->state_stride == 0 || n <= b->n_sequences) return true;
    if (n < 2 * b->n_sequences) n = 2 * b->n_sequences;
    if (!checked_mul(&bytes, b->state_stride * sizeof(float), n))
        return status_fail(st, STATUS_NO_MEMORY, "the states of %zu sequences overflow an address", n);
    if (!region_open(&larger_one, bytes, false, "the sequences' states", st)) return false;
    if (b->n_sequences) memcpy(larger_one.at, b->states.at, b->n_sequences * b->state_stride * sizeof(float));
    region_close(&b->states);
    b->states = larger_one;
    b->n_sequences = n;
    return true;
}

void backend_copy_page(struct backend *b, int32_t to, int32_t from) {
    char *pages = b->pages.at;
    assert(to >= 0 && (size_t)to < b->n_pages && from >= 0 && (size_t)from < b->n_pages && to != from);
    memcpy(pages + (size_t)to * b->page_stride, pages + (size_t)from * b->page_stride, b->page_stride);
}

void backend_close(struct backend *b) {
    if (!b) return;
    pool_close(b->pool);
    region_close(&b->memory);
    region_close(&b->weights);
    panelcache_close(&b->panelcache);
    region_close(&b->pages);
    region_close(&b->states);
    arena_release(&b->arena);
    free(b);
}

const char *backend_describe(const struct backend *b) { return b->description; }
const char *backend_note(const struct backend *b) { return b->note; }
