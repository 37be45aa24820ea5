"""A document split with the current settings, and the levels above its chunks."""

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
from components.server.turns import in_turn
from components.session.measured_documents import chunker

__all__ = ["PresentSplit", "brackets_field", "family", "levels_facts", "prefixes_with_room"]

_LOOK = "chunks.brackets"
_WRITTEN = {value: row.prefix_note for row in ENRICHMENTS for key, value in [row.setting] if key == "prefix"}
"""By the prefix that it is written into: what it is."""


@dataclass(frozen=True, slots=True)
class PresentSplit:
    """A document with the present settings."""

    result: Split
    config: Config
    """Of all documents."""
    own: Config
    """Those of the document's category."""
    groups: Groups | None
    """The brackets beside its chunks."""

    @property
    def view(self) -> DocumentView:
        """The document with the sections that patterns give it, and its pins."""
        return self.result.view

    @property
    def boundaries(self) -> Boundaries:
        """Of its chunks."""
        return self.result.boundaries

    @classmethod
    def of(cls, document: Document, config: Config, pins: tuple[Pin, ...]) -> PresentSplit:
        """Split it.

        Args:
            pins: the document's as they are now, saved or not.
        Raises:
            ModelError: the model that counts its tokens is not at hand.
            QuotaError: it is long, and other long ones are being split.
        """
        own = config.for_category(document.category)
        with in_turn(
            len(document.text)
        ):  # also where it may be split already: only one setting of a document is kept for all tabs
            result = chunker(document, config.embedding).with_pins(pins).split(own.chunk)
            return cls(result, config, own, brackets(result))


class PreviewLevel(NamedTuple):
    """A level above the chunks."""

    noun: str
    """What one of its members is called."""
    many: str
    size: int
    """Most that one holds, in the unit of the configuration."""
    across: bool
    """Its members may hold chunks of several sections."""

    def groups(self, split: Split) -> NDArray[np.int32]:
        """(n,) the member of this level that each chunk belongs to, ascending from 0."""
        return split.groups(self.size, across=self.across)


def levels_of(config: ChunkConfig) -> list[PreviewLevel]:
    """The levels that are set, parents first.

    >>> [level.many for level in levels_of(ChunkConfig(parent_size=600, granularities=(2,)))]
    ['parents', 'chunks at ×2']
    """
    parents = [PreviewLevel("Parent", "parents", config.parent_size, across=False)] if config.parent_size else []
    larger = [
        PreviewLevel(f"×{times} chunk", f"chunks at ×{times}", config.size * times, across=True)
        for times in config.granularities
    ]
    return [*parents, *larger]


def levels_facts(split: Split) -> None:
    """How many of each level, and what is kept free for what will be written; nothing where neither is set."""
    config = split.config
    for level in levels_of(config):
        groups = level.groups(split)
        number = int(groups[-1]) + 1 if len(groups) else 0
        each = len(groups) / number if number else 0.0
        st.caption(
            f"⊏ {number:,} {level.many}, {each:.1f} chunks each",
            help=f"At most {level.size:,} {config.unit} each, made of whole neighbouring chunks"
            + (", across headings too." if level.across else ", never across a heading that splits."),
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
    """What is drawn beside the numbers; with several levels, the one that was picked last (`brackets_field`)."""
    levels = _looks(split.config)
    if not levels:
        return None
    level = levels[_look(levels)]
    return Groups(level.noun, level.groups(split))


def brackets_field(config: ChunkConfig) -> None:
    """The choice among several levels; nothing with one or none."""
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
    """The prefixes with a note of what will be written beside them; None where nothing will."""
    if not config.prefix.written:
        return None
    what = _WRITTEN[config.prefix]
    return [
        " ⏎ ".join([*([prefix] if prefix else []), *([f"✎ {what}, up to {free:,} tokens"] if free else [])])
        for prefix, free in zip(boundaries.prefixes, boundaries.free_tokens.tolist(), strict=True)
    ]


def family(split: Split, number: int) -> list[str]:
    """What a chunk is a part of, a line for each level."""
    lines, boundaries = [], split.boundaries
    for level in levels_of(split.config):
        groups = level.groups(split)
        first, after = np.searchsorted(groups, [groups[number], groups[number] + 1]).tolist()
        held = f"chunks {first:,} to {after - 1:,}" if after - first > 1 else "this chunk alone"
        span = f"characters {int(boundaries.starts[first]):,} to {int(boundaries.ends[after - 1]):,}"
        lines.append(f"{level.noun} {int(groups[number]):,}: {held}, {span}")
    if not split.config.parent_size:
        lines.insert(0, "Parent: its section")
    return lines
