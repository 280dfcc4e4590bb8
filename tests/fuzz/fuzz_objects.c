/* fuzz_objects: any bytes as the objects of a repository. The first byte chooses: a pack with its index (two
 * bytes say how long that is), a pack alone whose entries are read wherever they start, two trees, a commit,
 * packed-refs with a HEAD. Two trees that are accepted differ both ways by the same files. */
#include "git/index/basecache.h"
#include "git/index/commitobj.h"
#include "git/index/objid.h"
#include "git/index/refs.h"
#include "git/index/treediff.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- files -----------------------------------------------------------------------------------------------
 */

static char folder[] = "/dev/shm/fak-fuzz-XXXXXX"; /* in memory: each input is a few files */
static const char *const names[] = {"x.idx", "x.pack", "packed-refs", "HEAD"};

static void clean_up(void) {
    if (chdir(folder) != 0) return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(names[i]);
    if (chdir("/") == 0) rmdir(folder);
}

static void begin(void) {
    static bool begun;
    if (begun) return;
    if (!mkdtemp(folder)) abort();
    begun = true;
    atexit(clean_up);
}

static void write_file(const char *path, const uint8_t *bytes, size_t n) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || close(fd) != 0) abort();
}

static const char *in_folder(char out[64], const char *name) {
    snprintf(out, 64, "%s/%s", folder, name);
    return out;
}

/* --- packs -----------------------------------------------------------------------------------------------
 */

static void read_at(struct packfile *pack, uint64_t offset) {
    struct object object;
    struct status st;
    if (!packfile_read(&object, pack, offset, &st)) return;
    if (object.n > OBJECT_LIMIT || !object.type) abort();
    free(object.at);
}

static void try_pack(const uint8_t *idx, size_t n_idx, const uint8_t *bytes, size_t n) {
    enum { READS = 16 };
    struct packfile pack;
    struct status st;
    char path[64];
    write_file(in_folder(path, "x.pack"), bytes, n);
    write_file(in_folder(path, "x.idx"), idx, n_idx);
    if (!packfile_open(&pack, path, OBJID_SHA1, &st)) return;
    for (size_t i = 0; i < pack.n && i < READS; i++) {
        uint64_t offset;
        const uint8_t *id = pack.idx.at + 8 + 1024 + i * OBJID_SHA1; /* the names, behind the fanout */
        if (packfile_find(&offset, &pack, id)) read_at(&pack, offset);
    }
    for (size_t at = 12; at < n && at < 12 + READS; at++) read_at(&pack, at);
    packfile_close(&pack);
}

/* An index without a name in it. */
static void try_pack_alone(const uint8_t *bytes, size_t n) {
    uint8_t idx[8 + 1024 + 40] = {0xff, 't', 'O', 'c', 0, 0, 0, 2};
    try_pack(idx, sizeof idx, bytes, n);
}

/* --- trees -----------------------------------------------------------------------------------------------
 */

/* A loose tree: its name, and where it lies. */
static void put_tree(uint8_t id[OBJID_MAX], char path[128], const uint8_t *bytes, size_t n) {
    char oid[OID_TEXT], head[32], dir[64];
    objid_name(id, OBJID_SHA1, "tree", bytes, n);
    objid_to_text(oid, id, OBJID_SHA1);
    size_t n_head = (size_t)snprintf(head, sizeof head, "tree %zu", n) + 1;
    uLongf room = compressBound(n_head + n);
    uint8_t *whole = malloc(n_head + n), *packed = malloc(room);
    if (!whole || !packed) abort();
    memcpy(whole, head, n_head);
    if (n) memcpy(whole + n_head, bytes, n);
    if (compress2(packed, &room, whole, n_head + n, 1) != Z_OK) abort();
    snprintf(dir, sizeof dir, "%s/%.2s", folder, oid);
    mkdir(dir, 0700);
    snprintf(path, 128, "%s/%s", dir, oid + 2);
    write_file(path, packed, room);
    free(whole);
    free(packed);
}

static void drop_tree(char path[128]) {
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
}

static void try_trees(const uint8_t *bytes, size_t n) {
    struct store store;
    struct status st;
    struct arena arena = {0};
    struct change_list there = {0}, back = {0}, none = {0};
    uint8_t ids[2][OBJID_MAX];
    char paths[2][128];
    size_t n_first = n < 2 ? 0 : (size_t)bytes[0] << 8 | bytes[1];
    if (n < 2 || n_first > n - 2) return;
    put_tree(ids[0], paths[0], bytes + 2, n_first);
    put_tree(ids[1], paths[1], bytes + 2 + n_first, n - 2 - n_first);
    if (!store_open(&store, folder, (struct view){0}, OBJID_SHA1, &st)) abort();
    bool ok = treediff_trees(&there, ids[0], ids[1], &store, &arena, &st);
    if (ok != treediff_trees(&back, ids[1], ids[0], &store, &arena, &st)) abort();
    if (ok && there.n != back.n) abort();
    if (!treediff_trees(&none, ids[0], ids[0], &store, &arena, &st) || none.n) abort();
    store_close(&store);
    arena_release(&arena);
    drop_tree(paths[0]);
    if (memcmp(ids[0], ids[1], OBJID_SHA1) != 0) drop_tree(paths[1]);
}

/* --- commits and refs ------------------------------------------------------------------------------------
 */

static void try_commit(const uint8_t *bytes, size_t n) {
    struct commitobj commit;
    struct status st;
    struct view object = {(const char *)bytes, n};
    if (!commitobj_parse(&commit, object, OBJID_SHA1, &st)) return;
    if (commit.commit.n_parents > COMMIT_PARENTS || commit.message.n > n) abort();
}

/* HEAD is the first line. */
static void try_refs(const uint8_t *bytes, size_t n) {
    struct gitdir git = {.format = {.n_id = OBJID_SHA1}};
    struct status st;
    char path[64], oid[OID_TEXT];
    const uint8_t *line = memchr(bytes, '\n', n);
    size_t head = line ? (size_t)(line - bytes) + 1 : n;
    write_file(in_folder(path, "HEAD"), bytes, head);
    write_file(in_folder(path, "packed-refs"), bytes + head, n - head);
    str_puts(&git.dir, folder);
    str_puts(&git.common, folder);
    if (refs_head(oid, &git, &st) && oid[0] && strlen(oid) != 2 * OBJID_SHA1) abort();
    (void)!refs_plain(&git, &st);
    gitdir_close(&git);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    const uint8_t *bytes = data + 1;
    size_t n = size - 1, n_idx = n < 2 ? 0 : (size_t)bytes[0] << 8 | bytes[1];
    begin();
    switch (data[0] % 5) {
    case 0:
        if (n >= 2 && n_idx <= n - 2) try_pack(bytes + 2, n_idx, bytes + 2 + n_idx, n - 2 - n_idx);
        break;
    case 1: try_pack_alone(bytes, n); break;
    case 2: try_trees(bytes, n); break;
    case 3: try_commit(bytes, n); break;
    default: try_refs(bytes, n);
    }
    return 0;
}
