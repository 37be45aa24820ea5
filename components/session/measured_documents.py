"""Measured documents ready for splitting, plans of index runs, and a document's chunks in each index."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from chunking import indexing
from chunking.config import Config, EmbeddingConfig
from chunking.embedding.model_folder import counting_folder
from chunking.indexing import Plan
from chunking.model import Chunk, Document
from chunking.splitting import Chunker, MeasureCache, model_sentences, token_counter, with_measure_cache
from chunking.store import IndexRow, Workspace, documents_by_id
from chunking.versions import chunks_version
from components.server.turns import in_turn
from components.session.document_caches import clear_when_unused
from components.session.workspace import LARGE

__all__ = ["StoredSplit", "chunker", "plan_of", "stored_chunk", "stored_splits"]

_MOST_MEASURED = 5_000_000
"""Most characters of measured documents cached for plans of all pages and sessions: about 110 MB."""


def chunker(of: Document, embedding: EmbeddingConfig) -> Chunker:
    """Return a document's cached splitter, measured with the embedding model's tokenizer.

    Pins do not change the measure (law 6).

    Raises:
        ModelError: the model is not installed.
    """
    folder = counting_folder(embedding)
    measure = _large if len(of.text) > LARGE else _small
    _, plain = _without_pins(of)
    measured = measure(plain, str(folder.path), folder.revision, folder.content_tokens, embedding.model_dump_json())
    return measured.with_pins(of.pins)


# By identity: the entry holds the document, so that no other one gets its id meanwhile.
@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=256, hash_funcs={Document: id})
def _without_pins(of: Document) -> tuple[Document, Document]:
    """Return a document, and the one object without pins that stands for all its pin states."""
    unpinned = _plain()
    same = next(
        (one for one in unpinned if one.hash == of.hash and one == replace(of, pins=(), warnings=one.warnings)), None
    )
    if same is None:
        unpinned.append(same := of if not of.pins else replace(of, pins=()))
    return of, same


@clear_when_unused
@st.cache_resource(show_spinner=False)
def _plain() -> deque[Document]:
    return deque(maxlen=24)


def plan_of(target: Workspace, config: Config, name: str) -> Plan:
    """Return the plan of an index run, reusing measures of earlier plans (law 6).

    With a long document, waits for a turn (`in_turn`). See `indexing.make_plan`.

    Raises:
        QuotaError: other long documents took two minutes.
    """
    with in_turn(max((row.characters for row in target.documents()), default=0)), with_measure_cache(_measures()):
        return indexing.make_plan(target, config, name=name)


@clear_when_unused
@st.cache_resource(show_spinner=False)
def _measures() -> MeasureCache:
    return MeasureCache(_MOST_MEASURED)


# By identity: a chunker holds its document, so that no other one gets its id while the entry lives.
@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=24, hash_funcs={Document: id})
def _small(of: Document, tokenizer: str, revision: str, max_tokens: int, embedding: str) -> Chunker:
    return _measure(of, tokenizer, max_tokens, embedding)


@clear_when_unused
@st.cache_resource(show_spinner="Measuring the document …", max_entries=2, hash_funcs={Document: id})
def _large(of: Document, tokenizer: str, revision: str, max_tokens: int, embedding: str) -> Chunker:
    return _measure(of, tokenizer, max_tokens, embedding)


def _measure(of: Document, tokenizer: str, max_tokens: int, embedding: str) -> Chunker:
    sentences = model_sentences(EmbeddingConfig.model_validate_json(embedding))
    return Chunker(of, token_counter(Path(tokenizer)), max_tokens=max_tokens, sentences=sentences)


@dataclass(frozen=True, slots=True)
class StoredSplit:
    """An index that holds a document's chunks, and whether they are current."""

    index: IndexRow
    fingerprint: str
    """Fingerprint of these chunks, over settings, code and document."""
    current: bool
    """True if document and code are as they were when the index was built."""

    def same(self, config: Config) -> bool:
        """True if the index holds exactly the chunks that `config` gives now."""
        return self.current and self.index.has_rows_of(config)


def stored_chunk(target: Workspace, splits: Sequence[StoredSplit], config: Config, chunk_id: str) -> Chunk | None:
    """Return the chunk of an id from the first index that holds exactly what `config` gives.

    None without such an index, or if it has no such chunk.
    """
    same = next((one for one in splits if one.same(config)), None)
    return target.index(same.index.name).rows_by_id([chunk_id]).get(chunk_id) if same else None


def stored_splits(target: Workspace, doc_id: str) -> tuple[StoredSplit, ...]:
    """Return a `StoredSplit` for each index with a document's chunks, the newest first."""
    listed = target.derived(documents_by_id).get(doc_id)
    code = chunks_version()
    stored = []
    for row in target.indexes():
        indexed = target.index(row.name).some_documents([doc_id]).get(doc_id)
        if indexed:
            same = listed is not None and indexed.stamp == listed.stamp
            stored.append(StoredSplit(row, indexed.fingerprint, same and row.split_version == code))
    return tuple(stored)
