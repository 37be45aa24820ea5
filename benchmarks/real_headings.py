"""Headings of real PDFs read without bookmarks, compared with the bookmarks: titles and parents.

A file counts if its bookmarks are good: `FEWEST` or more, titles rather than whole paragraphs. Only bookmarks whose
words are printed where they lead are scored; their number is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from rapidfuzz.distance import LCSseq

from chunking.model import BlockType, Document, Section
from chunking.parsing import parse
from chunking.parsing.formats.pdf.headings.bookmarks import Bookmark, read_bookmarks
from chunking.parsing.formats.pdf.pages import page_reading
from chunking.parsing.headings.heading_labels import keys_of, squeezed
from chunking.parsing.headings.numbering import numbering_of

__all__ = ["RealScore", "good_bookmarks", "parse_hidden", "real_score"]

FEWEST = 5
_LONGEST = 120
"""Maximum characters of a title; longer bookmarks are paragraphs."""
_MOST_LONG = 0.1
"""Maximum share of a file's bookmarks that are paragraphs."""
_PRINTED = 0.5
"""Minimum share of bookmarks whose words are printed where they lead."""
_NEAR = 1
"""Maximum distance in pages between a bookmark and its heading."""
_MORE = 0.5, 14
"""Maximum excess of a heading over its bookmark: share of letters, and letters (a date, a label)."""


@dataclass(frozen=True, slots=True)
class RealScore:
    """Score of a file: how many bookmarks were found as headings."""

    name: str
    wanted: int
    """Bookmarks whose words are printed where they lead."""
    bookmarks: int
    found: int
    parents: int
    """Found headings under the right parent."""
    headings: int
    """Number of headings, with or without a bookmark."""
    missed: tuple[str, ...]
    misplaced: tuple[str, ...]

    @property
    def recall(self) -> float:
        return self.found / max(self.wanted, 1)

    @property
    def right_parent(self) -> float:
        return self.parents / max(self.found, 1)


def good_bookmarks(data: bytes) -> list[Bookmark]:
    """Return a file's bookmarks if they are good, else none."""
    import pypdfium2

    try:
        marks = read_bookmarks(pypdfium2.PdfDocument(data))
    except pypdfium2.PdfiumError:
        return []
    long = sum(len(mark.title) > _LONGEST for mark in marks)
    return marks if len(marks) >= FEWEST and long <= _MOST_LONG * len(marks) else []


def real_score(path: Path) -> RealScore | None:
    """Score a file with hidden bookmarks; None if it has no good ones."""
    data = path.read_bytes()
    marks = good_bookmarks(data)
    if not marks:
        return None
    document = parse_hidden(data, path.name)
    printed = _printed(marks, document)
    if sum(printed) < max(_PRINTED * len(marks), FEWEST):
        return None
    marks_in_text = [mark for mark, there in zip(marks, printed, strict=True) if there]
    return _score(path.stem, marks_in_text, len(marks), document)


def parse_hidden(data: bytes, name: str) -> Document:
    """Parse a PDF without its bookmarks."""
    with patch.object(page_reading, "read_bookmarks", return_value=[]):
        return parse(data, name)


def _printed(marks: Sequence[Bookmark], document: Document) -> list[bool]:
    """Return for each title whether its words are close together near its page."""
    pages: dict[int, list[str]] = {}
    for place in document.locations:
        pages.setdefault(place.page, []).append(document.text[place.start : place.end])
    texts = {page: squeezed(" ".join(parts)) for page, parts in pages.items()}
    bare = [keys_of(mark.title)[1] for mark in marks]
    return [
        len(title) > 1 and any(title in texts.get(mark.page + step, "") for step in range(-_NEAR, _NEAR + 1))
        for mark, title in zip(marks, bare, strict=True)
    ]


def _score(name: str, marks: Sequence[Bookmark], bookmarks: int, document: Document) -> RealScore:
    heads = list(_heads(document))
    by_head: dict[int, int] = {}
    for n, mark in enumerate(marks):
        fits = [
            at
            for at, (page, _, keys) in enumerate(heads)
            if at not in by_head and abs(page - mark.page) <= _NEAR and _same(mark, keys)
        ]
        if fits:
            by_head[min(fits, key=lambda at: (abs(heads[at][0] - mark.page), at))] = n
    at_mark = {n: at for at, n in by_head.items()}
    parents = _parents(marks)
    ids = {section.section_id: section for section in document.sections}
    by_id = {heads[at][1].section_id: n for at, n in by_head.items()}
    wrong = []
    for n in sorted(at_mark):
        parent = heads[at_mark[n]][1].parent_id
        while parent is not None and parent not in by_id:
            parent = ids[parent].parent_id
        is_under = None if parent is None else by_id[parent]
        if is_under != parents[n]:
            wrong.append(f"{marks[n].title} (under {None if is_under is None else marks[is_under].title})")
    missed = tuple(f"page {mark.page}: {mark.title}" for n, mark in enumerate(marks) if n not in at_mark)
    return RealScore(
        name, len(marks), bookmarks, len(at_mark), len(at_mark) - len(wrong), len(heads), missed, tuple(wrong)
    )


def _heads(document: Document) -> Iterator[tuple[int, Section, tuple[str, str]]]:
    """Yield page, section and keys of each heading."""
    sections = {section.start: section for section in document.sections}
    for block in document.blocks:
        if block.type is BlockType.HEADING and block.start in sections:
            yield block.page or 0, sections[block.start], keys_of(document.text[block.start : block.end])


def _same(mark: Bookmark, keys: tuple[str, str]) -> bool:
    """True if a heading equals a bookmark, or says a little more."""
    full, bare = keys_of(mark.title)
    if full in keys or bare in keys:
        return True
    share, more = _MORE
    return (
        len(bare) > 3
        and len(keys[0]) <= (1 + share) * len(bare) + more
        and LCSseq.similarity(bare, keys[0]) == len(bare)
    )


def _parents(marks: Sequence[Bookmark]) -> list[int | None]:
    """Return each bookmark's parent: by nesting, or by numbers (1.3.1 under 1.3) if nothing nests."""
    if len({mark.level for mark in marks}) > 1:
        matches: list[int | None] = []
        stack: list[int] = []
        for n, mark in enumerate(marks):
            while stack and marks[stack[-1]].level >= mark.level:
                stack.pop()
            matches.append(stack[-1] if stack else None)
            stack.append(n)
        return matches
    numbers = [numbering.numbers if (numbering := numbering_of(mark.title)) else () for mark in marks]
    places = {number: n for n, number in reversed(list(enumerate(numbers))) if number}
    return [
        next((places[number[:k]] for k in range(len(number) - 1, 0, -1) if number[:k] in places), None)
        for number in numbers
    ]
