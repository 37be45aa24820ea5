"""The context for a language model: cited passages within a token budget, and its cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, takewhile
from typing import NamedTuple, Protocol

import numpy as np

from chunking.model import Chunk
from chunking.retrieval.context.expansion import ContextPassage, passages
from chunking.retrieval.results.citation import cite
from chunking.retrieval.results.search_result import Context, ContextSource, Cost, Result

__all__ = ["Counter", "PassageCache", "assemble", "costs", "hit_tokens"]

_SEAM = "\n\n"
"""Separator of two passages."""


class Counter(Protocol):
    """Interface of a token counter: a `splitting.TokenCounter`, or a caching one."""

    crosses_space: bool
    """True if a token may cross white space, so that counts of words do not add up."""

    def count(self, text: str) -> int:
        """Count the tokens of a text."""

    def count_each(self, texts: Sequence[str]) -> np.ndarray:
        """Count the tokens of each text, (len(texts),) int32."""


class CitedPassage(NamedTuple):
    """Passage as one chunk, with its citation."""

    chunk: Chunk
    chunk_ids: tuple[str, ...]
    """Ids of the joined chunks, in reading order."""
    citation: str


PassageCache = dict[tuple[tuple[str, int, int], ...], tuple[CitedPassage, ...]]
"""Passages of one document by the ids and spans of their chunks, in order of rank."""


def assemble(results: Sequence[Result], budget: int, counter: Counter, cache: PassageCache | None = None) -> Context:
    """Assemble complete results by rank within the budget, then neighbours in the remaining room.

    A result that does not fit is skipped; smaller ones after it may still fit. Adjacent and overlapping texts are one
    passage. Documents are ordered by their best results, and passages of a document by position.

    Args:
        results: best first.
        budget: maximum tokens of the complete text, citations included; 0: no limit.
        counter: of the embedding model's tokenizer.
        cache: passages of earlier contexts of the same index; those of this one are added.
    """
    cache = {} if cache is None else cache
    selected, left_out = _selected(results, budget, counter)
    context = _context(results, selected, budget, left_out, counter, cache)
    while budget and context.tokens > budget and selected:  # a token may reach over the seam between two texts
        dropped = selected.popitem()[0]
        left_out += any(result.chunk.chunk_id == dropped for result in results)
        context = _context(results, selected, budget, left_out, counter, cache)
    return context


def _selected(results: Sequence[Result], budget: int, counter: Counter) -> tuple[dict[str, Chunk], int]:
    """Return the chunks that fit the budget by id, and the number of results that do not."""
    hits = {result.chunk.chunk_id: result.part for result in results}
    neighbours = {
        chunk.chunk_id: chunk for result in results for chunk in result.neighbours if chunk.chunk_id not in hits
    }
    if not budget:
        return hits | neighbours, 0
    selected, runs = dict[str, Chunk](), _TextRuns()
    used = left_out = 0
    for name, chunk in (hits | neighbours).items():
        cost = 0 if runs.contain(chunk) else counter.count(_text(chunk))
        cost += counter.count(_heading(len(selected) + 1, chunk)) if cost and not runs.touch(chunk) else 0
        if used + cost <= budget:
            selected[name], used = chunk, used + cost
            runs.add(chunk)
        else:
            left_out += name in hits
    return selected, left_out


class _TextRuns:
    """Runs of text in the context, per document: (start of the gap before, start, end)."""

    def __init__(self) -> None:
        self._runs: dict[str, list[tuple[int, int, int]]] = {}

    def contain(self, chunk: Chunk) -> bool:
        """True if the text is part of an added text."""
        runs = self._runs.get(chunk.doc_id, ()) if chunk.content else ()
        return any(start <= chunk.start and chunk.end <= end for _, start, end in runs)

    def touch(self, chunk: Chunk) -> bool:
        """True if the text continues an added text, so that it needs no citation of its own."""
        runs = self._runs.get(chunk.doc_id, ()) if chunk.content else ()
        return any(_meet(run, _reach(chunk)) for run in runs)

    def add(self, chunk: Chunk) -> None:
        """Add a text."""
        if chunk.content:
            run, others = _reach(chunk), self._runs.get(chunk.doc_id, [])
            joined = [run, *(other for other in others if _meet(other, run))]
            union = (min(joined)[0], min(one[1] for one in joined), max(one[2] for one in joined))
            self._runs[chunk.doc_id] = [union, *(other for other in others if not _meet(other, run))]


def _reach(chunk: Chunk) -> tuple[int, int, int]:
    """Return the end of the previous chunk, the chunk's start and its end."""
    return chunk.start - len(str(chunk.metadata.get("gap", ""))), chunk.start, chunk.end


def _meet(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    """True if two runs touch or overlap."""
    first, second = sorted((one, other), key=lambda run: run[1])
    return second[0] <= first[2]


def _context(
    results: Sequence[Result],
    selected: dict[str, Chunk],
    budget: int,
    left_out: int,
    counter: Counter,
    cache: PassageCache,
) -> Context:
    ids = {result.chunk.chunk_id for result in results}
    fitting = [
        (
            result.part if result.chunk.chunk_id in selected else None,
            [one for one in result.neighbours if one.chunk_id in selected and one.chunk_id not in ids],
        )
        for result in results
    ]
    sources = tuple(_numbered(_cited(fitting, cache), counter))
    text = _SEAM.join(f"[{source.number}] {source.citation}\n{source.text}" for source in sources)
    return Context(text, sum(source.tokens for source in sources), sources, budget, left_out)


def _cited(selected: Iterable[tuple[Chunk | None, Sequence[Chunk]]], cache: PassageCache) -> list[CitedPassage]:
    """Return the passages of each document, documents ordered by their best results."""
    chunks: dict[str, dict[str, Chunk]] = {}
    for hit, neighbours in selected:
        for chunk in (hit, *neighbours):
            if chunk is not None:
                chunks.setdefault(chunk.doc_id, {})[chunk.chunk_id] = chunk
    passages = list[CitedPassage]()
    for by_id in chunks.values():
        made_of = tuple((chunk.chunk_id, chunk.start, chunk.end) for chunk in by_id.values())
        if made_of not in cache:
            cache[made_of] = tuple(CitedPassage(chunk, ids, cite(chunk)) for chunk, ids in _sources(by_id))
        passages += cache[made_of]
    return passages


def _sources(by_id: Mapping[str, Chunk]) -> Iterator[tuple[Chunk, tuple[str, ...]]]:
    """Yield each passage of a document as one chunk, with the ids of its chunks; summaries come first."""
    for chunk in by_id.values():
        if not chunk.content:
            yield chunk, (chunk.chunk_id,)
    for passage in passages((chunk, ()) for chunk in by_id.values()):
        yield _joined(passage, [by_id[name] for name in passage.chunk_ids]), passage.chunk_ids


def _joined(passage: ContextPassage, chunks: Sequence[Chunk]) -> Chunk:
    """Convert a passage to one chunk, for its citation."""
    path = tuple(titles[0] for titles in takewhile(_alike, zip(*(chunk.title_path for chunk in chunks), strict=False)))
    pages = tuple(page for chunk in chunks for page in chunk.pages)
    return replace(chunks[0], content=passage.text, start=passage.start, end=passage.end, title_path=path, pages=pages)


def _alike(titles: Sequence[str]) -> bool:
    return len(set(titles)) == 1


def _numbered(passages: Sequence[CitedPassage], counter: Counter) -> list[ContextSource]:
    rows = enumerate(zip(passages, _counts(passages, counter), strict=True), start=1)
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
            one.chunk.language,
        )
        for number, (one, count) in rows
    ]


def _counts(passages: Sequence[CitedPassage], counter: Counter) -> list[int]:
    """Count the tokens of each passage with its heading, separately, so that they add up.

    If tokens cross white space, the separator after a passage is counted with it.
    """
    headings = [f"[{number}] {one.citation}" for number, one in enumerate(passages, start=1)]
    texts = [_text(one.chunk) for one in passages]
    if counter.crosses_space:
        seams = [_SEAM] * (len(passages) - 1) + [""]
        texts_with_headings = [
            f"{heading}\n{text}{seam}" for heading, text, seam in zip(headings, texts, seams, strict=False)
        ]
        return [int(count) for count in counter.count_each(texts_with_headings)]
    return [int(count) for count in counter.count_each(headings) + counter.count_each(texts)]


def _heading(number: int, chunk: Chunk) -> str:
    return f"[{number}] {cite(chunk)}"


def _text(chunk: Chunk) -> str:
    return chunk.content or chunk.summary


# -- costs in tokens


def hit_tokens(result: Result, counter: Counter) -> int:
    """Count the tokens of a result's prefix and of what is left of its content.

    `Chunk.token_count` counts the embedded text.
    """
    return counter.count(result.part.counted_text)


def costs(results: Sequence[Result], budget: int, counter: Counter) -> tuple[Cost, ...]:
    """Return the cost of the first result, the first two, and so on: item k - 1 is for `k` results.

    A cost is the tokens of the hits alone, and those of their context within the budget.

    Args:
        results: best first.
        budget: maximum tokens of the context; 0: no limit.
        counter: of the embedding model's tokenizer; each different text is counted once.
    """
    once, passages = _CountedOnce(counter), PassageCache()
    first = (results[:count] for count in range(1, len(results) + 1))
    hits = accumulate(hit_tokens(result, once) for result in results)
    return tuple(
        Cost(tokens, assemble(some, budget, once, passages).tokens) for tokens, some in zip(hits, first, strict=True)
    )


class _CountedOnce:
    """A caching counter: the contexts of two and of three results share most of their texts."""

    def __init__(self, counter: Counter) -> None:
        self.crosses_space = counter.crosses_space
        self._counter = counter
        self._counts: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Count the tokens of a text, from the cache if possible."""
        tokens = self._counts.get(text)
        if tokens is None:
            tokens = self._counts[text] = self._counter.count(text)
        return tokens

    def count_each(self, texts: Sequence[str]) -> np.ndarray:
        """Count the tokens of each text, (len(texts),) int32."""
        return np.array([self.count(text) for text in texts], np.int32)
