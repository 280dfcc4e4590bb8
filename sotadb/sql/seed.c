#include "sotadb/sql/seed.h"
#include "sotadb/sql/complaint.h"
#include "sotadb/sql/seed_scan.h"

#include <sqlite3.h>
#include <string.h>

/* --- what a row may do ---------------------------------------------------------------------------------- */

/* A seed row inserts plain values. The two functions stand in column defaults of the schema. */
static int authorize(void *unused, int action, const char *a, const char *b, const char *database,
                     const char *trigger) {
    (void)unused, (void)database;
    if (trigger) return SQLITE_DENY;
    if (action == SQLITE_INSERT) return strncmp(a, "sqlite_", 7) == 0 ? SQLITE_DENY : SQLITE_OK;
    if (action == SQLITE_FUNCTION && (strcmp(b, "seed_file") == 0 || strcmp(b, "seed_line") == 0))
        return SQLITE_OK;
    return SQLITE_DENY;
}

/* A row of plain values takes a few hundred steps; one that takes a million is no data. */
static int stop(void *unused) {
    (void)unused;
    return 1;
}

static void limit(sqlite3 *db) {
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, SEED_MAX_TEXT);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SEED_MAX_FILE);
    sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 100);
    sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 2);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

static void guard(sqlite3 *db) {
    sqlite3_set_authorizer(db, authorize, NULL);
    sqlite3_progress_handler(db, 1000000, stop, NULL);
}

static void unguard(sqlite3 *db) {
    sqlite3_set_authorizer(db, NULL, NULL);
    sqlite3_progress_handler(db, 0, NULL, NULL);
}

/* --- opening -------------------------------------------------------------------------------------------- */

static void seed_file(sqlite3_context *context, int n, sqlite3_value **values) {
    (void)n, (void)values;
    const struct seed *seed = sqlite3_user_data(context);
    sqlite3_result_text(context, seed->file, -1, SQLITE_TRANSIENT);
}

static void seed_line(sqlite3_context *context, int n, sqlite3_value **values) {
    (void)n, (void)values;
    const struct seed *seed = sqlite3_user_data(context);
    sqlite3_result_int(context, seed->line);
}

bool seed_open(struct seed *seed, const char *file, struct view schema, struct status *st) {
    enum { FLAGS = SQLITE_UTF8 | SQLITE_INNOCUOUS };
    *seed = (struct seed){0};
    struct str text = {0};
    str_add(&text, schema.at, schema.n);
    bool ok = str_ok(&text, st);
    if (!ok) goto out;
    if (sqlite3_open_v2(":memory:", &seed->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
            SQLITE_OK ||
        sqlite3_create_function(seed->db, "seed_file", 0, FLAGS, seed, seed_file, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function(seed->db, "seed_line", 0, FLAGS, seed, seed_line, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(seed->db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(seed->db, str_c(&text), NULL, NULL, NULL) != SQLITE_OK) {
        ok = status_fail(st, STATUS_BAD_INPUT, "%s: %s; mend the schema", file,
                         seed->db ? sqlite3_errmsg(seed->db) : "out of memory");
        goto out;
    }
    limit(seed->db);
out:
    str_free(&text);
    if (!ok) seed_close(seed);
    return ok;
}

void seed_close(struct seed *seed) {
    sqlite3_close(seed->db);
    *seed = (struct seed){0};
}

/* --- one row -------------------------------------------------------------------------------------------- */

/* "first written at file:line" of the row whose `column` ("op.slug") holds this text; nothing if unknown. */
static void add_first_place(struct str *out, sqlite3 *db, const char *column, const char *text) {
    const char *dot = strchr(column, '.');
    if (!dot || strchr(column, ',') || !*text) return;
    char *query = sqlite3_mprintf("SELECT file, line FROM \"%.*w\" WHERE \"%w\" = ?1", (int)(dot - column),
                                  column, dot + 1);
    sqlite3_stmt *statement = NULL;
    unguard(db); /* the row is refused already */
    if (query && sqlite3_prepare_v2(db, query, -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
        if (sqlite3_step(statement) == SQLITE_ROW)
            str_printf(out, " ('%s', first written at %s:%d)", text,
                       (const char *)sqlite3_column_text(statement, 0), sqlite3_column_int(statement, 1));
    }
    sqlite3_finalize(statement);
    sqlite3_free(query);
}

static bool starts(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* What SQLite's parser refuses, in the words of someone who writes a row. */
static void explain_text(struct str *out, const char *text) {
    if (starts(text, "not authorized") || starts(text, "access to"))
        str_puts(out, "a row holds plain values only: no function, no query, no table of SQLite's own");
    else if (starts(text, "no such column")) str_printf(out, "%s; a text stands in 'single quotes'", text);
    else str_printf(out, "%s; see sotadb/schema.sql for the tables and their columns", text);
}

/* Why a row was refused: what is wrong with it and what to write. */
static void explain(struct str *out, sqlite3 *db, const struct seed_row *row, int code) {
    struct str text = {0}, name = {0};
    str_puts(&text, sqlite3_errmsg(db));
    seed_scan_first_text(&name, row->tuple);
    const char *colon = strstr(str_c(&text), ": ");
    const char *what = colon ? colon + 2 : str_c(&text);
    switch (code) {
    case SQLITE_CONSTRAINT_CHECK:
        str_printf(out, "%.*s '%s': %s", (int)row->table.n, row->table.at, str_c(&name), what);
        break;
    case SQLITE_CONSTRAINT_NOTNULL: str_printf(out, "%s is missing; give it a value", what); break;
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_UNIQUE:
        str_printf(out, "duplicate: another row has the same %s", what);
        add_first_place(out, db, what, str_c(&name));
        str_puts(out, "; rename one or delete it");
        break;
    case SQLITE_INTERRUPT:
        str_puts(out, "the row takes more than a million steps; write plain values");
        break;
    case SQLITE_TOOBIG: str_printf(out, "a text has more than %d bytes; shorten it", SEED_MAX_TEXT); break;
    default: explain_text(out, str_c(&text));
    }
    str_free(&text);
    str_free(&name);
}

/* The line on which SQLite's parser stopped, for a tuple of several lines. */
static int error_line(sqlite3 *db, const struct seed_row *row) {
    int line = row->line;
    int offset = sqlite3_error_offset(db) - (int)row->head.n - 1;
    for (int i = 0; i < offset && i < (int)row->tuple.n; i++) line += row->tuple.at[i] == '\n';
    return line;
}

/* Runs one row; what is wrong with it is one complaint. */
static bool insert(struct str *complaints, struct seed *seed, const struct seed_row *row, struct status *st) {
    struct str text = {0}, why = {0};
    sqlite3_stmt *statement = NULL;
    str_add(&text, row->head.at, row->head.n);
    str_putc(&text, ' ');
    str_add(&text, row->tuple.at, row->tuple.n);
    bool ok = str_ok(&text, st);
    if (!ok) goto out;
    seed->line = row->line;
    int line = row->line;
    guard(seed->db);
    int code = sqlite3_prepare_v2(seed->db, text.at, (int)text.n, &statement, NULL);
    if (code != SQLITE_OK) line = error_line(seed->db, row);
    else code = sqlite3_step(statement);
    if (code != SQLITE_DONE) {
        explain(&why, seed->db, row, sqlite3_extended_errcode(seed->db));
        complaint_add(complaints, seed->file, line, (struct view){str_c(&why), why.n});
    }
out:
    sqlite3_finalize(statement);
    unguard(seed->db);
    str_free(&text);
    str_free(&why);
    return ok;
}

/* --- one file ------------------------------------------------------------------------------------------- */

static bool refuse_nul(const char *file, struct view text, struct status *st) {
    const char *nul = memchr(text.at, 0, text.n);
    if (!nul) return true;
    int line = 1;
    for (const char *at = text.at; at < nul; at++) line += *at == '\n';
    return status_fail(st, STATUS_BAD_INPUT, "%s:%d: a NUL byte stands here; a seed is text, remove it", file,
                       line);
}

/* The rows of a file until its end, a row that cannot be cut (then *st says where), or too many bad ones. */
static bool add_rows(struct str *complaints, struct seed *seed, struct view text, struct status *st) {
    struct seed_scan scan;
    struct seed_row row;
    seed_scan_init(&scan, seed->file, text);
    for (int refused = 0; refused < SEED_MAX_REFUSED;) {
        if (!seed_scan_next(&row, &scan, st)) return false;
        if (!row.tuple.at) return true;
        if (++seed->n_rows > SEED_MAX_ROWS)
            return status_fail(st, STATUS_BAD_INPUT, "%s:%d: the matrix has more than %d rows; split it",
                               seed->file, row.line, SEED_MAX_ROWS);
        size_t before = complaints->n;
        if (!insert(complaints, seed, &row, st)) return false;
        refused += complaints->n > before;
    }
    return status_fail(st, STATUS_BAD_INPUT, "%s:%d: more than %d rows were refused; the rest is not read",
                       seed->file, row.line, SEED_MAX_REFUSED);
}

bool seed_add(struct str *complaints, struct seed *seed, const char *file, struct view text,
              struct status *st) {
    struct status why = {0};
    if (text.n == 0) return true;
    seed->file = file;
    bool ok = refuse_nul(file, text, &why) && add_rows(complaints, seed, text, &why);
    if (!ok && why.code == STATUS_BAD_INPUT) str_printf(complaints, "%s\n", why.message);
    else if (!ok && st) *st = why;
    seed->file = NULL;
    return (ok || why.code == STATUS_BAD_INPUT) && str_ok(complaints, st);
}
