"""A document on pumps, a cache in memory and vectors of hashed words, for tests of what is written about texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chunking.config import ENGLISH_MODEL, Config
from chunking.embedding.base import Unshared
from chunking.enrichment import Enricher
from chunking.model import Document
from chunking.parsing import parse, parse_file
from chunking.splitting import Levels, split_document

SAMPLES = Path(__file__).parents[2] / "sample_data"
PUMPS = """# Pumps

A pump moves water from the well to the tank. It runs at night, when power is cheap.

## Care

Clean the filter every month, and replace it after a year of use. A filter that is blocked makes the motor hot.

## Parts

| Part | Number |
|---|---|
| Filter | 4711 |
| Motor | 4712 |

## Faults

Switch the pump off before you open its housing. The motor stays warm for half an hour after it has stopped.
Call the workshop when the motor hums and does not turn, because its bearing is then worn out.
"""


class Kept(Unshared):
    """A cache of texts in memory, which counts."""

    def __init__(self) -> None:
        self.rows: dict[str, str] = {}
        self.puts = 0

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    def put(self, rows: Mapping[str, str], model: str) -> None:
        assert rows
        self.puts += 1
        self.rows |= rows


def vectors(document: Document, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.float32]:
    """Hashed words of each span, as unit vectors."""
    rows = np.zeros((len(starts), 64), np.float32)
    for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
        for word in document.text[start:end].lower().split():
            rows[row, sum(map(ord, word)) % 63] += 1
        rows[row, 63] = 0.1
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def document_of(text: str = PUMPS, source: str = "guide/pumps.md") -> Document:
    return parse(text.encode(), source)


def settings(**changes: str) -> Config:
    """Settings by name, `_` in the place of a dot after `enrich`, with the model whose tokens `counter` counts."""
    named = {name.replace("enrich_", "enrich.", 1): value for name, value in changes.items()}
    return Config.from_settings({"embedding.model": ENGLISH_MODEL, **named})


Make = Callable[..., Enricher]


def cut(document: Document, config: Config) -> Levels:
    return split_document(document, config)


def sample(name: str) -> Document:
    return parse_file(SAMPLES / name)
