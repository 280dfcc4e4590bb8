/* mla: multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1) in its absorbed form, for
 * every position: queries go into the latent space, one head of which is all that is kept. One form, one
 * rounding. With an indexer, attention looks at the positions it chose (DSA; DeepSeek-V3.2,
 * arXiv:2512.02556).
 *
 * Owns nothing, trusts hparams for sizes; one builder, one thread.
 */
#ifndef ENGINE_MODEL_MLA_H
#define ENGINE_MODEL_MLA_H

#include "engine/model/decoder.h"

struct mla {
    int q_latent, absorbed, attended; /* q_latent: PROGRAM_NONE where queries come from the stream itself */
    int index_q, index_k, index_weights, chosen;
    enum rope_pairs index_pairs;
    bool was_chosen; /* some layer's indexer has run */
};

/* Buffers; the scale of scores goes into d->scale. `index_pairs`: of the indexer's heads. */
void mla_begin(struct mla *m, struct decoder *d, enum rope_pairs index_pairs);

/* norm -> branch. `has_indexer`: else the positions chosen in the layer before are taken again. */
void mla_attention(struct mla *m, struct decoder *d, int rope, bool has_indexer);

#endif
