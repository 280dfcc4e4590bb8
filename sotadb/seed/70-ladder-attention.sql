-- Attention: from one pass over the scores to kernels that know the machine.

INSERT INTO ladder (axis, title, fak_rung, op, position) VALUES
('attention', 'Attention', 2, 'fused-attention',
 'tiles of query heads of several tokens go over the pages with an online softmax, rows in parallel; spans of keys are merged in order');

INSERT INTO rung (axis, level, technique, year, month, change, url) VALUES
('attention', 0, 'Online softmax', 2018, 5, 'one pass keeps a running maximum and sum; scores need not be stored',
 'https://arxiv.org/abs/1805.02867'),
('attention', 1, 'FlashAttention-1', 2022, 5, 'IO-aware tiling with online softmax; no N x N matrix in memory',
 'https://arxiv.org/abs/2205.14135'),
('attention', 2, 'FlashAttention-2', 2023, 7, 'parallel over the sequence, better split of work between warps; about 2x FlashAttention-1',
 'https://arxiv.org/abs/2307.08691'),
('attention', 3, 'FlashAttention-3', 2024, 7, 'Hopper: warps specialise, copies overlap products, FP8',
 'https://arxiv.org/abs/2407.08608'),
('attention', 4, 'FlashInfer', 2025, 1, 'paged and ragged caches as one block-sparse format, kernels compiled for serving',
 'https://arxiv.org/abs/2501.01005'),
('attention', 5, 'FlashAttention-4', 2026, 3, 'Blackwell: exponential in software, conditional rescale, products of two CTAs',
 'https://arxiv.org/abs/2603.05451');

INSERT INTO branch (axis, level, technique, year, month, change, url) VALUES
('attention', 0, 'Multi-query attention (MQA)', 2019, 11, 'one head of keys and values for all query heads', 'https://arxiv.org/abs/1911.02150'),
('attention', 1, 'Grouped-query attention (GQA)', 2023, 5, 'groups of query heads share keys and values; trained models can be converted', 'https://arxiv.org/abs/2305.13245'),
('attention', 2, 'StreamingLLM', 2023, 9, 'a few first tokens as sinks and a window give endless streams', 'https://arxiv.org/abs/2309.17453'),
('attention', 2, 'Ring Attention', 2023, 10, 'blocks of the sequence pass around a ring of devices', 'https://arxiv.org/abs/2310.01889'),
('attention', 2, 'Flash-Decoding', 2023, 10, 'one query, keys split over the machine, partial results merged by their log-sum-exp', 'https://crfm.stanford.edu/2023/10/12/flashdecoding.html'),
('attention', 2, 'Multi-head latent attention (MLA)', 2024, 5, 'keys and values in a low-rank latent', 'https://arxiv.org/abs/2405.04434'),
('attention', 2, 'Quest', 2024, 6, 'pages chosen by the query', 'https://arxiv.org/abs/2406.10774'),
('attention', 2, 'MInference', 2024, 7, 'dynamic sparse patterns for prefill', 'https://arxiv.org/abs/2407.02490'),
('attention', 3, 'SageAttention', 2024, 10, 'queries and keys in INT8', 'https://arxiv.org/abs/2410.02367'),
('attention', 4, 'Native Sparse Attention (NSA)', 2025, 2, 'sparsity that is trained', 'https://arxiv.org/abs/2502.11089'),
('attention', 4, 'FlashMLA', 2025, 2, 'kernels for latent attention; sparse ones followed in September 2025', 'https://github.com/deepseek-ai/FlashMLA'),
('attention', 4, 'DeepSeek Sparse Attention (DSA)', 2025, 9, 'a lightning indexer keeps the best 2048 keys', 'https://github.com/deepseek-ai/DeepSeek-V3.2-Exp'),
('attention', 4, 'DeepSeek-V3.2', 2025, 12, 'DSA in a released model, indexer trained by distillation', 'https://arxiv.org/abs/2512.02556'),
('attention', 4, 'GLM-5', 2026, 2, 'DSA in a model of 744B parameters, 40B active', 'https://arxiv.org/abs/2602.15763'),
('attention', 5, 'IndexCache', 2026, 3, 'layers reuse the selection of the layer before', 'https://arxiv.org/abs/2603.12201');
