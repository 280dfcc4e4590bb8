-- Matrix products: dense, quantised on devices, quantised on CPUs, and the quantisation of their input.

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status, axis) VALUES
('dense-f32-gemm', 'Dense f32 GEMM',
 'Multiplies f32 activations by f32, f16 or bf16 weights, all arithmetic in f32.',
 'kernel', 'stay-minimal',
 'What we offer here is a contract no BLAS gives: the same bits whatever the vector width, the threads and the '
 || 'batch. Beating cuBLAS at GEMM is not the aim. Bind one where a device needs raw speed more than bits.',
 'Lane ref (double accumulation, textbook order). Every CPU lane equals the portable exact lane bit for bit '
 || '(max|d| = 0); against ref it is held to a normalised error and the argmax.',
 'The order of reduction, which matters as soon as a device reorders it. Decode is bound by weight bandwidth.',
 'shipped', NULL),
('device-quant-gemm', 'Dense fp16 / Q8_0 / Q4_K GEMM on a device',
 'Multiplies activations by fp16 weights with tensor cores, or by Q8_0 and Q4_K blocks that are decoded inside the tile.',
 'kernel', 'bind',
 'Bind cuBLAS for fp16, with f32 compute and f32 output. For the integer lanes borrow the fused tile: decode the block '
 || 'in registers where it is multiplied, never to memory.',
 'Lane ref on the same weights: exact argmax, cosine at or above the floor of the lane, and a normalised error, '
 || 'because a cosine is blind to a wrong scale.',
 'Decode: weight bandwidth. Prefill: occupancy of the tensor cores.',
 'planned', 'quantization'),
('block-quant-gemm', 'CPU GEMM on blocks of 32 (Q8_0, Q4_0, Q4_1)',
 'Multiplies activations by weights that come in blocks of 32 with one scale, and for Q4_1 one minimum, each.',
 'kernel', 'borrow',
 'The technique is known: interleave rows at load so that one vector holds one row per lane, multiply integers, scale '
 || 'once a block. What is ours: activations keep sixteen bits, and the partial sums of a row are added in ascending '
 || 'block order with one fused multiply-add each, so that every width gives the same bits.',
 'Lane ref on the decoded weights: normalised error, cosine and argmax. Every CPU lane equals the portable exact lane '
 || 'bit for bit.',
 'Decode: memory bandwidth, so bytes per weight. Prefill: integer multiply-adds per cycle.',
 'shipped', 'quantization'),
('cpu-kquant-gemm', 'CPU K-quant SIMD dequant-GEMM (Q4_K, Q5_K, Q6_K)',
 'Multiplies activations by super-blocks of 256 weights whose scales are themselves quantised.',
 'kernel', 'borrow',
 'llama.cpp defines the blocks and has the reference dot products; ik_llama.cpp shows how far a CPU goes: '
 || 'decode a tile once to an int8 layout and reuse it over many columns, multiply packed values directly for one column. '
 || 'What is ours: activations keep sixteen bits with a scale for each sub-block, so that a sub-block is one block with '
 || 'an exact scale and minimum, added in ascending order, and every width gives the same bits.',
 'Lane ref on the decoded weights: normalised error, cosine and argmax. Every CPU lane equals the portable exact lane '
 || 'bit for bit. Decoding itself is exact: max|d| = 0 against ggml''s own decoder.',
 'Decode: memory bandwidth. Prefill: unpacking cost per tile against integer multiply-adds.',
 'shipped', 'quantization'),
('metal-kquant-gemm', 'Metal Q4_K / Q6_K GEMM',
 'Multiplies by K-quant blocks on Apple GPUs with 8x8 simdgroup matrices.',
 'kernel', 'borrow',
 'Take over resident decode in one command buffer: weights stay on the device and a whole token is encoded and '
 || 'committed once.',
 'Lane ref on the same weights; a GEMV reaches a cosine of 1.000000.',
 'Launch cost of command buffers when each product has its own: about 336 products a token at about 360 us each, '
 || 'measured on an earlier tree.',
 'planned', 'quantization'),
('activation-quant', 'Quantisation of activations',
 'Turns a row of f32 activations into integers with one scale for each 32 values, once per layer input.',
 'kernel', 'stay-minimal',
 'The peers keep eight bits; on a small model that changes 3 % of the top-1 tokens. Sixteen bits cost little on a CPU '
 || 'and keep them, so the exact lane quantises to sixteen; eight is an option with a contract of its own.',
 'The scalar definition, bit for bit on every lane; the error of a block is at most half a step of its scale.',
 'Nothing when done once per input; a second pass over memory when done once per product.',
 'shipped', 'quantization');

INSERT INTO op_alias (op, alias) VALUES
('dense-f32-gemm', 'gemm'), ('dense-f32-gemm', 'f32-gemm'), ('dense-f32-gemm', 'matmul'), ('dense-f32-gemm', 'sgemm'),
('dense-f32-gemm', 'gemv'), ('dense-f32-gemm', 'linear'), ('dense-f32-gemm', 'dense-gemm'),
('device-quant-gemm', 'cuda-gemm'), ('device-quant-gemm', 'fp16-gemm'), ('device-quant-gemm', 'q8-gemm'),
('device-quant-gemm', 'q4k-gemm'), ('device-quant-gemm', 'mmq'), ('device-quant-gemm', 'mmvq'),
('device-quant-gemm', 'cublas'), ('device-quant-gemm', 'quant-gemm'),
('block-quant-gemm', 'q8_0'), ('block-quant-gemm', 'q4_0'), ('block-quant-gemm', 'q4_1'),
('block-quant-gemm', 'q8_0-gemm'), ('block-quant-gemm', 'q4_0-gemm'), ('block-quant-gemm', 'legacy-quants'),
('cpu-kquant-gemm', 'kquant'), ('cpu-kquant-gemm', 'k-quants'), ('cpu-kquant-gemm', 'kquant-gemm'),
('cpu-kquant-gemm', 'q4_k'), ('cpu-kquant-gemm', 'q5_k'), ('cpu-kquant-gemm', 'q6_k'), ('cpu-kquant-gemm', 'iqk'),
('metal-kquant-gemm', 'metal'), ('metal-kquant-gemm', 'metal-gemm'), ('metal-kquant-gemm', 'mlx'),
('metal-kquant-gemm', 'metal-q4k'),
('activation-quant', 'quantize'), ('activation-quant', 'quantise'), ('activation-quant', 'act-quant'),
('activation-quant', 'quantize-row');

INSERT INTO op_path (op, glob, role, planned) VALUES
('dense-f32-gemm', 'engine/kernels/ref/linear.c', 'kernel', 0),
('dense-f32-gemm', 'engine/kernels/ref/matrices.h', 'kernel', 0),
('dense-f32-gemm', 'engine/kernels/*/linear_f*', 'kernel', 0),
('dense-f32-gemm', 'engine/kernels/*/linear_bf16*', 'kernel', 0),
('dense-f32-gemm', 'engine/kernels/fpanel.[ch]', 'host', 0),
('dense-f32-gemm', 'engine/kernels/exact/dot.h', 'kernel', 0),
('dense-f32-gemm', 'engine/kernels/exact/vec.h', 'kernel', 0),
('device-quant-gemm', 'engine/kernels/cuda/linear_f16*.cu', 'kernel', 1),
('device-quant-gemm', 'engine/kernels/cuda/linear_q*.cu', 'kernel', 1),
('device-quant-gemm', 'engine/backend/cuda*.c', 'host', 1),
('block-quant-gemm', 'engine/kernels/ref/linear.c', 'kernel', 0),
('block-quant-gemm', 'engine/kernels/*/linear_q[45]_[01]*', 'kernel', 0),
('block-quant-gemm', 'engine/kernels/*/linear_iq4_nl*', 'kernel', 0),
('block-quant-gemm', 'engine/kernels/*/linear_q8_0*', 'kernel', 0),
('block-quant-gemm', 'engine/kernels/exact/linear_quant.h', 'kernel', 0),
('block-quant-gemm', 'engine/kernels/exact/direct.h', 'kernel', 0),
('block-quant-gemm', 'engine/kernels/exact/expand.h', 'kernel', 0),
('block-quant-gemm', 'engine/kernels/exact/feed.h', 'kernel', 0),
('block-quant-gemm', 'engine/kernels/exact/slab.h', 'kernel', 0),
('block-quant-gemm', 'engine/kernels/exact/tile.[ch]', 'kernel', 0),
('block-quant-gemm', 'engine/kernels/panel.[ch]', 'host', 0),
('cpu-kquant-gemm', 'engine/kernels/*/linear_q[2-6]_k*', 'kernel', 0),
('cpu-kquant-gemm', 'engine/kernels/*/linear_iq4_xs*', 'kernel', 0),
('cpu-kquant-gemm', 'engine/kernels/exact/expand.h', 'kernel', 0),
('cpu-kquant-gemm', 'engine/kernels/exact/tile.[ch]', 'kernel', 0),
('cpu-kquant-gemm', 'engine/kernels/kpanel.[ch]', 'host', 0),
('metal-kquant-gemm', 'engine/kernels/metal/linear*.metal', 'kernel', 1),
('metal-kquant-gemm', 'engine/backend/metal*.m', 'host', 1),
('activation-quant', 'engine/kernels/*/quantize*', 'kernel', 0);

INSERT INTO op_symbol (op, pattern) VALUES
('dense-f32-gemm', '*linear_f32*'), ('dense-f32-gemm', '*linear_f16*'), ('dense-f32-gemm', '*linear_bf16*'),
('dense-f32-gemm', 'linear_ref'), ('dense-f32-gemm', '*sgemm*'),
('device-quant-gemm', 'k_q8_gemm*'), ('device-quant-gemm', 'k_q4k_gemm*'), ('device-quant-gemm', 'cublasGemm*'),
('block-quant-gemm', '*linear_q8_0*'), ('block-quant-gemm', '*linear_q4_0*'), ('block-quant-gemm', '*linear_q4_1*'),
('block-quant-gemm', '*linear_q5_[01]*'), ('block-quant-gemm', '*linear_iq4_nl*'), ('block-quant-gemm', 'tile'),
('cpu-kquant-gemm', '*linear_q[2-6]_k*'), ('cpu-kquant-gemm', '*linear_iq4_xs*'), ('cpu-kquant-gemm', '*vec_dot_q[2-6]_K*'),
('metal-kquant-gemm', 'kernel_mul_m*_q[46]_K*'),
('activation-quant', 'quantize_*'), ('activation-quant', '*_quantize'), ('activation-quant', '*_quantize_*');

INSERT INTO reference (op, name, url, kind, note, checked_on) VALUES
('dense-f32-gemm', 'CUTLASS', 'https://github.com/NVIDIA/cutlass/blob/main/media/docs/cpp/efficient_gemm.md', 'primary',
 'the hierarchy of tiles from global memory to registers', '2026-11-30'),
('dense-f32-gemm', 'cuBLAS', 'https://docs.nvidia.com/cuda/cublas/', 'docs',
 'the same bits hold for one stream, one architecture and one release only: read "Results reproducibility"', ''),
('dense-f32-gemm', 'tinyBLAS in llama.cpp',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cpu/llamafile/sgemm.cpp', 'repo',
 'register tiles for CPU prefill', '2026-11-30'),
('device-quant-gemm', 'llama.cpp MMQ',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cuda/mmq.cu', 'primary',
 'activations to Q8_1 blocks, products on dp4a or int8 tensor cores, weights decoded in the tile', '2026-11-30'),
('device-quant-gemm', 'llama.cpp MMVQ',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cuda/mmvq.cu', 'repo', 'the same for decode', '2026-11-30'),
('device-quant-gemm', 'cuBLAS', 'https://docs.nvidia.com/cuda/cublas/', 'docs',
 'cublasGemmEx with f32 compute type: fp16 output overflows at 65504', ''),
('block-quant-gemm', 'llama.cpp x86 quants',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cpu/arch/x86/quants.c', 'primary',
 'dot products of Q4_0, Q4_1 and Q8_0 blocks with AVX2 and AVX-512', '2026-11-30'),
('block-quant-gemm', 'llama.cpp repack',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cpu/repack.cpp', 'repo',
 'rows interleaved by 4 and 8 at load', '2026-11-30'),
('block-quant-gemm', 'ik_llama.cpp legacy quants',
 'https://github.com/ikawrakow/ik_llama.cpp/blob/main/ggml/src/iqk/iqk_gemm_legacy_quants.cpp', 'repo',
 'register-tiled GEMM over the same blocks', '2026-11-30'),
('cpu-kquant-gemm', 'llama.cpp ggml-quants',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-quants.c', 'primary',
 'what every bit of a super-block means; the scalar decoder is the definition', '2026-11-30'),
('cpu-kquant-gemm', 'ik_llama.cpp K-quant GEMM',
 'https://github.com/ikawrakow/ik_llama.cpp/blob/main/ggml/src/iqk/iqk_gemm_kquants.cpp', 'repo',
 'tiles unpacked once to an int8 layout; the fastest public CPU kernels', '2026-11-30'),
('cpu-kquant-gemm', 'llama.cpp x86 quants',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cpu/arch/x86/quants.c', 'repo', '', '2026-11-30'),
('cpu-kquant-gemm', 'llama.cpp Arm quants',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cpu/arch/arm/quants.c', 'repo', '', '2026-11-30'),
('metal-kquant-gemm', 'llama.cpp Metal',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-metal/ggml-metal.metal', 'primary',
 'simdgroup matrices with the block decoded in registers', '2026-11-30'),
('metal-kquant-gemm', 'MLX quantized kernels',
 'https://github.com/ml-explore/mlx/blob/main/mlx/backend/metal/kernels/quantized.h', 'repo', '', '2026-11-30'),
('activation-quant', 'llama.cpp x86 quants',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cpu/arch/x86/quants.c', 'primary',
 'quantize_row_q8_0: absolute maximum, scale, round', '2026-11-30'),
('activation-quant', 'llama.cpp CUDA quantize',
 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-cuda/quantize.cu', 'repo', 'Q8_1 blocks for MMQ', '2026-11-30');

INSERT INTO paper (op, title, id, url, year) VALUES
('dense-f32-gemm', 'Anatomy of High-Performance Matrix Multiplication', 'doi:10.1145/1356052.1356053',
 'https://doi.org/10.1145/1356052.1356053', 2008),
('device-quant-gemm', 'MARLIN: Mixed-Precision Auto-Regressive Parallel Inference on Large Language Models',
 'arXiv:2408.11743', 'https://arxiv.org/abs/2408.11743', 2024),
('activation-quant', 'LLM.int8(): 8-bit Matrix Multiplication for Transformers at Scale', 'arXiv:2208.07339',
 'https://arxiv.org/abs/2208.07339', 2022),
('activation-quant', 'SmoothQuant: Accurate and Efficient Post-Training Quantization for Large Language Models',
 'arXiv:2211.10438', 'https://arxiv.org/abs/2211.10438', 2022);

INSERT INTO witness (op, device, metric, floor, planned) VALUES
('device-quant-gemm', 'cuda', 'fp16: argmax exact, cosine and normalised error against ref', 'cudaFP16CosineMin', 1),
('device-quant-gemm', 'cuda', 'Q8_0: argmax exact, cosine and normalised error against ref', 'cudaQ8CosineMin', 1),
('device-quant-gemm', 'cuda', 'Q4_K: argmax exact, cosine and normalised error against ref', 'cudaQ4KCosineMin', 1);

INSERT INTO witness (op, device, metric, test) VALUES
('dense-f32-gemm', 'cpu', 'the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref',
 'tests/unit/test_checkkern.c'),
('block-quant-gemm', 'cpu', 'activations of 16 bits: the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref',
 'tests/unit/test_checkkern.c'),
('block-quant-gemm', 'cpu', 'activations of 8 bits: the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref on the rounded activations',
 'tests/unit/test_checkkern.c'),
('cpu-kquant-gemm', 'cpu', 'activations of 16 bits: the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref',
 'tests/unit/test_checkkern.c'),
('cpu-kquant-gemm', 'cpu', 'activations of 8 bits: the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref on the rounded activations',
 'tests/unit/test_checkkern.c'),
('activation-quant', 'cpu', 'activations of 16 bits: the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against ref',
 'tests/unit/test_checkkern.c'),
('activation-quant', 'cpu', 'activations of 8 bits: the same bits in every clone, thread count, chunking and batch; cosine, normalised error and argmax against what was rounded',
 'tests/unit/test_checkkern.c');
