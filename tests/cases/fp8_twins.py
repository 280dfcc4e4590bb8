"""fp8_twins.py GOLDEN DIR: the model of a golden directory twice, its projections drawn anew: DIR/fp8 in E4M3 with a scale for
each 16 x 16 block, as DeepSeek-V3 ships 128 x 128, DIR/bf16 with the same values. Scales are powers of two, so both are exact."""
import glob
import json
import os
import random
import shutil
import struct
import sys

BLOCK = 16
golden, out = sys.argv[1:3]
rng = random.Random(11)


def read(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.safetensors"))):
        with open(path, "rb") as f:
            raw = f.read()
        n = struct.unpack("<Q", raw[:8])[0]
        for name, entry in json.loads(raw[8:8 + n]).items():
            if name != "__metadata__":
                begin, end = entry["data_offsets"]
                yield name, entry["dtype"], entry["shape"], raw[8 + n + begin:8 + n + end]


def e4m3(code):
    sign, exponent, mantissa = -1.0 if code & 128 else 1.0, code >> 3 & 15, code & 7
    return sign * (mantissa * 2.0 ** -9 if exponent == 0 else (8 + mantissa) * 2.0 ** (exponent - 10))


VALUES = [e4m3(code) for code in range(256)]


def draw(rows, columns):
    """Codes, scales and the BF16 values they mean, of about the size of an initialised weight."""
    across = -(-columns // BLOCK)
    scales = [2.0 ** rng.randrange(-10, -7) for _ in range(-(-rows // BLOCK) * across)]
    codes, values = bytearray(), bytearray()
    for r in range(rows):
        for c in range(columns):
            code = rng.randrange(8, 112) | rng.randrange(2) << 7
            codes.append(code)
            values += struct.pack("<f", VALUES[code] * scales[r // BLOCK * across + c // BLOCK])[2:]
    return bytes(codes), struct.pack(f"<{len(scales)}f", *scales), bytes(values)


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
    shutil.copy(os.path.join(golden, "tokenizer.json"), folder)


fp8, bf16 = {}, {}
for name, dtype, shape, raw in read(golden):
    if name.endswith("_proj.weight") or name.endswith("_mqa.weight"):
        codes, scales, values = draw(*shape)
        fp8[name] = ("F8_E4M3", shape, codes)
        fp8[name + "_scale_inv"] = ("F32", [-(-shape[0] // BLOCK), -(-shape[1] // BLOCK)], scales)
        bf16[name] = ("BF16", shape, values)
    else:
        fp8[name] = bf16[name] = (dtype, shape, raw)
with open(os.path.join(golden, "config.json"), encoding="utf-8") as f:
    config = json.load(f)
write(os.path.join(out, "bf16"), bf16, config)
write(os.path.join(out, "fp8"), fp8, {**config, "quantization_config": {"quant_method": "fp8", "weight_block_size": [BLOCK, BLOCK]}})
