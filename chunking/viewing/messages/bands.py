"""Bands: spans of a document as the viewer draws them, and their packed form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chunking.model import Block, BlockType, Chunk, Document, Flag, LeftOut, Span
from chunking.splitting import FLAG_BITS
from chunking.viewing.messages.packing import pack_columns, steps

__all__ = ["EDITED", "FLAG_BITS", "FLAG_TEXTS", "Bands", "Groups", "block_bands", "chunk_bands", "pack", "stored_bands"]

Ints = NDArray[np.int32]

FLAG_TEXTS: dict[Flag, str] = {
    Flag.OVER_SIZE: "over the size: it cannot be split inside",
    Flag.OVER_MODEL_LIMIT: "truncated: over the model's limit",
    Flag.PREFIX_SHORTENED: "prefix shortened to half of the size",
    Flag.CODE_CUT: "holds part of a code block",
    Flag.TABLE_CUT: "holds part of a table",
    Flag.QA_CUT: "holds part of a question-answer pair",
    Flag.FALLBACK: "made by a simpler strategy",
    Flag.MEAN_OF_WINDOWS: "longer than the model's limit: its vector is the mean of its windows' vectors",
    Flag.GENERATED: "a language model wrote part of its prefix or description",
    Flag.DESCRIPTION_OVER_SIZE: "embedded over the size, because of a table description or placeholder",
    Flag.DESCRIPTION_SHORTENED: "table description shortened to the model's limit",
    Flag.KEPT_OVER_SIZE: "kept together by a pin",
}
"""Tooltips of flagged chunks."""
_SHORT = {BlockType.PARAGRAPH: "text", BlockType.METADATA: "meta", BlockType.EQUATION: "math"}
"""Short names of block types for the gutter."""
_TONES = {
    kind: kind.value
    for kind in (
        BlockType.HEADING,
        BlockType.LIST,
        BlockType.TABLE,
        BlockType.CODE,
        BlockType.QUOTE,
        BlockType.IMAGE,
        BlockType.EQUATION,
    )
}
"""Block types with a colour of their own (`block_...` in viewing/colours.py)."""
EDITED = "✎"
"""Mark after the label of an edited block."""
_OUT = "out"


class BoundariesLike(Protocol):
    """Interface of `chunking.splitting.Boundaries` that `chunk_bands` reads."""

    @property
    def starts(self) -> Ints: ...
    @property
    def ends(self) -> Ints: ...
    @property
    def tokens(self) -> Ints: ...
    @property
    def prefix_tokens(self) -> Ints: ...
    @property
    def embedded_tokens(self) -> Ints: ...
    @property
    def sizes(self) -> Ints: ...
    @property
    def sections(self) -> Ints: ...
    @property
    def flags(self) -> Ints: ...
    @property
    def prefixes(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of neighbouring bands, such as parents."""

    noun: str
    """Name of a group."""
    numbers: Ints
    """(n,) ascending from 0: the group of each band."""


@dataclass(frozen=True, slots=True)
class Bands:
    """Spans in order of their starts, with n entries per array; ends must not decrease."""

    starts: Ints
    ends: Ints
    numbers: Ints
    """Numbers shown at the ticks: each chunk's `chunk_index`."""
    sections: Ints
    """Indices into `document.sections`; -1 for none."""
    tokens: Ints
    """Tokens of prefix and text as written, which the size limits; 0 if not counted."""
    prefix_tokens: Ints
    embedded_tokens: Ints
    """Tokens of the embedded text; larger than `tokens` if tables are described."""
    sizes: Ints
    """Lengths in strips and histograms, in the configuration's unit."""
    flags: Ints
    """Bits of FLAG_BITS."""
    prefixes: Sequence[str]
    labels: Sequence[str]
    """Labels at the ticks; the number if empty."""
    noun: str = "Chunk"
    """Name of a band."""
    tones: Mapping[str, str] = field(default_factory=dict)
    """Colour names by label; without an entry two colours alternate."""
    groups: Groups | None = None
    """Groups, drawn as brackets next to the numbers."""
    facts: Mapping[int, str] = field(default_factory=dict)
    """Extra tooltip texts by band index."""

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, offset: int) -> int | None:
        """Return the index of the last band that contains an offset; None if there is none."""
        place = int(np.searchsorted(self.starts, np.int32(offset), side="right")) - 1
        return place if place >= 0 and offset < self.ends[place] else None


def chunk_bands(
    document: Document,
    boundaries: BoundariesLike,
    *,
    groups: Groups | None = None,
    prefixes: Sequence[str] | None = None,
) -> Bands:
    """Return the bands of a splitter's boundaries, numbered as the chunks will be.

    Args:
        groups: parents or larger chunks that the bands form.
        prefixes: prefixes to show instead of the boundaries' own.
    """
    n = len(boundaries.starts)
    return Bands(
        starts=boundaries.starts,
        ends=boundaries.ends,
        numbers=np.arange(n, dtype=np.int32),
        sections=boundaries.sections,
        tokens=boundaries.tokens,
        prefix_tokens=boundaries.prefix_tokens,
        embedded_tokens=boundaries.embedded_tokens,
        sizes=boundaries.sizes,
        flags=boundaries.flags,
        prefixes=boundaries.prefixes if prefixes is None else prefixes,
        labels=("",) * n,
        groups=groups,
    )


def stored_bands(document: Document, chunks: Sequence[Chunk]) -> Bands:
    """Return the bands of an index's chunks, which may come in any order and leave gaps."""
    ordered = sorted(chunks, key=lambda chunk: (chunk.start, chunk.end))
    places = {section.section_id: place for place, section in enumerate(document.sections)}
    tokens = _ints(chunk.token_count for chunk in ordered)
    return Bands(
        starts=_ints(chunk.start for chunk in ordered),
        ends=_ints(chunk.end for chunk in ordered),
        numbers=_ints(chunk.chunk_index for chunk in ordered),
        sections=_ints(places.get(chunk.section_id, -1) for chunk in ordered),
        tokens=np.zeros(len(ordered), dtype=np.int32),  # an index keeps the embedded text's count only
        embedded_tokens=tokens,
        sizes=tokens,
        prefix_tokens=np.zeros(len(ordered), dtype=np.int32),
        flags=_ints(sum(FLAG_BITS[Flag(flag)] for flag in chunk.flags) for chunk in ordered),
        prefixes=[chunk.prefix for chunk in ordered],
        labels=("",) * len(ordered),
    )


def block_bands(document: Document, tokens: Ints | None = None, edited: Iterable[Span] = ()) -> Bands:
    """Return the bands of a document's blocks and left-out spans, labelled and coloured by type.

    Args:
        tokens: (blocks,) tokens of each block; None if not counted.
        edited: spans whose parse a user edited; their blocks get a mark.
    """
    spans: list[Block | LeftOut] = [*document.blocks, *document.left_out]
    if document.left_out:
        spans.sort(key=lambda span: span.start)
    labels = [_label(span) for span in spans]
    starts = _ints(span.start for span in spans)
    ends = _ints(span.end for span in spans)
    for start, end in edited:
        for place in range(
            int(np.searchsorted(ends, start, side="right")), int(np.searchsorted(starts, max(end, start + 1)))
        ):
            labels[place] = f"{labels[place].removesuffix(EDITED)}{EDITED}"
    nothing = np.zeros(len(spans), dtype=np.int32)
    sizes = nothing if tokens is None else _with_left_out(spans, tokens)
    heads = _ints(section.start for section in document.sections)
    return Bands(
        starts=starts,
        ends=ends,
        numbers=np.arange(len(spans), dtype=np.int32),
        sections=(np.searchsorted(heads, starts, side="right") - 1).astype(np.int32),
        tokens=sizes,
        prefix_tokens=nothing,
        embedded_tokens=sizes,
        sizes=ends - starts,
        flags=nothing,
        prefixes=("",) * len(spans),
        labels=labels,
        facts=_note_facts(spans),
        noun="Block",
        tones={label: _tone(span) for label, span in zip(labels, spans, strict=True)},
    )


def _with_left_out(spans: Sequence[Block | LeftOut], tokens: Ints) -> Ints:
    """Insert zeros for left-out spans into the blocks' tokens."""
    sizes = np.zeros(len(spans), dtype=np.int32)
    sizes[np.fromiter((isinstance(span, Block) for span in spans), np.bool_, len(spans))] = tokens
    return sizes


def _label(span: Block | LeftOut) -> str:
    if isinstance(span, LeftOut):
        return _OUT
    return f"h{span.level}" if span.level else _SHORT.get(span.type, span.type.value)


def _tone(span: Block | LeftOut) -> str:
    return "paragraph" if isinstance(span, LeftOut) else _TONES.get(span.type, "paragraph")


def _note_facts(spans: Sequence[Block | LeftOut]) -> dict[int, str]:
    """Return tooltips of footnotes and of blocks that refer to them, by band index."""
    metas = {n: span.meta for n, span in enumerate(spans) if isinstance(span, Block)}
    notes = {meta["footnote"]: n for n, meta in metas.items() if "footnote" in meta}
    facts: dict[int, str] = {}
    for n, meta in metas.items() if notes else ():
        referred = [notes[number] for number in meta.get("footnotes", ()) if number in notes]
        if referred:
            facts[n] = (
                f"refers to {'footnotes' if len(referred) > 1 else 'the footnote'} in block "
                f"{', '.join(map(str, referred))}"
            )
        facts |= {number: f"footnote {metas[number].get('mark', '')}, referred to in block {n}" for number in referred}
    return facts


def pack(bands: Bands) -> str:
    """Pack bands into short text for units.js: about 10 KB for a 1 MB document at 200 tokens."""
    prefixes, prefix_ids = _table(bands.prefixes)
    labels, label_ids = _table(bands.labels)
    columns = (
        bands.starts - np.concatenate([[0], bands.ends[:-1]]),  # mostly white space between chunks, or the overlap
        bands.ends - bands.starts,
        steps(bands.numbers),
        steps(bands.sections),
        bands.tokens,
        bands.prefix_tokens,
        bands.embedded_tokens - bands.tokens,
        bands.sizes - bands.tokens,
        bands.flags,
        steps(prefix_ids),
        steps(label_ids),
        steps(bands.groups.numbers if bands.groups else np.zeros(len(bands), np.int32)),
    )
    tones = [bands.tones.get(label, "") for label in labels]
    noun = bands.groups.noun if bands.groups else ""
    tables = {"prefixes": prefixes, "labels": labels, "tones": tones, "groupNoun": noun}
    return pack_columns(columns, tables | {"facts": dict(bands.facts)} if bands.facts else tables)


def _table(texts: Sequence[str]) -> tuple[list[str], Ints]:
    """Return the distinct texts in order, and the index of each text among them."""
    places: dict[str, int] = {}
    ids = _ints(places.setdefault(text, len(places)) for text in texts)
    return list(places), ids


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int32)
