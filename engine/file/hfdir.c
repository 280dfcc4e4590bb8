#include "engine/file/hfdir.h"

#include "base/file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CONFIG_LIMIT = 4 << 20, INDEX_LIMIT = 64 << 20 /* bytes; the largest models have ten million */ };

bool hfdir_is_directory(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* --- JSON ----------------------------------------------------------------------------------------------- */

/* Absent: root stays NULL. */
static bool read_json(struct hfdir_json *out, const struct hfdir *dir, const char *name, const char *what,
                      size_t limit, struct status *st) {
    str_printf(&out->path, "%s/%s", dir->folder, name);
    if (!str_ok(&out->path, st)) return false;
    if (!file_exists(str_c(&out->path))) return true;
    return file_read(&out->text, str_c(&out->path), limit, st) &&
           jsonin_open(&out->doc, str_c(&out->path), (struct view){out->text.at, out->text.n}, 0, what, st);
}

static void close_json(struct hfdir_json *json) {
    jsonin_close(&json->doc);
    str_free(&json->path);
    str_free(&json->text);
}

/* --- shards --------------------------------------------------------------------------------------------- */

static int compare_views(struct view a, struct view b) {
    int order = memcmp(a.at, b.at, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int by_name(const void *a, const void *b) {
    const struct safetensors_tensor *const *x = a, *const *y = b;
    int order = compare_views((*x)->name, (*y)->name);
    return order ? order : ((*x)->path > (*y)->path) - ((*x)->path < (*y)->path);
}

static bool add_shard(struct hfdir *dir, const char *path, struct status *st) {
    void *grown = realloc(dir->shards, (dir->n_shards + 1) * sizeof *dir->shards);
    if (!grown) return status_fail(st, STATUS_NO_MEMORY, "%.120s: out of memory", path);
    dir->shards = grown;
    if (!safetensors_open(&dir->shards[dir->n_shards], path, st)) return false;
    dir->n_shards++;
    return true;
}

static bool has_shard(const struct hfdir *dir, const char *path) {
    for (size_t i = 0; i < dir->n_shards; i++)
        if (strcmp(safetensors_path(dir->shards[i]), path) == 0) return true;
    return false;
}

/* Every tensor of every shard, sorted; one name in two shards stands twice, side by side. */
static bool collect(struct hfdir *dir, struct status *st) {
    size_t n = 0;
    for (size_t i = 0; i < dir->n_shards; i++) n += safetensors_n_tensors(dir->shards[i]);
    dir->tensors = arena_alloc(&dir->arena, n, sizeof(void *), st);
    if (!dir->tensors) return false;
    for (size_t i = 0; i < dir->n_shards; i++)
        for (size_t j = 0; j < safetensors_n_tensors(dir->shards[i]); j++)
            dir->tensors[dir->n_tensors++] = safetensors_at(dir->shards[i], j);
    qsort(dir->tensors, dir->n_tensors, sizeof *dir->tensors, by_name);
    return true;
}

/* The first tensor of this name, or n_tensors. */
static size_t find(const struct hfdir *dir, struct view name) {
    size_t low = 0, high = dir->n_tensors;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_views(dir->tensors[middle]->name, name) < 0) low = middle + 1;
        else high = middle;
    }
    return low < dir->n_tensors && view_equal(dir->tensors[low]->name, name) ? low : dir->n_tensors;
}

const struct safetensors_tensor *hfdir_find(const struct hfdir *dir, const char *name) {
    size_t at = find(dir, view_of(name));
    return at < dir->n_tensors ? dir->tensors[at] : NULL;
}

static bool refuse_doubles(const struct hfdir *dir, struct status *st) {
    for (size_t i = 1; i < dir->n_tensors; i++) {
        const struct safetensors_tensor *a = dir->tensors[i - 1], *b = dir->tensors[i];
        char shown[VIEW_SHOWN];
        if (view_equal(a->name, b->name))
            return status_fail(
                st, STATUS_BAD_INPUT,
                "%.120s: byte %zu: tensor '%s' is in %.120s too, and no model.safetensors.index.json "
                "says which counts",
                b->path, b->offset, view_shown(shown, b->name), a->path);
    }
    return true;
}

/* --- the index ------------------------------------------------------------------------------------------ */

static bool refuse_entry(const struct jsonin *index, const char *key, const char *reason, struct status *st) {
    char shown[VIEW_SHOWN];
    return status_fail(st, STATUS_BAD_INPUT, "%.120s: byte %zu: weight_map '%s' %s; fetch the model again",
                       index->path, jsonin_offset(index, view_of(key)), view_shown(shown, view_of(key)),
                       reason);
}

/* A file of this directory, and nothing else. */
static bool is_plain_name(const char *name) {
    return name && name[0] && name[0] != '.' && !strpbrk(name, "/\\");
}

static bool open_indexed(struct hfdir *dir, const struct jsonin *index, const json_t *map,
                         struct status *st) {
    const char *key;
    json_t *value;
    struct str path = {0};
    bool ok = true;
    json_object_foreach((json_t *)map, key, value) {
        const char *name = json_string_value(value);
        if (!is_plain_name(name)) {
            ok = refuse_entry(index, key, "has to be the name of a file of the same directory", st);
            break;
        }
        str_clear(&path);
        str_printf(&path, "%s/%s", dir->folder, name);
        ok = str_ok(&path, st) && (has_shard(dir, str_c(&path)) || add_shard(dir, str_c(&path), st));
        if (!ok) break;
    }
    str_free(&path);
    return ok;
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool hfdir_apply_index(struct hfdir *dir, const struct jsonin *index, struct status *st) {
    const json_t *map = json_object_get(index->root, "weight_map");
    const struct safetensors_tensor **kept =
        arena_alloc(&dir->arena, json_object_size(map), sizeof(void *), st);
    if (!kept) return false;
    size_t n = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)map, key, value) {
        const char *name = json_string_value(value);
        size_t at = find(dir, view_of(key));
        while (at < dir->n_tensors && view_is(dir->tensors[at]->name, key) && name &&
               strcmp(file_name(dir->tensors[at]->path), name) != 0)
            at++;
        if (!name || at >= dir->n_tensors || !view_is(dir->tensors[at]->name, key))
            return refuse_entry(index, key, "names a file that does not hold this tensor", st);
        kept[n++] = dir->tensors[at];
    }
    qsort(kept, n, sizeof *kept, by_name);
    dir->tensors = kept;
    dir->n_tensors = n;
    return true;
}

static bool open_index(struct hfdir *dir, const struct jsonin *index, struct status *st) {
    json_t *map;
    if (!jsonin_child(&map, index, index->root, "weight_map", JSON_OBJECT, st)) return false;
    if (!map || json_object_size(map) == 0)
        return status_fail(st, STATUS_BAD_INPUT,
                           "%.120s: byte 0: there is no weight_map in it; fetch the model again",
                           index->path);
    return open_indexed(dir, index, map, st) && collect(dir, st) && hfdir_apply_index(dir, index, st);
}

/* --- a directory ---------------------------------------------------------------------------------------- */

static int is_weights(const struct dirent *entry) {
    return entry->d_name[0] != '.' && view_ends(view_of(entry->d_name), ".safetensors");
}

static bool named(const struct dirent *entry, const char *name) { return strcmp(entry->d_name, name) == 0; }

/* Without an index: model.safetensors alone, which others may lie beside (Mistral's consolidated.safetensors
 * is the same model once more); else all there are. ExLlamaV2 (output*) takes all, and leaves the index of
 * the source model beside its own files. */
static bool open_all(struct hfdir *dir, struct dirent **entries, int n, bool exl2, struct status *st) {
    struct str path = {0};
    bool ok = true, alone = false;
    for (int i = 0; i < n; i++) alone = alone || (!exl2 && named(entries[i], "model.safetensors"));
    for (int i = 0; i < n && ok; i++) {
        if (alone && !named(entries[i], "model.safetensors")) continue;
        str_clear(&path);
        str_printf(&path, "%s/%s", dir->folder, entries[i]->d_name);
        ok = str_ok(&path, st) && add_shard(dir, str_c(&path), st);
    }
    str_free(&path);
    return ok && collect(dir, st) && refuse_doubles(dir, st);
}

static bool is_exl2(struct dirent **entries, int n) {
    bool found = false;
    for (int i = 0; i < n; i++) found = found || view_starts(view_of(entries[i]->d_name), "output");
    return found;
}

static bool open_folder(struct hfdir *dir, struct status *st) {
    struct dirent **entries = NULL;
    struct hfdir_json index = {0};
    int n = scandir(dir->folder, &entries, is_weights, alphasort);
    bool ok;
    if (n < 0) ok = status_fail_errno(st, "%.120s: its files cannot be listed", dir->folder);
    else if (n == 0)
        ok = status_fail(
            st, STATUS_NOT_FOUND,
            "%.120s: there is no *.safetensors in this directory; name a directory with a model in "
            "that format, or a GGUF file",
            dir->folder);
    else if (is_exl2(entries, n)) ok = open_all(dir, entries, n, true, st);
    else if (!read_json(&index, dir, "model.safetensors.index.json", "index", INDEX_LIMIT, st)) ok = false;
    else ok = index.doc.root ? open_index(dir, &index.doc, st) : open_all(dir, entries, n, false, st);
    for (int i = 0; i < n; i++) free(entries[i]);
    free(entries);
    close_json(&index);
    return ok;
}

static bool open_weights(struct hfdir *dir, bool directory, struct status *st) {
    if (!directory) return add_shard(dir, dir->path, st) && collect(dir, st);
    if (!dir->config.doc.root)
        return status_fail(
            st, STATUS_NOT_FOUND,
            "%.120s: there is no config.json in this directory; name a directory with a whole model, "
            "or a GGUF file",
            dir->path);
    return open_folder(dir, st);
}

/* "." for a bare file name; without slashes at the end. */
static char *folder_of(const char *path, bool directory) {
    const char *slash = strrchr(path, '/');
    if (!directory) return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    return strndup(path, n);
}

static struct hfdir *new_folder(const char *path, bool directory, struct status *st) {
    struct hfdir *dir = calloc(1, sizeof *dir);
    if (dir) dir->path = strdup(path);
    if (dir) dir->folder = folder_of(path, directory);
    if (dir && dir->path && dir->folder) return dir;
    hfdir_close(dir);
    status_fail(st, STATUS_NO_MEMORY, "%.120s: out of memory", path);
    return NULL;
}

bool hfdir_parse(struct hfdir **out, const char *name, struct view config, struct view index,
                 struct view weights, struct status *st) {
    struct hfdir *dir = new_folder(name, true, st);
    struct jsonin map = {0};
    struct str path = {0};
    *out = NULL;
    if (!dir) return false;
    str_printf(&path, "%s/model.safetensors", name);
    dir->shards = calloc(1, sizeof *dir->shards);
    bool ok = dir->shards && str_ok(&path, st) &&
              jsonin_open(&dir->config.doc, name, config, 0, "config", st) &&
              safetensors_parse(&dir->shards[0], str_c(&path), weights.at, weights.n, st);
    if (ok) dir->n_shards = 1;
    ok = ok && collect(dir, st) &&
         (index.n == 0 ||
          (jsonin_open(&map, name, index, 0, "index", st) && hfdir_apply_index(dir, &map, st)));
    jsonin_close(&map);
    str_free(&path);
    if (ok) *out = dir;
    else hfdir_close(dir);
    return ok;
}

bool hfdir_open(struct hfdir **out, const char *path, struct status *st) {
    bool directory = hfdir_is_directory(path);
    struct hfdir *dir = new_folder(path, directory, st);
    *out = NULL;
    if (!dir) return false;
    bool ok =
        read_json(&dir->config, dir, "config.json", "config", CONFIG_LIMIT, st) &&
        read_json(&dir->generation, dir, "generation_config.json", "generation config", CONFIG_LIMIT, st) &&
        read_json(&dir->quantize, dir, "quantize_config.json", "quantization config", CONFIG_LIMIT, st) &&
        open_weights(dir, directory, st);
    if (ok) *out = dir;
    else hfdir_close(dir);
    return ok;
}

void hfdir_close(struct hfdir *dir) {
    if (!dir) return;
    for (size_t i = 0; i < dir->n_shards; i++) safetensors_close(dir->shards[i]);
    free(dir->shards);
    close_json(&dir->config);
    close_json(&dir->generation);
    close_json(&dir->quantize);
    arena_release(&dir->arena);
    free(dir->path);
    free(dir->folder);
    free(dir);
}
