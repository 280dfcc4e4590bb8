#include "sotadb/sql/cache.h"

#include "base/hash.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FORMAT = 1,             /* PRAGMA user_version */
    APPLICATION = 0x66616b, /* PRAGMA application_id: "fak" */
    SEAL = 20,              /* bytes of the hash before each value */
    BATCH = 2000,           /* puts in one transaction, so that an interrupted run keeps most */
    LARGEST = 1 << 30,      /* of the file, in bytes: beyond it a new one is begun */
};

struct cache {
    sqlite3 *db;
    sqlite3_stmt *get, *put;
    bool reading, writing; /* a transaction is open: one for many reads saves a lock each */
    bool silent;           /* nothing is kept any more */
    size_t n_put;
    char note[400];
};

/* --- opening -------------------------------------------------------------------------------------------- */

static void note(struct cache *cache, const char *format, ...) STATUS_PRINTF(2, 3);
static void note(struct cache *cache, const char *format, ...) {
    if (cache->note[0]) return; /* the first thing that went wrong is the one to tell */
    struct str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    size_t n = text.n < sizeof cache->note - 1 ? text.n : sizeof cache->note - 1;
    if (n) memcpy(cache->note, text.at, n);
    cache->note[n] = 0;
    str_free(&text);
}

static void shut(struct cache *cache) {
    sqlite3_finalize(cache->get);
    sqlite3_finalize(cache->put);
    sqlite3_close(cache->db);
    cache->get = cache->put = NULL;
    cache->db = NULL;
}

static int pragma(sqlite3 *db, const char *query) {
    sqlite3_stmt *row = NULL;
    int value = -1;
    if (sqlite3_prepare_v2(db, query, -1, &row, NULL) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW)
        value = sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    return value;
}

/* SQLITE_OK, or what is wrong; SQLITE_NOTADB also for a database that is not ours. */
static int prepare(struct cache *cache, const char *path) {
    enum { FLAGS = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX };
    int code = sqlite3_open_v2(path, &cache->db, FLAGS, NULL);
    if (code != SQLITE_OK) return code;
    sqlite3_busy_timeout(cache->db, 200);
    sqlite3_limit(cache->db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_db_config(cache->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(cache->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    code =
        sqlite3_exec(cache->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
    if (code != SQLITE_OK) return code;
    bool fresh = pragma(cache->db, "SELECT count(*) FROM sqlite_schema") == 0;
    if (!fresh && (pragma(cache->db, "PRAGMA user_version") != FORMAT ||
                   pragma(cache->db, "PRAGMA application_id") != APPLICATION))
        return SQLITE_NOTADB;
    if (fresh) {
        char *make =
            sqlite3_mprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;"
                            "CREATE TABLE entry (key BLOB NOT NULL, variant BLOB NOT NULL, value BLOB "
                            "NOT NULL, PRIMARY KEY (key, variant)) STRICT",
                            APPLICATION, FORMAT);
        code = make ? sqlite3_exec(cache->db, make, NULL, NULL, NULL) : SQLITE_NOMEM;
        sqlite3_free(make);
        if (code != SQLITE_OK) return code;
    }
    code = sqlite3_prepare_v3(cache->db, "SELECT variant, value FROM entry WHERE key = ?1 ORDER BY variant",
                              -1, SQLITE_PREPARE_PERSISTENT, &cache->get, NULL);
    if (code != SQLITE_OK) return code;
    return sqlite3_prepare_v3(cache->db, "INSERT OR REPLACE INTO entry VALUES (?1, ?2, ?3)", -1,
                              SQLITE_PREPARE_PERSISTENT, &cache->put, NULL);
}

static void remove_files(const char *path) {
    static const char *const tails[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        struct str name = {0};
        str_printf(&name, "%s%s", path, tails[i]);
        if (!name.failed) unlink(str_c(&name));
        str_free(&name);
    }
}

static bool is_too_large(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && info.st_size > LARGEST;
}

static bool is_damaged(int code) {
    return (code & 0xff) == SQLITE_NOTADB || (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_ERROR;
}

struct cache *cache_open(const char *path) {
    struct cache *cache = calloc(1, sizeof *cache);
    if (!cache) return NULL;
    mode_t mask = umask(077); /* what we scanned is nobody else's business */
    if (is_too_large(path)) remove_files(path);
    int code = prepare(cache, path);
    if (is_damaged(code)) {
        shut(cache);
        remove_files(path);
        note(cache, "the cache %s was damaged or not ours; it is made anew", path);
        code = prepare(cache, path);
    }
    umask(mask);
    if (code != SQLITE_OK) {
        const char *why = (code & 0xff) == SQLITE_BUSY ? "another process holds it"
                          : (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY
                              ? "it cannot be written"
                              : sqlite3_errstr(code);
        note(cache, "working without the cache %s: %s", path, why);
        shut(cache);
        cache->silent = true;
    }
    return cache;
}

/* --- writing -------------------------------------------------------------------------------------------- */

/* The disk is full, another process writes ...: read on, keep nothing. */
static void give_up(struct cache *cache, int code) {
    const char *why = (code & 0xff) == SQLITE_BUSY ? "another process writes it" : sqlite3_errstr(code);
    note(cache, "nothing new is kept in the cache: %s", why);
    if (!sqlite3_get_autocommit(cache->db)) sqlite3_exec(cache->db, "ROLLBACK", NULL, NULL, NULL);
    cache->reading = cache->writing = false;
    cache->silent = true;
}

static void seal(uint8_t out[SEAL], struct view key, struct view value) {
    hash_sha1_of_two(out, key.at, key.n, value.at, value.n);
}

void cache_commit(struct cache *cache) {
    if (!cache || (!cache->writing && !cache->reading)) return;
    int code = sqlite3_exec(cache->db, "COMMIT", NULL, NULL, NULL);
    cache->reading = cache->writing = false;
    cache->n_put = 0;
    if (code != SQLITE_OK) give_up(cache, code);
}

void cache_put(struct cache *cache, struct view key, struct view variant, struct view value) {
    if (!cache || cache->silent || key.n > INT32_MAX || variant.n > INT32_MAX || value.n > INT32_MAX / 2)
        return;
    if (!cache->writing) {
        if (cache->reading) cache_commit(cache);
        int code = sqlite3_exec(cache->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        if (code != SQLITE_OK) {
            give_up(cache, code);
            return;
        }
        cache->writing = true;
    }
    uint8_t hash[SEAL];
    struct str sealed = {0};
    seal(hash, key, value);
    str_add(&sealed, (const char *)hash, SEAL);
    str_add(&sealed, value.at, value.n);
    int code = SQLITE_NOMEM;
    if (!sealed.failed) {
        sqlite3_bind_blob(cache->put, 1, key.at, (int)key.n, SQLITE_STATIC);
        /* A NULL pointer binds NULL; an empty blob is meant. */
        sqlite3_bind_blob(cache->put, 2, variant.n ? variant.at : "", (int)variant.n, SQLITE_STATIC);
        sqlite3_bind_blob(cache->put, 3, sealed.at, (int)sealed.n, SQLITE_STATIC);
        sqlite3_step(cache->put);
        code = sqlite3_reset(cache->put);
        sqlite3_clear_bindings(cache->put);
    }
    str_free(&sealed);
    if (code != SQLITE_OK) give_up(cache, code);
    else if (++cache->n_put >= BATCH) cache_commit(cache);
}

/* --- reading -------------------------------------------------------------------------------------------- */

static struct view column(sqlite3_stmt *row, int i) {
    const char *at = sqlite3_column_blob(row, i);
    return (struct view){at ? at : "", (size_t)sqlite3_column_bytes(row, i)};
}

/* The value without its hash; false when the hash does not hold. */
static bool unseal(struct view *value, struct view key, struct view sealed) {
    uint8_t hash[SEAL];
    if (sealed.n < SEAL) return false;
    *value = (struct view){sealed.at + SEAL, sealed.n - SEAL};
    seal(hash, key, *value);
    return memcmp(hash, sealed.at, SEAL) == 0;
}

bool cache_get(struct str *out, struct cache *cache, struct view key,
               bool (*take)(void *context, struct view variant), void *context) {
    if (!cache || !cache->get || key.n > INT32_MAX) return false;
    bool found = false;
    if (!cache->writing && !cache->reading)
        cache->reading = sqlite3_exec(cache->db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_bind_blob(cache->get, 1, key.at, (int)key.n, SQLITE_STATIC);
    while (!found && sqlite3_step(cache->get) == SQLITE_ROW) {
        struct view value;
        if (take && !take(context, column(cache->get, 0))) continue;
        if (!unseal(&value, key, column(cache->get, 1))) continue;
        str_add(out, value.at, value.n);
        found = !out->failed;
    }
    sqlite3_reset(cache->get);
    sqlite3_clear_bindings(cache->get);
    return found;
}

const char *cache_note(const struct cache *cache) { return cache ? cache->note : ""; }

void cache_close(struct cache *cache) {
    if (!cache) return;
    cache_commit(cache);
    shut(cache);
    free(cache);
}
