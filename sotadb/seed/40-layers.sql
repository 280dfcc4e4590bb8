-- What lies between the products of a layer, and what comes after the last one.

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status, axis) VALUES
('rms-norm', 'RMS norm',
 'Divides a row by the root of its mean square and multiplies it by a weight.',
 'kernel', 'stay-minimal',
 'One pass and one fixed tree of sixteen partial sums: the order is the contract. Batch-invariant by construction.',
 'Lane ref (sum of squares in double); every CPU lane equals the exact lane bit for bit.',
 'Memory when it is a pass of its own; nothing when fused with the quantisation that follows.', 'shipped', NULL),
('swiglu', 'Gated activations (SwiGLU, SiLU, GELU)',
 'Computes silu(gate) * up, or the gelu form, elementwise.',
 'kernel', 'stay-minimal',
 'The exponential is one polynomial, the same on every lane; a library''s exp differs from machine to machine.',
 'Lane ref with the C library''s exp in double; every CPU lane equals the exact lane bit for bit.',
 'The exponential in prefill; memory in decode.', 'shipped', NULL),
('sampling', 'Softmax and sampling',
 'Turns logits into the next token: the largest, or drawn from a softmax cut by temperature, top-k, top-p and min-p.',
 'kernel', 'stay-minimal',
 'A greedy choice is the largest logit and the lowest id on ties; NaN is never chosen. Draws come from one stated '
 || 'generator, so that a seed means the same everywhere.',
 'Lane ref; greedy ids of the reference libraries on the same logits.',
 'A pass over the vocabulary, once a token.', 'shipped', NULL),
('embedding', 'Embedding look-up and row selection',
 'Copies rows by index: of the token table by id, decoded when it is quantised, and of the last layer where logits are wanted.',
 'kernel', 'stay-minimal',
 'A copy. What can go wrong is the index and the decoding, and both are checked elsewhere.',
 'Lane ref: max|d| = 0.', 'Memory latency of scattered rows.', 'shipped', NULL),
('softcap', 'Soft cap (cap tanh(x / cap))',
 'Bounds attention scores or logits without a corner.',
 'kernel', 'stay-minimal', 'One tanh a value, in double. Capped attention is lane ref''s as well.',
 'The same by the logistic function, and Hugging Face on a small Gemma 2 checkpoint.',
 'The exponential; nothing beside the product before it.', 'shipped', NULL),
('residual-add', 'Residual add',
 'Adds the output of a sub-layer to the residual stream, and its bias to a projection.',
 'kernel', 'stay-minimal', 'One addition a value, in f32; nothing to reorder.', 'Lane ref: max|d| = 0.',
 'Memory when it is a pass of its own; nothing when fused with its neighbours.', 'shipped', NULL);

INSERT INTO op_alias (op, alias) VALUES
('rms-norm', 'rmsnorm'), ('rms-norm', 'norm'), ('rms-norm', 'norms'), ('rms-norm', 'layer-norm'),
('swiglu', 'silu'), ('swiglu', 'gelu'), ('swiglu', 'activation'), ('swiglu', 'activations'), ('swiglu', 'glu'),
('swiglu', 'swish'),
('sampling', 'softmax'), ('sampling', 'sampler'), ('sampling', 'argmax'), ('sampling', 'top-k'), ('sampling', 'top-p'),
('sampling', 'min-p'), ('sampling', 'softmax-sampling'),
('softcap', 'soft-cap'), ('softcap', 'softcapping'), ('softcap', 'logit-cap'),
('embedding', 'embed'), ('embedding', 'get-rows'), ('embedding', 'gather'), ('embedding', 'token-embedding'),
('embedding', 'embedding-lookup'),
('residual-add', 'add'), ('residual-add', 'residual');

INSERT INTO op_path (op, glob, role, planned) VALUES
('rms-norm', 'engine/kernels/*/rms_norm*', 'kernel', 0),
('swiglu', 'engine/kernels/*/swiglu*', 'kernel', 0),
('swiglu', 'engine/kernels/exact/exp.h', 'kernel', 0),
('swiglu', 'engine/kernels/*/geglu*', 'kernel', 0),
('swiglu', 'engine/kernels/exact/gated.h', 'kernel', 0),
('swiglu', 'engine/kernels/exact/sigmoid.h', 'kernel', 0),
('swiglu', 'engine/kernels/*/sigmoid_gate.*', 'kernel', 0),
('softcap', 'engine/kernels/*/softcap*', 'kernel', 0),
('rms-norm', 'engine/kernels/*/layer_norm*', 'kernel', 0),
('residual-add', 'engine/kernels/*/bias.*', 'kernel', 0),
('sampling', 'engine/session/sample*.[ch]', 'host', 0),
('embedding', 'engine/kernels/*/embed*', 'kernel', 0),
('embedding', 'engine/kernels/*/select*', 'kernel', 0),
('residual-add', 'engine/kernels/*/add.*', 'kernel', 0);

INSERT INTO op_symbol (op, pattern) VALUES
('rms-norm', '*rms_norm*'), ('rms-norm', '*layer_norm*'), ('softcap', '*softcap*'), ('residual-add', 'bias_ref'),
('swiglu', '*geglu*'), ('swiglu', 'sigmoid_gate_*'), ('swiglu', '*swiglu*'), ('swiglu', '*silu*'), ('swiglu', '*gelu*'),
('sampling', '*softmax*'), ('sampling', '*argmax*'), ('sampling', 'sample_*'),
('embedding', 'embed_*'), ('embedding', '*_embed'), ('embedding', '*_embed_*'), ('embedding', '*embedding_*'),
('embedding', '*get_rows*'), ('embedding', 'select_ref'), ('embedding', 'k_select*'),
('residual-add', 'add_ref'), ('residual-add', 'k_add*');

INSERT INTO reference (op, name, url, kind, note, checked_on) VALUES
('rms-norm', 'llama.cpp CPU ops', 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cpu/ops.cpp', 'primary',
 'ggml_compute_forward_rms_norm_f32: where eps goes and what is summed in which precision', '2026-11-30'),
('softcap', 'transformers Gemma 2',
 'https://github.com/huggingface/transformers/blob/main/src/transformers/models/gemma2/modeling_gemma2.py', 'primary',
 'where the caps are applied: before the mask, and on the logits', '2026-11-30'),
('rms-norm', 'Defeating Nondeterminism in LLM Inference',
 'https://thinkingmachines.ai/blog/defeating-nondeterminism-in-llm-inference/', 'docs',
 'why a reduction that adapts to the batch changes bits', ''),
('swiglu', 'llama.cpp CPU vectors', 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cpu/vec.h', 'primary',
 'ggml_v_expf and ggml_v_silu: a polynomial exp with stated error', '2026-11-30'),
('sampling', 'llama.cpp sampling', 'https://github.com/ggml-org/llama.cpp/blob/master/src/llama-sampler.cpp', 'primary',
 'the chain of samplers and its order', '2026-11-30'),
('embedding', 'llama.cpp CPU ops', 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cpu/ops.cpp', 'primary',
 'ggml_compute_forward_get_rows', '2026-11-30'),
('residual-add', 'llama.cpp binary ops',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cpu/binary-ops.cpp', 'primary', '', '2026-11-30');

INSERT INTO paper (op, title, id, url, year) VALUES
('rms-norm', 'Root Mean Square Layer Normalization', 'arXiv:1910.07467', 'https://arxiv.org/abs/1910.07467', 2019),
('swiglu', 'GLU Variants Improve Transformer', 'arXiv:2002.05202', 'https://arxiv.org/abs/2002.05202', 2020),
('sampling', 'The Curious Case of Neural Text Degeneration', 'arXiv:1904.09751', 'https://arxiv.org/abs/1904.09751', 2019),
('sampling', 'Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs', 'arXiv:2407.01082',
 'https://arxiv.org/abs/2407.01082', 2024);

INSERT INTO witness (op, device, metric, test) VALUES
('rms-norm', 'cpu', 'the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref',
 'tests/unit/test_checkkern.c'),
('swiglu', 'cpu', 'the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref',
 'tests/unit/test_checkkern.c'),
('embedding', 'cpu', 'the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref',
 'tests/unit/test_checkkern.c'),
('residual-add', 'cpu', 'the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref',
 'tests/unit/test_checkkern.c'),
('softcap', 'cpu', 'cosine, normalised error and argmax against the logistic function; the same bits in every cut', 'tests/unit/test_checkkern.c'),
('sampling', 'cpu', 'greedy: the largest logit, the lowest id on ties, never a NaN; draws: shares of 20,000 of the distribution, cuts, penalties', 'tests/unit/test_session.c');
