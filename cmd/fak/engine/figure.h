/* figure: what the witness of an operation measures now, in few numbers. Lives in lib/fak-engine.so, which
 * has the kernels; `fak sota stamp` loads it through the table "fak_figure".
 *
 * Owns, trusts: nothing. The main thread.
 */
#ifndef CMD_FAK_ENGINE_FIGURE_H
#define CMD_FAK_ENGINE_FIGURE_H

#include "base/status.h"

struct figure {
    size_t n_cases;       /* of all lanes that ran against the oracle; 0: this build has none */
    size_t n_lanes;       /* that ran */
    double cosine, error; /* the worst of them */
    bool fails;           /* a lane misses its bar, and `why` says how */
    char why[240];
};

struct figure_table {
    /* Runs every case of every lane that this processor can run, of the built-in matrix's operation. */
    bool (*measure)(struct figure *out, const char *slug, struct status *st);
};

#endif
