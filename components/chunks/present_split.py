"""A document split with the settings in force, as the page Chunks shows it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

import streamlit as st

from chunking.config import Config
from chunking.model import Document, Pin
from chunking.splitting import Boundaries, Chunker
from components.chunks.levels_preview import brackets
from components.kit.viewer import Groups
from components.server.large_splits import in_turn
from components.session.measured_documents import chunker

__all__ = ["PresentSplit"]

_SPLIT = "chunks.split"
"""Session key: what was split last, which a click on a chunk does not split again."""


@dataclass(frozen=True, slots=True)
class PresentSplit:
    """A document with the present settings."""

    measured: Chunker
    """Of the document with the sections that patterns give it."""
    boundaries: Boundaries
    config: Config
    """Of all documents."""
    own: Config
    """Those of the document's category."""
    groups: Groups | None
    """The brackets beside its chunks."""

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
        asked = (document.hash, own.model_dump_json(), pins)
        with nullcontext() if st.session_state.get(_SPLIT) == asked else in_turn(len(document.text)):
            measured = chunker(document, config.embedding).with_pins(pins).shaped(own.chunk)
            boundaries = measured.boundaries(own.chunk)
            made = cls(measured, boundaries, config, own, brackets(measured, own.chunk))
        st.session_state[_SPLIT] = asked
        return made
