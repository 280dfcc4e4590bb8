-- Work that is spread: over experts, over devices.

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status, axis) VALUES
('moe-dispatch', 'MoE expert dispatch',
 'Routes each token to its experts, gathers the tokens of an expert into one product, and adds the results back.',
 'kernel', 'borrow',
 'Take over grouped decode and its clean-up; what is ours is the contract around it: a stable sort by expert and sums in '
 || 'the order of rank, so that a token''s result does not depend on its neighbours. A NaN in the router or an id out of '
 || 'range is refused.',
 'A dense reference that runs every expert, and Hugging Face on the same checkpoint.',
 'Bandwidth of the experts'' weights.', 'planned', 'batching'),
('collectives', 'Collective communication (all-reduce, process groups)',
 'Sums, gathers and scatters tensors between devices and processes.',
 'kernel', 'bind',
 'NCCL is bound: topology is its business. It picks its algorithm by size and topology, so sums differ between machines; '
 || 'a reproducible mode gathers and adds in order of rank.',
 'The host reduce in order of rank: exact argmax and cosine, and bit identity for the reproducible mode.',
 'Latency for decode, link bandwidth for prefill (judge by busbw).', 'planned', NULL);

INSERT INTO op_alias (op, alias) VALUES
('moe-dispatch', 'moe'), ('moe-dispatch', 'experts'), ('moe-dispatch', 'expert-dispatch'), ('moe-dispatch', 'mixture-of-experts'),
('moe-dispatch', 'deepep'), ('moe-dispatch', 'router'),
('collectives', 'collective'), ('collectives', 'nccl'), ('collectives', 'all-reduce'), ('collectives', 'allreduce'),
('collectives', 'mpi'), ('collectives', 'process-group'), ('collectives', 'all-gather');

INSERT INTO op_path (op, glob, role, planned) VALUES
('moe-dispatch', 'engine/kernels/*/moe*.c', 'kernel', 1),
('moe-dispatch', 'engine/kernels/cuda/moe*.cu', 'kernel', 1),
('moe-dispatch', 'engine/model/moe*.c', 'host', 1),
('collectives', 'engine/backend/collective*.c', 'host', 1),
('collectives', 'engine/kernels/cuda/nccl*.cu', 'kernel', 1);

INSERT INTO op_symbol (op, pattern) VALUES
('moe-dispatch', '*moe_*'), ('moe-dispatch', '*expert*'),
('collectives', 'nccl*'), ('collectives', '*all_reduce*'), ('collectives', '*all_gather*');

INSERT INTO reference (op, name, url, kind, note, checked_on) VALUES
('moe-dispatch', 'DeepEP', 'https://github.com/deepseek-ai/DeepEP', 'primary',
 'expert-parallel dispatch and combine over NVLink and RDMA', '2026-11-30'),
('moe-dispatch', 'TensorRT-LLM', 'https://github.com/NVIDIA/TensorRT-LLM', 'repo', 'grouped products of experts', '2026-11-30'),
('moe-dispatch', 'KTransformers', 'https://github.com/kvcache-ai/ktransformers', 'repo',
 'experts on the CPU: AMX tiles, placement by NUMA node', '2026-11-30'),
('collectives', 'NCCL', 'https://github.com/NVIDIA/nccl', 'primary', 'rings, trees and in-switch reduction', '2026-11-30'),
('collectives', 'MSCCL++', 'https://github.com/microsoft/mscclpp', 'repo', 'one-sided channels', '2026-11-30'),
('collectives', 'NVSHMEM', 'https://docs.nvidia.com/nvshmem/api/', 'docs', 'device-initiated put and get', ''),
('collectives', 'nccl-tests, PERFORMANCE.md',
 'https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md', 'docs', 'what algbw and busbw mean', '2026-11-30');

INSERT INTO paper (op, title, id, url, year) VALUES
('collectives', 'MSCCL++: Rethinking GPU Communication Abstractions for Cutting-edge AI Applications', 'arXiv:2504.09014',
 'https://arxiv.org/abs/2504.09014', 2025);
