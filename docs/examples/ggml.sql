-- A small matrix for ggml (https://github.com/ggml-org/ggml), as an example of one for another repository:
--
--     sota-coverage -C path/to/ggml --matrix docs/examples/ggml.sql
--
-- Written against commit d99724f2 (2026-08-21). Kernels that no row names are told as gaps: padding, shapes, the
-- optimisers and some others are left for its people to file. The floors are those of tests/test-backend-ops.cpp.

INSERT INTO floor (name, metric, value, state, note) VALUES
('nmseDefault', 'nmse', 1e-7, 'recorded', 'max_nmse_err() of test_case in tests/test-backend-ops.cpp'),
('nmseProducts', 'nmse', 5e-4, 'recorded', 'max_nmse_err() of test_mul_mat, test_flash_attn_ext and test_conv_2d there');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('mul-mat', 'Matrix products',
 'Multiplies activations by dense or quantised weights, also of chosen experts.',
 'kernel', 'stay-minimal', 'Its own tiles, because the block formats are its own.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Decode: weight bandwidth. Prefill: the tensor units.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('mul-mat', 'CUTLASS', 'https://github.com/NVIDIA/cutlass', 'primary'),
('mul-mat', 'Marlin', 'https://github.com/IST-DASLab/marlin', 'repo');
INSERT INTO op_path (op, glob, role) VALUES
('mul-mat', 'src/ggml-cpu/amx/mmq.cpp', 'kernel'),
('mul-mat', 'src/ggml-cpu/arch/*/quants.c', 'kernel'),
('mul-mat', 'src/ggml-cpu/arch/*/repack.cpp', 'kernel'),
('mul-mat', 'src/ggml-cpu/llamafile/sgemm.cpp', 'kernel'),
('mul-mat', 'src/ggml-cpu/repack.cpp', 'kernel'),
('mul-mat', 'src/ggml-cpu/spacemit/*.cpp', 'kernel'),
('mul-mat', 'src/ggml-cpu/vec.cpp', 'kernel'),
('mul-mat', 'src/ggml-cuda/mm*.cu', 'kernel'),
('mul-mat', 'src/ggml-cuda/mm*.cuh', 'kernel'),
('mul-mat', 'src/ggml-cuda/out-prod.cu', 'kernel'),
('mul-mat', 'src/ggml-cuda/template-instances/mm*.cu', 'kernel'),
('mul-mat', 'src/ggml-hexagon/htp/h?x-mm-kernels*.h', 'kernel'),
('mul-mat', 'src/ggml-hexagon/htp/matmul-ops.c', 'kernel'),
('mul-mat', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('mul-mat', 'src/ggml-opencl/kernels/gemm_*.cl', 'kernel'),
('mul-mat', 'src/ggml-opencl/kernels/gemv_*.cl', 'kernel'),
('mul-mat', 'src/ggml-opencl/kernels/mul_m*.cl', 'kernel'),
('mul-mat', 'src/ggml-sycl/dmmv.cpp', 'kernel'),
('mul-mat', 'src/ggml-sycl/mmq.cpp', 'kernel'),
('mul-mat', 'src/ggml-sycl/mmvq.cpp', 'kernel'),
('mul-mat', 'src/ggml-vulkan/vulkan-shaders/mul_m*.comp', 'kernel'),
('mul-mat', 'src/ggml-vulkan/vulkan-shaders/out_prod.comp', 'kernel'),
('mul-mat', 'src/ggml-webgpu/wgsl-shaders/mul_mat*.wgsl', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('mul-mat', 'kernel_mul_m*'),
('mul-mat', 'ggml_vec_dot_*'),
('mul-mat', 'ggml_gem*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('mul-mat', 'cpu', 'nmse', 'nmseProducts', 'tests/test-backend-ops.cpp', ''),
('mul-mat', 'cuda', 'nmse', 'nmseProducts', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('mul-mat', 'metal', 'nmse', 'nmseProducts', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('flash-attn', 'Fused attention',
 'softmax(q k^T) v without writing the scores to memory.',
 'kernel', 'borrow', 'The online softmax of the papers, with quantised K and V.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Decode: KV bandwidth. Prefill: the tensor units.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('flash-attn', 'FlashAttention', 'https://github.com/Dao-AILab/flash-attention', 'primary'),
('flash-attn', 'FlashInfer', 'https://github.com/flashinfer-ai/flashinfer', 'repo');
INSERT INTO op_path (op, glob, role) VALUES
('flash-attn', 'src/ggml-cuda/fattn*.cu', 'kernel'),
('flash-attn', 'src/ggml-cuda/fattn*.cuh', 'kernel'),
('flash-attn', 'src/ggml-cuda/template-instances/fattn*.cu', 'kernel'),
('flash-attn', 'src/ggml-hexagon/htp/flash-attn-ops.c', 'kernel'),
('flash-attn', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('flash-attn', 'src/ggml-opencl/kernels/flash_attn*.cl', 'kernel'),
('flash-attn', 'src/ggml-sycl/fattn*.cpp', 'kernel'),
('flash-attn', 'src/ggml-sycl/fattn*.hpp', 'kernel'),
('flash-attn', 'src/ggml-vulkan/vulkan-shaders/flash_attn*.comp', 'kernel'),
('flash-attn', 'src/ggml-webgpu/wgsl-shaders/flash_attn*.wgsl', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('flash-attn', 'kernel_flash_attn*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('flash-attn', 'cpu', 'nmse', 'nmseProducts', 'tests/test-backend-ops.cpp', ''),
('flash-attn', 'cuda', 'nmse', 'nmseProducts', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('flash-attn', 'metal', 'nmse', 'nmseProducts', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('norm', 'Normalisation',
 'Divides a row by its root mean square or deviation; groups and L2 norms too.',
 'kernel', 'stay-minimal', 'Written in the tree, one file a backend.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('norm', 'RMSNorm', 'https://arxiv.org/abs/1910.07467', 'primary'),
('norm', 'LayerNorm', 'https://arxiv.org/abs/1607.06450', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('norm', 'src/ggml-cpu/vec.cpp', 'kernel'),
('norm', 'src/ggml-cuda/norm.cu', 'kernel'),
('norm', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('norm', 'src/ggml-opencl/kernels/*norm.cl', 'kernel'),
('norm', 'src/ggml-sycl/norm.cpp', 'kernel'),
('norm', 'src/ggml-vulkan/vulkan-shaders/*norm*.comp', 'kernel'),
('norm', 'src/ggml-webgpu/wgsl-shaders/*norm*.wgsl', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('norm', 'kernel_*norm*'),
('norm', 'ggml_vec_cvar_*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('norm', 'cpu', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', ''),
('norm', 'cuda', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('norm', 'metal', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('rope', 'Rotary position embedding',
 'Turns pairs of a head by an angle that grows with the position.',
 'kernel', 'stay-minimal', 'Written in the tree, one file a backend.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('rope', 'RoFormer', 'https://arxiv.org/abs/2104.09864', 'primary'),
('rope', 'YaRN', 'https://github.com/jquesnelle/yarn', 'repo');
INSERT INTO op_path (op, glob, role) VALUES
('rope', 'src/ggml-cuda/rope.cu', 'kernel'),
('rope', 'src/ggml-hexagon/htp/rope-ops.c', 'kernel'),
('rope', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('rope', 'src/ggml-opencl/kernels/rope.cl', 'kernel'),
('rope', 'src/ggml-sycl/rope.cpp', 'kernel'),
('rope', 'src/ggml-vulkan/vulkan-shaders/rope_*.comp', 'kernel'),
('rope', 'src/ggml-webgpu/wgsl-shaders/rope.wgsl', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('rope', 'kernel_rope*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('rope', 'cpu', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', ''),
('rope', 'cuda', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('rope', 'metal', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('soft-max', 'Softmax and logits',
 'Softmax over rows with mask and scale; cross entropy, soft caps.',
 'kernel', 'stay-minimal', 'Written in the tree, one file a backend.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('soft-max', 'Online normaliser calculation for softmax', 'https://arxiv.org/abs/1805.02867', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('soft-max', 'src/ggml-cpu/vec.cpp', 'kernel'),
('soft-max', 'src/ggml-cuda/cross-entropy-loss.cu', 'kernel'),
('soft-max', 'src/ggml-cuda/softcap.cu', 'kernel'),
('soft-max', 'src/ggml-cuda/softmax.cu', 'kernel'),
('soft-max', 'src/ggml-hexagon/htp/softmax-ops.c', 'kernel'),
('soft-max', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('soft-max', 'src/ggml-opencl/kernels/softmax*.cl', 'kernel'),
('soft-max', 'src/ggml-sycl/cross_entropy_loss.cpp', 'kernel'),
('soft-max', 'src/ggml-sycl/softmax.cpp', 'kernel'),
('soft-max', 'src/ggml-vulkan/vulkan-shaders/soft_max*.comp', 'kernel'),
('soft-max', 'src/ggml-webgpu/wgsl-shaders/soft_max.wgsl', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('soft-max', 'kernel_soft_max*'),
('soft-max', 'ggml_vec_soft_max_*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('soft-max', 'cpu', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', ''),
('soft-max', 'cuda', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('soft-max', 'metal', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('quantise', 'Quantisation, conversion and copies between types',
 'Packs floats into blocks and back, and copies between types.',
 'kernel', 'stay-minimal', 'Written in the tree, one file a backend.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('quantise', 'The k-quants', 'https://github.com/ggml-org/llama.cpp/pull/1684', 'primary'),
('quantise', 'LLM.int8()', 'https://arxiv.org/abs/2208.07339', 'repo');
INSERT INTO op_path (op, glob, role) VALUES
('quantise', 'src/ggml-cpu/arch/*/quants.c', 'kernel'),
('quantise', 'src/ggml-cpu/arch/*/repack.cpp', 'kernel'),
('quantise', 'src/ggml-cpu/ggml-cpu.c', 'kernel'),
('quantise', 'src/ggml-cuda/convert.cu', 'kernel'),
('quantise', 'src/ggml-cuda/cpy.cu', 'kernel'),
('quantise', 'src/ggml-cuda/quantize.cu', 'kernel'),
('quantise', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('quantise', 'src/ggml-opencl/kernels/cpy.cl', 'kernel'),
('quantise', 'src/ggml-opencl/kernels/cvt.cl', 'kernel'),
('quantise', 'src/ggml-opencl/kernels/quant_a_q8_1.cl', 'kernel'),
('quantise', 'src/ggml-opencl/kernels/transpose.cl', 'kernel'),
('quantise', 'src/ggml-quants.c', 'kernel'),
('quantise', 'src/ggml-sycl/convert.cpp', 'kernel'),
('quantise', 'src/ggml-sycl/cpy.cpp', 'kernel'),
('quantise', 'src/ggml-sycl/quantize.hpp', 'kernel'),
('quantise', 'src/ggml-vulkan/vulkan-shaders/contig_copy.comp', 'kernel'),
('quantise', 'src/ggml-vulkan/vulkan-shaders/copy*.comp', 'kernel'),
('quantise', 'src/ggml-vulkan/vulkan-shaders/dequant*.comp', 'kernel'),
('quantise', 'src/ggml-vulkan/vulkan-shaders/quantize*.comp', 'kernel'),
('quantise', 'src/ggml-webgpu/wgsl-shaders/cpy.wgsl', 'kernel'),
('quantise', 'src/ggml-webgpu/wgsl-shaders/quantize_q8.wgsl', 'kernel'),
('quantise', 'src/ggml.c', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('quantise', 'kernel_cpy*'),
('quantise', 'quantize_row_*'),
('quantise', 'ggml_quantize_mat_*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('quantise', 'cpu', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', ''),
('quantise', 'cuda', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('quantise', 'metal', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('get-rows', 'Rows by index',
 'Gathers and scatters rows, dequantising on the way.',
 'kernel', 'stay-minimal', 'Written in the tree, one file a backend.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('get-rows', 'PyTorch embedding', 'https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('get-rows', 'src/ggml-cuda/getrows.cu', 'kernel'),
('get-rows', 'src/ggml-cuda/set-rows.cu', 'kernel'),
('get-rows', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('get-rows', 'src/ggml-opencl/kernels/get_rows.cl', 'kernel'),
('get-rows', 'src/ggml-opencl/kernels/set_rows.cl', 'kernel'),
('get-rows', 'src/ggml-sycl/getrows.cpp', 'kernel'),
('get-rows', 'src/ggml-sycl/set_rows.cpp', 'kernel'),
('get-rows', 'src/ggml-vulkan/vulkan-shaders/get_rows*.comp', 'kernel'),
('get-rows', 'src/ggml-webgpu/wgsl-shaders/get_rows.wgsl', 'kernel'),
('get-rows', 'src/ggml-webgpu/wgsl-shaders/set_rows*.wgsl', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('get-rows', 'kernel_get_rows*'),
('get-rows', 'kernel_set_rows*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('get-rows', 'cpu', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', ''),
('get-rows', 'cuda', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('get-rows', 'metal', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('activations', 'Activations and gated units',
 'SiLU, GELU, ReLU ... and their gated forms.',
 'kernel', 'stay-minimal', 'Written in the tree, one file a backend.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('activations', 'GLU variants improve transformer', 'https://arxiv.org/abs/2002.05202', 'primary'),
('activations', 'GELU', 'https://arxiv.org/abs/1606.08415', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('activations', 'src/ggml-cpu/vec.cpp', 'kernel'),
('activations', 'src/ggml-cuda/snake.cu', 'kernel'),
('activations', 'src/ggml-cuda/unary.cu', 'kernel'),
('activations', 'src/ggml-hexagon/htp/unary-ops.c', 'kernel'),
('activations', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('activations', 'src/ggml-opencl/kernels/abs.cl', 'kernel'),
('activations', 'src/ggml-opencl/kernels/exp.cl', 'kernel'),
('activations', 'src/ggml-opencl/kernels/expm1.cl', 'kernel'),
('activations', 'src/ggml-opencl/kernels/gelu.cl', 'kernel'),
('activations', 'src/ggml-opencl/kernels/glu.cl', 'kernel'),
('activations', 'src/ggml-opencl/kernels/neg.cl', 'kernel'),
('activations', 'src/ggml-opencl/kernels/relu.cl', 'kernel'),
('activations', 'src/ggml-opencl/kernels/sigmoid.cl', 'kernel'),
('activations', 'src/ggml-opencl/kernels/silu.cl', 'kernel'),
('activations', 'src/ggml-opencl/kernels/softplus.cl', 'kernel'),
('activations', 'src/ggml-opencl/kernels/sqr.cl', 'kernel'),
('activations', 'src/ggml-opencl/kernels/sqrt.cl', 'kernel'),
('activations', 'src/ggml-opencl/kernels/tanh.cl', 'kernel'),
('activations', 'src/ggml-sycl/element_wise.cpp', 'kernel'),
('activations', 'src/ggml-vulkan/vulkan-shaders/*glu*.comp', 'kernel'),
('activations', 'src/ggml-vulkan/vulkan-shaders/silu_back.comp', 'kernel'),
('activations', 'src/ggml-vulkan/vulkan-shaders/snake.comp', 'kernel'),
('activations', 'src/ggml-vulkan/vulkan-shaders/unary.comp', 'kernel'),
('activations', 'src/ggml-webgpu/wgsl-shaders/glu.wgsl', 'kernel'),
('activations', 'src/ggml-webgpu/wgsl-shaders/unary.wgsl', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('activations', 'kernel_unary*'),
('activations', 'kernel_*glu*'),
('activations', 'kernel_silu*'),
('activations', 'kernel_snake*'),
('activations', 'ggml_vec_silu_*'),
('activations', 'ggml_vec_swiglu_*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('activations', 'cpu', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', ''),
('activations', 'cuda', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('activations', 'metal', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('arithmetic', 'Elementwise arithmetic',
 'Adds, multiplies, scales, clamps with broadcasting.',
 'kernel', 'stay-minimal', 'Written in the tree, one file a backend.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('arithmetic', 'Broadcasting', 'https://numpy.org/doc/stable/user/basics.broadcasting.html', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('arithmetic', 'src/ggml-cuda/acc.cu', 'kernel'),
('arithmetic', 'src/ggml-cuda/add-id.cu', 'kernel'),
('arithmetic', 'src/ggml-cuda/binbcast.cu', 'kernel'),
('arithmetic', 'src/ggml-cuda/clamp.cu', 'kernel'),
('arithmetic', 'src/ggml-cuda/scale.cu', 'kernel'),
('arithmetic', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('arithmetic', 'src/ggml-opencl/kernels/add*.cl', 'kernel'),
('arithmetic', 'src/ggml-opencl/kernels/clamp.cl', 'kernel'),
('arithmetic', 'src/ggml-opencl/kernels/div.cl', 'kernel'),
('arithmetic', 'src/ggml-opencl/kernels/mul.cl', 'kernel'),
('arithmetic', 'src/ggml-opencl/kernels/scale.cl', 'kernel'),
('arithmetic', 'src/ggml-opencl/kernels/sub.cl', 'kernel'),
('arithmetic', 'src/ggml-sycl/add-id.cpp', 'kernel'),
('arithmetic', 'src/ggml-sycl/binbcast.cpp', 'kernel'),
('arithmetic', 'src/ggml-vulkan/vulkan-shaders/acc.comp', 'kernel'),
('arithmetic', 'src/ggml-vulkan/vulkan-shaders/add*.comp', 'kernel'),
('arithmetic', 'src/ggml-vulkan/vulkan-shaders/div.comp', 'kernel'),
('arithmetic', 'src/ggml-vulkan/vulkan-shaders/log.comp', 'kernel'),
('arithmetic', 'src/ggml-vulkan/vulkan-shaders/mul.comp', 'kernel'),
('arithmetic', 'src/ggml-vulkan/vulkan-shaders/multi_add.comp', 'kernel'),
('arithmetic', 'src/ggml-vulkan/vulkan-shaders/scale.comp', 'kernel'),
('arithmetic', 'src/ggml-vulkan/vulkan-shaders/sub.comp', 'kernel'),
('arithmetic', 'src/ggml-webgpu/wgsl-shaders/add_id.wgsl', 'kernel'),
('arithmetic', 'src/ggml-webgpu/wgsl-shaders/binary.wgsl', 'kernel'),
('arithmetic', 'src/ggml-webgpu/wgsl-shaders/scale.wgsl', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('arithmetic', 'kernel_bin*'),
('arithmetic', 'kernel_add_id*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('arithmetic', 'cpu', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', ''),
('arithmetic', 'cuda', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('arithmetic', 'metal', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('reduce', 'Reductions and scans',
 'Sums, means, cumulative sums and counts of rows.',
 'kernel', 'stay-minimal', 'Written in the tree, one file a backend.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('reduce', 'CUB', 'https://github.com/NVIDIA/cccl', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('reduce', 'src/ggml-cuda/count-equal.cu', 'kernel'),
('reduce', 'src/ggml-cuda/cumsum.cu', 'kernel'),
('reduce', 'src/ggml-cuda/mean.cu', 'kernel'),
('reduce', 'src/ggml-cuda/reduce_rows.cuh', 'kernel'),
('reduce', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('reduce', 'src/ggml-opencl/kernels/cumsum.cl', 'kernel'),
('reduce', 'src/ggml-opencl/kernels/mean.cl', 'kernel'),
('reduce', 'src/ggml-opencl/kernels/sum_rows.cl', 'kernel'),
('reduce', 'src/ggml-sycl/count-equal.cpp', 'kernel'),
('reduce', 'src/ggml-sycl/cumsum.cpp', 'kernel'),
('reduce', 'src/ggml-vulkan/vulkan-shaders/count_equal.comp', 'kernel'),
('reduce', 'src/ggml-vulkan/vulkan-shaders/cumsum*.comp', 'kernel'),
('reduce', 'src/ggml-vulkan/vulkan-shaders/sum_rows.comp', 'kernel'),
('reduce', 'src/ggml-webgpu/wgsl-shaders/cumsum.wgsl', 'kernel'),
('reduce', 'src/ggml-webgpu/wgsl-shaders/sum_rows.wgsl', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('reduce', 'kernel_sum_rows*'),
('reduce', 'kernel_cumsum*'),
('reduce', 'kernel_count_equal*'),
('reduce', 'kernel_op_sum*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('reduce', 'cpu', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', ''),
('reduce', 'cuda', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('reduce', 'metal', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('sort', 'Sorting, top-k and argmax',
 'Orders a row, or finds its largest.',
 'kernel', 'stay-minimal', 'Written in the tree, one file a backend.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('sort', 'CUB', 'https://github.com/NVIDIA/cccl', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('sort', 'src/ggml-cuda/argmax.cu', 'kernel'),
('sort', 'src/ggml-cuda/argsort.cu', 'kernel'),
('sort', 'src/ggml-hexagon/htp/argsort-ops.c', 'kernel'),
('sort', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('sort', 'src/ggml-opencl/kernels/argsort.cl', 'kernel'),
('sort', 'src/ggml-vulkan/vulkan-shaders/argmax.comp', 'kernel'),
('sort', 'src/ggml-vulkan/vulkan-shaders/argsort*.comp', 'kernel'),
('sort', 'src/ggml-vulkan/vulkan-shaders/topk_argsort.comp', 'kernel'),
('sort', 'src/ggml-vulkan/vulkan-shaders/topk_nary_search.comp', 'kernel'),
('sort', 'src/ggml-webgpu/wgsl-shaders/argmax.wgsl', 'kernel'),
('sort', 'src/ggml-webgpu/wgsl-shaders/argsort*.wgsl', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('sort', 'kernel_argsort*'),
('sort', 'kernel_argmax*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('sort', 'cpu', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', ''),
('sort', 'cuda', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('sort', 'metal', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('moe-routing', 'Routing of experts',
 'Chooses experts a token and gathers what goes to each.',
 'kernel', 'borrow', 'Fused top-k with softmax, as the serving engines do.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('moe-routing', 'MegaBlocks', 'https://github.com/databricks/megablocks', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('moe-routing', 'src/ggml-cuda/topk-moe.cu', 'kernel'),
('moe-routing', 'src/ggml-opencl/kernels/moe_*.cl', 'kernel'),
('moe-routing', 'src/ggml-sycl/topk-moe.cpp', 'kernel'),
('moe-routing', 'src/ggml-vulkan/vulkan-shaders/count_experts.comp', 'kernel'),
('moe-routing', 'src/ggml-vulkan/vulkan-shaders/topk_moe.comp', 'kernel');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('moe-routing', 'cpu', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', ''),
('moe-routing', 'cuda', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('moe-routing', 'metal', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('recurrent', 'State space models and linear attention',
 'Mamba scans, RWKV, gated linear attention, gated delta nets.',
 'kernel', 'borrow', 'The recurrences of the papers.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('recurrent', 'Mamba', 'https://github.com/state-spaces/mamba', 'primary'),
('recurrent', 'Gated DeltaNet', 'https://github.com/NVlabs/GatedDeltaNet', 'primary'),
('recurrent', 'RWKV', 'https://github.com/BlinkDL/RWKV-LM', 'repo');
INSERT INTO op_path (op, glob, role) VALUES
('recurrent', 'src/ggml-cpu/ops.cpp', 'kernel'),
('recurrent', 'src/ggml-cuda/gated_delta_net.cu', 'kernel'),
('recurrent', 'src/ggml-cuda/gla.cu', 'kernel'),
('recurrent', 'src/ggml-cuda/solve_tri.cu', 'kernel'),
('recurrent', 'src/ggml-cuda/ssm-*.cu', 'kernel'),
('recurrent', 'src/ggml-cuda/wkv.cu', 'kernel'),
('recurrent', 'src/ggml-hexagon/htp/gated-delta-net-ops.c', 'kernel'),
('recurrent', 'src/ggml-hexagon/htp/ssm-conv.c', 'kernel'),
('recurrent', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('recurrent', 'src/ggml-opencl/kernels/gated_delta_net.cl', 'kernel'),
('recurrent', 'src/ggml-opencl/kernels/solve_tri.cl', 'kernel'),
('recurrent', 'src/ggml-opencl/kernels/ssm_*.cl', 'kernel'),
('recurrent', 'src/ggml-sycl/gated_delta_net.cpp', 'kernel'),
('recurrent', 'src/ggml-sycl/gla.cpp', 'kernel'),
('recurrent', 'src/ggml-sycl/solve_tri.cpp', 'kernel'),
('recurrent', 'src/ggml-sycl/ssm_*.cpp', 'kernel'),
('recurrent', 'src/ggml-sycl/wkv.cpp', 'kernel'),
('recurrent', 'src/ggml-vulkan/vulkan-shaders/gated_delta_net.comp', 'kernel'),
('recurrent', 'src/ggml-vulkan/vulkan-shaders/gla.comp', 'kernel'),
('recurrent', 'src/ggml-vulkan/vulkan-shaders/solve_tri.comp', 'kernel'),
('recurrent', 'src/ggml-vulkan/vulkan-shaders/ssm_*.comp', 'kernel'),
('recurrent', 'src/ggml-vulkan/vulkan-shaders/wkv*.comp', 'kernel'),
('recurrent', 'src/ggml-webgpu/wgsl-shaders/gated_delta_net.wgsl', 'kernel'),
('recurrent', 'src/ggml-webgpu/wgsl-shaders/solve_tri.wgsl', 'kernel'),
('recurrent', 'src/ggml-webgpu/wgsl-shaders/ssm_*.wgsl', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('recurrent', 'kernel_ssm*'),
('recurrent', 'kernel_rwkv*'),
('recurrent', 'kernel_gated_delta_net*'),
('recurrent', 'kernel_solve_tri*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('recurrent', 'cpu', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', ''),
('recurrent', 'cuda', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('recurrent', 'metal', 'nmse', 'nmseDefault', 'tests/test-backend-ops.cpp', 'ci/run.sh');

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('conv-pool', 'Convolution and pooling',
 'im2col, direct and transposed convolutions, pools.',
 'kernel', 'stay-minimal', 'Written in the tree, one file a backend.',
 'The CPU backend on the same inputs, by normalised mean squared error (tests/test-backend-ops.cpp).',
 'Memory bandwidth.', 'shipped');
INSERT INTO reference (op, name, url, kind) VALUES
('conv-pool', 'cuDNN', 'https://github.com/NVIDIA/cudnn-frontend', 'primary');
INSERT INTO op_path (op, glob, role) VALUES
('conv-pool', 'src/ggml-cuda/col2im-1d.cu', 'kernel'),
('conv-pool', 'src/ggml-cuda/conv-*.cu', 'kernel'),
('conv-pool', 'src/ggml-cuda/conv2d*.cu', 'kernel'),
('conv-pool', 'src/ggml-cuda/im2col.cu', 'kernel'),
('conv-pool', 'src/ggml-cuda/pool2d.cu', 'kernel'),
('conv-pool', 'src/ggml-metal/ggml-metal.metal', 'kernel'),
('conv-pool', 'src/ggml-opencl/kernels/conv2d*.cl', 'kernel'),
('conv-pool', 'src/ggml-opencl/kernels/im2col*.cl', 'kernel'),
('conv-pool', 'src/ggml-sycl/col2im-1d.cpp', 'kernel'),
('conv-pool', 'src/ggml-sycl/conv.cpp', 'kernel'),
('conv-pool', 'src/ggml-sycl/conv2d*.cpp', 'kernel'),
('conv-pool', 'src/ggml-sycl/conv3d.cpp', 'kernel'),
('conv-pool', 'src/ggml-sycl/im2col.cpp', 'kernel'),
('conv-pool', 'src/ggml-sycl/pool.cpp', 'kernel'),
('conv-pool', 'src/ggml-vulkan/vulkan-shaders/col2im_1d.comp', 'kernel'),
('conv-pool', 'src/ggml-vulkan/vulkan-shaders/conv*.comp', 'kernel'),
('conv-pool', 'src/ggml-vulkan/vulkan-shaders/im2col*.comp', 'kernel'),
('conv-pool', 'src/ggml-vulkan/vulkan-shaders/pool*.comp', 'kernel'),
('conv-pool', 'src/ggml-webgpu/wgsl-shaders/conv2d*.wgsl', 'kernel'),
('conv-pool', 'src/ggml-webgpu/wgsl-shaders/im2col.wgsl', 'kernel');
INSERT INTO op_symbol (op, pattern) VALUES
('conv-pool', 'kernel_conv*'),
('conv-pool', 'kernel_im2col*'),
('conv-pool', 'kernel_pool*'),
('conv-pool', 'kernel_col2im*');
INSERT INTO witness (op, device, metric, floor, test, acceptance) VALUES
('conv-pool', 'cpu', 'nmse', 'nmseProducts', 'tests/test-backend-ops.cpp', ''),
('conv-pool', 'cuda', 'nmse', 'nmseProducts', 'tests/test-backend-ops.cpp', 'ci/run.sh'),
('conv-pool', 'metal', 'nmse', 'nmseProducts', 'tests/test-backend-ops.cpp', 'ci/run.sh');
