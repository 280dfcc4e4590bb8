/* layers: trials of the operations around products and attention: routers and experts, recurrent layers,
 * sparse attention, gates. Each is defined here a second time, by sorting where the kernel searches and by
 * matrices where it steps, so that lane ref is compared with something.
 *
 * Owns nothing, trusts the trial; one trial, one thread.
 */
#ifndef TESTS_CHECKKERN_LAYERS_H
#define TESTS_CHECKKERN_LAYERS_H

#include "tests/checkkern/trial.h"

/* False where the op is none of these. */
bool layers_build(struct trial *trial, struct synth *s);
bool layers_define(const struct trial *trial, double *values); /* as trial_definition */

#endif
