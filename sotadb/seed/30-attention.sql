-- Attention, its positions and its cache, and the recurrent layer that stands beside it in hybrid models.

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status, axis) VALUES
('fused-attention', 'Fused attention (MHA/GQA/MQA)',
 'Computes softmax(q k'' scale) v over a sequence''s pages with one running maximum and sum, no score matrix in memory.',
 'kernel', 'stay-minimal',
 'Our own online softmax is small and its order is fixed: keys are split at fixed positions and merged in ascending '
 || 'order, so a result does not depend on the batch. Look at FlashInfer again when variable lengths on a GPU are due.',
 'Lane ref (scores, softmax, sum in double). CPU lanes equal the exact lane bit for bit; a device reaches a cosine of 0.999.',
 'Bandwidth of keys and values, growing with the length of the context.', 'shipped', 'attention'),
('sparse-attention', 'GLM sparse attention (DSA)',
 'Scores all keys with a small indexer, keeps the best 2048, and attends to those only.',
 'kernel', 'stay-minimal',
 'Index selection on the host and a sparse kernel on the device are enough to be right; ties go to the lowest position, '
 || 'so that the selection is one and the same everywhere.',
 'Lane ref, cosine of 0.999 on a device. With no more keys than the indexer keeps it equals dense attention bit for bit.',
 'The round trip of the index selection to the host.', 'planned', 'attention'),
('kv-cache', 'KV cache (paging, prefix reuse)',
 'Keeps keys and values in pages that sequences share, finds known prefixes in a radix tree, and gives pages back.',
 'kernel', 'stay-minimal',
 'What sets ours apart is exactness: an f32 cache that answers the same bits warm or cold, after eviction and refill. '
 || 'The throughput of paged pools is not the contest.',
 'Bit identity: max|d| = 0 between warm and cold, shared and alone.',
 'Bandwidth of keys and values. Fragmentation is deliberately not pursued.', 'shipped', 'kv-cache'),
('rope', 'Rotary position embedding (RoPE)',
 'Rotates pairs of query and key values by an angle that grows with the position, interleaved or in halves.',
 'kernel', 'stay-minimal',
 'Two multiply-adds a value: there is nothing to buy. Angles come from double precision and are rounded once.',
 'Lane ref, and Hugging Face transformers for both pair layouts and each scaling rule.',
 'None of its own: fused with the projection it is free.', 'shipped', NULL),
('gated-delta-net', 'Gated delta net',
 'Updates a state matrix per head by the delta rule with a decay gate and reads it with the query: attention without a cache.',
 'kernel', 'borrow',
 'The chunked form is known and published; the recurrent form is its definition. Chunk boundaries stay at fixed '
 || 'positions so that chunking does not change bits.',
 'Lane ref in recurrent form, and the flash-linear-attention reference on the same inputs.',
 'Prefill: the triangular solve of a chunk. Decode: reading and writing the state.', 'planned', 'attention');

INSERT INTO op_alias (op, alias) VALUES
('fused-attention', 'attention'), ('fused-attention', 'flash-attention'), ('fused-attention', 'flash'),
('fused-attention', 'sdpa'), ('fused-attention', 'mha'), ('fused-attention', 'gqa'), ('fused-attention', 'mqa'),
('fused-attention', 'flashinfer'), ('fused-attention', 'fa'),
('sparse-attention', 'dsa'), ('sparse-attention', 'dsa-attention'), ('sparse-attention', 'lightning-indexer'),
('sparse-attention', 'nsa'),
('kv-cache', 'kv'), ('kv-cache', 'kvcache'), ('kv-cache', 'paged-attention'), ('kv-cache', 'paging'),
('kv-cache', 'radix'), ('kv-cache', 'radix-attention'), ('kv-cache', 'prefix-cache'),
('rope', 'rotary'), ('rope', 'rotary-embedding'), ('rope', 'yarn'),
('gated-delta-net', 'gdn'), ('gated-delta-net', 'deltanet'), ('gated-delta-net', 'gated-deltanet'),
('gated-delta-net', 'delta-rule'), ('gated-delta-net', 'linear-attention');

INSERT INTO op_path (op, glob, role, planned) VALUES
('fused-attention', 'engine/kernels/*/attention*', 'kernel', 0),
('sparse-attention', 'engine/kernels/*/dsa*.c', 'kernel', 1),
('sparse-attention', 'engine/kernels/cuda/dsa*.cu', 'kernel', 1),
('sparse-attention', 'engine/session/dsa*.c', 'host', 1),
('kv-cache', 'engine/kernels/*/kv_*', 'kernel', 0),
('kv-cache', 'engine/kernels/kv.h', 'host', 0),
('kv-cache', 'engine/session/pagetable.[ch]', 'host', 0),
('kv-cache', 'engine/session/radix*.c', 'host', 1),
('rope', 'engine/kernels/*/rope*', 'kernel', 0),
('rope', 'engine/model/rotary.[ch]', 'host', 0),
('gated-delta-net', 'engine/kernels/*/delta_net*.c', 'kernel', 1),
('gated-delta-net', 'engine/kernels/cuda/delta_net*.cu', 'kernel', 1);

INSERT INTO op_symbol (op, pattern) VALUES
('fused-attention', 'k_flash_attention*'), ('fused-attention', '*flash_attn*'), ('fused-attention', 'attention_*'),
('sparse-attention', '*dsa_*'), ('sparse-attention', '*lightning_indexer*'),
('kv-cache', '*kv_store*'), ('kv-cache', '*kv_copy*'),
('rope', 'rope_*'), ('rope', '*_rope'), ('rope', '*_rope_*'),
('gated-delta-net', '*delta_net*'), ('gated-delta-net', '*gated_delta*');

INSERT INTO reference (op, name, url, kind, note, checked_on) VALUES
('fused-attention', 'FlashAttention', 'https://github.com/Dao-AILab/flash-attention/blob/main/csrc/flash_attn/src/flash_fwd_kernel.h', 'primary',
 'tiling with online softmax; the split of work differs by version', '2026-11-30'),
('fused-attention', 'FlashInfer', 'https://github.com/flashinfer-ai/flashinfer', 'repo',
 'the same over paged and ragged caches', '2026-11-30'),
('fused-attention', 'llama.cpp CPU ops',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cpu/ops.cpp', 'repo',
 'ggml_compute_forward_flash_attn_ext: the plain C form', '2026-11-30'),
('sparse-attention', 'TensorRT-LLM',
 'https://github.com/NVIDIA/TensorRT-LLM/blob/main/docs/source/features/sparse-attention.md', 'primary',
 'its sparse attention backend and custom kernels', '2026-11-30'),
('sparse-attention', 'FlashMLA', 'https://github.com/deepseek-ai/FlashMLA', 'repo',
 'sparse prefill and decode kernels over an FP8 latent cache', '2026-11-30'),
('sparse-attention', 'DeepSeek-V3.2-Exp', 'https://github.com/deepseek-ai/DeepSeek-V3.2-Exp/blob/main/inference/model.py', 'repo',
 'the model that introduced it, with a reference in plain PyTorch', '2026-11-30'),
('sparse-attention', 'llama.cpp lightning indexer',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cuda/lightning-indexer.cu', 'repo', '', '2026-11-30'),
('kv-cache', 'vLLM', 'https://github.com/vllm-project/vllm', 'primary', 'PagedAttention: block tables and their allocator', '2026-11-30'),
('kv-cache', 'SGLang RadixAttention',
 'https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/mem_cache/radix_cache.py', 'repo',
 'the radix tree over token ids with LRU eviction', '2026-11-30'),
('kv-cache', 'FlashInfer', 'https://github.com/flashinfer-ai/flashinfer', 'repo', 'page tables as the kernel sees them', '2026-11-30'),
('rope', 'transformers RoPE utilities',
 'https://github.com/huggingface/transformers/blob/main/src/transformers/modeling_rope_utils.py', 'primary',
 'every scaling rule: linear, dynamic, YaRN, longrope, llama3', '2026-11-30'),
('rope', 'llama.cpp CPU ops', 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cpu/ops.cpp', 'repo',
 'both pair layouts', '2026-11-30'),
('gated-delta-net', 'flash-linear-attention',
 'https://github.com/fla-org/flash-linear-attention/blob/main/fla/ops/gated_delta_rule/chunk.py', 'primary',
 'the chunked form', '2026-11-30'),
('gated-delta-net', 'flash-linear-attention, recurrent form',
 'https://github.com/fla-org/flash-linear-attention/blob/main/fla/ops/gated_delta_rule/fused_recurrent.py', 'repo', '', '2026-11-30'),
('gated-delta-net', 'llama.cpp CUDA',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cuda/gated_delta_net.cu', 'repo', '', '2026-11-30');

INSERT INTO paper (op, title, id, url, year) VALUES
('fused-attention', 'Online normalizer calculation for softmax', 'arXiv:1805.02867', 'https://arxiv.org/abs/1805.02867', 2018),
('fused-attention', 'FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness', 'arXiv:2205.14135',
 'https://arxiv.org/abs/2205.14135', 2022),
('fused-attention', 'FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning',
 'arXiv:2307.08691', 'https://arxiv.org/abs/2307.08691', 2023),
('fused-attention', 'FlashAttention-3: Fast and Accurate Attention with Asynchrony and Low-precision',
 'arXiv:2407.08608', 'https://arxiv.org/abs/2407.08608', 2024),
('fused-attention', 'FlashInfer: Efficient and Customizable Attention Engine for LLM Inference Serving',
 'arXiv:2501.01005', 'https://arxiv.org/abs/2501.01005', 2025),
('kv-cache', 'Efficient Memory Management for Large Language Model Serving with PagedAttention', 'arXiv:2309.06180',
 'https://arxiv.org/abs/2309.06180', 2023),
('kv-cache', 'SGLang: Efficient Execution of Structured Language Model Programs', 'arXiv:2312.07104',
 'https://arxiv.org/abs/2312.07104', 2023),
('sparse-attention', 'DeepSeek-V3.2: Pushing the Frontier of Open Large Language Models', 'arXiv:2512.02556',
 'https://arxiv.org/abs/2512.02556', 2025),
('rope', 'RoFormer: Enhanced Transformer with Rotary Position Embedding', 'arXiv:2104.09864',
 'https://arxiv.org/abs/2104.09864', 2021),
('rope', 'YaRN: Efficient Context Window Extension of Large Language Models', 'arXiv:2309.00071',
 'https://arxiv.org/abs/2309.00071', 2023),
('gated-delta-net', 'Gated Delta Networks: Improving Mamba2 with Delta Rule', 'arXiv:2412.06464',
 'https://arxiv.org/abs/2412.06464', 2024);

INSERT INTO witness (op, device, metric, floor, planned) VALUES
('fused-attention', 'cuda', 'argmax exact, cosine and normalised error against ref', 'cudaFlashAttnCosineMin', 1),
('sparse-attention', 'cuda', 'argmax exact, cosine and normalised error against ref', 'cudaDsaSparseAttnCosineMin', 1);

INSERT INTO witness (op, device, metric, test) VALUES
('fused-attention', 'cpu', 'the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref',
 'tests/unit/test_checkkern.c'),
('rope', 'cpu', 'the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref',
 'tests/unit/test_checkkern.c'),
('kv-cache', 'cpu', 'the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref',
 'tests/unit/test_checkkern.c'),
('kv-cache', 'cpu', 'no page belongs to two sequences; closing one gives its pages back', 'tests/unit/test_session.c');
