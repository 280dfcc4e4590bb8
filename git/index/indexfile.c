#include "git/index/indexfile.h"

#include "git/index/bytes.h"
#include "git/index/objid.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 12, /* "DIRC", version, number of entries */
    STAT = 40,   /* what stat(2) said, with the mode at 24 */
    MODE_AT = 24,
    STRIDE = 16, /* entries between two that `starts` knows */
    NAME_MASK = 0x0fff,
    EXTENDED = 0x4000,
    KNOWN_EXTENDED = 0x6000, /* skip-worktree, intent-to-add */
    INTENDED = 0x2000,
};

static bool corrupt(struct status *st, const char *what, size_t at) {
    return status_fail(st, STATUS_BAD_INPUT, "the index is damaged: %s at byte %zu", what, at);
}

/* --- one entry --------------------------------------------------------------------------------------------
 */

/* The fixed part of the entry at `at`; *n = its size, 0 when it is cut or not understood. */
static struct index_entry fixed_part(const struct indexfile *index, size_t at, size_t *n, uint16_t *flags) {
    struct index_entry entry = {0};
    size_t size = STAT + index->n_id + 2;
    *n = 0;
    if (index->end - at < size + 2) return entry;
    const uint8_t *from = index->at + at;
    *flags = bytes_u16(from + size - 2);
    entry.mode = bytes_u32(from + MODE_AT);
    entry.id = from + STAT;
    entry.stage = (uint8_t)(*flags >> 12 & 3);
    if (*flags & EXTENDED) {
        uint16_t more = bytes_u16(from + size);
        if (index->version < 3 || more & ~KNOWN_EXTENDED) return entry;
        entry.intended = more & INTENDED;
        size += 2;
    }
    *n = size;
    return entry;
}

/* The entry at `at` of version 2 or 3, where names are whole; *size = its bytes with the padding, 0: damaged.
 */
static inline struct index_entry plain_entry(const struct indexfile *index, size_t at, size_t *size) {
    size_t n;
    uint16_t flags = 0;
    struct index_entry entry = fixed_part(index, at, &n, &flags);
    *size = 0;
    if (n == 0) return entry;
    const uint8_t *name = index->at + at + n;
    size_t room = index->end - at - n, length = flags & NAME_MASK;
    if (length == NAME_MASK) {
        const uint8_t *nul = memchr(name, 0, room);
        if (!nul) return entry;
        length = (size_t)(nul - name);
    }
    size_t padded = (n + length + 8) & ~(size_t)7;
    if (length >= UINT32_MAX || padded > index->end - at || name[length] != 0) return entry;
    entry.path = (const char *)name;
    entry.n_path = (uint32_t)length;
    *size = padded;
    return entry;
}

struct index_entry indexfile_entry(const struct indexfile *index, size_t i) {
    if (index->table) return index->table[i];
    size_t at = index->starts[i / STRIDE], size;
    struct index_entry entry = plain_entry(index, at, &size);
    for (size_t step = i % STRIDE; step > 0; step--) entry = plain_entry(index, at += size, &size);
    return entry;
}

/* --- all entries ------------------------------------------------------------------------------------------
 */

static bool walk_plain(size_t *end, struct indexfile *index, struct status *st) {
    size_t at = HEADER, size;
    index->starts = malloc((index->n / STRIDE + 1) * sizeof *index->starts);
    if (!index->starts) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < index->n; i++) {
        if (i % STRIDE == 0) index->starts[i / STRIDE] = (uint32_t)at;
        plain_entry(index, at, &size);
        if (size == 0) return corrupt(st, "an entry that is cut or not understood", at);
        at += size;
    }
    *end = at;
    return true;
}

/* Version 4: a name is what to cut off the one before, and what to append. */
static bool unpack_name(struct str *last, const struct indexfile *index, size_t *at, struct status *st) {
    size_t cut;
    if (!bytes_offset_varint(&cut, index->at, index->end, at) || cut > last->n)
        return corrupt(st, "a name that cuts more than there is", *at);
    const uint8_t *rest = index->at + *at, *nul = memchr(rest, 0, index->end - *at);
    if (!nul) return corrupt(st, "a name without an end", *at);
    size_t added = (size_t)(nul - rest);
    last->n -= cut;
    str_add(last, (const char *)rest, added);
    *at += added + 1;
    return str_ok(last, st);
}

/* The whole paths, one behind the other. */
static bool keep_path(struct indexfile *index, size_t i, struct str *paths, const struct str *last,
                      struct status *st) {
    enum { PATHS_LIMIT = 1 << 30 };
    if (last->n > PATHS_LIMIT - paths->n)
        return status_fail(st, STATUS_UNSUPPORTED, "the paths of the index take more than 1 GiB");
    index->table[i].n_path = (uint32_t)last->n;
    str_add(paths, str_c(last), last->n);
    return str_ok(paths, st);
}

static bool walk_packed(size_t *end, struct indexfile *index, struct status *st) {
    struct str paths = {0}, last = {0};
    size_t at = HEADER;
    bool ok = true;
    index->table = malloc((index->n + 1) * sizeof *index->table);
    if (!index->table) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    for (size_t i = 0; ok && i < index->n; i++) {
        size_t n;
        uint16_t flags = 0;
        index->table[i] = fixed_part(index, at, &n, &flags);
        ok = n ? true : corrupt(st, "an entry that is cut or not understood", at);
        at += n;
        ok = ok && unpack_name(&last, index, &at, st) && keep_path(index, i, &paths, &last, st);
    }
    const char *path = str_c(&paths);
    for (size_t i = 0; ok && i < index->n; path += index->table[i++].n_path) index->table[i].path = path;
    index->paths = paths.at;
    str_free(&last);
    *end = at;
    return ok;
}

/* --- the file ---------------------------------------------------------------------------------------------
 */

static bool take_extension(struct indexfile *index, const uint8_t *name, size_t n, struct status *st) {
    char shown[VIEW_SHOWN];
    const uint8_t *content = name + 8;
    if (memcmp(name, "TREE", 4) == 0) {
        index->tree = content;
        index->n_tree = n;
    } else if (memcmp(name, "link", 4) == 0) {
        index->link = content;
        index->n_link = n;
    } else if (memcmp(name, "sdir", 4) == 0) {
        index->sparse = true;
    } else if (name[0] < 'A' || name[0] > 'Z') {
        return status_fail(st, STATUS_UNSUPPORTED, "the index has an extension '%s' that is not known",
                           view_shown(shown, (struct view){(const char *)name, 4}));
    }
    return true;
}

static bool read_extensions(struct indexfile *index, size_t at, struct status *st) {
    while (at < index->end) {
        if (index->end - at < 8) return corrupt(st, "an extension that is cut", at);
        size_t n = bytes_u32(index->at + at + 4);
        if (n > index->end - at - 8) return corrupt(st, "an extension longer than the file", at);
        if (!take_extension(index, index->at + at, n, st)) return false;
        at += 8 + n;
    }
    return true;
}

static bool read_header(struct indexfile *index, size_t n, struct status *st) {
    if (n < HEADER + index->n_id || memcmp(index->at, "DIRC", 4) != 0)
        return status_fail(st, STATUS_BAD_INPUT, "the index file is no index, or is empty");
    if (n > UINT32_MAX) return status_fail(st, STATUS_UNSUPPORTED, "the index is larger than 4 GiB");
    index->end = n - index->n_id;
    index->version = bytes_u32(index->at + 4);
    index->n = bytes_u32(index->at + 8);
    if (index->version < 2 || index->version > 4)
        return status_fail(st, STATUS_UNSUPPORTED, "the index has version %u; 2, 3 and 4 are known",
                           index->version);
    if (index->n > index->end / (STAT + index->n_id + 2)) return corrupt(st, "a count of entries", 8);
    return true;
}

bool indexfile_open(struct indexfile *out, const uint8_t *bytes, size_t n, size_t n_id, struct status *st) {
    size_t end = 0;
    *out = (struct indexfile){.at = bytes, .n_id = n_id};
    bool ok = read_header(out, n, st) &&
              (out->version == 4 ? walk_packed(&end, out, st) : walk_plain(&end, out, st)) &&
              read_extensions(out, end, st);
    if (!ok) indexfile_close(out);
    return ok;
}

void indexfile_close(struct indexfile *index) {
    free(index->starts);
    free(index->table);
    free(index->paths);
    *index = (struct indexfile){0};
}

bool indexfile_verify(const struct indexfile *index, struct status *st) {
    uint8_t sum[OBJID_MAX];
    const uint8_t *said = index->at + index->end;
    if (objid_is_zero(said, index->n_id)) return true;
    objid_hash(sum, index->n_id, index->at, index->end);
    if (memcmp(sum, said, index->n_id) == 0) return true;
    return status_fail(st, STATUS_BAD_INPUT, "the index checksum does not match its content");
}
