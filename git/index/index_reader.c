/* index_reader: reads index, HEAD and trees itself, from mapped files: the common case, without libgit2 and
 * without a process. What it is not sure of it refuses, and the next reader is asked (git/staged.h). It has
 * no configuration: that has too many sources. */
#include "git/index/commitobj.h"
#include "git/index/gitdir.h"
#include "git/index/mapguard.h"
#include "git/index/objid.h"
#include "git/index/refs.h"
#include "git/index/treediff.h"
#include "git/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct index_reader {
    struct gitdir git;
    struct store store;
    struct mapping map, shared_map;
    struct stat stamp; /* of the index when it was mapped */
    bool known, empty; /* the index was read; there is no index file: nothing is in it */
    struct indexfile index, shared;
    struct cachetree cache;
};

/* --- the index --- */

static bool join_shared(struct index_reader *r, struct status *st) {
    char name[OID_TEXT];
    struct str path = {0};
    size_t n_id = r->index.n_id;
    if (r->index.n_link < n_id)
        return status_fail(st, STATUS_BAD_INPUT, "the split index names no shared one");
    if (objid_is_zero(r->index.link, n_id)) return true;
    objid_to_text(name, r->index.link, n_id);
    str_printf(&path, "%s/sharedindex.%s", str_c(&r->git.dir), name);
    bool ok = str_ok(&path, st) && mapguard_open(&r->shared_map, path.at, st) &&
              indexfile_open(&r->shared, r->shared_map.at, r->shared_map.n, n_id, st);
    str_free(&path);
    if (!ok) return false;
    if (memcmp(r->shared.at + r->shared.end, r->index.link, n_id) != 0 || r->shared.link)
        return status_fail(st, STATUS_BAD_INPUT,
                           "the shared index is not the one that the split index names");
    return indexfile_join(&r->index, &r->shared, st);
}

/* Without a valid root nothing in the index proves its entries; then the checksum has to. */
static bool is_sound(const struct index_reader *r, struct status *st) {
    if (r->cache.at && r->cache.at->id) return true;
    return indexfile_verify(&r->index, st) && (!r->shared.at || indexfile_verify(&r->shared, st));
}

static bool open_index(struct index_reader *r, struct status *st) {
    const char *path = str_c(&r->git.index);
    r->index.n_id = r->git.format.n_id;
    if (stat(path, &r->stamp) != 0) {
        r->empty = errno == ENOENT;
        return r->empty ? true : status_fail_errno(st, "cannot read '%s'", path);
    }
    return mapguard_open(&r->map, path, st) &&
           indexfile_open(&r->index, r->map.at, r->map.n, r->git.format.n_id, st) &&
           (!r->index.link || join_shared(r, st)) &&
           (!r->index.tree || cachetree_open(&r->cache, r->index.tree, r->index.n_tree, r->index.n_id, st)) &&
           is_sound(r, st);
}

static void close_index(struct index_reader *r) {
    cachetree_close(&r->cache);
    indexfile_close(&r->index);
    indexfile_close(&r->shared);
    mapguard_close(&r->map);
    mapguard_close(&r->shared_map);
}

/* Once, and only when it is asked for: history needs none. */
static bool read_index(struct index_reader *r, struct status *st) {
    if (!r->known) r->known = open_index(r, st);
    if (!r->known) close_index(r);
    return r->known;
}

/* Git writes a new index beside the old one and renames it; whoever writes into it is caught here. */
static bool is_unchanged(const struct index_reader *r, struct status *st) {
    struct stat now;
    bool gone = stat(str_c(&r->git.index), &now) != 0;
    bool same = gone ? r->empty
                     : !r->empty && now.st_ino == r->stamp.st_ino && now.st_size == r->stamp.st_size &&
                           now.st_mtim.tv_sec == r->stamp.st_mtim.tv_sec &&
                           now.st_mtim.tv_nsec == r->stamp.st_mtim.tv_nsec;
    if (same) return mapguard_sound(st);
    return status_fail(st, STATUS_UNSUPPORTED, "the index changed while it was read");
}

/* --- the reader --- */

static void index_close(void *handle) {
    struct index_reader *r = handle;
    if (!r) return;
    close_index(r);
    store_close(&r->store);
    gitdir_close(&r->git);
    free(r);
}

static bool index_open(void **handle, struct status *st) {
    struct index_reader *r = calloc(1, sizeof *r);
    if (!r) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    bool ok = gitdir_open(&r->git, st);
    ok = ok && refs_plain(&r->git, st) &&
         store_open(&r->store, str_c(&r->git.objects),
                    (struct view){str_c(&r->git.alternates), r->git.alternates.n}, r->git.format.n_id, st);
    if (ok) *handle = r;
    else index_close(r);
    return ok;
}

static bool index_facts(struct repo_facts *out, void *handle, struct arena *arena, struct status *st) {
    struct index_reader *r = handle;
    *out = (struct repo_facts){.git_dir = arena_copy(arena, str_c(&r->git.dir), r->git.dir.n, st),
                               .common_dir = arena_copy(arena, str_c(&r->git.common), r->git.common.n, st),
                               .bare = r->git.format.bare,
                               .own_config = r->git.format.own_config};
    return out->git_dir && out->common_dir;
}

static bool index_head(char oid[OID_TEXT], void *handle, struct status *st) {
    const struct index_reader *r = handle;
    return refs_head(oid, &r->git, st) && mapguard_sound(st);
}

/* The object stays in *object: free(object->at), also after a failure. */
static bool read_commit(struct commitobj *out, struct object *object, struct index_reader *r, const char *oid,
                        struct status *st) {
    uint8_t id[OBJID_MAX];
    size_t n_id = r->git.format.n_id;
    *object = (struct object){0};
    store_refill(&r->store);
    if (!objid_from_text(id, view_of(oid), n_id))
        return status_fail(st, STATUS_BAD_INPUT, "'%s' is no object name", oid);
    return store_read(object, &r->store, id, OBJECT_COMMIT, st) &&
           commitobj_parse(out, (struct view){(const char *)object->at, object->n}, n_id, st);
}

static bool index_commit(struct commit *out, void *handle, const char *oid, struct status *st) {
    struct index_reader *r = handle;
    struct object object;
    struct commitobj commit;
    struct str shallow = {0};
    str_printf(&shallow, "%s/shallow", str_c(&r->git.common));
    if (!str_ok(&shallow, st)) return false;
    bool cut = access(shallow.at, F_OK) == 0;
    str_free(&shallow);
    if (cut) return status_fail(st, STATUS_UNSUPPORTED, "the clone is shallow, so that commits lack parents");
    bool ok = read_commit(&commit, &object, r, oid, st);
    if (ok) *out = commit.commit;
    free(object.at);
    return ok;
}

static bool index_message(struct str *out, void *handle, const char *oid, struct status *st) {
    struct object object;
    struct commitobj commit;
    bool ok = read_commit(&commit, &object, handle, oid, st);
    if (ok) str_add(out, commit.message.at, commit.message.n);
    free(object.at);
    return ok && str_ok(out, st);
}

/* *tree = that of a commit, NULL for "". */
static bool tree_of(const uint8_t **tree, uint8_t room[OBJID_MAX], struct index_reader *r, const char *oid,
                    struct status *st) {
    struct object object;
    struct commitobj commit;
    *tree = NULL;
    if (!oid[0]) return true;
    bool ok = read_commit(&commit, &object, r, oid, st);
    free(object.at);
    if (!ok) return false;
    *tree = memcpy(room, commit.tree, OBJID_MAX);
    return true;
}

static bool index_staged(struct change_list *out, void *handle, const char *commit, struct arena *arena,
                         struct status *st) {
    struct index_reader *r = handle;
    uint8_t room[OBJID_MAX];
    const uint8_t *tree;
    return read_index(r, st) && tree_of(&tree, room, r, commit, st) &&
           treediff(out, tree, &r->index, &r->cache, &r->store, arena, st) && is_unchanged(r, st);
}

static bool index_between(struct change_list *out, void *handle, const char *before, const char *after,
                          struct arena *arena, struct status *st) {
    struct index_reader *r = handle;
    uint8_t rooms[2][OBJID_MAX];
    const uint8_t *trees[2];
    return tree_of(&trees[0], rooms[0], r, before, st) && tree_of(&trees[1], rooms[1], r, after, st) &&
           treediff_trees(out, trees[0], trees[1], &r->store, arena, st) && mapguard_sound(st);
}

static bool index_text(struct str *out, void *handle, const char *oid, size_t limit, struct status *st) {
    struct index_reader *r = handle;
    struct object object;
    uint8_t id[OBJID_MAX];
    if (!objid_from_text(id, view_of(oid), r->git.format.n_id))
        return status_fail(st, STATUS_BAD_INPUT, "'%s' is no object name", oid);
    if (!store_read(&object, &r->store, id, OBJECT_BLOB, st)) return false;
    bool ok = object.n <= limit;
    if (ok) str_add(out, (const char *)object.at, object.n);
    else status_fail(st, STATUS_UNSUPPORTED, "blob %s is longer than %zu bytes", oid, limit);
    free(object.at);
    return ok && str_ok(out, st);
}

static bool index_config(struct str *out, bool *found, void *handle, const char *key, struct status *st) {
    (void)out;
    (void)handle;
    *found = false;
    return status_fail(st, STATUS_UNSUPPORTED, "the configuration, and so '%s', is another reader's", key);
}

const struct reader index_reader = {
    .name = "index",
    .open = index_open,
    .close = index_close,
    .facts = index_facts,
    .head = index_head,
    .commit = index_commit,
    .staged = index_staged,
    .between = index_between,
    .message = index_message,
    .text = index_text,
    .config = index_config,
};
