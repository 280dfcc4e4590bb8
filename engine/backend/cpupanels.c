/* The CPU backend's weights from, and into, a cache of panels. */
#include "engine/backend/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct checking {
    const struct backend *b;
    char *rooms; /* of each thread, for one panel */
    size_t room_bytes;
    atomic_size_t next_weight, next_piece, bad_weight, bad_piece; /* SIZE_MAX: none */
};

/* What the panels were made from and how they lie. */
static bool key_of(struct str *key, const struct backend *b, struct view identity, struct status *st) {
    str_add(key, identity.at, identity.n);
    str_printf(key, "\n%s %s\n", b->lane, b->clone);
    for (const struct relaid *r = b->relaid; r < b->relaid + b->n_relaid; r++) {
        const struct weight *w = &b->program->weights[r->weight];
        str_printf(key, "%s %d %zu %zu: %zu panels of %zu at %zu\n", w->name, (int)w->type, w->n_rows,
                   w->n_cols, r->n_panels, r->panel_bytes, r->at);
    }
    return str_ok(key, st);
}

/* One panel of each weight is made anew and compared: another layout, which no version number has to tell, or
 * other weights under the same name, size and time show there. */
static bool has_sample(const struct checking *c, const struct relaid *r, char *room, char *copies) {
    size_t panel = (size_t)(r - c->b->relaid) * 7919 % r->n_panels;
    memset(room, 0, r->panel_bytes);
    cpu_make_panels(c->b, room, r, panel, panel + 1, copies);
    cpu_let_go(c->b, r); /* what reading ahead brought */
    return memcmp(room, c->b->panelcache.data + r->at + panel * r->panel_bytes, r->panel_bytes) == 0;
}

static void check_cache(void *arg, size_t thread, size_t n_threads) {
    struct checking *c = arg;
    size_t i, bad, n_pieces = panelcache_pieces(c->b->panelcache.n);
    char *room = c->rooms + thread * c->room_bytes;
    (void)n_threads;
    while ((i = atomic_fetch_add(&c->next_weight, 1)) < c->b->n_relaid)
        if (!has_sample(c, &c->b->relaid[i], room, c->b->scratch + thread * c->b->scratch_bytes))
            atomic_store(&c->bad_weight, i);
    while ((i = atomic_fetch_add(&c->next_piece, 1)) < n_pieces)
        if (!panelcache_sound(&c->b->panelcache, i, i + 1, &bad)) atomic_store(&c->bad_piece, bad);
}

static bool is_sound(struct backend *b, struct status *st) {
    struct checking c = {.b = b, .bad_weight = SIZE_MAX, .bad_piece = SIZE_MAX};
    for (const struct relaid *r = b->relaid; r < b->relaid + b->n_relaid; r++)
        if (r->panel_bytes > c.room_bytes) c.room_bytes = r->panel_bytes;
    c.room_bytes = (c.room_bytes + 63) / 64 * 64;
    c.rooms = aligned_alloc(64, pool_threads(b->pool) * c.room_bytes);
    if (!c.rooms) return status_fail(st, STATUS_NO_MEMORY, "no memory for a panel");
    pool_run(b->pool, check_cache, &c);
    free(c.rooms);
    if (c.bad_weight != SIZE_MAX)
        return status_fail(st, STATUS_BAD_INPUT,
                           "'%.200s' has other panels of %.64s than this build makes of it",
                           b->panelcache.path, b->program->weights[b->relaid[c.bad_weight].weight].name);
    if (c.bad_piece != SIZE_MAX)
        return status_fail(st, STATUS_BAD_INPUT,
                           "'%.200s' is damaged between bytes %zu and %zu of its panels", b->panelcache.path,
                           c.bad_piece * PANELCACHE_PIECE, (c.bad_piece + 1) * PANELCACHE_PIECE);
    return true;
}

bool cpu_read_panels(struct backend *b, size_t bytes, const struct backend_options *options) {
    struct status st = {0};
    struct str key = {0};
    bool ok =
        key_of(&key, b, options->cache_key, &st) &&
        panelcache_open(&b->panelcache, options->cache_path, (struct view){key.at, key.n}, bytes, &st) &&
        is_sound(b, &st);
    if (!ok) panelcache_close(&b->panelcache);
    if (!ok && st.code != STATUS_NOT_FOUND)
        snprintf(b->note, sizeof b->note, "%s; it is made again", st.message);
    str_free(&key);
    return ok;
}

void cpu_write_panels(struct backend *b, const struct backend_options *options) {
    struct status st = {0};
    struct str key = {0};
    bool ok =
        key_of(&key, b, options->cache_key, &st) &&
        panelcache_write(options->cache_path, (struct view){key.at, key.n}, b->weights.at, b->weights.n, &st);
    if (!ok) snprintf(b->note, sizeof b->note, "no cache of panels: %s", st.message);
    str_free(&key);
}
