#include "coverage/debt/stamps.h"

#include "sotadb/sql/cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NUMBERS = 4 };

static void key_of(struct str *out, const char *root) {
    str_puts(out, "stamps 1");
    str_add(out, "", 1);
    str_puts(out, root);
}

/* PATH NUL, four numbers of eight bytes, OID NUL */
static bool read_one(struct stamp *out, struct view *rest) {
    const char *nul = memchr(rest->at, 0, rest->n);
    size_t n = nul ? (size_t)(nul - rest->at) + 1 : 0;
    int64_t numbers[NUMBERS];
    if (!nul || rest->n - n < sizeof numbers) return false;
    memcpy(numbers, rest->at + n, sizeof numbers);
    *out = (struct stamp){rest->at, numbers[0], numbers[1], numbers[2], numbers[3], ""};
    *rest = (struct view){rest->at + n + sizeof numbers, rest->n - n - sizeof numbers};
    nul = memchr(rest->at, 0, rest->n);
    n = nul ? (size_t)(nul - rest->at) + 1 : 0;
    if (!nul || n > OID_TEXT) return false;
    memcpy(out->oid, rest->at, n);
    *rest = (struct view){rest->at + n, rest->n - n};
    return true;
}

void stamps_load(struct stamps *out, struct cache *cache, const char *root) {
    struct str key = {0};
    *out = (struct stamps){0};
    key_of(&key, root);
    if (!key.failed) cache_get(&out->bytes, cache, (struct view){str_c(&key), key.n}, NULL, NULL);
    str_free(&key);
    struct view rest = {str_c(&out->bytes), out->bytes.n};
    out->at = malloc((rest.n / (2 + NUMBERS * sizeof(int64_t)) + 1) * sizeof *out->at);
    while (out->at && rest.n && read_one(&out->at[out->n], &rest)) out->n++;
}

void stamps_save(struct cache *cache, const char *root, const struct stamp *all, size_t n) {
    struct str key = {0}, value = {0};
    key_of(&key, root);
    for (size_t i = 0; i < n; i++) {
        int64_t numbers[NUMBERS] = {all[i].size, all[i].modified, all[i].changed, all[i].inode};
        str_add(&value, all[i].path, strlen(all[i].path) + 1);
        str_add(&value, (const char *)numbers, sizeof numbers);
        str_add(&value, all[i].oid, strlen(all[i].oid) + 1);
    }
    if (!key.failed && !value.failed)
        cache_put(cache, (struct view){str_c(&key), key.n}, (struct view){0},
                  (struct view){str_c(&value), value.n});
    str_free(&key);
    str_free(&value);
}

void stamps_free(struct stamps *stamps) {
    str_free(&stamps->bytes);
    free(stamps->at);
    *stamps = (struct stamps){0};
}

static int64_t nanoseconds(struct timespec t) { return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec; }

bool stamp_take(struct stamp *out, const char *path, const struct stat *info, int64_t now) {
    enum { SETTLED = 2 };
    *out = (struct stamp){path,
                          (int64_t)info->st_size,
                          nanoseconds(info->st_mtim),
                          nanoseconds(info->st_ctim),
                          (int64_t)info->st_ino,
                          ""};
    int64_t last = out->modified > out->changed ? out->modified : out->changed;
    return S_ISREG(info->st_mode) && last < now - (int64_t)SETTLED * 1000000000;
}

static int by_path(const void *key, const void *item) {
    return strcmp(((const struct stamp *)key)->path, ((const struct stamp *)item)->path);
}

bool stamps_find(struct stamp *stamp, const struct stamps *stamps) {
    const struct stamp *known =
        stamps->n ? bsearch(stamp, stamps->at, stamps->n, sizeof *stamps->at, by_path) : NULL;
    if (!known || known->size != stamp->size || known->modified != stamp->modified ||
        known->changed != stamp->changed || known->inode != stamp->inode)
        return false;
    memcpy(stamp->oid, known->oid, OID_TEXT);
    return true;
}
