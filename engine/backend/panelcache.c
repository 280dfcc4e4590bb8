#include "engine/backend/panelcache.h"

#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers of the header are little-endian");

enum { VERSION = 1, PAGE = 4096 };

struct header {
    char magic[8];
    uint64_t version, header_bytes, data_bytes;
    char key[64];
    uint64_t sum, sums[];
};
_Static_assert(offsetof(struct header, key) == 32 && offsetof(struct header, sums) == 104,
               "as panelcache.h says");

static const char magic[8] = "FAKPANEL";

/* --- checksums ------------------------------------------------------------------------------------------ */

/* Eight lanes of two sums each, the second of the first (Fletcher 1982, as ZFS has it in lanes), and a turn
 * of the first, so that no bit counts for less than others. Additions and turns alone: as fast as memory on
 * any CPU. */
static uint64_t sum_of(const uint8_t *at, size_t n) {
    enum { LANES = 8, TURN = 29 };
    uint64_t a[LANES], b[LANES] = {0}, words[LANES], sum = n;
    for (int i = 0; i < LANES; i++) a[i] = (uint64_t)i + 1;
    for (; n > 0; at += sizeof words) {
        size_t taken = n < sizeof words ? n : sizeof words;
        if (taken < sizeof words) memset(words, 0, sizeof words);
        memcpy(words, at, taken);
        for (int i = 0; i < LANES; i++) {
            a[i] += words[i];
            a[i] = a[i] << TURN | a[i] >> (64 - TURN);
            b[i] += a[i];
        }
        n -= taken;
    }
    for (int i = 0; i < LANES; i++) {
        sum = (sum ^ a[i] ^ b[i] << 1) * UINT64_C(0x9E3779B97F4A7C15);
        sum ^= sum >> 32;
    }
    return sum;
}

static uint64_t sum_of_piece(const uint8_t *data, size_t n, size_t piece) {
    size_t from = piece * PANELCACHE_PIECE;
    return sum_of(data + from, n - from < PANELCACHE_PIECE ? n - from : PANELCACHE_PIECE);
}

static size_t header_bytes(size_t n) {
    size_t bytes = sizeof(struct header) + panelcache_pieces(n) * sizeof(uint64_t);
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Of the header as it is in a file, with 0 for the checksum itself. */
static uint64_t sum_of_header(const struct header *header, size_t bytes) {
    struct header head = *header;
    head.sum = 0;
    uint64_t sums[] = {sum_of((const uint8_t *)&head, sizeof head),
                       sum_of((const uint8_t *)header->sums, bytes - sizeof head)};
    return sum_of((const uint8_t *)sums, sizeof sums);
}

/* --- reading -------------------------------------------------------------------------------------------- */

static bool check(const struct panelcache *c, struct view key, size_t n, struct status *st) {
    const struct header *h = (const void *)c->map.at;
    char hex[HASH_HEX];
    if (c->map.n < PAGE || memcmp(h->magic, magic, sizeof magic) != 0)
        return status_fail(st, STATUS_BAD_INPUT, "'%s' is no cache of panels", c->path);
    if (h->version != VERSION)
        return status_fail(st, STATUS_BAD_INPUT, "'%s' has version %llu, not %d", c->path,
                           (unsigned long long)h->version, VERSION);
    hash_sha256(hex, key.at, key.n);
    if (memcmp(h->key, hex, sizeof h->key) != 0 || h->data_bytes != n || h->header_bytes != header_bytes(n))
        return status_fail(st, STATUS_BAD_INPUT, "'%s' is of another state of the model, or of another lane",
                           c->path);
    if (c->map.n != h->header_bytes + n)
        return status_fail(st, STATUS_BAD_INPUT, "'%s' has %zu bytes, not %zu: it was cut", c->path, c->map.n,
                           (size_t)h->header_bytes + n);
    if (sum_of_header(h, h->header_bytes) != h->sum)
        return status_fail(st, STATUS_BAD_INPUT, "'%s': its header is damaged", c->path);
    return true;
}

bool panelcache_open(struct panelcache *cache, const char *path, struct view key, size_t n,
                     struct status *st) {
    *cache = (struct panelcache){.path = path, .n = n};
    if (!file_exists(path)) return status_fail(st, STATUS_NOT_FOUND, "there is no '%s'", path);
    if (!mapping_open(&cache->map, path, st)) return false;
    if (!check(cache, key, n, st)) {
        panelcache_close(cache);
        return false;
    }
    cache->data = cache->map.at + header_bytes(n);
    return true;
}

void panelcache_close(struct panelcache *cache) {
    mapping_close(&cache->map);
    *cache = (struct panelcache){0};
}

bool panelcache_sound(const struct panelcache *c, size_t first, size_t end, size_t *bad) {
    const struct header *h = (const void *)c->map.at;
    for (*bad = first; *bad < end; ++*bad)
        if (sum_of_piece(c->data, c->n, *bad) != h->sums[*bad]) return false;
    return true;
}

/* --- writing -------------------------------------------------------------------------------------------- */

bool panelcache_write(const char *path, struct view key, const void *data, size_t n, struct status *st) {
    size_t bytes = header_bytes(n);
    char hex[HASH_HEX];
    struct header *h = calloc(1, bytes);
    if (!h) return status_fail(st, STATUS_NO_MEMORY, "no memory for a header of %zu bytes", bytes);
    memcpy(h->magic, magic, sizeof magic);
    h->version = VERSION, h->header_bytes = bytes, h->data_bytes = n;
    hash_sha256(hex, key.at, key.n);
    memcpy(h->key, hex, sizeof h->key);
    for (size_t i = 0; i < panelcache_pieces(n); i++) h->sums[i] = sum_of_piece(data, n, i);
    h->sum = sum_of_header(h, bytes);
    const struct view parts[] = {{(const char *)h, bytes}, {data, n}};
    bool ok = file_replace_parts(path, parts, 2, st);
    free(h);
    return ok;
}
