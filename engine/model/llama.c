/* llama: Llama 1 to 3 and what shares their graph (Touvron et al., arXiv:2302.13971; transformers
 * models/llama/modeling_llama.py). Pre-norm blocks of grouped-query attention and SwiGLU.
 *
 * ggml's converter permutes the rows of q and k, so that pairs to rotate are neighbours; it writes Mistral
 * and Mixtral as llama too. */
#include "engine/file/checkpoint.h"
#include "engine/model/decoder.h"
#include "engine/model/model.h"

void llama_build(struct builder *b, const struct hparams *h) {
    if (h->experts.n) {
        mixtral_build(b, h);
        return;
    }
    struct decoder d;
    decoder_begin(&d, b, h, gguf_rope_halves(b->file) ? ROPE_HALVES : ROPE_INTERLEAVED, 1);
    int rope = decoder_rope(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++)
        decoder_layer(&d, rope, h->window, "ffn_norm", NULL);
    decoder_head(&d);
}
