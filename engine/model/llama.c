/* llama: Llama 1 to 3 and what shares their graph (Touvron et al., arXiv:2302.13971; transformers
 * models/llama/modeling_llama.py). Pre-norm blocks of grouped-query attention and SwiGLU.
 *
 * ggml's converter permutes the rows of q and k, so that pairs to rotate are neighbours. */
#include "engine/file/checkpoint.h"
#include "engine/model/model.h"
#include "engine/model/rotary.h"

#include <math.h>

/* The buffers of one block, used again by every block. */
struct buffers {
    int x; /* the residual stream */
    int norm, q, k, v, mixed, branch, gate, up, hidden;
};

static struct buffers add_buffers(struct builder *b, const struct hparams *h) {
    size_t q = h->n_heads * h->head_dim, kv = h->n_kv_heads * h->head_dim;
    return (struct buffers){
        .x = builder_buffer(b, h->d),
        .norm = builder_buffer(b, h->d),
        .q = builder_buffer(b, q),
        .k = builder_buffer(b, kv),
        .v = builder_buffer(b, kv),
        .mixed = builder_buffer(b, q),
        .branch = builder_buffer(b, h->d),
        .gate = builder_buffer(b, h->d_ff),
        .up = builder_buffer(b, h->d_ff),
        .hidden = builder_buffer(b, h->d_ff),
    };
}

static void attention(struct builder *b, const struct hparams *h, const struct buffers *at, size_t i) {
    size_t q = h->n_heads * h->head_dim, kv = h->n_kv_heads * h->head_dim;
    int norm = builder_vector(b, h->d, "blk.%zu.attn_norm.weight", i);
    int qkv[] = {builder_matrix(b, q, h->d, "blk.%zu.attn_q.weight", i),
                 builder_matrix(b, kv, h->d, "blk.%zu.attn_k.weight", i),
                 builder_matrix(b, kv, h->d, "blk.%zu.attn_v.weight", i)};
    int output = builder_matrix(b, h->d, q, "blk.%zu.attn_output.weight", i);

    builder_rms_norm(b, at->x, norm, h->eps, at->norm);
    builder_linear(b, at->norm, 3, qkv, (int[]){at->q, at->k, at->v});
    builder_rope(b, at->q, at->k, gguf_rope_halves(b->file) ? ROPE_HALVES : ROPE_INTERLEAVED);
    builder_kv_store(b, at->k, at->v);
    builder_attention(b, at->q, (float)(1.0 / sqrt((double)h->head_dim)), at->mixed);
    builder_linear(b, at->mixed, 1, &output, &at->branch);
    builder_add(b, at->branch, at->x);
}

static void feed_forward(struct builder *b, const struct hparams *h, const struct buffers *at, size_t i) {
    int norm = builder_vector(b, h->d, "blk.%zu.ffn_norm.weight", i);
    int gate_up[] = {builder_matrix(b, h->d_ff, h->d, "blk.%zu.ffn_gate.weight", i),
                     builder_matrix(b, h->d_ff, h->d, "blk.%zu.ffn_up.weight", i)};
    int down = builder_matrix(b, h->d, h->d_ff, "blk.%zu.ffn_down.weight", i);

    builder_rms_norm(b, at->x, norm, h->eps, at->norm);
    builder_linear(b, at->norm, 2, gate_up, (int[]){at->gate, at->up});
    builder_swiglu(b, at->gate, at->up, at->hidden);
    builder_linear(b, at->hidden, 1, &down, &at->branch);
    builder_add(b, at->branch, at->x);
}

/* Logits of the selected rows; without output.weight the token table serves twice. */
static void head(struct builder *b, const struct hparams *h, int x, int table) {
    int last = builder_buffer(b, h->d), norm = builder_buffer(b, h->d);
    int logits = builder_buffer(b, b->program.n_vocab);
    int weight = builder_vector(b, h->d, "output_norm.weight");
    int output = table;
    if (gguf_find_tensor(b->file, "output.weight"))
        output = builder_matrix(b, b->program.n_vocab, h->d, "output.weight");

    builder_select(b, x, last);
    builder_rms_norm(b, last, weight, h->eps, norm);
    builder_linear(b, norm, 1, &output, &logits);
    b->program.logits = logits;
}

void llama_build(struct builder *b, const struct hparams *h) {
    b->program.n_vocab = builder_n_vocab(b);
    int table = builder_matrix(b, b->program.n_vocab, h->d, "token_embd.weight");
    builder_rope_tables(b, h->context,
                        &(struct rotary){h->rope_dims, h->rope_base, h->rope_factor,
                                         builder_values(b, h->rope_dims / 2, "rope_freqs.weight")});

    struct buffers at = add_buffers(b, h);
    builder_embed(b, table, at.x);
    for (size_t i = 0; i < h->n_layers && !b->failed; i++) {
        builder_layer(b, i);
        attention(b, h, &at, i);
        feed_forward(b, h, &at, i);
    }
    head(b, h, at.x, table);
}
