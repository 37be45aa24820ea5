"""A document split with the current settings, and its parents and larger granularities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from chunking.config import ChunkConfig, Config
from chunking.enrichment.enrichment_table import ENRICHMENTS
from chunking.model import Document, Pin
from chunking.splitting import Boundaries, DocumentView, Split
from components.kit.viewer import Groups
from components.kit.wording import quantity
from components.server.turns import in_turn
from components.session.measured_documents import chunker

__all__ = ["PresentSplit", "brackets_field", "family", "levels_facts", "prefixes_with_room"]

_LOOK = "chunks.brackets"
_WRITTEN = {value: row.prefix_note for row in ENRICHMENTS for key, value in [row.setting] if key == "prefix"}
"""Prefix value to the noun of the enrichment written into it."""


@dataclass(frozen=True, slots=True)
class PresentSplit:
    """A document split with the current settings of its category."""

    result: Split
    config: Config
    """Settings of all documents."""
    own: Config
    """Settings of the document's category."""
    groups: Groups | None
    """Brackets next to the chunks."""

    @property
    def view(self) -> DocumentView:
        """The document as it was split: with the sections that patterns give, and its pins."""
        return self.result.view

    @property
    def boundaries(self) -> Boundaries:
        """Boundaries of the chunks."""
        return self.result.boundaries

    @classmethod
    def of(cls, document: Document, config: Config, pins: tuple[Pin, ...]) -> PresentSplit:
        """Split a document with the settings of its category and with these pins.

        Args:
            pins: current pins, saved or not.
        Raises:
            ModelError: the model that counts tokens is not available.
            QuotaError: the document is long, and other long ones are being split.
        """
        own = config.for_category(document.category)
        with in_turn(
            len(document.text)
        ):  # also where it may be split already: only one setting of a document is kept for all tabs
            result = chunker(document, config.embedding).with_pins(pins).split(own.chunk)
            return cls(result, config, own, brackets(result))


class PreviewLevel(NamedTuple):
    """A level of larger chunks that groups neighbouring chunks: parents, or a granularity."""

    noun: str
    """Label of a member."""
    one: str
    """Label of a member in a sentence."""
    many: str
    """Label of several members."""
    size: int
    """Most that a member holds, in the configured unit."""
    across: bool
    """True if members may hold chunks of several sections."""

    def groups(self, split: Split) -> NDArray[np.int32]:
        """Return the number of the larger chunk that holds each chunk: (n,) ascending from 0."""
        return split.groups(self.size, across=self.across)


def levels_of(config: ChunkConfig) -> list[PreviewLevel]:
    """Return the configured levels, parents first.

    >>> [level.many for level in levels_of(ChunkConfig(parent_size=600, granularities=(2,)))]
    ['parents', 'chunks at ×2']
    """
    parents = (
        [PreviewLevel("Parent", "parent", "parents", config.parent_size, across=False)] if config.parent_size else []
    )
    larger = [
        PreviewLevel(f"×{times} chunk", f"chunk at ×{times}", f"chunks at ×{times}", config.size * times, across=True)
        for times in config.granularities
    ]
    return [*parents, *larger]


def levels_facts(split: Split) -> None:
    """Draw the number of parents and larger chunks, chunks in each, and room for enrichment."""
    config = split.config
    for level in levels_of(config):
        groups = level.groups(split)
        number = int(groups[-1]) + 1 if len(groups) else 0
        each = len(groups) / number if number else 0.0
        st.caption(
            f"⊏ {number:,} {level.many}, {each:.1f} chunks each"
            if number != 1
            else f"⊏ 1 {level.one}, of {quantity(len(groups), 'chunk')}",
            help=f"The brackets beside the text. Each holds at most {level.size:,} {config.unit} of whole neighbouring "
            + (
                "chunks, across headings too. Search can score a chunk also by the larger one that holds it."
                if level.across
                else "chunks, never across a heading that splits. Search can return the parent of a chunk."
            ),
        )
    if config.prefix.written:
        st.caption(
            (
                f"✎ {split.boundaries.achieved.free_mean:,.0f} {config.unit} of each chunk are reserved for "
                f"{_WRITTEN[config.prefix]}"
            ),
            help=(
                "Mean over the chunks. The text is generated when the index is built, so boundaries do not "
                "depend on it."
            ),
        )


def brackets(split: Split) -> Groups | None:
    """Return the groups of chunks to draw as brackets, of the chosen level; None without levels."""
    levels = _looks(split.config)
    if not levels:
        return None
    level = levels[_look(levels)]
    return Groups(level.noun, level.groups(split))


def brackets_field(config: ChunkConfig) -> None:
    """Draw the choice of a level for the brackets, if there are several."""
    levels = _looks(config)
    if len(levels) < 2:
        return
    st.session_state[f"{_LOOK}.field"] = _look(levels)
    st.segmented_control(
        "Brackets beside the text",
        list(levels),
        key=f"{_LOOK}.field",
        required=True,
        on_change=lambda: st.session_state.update({_LOOK: st.session_state[f"{_LOOK}.field"]}),
        help="Chunks in one bracket form a larger one.",
    )


def _looks(config: ChunkConfig) -> dict[str, PreviewLevel]:
    return {level.many.capitalize(): level for level in levels_of(config)}


def _look(levels: Mapping[str, PreviewLevel]) -> str:
    kept = str(st.session_state.get(_LOOK))
    return kept if kept in levels else next(iter(levels))


def prefixes_with_room(boundaries: Boundaries, config: ChunkConfig) -> Sequence[str] | None:
    """Return each chunk's prefix with a note on text to be generated; None if none will be."""
    if not config.prefix.written:
        return None
    what = _WRITTEN[config.prefix]
    return [
        " ⏎ ".join([*([prefix] if prefix else []), *([f"✎ {what}, up to {free:,} tokens"] if free else [])])
        for prefix, free in zip(boundaries.prefixes, boundaries.free_tokens.tolist(), strict=True)
    ]


def family(split: Split, number: int) -> list[str]:
    """Return a line for each parent or larger chunk that contains a chunk.

    Without a parent size, the first line is `Parent: its section`, without its name.
    """
    lines, boundaries = [], split.boundaries
    for level in levels_of(split.config):
        groups = level.groups(split)
        first, after = np.searchsorted(groups, [groups[number], groups[number] + 1]).tolist()
        range_words = f"chunks {first:,} to {after - 1:,}" if after - first > 1 else "this chunk alone"
        span = f"characters {int(boundaries.starts[first]):,} to {int(boundaries.ends[after - 1]):,}"
        lines.append(f"{level.noun} {int(groups[number]):,}: {range_words}, {span}")
    if not split.config.parent_size:
        lines.insert(0, "Parent: its section")
    return lines
