"""What the viewer draws: spans of a document with a number and a few facts each, and their form on the wire."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chunking.cutting import FLAG_BITS
from chunking.model import BlockType, Chunk, Document, Flag

__all__ = ["FLAG_BITS", "FLAG_TEXTS", "Bands", "block_bands", "chunk_bands", "pack", "stored_bands"]

Ints = NDArray[np.int32]

FLAG_TEXTS: dict[Flag, str] = {
    Flag.OVER_SIZE: "over the size: no place to cut inside",
    Flag.OVER_MODEL_LIMIT: "over the model's limit: it reads only the beginning",
    Flag.PREFIX_SHORTENED: "prefix shortened to half of the size",
    Flag.CODE_CUT: "holds a part of a code block",
    Flag.TABLE_CUT: "holds a part of a table",
    Flag.QA_CUT: "holds a part of a question-answer pair",
    Flag.FALLBACK: "made by a simpler strategy",
}
"""What the tooltip says of a flagged chunk."""


class BoundariesLike(Protocol):
    """What `chunk_bands` reads of `chunking.cutting.Boundaries`."""

    @property
    def starts(self) -> Ints: ...
    @property
    def ends(self) -> Ints: ...
    @property
    def tokens(self) -> Ints: ...
    @property
    def prefix_tokens(self) -> Ints: ...
    @property
    def sizes(self) -> Ints: ...
    @property
    def sections(self) -> Ints: ...
    @property
    def flags(self) -> Ints: ...
    @property
    def prefixes(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Bands:
    """n spans in the order of their starts; ends must not decrease. All arrays have n entries."""

    starts: Ints
    ends: Ints
    numbers: Ints
    """The number shown at the tick: a chunk's `chunk_index`."""
    sections: Ints
    """Indices into `document.sections`; -1 for none."""
    tokens: Ints
    """Prefix and content; 0 where nothing was counted."""
    prefix_tokens: Ints
    sizes: Ints
    """How long each is drawn in strips and histograms, in the unit of the configuration."""
    flags: Ints
    """Bits of FLAG_BITS."""
    prefixes: Sequence[str]
    labels: Sequence[str]
    """Shown at the tick in place of the number where not empty."""
    noun: str = "Chunk"
    """What one of them is called."""

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, offset: int) -> int | None:
        """The last band that holds the character at `offset`."""
        place = int(np.searchsorted(self.starts, np.int32(offset), side="right")) - 1
        return place if place >= 0 and offset < self.ends[place] else None


def chunk_bands(document: Document, boundaries: BoundariesLike) -> Bands:
    """What `Chunker.boundaries` gave, numbered as the chunks will be."""
    n = len(boundaries.starts)
    return Bands(
        starts=boundaries.starts,
        ends=boundaries.ends,
        numbers=np.arange(n, dtype=np.int32),
        sections=boundaries.sections,
        tokens=boundaries.tokens,
        prefix_tokens=boundaries.prefix_tokens,
        sizes=boundaries.sizes,
        flags=boundaries.flags,
        prefixes=boundaries.prefixes,
        labels=("",) * n,
    )


def stored_bands(document: Document, chunks: Sequence[Chunk]) -> Bands:
    """Chunks of an index, in any order and with gaps."""
    ordered = sorted(chunks, key=lambda chunk: (chunk.start, chunk.end))
    places = {section.section_id: place for place, section in enumerate(document.sections)}
    return Bands(
        starts=_ints(chunk.start for chunk in ordered),
        ends=_ints(chunk.end for chunk in ordered),
        numbers=_ints(chunk.chunk_index for chunk in ordered),
        sections=_ints(places.get(chunk.section_id, -1) for chunk in ordered),
        tokens=_ints(chunk.token_count for chunk in ordered),
        sizes=_ints(chunk.token_count for chunk in ordered),
        prefix_tokens=np.zeros(len(ordered), dtype=np.int32),
        flags=_ints(sum(FLAG_BITS[Flag(flag)] for flag in chunk.flags) for chunk in ordered),
        prefixes=[chunk.prefix for chunk in ordered],
        labels=("",) * len(ordered),
    )


_SHORT = {BlockType.PARAGRAPH: "text", BlockType.METADATA: "meta", BlockType.EQUATION: "math"}
"""Kinds of block whose names are too long for the gutter."""


def block_bands(document: Document) -> Bands:
    """A document's blocks, labelled with their types."""
    blocks = document.blocks
    nothing = np.zeros(len(blocks), dtype=np.int32)
    starts = _ints(block.start for block in blocks)
    heads = _ints(section.start for section in document.sections)
    return Bands(
        starts=starts,
        ends=_ints(block.end for block in blocks),
        numbers=np.arange(len(blocks), dtype=np.int32),
        sections=(np.searchsorted(heads, starts, side="right") - 1).astype(np.int32),
        tokens=nothing,
        prefix_tokens=nothing,
        sizes=_ints(block.end - block.start for block in blocks),
        flags=nothing,
        prefixes=("",) * len(blocks),
        labels=[f"h{block.level}" if block.level else _SHORT.get(block.type, block.type.value) for block in blocks],
        noun="Block",
    )


def pack(bands: Bands) -> str:
    """The bands as short text: small numbers in columns, byte planes, deflated, base64.

    A 1 MB document takes about 10 KB at 200 tokens. Layout before deflating: 4 planes of (10, n) bytes, lowest first, then
    UTF-8 JSON `{"prefixes": [...], "labels": [...]}`; units.js reads it.
    """
    prefixes, prefix_ids = _table(bands.prefixes)
    labels, label_ids = _table(bands.labels)
    columns = (
        bands.starts - np.concatenate([[0], bands.ends[:-1]]),  # mostly white space between chunks, or the overlap
        bands.ends - bands.starts,
        _steps(bands.numbers),
        _steps(bands.sections),
        bands.tokens,
        bands.prefix_tokens,
        bands.sizes - bands.tokens,
        bands.flags,
        _steps(prefix_ids),
        _steps(label_ids),
    )
    planes = np.stack(columns).astype("<i4").view(np.uint8).reshape(len(columns), len(bands), 4).transpose(2, 0, 1)
    tables = json.dumps({"prefixes": prefixes, "labels": labels}, ensure_ascii=False).encode("utf-8", "replace")
    return base64.b64encode(zlib.compress(planes.tobytes() + tables, 4)).decode("ascii")


def _steps(values: Ints) -> Ints:
    return np.diff(values, prepend=np.int32(0))


def _table(texts: Sequence[str]) -> tuple[list[str], Ints]:
    """The different texts in the order they come, and for each text its place among them."""
    places: dict[str, int] = {}
    ids = _ints(places.setdefault(text, len(places)) for text in texts)
    return list(places), ids


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int32)
