"""mxfp4_twins.py DIR: a small gpt-oss model twice: DIR/mxfp4 with its experts as published checkpoints hold them, DIR/bf16 with
the same values as transformers' own layout has them ([experts][in][out], gate and up columns in turn)."""
import json
import os
import random
import struct
import sys

HIDDEN, FFN, EXPERTS, HEADS, KV, HEAD, VOCAB, LAYERS = 64, 32, 4, 4, 2, 16, 64, 2
LEVELS = [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6]
rng = random.Random(7)


def bf16(values):
    return b"".join(struct.pack("<f", v)[2:] for v in values)


def noise(n, scale):
    return bf16([rng.gauss(0, scale) for _ in range(n)])


def experts(rows, columns):
    """Codes and scales [experts][rows][blocks], and the weights they mean [experts][columns][rows]."""
    blocks, scales, weights = bytearray(), bytearray(), []
    for _ in range(EXPERTS):
        matrix = []
        for _ in range(rows):
            row = []
            for _ in range(columns // 32):
                codes, exponent = [rng.randrange(16) for _ in range(32)], rng.randrange(121, 125)
                scales.append(exponent)
                blocks.extend(codes[2 * i] | codes[2 * i + 1] << 4 for i in range(16))
                row += [LEVELS[c] * 2.0 ** (exponent - 127) for c in codes]
            matrix.append(row)
        weights += [matrix[r][c] for c in range(columns) for r in range(rows)]
    return bytes(blocks), bytes(scales), bf16(weights)


def write(folder, tensors, config):
    os.makedirs(folder)
    header, data = {}, b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(folder, "model.safetensors"), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f)


shared, packed, plain = {}, {}, {}
shared["model.embed_tokens.weight"] = ("BF16", [VOCAB, HIDDEN], noise(VOCAB * HIDDEN, 1))
shared["lm_head.weight"] = ("BF16", [VOCAB, HIDDEN], noise(VOCAB * HIDDEN, 0.2))
shared["model.norm.weight"] = ("BF16", [HIDDEN], noise(HIDDEN, 1))
for i in range(LAYERS):
    at = f"model.layers.{i}."
    for name, n in (("q", HEADS * HEAD), ("k", KV * HEAD), ("v", KV * HEAD)):
        shared[f"{at}self_attn.{name}_proj.weight"] = ("BF16", [n, HIDDEN], noise(n * HIDDEN, 0.2))
        shared[f"{at}self_attn.{name}_proj.bias"] = ("BF16", [n], noise(n, 0.2))
    shared[at + "self_attn.o_proj.weight"] = ("BF16", [HIDDEN, HEADS * HEAD], noise(HIDDEN * HEADS * HEAD, 0.2))
    shared[at + "self_attn.o_proj.bias"] = ("BF16", [HIDDEN], noise(HIDDEN, 0.2))
    shared[at + "self_attn.sinks"] = ("BF16", [HEADS], noise(HEADS, 1))
    shared[at + "input_layernorm.weight"] = ("BF16", [HIDDEN], noise(HIDDEN, 1))
    shared[at + "post_attention_layernorm.weight"] = ("BF16", [HIDDEN], noise(HIDDEN, 1))
    shared[at + "mlp.router.weight"] = ("BF16", [EXPERTS, HIDDEN], noise(EXPERTS * HIDDEN, 1))
    shared[at + "mlp.router.bias"] = ("BF16", [EXPERTS], noise(EXPERTS, 1))
    for name, rows, columns in (("gate_up_proj", 2 * FFN, HIDDEN), ("down_proj", HIDDEN, FFN)):
        blocks, scales, weights = experts(rows, columns)
        packed[f"{at}mlp.experts.{name}_blocks"] = ("U8", [EXPERTS, rows, columns // 32, 16], blocks)
        packed[f"{at}mlp.experts.{name}_scales"] = ("U8", [EXPERTS, rows, columns // 32], scales)
        plain[f"{at}mlp.experts.{name}"] = ("BF16", [EXPERTS, columns, rows], weights)
        shared[f"{at}mlp.experts.{name}_bias"] = ("BF16", [EXPERTS, rows], noise(EXPERTS * rows, 0.2))
config = {"model_type": "gpt_oss", "hidden_size": HIDDEN, "intermediate_size": FFN, "num_hidden_layers": LAYERS,
          "num_attention_heads": HEADS, "num_key_value_heads": KV, "head_dim": HEAD, "vocab_size": VOCAB,
          "num_local_experts": EXPERTS, "num_experts_per_tok": 2, "max_position_embeddings": 128, "rms_norm_eps": 1e-5,
          "rope_theta": 10000.0, "sliding_window": 8, "layer_types": ["sliding_attention", "full_attention"]}
write(os.path.join(sys.argv[1], "bf16"), {**shared, **plain}, config)
write(os.path.join(sys.argv[1], "mxfp4"), {**shared, **packed}, {**config, "quantization_config": {"quant_method": "mxfp4"}})
