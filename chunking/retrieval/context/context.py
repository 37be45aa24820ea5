"""The context: what a language model would receive, as passages under numbered citations, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple, Protocol

import numpy as np

from chunking.model import Chunk
from chunking.retrieval.context.expansion import ContextPassage, passages
from chunking.retrieval.results.citation import cite
from chunking.retrieval.results.search_result import Context, ContextSource, Result

__all__ = ["Counter", "KnownPassages", "assemble"]

_SEAM = "\n\n"
"""Between two passages."""


class Counter(Protocol):
    """What a context is counted with: a `splitting.TokenCounter`, or one that remembers."""

    crosses_space: bool
    """A token may reach over white space, so that counts of words do not add up."""

    def count(self, text: str) -> int:
        """Tokens of a text."""

    def count_each(self, texts: Sequence[str]) -> np.ndarray:
        """(len(texts),) int32, tokens of each."""


class CitedPassage(NamedTuple):
    """A passage as one chunk."""

    chunk: Chunk
    chunk_ids: tuple[str, ...]
    """What it is made of, in reading order."""
    citation: str


KnownPassages = dict[tuple[str, ...], tuple[CitedPassage, ...]]
"""Passages of one document by the ids of the chunks that they are made of, in the order in which these were found."""


def assemble(results: Sequence[Result], budget: int, counter: Counter, known: KnownPassages | None = None) -> Context:
    """Whole results in the order of their rank, as far as there is room; then their neighbours, while there still is.

    A result that does not fit is left out, and smaller ones after it may still come. What touches or overlaps is one
    passage; documents stand in the order of their best results, and inside a document the order is the reader's.

    Args:
        results: best first.
        budget: most tokens of the whole text, citations included; 0: no limit.
        counter: of the embedding model's tokenizer.
        known: passages of contexts of the same index that were assembled before; those of this one are added.
    """
    known = {} if known is None else known
    taken, left_out = _taken(results, budget, counter)
    made = _context(results, taken, budget, left_out, counter, known)
    while budget and made.tokens > budget and taken:  # a token may reach over the seam between two texts
        gone = taken.popitem()[0]
        left_out += any(result.chunk.chunk_id == gone for result in results)
        made = _context(results, taken, budget, left_out, counter, known)
    return made


def _taken(results: Sequence[Result], budget: int, counter: Counter) -> tuple[dict[str, Chunk], int]:
    """The chunks there is room for, by id, in the order in which they were taken; and how many results there is none
    for.
    """
    hits = {result.chunk.chunk_id: result.chunk for result in results}
    near = {chunk.chunk_id: chunk for result in results for chunk in result.neighbours}
    if not budget:
        return hits | near, 0
    taken, places = dict[str, Chunk](), _Places()
    used = left_out = 0
    for name, chunk in (hits | near).items():
        cost = 0 if places.hold(chunk) else counter.count(_text(chunk))
        cost += counter.count(_heading(len(taken) + 1, chunk)) if cost and not places.touch(chunk) else 0
        if used + cost <= budget:
            taken[name], used = chunk, used + cost
            places.add(chunk)
        else:
            left_out += name in hits
    return taken, left_out


class _Places:
    """Runs of text in the context, per document: (start of the gap before, start, end)."""

    def __init__(self) -> None:
        self._runs: dict[str, list[tuple[int, int, int]]] = {}

    def hold(self, chunk: Chunk) -> bool:
        """Whether the text was taken already, as a part of another."""
        runs = self._runs.get(chunk.doc_id, ()) if chunk.content else ()
        return any(start <= chunk.start and chunk.end <= end for _, start, end in runs)

    def touch(self, chunk: Chunk) -> bool:
        """Whether the text makes one passage with one that was taken, so that it needs no citation of its own."""
        runs = self._runs.get(chunk.doc_id, ()) if chunk.content else ()
        return any(_meet(run, _reach(chunk)) for run in runs)

    def add(self, chunk: Chunk) -> None:
        """Take a text."""
        if chunk.content:
            run, others = _reach(chunk), self._runs.get(chunk.doc_id, [])
            joined = [run, *(other for other in others if _meet(other, run))]
            whole = (min(joined)[0], min(one[1] for one in joined), max(one[2] for one in joined))
            self._runs[chunk.doc_id] = [whole, *(other for other in others if not _meet(other, run))]


def _reach(chunk: Chunk) -> tuple[int, int, int]:
    """Where the chunk before it ends, its start and its end."""
    return chunk.start - len(str(chunk.metadata.get("gap", ""))), chunk.start, chunk.end


def _meet(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    """Whether no text is missing between two runs."""
    first, second = sorted((one, other), key=lambda run: run[1])
    return second[0] <= first[2]


def _context(
    results: Sequence[Result],
    taken: dict[str, Chunk],
    budget: int,
    left_out: int,
    counter: Counter,
    known: KnownPassages,
) -> Context:
    pairs = [(result.chunk, result.neighbours) for result in results]
    wanted = [
        (hit if hit.chunk_id in taken else None, [chunk for chunk in near if chunk.chunk_id in taken])
        for hit, near in pairs
    ]
    sources = tuple(_numbered(_cited(wanted, known), counter))
    text = _SEAM.join(f"[{source.number}] {source.citation}\n{source.text}" for source in sources)
    return Context(text, sum(source.tokens for source in sources), sources, budget, left_out)


def _cited(wanted: Iterable[tuple[Chunk | None, Sequence[Chunk]]], known: KnownPassages) -> list[CitedPassage]:
    """The passages of each document, documents in the order of their best results."""
    chunks: dict[str, dict[str, Chunk]] = {}
    for hit, near in wanted:
        for chunk in (hit, *near):
            if chunk is not None:
                chunks.setdefault(chunk.doc_id, {})[chunk.chunk_id] = chunk
    found = list[CitedPassage]()
    for by_id in chunks.values():
        made_of = tuple(by_id)
        if made_of not in known:
            known[made_of] = tuple(CitedPassage(chunk, ids, cite(chunk)) for chunk, ids in _sources(by_id))
        found += known[made_of]
    return found


def _sources(by_id: Mapping[str, Chunk]) -> Iterator[tuple[Chunk, tuple[str, ...]]]:
    """Each passage of one document as one chunk, with the ids of what it is made of: a summary before the text it is
    of.
    """
    for chunk in by_id.values():
        if not chunk.content:
            yield chunk, (chunk.chunk_id,)
    for passage in passages((chunk, ()) for chunk in by_id.values()):
        yield _whole(passage, [by_id[name] for name in passage.chunk_ids]), passage.chunk_ids


def _whole(passage: ContextPassage, chunks: Sequence[Chunk]) -> Chunk:
    """A passage as one chunk, for its citation."""
    path = tuple(titles[0] for titles in takewhile(_alike, zip(*(chunk.title_path for chunk in chunks), strict=False)))
    pages = tuple(page for chunk in chunks for page in chunk.pages)
    return replace(chunks[0], content=passage.text, start=passage.start, end=passage.end, title_path=path, pages=pages)


def _alike(titles: Sequence[str]) -> bool:
    return len(set(titles)) == 1


def _numbered(found: Sequence[CitedPassage], counter: Counter) -> list[ContextSource]:
    rows = enumerate(zip(found, _counts(found, counter), strict=True), start=1)
    return [
        ContextSource(
            number,
            one.citation,
            one.chunk.doc_id,
            one.chunk.start,
            one.chunk.end,
            count,
            _text(one.chunk),
            one.chunk_ids,
        )
        for number, (one, count) in rows
    ]


def _counts(found: Sequence[CitedPassage], counter: Counter) -> list[int]:
    """Tokens of each passage under its heading: a passage at a time, so that those of a context add up.

    Where a token may reach over white space, the seam to the next passage is counted with the passage before it.
    """
    headings = [f"[{number}] {one.citation}" for number, one in enumerate(found, start=1)]
    texts = [_text(one.chunk) for one in found]
    if counter.crosses_space:
        seams = [_SEAM] * (len(found) - 1) + [""]
        whole = [f"{heading}\n{text}{seam}" for heading, text, seam in zip(headings, texts, seams, strict=False)]
        return [int(count) for count in counter.count_each(whole)]
    return [int(count) for count in counter.count_each(headings) + counter.count_each(texts)]


def _heading(number: int, chunk: Chunk) -> str:
    return f"[{number}] {cite(chunk)}"


def _text(chunk: Chunk) -> str:
    return chunk.content or chunk.summary
