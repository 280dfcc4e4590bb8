"""quant.py KIND ...: one quantised tensor, model or damaged directory against its reference; says what differs and
exits 1.

    names MANIFEST              the names of its cases
    tensor MANIFEST NAME        every element of a tensor
    model FOLDER ISA            logits and greedy ids
    malformed MANIFEST NAME     a directory with one defect
    twins FOLDER ISA            FOLDER/fp8 and FOLDER/bf16, which hold the same values
    kat FOLDER CASE             AutoGPTQ's own test of its kernels
"""
import array
import json
import os
import struct
import subprocess
import sys
import tempfile


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def floats(path, kind="f"):
    with open(path, "rb") as f:
        return array.array(kind, f.read())


def fak(*words):
    return subprocess.run(["fak", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def weight(folder, name):
    """The dequantised tensor, or the refusal."""
    out = os.path.join(folder, "w.f32")
    done = fak("inspect", folder, "--tensor", name, "-o", out)
    return (floats(out), "") if done.returncode == 0 else (None, done.stderr.strip())


def tensor(manifest, name):
    here = os.path.dirname(manifest)
    case = next(c for c in load(manifest) if c["name"] == name)
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(here, name + ".safetensors"), os.path.join(folder, "model.safetensors"))
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as f:
            json.dump({"quantization_config": case["config"]}, f)
        blocks = [key for key in case["stored"] if key.endswith("_blocks")]
        module = case["prefix"] + blocks[0].removesuffix("_blocks") if blocks else case["prefix"].rstrip(".")
        got, said = weight(folder, module)
    if got is None:
        if "not supported" not in said and "q_invperm" not in said:
            sys.exit(f"refused, but not by name: {said}")
        print("refused by name: " + said)
        return
    want = floats(os.path.join(here, name + ".w.f32"))
    if got[:len(want)].tobytes() != want.tobytes():
        sys.exit("elements differ")
    if any(got[len(want):]):
        sys.exit("the padding is not 0")


def greedy_of(prompt):
    return prompt["greedy"]["ids"] if isinstance(prompt["greedy"], dict) else prompt["greedy"]


# Logits reach 28. Lane ref is f32; the others multiply activations in 16 bits, which costs half of 2^-15 of the
# largest of each 32: 1.1e-3 was seen.
TOLERANCE = {"ref": 2e-4, "auto": 2e-3}


def run(folder, golden_folder, isa, prompt):
    ids = prompt["ids"]
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "logits")
        done = fak("logits", folder, "--ids", ",".join(map(str, ids)), "--greedy", str(len(greedy_of(prompt))), "--isa", isa,
                   "-o", out)
        if done.returncode:
            return done.stderr.strip()
        got, want = floats(out), floats(os.path.join(golden_folder, f"logits_{len(ids)}.f32"))
    worst = max(abs(a - b) for a, b in zip(got, want, strict=True))
    if not worst <= TOLERANCE[isa]:
        sys.exit(f"{len(ids)} ids: logits are {worst} off")
    if json.loads(done.stdout)["greedy"] != greedy_of(prompt):
        sys.exit(f"{len(ids)} ids: greedy ids differ")
    return ""


def model(folder, isa):
    for prompt in load(os.path.join(folder, "golden.json"))["prompts"]:
        said = run(folder, folder, isa, prompt)
        if said:
            sys.exit(said)


def malformed(manifest, name):
    here = os.path.dirname(manifest)
    case = next(c for c in load(manifest) if c["name"] == name)
    base = os.path.join(here, case["base"])
    prompt = next(p for p in load(os.path.join(base, "golden.json"))["prompts"] if len(p["ids"]) == 7)
    said = run(os.path.join(here, name), base, "ref", prompt)
    if case["expect"] == "load" and said:
        sys.exit(said)
    if case["expect"] == "error" and not said and "accept_also" not in case:
        sys.exit("it was read")
    if said and not all(part in said for part in case.get("must_name_all", [])):
        sys.exit(f"does not name {case['must_name_all']}: {said}")
    if said and case.get("must_name_any") and not any(part in said for part in case["must_name_any"]):
        sys.exit(f"names none of {case['must_name_any']}: {said}")


def twins(folder, isa):
    """Equal on lane ref. Lane `auto` takes BF16 in another order than FP8, which ref multiplies there, too."""
    said, logits = [], []
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("fp8", "bf16"):
            out = os.path.join(scratch, name)
            done = fak("logits", os.path.join(folder, name), "--ids", "1,2,3,9,4,5,33,21,7,8,60", "--greedy", "8", "--isa", isa, "-o", out)
            if done.returncode:
                sys.exit(done.stderr.strip())
            said.append(json.loads(done.stdout)["greedy"])
            logits.append(floats(out))
    worst = max(abs(a - b) for a, b in zip(*logits, strict=True))
    if not worst <= (0 if isa == "ref" else 2e-4) or not any(logits[0]):
        sys.exit(f"logits are {worst} apart")
    if said[0] != said[1]:
        sys.exit("greedy ids differ")


def kat(folder, case):
    """A version 1 tensor of groups of 128 with zero points of 1 and scales of f16(0.002)."""
    k, n = (int(x) for x in case[1:].split("n"))
    with open(os.path.join(folder, f"{case}.qweight_i32.bin"), "rb") as f:
        qweight = f.read()
    parts = {"qweight": ("I32", [k // 8, n], qweight), "qzeros": ("I32", [k // 128, n // 8], bytes(k // 128 * n // 2)),
             "scales": ("F16", [k // 128, n], struct.pack("<e", 0.002) * (k // 128 * n))}
    header, data = {}, b""
    for key, (dtype, shape, raw) in parts.items():
        header["m." + key] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    config = {"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}}
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(scratch, "model.safetensors"), "wb") as f:
            f.write(struct.pack("<Q", len(text)) + text + data)
        with open(os.path.join(scratch, "config.json"), "w", encoding="utf-8") as f:
            json.dump(config, f)
        got, said = weight(scratch, "m")
    if got is None:
        sys.exit(said)
    with open(os.path.join(folder, f"{case}.x_f16.bin"), "rb") as f:
        x = struct.unpack(f"<{k}e", f.read())
    want = floats(os.path.join(folder, f"{case}.y_f64.bin"), "d")
    for j in range(n):
        y = sum(a * b for a, b in zip(x, got[j * k:(j + 1) * k]))
        if abs(y - want[j]) > 1e-9 * max(1.0, abs(want[j])):
            sys.exit(f"output {j} is {y}, not {want[j]}")


kind, words = sys.argv[1], sys.argv[2:]
if kind == "names":
    print("\n".join(c["name"] for c in load(words[0])))
else:
    {"tensor": tensor, "model": model, "malformed": malformed, "twins": twins, "kat": kat}[kind](*words)
