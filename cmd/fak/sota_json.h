/* sota_json: rows of the matrix as JSON; the same keys as the columns of sotadb/schema.sql.
 * Owns nothing. Trusts the matrix. Any thread. */
#ifndef CMD_FAK_SOTA_JSON_H
#define CMD_FAK_SOTA_JSON_H

#include "base/jsonout.h"
#include "sotadb/matrix.h"

/* One operation with all that belongs to it, as an object. */
void sota_json_op(struct jsonout *j, const struct matrix *m, const struct op *op);

/* Why it was found: {"by": "path", "glob": ..., "role": ...} and so on. */
void sota_json_why(struct jsonout *j, const struct match *match, const char *alias);

/* The bench rows of one operation (NULL: of all), as an array. */
void sota_json_benches(struct jsonout *j, const struct matrix *m, const struct op *only);

/* The whole matrix, table by table and row by row: enough to write the seed again. */
void sota_json_export(struct jsonout *j, const struct matrix *m);

#endif
