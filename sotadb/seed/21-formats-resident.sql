-- Formats of safetensors checkpoints that stay resident in their own bits: what a row of each decodes to.

INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status, selection, plan, axis) VALUES
('awq-resident', 'AWQ resident on the CPU',
 'Keeps the gemm packing of AutoAWQ as it is: eight outputs a word in AWQ''s order, a scale and a zero point a group.',
 'format', 'bind',
 'Bind to the packing; the gemv forms have other layouts and are refused by name. A kernel of its own is row awq-gemm.',
 'AutoAWQ''s dequantize_gemm: max|d| = 0 on every element; a whole model in float64.',
 'Reading the codes once: they are re-laid in panels of 16 rows at load and multiplied by linear_codes as they are.',
 'shipped', '', '', 'quantization'),
('fp8-resident', 'FP8 with scales by tensor, channel or block',
 'Keeps E4M3 weights with their scales as DeepSeek-V3 and compressed-tensors ship them, cut blocks at the edges included.',
 'format', 'bind',
 'Bind: one product a weight, rounded once. The scales are multiplied, whatever weight_scale_inv is called.',
 'transformers'' decoding of the same tensors: max|d| = 0; whole models in float64.',
 'Decoding a byte at a time; a table of 256 values and wide multiplies are the next step.', 'shipped', '', '',
 'quantization'),
('packed-int-resident', 'compressed-tensors integers (W4A16, W8A16)',
 'Keeps pack-quantized integers of 4 and 8 bits with group scales, packed zero points and act-order.',
 'format', 'bind',
 'Bind to the packing of the compressed-tensors package; sparse and NVFP4 forms are refused by name.',
 'compressed-tensors'' own decompression: max|d| = 0; a whole model in float64.',
 'Reading the codes once: they are re-laid in panels of 16 rows at load and multiplied by linear_codes as they are.',
 'shipped', '', '', 'quantization'),
('mxfp4-resident', 'MXFP4 experts as gpt-oss ships them',
 'Keeps blocks of 32 four-bit floats and their shared exponents in the two tensors they come in, gate and up rows in turn.',
 'format', 'bind',
 'Bind to the layout of the published files, where neighbours share a byte: ggml''s MXFP4 splits a block in halves.',
 'transformers'' decoding of the same tensors: max|d| = 0.',
 'Reading the codes once: panels of 16 rows, a table of the doubled levels, one scale a block of 32.', 'shipped', '', '',
 'quantization');

INSERT INTO op_alias (op, alias) VALUES
('awq-resident', 'awq-load'), ('fp8-resident', 'fp8'), ('fp8-resident', 'float8'), ('fp8-resident', 'e4m3'),
('packed-int-resident', 'compressed-tensors'), ('packed-int-resident', 'w8a16'),
('mxfp4-resident', 'mxfp4'), ('mxfp4-resident', 'gpt-oss-experts');

INSERT INTO op_path (op, glob, role, planned) VALUES
('awq-resident', 'engine/file/hfgptq.c', 'loader', 0),
('awq-resident', 'engine/tensor/layout_awq.c', 'loader', 0),
('awq-resident', 'engine/kernels/exact/linear_codes.c', 'kernel', 0),
('fp8-resident', 'engine/file/hffp8.c', 'loader', 0),
('fp8-resident', 'engine/tensor/layout_plain.c', 'loader', 0),
('packed-int-resident', 'engine/file/hfgptq.c', 'loader', 0),
('packed-int-resident', 'engine/tensor/layout_packed.c', 'loader', 0),
('packed-int-resident', 'engine/kernels/exact/linear_codes.c', 'kernel', 0),
('mxfp4-resident', 'engine/file/hffp8.c', 'loader', 0),
('mxfp4-resident', 'engine/tensor/layout_mxfp4.c', 'loader', 0),
('mxfp4-resident', 'engine/kernels/exact/linear_mxfp4.c', 'kernel', 0);

INSERT INTO op_symbol (op, pattern) VALUES
('fp8-resident', '*fp8*'), ('fp8-resident', '*float8*'), ('packed-int-resident', '*pack_quantized*'),
('mxfp4-resident', '*mxfp4*');

INSERT INTO reference (op, name, url, kind, note, checked_on) VALUES
('awq-resident', 'AutoAWQ', 'https://github.com/casper-hansen/AutoAWQ/blob/main/awq/utils/packing_utils.py', 'primary',
 'the order of nibbles and the decoding', '2026-11-30'),
('fp8-resident', 'transformers finegrained_fp8',
 'https://github.com/huggingface/transformers/blob/main/src/transformers/integrations/finegrained_fp8.py', 'primary',
 'blocks of 128 x 128 and their scales', '2026-11-30'),
('packed-int-resident', 'compressed-tensors',
 'https://github.com/vllm-project/compressed-tensors', 'primary',
 'pack-quantized: words along the inputs, zero points along the outputs', '2026-11-30'),
('mxfp4-resident', 'transformers mxfp4',
 'https://github.com/huggingface/transformers/blob/main/src/transformers/integrations/mxfp4.py', 'primary',
 'which nibble is which element, and the exponents', '2026-11-30');

INSERT INTO paper (op, title, id, url, year) VALUES
('awq-resident', 'AWQ: Activation-aware Weight Quantization for LLM Compression and Acceleration', 'arXiv:2306.00978',
 'https://arxiv.org/abs/2306.00978', 2023),
('fp8-resident', 'FP8 Formats for Deep Learning', 'arXiv:2209.05433', 'https://arxiv.org/abs/2209.05433', 2022),
('mxfp4-resident', 'Microscaling Data Formats for Deep Learning', 'arXiv:2310.10537', 'https://arxiv.org/abs/2310.10537',
 2023);

INSERT INTO witness (op, device, metric, test) VALUES
('awq-resident', 'cpu', '8 tensors decode to AutoAWQ''s own bits; a model gives the float64 logits', 'tests/unit/test_quant.c'),
('fp8-resident', 'cpu', '8 tensors decode to the references'' bits; a model gives the float64 logits',
 'tests/unit/test_quant.c'),
('packed-int-resident', 'cpu', '5 tensors decode to compressed-tensors'' own bits; a model gives the float64 logits',
 'tests/unit/test_quant.c'),
('mxfp4-resident', 'cpu', '2 tensors of experts decode to transformers'' bits', 'tests/unit/test_quant.c');
