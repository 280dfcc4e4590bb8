#include "git/index/packfile.h"

#include "git/index/basecache.h"
#include "git/index/bytes.h"
#include "git/index/mapguard.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    FANOUT_AT = 8, /* behind the signature and the version of an index */
    IDS_AT = FANOUT_AT + 256 * 4,
    PACK_HEADER = 12,
    OFFSET_DELTA = 6,
    NAMED_DELTA = 7,
    CHAIN = 4096, /* deltas on deltas; git's own limit is 4095 */
};

static bool corrupt(struct status *st, const struct packfile *pack, const char *what) {
    return status_fail(st, STATUS_BAD_INPUT, "the pack '%s' is damaged: %s", pack->path, what);
}

/* --- the index of a pack: fanout, names, checksums, offsets, long offsets --- */

static bool check_idx(struct packfile *pack, struct status *st) {
    static const uint8_t signature[8] = {0xff, 't', 'O', 'c', 0, 0, 0, 2};
    const struct mapping *idx = &pack->idx;
    size_t trailer = 2 * pack->n_id;
    if (idx->n < IDS_AT + trailer || memcmp(idx->at, signature, sizeof signature) != 0)
        return status_fail(st, STATUS_UNSUPPORTED, "the index of the pack '%s' is not of version 2",
                           pack->path);
    uint32_t before = 0;
    for (size_t i = 0; i < 256; i++) {
        uint32_t count = bytes_u32(idx->at + FANOUT_AT + 4 * i);
        if (count < before) return corrupt(st, pack, "its fanout goes back");
        before = count;
    }
    pack->n = before;
    if (pack->n > (idx->n - IDS_AT - trailer) / (pack->n_id + 8))
        return corrupt(st, pack, "its index is cut");
    return true;
}

bool packfile_open(struct packfile *out, const char *path, size_t n_id, struct status *st) {
    *out = (struct packfile){.n_id = n_id};
    size_t n = strlen(path);
    out->path = malloc(n + 2);
    if (!out->path) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    memcpy(out->path, path, n - 4);
    memcpy(out->path + n - 4, ".pack", 6);
    bool ok = mapguard_open(&out->idx, path, st) && check_idx(out, st);
    if (!ok) packfile_close(out);
    return ok;
}

void packfile_close(struct packfile *pack) {
    mapguard_close(&pack->idx);
    mapguard_close(&pack->pack);
    basecache_clear(&pack->cache);
    free(pack->path);
    *pack = (struct packfile){0};
}

bool packfile_find(uint64_t *offset, const struct packfile *pack, const uint8_t *id) {
    const uint8_t *idx = pack->idx.at, *ids = idx + IDS_AT;
    size_t low = id[0] ? bytes_u32(idx + FANOUT_AT + 4 * (id[0] - 1U)) : 0;
    size_t high = bytes_u32(idx + FANOUT_AT + 4 * (size_t)id[0]);
    if (high > pack->n) return false; /* it was right when it was opened */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = memcmp(id, ids + middle * pack->n_id, pack->n_id);
        if (order < 0) high = middle;
        else if (order > 0) low = middle + 1;
        else {
            const uint8_t *shorts = ids + pack->n * (pack->n_id + 4), *longs = shorts + pack->n * 4;
            uint32_t at = bytes_u32(shorts + 4 * middle);
            size_t room = (size_t)(idx + pack->idx.n - 2 * pack->n_id - longs) / 8, k = at & 0x7fffffff;
            *offset = !(at & 0x80000000) ? at : k < room ? bytes_u64(longs + 8 * k) : UINT64_MAX;
            return true;
        }
    }
    return false;
}

/* --- objects --- */

bool packfile_inflate(uint8_t **out, size_t size, const uint8_t *bytes, size_t n, struct status *st) {
    z_stream z = {0};
    /* One byte more, to see that nothing follows. */
    *out = NULL;
    if (size > OBJECT_LIMIT)
        return status_fail(st, STATUS_UNSUPPORTED, "an object of %zu bytes is too large", size);
    *out = malloc(size + 1);
    if (!*out) return status_fail(st, STATUS_NO_MEMORY, "out of memory for an object of %zu bytes", size);
    z.next_in = (uint8_t *)(uintptr_t)bytes;
    z.avail_in = n < UINT32_MAX ? (uInt)n : UINT32_MAX;
    z.next_out = *out;
    z.avail_out = (uInt)size + 1;
    int code = inflateInit(&z);
    if (code == Z_OK) {
        code = inflate(&z, Z_FINISH);
        inflateEnd(&z);
    }
    if (code == Z_STREAM_END && z.total_out == size) return true;
    free(*out);
    *out = NULL;
    if (code == Z_MEM_ERROR)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory to decompress an object");
    return status_fail(st, STATUS_BAD_INPUT, "an object is damaged: its compressed bytes");
}

/* One instruction: copy from the base (high bit; the other bits say which bytes of offset and size follow),
 * or append the bytes that follow. */
static bool patch_step(struct object *out, size_t room, const struct object *base, const uint8_t *delta,
                       size_t n, size_t *at) {
    uint8_t op = delta[(*at)++];
    const uint8_t *from;
    size_t offset = 0, size = op;
    if (op == 0) return false;
    if (op & 0x80) {
        size = 0;
        for (unsigned i = 0; i < 7; i++) {
            if (!(op >> i & 1)) continue;
            if (*at == n) return false;
            if (i < 4) offset |= (size_t)delta[(*at)++] << 8 * i;
            else size |= (size_t)delta[(*at)++] << 8 * (i - 4);
        }
        if (size == 0) size = 0x10000;
        if (offset > base->n || size > base->n - offset) return false;
        from = base->at + offset;
    } else {
        if (size > n - *at) return false;
        from = delta + *at;
        *at += size;
    }
    if (size > room - out->n) return false;
    memcpy(out->at + out->n, from, size);
    out->n += size;
    return true;
}

bool packfile_patch(struct object *out, const struct object *base, const uint8_t *delta, size_t n,
                    struct status *st) {
    size_t at = 0, before, after;
    *out = (struct object){.type = base->type};
    bool ok = bytes_size_varint(&before, delta, n, &at) && bytes_size_varint(&after, delta, n, &at) &&
              before == base->n && after <= OBJECT_LIMIT;
    if (ok) {
        out->at = malloc(after + 1);
        if (!out->at) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
        while (ok && at < n) ok = patch_step(out, after, base, delta, n, &at);
        ok = ok && out->n == after;
    }
    if (ok) return true;
    free(out->at);
    *out = (struct object){0};
    return status_fail(st, STATUS_BAD_INPUT, "an object is damaged: its delta");
}

/* The head of an entry: three bits of type, its size, and for a delta what it is laid over. */
struct entry {
    unsigned type;
    size_t size, content; /* inflated bytes; where the compressed ones start */
    uint64_t base;
};

static bool read_entry(struct entry *out, struct packfile *pack, uint64_t offset, struct status *st) {
    const uint8_t *bytes = pack->pack.at;
    size_t end = pack->pack.n - pack->n_id, at, back, more;
    if (offset < PACK_HEADER || offset >= end) return corrupt(st, pack, "an offset beyond its end");
    at = (size_t)offset;
    uint8_t c = bytes[at++];
    out->type = c >> 4 & 7;
    out->size = c & 15;
    if (c & 128) {
        if (!bytes_size_varint(&more, bytes, end, &at) || more > OBJECT_LIMIT)
            return corrupt(st, pack, "the size of an object");
        out->size |= more << 4;
    }
    if (out->type == OFFSET_DELTA) {
        if (!bytes_offset_varint(&back, bytes, end, &at) || back == 0 || back >= offset)
            return corrupt(st, pack, "a delta without a base");
        out->base = offset - back;
    } else if (out->type == NAMED_DELTA) {
        if (end - at < pack->n_id || !packfile_find(&out->base, pack, bytes + at))
            return corrupt(st, pack, "a delta without a base");
        at += pack->n_id;
    } else if (out->type < OBJECT_COMMIT || out->type > OBJECT_TAG) {
        return corrupt(st, pack, "an object of no known type");
    }
    out->content = at;
    return true;
}

static bool map_pack(struct packfile *pack, struct status *st) {
    if (pack->pack.at) return true;
    if (!mapguard_open(&pack->pack, pack->path, st)) return false;
    if (pack->pack.n >= PACK_HEADER + pack->n_id && memcmp(pack->pack.at, "PACK", 4) == 0) {
        uint32_t version = bytes_u32(pack->pack.at + 4);
        if (version == 2 || version == 3) return true;
    }
    mapguard_close(&pack->pack);
    return corrupt(st, pack, "it does not start as a pack does");
}

static bool inflate_entry(uint8_t **out, const struct packfile *pack, const struct entry *entry,
                          struct status *st) {
    return packfile_inflate(out, entry->size, pack->pack.at + entry->content,
                            pack->pack.n - pack->n_id - entry->content, st);
}

/* Where the objects are that make one: the deltas, the last to be applied first, and behind them the base. */
struct chain {
    uint64_t offsets[CHAIN];
    size_t n;
    struct object base; /* from the cache (borrowed) or inflated (owned) */
    bool borrowed;
};

static bool find_chain(struct chain *chain, struct packfile *pack, uint64_t offset, struct status *st) {
    struct entry entry;
    chain->n = 0;
    for (;;) {
        const struct object *known = basecache_find(pack->cache, offset);
        chain->borrowed = known != NULL;
        if (known) chain->base = *known;
        if (known) return true;
        if (!read_entry(&entry, pack, offset, st)) return false;
        if (chain->n == CHAIN) return corrupt(st, pack, "too many deltas on deltas");
        chain->offsets[chain->n++] = offset;
        if (entry.type <= OBJECT_TAG) break;
        offset = entry.base;
    }
    chain->n--; /* the last one is no delta */
    chain->base = (struct object){.n = entry.size, .type = (enum object_type)entry.type};
    return inflate_entry(&chain->base.at, pack, &entry, st);
}

/* out = what the delta at `offset` makes of `base`. */
static bool apply(struct object *out, struct packfile *pack, const struct object *base, uint64_t offset,
                  struct status *st) {
    struct entry entry;
    uint8_t *delta = NULL;
    *out = (struct object){0};
    bool ok = read_entry(&entry, pack, offset, st) && inflate_entry(&delta, pack, &entry, st) &&
              packfile_patch(out, base, delta, entry.size, st);
    free(delta);
    return ok;
}

static bool copy_object(struct object *out, const struct object *from, struct status *st) {
    *out = *from;
    out->at = malloc(from->n + 1);
    if (!out->at) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    memcpy(out->at, from->at, from->n);
    return true;
}

/* Each base goes to the cache once it has been used, and so does a copy of the result. */
static bool apply_all(struct object *out, struct packfile *pack, struct chain *chain, struct status *st) {
    bool ok = true;
    uint64_t at = chain->offsets[chain->n];
    while (ok && chain->n > 0) {
        struct object patched;
        uint64_t offset = chain->offsets[--chain->n];
        ok = apply(&patched, pack, &chain->base, offset, st);
        if (!chain->borrowed) basecache_put(&pack->cache, at, &chain->base);
        chain->base = patched;
        chain->borrowed = false;
        at = offset;
    }
    if (!ok) return false;
    if (!copy_object(out, &chain->base, st)) {
        if (!chain->borrowed) free(chain->base.at);
        return false;
    }
    if (!chain->borrowed) basecache_put(&pack->cache, at, &chain->base);
    return true;
}

bool packfile_read(struct object *out, struct packfile *pack, uint64_t offset, struct status *st) {
    *out = (struct object){0};
    if (!map_pack(pack, st)) return false;
    struct chain *chain = malloc(sizeof *chain);
    if (!chain) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    bool ok = find_chain(chain, pack, offset, st) && apply_all(out, pack, chain, st);
    free(chain);
    return ok;
}
