"""Compare two readings of a file: words that only one has, joined to passages.

The order may differ (columns, slides, notes), so words are not aligned: three equal words in a row match wherever they
are; others match as often as the other reading has left of them. The rest is in one reading alone. Case, white space,
punctuation and the commas in numbers do not count.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from chunking.errors import TooLargeError
from chunking.model import Document
from chunking.parsing.parsers.unstructured_reader import MAX_CHARACTERS, SecondElement

__all__ = ["Reader", "ReadingComparison", "UnmatchedPassage", "check_size", "compare"]

_ALONE = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"\d{{1,3}}(?:,\d{{3}})+(?!\d)|[{_ALONE}]|[^\W_{_ALONE}]+")
"""Number with thousands separators; a Chinese or Japanese character; a run of other letters and digits."""
_FENCE = re.compile(r"^[ \t>]*(?:```+|~~~+)[^\n]*", re.MULTILINE)
_RUN = 3
"""Minimum equal words in a row that match."""
_GAP = 2
"""Most shared words between two unmatched ones of a passage."""
_PARTS = 80
"""Number of parts of a reading in the chart."""


class UnmatchedPassage(NamedTuple):
    """A passage of words that only one reading has, up to two shared words between them."""

    text: str
    start: int
    """Offset in the text of that reading."""
    words: int
    """Number of unmatched words."""


class Reader(NamedTuple):
    """One reading of a file: its number of words, and the words that the other reading lacks."""

    words: int
    missed: int
    """Number of words that the other reading lacks."""
    passages: tuple[UnmatchedPassage, ...]
    """Unmatched passages in order."""
    shares: tuple[float, ...]
    """(parts,) shares of words that the other reading lacks, from start to end."""
    starts: tuple[int, ...]
    """Offsets of the elements in the text, to find the element of a passage."""

    def element_at(self, start: int) -> int:
        """Return the index of the element or block that contains an offset in the text."""
        return max(bisect_right(self.starts, start) - 1, 0)


class ReadingComparison(NamedTuple):
    """Comparison of our reading of a file (`ours`) with the second parser's (`theirs`)."""

    ours: Reader
    theirs: Reader


class _Words(NamedTuple):
    text: str
    words: list[str]
    places: list[tuple[int, int]]


def check_size(document: Document) -> None:
    """Raise TooLargeError if a document has more than `MAX_CHARACTERS`, too many to compare."""
    if len(document.text) > MAX_CHARACTERS:
        message = (
            f"{document.source} has {len(document.text):,} characters; only documents of up to "
            f"{MAX_CHARACTERS:,} are compared."
        )
        raise TooLargeError(message, where=document.source)


def compare(document: Document, elements: Sequence[SecondElement]) -> ReadingComparison:
    """Find the words that only a document has, and those that only the second parser has.

    Text that the document leaves out of chunks counts as read, and so do links of the elements. In Markdown, fence
    lines are markup.
    """
    ours = _words(document.text, _FENCE if document.format == "markdown" else None)
    text = "\n\n".join(
        one.text.replace("\\n", "\n ") for one in elements
    )  # as some of its tables spell a line end in a cell
    theirs = _words(text, None)
    links = [_plain(word) for one in elements for word in _WORD.findall(one.links)]
    starts = accumulate((len(one.text) + 2 for one in elements[:-1]), initial=0) if elements else iter(())
    return ReadingComparison(
        _reader(ours, _unmatched(ours.words, theirs.words, links), [block.start for block in document.blocks]),
        _reader(theirs, _unmatched(theirs.words, ours.words, []), list(starts)),
    )


def _words(text: str, markup: re.Pattern[str] | None) -> _Words:
    skipped = iter(markup.finditer(text)) if markup else iter(())
    skip = next(skipped, None)
    words, places = [], []
    for match in _WORD.finditer(text):
        start = match.start()
        while skip and skip.end() <= start:
            skip = next(skipped, None)
        if skip and skip.start() <= start:
            continue
        words.append(_plain(match[0]))
        places.append(match.span())
    return _Words(text, words, places)


def _plain(word: str) -> str:
    return word.casefold().replace(",", "")


def _unmatched(words: Sequence[str], other: Sequence[str], links: Sequence[str]) -> list[bool]:
    """Mark words that the other reading lacks."""
    remaining = Counter(other)
    runs = set(zip(*(other[number:] for number in range(_RUN)), strict=False))
    same = [False] * len(words)
    for number, run in enumerate(zip(*(words[number:] for number in range(_RUN)), strict=False)):
        if run in runs:
            same[number : number + _RUN] = [True] * _RUN
    remaining.subtract(word for word, is_same in zip(words, same, strict=True) if is_same)
    remaining.update(links)
    alone = [not is_same for is_same in same]
    for number, word in enumerate(words):
        if alone[number] and remaining[word] > 0:
            remaining[word] -= 1
            alone[number] = False
    return alone


def _reader(read: _Words, alone: Sequence[bool], starts: Sequence[int]) -> Reader:
    total, parts = len(alone), min(_PARTS, len(alone))
    edges = [total * part // parts for part in range(parts + 1)] if parts else [0]
    shares = tuple(sum(alone[low:high]) / (high - low) for low, high in pairwise(edges))
    return Reader(total, sum(alone), tuple(_passages(read, alone, starts)), shares, tuple(starts))


def _passages(read: _Words, alone: Sequence[bool], starts: Sequence[int]) -> Iterator[UnmatchedPassage]:
    """Yield runs of unmatched words inside an element."""
    run: list[int] = []
    for number in (number for number, one in enumerate(alone) if one):
        start = read.places[number][0]
        if run and (
            number - run[-1] > _GAP + 1 or bisect_right(starts, start) != bisect_right(starts, read.places[run[0]][0])
        ):
            yield _passage(read, run)
            run = []
        run.append(number)
    if run:
        yield _passage(read, run)


def _passage(read: _Words, run: Sequence[int]) -> UnmatchedPassage:
    start, end = read.places[run[0]][0], read.places[run[-1]][1]
    return UnmatchedPassage(read.text[start:end], start, len(run))
