#!/usr/bin/env python3
"""llama_base LOGITS OUT: saved logits of `fak perplexity` as a base for llama-perplexity --kl-divergence.

The form is that of llama.cpp's tools/perplexity/perplexity.cpp, log_softmax: of each row a scale, the least log probability and
16-bit steps between it and the largest, at most 16 nats apart. The steps cost some 1e-9 of divergence.
"""
import struct
import sys

import numpy

HEADER = struct.Struct("<8s4I")
SPREAD, STEPS, ROWS = 16, 65535, 64


def rows_of(logits):
    """[n][4 + n_vocab, made even] u16: two floats, then the steps."""
    largest = logits.max(1, keepdims=True)
    least = numpy.maximum(logits.min(1, keepdims=True), largest - SPREAD)
    scale = (largest - least) / STEPS
    total = numpy.log(numpy.exp((logits - largest).astype(numpy.float64)).sum(1, keepdims=True))
    out = numpy.zeros((len(logits), 4 + (logits.shape[1] + 1) // 2 * 2), "<u2")
    head = numpy.concatenate([scale, least - largest - total], 1).astype("<f4")
    out[:, :4] = head.view("<u2")
    out[:, 4:4 + logits.shape[1]] = numpy.rint(numpy.maximum(logits - least, 0) / scale)
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file, open(sys.argv[2], "wb") as out:
        magic, version, n_context, n_vocab, n_chunks = HEADER.unpack(file.read(HEADER.size))
        if magic != b"FAKLOGIT" or version != 1:
            sys.exit(f"{sys.argv[1]}: no saved logits of version 1")
        out.write(b"_logits_" + struct.pack("<Iii", n_context, n_vocab, n_chunks))
        out.write(file.read(4 * n_context * n_chunks))
        while block := file.read(4 * n_vocab * ROWS):
            out.write(rows_of(numpy.frombuffer(block, "<f4").reshape(-1, n_vocab)).tobytes())


main()
