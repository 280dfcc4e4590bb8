#include "git/index/store.h"

#include "git/index/mapguard.h"
#include "git/index/objid.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char *const type_names[] = {"", "commit", "tree", "blob", "tag"};

/* --- where objects are -------------------------------------------------------------------------------------
 */

static bool add_folder(struct store *store, struct view path, struct status *st) {
    if (store->n_folders == STORE_FOLDERS)
        return status_fail(st, STATUS_UNSUPPORTED, "more than %d alternates", STORE_FOLDERS - 1);
    char *copy = arena_copy(&store->arena, path.at, path.n, st);
    if (!copy) return false;
    store->folders[store->n_folders++] = copy;
    return true;
}

/* Lines of info/alternates: paths, absolute or from that "objects" folder; '#' starts a comment. */
static bool add_alternates(struct store *store, const char *folder, struct status *st) {
    enum { LIMIT = 1 << 20 };
    struct str path = {0}, text = {0};
    str_printf(&path, "%s/info/alternates", folder);
    bool ok = str_ok(&path, st);
    if (ok && file_exists(path.at)) {
        ok = file_read(&text, path.at, LIMIT, st);
        struct view line, rest = {str_c(&text), text.n};
        while (ok && view_line(&line, &rest)) {
            if (line.n == 0 || line.at[0] == '#') continue;
            str_clear(&path);
            if (line.at[0] == '"')
                ok = status_fail(st, STATUS_UNSUPPORTED, "info/alternates has a quoted path");
            if (line.at[0] != '/') str_printf(&path, "%s/", folder);
            str_add(&path, line.at, line.n);
            ok = ok && str_ok(&path, st) && add_folder(store, (struct view){path.at, path.n}, st);
        }
    }
    str_free(&path);
    str_free(&text);
    return ok;
}

bool store_open(struct store *out, const char *folder, struct view more, size_t n_id, struct status *st) {
    struct view line;
    *out = (struct store){.n_id = n_id, .left = STORE_LIMIT};
    bool ok = add_folder(out, view_of(folder), st);
    while (ok && view_line(&line, &more)) ok = add_folder(out, line, st);
    /* Alternates have alternates: the list grows while it is walked; a circle ends at its limit. */
    for (size_t i = 0; ok && i < out->n_folders; i++) ok = add_alternates(out, out->folders[i], st);
    if (!ok) store_close(out);
    return ok;
}

void store_refill(struct store *store) { store->left = STORE_LIMIT; }

void store_close(struct store *store) {
    for (size_t i = 0; i < store->n_packs; i++) packfile_close(&store->packs[i]);
    free(store->packs);
    arena_release(&store->arena);
    *store = (struct store){0};
}

static bool add_pack(struct store *store, const char *path, struct status *st) {
    struct packfile *packs = realloc(store->packs, (store->n_packs + 1) * sizeof *packs);
    if (!packs) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    store->packs = packs;
    if (!packfile_open(&packs[store->n_packs], path, store->n_id, st)) return false;
    store->n_packs++;
    return true;
}

static bool list_packs(struct store *store, const char *folder, struct status *st) {
    struct str path = {0};
    str_printf(&path, "%s/pack", folder);
    bool ok = str_ok(&path, st);
    DIR *dir = ok ? opendir(path.at) : NULL;
    if (ok && !dir && errno != ENOENT) ok = status_fail_errno(st, "cannot read '%s'", path.at);
    for (struct dirent *entry; ok && dir && (entry = readdir(dir));) {
        if (!view_ends(view_of(entry->d_name), ".idx")) continue;
        str_clear(&path);
        str_printf(&path, "%s/pack/%s", folder, entry->d_name);
        ok = str_ok(&path, st) && add_pack(store, path.at, st);
    }
    if (dir) closedir(dir);
    str_free(&path);
    return ok;
}

/* --- one object --- */

static enum object_type type_of(struct view name) {
    for (int i = OBJECT_COMMIT; i <= OBJECT_TAG; i++)
        if (view_is(name, type_names[i])) return (enum object_type)i;
    return 0;
}

/* "TYPE SIZE\0" */
static bool parse_header(struct object *out, const char *text, size_t n) {
    const char *nul = memchr(text, 0, n), *blank = memchr(text, ' ', n);
    if (!nul || !blank || blank > nul || nul - blank < 2 || nul - blank > 10) return false;
    out->type = type_of((struct view){text, (size_t)(blank - text)});
    for (const char *c = blank + 1; c < nul; c++) {
        if (*c < '0' || *c > '9') return false;
        out->n = out->n * 10 + (size_t)(*c - '0');
    }
    return out->type && out->n <= OBJECT_LIMIT;
}

/* The first bytes that inflating gives: enough for a header. */
static bool peek(char *out, size_t *n_out, size_t room, const uint8_t *bytes, size_t n, struct status *st) {
    z_stream z = {0};
    z.next_in = (uint8_t *)(uintptr_t)bytes;
    z.avail_in = n < UINT32_MAX ? (uInt)n : UINT32_MAX;
    z.next_out = (uint8_t *)out;
    z.avail_out = (uInt)room;
    int code = inflateInit(&z);
    if (code == Z_OK) {
        code = inflate(&z, Z_SYNC_FLUSH);
        inflateEnd(&z);
    }
    if (code == Z_MEM_ERROR)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory to decompress an object");
    *n_out = code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR ? room - z.avail_out : 0;
    return true;
}

bool store_parse_loose(struct object *out, const uint8_t *bytes, size_t n, struct status *st) {
    char head[32];
    size_t n_head = 0;
    *out = (struct object){0};
    if (!peek(head, &n_head, sizeof head, bytes, n, st)) return false;
    if (!parse_header(out, head, n_head)) {
        *out = (struct object){0};
        return status_fail(st, STATUS_BAD_INPUT, "a loose object is damaged: its header, or it is too large");
    }
    size_t header = strlen(head) + 1;
    if (!packfile_inflate(&out->at, header + out->n, bytes, n, st)) return false;
    memmove(out->at, out->at + header, out->n);
    return true;
}

/* *missing: no folder has it loose. */
static bool read_loose(struct object *out, bool *missing, struct store *store, const char *name,
                       struct status *st) {
    struct str path = {0};
    struct mapping map = {0};
    bool ok = true;
    *missing = true;
    for (size_t i = 0; ok && *missing && i < store->n_folders; i++) {
        str_clear(&path);
        str_printf(&path, "%s/%.2s/%s", store->folders[i], name, name + 2);
        ok = str_ok(&path, st);
        errno = 0;
        if (ok && mapguard_open(&map, path.at, NULL)) *missing = false;
        else if (ok && errno != ENOENT) ok = status_fail_errno(st, "cannot read '%s'", path.at);
    }
    if (ok && !*missing) ok = store_parse_loose(out, map.at, map.n, st);
    mapguard_close(&map);
    str_free(&path);
    return ok;
}

/* *missing: no pack has it. The pack that had the last one is asked first. */
static bool read_packed(struct object *out, bool *missing, struct store *store, const uint8_t *id,
                        struct status *st) {
    uint64_t offset;
    for (size_t i = 0; !store->packs_known && i < store->n_folders; i++)
        if (!list_packs(store, store->folders[i], st)) return false;
    store->packs_known = true;
    for (size_t i = 0; i < store->n_packs; i++) {
        size_t k = (store->last_pack + i) % store->n_packs;
        if (!packfile_find(&offset, &store->packs[k], id)) continue;
        store->last_pack = k;
        *missing = false;
        return packfile_read(out, &store->packs[k], offset, st);
    }
    *missing = true;
    return true;
}

static bool prove(const struct object *object, struct store *store, const uint8_t *id, enum object_type type,
                  const char *name, struct status *st) {
    uint8_t own[OBJID_MAX];
    if (object->type != type)
        return status_fail(st, STATUS_BAD_INPUT, "the object %s is no %s", name, type_names[type]);
    objid_name(own, store->n_id, type_names[type], object->at, object->n);
    if (memcmp(own, id, store->n_id) != 0)
        return status_fail(st, STATUS_BAD_INPUT, "the object %s is damaged: its content has another name",
                           name);
    if (object->n > store->left)
        return status_fail(st, STATUS_UNSUPPORTED, "more than %d MiB of objects are needed",
                           STORE_LIMIT >> 20);
    store->left -= object->n;
    return true;
}

/* A hook's few objects are mostly loose; who has opened the packs walks a history, which is in them. */
bool store_read(struct object *out, struct store *store, const uint8_t *id, enum object_type type,
                struct status *st) {
    char name[OID_TEXT];
    bool missing, packs_first = store->packs_known;
    *out = (struct object){0};
    objid_to_text(name, id, store->n_id);
    bool ok =
        packs_first ? read_packed(out, &missing, store, id, st) : read_loose(out, &missing, store, name, st);
    if (ok && missing)
        ok = packs_first ? read_loose(out, &missing, store, name, st)
                         : read_packed(out, &missing, store, id, st);
    if (ok && missing) ok = status_fail(st, STATUS_NOT_FOUND, "the object %s is missing", name);
    ok = ok && prove(out, store, id, type, name, st);
    if (ok) return true;
    free(out->at);
    *out = (struct object){0};
    return false;
}
