"""What a search gives back: hits that explain themselves, grouped and in reading order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from chunking.config import Retrieval, SearchMode
from chunking.display import Displayable, one_line, quantity, summary_line
from chunking.model import Chunk, Span
from chunking.retrieval.context.expansion import Passage
from chunking.retrieval.ranking.fused_hits import Leg

if TYPE_CHECKING:
    import pandas as pd

    from chunking.retrieval.answerability.absence import Absence

__all__ = [
    "Context",
    "Cost",
    "DocumentGroup",
    "Matched",
    "Phase",
    "Place",
    "Result",
    "ScoreStep",
    "SearchResult",
    "Source",
    "Stage",
    "search_facts",
]

Phase = Literal["legs", "fusion", "rerank", "merge", "expand", "assemble"]
"""The stages of the pipeline, in its order. A parent is read before it is known whether it takes the place of its chunks, so
with retrieval merge a stage of `expand` runs before those of `merge`."""

_MOST_SHOWN, _MOST_NOTES, _MOST_TEXT = 10, 5, 110
"""Hits, notes and characters of a line in a shell."""
_COLUMNS = ("rank", "score", "chunk_id", "doc_id", "source", "title_path", "start", "end", "token_count", "citation", "text")


@dataclass(frozen=True, slots=True)
class Place:
    """Where else the text of a hit stands."""

    chunk_id: str
    doc_id: str
    start: int
    end: int
    citation: str


@dataclass(frozen=True, slots=True)
class ScoreStep:
    """One bar of a score's waterfall: the scores of its steps add up to the result's."""

    name: str
    """`vector`, `text`, `x2`, `x4`, `title`, `late_interaction`, `cross_encoder`, `diversity`, `children` ..."""
    amount: float
    """What it adds (or takes, below 0)."""
    explanation: str
    """One sentence: how it was made."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A child that was found, where its parent is the result."""

    chunk: Chunk
    score: float
    rank: int
    """Among all candidates, from 1."""
    legs: Mapping[str, Leg]
    highlights: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A passage of the context, and where it comes from."""

    number: int
    """From 1, as it is cited in the context: `[1]`."""
    citation: str
    doc_id: str
    start: int
    end: int
    tokens: int
    """Of its text with its heading line."""
    text: str
    chunk_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Context:
    """What a language model would receive: passages in reading order, each under its citation."""

    text: str
    tokens: int
    """Of all passages with their citations, counted by the embedding model's tokenizer."""
    sources: tuple[Source, ...]
    budget: int
    """Most tokens it may hold; 0: no limit."""
    left_out: int
    """Results that the budget had no room for."""

    def __repr__(self) -> str:
        left_out = f"{quantity(self.left_out, 'result')} left out" if self.left_out else ""
        return summary_line("Context", quantity(self.tokens, "token"), quantity(len(self.sources), "source"), left_out)


@dataclass(frozen=True, slots=True, repr=False)
class Result(Displayable):
    """One hit."""

    rank: int
    """From 1."""
    chunk: Chunk
    score: float
    """The sum of its `steps`: the fused score and what was added; in a search by one leg only, that leg's own score. Of a
    parent, its best child's."""
    legs: Mapping[str, Leg]
    """What each leg that was searched (`vector`, `text`) says about it."""
    explanation: str
    """How the legs became the score, as a sentence."""
    matched_fields: tuple[str, ...]
    """`content`, `heading`: those that hold a word of the query."""
    highlights: tuple[Span, ...]
    """Spans of the document, all inside the chunk, in order."""
    neighbours: tuple[Chunk, ...]
    """Before and after it, in reading order, without the chunk itself. A parent has none: it is what stands around its
    children."""
    repeats: tuple[Place, ...]
    """Other candidates with the same text, which were dropped."""
    citation: str
    """Such as `Handbook › Install › Linux · guide/handbook.md · characters 120–480`."""
    matched: tuple[Matched, ...] = ()
    """With retrieval parent and merge: the children that were found, best first; empty for a result that was found itself."""
    steps: tuple[ScoreStep, ...] = ()
    """The waterfall of its score."""
    exact: bool = False
    """Found because it holds the query's very characters, where full text knew no word of it: its score says no more."""

    def __repr__(self) -> str:
        return summary_line("Result", f"{self.rank}", f"score {self.score:.2f}", self.citation, f"“{one_line(_text(self.chunk), 60)}”")


@dataclass(frozen=True, slots=True, repr=False)
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
    file: str = ""
    """Its path in the workspace; empty for a cluster, which is of many documents."""

    def __repr__(self) -> str:
        return summary_line("DocumentGroup", repr(self.doc_id), self.title, f"score {self.score:.2f}", quantity(len(self.matched), "hit"))


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of a search."""

    name: str
    count: int
    """What it handed on: candidates, hits, chunks read."""
    milliseconds: float
    phase: Phase | Literal[""] = ""
    """The part of the pipeline that it belongs to."""


class Cost(NamedTuple):
    """Of some results, in tokens of the embedding model's tokenizer."""

    hits: int
    """Of the results alone: prefix and content of each as they stand, not the descriptions of tables that are embedded."""
    context: int
    """Of the context that is sent: the results with their neighbours and citations, what they share once, within the budget."""


@dataclass(frozen=True, slots=True, repr=False)
class SearchResult(Displayable):
    """Everything about one search."""

    query: str
    mode: SearchMode
    retrieval: Retrieval
    """The mode that ran; where the index lacks what the one asked for needs, the nearest (then a note says so)."""
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
    """Queries to the store; law 8: at most one a leg and size, and one for neighbours and parents. The index's own line, read
    once a process, is not among them; those that another thread makes through the same workspace at that moment are."""

    context: Context = Context("", 0, (), 0, 0)
    hit_tokens: int = 0
    """See `Cost.hits`."""
    candidates: tuple[Matched, ...] = ()
    """Everything that fusion and the rerankers ranked, best first: for comparing two searches and for finding out why
    something is not among the results."""

    absence: Absence | None = None
    """How probable it is that what was asked is not in the documents; None where that cannot be judged."""

    @property
    def cost(self) -> Cost:
        """What it costs to send, as a run of an evaluation counts it."""
        return Cost(self.hit_tokens, self.context.tokens)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All hits with their neighbours as runs of text: what to hand to a language model."""
        return tuple(passage for document in self.documents for passage in document.passages)

    def __repr__(self) -> str:
        rest = len(self.results) - _MOST_SHOWN
        return "\n".join(
            [
                summary_line("SearchResult", f"“{self.query}”", quantity(len(self.results), "result"), *search_facts(self)),
                *(
                    [f"Probably not in the documents: {one_line(self.absence.evidence, 2 * _MOST_TEXT)}"]
                    if self.absence and self.absence.probable
                    else []
                ),
                *(one_line(note, 2 * _MOST_TEXT) for note in self.notes[:_MOST_NOTES]),
                *(line for one in self.results[:_MOST_SHOWN] for line in _lines(one)),
                *([f"… {quantity(rest, 'more result')}"] if rest > 0 else []),
            ]
        )

    def to_pandas(self) -> pd.DataFrame:
        """A row a hit: rank, score, span, citation, text, and its rank and score in each leg that was searched."""
        import pandas as pd

        legs = [(f"{name}_{part}", name, part) for name in self.weights for part in ("rank", "score")]
        rows = [_row(one) | {column: getattr(one.legs.get(name), part, None) for column, name, part in legs} for one in self.results]
        return pd.DataFrame(rows, columns=[*_COLUMNS, *(column for column, *_ in legs)])


def search_facts(found: SearchResult) -> tuple[str, ...]:
    """How it was searched, and in what, in words."""
    retrieval = found.retrieval.value.replace("_", "-") if found.retrieval is not Retrieval.CHUNK else ""
    return found.mode.value, retrieval, f"index {found.index}" if found.index else "", quantity(len(found.documents), "document")


def _text(chunk: Chunk) -> str:
    return chunk.content or chunk.summary


def _lines(one: Result) -> tuple[str, str]:
    """A hit for a shell: what and where, and how it begins."""
    return f"{one.rank:3}  {one.score:6.2f}  {one_line(one.citation, _MOST_TEXT)}", f"             {one_line(_text(one.chunk), _MOST_TEXT)}"


def _row(one: Result) -> dict[str, object]:
    chunk = one.chunk
    place = (chunk.chunk_id, chunk.doc_id, str(chunk.metadata.get("relative_path", "")), " › ".join(chunk.title_path))
    return dict(
        zip(_COLUMNS, (one.rank, one.score, *place, chunk.start, chunk.end, chunk.token_count, one.citation, _text(chunk)), strict=True)
    )
