-- Quantization of weights: from eight bits to kernels that lose no bandwidth.

INSERT INTO ladder (axis, title, fak_rung, op, position) VALUES
('quantization', 'Quantization', 3, 'block-quant-gemm',
 'every block type of ggml''s, AWQ, GPTQ, EXL2, packed integers and MXFP4 are multiplied on the CPU in their own bits, by 16-bit '
 || 'activations or by 8; the next rung is the same on a GPU');

INSERT INTO rung (axis, level, technique, year, month, change, url) VALUES
('quantization', 0, 'LLM.int8()', 2022, 8, 'eight bits without loss: outlier columns stay in sixteen', 'https://arxiv.org/abs/2208.07339'),
('quantization', 1, 'GPTQ', 2022, 10, 'one-shot 3 and 4 bits with second-order correction', 'https://arxiv.org/abs/2210.17323'),
('quantization', 2, 'Blocks of 32 (Q4_0, Q4_1)', 2023, 3, 'four bits with a scale for each 32 weights, made for CPUs', 'https://github.com/ggml-org/llama.cpp'),
('quantization', 3, 'INT4 PTQ (AWQ, k-quants)', 2023, 6, 'scales that protect the weights that matter; super-blocks with quantised scales', 'https://arxiv.org/abs/2306.00978'),
('quantization', 4, 'Fused INT4 kernel (Marlin)', 2024, 8, 'four-bit weights at nearly the ideal 4x up to batch 16 to 32', 'https://arxiv.org/abs/2408.11743'),
('quantization', 5, 'Block floating point (MXFP4, NVFP4)', 2025, 0, 'four-bit floats with shared scales that tensor cores multiply directly', 'https://github.com/ggml-org/llama.cpp/blob/master/ggml/include/ggml.h');

INSERT INTO branch (axis, level, technique, year, month, change, url) VALUES
('quantization', 0, 'ZeroQuant', 2022, 6, 'group-wise weights, token-wise activations', 'https://arxiv.org/abs/2206.01861'),
('quantization', 0, 'FP8 formats', 2022, 9, 'E4M3 and E5M2', 'https://arxiv.org/abs/2209.05433'),
('quantization', 1, 'SmoothQuant', 2022, 11, 'difficulty moved from activations to weights', 'https://arxiv.org/abs/2211.10438'),
('quantization', 3, 'SpQR', 2023, 6, 'sparse outliers beside 3 to 4 bits', 'https://arxiv.org/abs/2306.03078'),
('quantization', 3, 'k-quants', 2023, 6, 'super-blocks of 256 with quantised scales', 'https://github.com/ggml-org/llama.cpp/pull/1684'),
('quantization', 3, 'QuIP', 2023, 0, 'incoherence processing: rotated weights have no outliers', 'https://github.com/Cornell-RelaxML/QuIP'),
('quantization', 3, 'OmniQuant', 2023, 8, 'clipping and equivalent transforms are learned', 'https://arxiv.org/abs/2308.13137'),
('quantization', 3, 'ExLlamaV2 / EXL2', 2023, 9, 'bit rates mixed by group', 'https://github.com/turboderp-org/exllamav2'),
('quantization', 3, 'i-quants (IQ2_XXS)', 2024, 1, 'lattice codebooks in llama.cpp: two bits and a little', 'https://github.com/ggml-org/llama.cpp/pull/4773'),
('quantization', 3, 'AQLM', 2024, 1, 'additive codebooks', 'https://arxiv.org/abs/2401.06118'),
('quantization', 3, 'QuIP#', 2024, 2, 'Hadamard incoherence and E8 lattice codebooks', 'https://github.com/Cornell-RelaxML/quip-sharp'),
('quantization', 3, 'QuaRot', 2024, 4, 'rotations remove outliers; four bits everywhere', 'https://arxiv.org/abs/2404.00456'),
('quantization', 3, 'QServe (W4A8KV4)', 2024, 5, 'four-bit weights and caches, eight-bit activations, for serving', 'https://arxiv.org/abs/2405.04532'),
('quantization', 3, 'SpinQuant', 2024, 5, 'the rotations are learned', 'https://arxiv.org/abs/2405.16406'),
('quantization', 3, 'QTIP', 2024, 6, 'trellis codes: a codebook of high dimension that is computed, not stored', 'https://arxiv.org/abs/2406.11235'),
('quantization', 4, 'Machete', 2024, 10, 'the same for Hopper: weights shuffled before, products from registers', 'https://github.com/vllm-project/vllm/tree/main/csrc/quantization/machete'),
('quantization', 4, 'IQK quants', 2024, 0, 'non-linear grids and row-interleaved layouts for CPUs', 'https://github.com/ikawrakow/ik_llama.cpp'),
('quantization', 4, 'EXL3', 2025, 4, 'trellis codes in the manner of QTIP, for consumer GPUs', 'https://github.com/turboderp-org/exllamav3');
