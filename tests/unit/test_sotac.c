/* sotac: what a seed may hold, what is refused and how, and that the same rows give the same bytes. */
#include "base/file.h"
#include "sotadb/emit/literal.h"
#include "sotadb/sql/field.h"
#include "sotadb/sql/matrix_read.h"
#include "sotadb/sql/seed_scan.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- a small matrix that is right ------------------------------------------------------------------- */

#define OP_HEAD                                                                                              \
    "INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES "
#define GOOD                                                                                                 \
    OP_HEAD                                                                                                  \
    "('norm', 'T', 'S', 'kernel', 'bind', 'N', 'O', 'B', 'planned');"                                        \
    "INSERT INTO reference (op, name, url, kind) VALUES ('norm', 'R', 'https://a.example', 'primary');"      \
    "INSERT INTO op_path (op, glob, role, planned) VALUES ('norm', 'engine/*.c', 'kernel', 1);"

#define ALIAS(row) "INSERT INTO op_alias (op, alias) VALUES (" row ");"
#define PATH(glob) "INSERT INTO op_path (op, glob, role, planned) VALUES ('norm', '" glob "', 'kernel', 1);"
#define FLOOR(row)                                                                                           \
    "INSERT INTO floor (name, metric, value, state, note) VALUES ('f', " row ", 'recorded', 'N');"
#define LINK(url, day)                                                                                       \
    "INSERT INTO reference (op, name, url, kind, checked_on) VALUES ('norm', 'N', '" url "', 'docs', '" day  \
    "');"
#define WITNESS(test)                                                                                        \
    "INSERT INTO witness (op, device, metric, test) VALUES ('norm', 'cpu', 'm', '" test "');"

static void add_schema(struct seed *seed) {
    struct str schema = {0};
    assert_true(file_read(&schema, "sotadb/schema.sql", SEED_MAX_FILE, NULL));
    assert_true(seed_open(seed, "sotadb/schema.sql", (struct view){schema.at, schema.n}, NULL));
    str_free(&schema);
}

/* What sotac says of the good matrix and `text`, which is good.sql and bad.sql to it. */
static void complaints_of(struct str *out, struct view text) {
    struct seed seed;
    add_schema(&seed);
    assert_true(seed_add(out, &seed, "good.sql", view_of(GOOD), NULL));
    assert_true(seed_add(out, &seed, "bad.sql", text, NULL));
    if (out->n == 0) assert_true(seed_check(out, &seed, ".", NULL));
    seed_close(&seed);
}

static void assert_refused(const char *text, const char *complaint) {
    struct str out = {0};
    complaints_of(&out, view_of(text));
    if (!strstr(str_c(&out), complaint))
        fail_msg("%s\nwas answered:\n%s\nwanted:\n%s", text, str_c(&out), complaint);
    str_free(&out);
}

static void a_good_seed_has_no_complaints(void **state) {
    (void)state;
    struct str out = {0};
    complaints_of(&out, view_of("-- only a comment\n/* and\nanother */"));
    assert_string_equal(str_c(&out), "");
}

/* --- rows that are not right ------------------------------------------------------------------------ */

static void a_bad_row_is_named_by_file_line_reason_and_remedy(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"\n" OP_HEAD "\n('a', 'T', 'S', 'kernel', 'steal', 'N', 'O', 'B', 'planned');",
         "bad.sql:3: op 'a': route is 'stay-minimal', 'bind' or 'borrow'\n"},
        {OP_HEAD "('a', 'T', 'S', 'kernel', 'bind', 'N', '', 'B', 'planned');",
         "bad.sql:1: op 'a': oracle is empty: a kernel without an oracle is not done, say what proves it "
         "right\n"},
        {OP_HEAD "\n('norm', 'T', 'S', 'kernel', 'bind', 'N', 'O', 'B', 'planned');",
         "bad.sql:2: duplicate: another row has the same op.slug ('norm', first written at good.sql:1); "
         "rename one or "
         "delete it\n"},
        {OP_HEAD "('a', 'T', 'S', 'kernel', 'bind', 'N', 'O', 'B', 'planned');",
         "bad.sql:1: op 'a' has no primary reference; add a row to reference"},
        {OP_HEAD
         "('a', 'T', 'S', 'kernel', 'bind', 'N', 'O', 'B', 'planned');\n"
         "INSERT INTO reference (op, name, url, kind) VALUES ('a', 'R', 'https://a.example', 'repo');",
         "bad.sql:1: op 'a' has no primary reference; add a row to reference"},
        {OP_HEAD "('a', 'T', 'S', 'kernel', 'bind', 'N', 'O', 'B', 'planned');",
         "bad.sql:1: op 'a' has no path; "},
        {OP_HEAD "('a', 'T', 'S', 'kernel', 'bind', 'N', 'O', 'B', 'shipped');",
         "bad.sql:1: op 'a' is 'shipped' without a witness; add a row to witness"},
        {OP_HEAD "('a', 'T', 'S', 'kernel', 'bind', 'N', 'O', 'B', 'shipped');\n"
                 "INSERT INTO witness (op, device, metric, test) VALUES ('a', 'cpu', 'm', "
                 "'tests/unit/no_such_test.c');",
         "bad.sql:2: op 'a' is 'shipped' and its witness 'tests/unit/no_such_test.c' is not there; write the "
         "test"},
        {OP_HEAD "('a', 'T', 'S', 'kernel', 'bind', 'N', 'O', 'B', 'shipped');\n"
                 "INSERT INTO witness (op, device, metric) VALUES ('a', 'cuda', 'm');",
         "bad.sql:2: op 'a' is 'shipped' and its cuda witness names no test; name it, or write planned = "
         "1\n"},
        {"INSERT INTO witness (op, device, metric, test, planned) VALUES ('norm', 'cuda', 'm', 't.c', 1);",
         "bad.sql:1: witness 'norm': planned is 1 while the lane has no test, else 0\n"},
        {OP_HEAD "('a', 'T', 'S', 'kernel', 'bind', 'N', 'O', 'B', 'shipped');\n"
                 "INSERT INTO op_path (op, glob, role, planned) VALUES ('a', 'x.c', 'kernel', 1);",
         "bad.sql:2: op 'a' is 'shipped' and all its kernels are planned"},
        {OP_HEAD "('a', 'T', 'S', 'kernel', 'bind', 'N', 'O', 'B', 'selected');",
         "bad.sql:1: op 'a': a 'selected' operation names its selection and its plan\n"},
        {"INSERT INTO paper (op, title, id, url, year) VALUES\n"
         "('nrom', 'T', 'arXiv:2205.14135', 'https://a.example', 2022);",
         "bad.sql:2: paper: op is 'nrom', and no row of op has that name; add it there or mend the name\n"},
        {"INSERT INTO witness (op, device, metric, floor) VALUES ('norm', 'cuda', 'm', 'cudaNoSuchMin');",
         "bad.sql:1: witness: floor is 'cudaNoSuchMin', and no row of floor has that name"},
        {"INSERT INTO op_alias (op, alias) VALUES ('norm', 'norm');",
         "bad.sql:1: alias 'norm' is the slug of an operation already; delete the alias\n"},
        {"INSERT INTO witness (op, device, metric, acceptance) VALUES ('norm', 'cpu', 'm', "
         "'tools/acceptance/a.sh');",
         "bad.sql:1: witness 'norm': acceptance scripts are for device lanes"},
        {"INSERT INTO op_path (op, glob, role) VALUES ('norm', '/etc/passwd', 'kernel');",
         "bad.sql:1: op_path 'norm': glob is a path from the repository root"},
        {"INSERT INTO reference (op, name, url, kind) VALUES ('norm', 'N', 'example', 'repo');",
         "bad.sql:1: reference 'norm': url is not an https:// link"},
        {"INSERT INTO op (slug) VALUES ('a');", "bad.sql:1: op.title is missing; give it a value\n"},
        {"INSERT INTO op (slug, titel) VALUES\n('a', 1);", "no column named titel; see sotadb/schema.sql"},
        {"INSERT INTO ops (slug) VALUES ('a');", "bad.sql:1: no such table: ops; see sotadb/schema.sql"},
        {"INSERT INTO op (slug, title) VALUES ('a');", "bad.sql:1: 1 values for 2 columns; see"},
        {"INSERT INTO op (slug, title) VALUES ('a',\n\nT);",
         "bad.sql:3: no such column: T; a text stands in 'single quotes'\n"},
        {"INSERT INTO rung (axis, level, technique, year, change, url) VALUES ('a', 'x', 'T', 2020, 'C', "
         "'https://a.b');",
         "bad.sql:1: cannot store TEXT value in INTEGER column rung.level"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_refused(cases[i][0], cases[i][1]);
}

/* Rows that SQLite takes and no look-up, no reader and no compiler could use. */
static void a_value_that_means_nothing_is_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {OP_HEAD "('a', 'T', 'S', 'kernel', 'bind', 'N', ' ', 'B', 'planned');",
         "bad.sql:1: op: oracle begins or ends with a blank, or is nothing else; write the text alone\n"},
        {ALIAS("'norm', 'q.z'"),
         "bad.sql:1: op_alias 'norm': alias is lower-case words joined by '-' or '_'\n"},
        {ALIAS("'norm', 'Norm_'"), "bad.sql:1: op_alias 'norm': alias is lower-case words"},
        {ALIAS("'norm', 'a-b'),\n('norm', 'a_b'"),
         "bad.sql:2: alias 'a_b' is the alias 'a-b' already, since '_' and '-' are one; delete it\n"},
        {ALIAS("'norm', 'search'"),
         "bad.sql:1: alias 'search' is a command of `fak sota`, which would run instead; "
         "take another name\n"},
        {PATH("./a.c"), "bad.sql:1: op_path 'norm': glob './a.c' has '.' or '..' as a component"},
        {PATH("a/.."), "bad.sql:1: op_path 'norm': glob is a path from the repository root"},
        {PATH("a//b"), "bad.sql:1: op_path 'norm': glob 'a//b' has an empty component; mend the pattern\n"},
        {PATH("a**b/c"),
         "bad.sql:1: op_path 'norm': glob 'a**b/c' has '**' beside other characters; it stands for "
         "folders only as a whole component; mend the pattern\n"},
        {PATH("[a"), "bad.sql:1: op_path 'norm': glob '[a' opens a set with '[' and never closes it"},
        {PATH("**"), "bad.sql:1: op_path 'norm': glob '**' matches everything"},
        {"INSERT INTO op_symbol (op, pattern) VALUES ('norm', '*a*');",
         "bad.sql:1: op_symbol 'norm': pattern '*a*' has fewer than three plain characters"},
        {"INSERT INTO op_symbol (op, pattern) VALUES ('norm', 'k norm');",
         "bad.sql:1: op_symbol 'norm': pattern 'k norm' holds a blank"},
        {FLOOR("'nmse', 9e999"), "bad.sql:1: floor: value is not finite; write a number\n"},
        {FLOOR("'nmse', -1"), "bad.sql:1: floor 'f': value is above 0, and a cosine at most 1\n"},
        {FLOOR("'cosine', 1.5"), "bad.sql:1: floor 'f': value is above 0, and a cosine at most 1\n"},
        {FLOOR("'Cosine', 1.5"), "bad.sql:1: floor 'f': metric is a lower-case word: 'cosine', 'nmse' ...\n"},
        {LINK("https://a.b/\033]8;;", ""), "bad.sql:1: reference 'norm': url is not an https:// link"},
        {LINK("https://a.b/\nc", ""), "bad.sql:1: reference 'norm': url is not an https:// link"},
        {LINK("https://a.b/c", "2026-02-30"),
         "bad.sql:1: reference 'norm': checked_on is the day the link was read"},
        {WITNESS("/etc/passwd"), "bad.sql:1: witness 'norm': test is a path from the repository root"},
        {WITNESS("../x.c"), "bad.sql:1: witness 'norm': test is a path from the repository root"},
        {OP_HEAD "('a', 'T', 'S', 'kernel', 'bind', 'N', 'O', 'B', 'shipped');\n"
                 "INSERT INTO witness (op, device, metric, test) VALUES ('a', 'cpu', 'm', 'tests');",
         "bad.sql:2: op 'a' is 'shipped' and its witness 'tests' is not there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_refused(cases[i][0], cases[i][1]);
}

static void a_byte_order_mark_and_carriage_returns_are_no_text(void **state) {
    (void)state;
    struct str out = {0};
    complaints_of(&out, view_of("\xef\xbb\xbf" ALIAS("'norm',\r\n'a_b'") "\r\n"));
    assert_string_equal(str_c(&out), "");
}

#define LADDER(rung, op)                                                                                     \
    "INSERT INTO ladder (axis, title, fak_rung, op, position) VALUES ('x', 'X', " rung ", " op ", 'P');\n"
#define RUNGS "INSERT INTO rung (axis, level, technique, year, month, change, url) VALUES\n"

static void a_ladder_is_complete_in_order_and_backed(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {LADDER("-1", "NULL"), "bad.sql:1: ladder 'x' has no rung; add its rungs from level 0\n"},
        {LADDER("-1", "NULL") RUNGS
         "('x', 0, 'A', 2020, 1, 'C', 'https://a.b'),\n('x', 2, 'B', 2021, 1, 'C', 'https://a.b');",
         "bad.sql:4: ladder 'x' has a gap: after level 0 comes level 2; levels count 0, 1, 2 ...\n"},
        {LADDER("-1", "NULL") RUNGS
         "('x', 0, 'A', 2020, 5, 'C', 'https://a.b'),\n('x', 1, 'B', 2020, 4, 'C', 'https://a.b');",
         "bad.sql:4: ladder 'x' is out of order: 'B' (2020-04) is older than the rung below it; order the "
         "rungs by date\n"},
        {LADDER("-1", "NULL") RUNGS
         "('x', 0, 'A', 2020, 5, 'C', 'https://a.b'),\n('x', 1, 'B', 2019, 0, 'C', 'https://a.b');",
         "bad.sql:4: ladder 'x' is out of order: 'B' (2019) is older"},
        {LADDER("-1", "NULL") RUNGS
         "('x', 0, 'A', 2020, 5, 'C', 'https://a.b'),\n('x', 0, 'B', 2021, 0, 'C', 'https://a.b');",
         "bad.sql:4: duplicate: another row has the same rung.axis, rung.level; rename one or delete it\n"},
        {LADDER("1", "'norm'") RUNGS "('x', 0, 'A', 2020, 5, 'C', 'https://a.b');",
         "bad.sql:1: ladder 'x' stands on rung 1, and the highest is 0; fak_rung is a level of the ladder\n"},
        {LADDER("0", "NULL") RUNGS "('x', 0, 'A', 2020, 5, 'C', 'https://a.b');",
         "bad.sql:1: ladder 'x' stands on rung 0 and no shipped operation backs it"},
        {LADDER("0", "'norm'") RUNGS "('x', 0, 'A', 2020, 5, 'C', 'https://a.b');",
         "bad.sql:1: ladder 'x' stands on rung 0 and no shipped operation backs it"},
        {LADDER("-1", "'norm'") RUNGS "('x', 0, 'A', 2020, 5, 'C', 'https://a.b');",
         "bad.sql:1: ladder 'x' is backed by op 'norm', whose ladder is none; let both name each other\n"},
        {LADDER("-1", "NULL") RUNGS "('x', 0, 'A', 2020, 5, 'C', 'https://a.b');\n"
                                    "INSERT INTO branch (axis, level, technique, year, change, url) VALUES\n"
                                    "('x', 3, 'B', 2020, 'C', 'https://a.b');",
         "bad.sql:5: branch: axis, level is 'x, 3', and no row of rung has that name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_refused(cases[i][0], cases[i][1]);
}

/* --- a seed is data, not a program ------------------------------------------------------------------ */

static void only_inserts_of_plain_values_are_admitted(void **state) {
    (void)state;
    static const char *const shapes[] = {
        "DROP TABLE op;",
        "DELETE FROM op;",
        "UPDATE op SET title = 'x';",
        "SELECT 1;",
        "PRAGMA writable_schema = 1;",
        "ATTACH '/tmp/x' AS y;",
        "BEGIN;",
        "CREATE TRIGGER t AFTER INSERT ON op BEGIN DELETE FROM op; END;",
        "REPLACE INTO op_alias (op, alias) VALUES ('norm', 'a');",
        "INSERT OR REPLACE INTO op_alias (op, alias) VALUES ('norm', 'a');",
        "INSERT INTO op_alias (op, alias) SELECT slug, slug FROM op;",
        "INSERT INTO op_alias VALUES ('norm', 'a');",
        "INSERT INTO main.op_alias (op, alias) VALUES ('norm', 'a');",
        "WITH x AS (SELECT 1) INSERT INTO op_alias (op, alias) VALUES ('norm', 'a');",
        "INSERT INTO op_alias (op, alias) DEFAULT VALUES;",
        "EXPLAIN INSERT INTO op_alias (op, alias) VALUES ('norm', 'a');",
        "hello",
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        assert_refused(shapes[i],
                       "bad.sql:1: a seed holds only `INSERT INTO table (columns) VALUES (...), (...);`");
    static const char *const values[] = {
        "INSERT INTO op_alias (op, alias) VALUES ('norm', (SELECT slug FROM op));",
        "INSERT INTO op_alias (op, alias) VALUES ('norm', upper('a'));",
        "INSERT INTO op_alias (op, alias) VALUES ('norm', load_extension('x'));",
        "INSERT INTO op_alias (op, alias) VALUES ('norm', printf('%.*c', 100000000, 'x'));",
        "INSERT INTO op_alias (op, alias) VALUES ('norm', EXISTS (SELECT 1));",
        "INSERT INTO op_alias (op, alias) VALUES ('norm', 'a' IN (SELECT slug FROM op));",
        "INSERT INTO sqlite_schema (name, sql) VALUES ('x', 'y');",
        "INSERT INTO sqlite_temp_schema (name) VALUES ('x');",
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_refused(values[i], "bad.sql:1: a row holds plain values only: no function, no query");
    assert_refused("INSERT INTO op_alias (op, alias) VALUES ('norm', 'a') ON CONFLICT DO NOTHING;",
                   "bad.sql:1: after a row comes ',' and the next row, or ';'");
    assert_refused("INSERT INTO op_alias (op, alias) VALUES ('norm', 'a') RETURNING 1;",
                   "bad.sql:1: after a row comes ',' and the next row, or ';'");
}

static void what_never_ends_is_named_where_it_starts(void **state) {
    (void)state;
    assert_refused("\n\n/* no end", "bad.sql:3: a comment starts here and never ends; close it with */\n");
    assert_refused("INSERT INTO op (slug) VALUES\n('a\n\n",
                   "bad.sql:2: a text starts here and never ends; close it with '\n");
    assert_refused("INSERT INTO op (slug) VALUES\n('a';",
                   "bad.sql:2: a '(' opens here and is never closed; add ')'\n");
    assert_refused("INSERT INTO op (slug) VALUES\n('a')\n",
                   "bad.sql:3: after a row comes ',' and the next row, or ';'");
    assert_refused("INSERT INTO op (slug) VALUES\n('a'),\n;",
                   "bad.sql:3: a row in parentheses is expected here");
    assert_refused("INSERT INTO op (slug", "bad.sql:1: a '(' opens here and is never closed; add ')'");
    assert_refused("INSERT INTO op", "bad.sql:1: a seed holds only");
}

static void a_nul_is_refused_raw_and_made(void **state) {
    (void)state;
    static const char raw[] = "-- line\nINSERT INTO op_alias (op, alias) VALUES ('norm', 'a\0b');";
    struct str out = {0};
    complaints_of(&out, (struct view){raw, sizeof raw - 1});
    assert_string_equal(str_c(&out), "bad.sql:2: a NUL byte stands here; a seed is text, remove it\n");
    str_free(&out);
    assert_refused(
        "INSERT INTO op_path (op, glob, role) VALUES\n('norm', CAST(X'610062' AS TEXT), 'kernel');",
        "bad.sql:2: op_path: glob holds a NUL byte; a seed is text, remove it\n");
}

static void a_complaint_is_one_line_of_plain_text(void **state) {
    (void)state;
    assert_refused(
        "INSERT INTO op_alias (op, alias) VALUES ('\n\033[31m\xff\xc2\x9b\xc3\xa9', 'A');",
        "bad.sql:1: op_alias ' \xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9': alias is lower-case words");
}

static void size_and_steps_are_limited(void **state) {
    (void)state;
    struct str text = {0};
    str_puts(&text, "INSERT INTO op_path (op, glob, role) VALUES ('norm', '");
    for (int i = 0; i <= SEED_MAX_TEXT; i++) str_putc(&text, 'a');
    str_puts(&text, "', 'kernel');");
    assert_refused(text.at, "bad.sql:1: a text has more than 65536 bytes; shorten it\n");

    str_clear(&text);
    str_puts(&text, "INSERT INTO op_path (op, glob, role) VALUES ('norm', 1");
    for (int i = 0; i < 5000; i++) str_puts(&text, "+(1");
    for (int i = 0; i < 5000; i++) str_putc(&text, ')');
    str_puts(&text, ", 'kernel');");
    assert_refused(text.at, "bad.sql:1: "); /* parser stack or expression depth, never ours */

    str_clear(&text);
    str_puts(&text, OP_HEAD);
    for (int i = 0; i < 100; i++) str_puts(&text, i ? ",\n(NULL)" : "\n(NULL)");
    str_putc(&text, ';');
    assert_refused(text.at, "bad.sql:21: more than 20 rows were refused; the rest is not read\n");
    str_free(&text);
}

/* --- same rows, same bytes -------------------------------------------------------------------------- */

struct files {
    glob_t found;
    struct str text[64];
};

static void files_open(struct files *files) {
    *files = (struct files){0};
    assert_int_equal(glob("sotadb/seed/*.sql", 0, NULL, &files->found), 0);
    assert_in_range(files->found.gl_pathc, 5, 64);
    for (size_t i = 0; i < files->found.gl_pathc; i++)
        assert_true(file_read(&files->text[i], files->found.gl_pathv[i], SEED_MAX_FILE, NULL));
}

static void files_close(struct files *files) {
    for (size_t i = 0; i < files->found.gl_pathc; i++) str_free(&files->text[i]);
    globfree(&files->found);
}

static void literal_of(struct str *out, struct seed *seed, const char *root) {
    struct str complaints = {0};
    struct arena arena = {0};
    struct matrix m;
    assert_true(seed_check(&complaints, seed, root, NULL));
    assert_string_equal(str_c(&complaints), "");
    assert_true(matrix_read(&m, &arena, seed, "built-in", NULL));
    literal_write(out, &m);
    arena_release(&arena);
}

static size_t all_rows(struct seed_row *rows, size_t room, const struct files *files) {
    size_t n = 0;
    for (size_t i = 0; i < files->found.gl_pathc; i++) {
        struct seed_scan scan;
        seed_scan_init(&scan, "seed", (struct view){files->text[i].at, files->text[i].n});
        for (;;) {
            assert_true(n < room);
            assert_true(seed_scan_next(&rows[n], &scan, NULL));
            if (!rows[n].tuple.at) break;
            n++;
        }
    }
    return n;
}

static void shuffled_rows_give_the_same_bytes(void **state) {
    (void)state;
    static struct seed_row rows[4096];
    struct files files;
    struct seed ordered, shuffled;
    struct str complaints = {0}, want = {0}, got = {0}, statement = {0};
    files_open(&files);
    size_t n = all_rows(rows, 4096, &files);
    assert_in_range(n, 200, 4096);
    add_schema(&ordered);
    add_schema(&shuffled);
    for (size_t i = 0; i < files.found.gl_pathc; i++)
        assert_true(seed_add(&complaints, &ordered, files.found.gl_pathv[i],
                             (struct view){files.text[i].at, files.text[i].n}, NULL));
    uint64_t random = 42;
    for (size_t left = n; left > 0; left--) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t pick = (size_t)(random >> 33) % left;
        str_clear(&statement);
        str_printf(&statement, "%.*s %.*s;", (int)rows[pick].head.n, rows[pick].head.at,
                   (int)rows[pick].tuple.n, rows[pick].tuple.at);
        assert_true(seed_add(&complaints, &shuffled, "elsewhere.sql",
                             (struct view){statement.at, statement.n}, NULL));
        rows[pick] = rows[left - 1];
    }
    assert_string_equal(str_c(&complaints), "");
    literal_of(&want, &ordered, ".");
    literal_of(&got, &shuffled, ".");
    assert_true(want.n > 10000);
    assert_string_equal(want.at, got.at);
    seed_close(&ordered);
    seed_close(&shuffled);
    files_close(&files);
    str_free(&want), str_free(&got), str_free(&statement);
}

static void the_literal_in_this_program_is_the_seed(void **state) {
    (void)state;
    struct files files;
    struct seed seed;
    struct str complaints = {0}, want = {0}, got = {0};
    files_open(&files);
    add_schema(&seed);
    for (size_t i = 0; i < files.found.gl_pathc; i++)
        assert_true(seed_add(&complaints, &seed, files.found.gl_pathv[i],
                             (struct view){files.text[i].at, files.text[i].n}, NULL));
    literal_of(&want, &seed, ".");
    literal_write(&got, &sota_matrix);
    assert_string_equal(got.at, want.at);
    seed_close(&seed);
    files_close(&files);
    str_free(&want), str_free(&got);
}

/* --- texts as C ------------------------------------------------------------------------------------- */

static void assert_literal(const char *text, const char *want) {
    struct str out = {0};
    literal_text(&out, text);
    assert_string_equal(str_c(&out), want);
    str_free(&out);
}

static void a_text_is_written_as_valid_c(void **state) {
    (void)state;
    assert_literal("", "\"\"");
    assert_literal("\x01"
                   "abc\x7f",
                   "\"\\001abc\\177\""); /* lean4#13435: "\x01abc" is one escape, out of range */
    assert_literal("a\"b\\c\n", "\"a\\\"b\\\\c\\n\"");
    assert_literal("what?\?=", "\"what\\?\\?=\"");
    assert_literal("\xc3\xa9\xff", "\"\\303\\251\\377\"");
    char text[4097];
    memset(text, 'a', sizeof text);
    text[4096] = 0;
    struct str out = {0};
    literal_text(&out, text);
    assert_true(strncmp(out.at, "(const char[]){'a', 'a', ", 25) == 0);
    str_free(&out);
}

/* --- what the compiled matrix says ------------------------------------------------------------------ */

static void the_floors_of_the_seeds_reach_c(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double value;
    } floors[] = {{"cudaFP16CosineMin", 0.997},          {"cudaQ8CosineMin", 0.999},
                  {"cudaQ4KCosineMin", 0.995},           {"cudaFlashAttnCosineMin", 0.999},
                  {"cudaDsaSparseAttnCosineMin", 0.999}, {"cudaAWQCosineMin", 0.995}};
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
        const struct floor *floor = matrix_floor(&sota_matrix, floors[i].name);
        assert_non_null(floor);
        if (floor->state == FLOOR_RECORDED) assert_true(floor->value == floors[i].value);
        else assert_true(floor->value >= floors[i].value); /* a measurement may tighten it */
        assert_string_equal(floor->metric, "cosine");
    }
    assert_null(matrix_floor(&sota_matrix, "cudaAWQCosineMax"));
}

static const struct field_name *names_of(const char *array, const char *member) {
    for (const struct field *field = field_table(array)->fields; field->member; field++)
        if (strcmp(field->member, member) == 0) return field->names;
    return NULL;
}

#define ASSERT_NAMES(array, member, type, name)                                                              \
    for (int i = 0; names_of(array, member)[i].seed; i++)                                                    \
    assert_string_equal(names_of(array, member)[i].seed, name((enum type)i))

static void values_are_called_in_the_seed_as_in_look_ups(void **state) {
    (void)state;
    ASSERT_NAMES("ops", "kind", op_kind, op_kind_name);
    ASSERT_NAMES("ops", "route", route, route_name);
    ASSERT_NAMES("ops", "status", op_status, op_status_name);
    ASSERT_NAMES("paths", "role", path_role, path_role_name);
    ASSERT_NAMES("references", "kind", reference_kind, reference_kind_name);
    ASSERT_NAMES("floors", "state", floor_state, floor_state_name);
    ASSERT_NAMES("benches", "regime", bench_regime, bench_regime_name);
}

static const struct op *op_named(const char *slug) {
    for (size_t i = 0; i < sota_matrix.n_ops; i++)
        if (strcmp(sota_matrix.ops[i].slug, slug) == 0) return &sota_matrix.ops[i];
    return NULL;
}

static void the_operations_of_the_seeds_are_there(void **state) {
    (void)state;
    static const struct {
        const char *slug;
        enum route route;
    } ops[] = {{"dense-f32-gemm", ROUTE_STAY_MINIMAL},
               {"device-quant-gemm", ROUTE_BIND},
               {"awq-gemm", ROUTE_BORROW},
               {"gptq-resident", ROUTE_BIND},
               {"exl2-loader", ROUTE_STAY_MINIMAL},
               {"gguf-quant-load", ROUTE_BIND},
               {"cpu-kquant-gemm", ROUTE_BORROW},
               {"moe-dispatch", ROUTE_BORROW},
               {"collectives", ROUTE_BIND},
               {"fused-attention", ROUTE_STAY_MINIMAL},
               {"sparse-attention", ROUTE_STAY_MINIMAL},
               {"kv-cache", ROUTE_STAY_MINIMAL},
               {"metal-kquant-gemm", ROUTE_BORROW}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const struct op *op = op_named(ops[i].slug);
        if (!op) fail_msg("no operation %s", ops[i].slug);
        assert_int_equal(op->route, ops[i].route);
    }
    assert_true(*op_named("awq-gemm")->selection && *op_named("awq-gemm")->plan);
    for (size_t i = 1; i < sota_matrix.n_ops; i++)
        assert_true(strcmp(sota_matrix.ops[i - 1].slug, sota_matrix.ops[i].slug) < 0);
}

static void ranges_hold_what_belongs_to_the_operation(void **state) {
    (void)state;
    const struct matrix *m = &sota_matrix;
    size_t n_paths = 0, n_references = 0, n_witnesses = 0;
    for (const struct op *op = m->ops; op < m->ops + m->n_ops; op++) {
        assert_true(op->references.n > 0);
        assert_int_equal(m->references[op->references.first].kind, REFERENCE_PRIMARY);
        for (unsigned i = 0; i < op->references.n; i++)
            assert_string_equal(m->references[op->references.first + i].op, op->slug);
        for (unsigned i = 0; i < op->paths.n; i++)
            assert_string_equal(m->paths[op->paths.first + i].op, op->slug);
        for (unsigned i = 0; i < op->witnesses.n; i++)
            assert_string_equal(m->witnesses[op->witnesses.first + i].op, op->slug);
        n_paths += op->paths.n, n_references += op->references.n, n_witnesses += op->witnesses.n;
    }
    assert_int_equal(n_paths, m->n_paths);
    assert_int_equal(n_references, m->n_references);
    assert_int_equal(n_witnesses, m->n_witnesses);
}

static void every_shipped_operation_has_a_witness_on_disk(void **state) {
    (void)state;
    const struct matrix *m = &sota_matrix;
    for (const struct op *op = m->ops; op < m->ops + m->n_ops; op++) {
        if (op->status != OP_SHIPPED) continue;
        size_t n_tests = 0;
        for (unsigned i = 0; i < op->witnesses.n; i++) {
            const struct witness *witness = &m->witnesses[op->witnesses.first + i];
            if (*witness->test) assert_true(file_exists(witness->test));
            n_tests += *witness->test != 0;
        }
        if (n_tests == 0) fail_msg("%s is shipped without a witness", op->slug);
    }
}

static void ladders_and_operations_name_each_other(void **state) {
    (void)state;
    static const char *const axes[] = {"attention", "batching", "kv-cache", "quantization",
                                       "speculative-decoding"};
    const struct matrix *m = &sota_matrix;
    assert_int_equal(m->n_ladders, 5);
    for (size_t i = 0; i < m->n_ladders; i++) {
        const struct ladder *ladder = &m->ladders[i];
        assert_string_equal(ladder->axis, axes[i]);
        assert_true(ladder->rungs.n >= 4);
        assert_true(ladder->fak_rung >= -1 && ladder->fak_rung < (int)ladder->rungs.n);
        for (unsigned j = 0; j < ladder->rungs.n; j++) {
            const struct rung *rung = &m->rungs[ladder->rungs.first + j];
            assert_string_equal(rung->axis, ladder->axis);
            assert_int_equal(rung->level, j);
        }
        for (unsigned j = 0; j < ladder->branches.n; j++)
            assert_string_equal(m->branches[ladder->branches.first + j].axis, ladder->axis);
        if (*ladder->op) assert_string_equal(op_named(ladder->op)->axis, ladder->axis);
        if (ladder->fak_rung >= 0) assert_int_equal(op_named(ladder->op)->status, OP_SHIPPED);
    }
    for (size_t i = 0; i < m->n_ops; i++) {
        bool known = !*m->ops[i].axis;
        for (size_t j = 0; j < m->n_ladders; j++) known |= strcmp(m->ops[i].axis, m->ladders[j].axis) == 0;
        assert_true(known);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_seed_has_no_complaints),
        cmocka_unit_test(a_bad_row_is_named_by_file_line_reason_and_remedy),
        cmocka_unit_test(a_value_that_means_nothing_is_refused),
        cmocka_unit_test(a_byte_order_mark_and_carriage_returns_are_no_text),
        cmocka_unit_test(a_ladder_is_complete_in_order_and_backed),
        cmocka_unit_test(only_inserts_of_plain_values_are_admitted),
        cmocka_unit_test(what_never_ends_is_named_where_it_starts),
        cmocka_unit_test(a_nul_is_refused_raw_and_made),
        cmocka_unit_test(a_complaint_is_one_line_of_plain_text),
        cmocka_unit_test(size_and_steps_are_limited),
        cmocka_unit_test(shuffled_rows_give_the_same_bytes),
        cmocka_unit_test(the_literal_in_this_program_is_the_seed),
        cmocka_unit_test(a_text_is_written_as_valid_c),
        cmocka_unit_test(values_are_called_in_the_seed_as_in_look_ups),
        cmocka_unit_test(the_floors_of_the_seeds_reach_c),
        cmocka_unit_test(the_operations_of_the_seeds_are_there),
        cmocka_unit_test(ranges_hold_what_belongs_to_the_operation),
        cmocka_unit_test(every_shipped_operation_has_a_witness_on_disk),
        cmocka_unit_test(ladders_and_operations_name_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
