"""Find footnotes: small text at the foot of a page or column.

A footnote starts with a mark, and a raised mark on the page refers to it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.text.raised_text import MARK, label_of, marked_parts, may_be_mark

__all__ = ["Footnote", "Notes", "find_footnotes"]

_SMALL = 0.95
"""Maximum size of footnotes, relative to the body's text."""
_SAME = 0.08
"""Maximum relative difference of sizes within a footnote."""
_NEAR = 1.5
"""Maximum distance of a footnote's lines, in heights."""
_HIGHEST = 0.3
"""Share of the page's height below which footnotes start."""
_PLAIN_MARK = re.compile(r"(\d{1,3}[).]?)\s+\S|(\d{1,3}\))\s*\S|(\d{1,2})(?=[^\W\da-z_])|([*∗†‡§¶]{1,3})\s*\S")
_SYMBOL = re.compile(r"[*∗†‡§¶]+")


@dataclass(slots=True)
class Footnote:
    """A footnote, its mark, and the line that refers to it."""

    number: int
    """Number from 1, in document order."""
    mark: str
    """Mark as printed, without brackets and stops: `1`, `*`."""
    lines: list[PdfLine]
    """Lines of the note, the first without the mark."""
    reference: int
    """Index of the line with the mark, among the lines without footnotes."""


@dataclass(frozen=True, slots=True)
class Notes:
    """Lines of a document without its footnotes, and the footnotes."""

    line_indices: tuple[int, ...]
    """Indices of the lines outside footnotes."""
    lines: tuple[PdfLine, ...]
    """Lines outside footnotes, with reference marks in brackets."""
    footnotes: tuple[Footnote, ...]


@dataclass(slots=True)
class _OpenNote:
    """A footnote being read."""

    label: str
    first: int
    """Index of its first line."""
    text_start: int
    """Offset of its text in that line."""
    reference: tuple[int, tuple[int, int]]
    """Index of the line with its mark, and the mark's range."""
    rest: list[int] = field(default_factory=list)
    """Indices of its other lines."""


def find_footnotes(lines: Sequence[PdfLine]) -> Notes:
    """Separate footnotes, which marks on their page refer to, from the other lines.

    A footnote without a reference stays where it is: it may belong to a table, or be no footnote at all. Raised
    characters are written out in all lines: `[1]`, `10^6`.

    Args:
        lines: in reading order, without running heads and feet.
    """
    sizes: Counter[float] = Counter()
    pages: dict[int, list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        sizes[line.size] += len(line.text)
        pages[line.page].append(index)
    body = max(sizes, key=lambda size: sizes[size], default=0.0)
    open_notes: list[_OpenNote] = []
    for page, members in pages.items():
        open_notes += _PageNotes(lines, members, body).footnotes(
            open_notes[-1] if open_notes and lines[open_notes[-1].first].page == page - 1 else None
        )
    return _parted(lines, open_notes)


def _parted(lines: Sequence[PdfLine], open_notes: Sequence[_OpenNote]) -> Notes:
    note_lines = {index for note in open_notes for index in (note.first, *note.rest)}
    text_lines = tuple(index for index in range(len(lines)) if index not in note_lines)
    places = {index: place for place, index in enumerate(text_lines)}
    linked: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    footnotes = []
    for number, note in enumerate(open_notes, 1):
        line, span = note.reference
        linked[line][span] = number
        first = lines[note.first]
        cut = replace(first, text=first.text[note.text_start :], raised=(), stops=(), lead=0)
        rest = [_with_marks(lines[index], {}) for index in note.rest]
        footnotes.append(Footnote(number, note.label, [cut, *rest], places[line]))
    none: Mapping[tuple[int, int], int] = {}
    marked = tuple(
        _with_marks(_with_symbols(lines[index], linked.get(index, none)), linked.get(index, none))
        for index in text_lines
    )
    return Notes(text_lines, marked, tuple(footnotes))


def _with_symbols(line: PdfLine, linked: Mapping[tuple[int, int], int]) -> PdfLine:
    """Count marks as raised even if printed on the baseline (`*`)."""
    return replace(line, raised=tuple(sorted({*line.raised, *linked}))) if linked else line


def _with_marks(line: PdfLine, linked: Mapping[tuple[int, int], int]) -> PdfLine:
    """Write out the raised parts of a line.

    Args:
        linked: footnote numbers by the raised parts that refer to them.
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


class _PageNotes:
    """Finder of the footnotes of one page."""

    def __init__(self, lines: Sequence[PdfLine], members: Sequence[int], body: float) -> None:
        self._lines, self._members = lines, members
        self._small = {index for index in members if lines[index].size < _SMALL * body}
        self._large = [lines[index].bbox for index in members if index not in self._small]

    def footnotes(self, last: _OpenNote | None) -> list[_OpenNote]:
        """Footnotes that start on the page; text that continues `last` is appended to it."""
        notes: list[_OpenNote] = []
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
            if mark and reference and label not in {note.label for note in notes}:
                text = self._lines[index].text
                start = len(text) - len(text[len(mark) :].lstrip(" .)"))
                notes.append(_OpenNote(label, index, start, reference))
                number = int(label) if label.isdigit() else number
            elif self._may_go_on(notes, last, index):
                (notes[-1] if notes else last).rest.append(index)  # type: ignore[union-attr]
        note_lines = {index for note in notes for index in (note.first, *note.rest)}
        return [note for note in notes if note.reference[0] not in note_lines]

    def _mark(self, index: int) -> str | None:
        """Mark at the start of a line that could begin a footnote."""
        line = self._lines[index]
        if index not in self._small or line.angle or line.bbox[1] < _HIGHEST:
            return None
        if line.raised and line.raised[0][0] == 0:
            mark = line.text[: line.raised[0][1]]
            candidate = mark if MARK.fullmatch(mark) and len(line.text) > len(mark) else None
        else:
            plain = _PLAIN_MARK.match(line.text)
            candidate = next((group for group in plain.groups() if group), None) if plain else None
        return candidate if candidate and self._is_lowest(index) else None

    def _is_lowest(self, index: int) -> bool:
        """True if only small text is below a line."""
        left, top, right, _ = self._lines[index].bbox
        return not any(other[1] > top and other[0] < right and other[2] > left for other in self._large)

    def _may_go_on(self, notes: Sequence[_OpenNote], last: _OpenNote | None, index: int) -> bool:
        """True if a line may continue the previous footnote: below it, or at the next foot."""
        note = notes[-1] if notes else last
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
        """Lines and ranges of raised marks by label, the likeliest first."""
        labels = {label_of(mark) for mark in marks.values()}
        candidates: dict[str, list[tuple[bool, int, tuple[int, int]]]] = defaultdict(list)
        for index in self._members:
            line = self._lines[index]
            for start, end in self._marks_in(line, labels):
                if start:
                    label = label_of(line.text[start:end])
                    candidates[label].append((not may_be_mark(line.text[:start]), index, (start, end)))
        return {label: [(index, span) for _, index, span in sorted(places)] for label, places in candidates.items()}

    def _marks_in(self, line: PdfLine, labels: set[str]) -> Iterator[tuple[int, int]]:
        yield from ((start, end) for start, end in line.raised if label_of(line.text[start:end]) in labels)
        if any(not label.isalnum() for label in labels):
            for symbol in _SYMBOL.finditer(line.text):
                if (
                    label_of(symbol[0]) in labels
                    and symbol.span() not in line.raised
                    and line.text[: symbol.start()].strip()
                ):
                    yield symbol.span()
