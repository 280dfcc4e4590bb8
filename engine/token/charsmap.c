#include "engine/token/charsmap.h"

#include <string.h>

static uint32_t u32_at(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

bool charsmap_open(struct charsmap *map, struct view bytes, struct status *st) {
    const unsigned char *at = (const unsigned char *)bytes.at;
    size_t trie = bytes.n >= 4 ? u32_at(at) : 0;
    if (bytes.n < 4 || trie > bytes.n - 4 || trie % 4 != 0 || trie == 0)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "the precompiled charsmap has %zu bytes and says that %zu of them are its trie, which "
            "has to be a multiple of 4 that fits",
            bytes.n, trie);
    *map = (struct charsmap){at + 4, trie / 4, {bytes.at + 4 + trie, bytes.n - 4 - trie}};
    return true;
}

struct view charsmap_bytes(const struct charsmap *map) {
    return (struct view){(const char *)map->units - 4, 4 + 4 * map->n_units + map->replacements.n};
}

/* The parts of a unit of darts-clone's double array. */
static bool has_leaf(uint32_t unit) { return unit >> 8 & 1; }
static uint32_t value_of(uint32_t unit) { return unit & 0x7FFFFFFF; }
static uint32_t label_of(uint32_t unit) { return unit & 0x800000FF; }
static uint32_t offset_of(uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }

static bool replacement_at(struct view *out, const struct charsmap *map, uint32_t value) {
    if (value >= map->replacements.n) return false;
    const char *at = map->replacements.at + value;
    *out = (struct view){at, strnlen(at, map->replacements.n - value)};
    return true;
}

static size_t find(struct view *out, const struct charsmap *map, struct view text, bool shortest) {
    size_t found = 0, node = 0;
    node ^= offset_of(u32_at(map->units));
    for (size_t i = 0; i < text.n; i++) {
        unsigned char byte = (unsigned char)text.at[i];
        node ^= byte;
        if (byte == 0 || node >= map->n_units) break;
        uint32_t unit = u32_at(map->units + 4 * node);
        if (label_of(unit) != byte) break;
        node ^= offset_of(unit);
        if (!has_leaf(unit)) continue;
        if (node >= map->n_units) break;
        if (replacement_at(out, map, value_of(u32_at(map->units + 4 * node)))) found = i + 1;
        if (shortest && found) break;
    }
    return found;
}

size_t charsmap_longest(struct view *replacement, const struct charsmap *map, struct view text) {
    return find(replacement, map, text, false);
}

size_t charsmap_shortest(struct view *replacement, const struct charsmap *map, struct view text) {
    return find(replacement, map, text, true);
}
