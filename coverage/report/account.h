/* account: what `sota-coverage history` says, for people and as JSON.
 *
 * Owns:    nothing; appends to the caller's text.
 * Trusts:  the ledger, not the names and subjects in it: control characters are shown, not sent.
 * Threads: any.
 */
#ifndef COVERAGE_REPORT_ACCOUNT_H
#define COVERAGE_REPORT_ACCOUNT_H

#include "base/term.h"
#include "coverage/history/ledger.h"

/* From first to last, the commits that changed the debt, who paid what, the gaps open for longest; last line
 * "sota_debt=N". With `all`, long lists are not folded. */
void account_text(struct str *out, const struct term *term, const struct ledger *ledger,
                  const struct tree *tree, bool all);

/* Every commit, oldest first, and every gap there ever was, as one JSON object. */
void account_json(struct str *out, const struct ledger *ledger, const struct tree *tree);

/* "2026-11-30" of seconds since 1970, UTC. */
enum { ACCOUNT_DATE = 16 };
const char *account_date(char out[ACCOUNT_DATE], int64_t time);

#endif
