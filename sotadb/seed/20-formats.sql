-- What has to be loaded before a quantised product can run, and the four-bit kernels that come with a format.
-- Format and load prerequisites are learned from the format's own repository; kernel prerequisites from CUTLASS,
-- Marlin and FlashInfer, and only there does borrow, bind or stay-minimal decide anything.

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status, selection, plan, axis) VALUES
('awq-gemm', 'AWQ 4-bit GEMV/GEMM',
 'Multiplies by 4-bit weights with one scale and one zero point for each group of columns.',
 'kernel', 'borrow',
 'Marlin''s fused decode-and-multiply is the technique to adapt, and it is adapted only after the current path has '
 || 'a witness: the choice between Marlin and a kernel of our own is then made on evidence.',
 'Lane ref f32 and the Hugging Face AWQ reference: cosine at or above cudaAWQCosineMin with exact argmax, and the same '
 || 'greedy continuation.',
 'Fusing the decoding, and weight bandwidth; until then, the missing witness.',
 'selected',
 'Close the AWQ CUDA witness gap. In the tree that this matrix started from, AWQ was the one device lane with a binding '
 || 'and kernels (k_awq_gemv, k_awq_gemm, k_awq_dequant_row) and without a recorded floor, a test and an acceptance row; '
 || 'fp16, Q8_0, Q4_K, flash attention and sparse attention had all three. So here the witness comes first. It is the '
 || 'smallest right step: no hot path changes, nothing is bet on Marlin yet, and a run on a GPU can refute it.',
 'Target: record cudaAWQCosineMin at 0.995, the bar the AWQ source states against an FP32 baseline, and tighten it to '
 || 'what the first run on a device measures.
'
 || 'Oracle: lane ref in f32 on the same weights, the one that fp16, Q8_0, Q4_K, flash and sparse attention answer to.
'
 || 'Predicate: decode (k_awq_gemv) and batched prefill (k_awq_gemm) pick the same dominant channel as ref and reach the '
 || 'floor; one measured cosine below it fails the row, and a SKIP is not a PASS.
'
 || 'Mechanization: (1) a test of both entry points against ref under the floor, beside the fp16 test; (2) a row of the '
 || 'acceptance script, so that one command gives one verdict; (3) the run on the device records the cosine it saw and '
 || 'the floor is set to it. The measurement needs a CUDA device; decision and scaffold do not.',
 'quantization'),
('gptq-resident', 'GPTQ resident on the CPU',
 'Loads GPTQ checkpoints of 2, 3, 4 and 8 bits and keeps groups, zero points and the act-order index as they are; rows '
 || 'are decoded where they are multiplied.',
 'format', 'bind',
 'Bind later: a Marlin-style kernel is the rung for GPUs. Until then parity of the resident CPU path is the floor, and no '
 || 'claim is made about a device.',
 'Decoding by GPTQ''s own reference (Hugging Face, GPTQModel): max|d| = 0; the product against lane ref.',
 'Reading the codes once: they are re-laid in panels of 16 rows at load and multiplied by linear_codes as they are.', 'shipped', '', '',
 'quantization'),
('exl2-loader', 'EXL2 loader',
 'Loads ExLlamaV2 checkpoints: groups of 2 to 8 bits mixed within one matrix, rows permuted by act-order.',
 'format', 'stay-minimal',
 'Loader parity is the aim; there is no kernel claim.',
 'Generation by ExLlamaV2 itself on the same checkpoint, and its decoded matrices: max|d| = 0.',
 'Completeness of the loader, not speed.', 'shipped', '', '', 'quantization'),
('gguf-quant-load', 'GGUF quant-at-load (Q4_K, Q5_K, Q6_K resident)',
 'Reads GGUF and keeps its quantised weights resident in their own bits, re-laid for the kernels or as they lie in the '
 || 'file, decoded only where they are used.',
 'format', 'bind',
 'Bind to the format: what a file of llama.cpp means is what llama.cpp says. Parity of resident Q4_K is the target.',
 'Every block decodes to ggml''s own bits: max|d| = 0; a trained model in Q4_K_M and in Q6_K continues as PyTorch does '
 || 'in float64 on the decoded weights. llama.cpp on the same file is to give the same ids for at least the first two tokens.',
 'Prefill throughput (0.01x of llama.cpp on a 27B model in an earlier tree), and that is the compute, not the load.',
 'shipped', '', '', 'quantization'),
('weight-quantize', 'Weights into blocks of fewer bits',
 'Turns f32 weights into Q8_0, Q4_0, Q4_K, Q5_K and Q6_K for a file: scale and minimum of each block searched by weighted '
 || 'least squares, with an importance matrix where there is one.',
 'kernel', 'stay-minimal',
 'Runs once for a model, on the CPU, and has to give the same bytes everywhere; the techniques are those of the k-quants, '
 || 'the arithmetic is in double.',
 'Blocks of 32: ggml''s own bytes. Super-blocks: squared error at most that of ggml''s on the same numbers, and perplexity '
 || 'of a trained model no worse than that of llama-quantize''s copy.',
 'The search: some forty roundings a sub-block.', 'shipped', '', '', 'quantization'),
('safetensors-load', 'Sharded safetensors',
 'Reads safetensors checkpoints, in one file or in shards named by an index, and hands out tensors where they lie.',
 'format', 'bind',
 'Bind to the format as the reference crate reads it: what it refuses is refused, and every length is checked against '
 || 'what is left of the file.',
 'The reference library on the same file: the same names, shapes and bytes; and its malformed files refused.',
 'Page faults of the first touch.', 'shipped', '', '', NULL);

INSERT INTO op_alias (op, alias) VALUES
('awq-gemm', 'awq'), ('awq-gemm', 'awq-gemv'), ('awq-gemm', 'marlin'), ('awq-gemm', 'int4-gemm'), ('awq-gemm', 'w4a16'),
('gptq-resident', 'gptq'), ('gptq-resident', 'gptq-loader'), ('gptq-resident', 'autogptq'),
('exl2-loader', 'exl2'), ('exl2-loader', 'exllama'), ('exl2-loader', 'exllamav2'),
('gguf-quant-load', 'gguf'), ('gguf-quant-load', 'gguf-load'), ('gguf-quant-load', 'quant-at-load'),
('gguf-quant-load', 'dequant'),
('safetensors-load', 'safetensors'), ('safetensors-load', 'safetensor'),
('weight-quantize', 'llama-quantize'), ('weight-quantize', 'imatrix');

INSERT INTO op_path (op, glob, role, planned) VALUES
('awq-gemm', 'engine/kernels/cuda/awq*.cu', 'kernel', 1),
('awq-gemm', 'engine/kernels/*/linear_awq*.c', 'kernel', 1),
('gptq-resident', 'engine/file/hfgptq.c', 'loader', 0),
('gptq-resident', 'engine/tensor/layout_gptq.c', 'loader', 0),
('gptq-resident', 'engine/kernels/exact/linear_codes.c', 'kernel', 0),
('gptq-resident', 'engine/kernels/lpanel.c', 'loader', 0),
('exl2-loader', 'engine/file/hfexl2.c', 'loader', 0),
('exl2-loader', 'engine/tensor/layout_exl2.c', 'loader', 0),
('exl2-loader', 'engine/kernels/exact/linear_codes.c', 'kernel', 0),
('gguf-quant-load', 'engine/file/gguf*.c', 'loader', 0),
('gguf-quant-load', 'engine/tensor/dtype.c', 'loader', 0),
('gguf-quant-load', 'engine/tensor/block32.c', 'loader', 0),
('gguf-quant-load', 'engine/tensor/kquant.c', 'loader', 0),
('weight-quantize', 'engine/tensor/quantize_*.c', 'kernel', 0),
('safetensors-load', 'engine/file/safetensors*.c', 'loader', 0),
('safetensors-load', 'engine/file/hf[cdmt]*.c', 'loader', 0),
('safetensors-load', 'engine/file/checkpoint.c', 'loader', 0);

INSERT INTO op_symbol (op, pattern) VALUES
('awq-gemm', 'k_awq_*'), ('awq-gemm', '*awq_gemm*'), ('awq-gemm', '*awq_gemv*'), ('awq-gemm', '*linear_awq*'),
('gptq-resident', '*gptq*'), ('gptq-resident', 'linear_codes*'), ('exl2-loader', '*exl2*'),
('gguf-quant-load', 'dequantize_row_*'), ('gguf-quant-load', 'dequantize_block_*');

INSERT INTO reference (op, name, url, kind, note, checked_on) VALUES
('awq-gemm', 'Marlin', 'https://github.com/IST-DASLab/marlin/blob/master/marlin/marlin_cuda_kernel.cu', 'primary',
 'weights reshuffled offline so that a 16-byte load is one thread''s MMA fragment', '2026-11-30'),
('awq-gemm', 'AutoAWQ', 'https://github.com/casper-hansen/AutoAWQ', 'repo',
 'the checkpoint layout and the reference results', '2026-11-30'),
('awq-gemm', 'llm-awq', 'https://github.com/mit-han-lab/llm-awq', 'repo', 'the authors'' own kernels', '2026-11-30'),
('gptq-resident', 'GPTQModel', 'https://github.com/ModelCloud/GPTQModel', 'primary',
 'the maintained successor of AutoGPTQ: packing, g_idx, the v1 and v2 zero points', '2026-11-30'),
('gptq-resident', 'AutoGPTQ', 'https://github.com/AutoGPTQ/AutoGPTQ', 'repo', 'where the checkpoint layout comes from', '2026-11-30'),
('gptq-resident', 'Marlin', 'https://github.com/IST-DASLab/marlin', 'repo', 'the GPU rung', '2026-11-30'),
('exl2-loader', 'ExLlamaV2',
 'https://github.com/turboderp-org/exllamav2/blob/master/exllamav2/exllamav2_ext/cuda/q_matrix.cu', 'primary',
 'how groups, bits and the permutation are unpacked', '2026-11-30'),
('gguf-quant-load', 'GGUF', 'https://github.com/ggml-org/ggml/blob/master/docs/gguf.md', 'primary',
 'the file: header, metadata, tensor table, alignment', '2026-11-30'),
('gguf-quant-load', 'llama.cpp ggml-quants',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-quants.c', 'repo', 'what the bits of a block mean', '2026-11-30'),
('weight-quantize', 'llama.cpp ggml-quants', 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-quants.c',
 'primary', 'make_qkx2_quants, make_qx_quants, make_qp_quants: what is searched', '2026-11-30'),
('weight-quantize', 'llama.cpp k-quants', 'https://github.com/ggml-org/llama.cpp/pull/1684', 'repo',
 'super-blocks and the mixtures of types', '2026-11-30'),
('safetensors-load', 'safetensors',
 'https://github.com/huggingface/safetensors/blob/main/safetensors/src/tensor.rs', 'primary',
 'the header, its limits and everything that is refused', '2026-11-30');

INSERT INTO paper (op, title, id, url, year) VALUES
('awq-gemm', 'AWQ: Activation-aware Weight Quantization for LLM Compression and Acceleration', 'arXiv:2306.00978',
 'https://arxiv.org/abs/2306.00978', 2023),
('awq-gemm', 'MARLIN: Mixed-Precision Auto-Regressive Parallel Inference on Large Language Models', 'arXiv:2408.11743',
 'https://arxiv.org/abs/2408.11743', 2024),
('gptq-resident', 'GPTQ: Accurate Post-Training Quantization for Generative Pre-trained Transformers',
 'arXiv:2210.17323', 'https://arxiv.org/abs/2210.17323', 2022);

INSERT INTO witness (op, device, metric, test) VALUES
('weight-quantize', 'cpu', 'blocks of 32: ggml''s bytes; super-blocks: squared error at most ggml''s', 'tests/unit/test_quantize.c'),
('gptq-resident', 'cpu', '36 tensors decode to GPTQModel''s own bits; models give the float64 logits', 'tests/unit/test_quant.c'),
('exl2-loader', 'cpu', '13 tensors decode to the bits of exllamav2''s kernels; a model gives the float64 logits',
 'tests/unit/test_quant.c'),
('safetensors-load', 'cpu', 'what the reference crate refuses is refused, by file, byte and field',
 'tests/unit/test_safetensors.c'),
('gguf-quant-load', 'cpu', 'every type that runs decodes to ggml''s own bits', 'tests/unit/test_dtype.c');

INSERT INTO witness (op, device, metric, floor) VALUES
('awq-gemm', 'cuda', 'GEMV and GEMM: argmax exact, cosine and normalised error against ref', 'cudaAWQCosineMin');
