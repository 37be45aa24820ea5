"""Places of a document that read almost like a quote: other words here and there, some left out, some put in.

As in sequence search (seed and extend; Altschul et al. 1990): every word the two have in common votes for where the quote
would begin, weighed by how rare it is; the few places with the most votes are compared word by word. The work is bounded
whatever is looked for: by the words of the quote that are looked at, and by the places one of them votes for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from chunking.evaluation.questions.question import Answer
from chunking.model import Document

__all__ = ["near_misses"]

_ALONE = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_WORD = re.compile(rf"[^\W_{_ALONE}]+|[{_ALONE}]")
"""A word, or a character of a script without spaces."""
_IS_WORD, _IS_ALONE = re.compile(rf"[^\W_{_ALONE}]"), re.compile(f"[{_ALONE}]")
_BEFORE, _AFTER = re.compile(r"[^\w\s]{1,4}"), re.compile(r"[^\w\s]{1,4}\Z")
_LEAST_WORDS = 2
_MOST_PLACES = 2_000
"""Places of a document for which one word votes."""
_COMPARED = 100
"""Words of a quote that vote and are compared; of a longer one, at either end."""
_CANDIDATES = 5
_LEAST_ALIKE = 0.55
"""Share of words, on both sides together, that are the same and in order."""
_LETTERS = 6_000
"""Of a quote that are looked at, at either end."""


def near_misses(quote: str, document: Document, most: int = 3) -> tuple[Answer, ...]:
    """The places that share most of a quote's words in its order, the best first.

    Of a long quote its beginning and its end are looked for, and what lies between is taken as it is.

    Args:
        most: places; they do not overlap.
    Returns:
        Spans from the first word in common to the last; none where less than about half of the words is.
    """
    head, tail = _words(quote[:_LETTERS])[:_COMPARED], _words(quote[-_LETTERS:])[-_COMPARED:]
    words = _indexed(document.text)
    if len(head) < _LEAST_WORDS or not len(words.starts):
        return ()
    found = _found(head, words)
    if len(quote) > _LETTERS or len(_words(quote)) > _COMPARED:
        found = _joined(found, _found(tail, words), len(quote))
    kept: list[tuple[int, int]] = []
    for alike, start, end in sorted(found, key=lambda place: (-place[0], place[1])):
        if alike >= _LEAST_ALIKE and not any(start < after and first < end for first, after in kept):
            kept.append((start, end))
    whole = [_with_marks(quote.strip(), document.text, start, end) for start, end in kept[:most]]
    return tuple(Answer(document.doc_id, start, end, document.text[start:end]) for start, end in whole)


Place = tuple[float, int, int]
"""(share alike, start, end)."""


def _found(wanted: list[str], words: _Words) -> list[Place]:
    return [_compared(wanted, words, first) for first in _candidates(wanted, words)]


def _joined(heads: list[Place], tails: list[Place], length: int) -> list[Place]:
    """Beginnings with the ends that are about as far behind them as the quote is long."""
    pairs = ((head, tail) for head in heads for tail in tails if head[0] and length / 2 <= tail[2] - head[1] <= 2 * length)
    return [((head[0] + tail[0]) / 2, head[1], tail[2]) for head, tail in pairs]


def _with_marks(quote: str, text: str, start: int, end: int) -> tuple[int, int]:
    """A span with the marks before its first word and behind its last one that the quote has there too."""
    before, after = _BEFORE.match(quote), _AFTER.search(quote)
    while before and start > 0 and text[start - 1] in before[0]:
        start -= 1
    while after and end < len(text) and text[end] in after[0]:
        end += 1
    return start, end


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a document, as numbers."""

    numbers: dict[str, int]
    ids: NDArray[np.int32]
    """(n,) number of each."""
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    """(n,) offsets."""
    order: NDArray[np.int32]
    """(n,) places by number, then as they stand."""
    firsts: NDArray[np.int64]
    """(different + 1,) where in `order` a number begins."""

    def places(self, word: str) -> NDArray[np.int32]:
        """Where a word stands, in words."""
        number = self.numbers.get(word)
        return self.order[:0] if number is None else self.order[self.firsts[number] : self.firsts[number + 1]]


@lru_cache(maxsize=4)
def _indexed(text: str) -> _Words:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = np.zeros(int(codes.max(initial=0)) + 1, np.int8)
    for char in set(text):
        kinds[ord(char)] = 2 if _IS_ALONE.match(char) else 1 if _IS_WORD.match(char) else 0
    kind = np.concatenate(([0], kinds[codes], [0]))
    starts = np.flatnonzero((kind[1:-1] == 2) | ((kind[1:-1] == 1) & (kind[:-2] != 1))).astype(np.int32)
    ends = np.flatnonzero((kind[1:-1] == 2) | ((kind[1:-1] == 1) & (kind[2:] != 1))).astype(np.int32) + 1
    numbers: dict[str, int] = {}
    ids = np.array([numbers.setdefault(word.lower(), len(numbers)) for word in _WORD.findall(text)], np.int32)
    firsts = np.concatenate(([0], np.cumsum(np.bincount(ids, minlength=len(numbers)))))
    order = np.argsort(ids, kind="stable").astype(np.int32)
    return _Words(numbers, ids, starts, ends, order, firsts)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _candidates(wanted: list[str], words: _Words) -> Iterator[int]:
    """Where the quote may begin, in words: the places that get the most votes."""
    voting = [(len(words.places(word)), at, word) for at, word in enumerate(wanted) if word in words.numbers]
    if not voting:
        return
    width = max(4, len(wanted) // 4)
    begins = [words.places(word)[:_MOST_PLACES].astype(np.int64) - at + len(wanted) for _, at, word in voting]  # never negative
    weights = [np.full(len(some), 1.0 / (1.0 + np.log1p(count))) for some, (count, _, _) in zip(begins, voting, strict=True)]
    where, weight = np.concatenate(begins), np.concatenate(weights)
    votes = np.bincount(where // width, weight)
    votes[:-1] += votes[1:]  # a quote with words put in or left out has its votes in two neighbours
    for _ in range(_CANDIDATES):
        best = int(votes.argmax())
        if votes[best] <= 0:
            return
        inside = (where >= best * width) & (where < (best + 2) * width)
        yield best * width + int(np.bincount(where[inside] - best * width, weight[inside]).argmax()) - len(wanted)
        votes[max(best - 1, 0) : best + 2] = 0


def _compared(wanted: list[str], words: _Words, begin: int) -> Place:
    """(share alike, start, end) of what the document has around a place, word by word."""
    slack = max(3, len(wanted) // 4)
    low, high = max(begin - slack, 0), min(begin + len(wanted) + slack, len(words.ids))
    if low >= high:
        return 0.0, 0, 0
    blocks = _blocks(wanted, words, low, high)
    if not blocks:
        return 0.0, 0, 0
    last, size = blocks[-1]
    return _alike(blocks, len(wanted)), int(words.starts[blocks[0][0]]), int(words.ends[last + size - 1])


def _blocks(wanted: list[str], words: _Words, low: int, high: int) -> list[tuple[int, int]]:
    """(place in [low, high), words) of each run of words that are the same, in order, without stray ones at the edges."""
    there = words.ids[low:high].tolist()
    matcher = SequenceMatcher(None, [words.numbers.get(word, -1) for word in wanted], there, autojunk=False)
    blocks = [(low + block.b, block.size) for block in matcher.get_matching_blocks() if block.size]
    while len(blocks) > 1:  # a stray word at an edge makes the place longer than it is alike
        shorter = max((blocks[1:], blocks[:-1]), key=lambda some: _alike(some, len(wanted)))
        if _alike(shorter, len(wanted)) < _alike(blocks, len(wanted)):
            break
        blocks = shorter
    return blocks


def _alike(blocks: list[tuple[int, int]], length: int) -> float:
    """Share of words that are the same, of the quote's and of those from the first block to the last."""
    first, (last, size) = blocks[0][0], blocks[-1]
    return 2 * sum(size for _, size in blocks) / (length + last + size - first)
