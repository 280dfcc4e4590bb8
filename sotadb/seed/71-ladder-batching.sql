-- Batching: from padded batches to schedules that do not change results.

INSERT INTO ladder (axis, title, fak_rung, op, position) VALUES
('batching', 'Batching', -1, NULL,
 'no scheduler; every operation takes tokens of different sequences from day one, so the next rung is a scheduler and no rewrite');

INSERT INTO rung (axis, level, technique, year, month, change, url) VALUES
('batching', 0, 'Dynamic, padding-aware batching (Clipper)', 2016, 12, 'requests that wait together run together, within a bound on latency',
 'https://arxiv.org/abs/1612.03079'),
('batching', 1, 'Continuous batching (Orca)', 2022, 7, 'the batch is formed anew at every iteration; finished sequences leave at once',
 'https://www.usenix.org/conference/osdi22/presentation/yu'),
('batching', 2, 'Chunked prefill (SARATHI)', 2023, 8, 'a prompt is cut into chunks that ride along with decode',
 'https://arxiv.org/abs/2308.16369'),
('batching', 3, 'Stall-free schedules (Sarathi-Serve)', 2024, 3, 'no running decode waits for a new prompt',
 'https://arxiv.org/abs/2403.02310'),
('batching', 4, 'Batch-invariant kernels', 2025, 9, 'a request''s result does not depend on who shares its batch',
 'https://thinkingmachines.ai/blog/defeating-nondeterminism-in-llm-inference/'),
('batching', 5, 'LLM-42', 2026, 1, 'decode fast, verify under a fixed schedule, roll back', 'https://arxiv.org/abs/2601.17768');

INSERT INTO branch (axis, level, technique, year, month, change, url) VALUES
('batching', 0, 'BatchMaker', 2018, 4, 'batches of cells of recurrent networks: requests join and leave while others run', 'https://doi.org/10.1145/3190508.3190541'),
('batching', 1, 'vLLM', 2023, 6, 'continuous batching over paged memory, in the open', 'https://github.com/vllm-project/vllm'),
('batching', 2, 'TensorRT-LLM in-flight batching', 2023, 10, 'the same in NVIDIA''s own runtime', 'https://github.com/NVIDIA/TensorRT-LLM'),
('batching', 2, 'Splitwise', 2023, 11, 'prompts and tokens on different machines', 'https://arxiv.org/abs/2311.18677'),
('batching', 2, 'DeepSpeed-FastGen', 2024, 1, 'prompts split and fused to batches of constant size', 'https://arxiv.org/abs/2401.08671'),
('batching', 2, 'DistServe', 2024, 1, 'prefill and decode apart, placed by goodput', 'https://arxiv.org/abs/2401.09670'),
('batching', 3, 'Mooncake', 2024, 6, 'disaggregation around a pool of caches', 'https://github.com/kvcache-ai/Mooncake'),
('batching', 3, 'NanoFlow', 2024, 8, 'operators of one device overlap', 'https://arxiv.org/abs/2408.12757'),
('batching', 3, 'POD-Attention', 2024, 10, 'prefill and decode attention overlap in one kernel', 'https://arxiv.org/abs/2410.18038');
