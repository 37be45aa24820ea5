"""Trees over texts that nobody would write: no summary is longer than a summary, nothing fails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from chunking.config import EnrichConfig
from chunking.enrichment.raptor import build_tree
from chunking.enrichment.summaries import extracted_summaries

ROOM = 100
TEXTS = {
    "nothing": [""] * 30,
    "white space": [" \n"] * 30,
    "single letters": list("abcdefghijklmnop"),
    "one word": ["a" * 500_000, "b" * 500_000, "c" * 500_000 + " is a word of half a million letters."],
    "stops": [". " * 20_000] * 3,
    "markup": ["<script>alert(1)</script> [a](javascript:alert(1))"] * 20,
    "cells": ["|a|b|\n" * 5_000] * 4,
    "half characters": ["\ud800 x. \x00 y."] * 8,
    "marks": ["a" + "\u0301" * 100_000] * 3,
    "numbers": ["1. 2. 3. 4. " * 5_000] * 3,
}


def count(text: str) -> int:
    """As a tokenizer counts, to which a long word is one unknown token."""
    return len(text.split())


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """A vector by the length and the letters at the beginning."""
    rows = np.array(
        [[len(text) % 97, *(ord(char) % 31 for char in text[:14].ljust(14))] for text in texts], np.float32
    ).reshape(-1, 15)
    output: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return output


@pytest.mark.parametrize("kind", TEXTS)
def test_a_tree_over_anything(kind: str) -> None:
    """One node stands over all."""
    texts = TEXTS[kind]

    def summarise(groups: Sequence[Sequence[str]]) -> list[str]:
        return extracted_summaries(groups, embed=embed, count=count, room=ROOM, check=lambda: None)

    nodes = build_tree(
        [f"d_chunk{number}" for number in range(len(texts))],
        texts,
        embed(texts),
        embed=embed,
        summarise=summarise,
        count=count,
        config=EnrichConfig(),
    )
    assert nodes
    assert all(len(node.summary) <= 50 * ROOM + 1 for node in nodes)
