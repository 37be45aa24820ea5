"""Result of a search: hits, explanations, documents, context and cost; and the comparison of two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from chunking.config import Retrieval, SearchMode
from chunking.display import Displayable, one_line, quantity, summary_line
from chunking.model import Chunk, Span
from chunking.retrieval.answers.absence import Absence
from chunking.retrieval.context.expansion import ContextPassage
from chunking.retrieval.ranking.fused_hits import Leg
from chunking.retrieval.ranking.ranked import RepeatedText
from chunking.retrieval.ranking.sentence_evidence import HitEvidence, SearchEvidence
from chunking.retrieval.search_trace import Stage

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Context",
    "ContextSource",
    "Cost",
    "DocumentGroup",
    "MatchedChild",
    "Result",
    "ScoreStep",
    "SearchComparison",
    "SearchResult",
    "compare",
    "search_facts",
]

_MOST_SHOWN, _MOST_NOTES, _MOST_TEXT = 10, 5, 110
"""Maximum hits, notes and characters of a line in a shell."""
_COLUMNS = (
    "rank",
    "score",
    "chunk_id",
    "doc_id",
    "source",
    "title_path",
    "start",
    "end",
    "token_count",
    "citation",
    "text",
)

_Span = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class ScoreStep:
    """Step of a score's waterfall; the amounts of all steps add up to the score."""

    name: str
    """Name: `vector`, `text`, `x2`, `title`, `late_interaction`, `cross_encoder`, `children` ..."""
    amount: float
    """Amount added; negative if it lowers the score."""
    explanation: str
    """Explanation of the amount in one sentence."""


@dataclass(frozen=True, slots=True)
class MatchedChild:
    """Candidate with its chunk: a matched child of a shown parent, or a row of the ranking."""

    chunk: Chunk
    score: float
    rank: int
    """Rank among all candidates, from 1."""
    legs: Mapping[str, Leg]
    highlights: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextSource:
    """Passage of the context with its source."""

    number: int
    """Number from 1, as it is cited in the context: `[1]`."""
    citation: str
    doc_id: str
    start: int
    end: int
    tokens: int
    """Tokens of its text and heading line."""
    text: str
    chunk_ids: tuple[str, ...]
    language: str = ""
    """Language of its document (BCP 47)."""


@dataclass(frozen=True, slots=True, repr=False)
class Context:
    """Context for a language model: passages in reading order, each under its citation."""

    text: str
    tokens: int
    """Tokens of all passages with their citations, counted by the embedding model's tokenizer."""
    sources: tuple[ContextSource, ...]
    budget: int
    """Maximum tokens; 0: no limit."""
    left_out: int
    """Number of results that did not fit the budget."""

    def __repr__(self) -> str:
        left_out = f"{quantity(self.left_out, 'result')} left out" if self.left_out else ""
        return summary_line("Context", quantity(self.tokens, "token"), quantity(len(self.sources), "source"), left_out)


@dataclass(frozen=True, slots=True, repr=False)
class Result(Displayable):
    """Hit with its score, explanation, highlights and neighbours."""

    rank: int
    """Rank from 1."""
    chunk: Chunk
    score: float
    """Sum of the amounts in `steps`; for a parent, its best child's score.

    With a single leg, that leg's own score.
    """
    legs: Mapping[str, Leg]
    """Rank and score in each leg searched (`vector`, `text`)."""
    explanation: str
    """Explanation of the score, as sentences."""
    matched_fields: tuple[str, ...]
    """Fields with a word of the query: `content`, `heading`."""
    highlights: tuple[Span, ...]
    """Matches as spans of the document, all inside the chunk, in order.

    The best sentence of a trimmed hit without a match, such as one in another language than the query.
    """
    neighbours: tuple[Chunk, ...]
    """Chunks before and after, in reading order. A parent has none, as it already surrounds its children."""
    repeats: tuple[RepeatedText, ...]
    """Dropped candidates with the same text."""
    citation: str
    """Citation, such as `Handbook › Install › Linux · guide/handbook.md · characters 120–480`."""
    matched: tuple[MatchedChild, ...] = ()
    """Matched children for retrieval parent and merge, best first; empty for a result that matched itself."""
    steps: tuple[ScoreStep, ...] = ()
    """Waterfall of its score."""
    exact: bool = False
    """True if matched by the query's characters, as full text knows none of its words.

    The score then has no meaning.
    """
    evidence: HitEvidence | None = None
    """How it was judged; None without `cut` and `trim`."""
    trimmed: Span | None = None
    """Span that stays of the chunk's text; None: all of it."""
    neighbour_reasons: Mapping[str, str] = field(default_factory=dict)
    """Short reason of each neighbour that was chosen by evidence (`search.before=auto`), by chunk id."""
    note: str = ""
    """End of the explanation that no step has: that query and text are in different languages."""

    @property
    def part(self) -> Chunk:
        """The chunk with the text that stays after trimming: what context, scores and agents get."""
        chunk, span = self.chunk, self.trimmed
        if span is None:
            return chunk
        content = chunk.content[span.start - chunk.start : span.end - chunk.start]
        gap = chunk.metadata.get("gap", "") if span.start == chunk.start else ""
        metadata = {**chunk.metadata, "gap": gap}
        return replace(chunk, content=content, start=span.start, end=span.end, metadata=metadata)

    def __repr__(self) -> str:
        return summary_line(
            "Result", f"{self.rank}", f"score {self.score:.2f}", self.citation, f"“{one_line(_text(self.part), 60)}”"
        )


@dataclass(frozen=True, slots=True, repr=False)
class DocumentGroup:
    """A document and its hits."""

    doc_id: str
    title: str
    score: float
    """Score of its best hit."""
    matched: tuple[Result, ...]
    """Hits, best first."""
    context: tuple[Chunk, ...]
    """Neighbours that are no hits, in reading order."""
    passages: tuple[ContextPassage, ...]
    """Hits and neighbours as runs of text, in reading order."""
    file: str = ""
    """Path in the workspace; empty for a cluster, which spans many documents."""

    def __repr__(self) -> str:
        return summary_line(
            "DocumentGroup",
            repr(self.doc_id),
            self.title,
            f"score {self.score:.2f}",
            quantity(len(self.matched), "hit"),
        )


class Cost(NamedTuple):
    """Cost of some results, in tokens of the embedding model's tokenizer."""

    hits: int
    """Tokens of the results' prefixes and contents, without the table descriptions that are embedded."""
    context: int
    """Tokens of the context within the budget: results, neighbours and citations."""


@dataclass(frozen=True, slots=True, repr=False)
class SearchResult(Displayable):
    """Hits of one search, with documents, context, scores, stages and notes."""

    query: str
    mode: SearchMode
    retrieval: Retrieval
    """Mode that ran: the configured one, or (with a note) a substitute if the index lacks its levels."""
    index: str
    fingerprint: str
    """Fingerprint of the index."""
    language: str
    """Language of the query: `en`, `zh`, `mixed` ..."""
    weights: Mapping[str, float]
    """Weights of the legs searched.

    They differ from the setting if the model cannot read the text (with a note), or if full text finds few of the
    query's words (see `weight_reason`).
    """
    notes: tuple[str, ...]
    """Sentences for the user."""
    results: tuple[Result, ...]
    """Hits, best first."""
    documents: tuple[DocumentGroup, ...]
    """The same hits by document, best first."""
    doc_tocs: Mapping[str, str]
    """Outline of each document that has a hit."""
    stages: tuple[Stage, ...]
    storage_calls: int
    """Number of queries to the store.

    At most one per leg and size, and one for neighbours and parents (law 8). Excludes the index's own row, which is
    read once per process; includes calls made meanwhile by other threads through the same workspace.
    """

    context: Context = Context("", 0, (), 0, 0)
    hit_tokens: int = 0
    """Tokens of the hits, see `Cost.hits`."""
    weight_reason: str = ""
    """Why full text has less weight than the setting gives it."""
    candidates: tuple[MatchedChild, ...] = ()
    """Complete ranking, best first: to compare searches, and to see why a chunk is not among the results."""

    absence: Absence | None = None
    """Evidence that the documents hold no answer; None if that cannot be judged."""
    left_out: tuple[Result, ...] = ()
    """Results with too little evidence, best first; their ranks are those among all results before the cut."""
    evidence: SearchEvidence | None = None
    """How the results were judged; None without `cut` and `trim`, or if they could not be."""

    @property
    def cost(self) -> Cost:
        """Tokens of the hits and of the context, counted as in evaluation runs."""
        return Cost(self.hit_tokens, self.context.tokens)

    @property
    def passages(self) -> tuple[ContextPassage, ...]:
        """Passages of all hits with their neighbours, as continuous text for a language model."""
        return tuple(passage for document in self.documents for passage in document.passages)

    def __repr__(self) -> str:
        rest = len(self.results) - _MOST_SHOWN
        return "\n".join(
            [
                summary_line(
                    "SearchResult", f"“{self.query}”", quantity(len(self.results), "result"), *search_facts(self)
                ),
                *(
                    [f"Probably not in the documents: {one_line(self.absence.evidence, 2 * _MOST_TEXT)}"]
                    if self.absence and self.absence.probable
                    else []
                ),
                *([self.evidence.sentence] if self.evidence else []),
                *(one_line(note, 2 * _MOST_TEXT) for note in self.notes[:_MOST_NOTES]),
                *(line for one in self.results[:_MOST_SHOWN] for line in _lines(one)),
                *([f"… {quantity(rest, 'more result')}"] if rest > 0 else []),
            ]
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return a row per hit: rank, score, span, citation, text, and rank and score in each leg."""
        import pandas as pd

        legs = [(f"{name}_{part}", name, part) for name in self.weights for part in ("rank", "score")]
        rows = [
            _row(one) | {column: getattr(one.legs.get(name), part, None) for column, name, part in legs}
            for one in self.results
        ]
        return pd.DataFrame(rows, columns=[*_COLUMNS, *(column for column, *_ in legs)])


def search_facts(result: SearchResult) -> tuple[str, ...]:
    """Return phrases on a search: mode, retrieval mode, index and number of documents."""
    retrieval = result.retrieval.value.replace("_", "-") if result.retrieval is not Retrieval.CHUNK else ""
    return (
        result.mode.value,
        retrieval,
        f"index {result.index}" if result.index else "",
        quantity(len(result.documents), "document"),
    )


def _text(chunk: Chunk) -> str:
    return chunk.content or chunk.summary


def _lines(one: Result) -> tuple[str, str]:
    """Format a hit as two lines for a shell: citation and beginning."""
    return (
        f"{one.rank:3}  {one.score:6.2f}  {one_line(one.citation, _MOST_TEXT)}",
        f"             {one_line(_text(one.part), _MOST_TEXT)}",
    )


def _row(one: Result) -> dict[str, object]:
    chunk = one.part
    place = (chunk.chunk_id, chunk.doc_id, str(chunk.metadata.get("relative_path", "")), " › ".join(chunk.title_path))
    return dict(
        zip(
            _COLUMNS,
            (one.rank, one.score, *place, chunk.start, chunk.end, chunk.token_count, one.citation, _text(chunk)),
            strict=True,
        )
    )


# -- two searches for one question


@dataclass(frozen=True, slots=True)
class SearchComparison:
    """Comparison of two searches by the places of their results."""

    both: tuple[tuple[Result, Result], ...]
    """Pairs of results, one of each search, that are the same place; a result may be in several pairs."""
    only_a: tuple[Result, ...]
    """Results that only the first search has, best first."""
    only_b: tuple[Result, ...]


def compare(a: SearchResult, b: SearchResult) -> SearchComparison:
    """Compare two searches by the places of their results.

    Two results are the same place if their texts, or a duplicate's, overlap by half of the shorter one, so that sizes,
    parents and indexes compare; summaries are matched by id.
    """
    both = tuple((one, other) for one in a.results for other in b.results if _same(one, other))
    left, right = {one.rank for one, _ in both}, {other.rank for _, other in both}
    return SearchComparison(
        both,
        tuple(result for result in a.results if result.rank not in left),
        tuple(result for result in b.results if result.rank not in right),
    )


def _same(one: Result, other: Result) -> bool:
    if not (one.chunk.content and other.chunk.content):
        return one.chunk.chunk_id == other.chunk.chunk_id
    return any(_overlap(here, there) for here in _spans(one) for there in _spans(other))


def _overlap(one: _Span, other: _Span) -> bool:
    shared = min(one[2], other[2]) - max(one[1], other[1])
    return one[0] == other[0] and 2 * shared >= min(one[2] - one[1], other[2] - other[1]) > 0


def _spans(result: Result) -> Iterator[_Span]:
    """Yield document, start and end of a result and of its duplicates."""
    yield result.chunk.doc_id, result.chunk.start, result.chunk.end
    yield from ((place.doc_id, place.start, place.end) for place in result.repeats)
