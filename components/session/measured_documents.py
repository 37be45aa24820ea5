"""Documents made ready for cutting, and what the indexes hold of them."""

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
from chunking.store import IndexRow, Workspace
from chunking.versions import chunks_version
from components.server.turns import in_turn
from components.session.document_caches import clear_when_unused
from components.session.workspace import LARGE

__all__ = ["Held", "chunker", "plan_of", "stored_chunk", "stored_splits"]

_MOST_MEASURED = 5_000_000
"""Characters of documents whose measure is kept for the plans of all pages and sessions: about 110 MB."""


def chunker(of: Document, embedding: EmbeddingConfig) -> Chunker:
    """`of`, measured with the tokenizer of the embedding model; measured once, whatever pins it has (law 6).

    Raises:
        ModelError: the model is not at hand.
    """
    folder = counting_folder(embedding)
    measure = _large if len(of.text) > LARGE else _small
    _, plain = _without_pins(of)
    measured = measure(plain, str(folder.path), folder.revision, folder.content_tokens, embedding.model_dump_json())
    return measured.with_pins(of.pins)


# By identity: what is kept holds the document that was asked for, so that no other one gets its id meanwhile.
@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=256, hash_funcs={Document: id})
def _without_pins(of: Document) -> tuple[Document, Document]:
    """The document, and the same object for it as often as its pins change, in whichever workspace it stands."""
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
    """What an index run would do; what the plan before has measured is not measured again (law 6). See
    `indexing.make_plan`.
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
class Held:
    """What an index holds of a document."""

    index: IndexRow
    fingerprint: str
    """Of its chunks there: over settings, code and document."""
    current: bool
    """Document and code are as they were when it was built."""

    def same(self, config: Config) -> bool:
        """True where the index holds exactly what `config` gives now."""
        return self.current and self.index.config_fingerprint == config.fingerprint()


def stored_chunk(target: Workspace, splits: Sequence[Held], config: Config, chunk_id: str) -> Chunk | None:
    """A chunk as an index holds it that holds exactly what `config` gives; None where none does."""
    same = next((one for one in splits if one.same(config)), None)
    return target.index(same.index.name).rows_by_id([chunk_id]).get(chunk_id) if same else None


def stored_splits(target: Workspace, doc_id: str) -> tuple[Held, ...]:
    """The indexes that hold chunks of a document, the newest first."""
    stamp = next((row.stamp for row in target.documents() if row.doc_id == doc_id), None)
    code = chunks_version()
    stored = []
    for row in target.indexes():
        indexed = target.index(row.name).documents().get(doc_id)
        if indexed:
            stored.append(Held(row, indexed.fingerprint, indexed.stamp == stamp and row.split_version == code))
    return tuple(stored)
