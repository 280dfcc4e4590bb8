#include "sotadb/sql/matrix_read.h"
#include "base/file.h"
#include "sotadb/sql/field.h"

#include <assert.h>
#include <sqlite3.h>
#include <string.h>

static bool refuse(const struct seed *seed, const char *table, struct status *st) {
    return status_fail(st, STATUS_BAD_INPUT, "the %s of the matrix cannot be read: %s", table,
                       sqlite3_errmsg(seed->db));
}

/* --- one value --------------------------------------------------------------------------------------------
 */

static bool read_text(void *at, struct arena *arena, sqlite3_stmt *row, int column, struct status *st) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    const char *copy = text ? arena_copy(arena, text, (size_t)sqlite3_column_bytes(row, column), st) : "";
    memcpy(at, &copy, sizeof copy);
    return copy != NULL;
}

static int enum_value(const struct field_name *names, const char *text) {
    for (int i = 0; names[i].seed; i++)
        if (strcmp(names[i].seed, text) == 0) return i;
    assert(false && "a CHECK of the schema admits a value that field.c does not know");
    return 0;
}

static bool read_field(char *out, struct arena *arena, const struct field *field, sqlite3_stmt *row,
                       int column, struct status *st) {
    void *at = out + field->offset;
    int number = sqlite3_column_int(row, column);
    double real = sqlite3_column_double(row, column);
    bool flag = number != 0;
    switch (field->type) {
    case FIELD_TEXT: return read_text(at, arena, row, column, st);
    case FIELD_INT: memcpy(at, &number, sizeof number); break;
    case FIELD_BOOL: memcpy(at, &flag, sizeof flag); break;
    case FIELD_DOUBLE: memcpy(at, &real, sizeof real); break;
    case FIELD_ENUM:
        number = enum_value(field->names, (const char *)sqlite3_column_text(row, column));
        memcpy(at, &number, sizeof number); /* an enum of ours is as wide as int */
        break;
    case FIELD_RANGE: break;
    }
    return true;
}

/* --- one array --------------------------------------------------------------------------------------------
 */

static bool select_rows(sqlite3_stmt **out, const struct field_table *table, const struct seed *seed,
                        struct status *st) {
    struct str query = {0};
    str_puts(&query, "SELECT count(*) OVER ()");
    for (const struct field *field = table->fields; field->member; field++)
        if (field->type != FIELD_RANGE) str_printf(&query, ", %s", field->from);
    str_printf(&query, " %s", table->from);
    bool ok = str_ok(&query, st) && (sqlite3_prepare_v2(seed->db, query.at, -1, out, NULL) == SQLITE_OK ||
                                     refuse(seed, table->array, st));
    str_free(&query);
    return ok;
}

static bool read_row(char *out, struct arena *arena, const struct field_table *table, sqlite3_stmt *row,
                     struct status *st) {
    int column = 1;
    for (const struct field *field = table->fields; field->member; field++)
        if (field->type != FIELD_RANGE && !read_field(out, arena, field, row, column++, st)) return false;
    return true;
}

static bool read_table(struct matrix *m, struct arena *arena, const struct field_table *table,
                       const struct seed *seed, struct status *st) {
    sqlite3_stmt *row = NULL;
    char *rows = NULL;
    size_t n = 0;
    bool ok = select_rows(&row, table, seed, st);
    int code = SQLITE_DONE;
    for (; ok && (code = sqlite3_step(row)) == SQLITE_ROW; n++) {
        if (!rows) rows = arena_alloc(arena, (size_t)sqlite3_column_int64(row, 0), table->size, st);
        ok = rows && read_row(rows + n * table->size, arena, table, row, st);
    }
    if (ok && code != SQLITE_DONE) ok = refuse(seed, table->array, st);
    sqlite3_finalize(row);
    memcpy((char *)m + table->rows, &rows, sizeof rows);
    memcpy((char *)m + table->count, &n, sizeof n);
    return ok;
}

/* --- ranges -----------------------------------------------------------------------------------------------
 */

/* The text by which row i is sorted. */
static const char *key_of(const char *rows, size_t i, const struct field_table *table) {
    const char *key;
    memcpy(&key, rows + i * table->size, sizeof key);
    return key;
}

/* Both arrays are sorted by the owner's name: one walk cuts all ranges. */
static void cut_ranges(struct matrix *m, const struct field_table *owner, const struct field *field) {
    const struct field_table *part = field_table(field->from);
    size_t n_owners, n_parts, at = 0;
    char *owners = (char *)(uintptr_t)field_rows(&n_owners, owner, m);
    const char *parts = field_rows(&n_parts, part, m);
    for (size_t i = 0; i < n_owners; i++) {
        struct range range = {.first = (unsigned)at};
        while (at < n_parts && strcmp(key_of(parts, at, part), key_of(owners, i, owner)) == 0) at++;
        range.n = (unsigned)at - range.first;
        memcpy(owners + i * owner->size + field->offset, &range, sizeof range);
    }
    assert(at == n_parts && "a part without an owner passed seed_check");
}

bool matrix_read(struct matrix *m, struct arena *arena, const struct seed *seed, const char *source,
                 struct status *st) {
    *m = (struct matrix){.source = source};
    for (const struct field_table *table = field_tables; table->array; table++)
        if (!read_table(m, arena, table, seed, st)) return false;
    for (const struct field_table *table = field_tables; table->array; table++)
        for (const struct field *field = table->fields; field->member; field++)
            if (field->type == FIELD_RANGE) cut_ranges(m, table, field);
    return true;
}

/* --- from files -------------------------------------------------------------------------------------------
 */

static bool add_file(struct str *complaints, struct seed *seed, const char *path, struct status *st) {
    struct str text = {0};
    bool ok = file_read(&text, path, SEED_MAX_FILE, st) &&
              seed_add(complaints, seed, path, (struct view){str_c(&text), text.n}, st);
    str_free(&text);
    return ok;
}

bool matrix_read_files(struct matrix *m, struct arena *arena, struct str *complaints, const char *root,
                       const char *schema, const char *const *seeds, size_t n_seeds, const char *source,
                       struct status *st) {
    struct seed seed = {0};
    struct str text = {0};
    *m = (struct matrix){.source = source};
    bool ok = file_read(&text, schema, SEED_MAX_FILE, st) &&
              seed_open(&seed, schema, (struct view){str_c(&text), text.n}, st);
    for (size_t i = 0; ok && i < n_seeds; i++) ok = add_file(complaints, &seed, seeds[i], st);
    /* Rows that are missing because they were refused would make others dangle: mend the first lot first. */
    if (ok && complaints->n == 0) ok = seed_check(complaints, &seed, root, st);
    if (ok && complaints->n)
        ok = status_fail(st, STATUS_BAD_INPUT, "the matrix is not right; mend the rows above");
    ok = ok && matrix_read(m, arena, &seed, source, st);
    seed_close(&seed);
    str_free(&text);
    return ok;
}
