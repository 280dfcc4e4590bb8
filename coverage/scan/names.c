#include "coverage/scan/names.h"

#include <stdint.h>
#include <stdlib.h>

/* FNV-1a, 64 bits. */
static size_t hash(struct view name) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < name.n; i++) h = (h ^ (unsigned char)name.at[i]) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

static struct names_slot *slot_of(struct names_slot *slots, size_t room, struct view name) {
    size_t i = hash(name) & (room - 1);
    while (slots[i].name.n && !view_equal(slots[i].name, name)) i = (i + 1) & (room - 1);
    return &slots[i];
}

static bool grow(struct names *names, struct status *st) {
    size_t room = names->room ? names->room * 2 : 64;
    struct names_slot *slots = calloc(room, sizeof *slots);
    if (!slots) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu names", room);
    for (size_t i = 0; i < names->room; i++)
        if (names->slots[i].name.n) *slot_of(slots, room, names->slots[i].name) = names->slots[i];
    free(names->slots);
    names->slots = slots;
    names->room = room;
    return true;
}

bool names_put(struct names *names, struct view name, int value, struct status *st) {
    if (name.n == 0) return true;
    if (names->n * 2 >= names->room && !grow(names, st)) return false;
    struct names_slot *slot = slot_of(names->slots, names->room, name);
    names->n += slot->name.n == 0;
    *slot = (struct names_slot){name, value};
    return true;
}

int names_get(const struct names *names, struct view name) {
    if (names->room == 0 || name.n == 0) return -1;
    const struct names_slot *slot = slot_of(names->slots, names->room, name);
    return slot->name.n ? slot->value : -1;
}

void names_free(struct names *names) {
    free(names->slots);
    *names = (struct names){0};
}
