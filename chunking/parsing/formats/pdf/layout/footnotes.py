"""Footnotes: small text at the foot of a page or column that begins with a mark to which a raised mark of the page
refers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.formats.pdf.layout.lines import PdfLine
from chunking.text.raised_text import MARK, label_of, marked_parts, may_be_mark

__all__ = ["Footnote", "Notes", "find_footnotes"]

_SMALL = 0.95
"""Times the size of the body's text: footnotes are smaller."""
_SAME = 0.08
"""Sizes of the lines of one footnote differ by a smaller share."""
_NEAR = 1.5
"""In heights: its lines are no further apart."""
_HIGHEST = 0.3
"""Share of a page's height above which no footnote begins."""
_PLAIN_MARK = re.compile(r"(\d{1,3}[).]?)\s+\S|(\d{1,3}\))\s*\S|(\d{1,2})(?=[^\W\da-z_])|([*∗†‡§¶]{1,3})\s*\S")
_SYMBOL = re.compile(r"[*∗†‡§¶]+")


@dataclass(slots=True)
class Footnote:
    """A footnote, and the mark that refers to it."""

    number: int
    """From 1, in the order of the document."""
    mark: str
    """As its page has it, without brackets and stops: `1`, `*`."""
    lines: list[PdfLine]
    """The first begins after the mark."""
    reference: int
    """Index of the line that has the mark, among those that are left."""


@dataclass(frozen=True, slots=True)
class Notes:
    """What is left of a document's lines, and its footnotes."""

    kept: tuple[int, ...]
    """Indices of the lines that belong to no footnote."""
    lines: tuple[PdfLine, ...]
    """These lines, with the marks of notes in brackets."""
    footnotes: tuple[Footnote, ...]


@dataclass(slots=True)
class _Found:
    """A footnote while it is read."""

    label: str
    first: int
    """Index of its first line."""
    text_start: int
    """Where its text begins in that line."""
    reference: tuple[int, tuple[int, int]]
    """Index of the line that has its mark, and where."""
    rest: list[int] = field(default_factory=list)
    """Indices of its other lines."""


def find_footnotes(lines: Sequence[PdfLine]) -> Notes:
    """The footnotes of a document, of its lines in reading order without running heads and feet.

    A footnote without a mark that refers to it stays where it is: it may be one of a table, or no footnote at all.
    """
    sizes: Counter[float] = Counter()
    pages: dict[int, list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        sizes[line.size] += len(line.text)
        pages[line.page].append(index)
    body = max(sizes, key=lambda size: sizes[size], default=0.0)
    found: list[_Found] = []
    for page, members in pages.items():
        found += _Page(lines, members, body).footnotes(
            found[-1] if found and lines[found[-1].first].page == page - 1 else None
        )
    return _parted(lines, found)


def _parted(lines: Sequence[PdfLine], found: Sequence[_Found]) -> Notes:
    taken = {index for note in found for index in (note.first, *note.rest)}
    kept = tuple(index for index in range(len(lines)) if index not in taken)
    places = {index: place for place, index in enumerate(kept)}
    linked: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    footnotes = []
    for number, note in enumerate(found, 1):
        line, span = note.reference
        linked[line][span] = number
        first = lines[note.first]
        cut = replace(first, text=first.text[note.text_start :], raised=(), stops=(), lead=0)
        rest = [_with_marks(lines[index], {}) for index in note.rest]
        footnotes.append(Footnote(number, note.label, [cut, *rest], places[line]))
    none: Mapping[tuple[int, int], int] = {}
    shown = tuple(
        _with_marks(_with_symbols(lines[index], linked.get(index, none)), linked.get(index, none)) for index in kept
    )
    return Notes(kept, shown, tuple(footnotes))


def _with_symbols(line: PdfLine, linked: Mapping[tuple[int, int], int]) -> PdfLine:
    """A line whose marks count as raised, also those (`*`) that stand no higher than the rest."""
    return replace(line, raised=tuple(sorted({*line.raised, *linked}))) if linked else line


def _with_marks(line: PdfLine, linked: Mapping[tuple[int, int], int]) -> PdfLine:
    """A line with its raised parts as they are written.

    Args:
        linked: of its raised parts those that refer to a footnote, and that footnote's number.
    """
    if not line.raised:
        return line
    text, notes, moves = "", [], []
    for part, span in marked_parts(line.text, line.raised, linked):
        if span is not None:
            moves.append((span[1], len(part) - (span[1] - span[0])))
            if span in linked:
                notes.append((len(text), linked[span]))
        text += part

    def moved(place: int) -> int:
        return place + sum(by for end, by in moves if end <= place)

    return replace(
        line, text=text, raised=(), notes=tuple(notes), lead=moved(line.lead), stops=tuple(map(moved, line.stops))
    )


class _Page:
    """Looks for the footnotes of one page."""

    def __init__(self, lines: Sequence[PdfLine], members: Sequence[int], body: float) -> None:
        self._lines, self._members = lines, members
        self._small = {index for index in members if lines[index].size < _SMALL * body}
        self._large = [lines[index].bbox for index in members if index not in self._small]

    def footnotes(self, last: _Found | None) -> list[_Found]:
        """Those that begin on the page; the rest of the last one of the page before is added to it."""
        found: list[_Found] = []
        marks = {index: mark for index in self._members if (mark := self._mark(index))}
        references = self._references(marks) if marks else {}
        number = 0
        for index in self._members:
            if index not in self._small:
                continue
            mark = marks.get(index)
            label = label_of(mark) if mark else ""
            is_next = not label.isdigit() or int(label) > number
            reference = (
                next((one for one in references.get(label, ()) if one[0] != index), None) if mark and is_next else None
            )
            if mark and reference and label not in {note.label for note in found}:
                text = self._lines[index].text
                start = len(text) - len(text[len(mark) :].lstrip(" .)"))
                found.append(_Found(label, index, start, reference))
                number = int(label) if label.isdigit() else number
            elif self._may_go_on(found, last, index):
                (found[-1] if found else last).rest.append(index)  # type: ignore[union-attr]
        taken = {index for note in found for index in (note.first, *note.rest)}
        return [note for note in found if note.reference[0] not in taken]

    def _mark(self, index: int) -> str | None:
        """The mark with which a line begins that may be the first of a footnote."""
        line = self._lines[index]
        if index not in self._small or line.angle or line.bbox[1] < _HIGHEST:
            return None
        if line.raised and line.raised[0][0] == 0:
            mark = line.text[: line.raised[0][1]]
            known = mark if MARK.fullmatch(mark) and len(line.text) > len(mark) else None
        else:
            plain = _PLAIN_MARK.match(line.text)
            known = next((group for group in plain.groups() if group), None) if plain else None
        return known if known and self._is_lowest(index) else None

    def _is_lowest(self, index: int) -> bool:
        """Whether nothing but small text stands below a line."""
        left, top, right, _ = self._lines[index].bbox
        return not any(other[1] > top and other[0] < right and other[2] > left for other in self._large)

    def _may_go_on(self, found: Sequence[_Found], last: _Found | None, index: int) -> bool:
        """Whether a line may belong to the footnote before it: below it, or at the foot of the next column or page if
        that is open.
        """
        note = found[-1] if found else last
        if note is None:
            return False
        before, line = self._lines[(note.rest or [note.first])[-1]], self._lines[index]
        if abs(before.size - line.size) > _SAME * before.size or line.angle:
            return False
        if (before.page, before.region) == (line.page, line.region):
            return -1.0 <= (line.bbox[1] - before.bbox[3]) / max(line.bbox[3] - line.bbox[1], 1e-6) < _NEAR
        return (
            before.font == line.font
            and line.bbox[1] > _HIGHEST
            and not ends_sentence(before.text)
            and self._is_lowest(index)
        )

    def _references(self, marks: Mapping[int, str]) -> dict[str, list[tuple[int, tuple[int, int]]]]:
        """Line and place of each raised mark, by its label; the likeliest first."""
        wanted = {label_of(mark) for mark in marks.values()}
        found: dict[str, list[tuple[bool, int, tuple[int, int]]]] = defaultdict(list)
        for index in self._members:
            line = self._lines[index]
            for start, end in self._marks_in(line, wanted):
                if start:
                    label = label_of(line.text[start:end])
                    found[label].append((not may_be_mark(line.text[:start]), index, (start, end)))
        return {label: [(index, span) for _, index, span in sorted(places)] for label, places in found.items()}

    def _marks_in(self, line: PdfLine, wanted: set[str]) -> Iterator[tuple[int, int]]:
        yield from ((start, end) for start, end in line.raised if label_of(line.text[start:end]) in wanted)
        if any(not label.isalnum() for label in wanted):
            for symbol in _SYMBOL.finditer(line.text):
                if (
                    label_of(symbol[0]) in wanted
                    and symbol.span() not in line.raised
                    and line.text[: symbol.start()].strip()
                ):
                    yield symbol.span()
