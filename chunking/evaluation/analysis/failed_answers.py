"""An answer that was not found whole, with the facts that say why: its chunks, and where each stands in the ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from chunking.config import ChunkConfig, Config
from chunking.evaluation.metrics.character_spans import union
from chunking.evaluation.questions.question import AnswerSpan
from chunking.model import Chunk, Document
from chunking.retrieval.results.search_result import MatchedChild, Result, SearchResult

__all__ = ["Case", "first_to_last", "missing_of"]

Spans = Sequence[tuple[int, int]]


def first_to_last(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without the white space around it: no chunk begins or ends with any.

    >>> first_to_last("a  b ", 1, 5)
    (3, 4)
    """
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def missing_of(answer: AnswerSpan, spans: Iterable[tuple[str, int, int]]) -> int:
    """Characters of an answer that no span holds, white space apart."""
    held = union((start - answer.start, end - answer.start) for doc_id, start, end in spans if doc_id == answer.doc_id)
    missing, at = 0, 0
    for start, end in [*held, (len(answer.text), len(answer.text))]:
        missing += len("".join(answer.text[at : max(start, at)].split()))
        at = max(at, end)
    return missing


@dataclass(frozen=True)
class Case:
    """One answer of a question, and a search that did not find all of it."""

    answer: AnswerSpan
    document: Document | None
    chunks: Sequence[Chunk]
    """Of its document, in reading order."""
    result: SearchResult
    n: int
    """Results that count."""
    config: Config

    @cached_property
    def touching(self) -> list[Chunk]:
        """Chunks that hold a part of the answer that is not white space, in reading order."""
        start, end = self.span
        return [chunk for chunk in self.chunks if chunk.start < end and start < chunk.end]

    @cached_property
    def holders(self) -> list[Chunk]:
        """Chunks that hold all of it, those that the search put highest first."""
        start, end = self.span
        whole = [chunk for chunk in self.touching if chunk.start <= start and chunk.end >= end]
        return sorted(whole, key=lambda chunk: (self.rank(chunk) or len(self.result.candidates) + 1, chunk.start))

    @cached_property
    def span(self) -> tuple[int, int]:
        text = self.answer.text
        start, end = first_to_last(text, 0, len(text))
        return self.answer.start + start, self.answer.start + end

    @property
    def length(self) -> int:
        """Characters of the answer."""
        return self.answer.end - self.answer.start

    @property
    def shown(self) -> Sequence[Result]:
        """The results that count."""
        return self.result.results[: self.n]

    @cached_property
    def chunk_config(self) -> ChunkConfig:
        """How its document was cut."""
        return (
            self.config.for_category(self.document.category).chunk if self.document is not None else self.config.chunk
        )

    def candidate(self, chunk: Chunk) -> MatchedChild | None:
        """What the ranking says about a chunk; of a repeat that was dropped, what it says about the one that stayed."""
        return self._candidates.get(chunk.chunk_id) or self._candidates.get(self._stands_for.get(chunk.chunk_id, ""))

    def rank(self, chunk: Chunk) -> int | None:
        """Its place among all candidates, from 1."""
        found = self.candidate(chunk)
        return found.rank if found is not None else None

    def repeated_by(self, chunk: Chunk) -> Result | None:
        """The result that counts in whose place a chunk was dropped as a repeat."""
        return next((one for one in self.shown if any(place.chunk_id == chunk.chunk_id for place in one.repeats)), None)

    @cached_property
    def _candidates(self) -> Mapping[str, MatchedChild]:
        return {one.chunk.chunk_id: one for one in self.result.candidates}

    @cached_property
    def _stands_for(self) -> Mapping[str, str]:
        """By a repeat's id the id of the one that stayed: the candidate, where the result is its parent, of the same
        text.
        """
        if not self.config.search.deduplicate:
            return {}
        by_hash = {one.chunk.hash: one.chunk.chunk_id for one in reversed(self.result.candidates)}
        return {chunk.chunk_id: by_hash[chunk.hash] for chunk in self.chunks if chunk.hash in by_hash}
