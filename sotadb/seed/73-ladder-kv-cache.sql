-- KV cache: from fewer heads to caches that survive the process.

INSERT INTO ladder (axis, title, fak_rung, op, position) VALUES
('kv-cache', 'KV cache', 3, 'kv-cache',
 'full pages in a tree by the tokens that lead to them: shared, evicted and refilled with the bits of a cold run');

INSERT INTO rung (axis, level, technique, year, month, change, url) VALUES
('kv-cache', 0, 'Multi-query attention (MQA)', 2019, 11, 'one head of keys and values: the cache shrinks by the number of heads', 'https://arxiv.org/abs/1911.02150'),
('kv-cache', 1, 'Grouped-query attention (GQA)', 2023, 5, 'a group of heads shares a cache, at little loss', 'https://arxiv.org/abs/2305.13245'),
('kv-cache', 2, 'PagedAttention', 2023, 9, 'pages and a table in place of one long row for each sequence', 'https://arxiv.org/abs/2309.06180'),
('kv-cache', 3, 'RadixAttention', 2023, 12, 'known prefixes are found in a radix tree and shared', 'https://arxiv.org/abs/2312.07104'),
('kv-cache', 4, 'KV quantization (KIVI)', 2024, 2, 'keys by channel, values by token, two bits', 'https://arxiv.org/abs/2402.02750'),
('kv-cache', 5, 'Host offload (InfiniGen)', 2024, 6, 'the cache lives in host memory; what matters is fetched in time', 'https://arxiv.org/abs/2406.19707'),
('kv-cache', 6, 'Disk KV keyed by rendered bytes (ds4)', 2026, 0, 'a cache on disk, found by the hash of the text that led to it', 'https://github.com/antirez/ds4');

INSERT INTO branch (axis, level, technique, year, month, change, url) VALUES
('kv-cache', 1, 'H2O', 2023, 6, 'heavy hitters stay, the rest is dropped', 'https://arxiv.org/abs/2306.14048'),
('kv-cache', 2, 'StreamingLLM', 2023, 9, 'sinks and a window', 'https://arxiv.org/abs/2309.17453'),
('kv-cache', 2, 'CacheGen', 2023, 10, 'caches compressed for the network', 'https://arxiv.org/abs/2310.07240'),
('kv-cache', 3, 'KVQuant', 2024, 1, 'keys quantised before the rotation, sensitive values apart', 'https://arxiv.org/abs/2401.18079'),
('kv-cache', 4, 'Hydragen', 2024, 2, 'attention over a shared prefix as one product', 'https://arxiv.org/abs/2402.05099'),
('kv-cache', 4, 'ChunkAttention', 2024, 2, 'a prefix tree that the kernel knows', 'https://arxiv.org/abs/2402.15220'),
('kv-cache', 4, 'SnapKV', 2024, 4, 'what the last tokens look at is kept', 'https://arxiv.org/abs/2404.14469'),
('kv-cache', 4, 'Multi-head latent attention (MLA)', 2024, 5, 'a low-rank latent is cached', 'https://arxiv.org/abs/2405.04434'),
('kv-cache', 4, 'vAttention', 2024, 5, 'paging by the virtual memory of the driver', 'https://arxiv.org/abs/2405.04437'),
('kv-cache', 4, 'CacheBlend', 2024, 5, 'caches of several documents are joined, a few tokens computed anew', 'https://arxiv.org/abs/2405.16444'),
('kv-cache', 4, 'PyramidKV', 2024, 6, 'fewer entries in higher layers', 'https://arxiv.org/abs/2406.02069'),
('kv-cache', 5, 'Mooncake', 2024, 6, 'a pool of caches for a cluster', 'https://github.com/kvcache-ai/Mooncake'),
('kv-cache', 5, 'TurboQuant', 2025, 4, 'rotation and near-optimal scalar quantisers, online', 'https://arxiv.org/abs/2504.19874'),
('kv-cache', 5, 'LMCache', 2025, 10, 'a layer of its own that stores and moves caches between engines', 'https://arxiv.org/abs/2510.09665'),
('kv-cache', 6, 'Deterministic prefix caching in vLLM', 2026, 0, 'warm and cold runs are to give the same result', 'https://github.com/vllm-project/vllm/pull/34046');
