"""B: the chunks that the present ones (A) are compared with, made once and kept while A moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from chunking.config import Config, Strategy
from chunking.evaluation import LocatedChunks
from chunking.model import Document
from chunking.splitting import ChunkSpans, new_text
from chunking.splitting.strategies.custom_splitters import check_splitter, splitter_version
from components.kit.viewer import OtherChunks
from components.server.large_splits import in_turn
from components.session.document_caches import clear_when_unused
from components.session.measured_documents import chunker

__all__ = ["OtherSplit", "split_by_config", "split_by_file"]

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class OtherSplit:
    """B in one document."""

    name: str
    """As people read it."""
    document: Document
    chunks: OtherChunks
    notes: tuple[str, ...]
    """What is to be said of how they came about."""

    @property
    def median(self) -> float:
        """Tokens of a chunk, its prefix included; 0 where there is none."""
        return float(np.median(self.chunks.tokens)) if len(self.chunks) else 0.0


def split_by_config(of: Document, config: Config, name: str) -> OtherSplit:
    """The chunks that a configuration makes of a document.

    Raises:
        ModelError: the model that counts its tokens is not at hand.
        ConfigError: it names a splitter that is not there, or whose package is not installed.
        QuotaError: the document is long, and other long ones are being split.
    """
    own = config.for_category(of.category)
    version = ""
    if own.chunk.strategy is Strategy.CUSTOM:
        check_splitter(own.chunk.splitter)
        version = splitter_version(own.chunk.splitter)
    _, chunks, notes = _by_config(of, own.chunk.model_dump_json(), own.embedding.model_dump_json(), version, own)
    return OtherSplit(name, of, chunks, notes)


# By identity: what is kept holds its document, so that no other one gets its id meanwhile.
@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=8, hash_funcs={Document: id})
def _by_config(
    of: Document, chunk: str, embedding: str, splitter: str, _config: Config
) -> tuple[Document, OtherChunks, tuple[str, ...]]:
    with in_turn(len(of.text)):
        boundaries = chunker(of, _config.embedding).boundaries(_config.chunk)
        return of, _track(of, boundaries, boundaries.tokens), boundaries.warnings


def split_by_file(of: Document, found: LocatedChunks, config: Config) -> OtherSplit:
    """The chunks of a file, counted by the model of a configuration.

    Raises:
        ModelError: it is not at hand.
        QuotaError: the document is long, and other long ones are being split.
    """
    with in_turn(len(of.text)):
        tokens = chunker(of, config.embedding).measured.tokens_between(found.starts, found.ends)
    notes = [
        f"{number:,} {noun if number == 1 else nouns}."
        for number, noun, nouns in (
            (found.not_found, "chunk was not found in this document", "chunks were not found in this document"),
            (found.elsewhere, "chunk is of another document", "chunks are of other documents"),
            (
                found.inside,
                "chunk is inside another one and not drawn",
                "chunks are inside others and not drawn",
            ),
        )
        if number
    ]
    return OtherSplit(found.name, of, _track(of, found, tokens), tuple(notes))


def _track(of: Document, spans: ChunkSpans, tokens: Ints) -> OtherChunks:
    return OtherChunks(spans.starts, spans.ends, new_text(of.text, spans), tokens)
