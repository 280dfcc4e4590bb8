"""models.py KIND ISA MODEL [REFERENCE]: one model against its reference; says what differs and exits 1."""
import array
import json
import os
import subprocess
import sys

kind, isa, model = sys.argv[1:4]
reference = sys.argv[4] if len(sys.argv) > 4 else None


def fak(*words):
    done = subprocess.run(["fak", *words], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        sys.exit(done.stderr.decode())
    return done.stdout


def logits(ids, greedy, *more):
    return json.loads(fak("logits", model, "--ids", ",".join(map(str, ids)), "--greedy", str(greedy), "--isa", isa, *more))


def same(got, want, what):
    if got != want:
        at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
        sys.exit(f"{what}: differs at {at}: {got[at:at + 5]!r} instead of {want[at:at + 5]!r}")


def near(o, case):
    """The smallest margin is the reference's, too: ids alone do not see a small error. Its digits are rounded."""
    if abs(min(o["margins"]) - case["min_margin"]) > 2e-3:
        sys.exit(f"the smallest margin is {min(o['margins'])}, not {case['min_margin']}")


def beside(name):
    with open(os.path.join(os.path.dirname(model), name), encoding="utf-8") as f:
        return json.load(f)[os.path.basename(model)]


if kind == "stories":
    case = beside("stories260K-greedy.json")
    o = logits(case["prompt"], len(case["greedy"]))
    same(o["greedy"], case["greedy"], "greedy ids")
    near(o, case)
elif kind == "fak-stories":
    for case in beside("greedy.json"):
        o = logits(case["prompt_ids"], len(case["greedy"]))
        same(o["greedy"], case["greedy"], f"greedy ids after {case['prompt']!r}")
        near(o, case)
        text = fak("run", model, "-p", case["prompt"], "--isa", isa, "-n", str(len(case["greedy"])))
        same(text.decode().lstrip(" "), case["text"].lstrip(" "), f"text after {case['prompt']!r}")
elif kind == "smollm2":
    for case in json.load(open(reference, encoding="utf-8")):
        o = logits(case["prompt_ids"], len(case["greedy"]))
        same(o["greedy"], case["greedy"], f"greedy ids after {case['prompt']!r}")
elif kind == "smollm2-text":
    for case in json.load(open(reference, encoding="utf-8")):
        chat = ["--chat"] if case["kind"] == "chat" else []
        text = fak("run", model, "-p", case["prompt"], "--isa", isa, "-n", str(len(case["greedy"])), *chat)
        same(text.decode(), case["decoded"].removesuffix("<|im_end|>"), f"text after {case['prompt']!r}")
elif kind == "prompts":
    with open(os.path.join(reference, "prompts.txt"), encoding="utf-8") as f:
        prompts = f.read().splitlines()
    for i, prompt in enumerate(prompts):
        wanted = os.path.join(reference, f"ref_prompt{i}.txt")
        if os.path.exists(wanted):
            with open(wanted, encoding="utf-8") as f:
                want = f.read().rstrip("\n")
            text = prompt + fak("run", model, "-p", prompt, "--isa", isa, "-n", "200").decode()
            same(text[:len(want)], want, f"text after {prompt!r}")
elif kind == "golden":
    with open(os.path.join(reference, "golden.json"), encoding="utf-8") as f:
        golden = json.load(f)
    with open(os.path.join(reference, "logits.bin"), "rb") as f:
        rows = array.array("f", f.read())
    out = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"fak-logits-{os.getpid()}.bin")
    for prompt in golden["prompts"]:
        for chunk in ("1", "7", "512"):
            o = logits(prompt["ids"], len(prompt["greedy"]["ids"]), "--chunk", chunk, "-o", out)
            same(o["greedy"], prompt["greedy"]["ids"], "greedy ids")
            with open(out, "rb") as f:
                got = array.array("f", f.read())
            os.remove(out)
            start = prompt["first_row"] * o["n_vocab"]
            worst = max(abs(a - b) for a, b in zip(got, rows[start:start + len(got)], strict=True))
            if not worst <= 2e-4:
                sys.exit(f"{len(prompt['ids'])} ids in chunks of {chunk}: logits are {worst} off")
else:
    sys.exit(f"unknown kind {kind}")
