/* seed_check: what only the whole matrix can show. A check is a query; each of its rows is a complaint. */
#include "sotadb/glob.h"
#include "sotadb/sql/complaint.h"
#include "sotadb/sql/seed.h"

#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>

static const char *const checks[] = {
    /* every operation says where its code lies, or will lie */
    "SELECT file, line, 'op ''' || slug || ''' has no path; add a row to op_path (planned = 1 while there is "
    "no "
    "file)' FROM op WHERE slug NOT IN (SELECT op FROM op_path)",

    /* one name, one operation; '_' and '-' are one (sotadb/name.h) */
    "SELECT a.file, a.line, 'alias ''' || alias || ''' is the slug of an operation already; delete the "
    "alias' "
    "FROM op_alias a JOIN op ON slug = replace(alias, '_', '-')",
    "SELECT file, line, 'alias ''' || alias || ''' is the alias ''' || first || ''' already, since ''_'' and "
    "''-'' are one; delete it' FROM (SELECT *, first_value(alias) OVER "
    "(PARTITION BY replace(alias, '_', '-') ORDER BY rowid) AS first FROM op_alias) WHERE alias <> first",
    "SELECT file, line, kind || ' ''' || name || ''' is a command of `fak sota`, which would run instead; "
    "take another name' FROM (SELECT 'op' AS kind, slug AS name, file, line FROM op UNION ALL "
    "SELECT 'alias', alias, file, line FROM op_alias) "
    "WHERE name IN ('bench', 'export', 'gaps', 'init', 'issue', 'list', 'log', 'milestones', 'search', "
    "'stamp')",

    /* patterns that mean something */
    "SELECT file, line, 'op_path ''' || op || ''': glob ''' || glob || ''' ' || seed_glob_mistake(glob) || "
    "'; mend the pattern' FROM op_path WHERE seed_glob_mistake(glob) IS NOT NULL",
    "SELECT file, line, 'op_path ''' || op || ''': generates ''' || generates || ''' ' || "
    "seed_glob_mistake(generates) || '; mend the pattern' FROM op_path "
    "WHERE generates <> '' AND seed_glob_mistake(generates) IS NOT NULL",
    "SELECT file, line, 'op_symbol ''' || op || ''': pattern ''' || pattern || ''' ' || "
    "seed_name_mistake(pattern) || '; mend the pattern' FROM op_symbol "
    "WHERE seed_name_mistake(pattern) IS NOT NULL",

    /* ladders: levels without gaps, dates in order, a rung that a witness backs */
    "SELECT file, line, 'ladder ''' || axis || ''' has no rung; add its rungs from level 0' FROM ladder "
    "WHERE axis NOT IN (SELECT axis FROM rung)",
    "SELECT file, line, 'ladder ''' || axis || ''' has a gap: after level ' || (want - 1) || ' comes level ' "
    "|| "
    "level || '; levels count 0, 1, 2 ...' FROM "
    "(SELECT *, row_number() OVER (PARTITION BY axis ORDER BY level) - 1 AS want FROM rung) WHERE level <> "
    "want",
    "SELECT file, line, 'ladder ''' || axis || ''' is out of order: ''' || technique || ''' (' || "
    "CASE month WHEN 0 THEN year ELSE printf('%d-%02d', year, month) END || "
    "') is older than the rung below it; order the rungs by date' FROM "
    "(SELECT *, lag(year) OVER down AS year0, lag(month) OVER down AS month0 FROM rung "
    "WINDOW down AS (PARTITION BY axis ORDER BY level)) "
    "WHERE year < year0 OR (year = year0 AND month > 0 AND month < month0)",
    "SELECT file, line, 'ladder ''' || axis || ''' stands on rung ' || fak_rung || ', and the highest is ' "
    "|| "
    "(SELECT max(level) FROM rung r WHERE r.axis = ladder.axis) || '; fak_rung is a level of the ladder' "
    "FROM ladder WHERE fak_rung > (SELECT max(level) FROM rung r WHERE r.axis = ladder.axis)",
    "SELECT l.file, l.line, 'ladder ''' || l.axis || ''' is backed by op ''' || slug || ''', whose ladder is "
    "' || "
    "coalesce('''' || op.axis || '''', 'none') || '; let both name each other' "
    "FROM ladder l JOIN op ON slug = op WHERE op.axis IS NOT l.axis",
};

/* What sota-coverage counts as gaps, and a matrix that is compiled may not have. */
static const char *const proofs[] = {
    /* every operation names what to read first */
    "SELECT file, line, 'op ''' || slug || ''' has no primary reference; add a row to reference with kind "
    "''primary'' and the link to read' FROM op "
    "WHERE slug NOT IN (SELECT op FROM reference WHERE kind = 'primary')",

    "SELECT file, line, 'op ''' || slug || ''': oracle is empty: a kernel without an oracle is not done, say "
    "what proves it right' FROM op WHERE oracle = ''",

    /* shipped means that a witness runs */
    "SELECT file, line, 'op ''' || slug || ''' is ''shipped'' without a witness; add a row to witness whose "
    "test "
    "file exists, or write ''planned''' FROM op "
    "WHERE status = 'shipped' AND slug NOT IN (SELECT op FROM witness WHERE test <> '')",
    "SELECT w.file, w.line, 'op ''' || op || ''' is ''shipped'' and its witness ''' || test || ''' is not "
    "there; "
    "write the test, or let the operation be ''planned''' FROM witness w JOIN op ON slug = op "
    "WHERE status = 'shipped' AND test <> '' AND NOT seed_file_exists(test)",
    "SELECT w.file, w.line, 'op ''' || op || ''' is ''shipped'' and its ' || device || ' witness names no "
    "test; "
    "name it, or write planned = 1' FROM witness w JOIN op ON slug = op "
    "WHERE status = 'shipped' AND test = '' AND planned = 0",
    "SELECT w.file, w.line, 'op ''' || op || ''' is ''shipped'' and its acceptance script ''' || acceptance "
    "|| "
    "''' is not there; write it, or leave acceptance empty' FROM witness w JOIN op ON slug = op "
    "WHERE status = 'shipped' AND acceptance <> '' AND NOT seed_file_exists(acceptance)",
    "SELECT p.file, p.line, 'op ''' || op || ''' is ''shipped'' and all its kernels are planned; a file has "
    "to "
    "exist' FROM op_path p JOIN op ON slug = op WHERE status = 'shipped' GROUP BY op HAVING min(planned) = 1",

    /* and so does a rung */
    "SELECT l.file, l.line, 'ladder ''' || l.axis || ''' stands on rung ' || fak_rung || ' and no shipped "
    "operation backs it; name one whose witness does in op, or write -1' "
    "FROM ladder l LEFT JOIN op ON slug = op WHERE fak_rung >= 0 AND status IS NOT 'shipped'",
};

static void glob_is_wrong(sqlite3_context *context, int n, sqlite3_value **values) {
    (void)n;
    const char *mistake = glob_mistake((const char *)sqlite3_value_text(values[0]));
    sqlite3_result_text(context, mistake, -1, SQLITE_STATIC); /* NULL stays NULL */
}

static void name_is_wrong(sqlite3_context *context, int n, sqlite3_value **values) {
    (void)n;
    const char *mistake = glob_name_mistake((const char *)sqlite3_value_text(values[0]));
    sqlite3_result_text(context, mistake, -1, SQLITE_STATIC);
}

static void file_is_there(sqlite3_context *context, int n, sqlite3_value **values) {
    (void)n;
    const struct seed *seed = sqlite3_user_data(context);
    struct str path = {0};
    str_printf(&path, "%s/%s", seed->root, (const char *)sqlite3_value_text(values[0]));
    struct stat info;
    sqlite3_result_int(context, !path.failed && stat(str_c(&path), &info) == 0 && S_ISREG(info.st_mode));
    str_free(&path);
}

static bool refuse(const struct seed *seed, struct status *st) {
    return status_fail(st, STATUS_BAD_INPUT, "the matrix cannot be checked: %s", sqlite3_errmsg(seed->db));
}

static bool run(const struct seed *seed, const char *query, struct status *st) {
    struct str text = {0};
    str_printf(&text, "INSERT INTO temp.complaint %s", query);
    bool ok = str_ok(&text, st);
    if (ok && sqlite3_exec(seed->db, text.at, NULL, NULL, NULL) != SQLITE_OK) ok = refuse(seed, st);
    str_free(&text);
    return ok;
}

/* --- values that no column may hold --- */

static const struct {
    const char *type, *test, *why;
} value_tests[] = {
    /* A C string ends at a NUL, and SQLite can make a text with one inside from a blob. */
    {"TEXT", "instr(value, char(0))", "holds a NUL byte; a seed is text, remove it"},
    {"TEXT", "value <> trim(value, char(9, 10, 13, 32))",
     "begins or ends with a blank, or is nothing else; write the text alone"},
    {"REAL", "abs(value) > 1.7976931348623157e308", "is not finite; write a number"},
};

/* All that is asked of one column, which the tests call `value`. */
static bool check_column(const struct seed *seed, const char *table, const char *column, const char *type,
                         struct status *st) {
    struct str query = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof value_tests / sizeof *value_tests; i++) {
        if (strcmp(type, value_tests[i].type) != 0) continue;
        str_clear(&query);
        str_printf(&query, "SELECT file, line, '%s: %s %s' FROM (SELECT *, %s AS value FROM %s) WHERE %s",
                   table, column, value_tests[i].why, column, table, value_tests[i].test);
        ok = str_ok(&query, st) && run(seed, query.at, st);
    }
    str_free(&query);
    return ok;
}

static bool check_values(const struct seed *seed, struct status *st) {
    sqlite3_stmt *columns = NULL;
    bool ok =
        sqlite3_prepare_v2(seed->db,
                           "SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c "
                           "WHERE t.type = 'table'",
                           -1, &columns, NULL) == SQLITE_OK ||
        refuse(seed, st);
    while (ok && sqlite3_step(columns) == SQLITE_ROW)
        ok = check_column(seed, (const char *)sqlite3_column_text(columns, 0),
                          (const char *)sqlite3_column_text(columns, 1),
                          (const char *)sqlite3_column_text(columns, 2), st);
    sqlite3_finalize(columns);
    return ok;
}

/* --- names that no row has --------------------------------------------------------------------------------
 */

/* One foreign key of one row: "branch.axis, level = 'attention', '9' names no row of rung". */
static bool dangling(const struct seed *seed, const char *table, long long row, const char *parent, int key,
                     struct status *st) {
    sqlite3_stmt *columns = NULL;
    struct str names = {0}, values = {0}, query = {0};
    bool ok = sqlite3_prepare_v2(
                  seed->db, "SELECT \"from\" FROM pragma_foreign_key_list(?1) WHERE id = ?2 ORDER BY seq", -1,
                  &columns, NULL) == SQLITE_OK ||
              refuse(seed, st);
    if (!ok) goto out;
    sqlite3_bind_text(columns, 1, table, -1, SQLITE_STATIC);
    sqlite3_bind_int(columns, 2, key);
    while (sqlite3_step(columns) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(columns, 0);
        str_printf(&names, "%s%s", names.n ? ", " : "", name);
        str_printf(&values, "%s%s", values.n ? " || ', ' || " : "", name);
    }
    str_printf(&query,
               "SELECT file, line, '%s: %s is ''' || %s || ''', and no row of %s has that name; add it there "
               "or mend "
               "the name' FROM %s WHERE rowid = %lld",
               table, str_c(&names), str_c(&values), parent, table, row);
    ok = str_ok(&query, st) && run(seed, query.at, st);
out:
    sqlite3_finalize(columns);
    str_free(&names);
    str_free(&values);
    str_free(&query);
    return ok;
}

static bool check_names(const struct seed *seed, struct status *st) {
    sqlite3_stmt *broken = NULL;
    bool ok = sqlite3_prepare_v2(seed->db, "PRAGMA foreign_key_check", -1, &broken, NULL) == SQLITE_OK ||
              refuse(seed, st);
    int code = SQLITE_DONE;
    while (ok && (code = sqlite3_step(broken)) == SQLITE_ROW)
        ok = dangling(seed, (const char *)sqlite3_column_text(broken, 0), sqlite3_column_int64(broken, 1),
                      (const char *)sqlite3_column_text(broken, 2), sqlite3_column_int(broken, 3), st);
    if (ok && code != SQLITE_DONE) ok = refuse(seed, st);
    sqlite3_finalize(broken);
    return ok;
}

/* --- the report -------------------------------------------------------------------------------------------
 */

static bool report(struct str *complaints, const struct seed *seed, struct status *st) {
    sqlite3_stmt *all = NULL;
    bool ok = sqlite3_prepare_v2(
                  seed->db, "SELECT DISTINCT file, line, why FROM temp.complaint ORDER BY file, line, why",
                  -1, &all, NULL) == SQLITE_OK ||
              refuse(seed, st);
    int code = SQLITE_DONE;
    while (ok && (code = sqlite3_step(all)) == SQLITE_ROW)
        complaint_add(
            complaints, (const char *)sqlite3_column_text(all, 0), sqlite3_column_int(all, 1),
            (struct view){(const char *)sqlite3_column_text(all, 2), (size_t)sqlite3_column_bytes(all, 2)});
    if (ok && code != SQLITE_DONE) ok = refuse(seed, st);
    sqlite3_finalize(all);
    return ok && str_ok(complaints, st);
}

bool seed_check(struct str *complaints, struct seed *seed, const char *root, struct status *st) {
    static const struct {
        const char *name;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {{"seed_file_exists", file_is_there},
                     {"seed_glob_mistake", glob_is_wrong},
                     {"seed_name_mistake", name_is_wrong}};
    seed->root = root;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (sqlite3_create_function(seed->db, functions[i].name, 1, SQLITE_UTF8, seed, functions[i].call,
                                    NULL, NULL) != SQLITE_OK)
            return refuse(seed, st);
    if (sqlite3_exec(seed->db,
                     "DROP TABLE IF EXISTS temp.complaint; "
                     "CREATE TEMP TABLE complaint (file TEXT, line INTEGER, why TEXT)",
                     NULL, NULL, NULL) != SQLITE_OK)
        return refuse(seed, st);
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof checks / sizeof *checks; i++) ok = run(seed, checks[i], st);
    for (size_t i = 0; ok && root && i < sizeof proofs / sizeof *proofs; i++) ok = run(seed, proofs[i], st);
    return ok && check_values(seed, st) && check_names(seed, st) && report(complaints, seed, st);
}
