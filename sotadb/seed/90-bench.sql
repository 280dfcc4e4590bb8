-- Measured figures, ours and those of a peer from the same run. Figures reported of another tree are never rows of
-- ours. A new row copies one of these; the artifact holds the raw output.

INSERT INTO bench (op, number, unit, model, quant, machine, backend, engine, baseline, commit_id, public_commit, artifact,
                   command, regime, measured_on) VALUES
('block-quant-gemm', 348.2, 'tok/s decode', 'SmolLM2-135M-Instruct', 'Q4_1', 'Xeon (Sapphire Rapids), 2 threads, busy, chrt -f 1',
 'cpu AVX-512 VNNI', 'fak', 'llama.cpp b11434: 80.7 tok/s in the same run', '1811298', 1, 'docs/bench/2026-11-30.txt',
 'make bench-decode NICE="chrt -f 1"', 'wall-clock', '2026-11-30'),
('block-quant-gemm', 80.7, 'tok/s decode', 'SmolLM2-135M-Instruct', 'Q4_1', 'Xeon (Sapphire Rapids), 2 threads, busy, chrt -f 1',
 'cpu AVX-512 VNNI', 'llama.cpp', 'none', 'b11434', 1, 'docs/bench/2026-11-30.txt',
 'make bench-decode NICE="chrt -f 1"', 'wall-clock', '2026-11-30'),
('block-quant-gemm', 131.8, 'tok/s decode', 'SmolLM2-135M-Instruct', 'Q4_1', 'Xeon (Sapphire Rapids), 1 thread, busy, chrt -f 1',
 'cpu AVX-512 VNNI', 'fak', 'llama.cpp b11434: 46.3 tok/s in the same run', '1811298', 1, 'docs/bench/2026-11-30.txt',
 'make bench-decode NICE="chrt -f 1" THREADS=1', 'wall-clock', '2026-11-30'),
('block-quant-gemm', 46.3, 'tok/s decode', 'SmolLM2-135M-Instruct', 'Q4_1', 'Xeon (Sapphire Rapids), 1 thread, busy, chrt -f 1',
 'cpu AVX-512 VNNI', 'llama.cpp', 'none', 'b11434', 1, 'docs/bench/2026-11-30.txt',
 'make bench-decode NICE="chrt -f 1" THREADS=1', 'wall-clock', '2026-11-30');
