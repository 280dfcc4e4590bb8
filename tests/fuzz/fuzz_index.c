/* fuzz_index: any bytes as what the mapped reader reads. The first byte chooses: an index with SHA-1 or
 * SHA-256 names, a split index over a shared one, a delta over its base, a loose object, a configuration. An
 * index that is accepted and compared with nothing gives each path once. */
#include "git/index/objid.h"
#include "git/index/repoformat.h"
#include "git/index/treediff.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Against no commit, without objects: everything that is staged is an addition. */
static void compare(const struct indexfile *index) {
    struct change_list list = {0};
    struct arena arena = {0};
    struct cachetree cache = {0};
    struct status st;
    uint8_t tree[OBJID_MAX] = {1};
    bool ok = !index->tree || cachetree_open(&cache, index->tree, index->n_tree, index->n_id, &st);
    if (ok && treediff(&list, NULL, index, &cache, NULL, &arena, &st)) {
        if (list.n > index->n) abort();
        change_sort(&list);
        for (size_t i = 0; i < list.n; i++) {
            if (list.at[i].status != 'A' || !list.at[i].path[0]) abort();
            if (i && strcmp(list.at[i - 1].path, list.at[i].path) == 0) abort();
        }
    }
    if (ok && treediff(&list, tree, index, &cache, NULL, &arena, &st) &&
        (!cache.at || !cache.at->id || memcmp(cache.at->id, tree, index->n_id) != 0))
        abort(); /* a tree that nobody has */
    cachetree_close(&cache);
    arena_release(&arena);
}

static void try_index(const uint8_t *bytes, size_t n, size_t n_id) {
    struct indexfile index;
    struct status st;
    if (!indexfile_open(&index, bytes, n, n_id, &st)) return;
    (void)!indexfile_verify(&index, &st);
    compare(&index);
    indexfile_close(&index);
}

/* Two bytes: how long the shared index is; the split one follows. */
static void try_split(const uint8_t *bytes, size_t n) {
    struct indexfile base, index;
    struct status st;
    size_t n_base = n < 2 ? 0 : (size_t)bytes[0] << 8 | bytes[1];
    if (n < 2 || n_base > n - 2) return;
    if (!indexfile_open(&base, bytes + 2, n_base, OBJID_SHA1, &st)) return;
    if (indexfile_open(&index, bytes + 2 + n_base, n - 2 - n_base, OBJID_SHA1, &st)) {
        if (index.link && index.n_link >= OBJID_SHA1 && indexfile_join(&index, &base, &st)) compare(&index);
        indexfile_close(&index);
    }
    indexfile_close(&base);
}

/* One byte: how long the base is; the delta follows. */
static void try_delta(const uint8_t *bytes, size_t n) {
    struct status st;
    struct object out, base = {(uint8_t *)(uintptr_t)bytes + 1, bytes[0], OBJECT_TREE};
    if (base.n > n - 1) return;
    if (packfile_patch(&out, &base, bytes + 1 + base.n, n - 1 - base.n, &st)) free(out.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    const uint8_t *bytes = data + 1;
    size_t n = size - 1;
    struct status st;
    struct object object;
    struct repoformat format = {.n_id = OBJID_SHA1};
    switch (data[0] % 6) {
    case 0: try_index(bytes, n, OBJID_SHA1); break;
    case 1: try_index(bytes, n, OBJID_SHA256); break;
    case 2: try_split(bytes, n); break;
    case 3: try_delta(bytes, n); break;
    case 4:
        if (store_parse_loose(&object, bytes, n, &st)) free(object.at);
        break;
    default: (void)!repoformat_read(&format, (struct view){(const char *)bytes, n}, &st);
    }
    return 0;
}
