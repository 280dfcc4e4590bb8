/* field: one description of every struct of the matrix, by which rows are read from SQLite and written as C.
 *
 * Owns, trusts: nothing; constant tables. Any thread.
 *
 * A new column is a column in schema.sql, a member in matrix.h and a line in field.c.
 */
#ifndef SOTADB_SQL_FIELD_H
#define SOTADB_SQL_FIELD_H

#include "sotadb/matrix.h"

enum field_type { FIELD_TEXT, FIELD_INT, FIELD_BOOL, FIELD_DOUBLE, FIELD_ENUM, FIELD_RANGE };

/* A value of an enum, in the seed and in C. */
struct field_name {
    const char *seed, *c; /* "bind", "ROUTE_BIND" */
};

struct field {
    const char *member;
    enum field_type type;
    size_t offset;
    const struct field_name *names; /* of an enum, by value, ended by NULLs */
    const char *from;               /* SQL expression; of a range: the array it counts in */
};

/* One array of struct matrix. The first member of each struct is the text by which it is sorted and ranges
 * are cut: the slug or axis that owns it. */
struct field_table {
    const char *array, *type; /* "ops", "op" */
    size_t size;              /* sizeof(struct op) */
    size_t rows, count;       /* offsets in struct matrix of the pointer and of the count */
    const struct field *fields;
    const char *from; /* SQL after the columns; orders totally */
};

extern const struct field_table field_tables[]; /* ended by a NULL array */

const struct field_table *field_table(const char *array);

/* The array of m that this table describes. */
const void *field_rows(size_t *n, const struct field_table *table, const struct matrix *m);

#endif
