/* mistral: Llama's graph with a window on every layer (Jiang et al., arXiv:2310.06825; transformers
 * models/mistral/modeling_mistral.py). A GGUF says llama and has lost the window. */
#include "engine/model/model.h"

void mistral_build(struct builder *b, const struct hparams *h) { llama_build(b, h); }
