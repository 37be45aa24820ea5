"""What each of two readings of a file has that the other has not: words, put together into passages.

The two may have their text in another order (columns, slides, notes), so words are not aligned: those that stand in
three equal
ones in a row are the same, wherever they are; of the others as many as the other reading has left of them. What remains
is in one
reading alone. Case, white space, punctuation and the commas in numbers do not count.
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
from chunking.parsing.second_parser.unstructured_reader import MAX_CHARACTERS, SecondElement

__all__ = ["Reader", "ReadingComparison", "UnmatchedPassage", "check_size", "compare"]

_ALONE = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"\d{{1,3}}(?:,\d{{3}})+(?!\d)|[{_ALONE}]|[^\W_{_ALONE}]+")
"""A number with the commas of its thousands; a Chinese or Japanese character; other letters and digits in a row."""
_FENCE = re.compile(r"^[ \t>]*(?:```+|~~~+)[^\n]*", re.MULTILINE)
_RUN = 3
"""Equal words in a row that are the same place in both."""
_GAP = 2
"""Words that both have between two that one has alone, at most, for the two to be one passage."""
_PARTS = 80
"""Parts of a reading in the picture."""


class UnmatchedPassage(NamedTuple):
    """Words in a row that one reading has alone."""

    text: str
    start: int
    """Where they begin in that reading's text."""
    words: int
    """How many of them it has alone."""


class Reader(NamedTuple):
    """One of the two readings, and what the other one misses of it."""

    words: int
    missed: int
    """Words that the other reading has not."""
    passages: tuple[UnmatchedPassage, ...]
    """In their order."""
    shares: tuple[float, ...]
    """(parts,) from beginning to end: the share of the words that the other has not."""
    starts: tuple[int, ...]
    """Where each of its elements starts in its text, for finding the element of a passage."""

    def element_at(self, start: int) -> int:
        """Number of the element that a passage is in."""
        return max(bisect_right(self.starts, start) - 1, 0)


class ReadingComparison(NamedTuple):
    """Two readings of a file."""

    ours: Reader
    theirs: Reader


class _Words(NamedTuple):
    text: str
    words: list[str]
    places: list[tuple[int, int]]


def check_size(document: Document) -> None:
    """Before its file is read a second time.

    Raises:
        TooLargeError: the document is too long to be compared.
    """
    if len(document.text) > MAX_CHARACTERS:
        message = (
            f"{document.source} has {len(document.text):,} characters; documents of up to {MAX_CHARACTERS:,} are "
            f"compared."
        )
        raise TooLargeError(message, where=document.source)


def compare(document: Document, elements: Sequence[SecondElement]) -> ReadingComparison:
    """What a document and the elements of the other reader have alone.

    What is left out of chunks counts as read. Of Markdown the lines of fences are markup. Links of the elements are
    taken as read.
    """
    ours = _words(document.text, _FENCE if document.format == "markdown" else None)
    text = "\n\n".join(
        one.text.replace("\\n", "\n ") for one in elements
    )  # as some of its tables spell a line end in a cell
    theirs = _words(text, None)
    links = [_plain(word) for one in elements for word in _WORD.findall(one.links)]
    starts = accumulate((len(one.text) + 2 for one in elements[:-1]), initial=0) if elements else iter(())
    return ReadingComparison(
        _reader(ours, _alone(ours.words, theirs.words, links), [block.start for block in document.blocks]),
        _reader(theirs, _alone(theirs.words, ours.words, []), list(starts)),
    )


def _words(text: str, markup: re.Pattern[str] | None) -> _Words:
    skipped = iter(markup.finditer(text)) if markup else iter(())
    skip = next(skipped, None)
    words, places = [], []
    for found in _WORD.finditer(text):
        start = found.start()
        while skip and skip.end() <= start:
            skip = next(skipped, None)
        if skip and skip.start() <= start:
            continue
        words.append(_plain(found[0]))
        places.append(found.span())
    return _Words(text, words, places)


def _plain(word: str) -> str:
    return word.casefold().replace(",", "")


def _alone(words: Sequence[str], other: Sequence[str], beside: Sequence[str]) -> list[bool]:
    """Which words the other reading has not."""
    left = Counter(other)
    runs = set(zip(*(other[number:] for number in range(_RUN)), strict=False))
    same = [False] * len(words)
    for number, run in enumerate(zip(*(words[number:] for number in range(_RUN)), strict=False)):
        if run in runs:
            same[number : number + _RUN] = [True] * _RUN
    left.subtract(word for word, known in zip(words, same, strict=True) if known)
    left.update(beside)
    alone = [not known for known in same]
    for number, word in enumerate(words):
        if alone[number] and left[word] > 0:
            left[word] -= 1
            alone[number] = False
    return alone


def _reader(read: _Words, alone: Sequence[bool], starts: Sequence[int]) -> Reader:
    total, parts = len(alone), min(_PARTS, len(alone))
    edges = [total * part // parts for part in range(parts + 1)] if parts else [0]
    shares = tuple(sum(alone[low:high]) / (high - low) for low, high in pairwise(edges))
    return Reader(total, sum(alone), tuple(_passages(read, alone, starts)), shares, tuple(starts))


def _passages(read: _Words, alone: Sequence[bool], starts: Sequence[int]) -> Iterator[UnmatchedPassage]:
    """Runs of such words inside an element."""
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
