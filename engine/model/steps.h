/* steps: one function for each operation of a program, in the order of its operands (program.h has shapes).
 *
 * Owns nothing. Trusts the architecture for order; program_check finds what does not fit. One builder, one
 * thread. Buffers and weights are the builder's indices.
 */
#ifndef ENGINE_MODEL_STEPS_H
#define ENGINE_MODEL_STEPS_H

#include "engine/model/builder.h"

void steps_embed(struct builder *b, int table, float scale, int out);
void steps_rms_norm(struct builder *b, int in, size_t heads, int weight, float eps, int out);
void steps_layer_norm(struct builder *b, int in, int weight, int bias, float eps, int out);
void steps_linear(struct builder *b, int in, int n, const int *weights, const int *outs);
void steps_head_linear(struct builder *b, int in, size_t heads, int weight, int out);
/* Those of the n biases that are not PROGRAM_NONE. */
void steps_bias(struct builder *b, int n, const int *biases, const int *outs);
/* Returns the step: rows more than one, other dims in and out and the pairs are set there. */
struct step *steps_rope(struct builder *b, int rope, enum rope_pairs pairs, int in, size_t heads, int out);
void steps_kv_store(struct builder *b, int cache, int k, int v);
/* Returns the step, for a window, a cap, sinks. */
struct step *steps_attention(struct builder *b, int cache, int q, size_t heads, float scale, int out);
void steps_dsa_select(struct builder *b, int cache, int q, int weights, size_t heads, float scale, int out);
void steps_dsa_attention(struct builder *b, int cache, int q, size_t heads, float scale, int chosen, int out);
void steps_swiglu(struct builder *b, int gate, int up, int out);
void steps_geglu(struct builder *b, int gate, int up, int out);
void steps_swiglu_clamped(struct builder *b, int gate, int up, float alpha, float limit, int out);
void steps_add(struct builder *b, int y, int x);                                      /* x += y */
void steps_sigmoid_gate(struct builder *b, int gate, size_t heads, size_t at, int x); /* x *= sigmoid(gate) */
void steps_softcap(struct builder *b, int x, float cap);
void steps_select(struct builder *b, int in, int out);
void steps_route(struct builder *b, int logits, int bias, const struct routing *how, int ids, int weights);
/* biases may be NULL or hold PROGRAM_NONE */
void steps_experts(struct builder *b, int in, int ids, int n, const int *weights, const int *biases,
                   const int *outs);
void steps_mix(struct builder *b, int in, int weights, int out);
void steps_short_conv(struct builder *b, int in, int weight, int state, int out);

#endif
