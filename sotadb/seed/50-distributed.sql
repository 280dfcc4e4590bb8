-- Work that is spread: over experts, over devices.

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status, axis) VALUES
('moe-dispatch', 'MoE expert dispatch',
 'Gathers the tokens of each expert into one product, and adds the results back by weight.',
 'kernel', 'borrow',
 'Take over grouped decode and its clean-up; what is ours is the contract around it: units are rows of one expert''s '
 || 'matrix, sums go in the order of the choice, so that a token''s result does not depend on its neighbours.',
 'Each chosen expert by itself in extended precision, and Hugging Face on small checkpoints of ten architectures.',
 'Bandwidth of the experts'' weights.', 'shipped', 'batching'),
('moe-router', 'MoE router',
 'Chooses the experts of a token by softmax or sigmoid scores, within the best groups where there are any, and weighs them.',
 'kernel', 'stay-minimal',
 'Small and exact: the scores in double, the lowest id on ties, masked groups at minus infinity, a correction that decides '
 || 'the choice and not the weight.',
 'A stable sort of the scores, and Hugging Face on checkpoints whose choices are safe to compare.',
 'Latency: a few hundred comparisons a token between two products.', 'shipped', NULL),
('collectives', 'Collective communication (all-reduce, process groups)',
 'Sums, gathers and scatters tensors between devices and processes.',
 'kernel', 'bind',
 'NCCL is bound: topology is its business. It picks its algorithm by size and topology, so sums differ between machines; '
 || 'a reproducible mode gathers and adds in order of rank.',
 'The host reduce in order of rank: exact argmax and cosine, and bit identity for the reproducible mode.',
 'Latency for decode, link bandwidth for prefill (judge by busbw).', 'planned', NULL);

INSERT INTO op_alias (op, alias) VALUES
('moe-dispatch', 'moe'), ('moe-dispatch', 'experts'), ('moe-dispatch', 'expert-dispatch'), ('moe-dispatch', 'mixture-of-experts'),
('moe-dispatch', 'deepep'), ('moe-router', 'router'), ('moe-router', 'gating'), ('moe-router', 'top-k-routing'),
('moe-router', 'moe-gate'),
('collectives', 'collective'), ('collectives', 'nccl'), ('collectives', 'all-reduce'), ('collectives', 'allreduce'),
('collectives', 'mpi'), ('collectives', 'process-group'), ('collectives', 'all-gather');

INSERT INTO op_path (op, glob, role, planned) VALUES
('moe-dispatch', 'engine/kernels/*/experts*', 'kernel', 0),
('moe-dispatch', 'engine/kernels/*/mix.*', 'kernel', 0),
('moe-dispatch', 'engine/kernels/exact/matrices.[ch]', 'kernel', 0),
('moe-router', 'engine/kernels/*/route.*', 'kernel', 0),
('moe-router', 'engine/kernels/routing.h', 'host', 0),
('collectives', 'engine/backend/collective*.c', 'host', 1),
('collectives', 'engine/kernels/cuda/nccl*.cu', 'kernel', 1);

INSERT INTO op_symbol (op, pattern) VALUES
('moe-dispatch', '*moe_*'), ('moe-dispatch', '*expert*'), ('moe-dispatch', 'mix_*'), ('moe-dispatch', 'matrices'),
('moe-router', 'route_*'), ('moe-router', '*_route'), ('moe-router', '*topk_gating*'),
('collectives', 'nccl*'), ('collectives', '*all_reduce*'), ('collectives', '*all_gather*');

INSERT INTO reference (op, name, url, kind, note, checked_on) VALUES
('moe-dispatch', 'DeepEP', 'https://github.com/deepseek-ai/DeepEP', 'primary',
 'expert-parallel dispatch and combine over NVLink and RDMA', '2026-11-30'),
('moe-dispatch', 'TensorRT-LLM', 'https://github.com/NVIDIA/TensorRT-LLM', 'repo', 'grouped products of experts', '2026-11-30'),
('moe-dispatch', 'KTransformers', 'https://github.com/kvcache-ai/ktransformers', 'repo',
 'experts on the CPU: AMX tiles, placement by NUMA node', '2026-11-30'),
('moe-router', 'transformers DeepSeek-V3',
 'https://github.com/huggingface/transformers/blob/main/src/transformers/models/deepseek_v3/modeling_deepseek_v3.py', 'primary',
 'route_tokens_to_experts: groups, correction, renormalisation', '2026-11-30'),
('moe-router', 'transformers DeepSeek-V2',
 'https://github.com/huggingface/transformers/blob/main/src/transformers/models/deepseek_v2/modeling_deepseek_v2.py', 'repo',
 'softmax scores, a group by its best', '2026-11-30'),
('collectives', 'NCCL', 'https://github.com/NVIDIA/nccl', 'primary', 'rings, trees and in-switch reduction', '2026-11-30'),
('collectives', 'MSCCL++', 'https://github.com/microsoft/mscclpp', 'repo', 'one-sided channels', '2026-11-30'),
('collectives', 'NVSHMEM', 'https://docs.nvidia.com/nvshmem/api/', 'docs', 'device-initiated put and get', ''),
('collectives', 'nccl-tests, PERFORMANCE.md',
 'https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md', 'docs', 'what algbw and busbw mean', '2026-11-30');

INSERT INTO paper (op, title, id, url, year) VALUES
('moe-router', 'DeepSeek-V3 Technical Report', 'arXiv:2412.19437', 'https://arxiv.org/abs/2412.19437', 2024),
('moe-router', 'Mixtral of Experts', 'arXiv:2401.04088', 'https://arxiv.org/abs/2401.04088', 2024),
('collectives', 'MSCCL++: Rethinking GPU Communication Abstractions for Cutting-edge AI Applications', 'arXiv:2504.09014',
 'https://arxiv.org/abs/2504.09014', 2025);

INSERT INTO witness (op, device, metric, test) VALUES
('moe-dispatch', 'cpu', 'activations of 16 bits, and of 8: cosine, normalised error and argmax against each expert by itself; the same bits in every cut', 'tests/unit/test_checkkern.c'),
('moe-router', 'cpu', 'ids and weights equal a stable sort''s; the same bits in every cut', 'tests/unit/test_checkkern.c'),
('moe-router', 'cpu', 'logits within 2e-4 of float64 transformers, greedy ids equal, in every chunking', 'tests/unit/test_golden.c');
