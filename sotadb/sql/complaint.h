/* complaint: one line "file:line: reason, what to do" about a row.
 *
 * Owns:    nothing; lines are appended to the caller's text.
 * Trusts:  nothing: the reason may quote a foreign seed. It is cut to a length one reads, and what is no
 *          well-formed text, breaks the line or steers a terminal becomes U+FFFD.
 * Threads: any.
 */
#ifndef SOTADB_SQL_COMPLAINT_H
#define SOTADB_SQL_COMPLAINT_H

#include "base/str.h"

void complaint_add(struct str *complaints, const char *file, int line, struct view reason);

#endif
