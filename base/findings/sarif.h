/* sarif: a report as SARIF 2.1.0, for GitHub's code scanning and every other reader of the standard.
 *
 * Owns, trusts: as diagnostic.h. Any thread.
 *
 * Sources: OASIS, "Static Analysis Results Interchange Format 2.1.0"; GitHub, "SARIF support for code
 * scanning". Whatever would make GitHub refuse the whole file is kept from happening here: no more rules,
 * results or bytes than it takes, a location with a line in every result, descriptions of at most 1,024
 * characters. Results come by level, errors first, so that a cut loses the least; a cut is said in the run's
 * notifications.
 *
 * Paths are URIs relative to %SRCROOT%, the repository's root, whatever the working directory; every byte
 * that is not plain is percent-encoded, so that a name in Latin-1 survives too. A finding about no file has
 * no place that GitHub could show: it is a notification. A finding about a whole file is on its first line.
 *
 * The fingerprint is given twice: as primaryLocationLineHash, the only name that GitHub reads, and under a
 * name of our own for readers that compare all of them.
 */
#ifndef BASE_FINDINGS_SARIF_H
#define BASE_FINDINGS_SARIF_H

#include "base/findings/diagnostic.h"

enum {
    SARIF_RESULTS = 25000,     /* a run; GitHub shows the first 5,000 */
    SARIF_RULES = 25000,       /* a run */
    SARIF_CHARACTERS = 1024,   /* of a description, and here of a message too */
    SARIF_BYTES = 10 * 1000000 /* GitHub counts them compressed; this is before */
};

void sarif_write(struct str *out, const struct diagnostic_report *report);

/* path as a relative URI (RFC 3986): what is not unreserved or '/' is percent-encoded. */
void sarif_uri(struct str *out, const char *path);

#endif
