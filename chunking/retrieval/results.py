"""What a search gives back: hits that explain themselves, grouped and in reading order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chunking.config import SearchMode
from chunking.model import Chunk, Span
from chunking.retrieval.expansion import Passage
from chunking.retrieval.fusion import Leg

__all__ = ["DocumentGroup", "Place", "Result", "SearchResult", "Stage"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where else the text of a hit stands."""

    chunk_id: str
    doc_id: str
    start: int
    end: int
    citation: str


@dataclass(frozen=True, slots=True)
class Result:
    """One hit."""

    rank: int
    """From 1."""
    chunk: Chunk
    score: float
    """The fused score; in a search by one leg only, that leg's."""
    legs: Mapping[str, Leg]
    """What each leg that was searched (`vector`, `text`) says about it."""
    explanation: str
    """How the legs became the score, as a sentence."""
    matched_fields: tuple[str, ...]
    """`content`, `heading`: those that hold a word of the query."""
    highlights: tuple[Span, ...]
    """Spans of the document, all inside the chunk, in order."""
    neighbours: tuple[Chunk, ...]
    """Before and after it, in reading order, without the chunk itself."""
    repeats: tuple[Place, ...]
    """Other candidates with the same text, which were dropped."""
    citation: str
    """Such as `Handbook › Install › Linux · characters 120–480`."""
    exact: bool = False
    """Found because it holds the query's very characters, where full text knew no word of it: its score says no more."""


@dataclass(frozen=True, slots=True)
class DocumentGroup:
    """A document with its hits."""

    doc_id: str
    title: str
    score: float
    """Of its best hit."""
    matched: tuple[Result, ...]
    """Best first."""
    context: tuple[Chunk, ...]
    """Neighbours that were not found themselves, in reading order."""
    passages: tuple[Passage, ...]
    """Hits and neighbours as runs of text, in reading order."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of a search."""

    name: str
    count: int
    """What it handed on: candidates, hits, chunks read."""
    milliseconds: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Everything about one search."""

    query: str
    mode: SearchMode
    index: str
    fingerprint: str
    """Of the index."""
    language: str
    """Of the query: `en`, `zh`, `mixed` ..."""
    weights: Mapping[str, float]
    """Of the legs that were searched; not the setting's where the model cannot read the text (then a note says so)."""
    notes: tuple[str, ...]
    """Sentences for the user."""
    results: tuple[Result, ...]
    """Best first."""
    documents: tuple[DocumentGroup, ...]
    """The same hits by document, best first."""
    doc_tocs: Mapping[str, str]
    """Outline of each document that has a hit."""
    stages: tuple[Stage, ...]
    storage_calls: int
    """Queries to the store; law 8: at most one a leg and one for neighbours. The index's own line, read once a process, is
    not among them; those that another thread makes through the same workspace at that moment are."""

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All hits with their neighbours as runs of text: what to hand to a language model."""
        return tuple(passage for document in self.documents for passage in document.passages)
