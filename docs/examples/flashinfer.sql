-- A small matrix for FlashInfer (https://github.com/flashinfer-ai/flashinfer), as an example of one for another
-- repository:
--
--     sota-coverage -C path/to/flashinfer --matrix docs/examples/flashinfer.sql
--
-- Written against commit fb28d724 (2026-08-22). The tolerance is the one that most of its tests use. Kernels that no
-- row names (its tests' own, hyper-connections and some others) are told as gaps.

INSERT INTO floor (name, metric, value, state, note) VALUES
('rtolDefault', 'rtol', 1e-3, 'recorded', 'assert_close in tests/attention/test_batch_decode_kernels.py');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('attention', 'Attention over paged and ragged KV',
 'Prefill, decode, cascade and POD attention on paged or ragged keys and values.',
 'kernel', 'stay-minimal', 'Its own kernels are what this repository is.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'Decode: KV bandwidth. Prefill: the tensor units.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('attention', 'FlashAttention', 'https://github.com/Dao-AILab/flash-attention', 'primary'),
('attention', 'Online normaliser calculation for softmax', 'https://arxiv.org/abs/1805.02867', 'repo');
INSERT INTO op_path (op, glob, role) VALUES
('attention', 'include/flashinfer/attention/*.cuh', 'kernel'),
('attention', 'include/flashinfer/attention/blackwell/**', 'kernel'),
('attention', 'include/flashinfer/attention/hopper/**', 'kernel'),
('attention', 'include/flashinfer/attention/sm120/**', 'kernel'),
('attention', 'include/flashinfer/trtllm/fmha/**', 'kernel'),
('attention', 'flashinfer/attention/**', 'kernel'),
('attention', 'flashinfer/cute_dsl/attention/**', 'kernel'),
('attention', 'flashinfer/triton/**', 'kernel'),
('attention', 'csrc/xqa/**', 'kernel'),
('attention', 'csrc/fmha*', 'kernel'),
('attention', 'csrc/fmha_v2/**', 'kernel'),
('attention', 'csrc/nvfp4_attention_sm120/**', 'kernel'),
('attention', 'csrc/cudnn_sdpa_kernel_launcher.cu', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('attention', 'cuda', 'rtol', 'rtolDefault', 'tests/attention/test_batch_decode_kernels.py', 'scripts/task_run_unit_tests.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('sparse-attention', 'Sparse attention',
 'Attention over chosen blocks or tokens.',
 'kernel', 'borrow', 'Follows the models that define it.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'Gathering of KV.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('sparse-attention', 'Native sparse attention', 'https://arxiv.org/abs/2502.11089', 'primary'),
('sparse-attention', 'DeepSeek-V3.2', 'https://github.com/deepseek-ai/DeepSeek-V3.2-Exp', 'repo');
INSERT INTO op_path (op, glob, role) VALUES
('sparse-attention', 'include/flashinfer/attention/sparse_mla_sm120/**', 'kernel'),
('sparse-attention', 'flashinfer/msa_ops/**', 'kernel'),
('sparse-attention', 'flashinfer/cute_dsl/sparse/**', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('sparse-attention', 'cuda', 'rtol', 'rtolDefault', 'tests/msa_ops/test_msa_ops.py', 'scripts/task_run_unit_tests.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('kv-page', 'Pages of the KV cache',
 'Appends and rearranges pages of keys and values.',
 'kernel', 'stay-minimal', 'Its own kernels are what this repository is.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('kv-page', 'vLLM', 'https://github.com/vllm-project/vllm', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('kv-page', 'include/flashinfer/page.cuh', 'kernel'),
('kv-page', 'include/flashinfer/concat_mla.cuh', 'kernel'),
('kv-page', 'csrc/fp4_kv_*.cu', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('kv-page', 'cuda', 'rtol', 'rtolDefault', 'tests/utils/test_concat_mla.py', 'scripts/task_run_unit_tests.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('norm', 'Normalisation, fused with what follows',
 'RMS norm and layer norm, with residual, rotation, activation or quantisation.',
 'kernel', 'stay-minimal', 'Its own kernels are what this repository is.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('norm', 'RMSNorm', 'https://arxiv.org/abs/1910.07467', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('norm', 'include/flashinfer/norm.cuh', 'kernel'),
('norm', 'include/flashinfer/norm/**', 'kernel'),
('norm', 'flashinfer/norm/**', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('norm', 'cuda', 'rtol', 'rtolDefault', 'tests/norm/test_fused_qk_rmsnorm_rope.py', 'scripts/task_run_unit_tests.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('rope', 'Rotary position embedding',
 'Turns pairs of a head by an angle that grows with the position.',
 'kernel', 'stay-minimal', 'Its own kernels are what this repository is.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('rope', 'RoFormer', 'https://arxiv.org/abs/2104.09864', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('rope', 'include/flashinfer/pos_enc.cuh', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('rope', 'cuda', 'rtol', 'rtolDefault', 'tests/attention/test_rope.py', 'scripts/task_run_unit_tests.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('activation', 'Gated activations',
 'SiLU and GELU times a gate.',
 'kernel', 'stay-minimal', 'Its own kernels are what this repository is.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('activation', 'GLU variants improve transformer', 'https://arxiv.org/abs/2002.05202', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('activation', 'include/flashinfer/activation.cuh', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('activation', 'cuda', 'rtol', 'rtolDefault', 'tests/utils/test_activation.py', 'scripts/task_run_unit_tests.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('sampling', 'Sampling and top-k',
 'Top-k, top-p, min-p and speculative sampling without sorting.',
 'kernel', 'stay-minimal', 'Its own kernels are what this repository is.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('sampling', 'Dual pivot rejection sampling', 'https://flashinfer.ai/2025/03/10/sampling.html', 'primary'),
('sampling', 'CUB', 'https://github.com/NVIDIA/cccl', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('sampling', 'include/flashinfer/sampling.cuh', 'kernel'),
('sampling', 'include/flashinfer/topk.cuh', 'kernel'),
('sampling', 'include/flashinfer/air_top_p.cuh', 'kernel'),
('sampling', 'include/flashinfer/fast_topk_clusters_exact.cuh', 'kernel'),
('sampling', 'flashinfer/topk_varlen/**', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('sampling', 'cuda', 'rtol', 'rtolDefault', 'tests/utils/test_sampling.py', 'scripts/task_run_unit_tests.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('quantisation', 'Quantisation',
 'Packs activations to FP8, FP4 and eight bits with scales.',
 'kernel', 'stay-minimal', 'Its own kernels are what this repository is.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('quantisation', 'OCP microscaling formats', 'https://github.com/microsoft/microxcaling', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('quantisation', 'include/flashinfer/quantization.cuh', 'kernel'),
('quantisation', 'flashinfer/quantization/**', 'kernel'),
('quantisation', 'csrc/nv_internal/cpp/kernels/quantization.cu', 'kernel'),
('quantisation', 'csrc/nv_internal/tensorrt_llm/kernels/quantization.cuh', 'kernel'),
('quantisation', 'csrc/nv_internal/tensorrt_llm/kernels/preQuantScaleKernel.cu', 'kernel'),
('quantisation', 'csrc/nv_internal/tensorrt_llm/common/sageQuant.cu', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('quantisation', 'cuda', 'rtol', 'rtolDefault', 'tests/utils/test_fp4_quantize.py', 'scripts/task_run_unit_tests.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('gemm', 'Matrix products',
 'Dense, grouped and block-scaled products.',
 'kernel', 'bind', 'CUTLASS and cuBLAS where they reach; own kernels for few rows.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'The tensor units; for few rows, weight bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('gemm', 'CUTLASS', 'https://github.com/NVIDIA/cutlass', 'primary'),
('gemm', 'DeepGEMM', 'https://github.com/deepseek-ai/DeepGEMM', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('gemm', 'include/flashinfer/gemm/**', 'kernel'),
('gemm', 'flashinfer/gemm/**', 'kernel'),
('gemm', 'csrc/cake_router_gemm/**', 'kernel'),
('gemm', 'csrc/tinygemm2*.cu', 'kernel'),
('gemm', 'csrc/nv_internal/tensorrt_llm/deep_gemm/**', 'kernel'),
('gemm', 'csrc/nv_internal/tensorrt_llm/kernels/cutlass_kernels/fp8_blockscale_gemm/**', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('gemm', 'cuda', 'rtol', 'rtolDefault', 'tests/gemm/test_mm_fp8.py', 'scripts/task_run_unit_tests.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('moe', 'Mixture of experts',
 'Routing, dispatch and the grouped products of experts.',
 'kernel', 'borrow', 'From TensorRT-LLM, and kernels of its own.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'Weight bandwidth and imbalance of experts.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('moe', 'TensorRT-LLM', 'https://github.com/NVIDIA/TensorRT-LLM', 'primary'),
('moe', 'DeepEP', 'https://github.com/deepseek-ai/DeepEP', 'repo');
INSERT INTO op_path (op, glob, role) VALUES
('moe', 'include/flashinfer/fused_moe/**', 'kernel'),
('moe', 'include/flashinfer/trtllm/fused_moe/**', 'kernel'),
('moe', 'csrc/fused_moe/**', 'kernel'),
('moe', 'csrc/bgmv_moe/**', 'kernel'),
('moe', 'csrc/trtllm_fused_moe_kernel_launcher.cu', 'kernel'),
('moe', 'csrc/nv_internal/tensorrt_llm/kernels/cutlass_kernels/moe_gemm/**', 'kernel'),
('moe', 'csrc/nv_internal/tensorrt_llm/kernels/cuteDslKernels/moeUtils.cu', 'kernel'),
('moe', 'csrc/nv_internal/tensorrt_llm/cutlass_extensions/**', 'kernel'),
('moe', 'flashinfer/fused_moe/**', 'kernel'),
('moe', 'flashinfer/moe_ep/**', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('moe', 'cuda', 'rtol', 'rtolDefault', 'tests/moe/test_dpsk_fused_moe_fp8.py', 'scripts/task_run_unit_tests.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('comm', 'Collectives fused with compute',
 'All-reduce, all-to-all and gathers, fused with norms and products.',
 'kernel', 'borrow', 'From TensorRT-LLM and vLLM.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'Links between devices.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('comm', 'NCCL', 'https://github.com/NVIDIA/nccl', 'primary'),
('comm', 'TensorRT-LLM', 'https://github.com/NVIDIA/TensorRT-LLM', 'repo');
INSERT INTO op_path (op, glob, role) VALUES
('comm', 'include/flashinfer/comm/**', 'kernel'),
('comm', 'flashinfer/comm/**', 'kernel'),
('comm', 'csrc/trtllm_alltoall_prepare.cu', 'kernel'),
('comm', 'csrc/mixed_comm_kernel_inst.jinja', 'kernel'),
('comm', 'csrc/nv_internal/tensorrt_llm/kernels/communicationKernels/**', 'kernel'),
('comm', 'csrc/nv_internal/tensorrt_llm/kernels/helixAllToAll.cu', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('comm', 'cuda', 'rtol', 'rtolDefault', 'tests/comm/test_mixed_comm.py', 'scripts/task_run_unit_tests.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('state-space', 'Selective state updates (Mamba)',
 'Updates and scans the state of selective state space models.',
 'kernel', 'borrow', 'The recurrence of the paper.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('state-space', 'Mamba', 'https://github.com/state-spaces/mamba', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('state-space', 'include/flashinfer/mamba/**', 'kernel'),
('state-space', 'flashinfer/mamba/**', 'kernel'),
('state-space', 'csrc/cake_selective_state_update/**', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('state-space', 'cuda', 'rtol', 'rtolDefault', 'tests/mamba/test_selective_state_update_stp.py', 'scripts/task_run_unit_tests.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('delta-rule', 'Delta rule attention (GDN, KDA)',
 'Gated delta nets and Kimi delta attention.',
 'kernel', 'borrow', 'The recurrences of the papers.',
 'A PyTorch reference on the same inputs, by relative and absolute tolerance.',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('delta-rule', 'Gated DeltaNet', 'https://github.com/NVlabs/GatedDeltaNet', 'primary'),
('delta-rule', 'flash-linear-attention', 'https://github.com/fla-org/flash-linear-attention', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('delta-rule', 'flashinfer/gdn_kernels/**', 'kernel'),
('delta-rule', 'flashinfer/kda_kernels/**', 'kernel'),
('delta-rule', 'csrc/kda/**', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('delta-rule', 'cuda', 'rtol', 'rtolDefault', 'tests/gdn/test_prefill_delta_rule.py', 'scripts/task_run_unit_tests.sh');
