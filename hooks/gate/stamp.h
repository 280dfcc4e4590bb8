/* stamp: is there a Prior-art trailer, and is it right? Pure; everything lives in the arena or the message.
 */
#ifndef HOOKS_GATE_STAMP_H
#define HOOKS_GATE_STAMP_H

#include "hooks/gate/gate_priorart.h"

/* A value is free text, unless it starts with names ("rope", "rope, fused-attention; what was read"): then
 * one of them must be an operation among the findings. A name that is no operation but close to one is taken
 * for a slip. */
bool stamp_judge(struct stamp *out, const struct matrix *m, const struct finding *findings, size_t n,
                 struct view message, const struct trailer_rules *rules, struct arena *arena,
                 struct status *st) STATUS_MUST_USE;

#endif
