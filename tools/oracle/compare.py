"""compare.py COMMITTED MADE: how the vectors of tests/golden compare with those just made.

Files of one path are the same bytes, or the same numbers, or differ. Float vectors may move in their last bits with the
processor, so they are held to 1e-5; JSON is compared without what says how exact the reference itself was ("checks") and
which versions made it. Files that are only on one side are counted: a part of the vectors is committed.
"""
import json
import sys
from pathlib import Path

import numpy as np

TOLERANCE = 1e-5
ABOUT = {"checks", "versions", "made_with", "agreed"}


def without_about(value):
    if isinstance(value, dict):
        return {k: without_about(v) for k, v in value.items() if k not in ABOUT}
    return [without_about(v) for v in value] if isinstance(value, list) else value


def close(a, b):
    """The same structure, numbers within the tolerance."""
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, (int, float)) and isinstance(b, (int, float)) and abs(a - b) <= TOLERANCE * max(1, abs(a))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    return a == b


def same_numbers(old, new):
    if old.suffix == ".json":
        return close(*(without_about(json.loads(p.read_text(encoding="utf-8"))) for p in (old, new)))
    kind = {".bin": "<f4", ".f32": "<f4", ".f64": "<f8"}.get(old.suffix)
    if kind:
        a, b = (np.fromfile(p, dtype=kind) for p in (old, new))
        return a.shape == b.shape and bool(np.all(np.abs(a - b) <= TOLERANCE * np.maximum(1, np.abs(a))))
    return False


def main():
    committed, made = Path(sys.argv[1]), Path(sys.argv[2])
    same = near = absent = 0
    differ = []
    for old in sorted(p for p in committed.rglob("*") if p.is_file()):
        new = made / old.relative_to(committed)
        if not new.is_file():
            absent += 1
        elif old.read_bytes() == new.read_bytes():
            same += 1
        elif same_numbers(old, new):
            near += 1
        else:
            differ.append(old)
    for path in differ:
        print(f"differs: {path}")
    print(f"{committed}: {same} files the same, {near} the same numbers, {len(differ)} differ, {absent} not made here")
    if same + near == 0:
        print(f"nothing of {committed} was made", file=sys.stderr)
    sys.exit(1 if differ or same + near == 0 else 0)


main()
