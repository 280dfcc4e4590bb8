#include "git/index/treediff.h"

#include "git/index/objid.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 2048, LINK_MODE = 0120000, SUBMODULE_MODE = 0160000, FOLDER_MODE = 0040000 };

/* A name in a folder, on one side. */
struct item {
    struct view name;
    unsigned mode;
    const uint8_t *id;     /* of a folder in the index: NULL when nobody claims to know */
    bool unmerged, absent; /* in conflict; there, but not part of a commit */
    size_t from, to;       /* the entries of a folder in the index */
    const struct cachetree_node *node;
};

/* One side of a comparison: nothing, a tree, or a range of the index that lies in one folder. */
struct side {
    struct item item;
    bool there; /* item is one; else the side is at its end */
    /* a tree */
    struct object tree;
    size_t at;
    /* a range */
    bool is_range;
    size_t next, end;
    const struct cachetree_node *node, **children; /* sorted as trees are */
    size_t child;
    struct str written; /* the range as a tree object, to be proved */
};

struct differ {
    const struct indexfile *index;
    const struct cachetree *cache;
    struct store *store;
    struct change_list *out;
    struct arena *arena;
    struct str path; /* of the folder that is looked at, with its slash */
    size_t n_id;
    unsigned depth;
};

static bool corrupt(struct status *st, const char *what) {
    return status_fail(st, STATUS_BAD_INPUT, "the index is damaged: %s", what);
}

static bool is_folder(unsigned mode) { return mode == FOLDER_MODE; }

/* Trees sort a folder as if its name ended in '/'; so do paths in an index by themselves. */
static int order(struct view a, bool a_folder, struct view b, bool b_folder) {
    size_t n = a.n < b.n ? a.n : b.n;
    int by_name = n ? memcmp(a.at, b.at, n) : 0;
    if (by_name) return by_name;
    int c = a.n > n ? (unsigned char)a.at[n] : a_folder ? '/' : 0;
    int d = b.n > n ? (unsigned char)b.at[n] : b_folder ? '/' : 0;
    return c - d;
}

static bool advances(const struct side *side, struct view name, unsigned mode) {
    return !side->there || order(side->item.name, is_folder(side->item.mode), name, is_folder(mode)) < 0;
}

/* --- a tree: "MODE NAME\0ID" again and again --- */

/* Old trees have other permission bits; git takes them as these. */
static unsigned canonical(unsigned mode) {
    switch (mode & 0170000) {
    case 0100000: return mode & 0100 ? 0100755 : 0100644;
    case LINK_MODE: return LINK_MODE;
    case FOLDER_MODE: return FOLDER_MODE;
    default: return SUBMODULE_MODE;
    }
}

static bool next_in_tree(struct side *side, const struct differ *d, struct status *st) {
    side->there = side->there && side->at < side->tree.n;
    if (side->at == side->tree.n) return true;
    const uint8_t *at = side->tree.at + side->at, *end = side->tree.at + side->tree.n;
    unsigned mode = 0;
    const uint8_t *blank = memchr(at, ' ', (size_t)(end - at));
    const uint8_t *nul = blank ? memchr(blank, 0, (size_t)(end - blank)) : NULL;
    if (!nul || blank == at || blank - at > 7 || nul == blank + 1 || (size_t)(end - nul - 1) < d->n_id)
        goto damaged;
    for (; at < blank; at++) {
        if (*at < '0' || *at > '7') goto damaged;
        mode = mode << 3 | (unsigned)(*at - '0');
    }
    struct view name = {(const char *)blank + 1, (size_t)(nul - blank - 1)};
    mode = canonical(mode);
    if (memchr(name.at, '/', name.n) || !advances(side, name, mode)) goto damaged;
    side->item = (struct item){.name = name, .mode = mode, .id = nul + 1};
    side->there = true;
    side->at = (size_t)(nul + 1 + d->n_id - side->tree.at);
    return true;
damaged:
    return status_fail(st, STATUS_BAD_INPUT, "a tree object is malformed");
}

/* --- a range of the index --- */

static int by_tree_order(const void *a, const void *b) {
    const struct cachetree_node *const *x = a, *const *y = b;
    return order((*x)->name, true, (*y)->name, true);
}

static bool sort_children(struct side *side, const struct differ *d, struct status *st) {
    size_t n = side->node ? side->node->n_children : 0;
    if (n == 0) return true;
    side->children = malloc(n * sizeof *side->children);
    if (!side->children) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    const struct cachetree_node *child = side->node + 1;
    for (size_t i = 0; i < n; i++, child = d->cache->at + child->next) side->children[i] = child;
    qsort(side->children, n, sizeof *side->children, by_tree_order);
    return true;
}

static const struct cachetree_node *find_child(struct side *side, struct view name) {
    if (!side->children) return NULL;
    for (; side->child < side->node->n_children; side->child++) {
        int c = order(side->children[side->child]->name, true, name, true);
        if (c == 0) return side->children[side->child];
        if (c > 0) return NULL;
    }
    return NULL;
}

/* Does the i-th entry lie in the folder whose path is the first n bytes of `like`, the last of them a slash?
 */
static bool is_below(const struct differ *d, size_t i, const struct index_entry *like, size_t n) {
    struct index_entry entry = indexfile_entry(d->index, i);
    return entry.n_path >= n && memcmp(entry.path, like->path, n) == 0;
}

/* The end of a folder's entries when nobody has counted them: ever longer steps, then halves. */
static size_t end_of_folder(const struct differ *d, const struct side *side, const struct index_entry *first,
                            size_t n) {
    size_t in = side->next, step = 1;
    while (in + step < side->end && is_below(d, in + step, first, n)) {
        in += step;
        step *= 2;
    }
    size_t out = in + step < side->end ? in + step : side->end;
    while (out - in > 1) {
        size_t middle = in + (out - in) / 2;
        if (is_below(d, middle, first, n)) in = middle;
        else out = middle;
    }
    return out;
}

static bool take_folder(struct side *side, const struct differ *d, const struct index_entry *first,
                        struct view name, struct status *st) {
    size_t n = d->path.n + name.n + 1;
    struct item *item = &side->item;
    *item = (struct item){.name = name, .mode = FOLDER_MODE, .from = side->next};
    item->node = find_child(side, name);
    if (item->node && item->node->id) {
        size_t count = item->node->n_entries;
        item->id = item->node->id;
        if (count == 0 || count > side->end - side->next || !is_below(d, side->next + count - 1, first, n) ||
            (side->next + count < side->end && is_below(d, side->next + count, first, n)))
            return corrupt(st, "a cached tree counts other entries than there are");
        item->to = side->next + count;
    } else {
        item->to = end_of_folder(d, side, first, n);
    }
    side->next = item->to;
    return true;
}

static bool take_file(struct side *side, const struct differ *d, const struct index_entry *entry,
                      struct view name, struct status *st) {
    unsigned kind = entry->mode & 0170000;
    if (entry->mode != canonical(entry->mode) || kind == FOLDER_MODE ||
        (kind == SUBMODULE_MODE && entry->mode != SUBMODULE_MODE))
        return corrupt(st, "an entry of a kind that there is not");
    side->item = (struct item){.name = name,
                               .mode = entry->mode,
                               .id = entry->id,
                               .unmerged = entry->stage != 0,
                               .absent = entry->stage != 0 || entry->intended};
    unsigned stage = entry->stage;
    for (side->next++; stage && side->next < side->end; side->next++) { /* the other stages of its name */
        struct index_entry other = indexfile_entry(d->index, side->next);
        if (other.n_path != entry->n_path || memcmp(other.path, entry->path, entry->n_path) != 0) break;
        if (other.stage <= stage) return corrupt(st, "entries out of order");
        stage = other.stage;
    }
    return true;
}

/* A folder that a sparse checkout leaves out: one entry, its path ends in a slash. */
static bool take_sparse(struct side *side, const struct differ *d, const struct index_entry *entry,
                        struct view name, struct status *st) {
    if (!d->index->sparse || entry->mode != INDEX_MODE_FOLDER || entry->stage || entry->intended)
        return corrupt(st, "a path that ends in a slash");
    side->item = (struct item){.name = name, .mode = FOLDER_MODE, .id = entry->id};
    side->next++;
    return true;
}

static void write_item(struct side *side, const struct differ *d) {
    str_printf(&side->written, "%o ", side->item.mode);
    str_add(&side->written, side->item.name.at, side->item.name.n);
    str_putc(&side->written, '\0');
    str_add(&side->written, (const char *)side->item.id, d->n_id);
}

/* At its end a folder must be the tree that the cache says it is. */
static bool prove(const struct side *side, const struct differ *d, struct status *st) {
    uint8_t id[OBJID_MAX];
    if (!side->node || !side->node->id) return true;
    if (!str_ok(&side->written, st)) return false;
    objid_name(id, d->n_id, "tree", str_c(&side->written), side->written.n);
    return memcmp(id, side->node->id, d->n_id) == 0 ? true
                                                    : corrupt(st, "a folder is not the tree it is cached as");
}

static bool next_in_range(struct side *side, const struct differ *d, struct status *st) {
    if (side->next == side->end) {
        side->there = false;
        return prove(side, d, st);
    }
    struct item before = side->item;
    struct index_entry entry = indexfile_entry(d->index, side->next);
    size_t n = d->path.n;
    if (entry.n_path <= n || (n && memcmp(entry.path, d->path.at, n) != 0) ||
        memchr(entry.path, '\0', entry.n_path))
        return corrupt(st, "entries out of order");
    struct view name = {entry.path + n, entry.n_path - n};
    const char *slash = memchr(name.at, '/', name.n);
    bool last = slash && slash == name.at + name.n - 1;
    if (slash) name.n = (size_t)(slash - name.at);
    if (name.n == 0) return corrupt(st, "an empty name");
    bool ok = last    ? take_sparse(side, d, &entry, name, st)
              : slash ? take_folder(side, d, &entry, name, st)
                      : take_file(side, d, &entry, name, st);
    if (!ok) return false;
    if (side->there && order(before.name, is_folder(before.mode), name, slash != NULL) >= 0)
        return corrupt(st, "entries out of order");
    side->there = true;
    if (!side->node || !side->node->id) return true;
    if (side->item.absent || !side->item.id) return corrupt(st, "a cached tree of what is no tree");
    write_item(side, d);
    return true;
}

/* --- two sides --- */

static bool next(struct side *side, const struct differ *d, struct status *st) {
    return side->is_range ? next_in_range(side, d, st) : next_in_tree(side, d, st);
}

static bool open_tree(struct side *side, const struct differ *d, const uint8_t *id, struct status *st) {
    if (!d->store) return status_fail(st, STATUS_NOT_FOUND, "a tree is needed and there is no object store");
    return store_read(&side->tree, d->store, id, OBJECT_TREE, st);
}

/* The folder behind an item; an item that is no folder is an empty side. */
static bool open_side(struct side *side, const struct differ *d, const struct item *item, struct status *st) {
    *side = (struct side){0};
    if (!item || !is_folder(item->mode)) return true;
    if (item->from == item->to) return open_tree(side, d, item->id, st);
    side->is_range = true;
    side->next = item->from;
    side->end = item->to;
    side->node = item->node;
    return sort_children(side, d, st);
}

static void close_side(struct side *side) {
    free(side->tree.at);
    free(side->children);
    str_free(&side->written);
}

static void fill(unsigned *mode, char oid[OID_TEXT], const struct item *item, const struct differ *d) {
    *mode = item ? item->mode : 0;
    if (item) objid_to_text(oid, item->id, d->n_id);
    else memset(oid, '0', 2 * d->n_id);
}

static bool add_change(struct differ *d, const struct item *old, const struct item *now, struct status *st) {
    struct change change = {0};
    if (d->out->n == TREEDIFF_CHANGES)
        return status_fail(st, STATUS_UNSUPPORTED, "more than %d files are staged", TREEDIFF_CHANGES);
    fill(&change.old_mode, change.old_oid, old, d);
    fill(&change.new_mode, change.new_oid, now, d);
    bool other_kind = (change.old_mode ^ change.new_mode) & 0170000;
    change.status = !old ? 'A' : !now ? 'D' : other_kind ? 'T' : 'M';
    size_t before = d->path.n;
    const struct view name = old ? old->name : now->name;
    str_add(&d->path, name.at, name.n);
    change.path = str_c(&d->path);
    bool ok = str_ok(&d->path, st) && change_add(d->out, &change, d->path.n, d->arena, st);
    d->path.n = before;
    return ok;
}

static bool compare_folders(struct differ *d, const struct item *old, const struct item *now,
                            struct status *st);

/* The same name on both sides, or on one (the other NULL). */
static bool compare_items(struct differ *d, const struct item *old, const struct item *now,
                          struct status *st) {
    if (now && now->unmerged) return true; /* in conflict: not part of any commit */
    if (now && now->absent) now = NULL;
    if (!old && !now) return true;
    bool same = old && now && old->mode == now->mode && now->id && memcmp(old->id, now->id, d->n_id) == 0;
    if (same) return true;
    if (!is_folder(old ? old->mode : now->mode)) return add_change(d, old, now, st);
    size_t before = d->path.n;
    const struct view name = old ? old->name : now->name;
    str_add(&d->path, name.at, name.n);
    str_putc(&d->path, '/');
    bool ok = str_ok(&d->path, st) && compare_folders(d, old, now, st);
    d->path.n = before;
    return ok;
}

static bool compare_sides(struct differ *d, struct side *old, struct side *now, struct status *st) {
    bool ok = next(old, d, st) && next(now, d, st);
    while (ok && (old->there || now->there)) {
        int c = !old->there   ? 1
                : !now->there ? -1
                              : order(old->item.name, is_folder(old->item.mode), now->item.name,
                                      is_folder(now->item.mode));
        ok = compare_items(d, c <= 0 ? &old->item : NULL, c >= 0 ? &now->item : NULL, st) &&
             (c > 0 || next(old, d, st)) && (c < 0 || next(now, d, st));
    }
    return ok;
}

/* As deep as folders are, at most DEPTH. */
static bool compare_folders(struct differ *d, const struct item *old, const struct item *now,
                            struct status *st) {
    struct side a, b = {0};
    if (d->depth == DEPTH) return status_fail(st, STATUS_UNSUPPORTED, "folders more than %d deep", DEPTH);
    d->depth++;
    bool ok = open_side(&a, d, old, st) && open_side(&b, d, now, st) && compare_sides(d, &a, &b, st);
    close_side(&a);
    close_side(&b);
    d->depth--;
    return ok;
}

bool treediff(struct change_list *out, const uint8_t *tree, const struct indexfile *index,
              const struct cachetree *cache, struct store *store, struct arena *arena, struct status *st) {
    struct differ d = {
        .index = index, .cache = cache, .store = store, .out = out, .arena = arena, .n_id = index->n_id};
    const struct cachetree_node *root = cache->at;
    struct item old = {.mode = FOLDER_MODE, .id = tree};
    struct item now = {.mode = FOLDER_MODE, .to = index->n, .node = root, .id = root ? root->id : NULL};
    if (root && root->id && root->n_entries != index->n)
        return corrupt(st, "the cached tree counts other entries than there are");
    if (tree && now.id && memcmp(tree, now.id, d.n_id) == 0) return true;
    if (index->n == 0) now.mode = 0; /* nothing to open */
    bool ok = compare_folders(&d, tree ? &old : NULL, &now, st);
    str_free(&d.path);
    return ok;
}

bool treediff_trees(struct change_list *out, const uint8_t *before, const uint8_t *after, struct store *store,
                    struct arena *arena, struct status *st) {
    struct differ d = {.store = store, .out = out, .arena = arena, .n_id = store->n_id};
    struct item old = {.mode = FOLDER_MODE, .id = before}, now = {.mode = FOLDER_MODE, .id = after};
    if (before && after && memcmp(before, after, d.n_id) == 0) return true;
    bool ok = compare_folders(&d, before ? &old : NULL, after ? &now : NULL, st);
    str_free(&d.path);
    return ok;
}
