/* page_ladders: docs/ladders.md, how far each capability has come in the field and where we stand. */
#include "cmd/sotac/page.h"
#include "ladders/ladder.h"

static const char intro[] =
    "The [matrix](sota-matrix.md) answers \"what do I read before this kernel?\". A ladder answers \"which "
    "milestones did\n"
    "the field pass, in order, and on which of them do we stand?\".\n\n"
    "Every rung is the work of others: named, dated, linked. The one thing a ladder says of us is the rung, "
    "and it is the\n"
    "highest one that the witness of a shipped operation backs, or none. Beside a rung stands what grew at "
    "that level\n"
    "without being a step that has to be taken. `fak sota milestones [axis]` prints the same.\n\n";

void page_ladders(struct str *out, const struct matrix *m) {
    page_head(out, "The milestone ladders");
    str_puts(out, intro);
    ladder_overview_markdown(out, m);
    for (size_t i = 0; i < m->n_ladders; i++) {
        str_putc(out, '\n');
        ladder_markdown(out, m, &m->ladders[i]);
    }
}
