/* splitindex: the entries of a split index and of the shared one below it, as one table. The `link` extension
 * holds the name of the shared index and two compressed bitmaps over its entries: deleted, and replaced by
 * the first entries of the split index, which have empty names (git, Documentation/gitformat-index). */
#include "git/index/bytes.h"
#include "git/index/indexfile.h"
#include "git/index/objid.h"

#include <stdlib.h>
#include <string.h>

static bool corrupt(struct status *st, const char *what) {
    return status_fail(st, STATUS_BAD_INPUT, "the split index is damaged: %s", what);
}

/* --- EWAH bitmaps: words of 64 bits; a marker word says how many equal words follow unwritten (bit 0: which,
 * bits 1 to 32) and how many written ones after it (bits 33 to 63).
 * ------------------------------------------- */

static bool set_bits(uint8_t *marks, size_t n, size_t from, uint64_t word, uint8_t mark) {
    for (size_t i = 0; word; i++, word >>= 1) {
        if (!(word & 1)) continue;
        if (from >= n || i >= n - from) return false;
        marks[from + i] |= mark;
    }
    return true;
}

static bool read_words(uint8_t *marks, size_t n, const uint8_t *words, size_t n_words, uint8_t mark) {
    size_t pos = 0;
    for (size_t i = 0; i < n_words;) {
        uint64_t marker = bytes_u64(words + 8 * i++);
        size_t equal = marker >> 1 & UINT32_MAX, literal = (size_t)(marker >> 33);
        if (literal > n_words - i || (equal && pos > n)) return false;
        for (; marker & 1 && equal; equal--, pos += 64)
            if (!set_bits(marks, n, pos, UINT64_MAX, mark)) return false;
        pos += 64 * equal;
        for (; literal; literal--, i++, pos += 64)
            if (!set_bits(marks, n, pos, bytes_u64(words + 8 * i), mark)) return false;
    }
    return true;
}

/* A bitmap: number of bits, number of words, the words, the place of the last marker. */
static bool read_bitmap(uint8_t *marks, size_t n, const uint8_t **at, size_t *left, uint8_t mark) {
    if (*left < 12) return false;
    size_t n_words = bytes_u32(*at + 4);
    if (n_words > (*left - 12) / 8 || !read_words(marks, n, *at + 8, n_words, mark)) return false;
    *at += 12 + 8 * n_words;
    *left -= 12 + 8 * n_words;
    return true;
}

/* --- laying one over the other --- */

enum { DELETED = 1, REPLACED = 2 };

static int order(const struct index_entry *a, const struct index_entry *b) {
    size_t n = a->n_path < b->n_path ? a->n_path : b->n_path;
    int by_name = n ? memcmp(a->path, b->path, n) : 0;
    if (by_name) return by_name;
    if (a->n_path != b->n_path) return a->n_path < b->n_path ? -1 : 1;
    return (a->stage > b->stage) - (a->stage < b->stage);
}

static bool same_path(const struct index_entry *a, const struct index_entry *b) {
    return a->n_path == b->n_path && (a->n_path == 0 || memcmp(a->path, b->path, a->n_path) == 0);
}

struct join {
    struct index_entry *out;
    size_t n, next, n_top; /* written; the next entry of the split index, and how many it has */
    const struct indexfile *top;
};

/* The split index's own entries that come before `limit` (NULL: all that are left). */
static void take_added(struct join *j, const struct index_entry *limit) {
    while (j->next < j->n_top) {
        struct index_entry entry = indexfile_entry(j->top, j->next);
        if (limit && order(&entry, limit) >= 0) return;
        j->out[j->n++] = entry;
        j->next++;
    }
}

/* An added entry takes the place of the one of its name, and a resolved one that of all stages of its name.
 */
static bool is_superseded(struct join *j, const struct index_entry *entry) {
    if (j->n && j->out[j->n - 1].stage == 0 && same_path(&j->out[j->n - 1], entry)) return true;
    if (j->next == j->n_top) return false;
    struct index_entry next = indexfile_entry(j->top, j->next);
    return order(&next, entry) == 0;
}

static bool join_all(struct join *j, const uint8_t *marks, const struct indexfile *base, struct status *st) {
    size_t n_replaced = 0, used = 0;
    for (size_t i = 0; i < base->n; i++) n_replaced += (marks[i] & REPLACED) != 0;
    if (n_replaced > j->n_top) return corrupt(st, "more entries are replaced than it has");
    j->next = n_replaced;
    for (size_t i = 0; i < base->n; i++) {
        struct index_entry entry = indexfile_entry(base, i);
        if (marks[i] & REPLACED) {
            struct index_entry by = indexfile_entry(j->top, used++);
            if (by.n_path) return corrupt(st, "an entry that replaces one has a name");
            by.path = entry.path;
            by.n_path = entry.n_path;
            entry = by;
        }
        if (marks[i] & DELETED) continue;
        take_added(j, &entry);
        if (!is_superseded(j, &entry)) j->out[j->n++] = entry;
    }
    take_added(j, NULL);
    return true;
}

bool indexfile_join(struct indexfile *index, const struct indexfile *base, struct status *st) {
    const uint8_t *at = index->link + index->n_id;
    size_t left = index->n_link - index->n_id;
    struct join j = {.top = index, .n_top = index->n};
    uint8_t *marks = calloc(base->n + 1, 1);
    j.out = malloc((base->n + index->n + 1) * sizeof *j.out);
    bool ok = marks && j.out ? true : status_fail(st, STATUS_NO_MEMORY, "out of memory");
    if (ok && left)
        ok = (read_bitmap(marks, base->n, &at, &left, DELETED) &&
              read_bitmap(marks, base->n, &at, &left, REPLACED)) ||
             corrupt(st, "a bitmap of the `link` extension");
    ok = ok && join_all(&j, marks, base, st);
    free(marks);
    if (!ok) {
        free(j.out);
        return false;
    }
    free(index->table);
    index->table = j.out;
    index->n = j.n;
    index->sparse |= base->sparse;
    return true;
}
