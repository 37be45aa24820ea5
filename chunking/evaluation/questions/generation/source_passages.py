"""What a language model is asked about: runs of whole blocks, about a page each, spread over the documents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from chunking.evaluation.questions.generation.drafts import HAN
from chunking.evaluation.questions.question import AnswerSpan
from chunking.model import BlockType, Document

__all__ = ["SourcePassage", "passages", "spread_passages"]

_FULL, _ENOUGH, _LEAST = 2_400, 900, 160
"""Letters of a passage: most, from which on a heading opens the next one, and under which there is little to ask about.
"""
_HAN_WEIGHT = 3
"""A Chinese character says about as much as three letters."""
_SKIPPED = frozenset({BlockType.METADATA, BlockType.IMAGE})


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A span of a document."""

    document: Document
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.document.text[self.start : self.end]

    @property
    def path(self) -> str:
        """The headings above it."""
        return " > ".join(self.document.section_at(self.start).title_path) if self.document.sections else ""


def passages(document: Document) -> Iterator[SourcePassage]:
    """A document in passages, in order; a block that is longer than a passage is one by its beginning."""
    start = end = length = 0
    for block in document.blocks:
        if block.type in _SKIPPED:
            continue
        own = _length(document.text[block.start : block.end])
        opens = block.type is BlockType.HEADING and length >= _ENOUGH
        if length and (opens or length + own > _FULL):
            if length >= _LEAST:
                yield SourcePassage(document, start, end)
            length = 0
        start = start if length else block.start
        end, length = block.end, length + own
        if length > _FULL:
            end = min(end, start + (_FULL // _HAN_WEIGHT if HAN.search(document.text, start, start + 200) else _FULL))
            yield SourcePassage(document, start, end)
            length = 0
    if length >= _LEAST:
        yield SourcePassage(document, start, end)


def spread_passages(
    documents: Sequence[Document], most: int, seed: int, taken: Iterable[AnswerSpan] = ()
) -> list[SourcePassage]:
    """Some passages: one of each document first, then as many of each as it is long; which ones is by the seed.

    Those that hold the answer of a question that is `taken` come last.
    """
    spans: dict[str, list[AnswerSpan]] = {}
    for answer in taken:
        spans.setdefault(answer.doc_id, []).append(answer)
    ranked: list[tuple[bool, float, bytes, SourcePassage]] = []
    for document in documents:
        found = sorted(((_place(passage, seed), passage) for passage in passages(document)), key=lambda one: one[0])
        own = spans.get(document.doc_id, [])
        for rank, (place, passage) in enumerate(found):
            asked = any(passage.start <= answer.start < passage.end for answer in own)
            ranked.append((asked, rank / len(found), place, passage))
    ranked.sort(key=lambda one: one[:3])
    return [passage for *_, passage in ranked[: max(most, 0)]]


def _length(text: str) -> int:
    return len(text) + (_HAN_WEIGHT - 1) * len(HAN.findall(text))


def _place(passage: SourcePassage, seed: int) -> bytes:
    facts = f"{seed}\0{passage.document.doc_id}\0{passage.start}\0{passage.document.hash}"
    return hashlib.sha256(facts.encode("utf-8", "surrogatepass")).digest()
