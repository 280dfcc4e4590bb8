/* earlyselect: the last layer only for the tokens whose logits are asked for.
 *
 * Owns:    nothing; what it makes lies in the builder's arena.
 * Trusts:  the builder's steps as far as program_check does: what it does not understand it leaves alone.
 * Threads: one builder, one thread.
 *
 * After its last attention a program works on each token alone, and all but a few tokens of a prompt are
 * thrown away at its end. llama.cpp does the same in every model file (build_inp_out_ids).
 */
#ifndef ENGINE_MODEL_EARLYSELECT_H
#define ENGINE_MODEL_EARLYSELECT_H

#include "engine/model/builder.h"

/* Moves the select step to where tokens last see each other. */
void earlyselect(struct builder *b);

#endif
