#!/usr/bin/env python3
"""logits64 MODEL.gguf IDS OUT [CHUNKS]: a model's logits in float64, by transformers, from the weights as dequantised.

IDS is a file of `fak perplexity --save-logits`: its header and ids say what is run, its logits are not looked at. OUT has the
same form, so that `fak perplexity MODEL --against OUT` measures how far the engine is from float64.
"""
import os
import pathlib
import struct
import sys

import numpy
import torch
from transformers import AutoModelForCausalLM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "models"))
from golden_common import f64, to64  # noqa: E402

HEADER = struct.Struct("<8s4I")


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    gguf, source, out = sys.argv[1:4]
    with open(source, "rb") as file:
        magic, version, n_context, n_vocab, n_chunks = HEADER.unpack(file.read(HEADER.size))
        if magic != b"FAKLOGIT" or version != 1:
            sys.exit(f"{source}: no saved logits of version 1")
        n_chunks = min(n_chunks, int(sys.argv[4])) if len(sys.argv) > 4 else n_chunks
        ids = numpy.frombuffer(file.read(4 * n_context * n_chunks), "<i4").reshape(n_chunks, n_context)
    folder, name = os.path.split(os.path.abspath(gguf))
    model = to64(AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32,
                                                      attn_implementation="eager").eval())
    with open(out, "wb") as file, torch.no_grad(), f64():
        file.write(HEADER.pack(magic, version, n_context, n_vocab, n_chunks) + ids.tobytes())
        for chunk in ids:
            hidden = model.model(torch.tensor(chunk[None].astype(numpy.int64)), use_cache=False).last_hidden_state
            logits = model.lm_head(hidden[0, n_context // 2:n_context - 1])
            assert logits.dtype == torch.float64 and logits.shape[1] == n_vocab and torch.isfinite(logits).all()
            file.write(logits.numpy().astype("<f4").tobytes())


main()
