#include "engine/token/jinja.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 1200, MIN_SLOTS = 64 };

struct jinja_names {
    const struct text **slots;
    size_t n, n_slots; /* a power of two */
};

bool jinja_fail(struct jinja *j, enum template_kind kind, const char *format, ...) {
    va_list args;
    va_start(args, format);
    j->fault->kind = kind;
    j->fault->line = j->line;
    vsnprintf(j->fault->message, sizeof j->fault->message, format, args);
    va_end(args);
    return false;
}

void *jinja_alloc(struct jinja *j, size_t n, size_t size) {
    if (size && n > TEMPLATE_MEMORY / size) n = TEMPLATE_MEMORY;
    else if (j->arena->total + n * size <= TEMPLATE_MEMORY) {
        void *at = arena_alloc(j->arena, n, size, NULL);
        if (at) return at;
    }
    jinja_fail(j, TEMPLATE_LIMIT, "the template needs more than %d MiB of memory", TEMPLATE_MEMORY >> 20);
    return NULL;
}

bool jinja_grow(struct jinja *j, void **items, size_t n, size_t *room, size_t size) {
    if (n < *room) return true;
    size_t more = *room ? 2 * *room : 8;
    void *bigger = jinja_alloc(j, more, size);
    if (!bigger) return false;
    if (n) memcpy(bigger, *items, n * size);
    *items = bigger;
    *room = more;
    return true;
}

bool jinja_work(struct jinja *j, size_t n) {
    size_t steps = 1 + n / 64;
    if (steps > TEMPLATE_STEPS || j->steps + (long)steps > TEMPLATE_STEPS)
        return jinja_fail(j, TEMPLATE_LIMIT, "the template runs for more than %d steps", TEMPLATE_STEPS);
    j->steps += (long)steps;
    return true;
}

bool jinja_enter(struct jinja *j) {
    if (j->depth >= MAX_DEPTH)
        return jinja_fail(j, TEMPLATE_RECURSION, "more than %d levels of nesting and recursion", MAX_DEPTH);
    j->depth++;
    return jinja_work(j, 0) || (j->depth--, false);
}

static size_t hash_of(struct view name) {
    uint64_t h = 14695981039346656037U; /* FNV-1a */
    for (size_t i = 0; i < name.n; i++) h = (h ^ (unsigned char)name.at[i]) * 1099511628211U;
    return (size_t)(h ^ h >> 32);
}

static size_t slot_of(const struct jinja_names *names, struct view name) {
    size_t mask = names->n_slots - 1, at = hash_of(name) & mask;
    while (names->slots[at] && !view_equal((struct view){names->slots[at]->at, names->slots[at]->n}, name))
        at = (at + 1) & mask;
    return at;
}

static bool names_fill(struct jinja *j, const struct jinja_names *old) {
    struct jinja_names *names = jinja_alloc(j, 1, sizeof *names);
    if (!names) return false;
    names->n_slots = old ? 2 * old->n_slots : MIN_SLOTS;
    names->slots = jinja_alloc(j, names->n_slots, sizeof *names->slots);
    if (!names->slots) return false;
    for (size_t i = 0; old && i < old->n_slots; i++) {
        if (!old->slots[i]) continue;
        names->slots[slot_of(names, (struct view){old->slots[i]->at, old->slots[i]->n})] = old->slots[i];
        names->n++;
    }
    j->names = names;
    return true;
}

bool jinja_names_copy(struct jinja *j, const struct jinja_names *names) { return names_fill(j, names); }

const struct text *jinja_intern(struct jinja *j, struct view name) {
    if ((!j->names || 2 * j->names->n >= j->names->n_slots) && !names_fill(j, j->names)) return NULL;
    size_t slot = slot_of(j->names, name);
    if (j->names->slots[slot]) return j->names->slots[slot];
    struct text *text = jinja_alloc(j, 1, sizeof *text);
    char *copy = jinja_alloc(j, name.n + 1, 1);
    if (!text || !copy) return NULL;
    if (name.n) memcpy(copy, name.at, name.n);
    *text = (struct text){.at = copy, .n = name.n};
    j->names->n++;
    return j->names->slots[slot] = text;
}
