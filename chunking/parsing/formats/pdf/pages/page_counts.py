"""Whether numbers at the edges of pages count the pages, or number what stands on them: `Page 7 of 12`, `Delivery note
1007`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median_low
from typing import NamedTuple

from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle
from chunking.parsing.formats.pdf.layout.lines import PdfLine
from chunking.parsing.formats.pdf.pages.edge_lines import NUMBER, EdgeLine, EdgeRows
from chunking.parsing.headings.bare_labels import LabelParts, bare_label
from chunking.parsing.headings.numbering import numbering_of

__all__ = ["columns_in_step", "counts_pages", "numbers_pages"]

_STEADY = 0.7
"""This share of the numbers in lines that differ in nothing else goes with the pages."""
_FRONT = 50
"""Pages that may be counted and are not in the file."""
_CLOSE = 1.2
"""In heights of a line: the space under a heading, and less than what is usual under a running head."""
_READ = 300
"""Characters of a line that are looked at."""
_NEAR = 40
"""Characters before and after a number that are looked at."""
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_DATE = re.compile(
    r"\d{4}\s?[-/.年년]\s?\d{1,2}\s?[-/.月월]\s?\d{1,2}|\d{1,2}[-/.]\s?\d{1,2}[-/.]\s?\d{2,4}(?!\d)|\d{1,2}:\d\d"
    r"|(?<!\d)\d{1,2}(?:st|nd|rd|th)?[.,]?\s+(?:de\s+)?[^\W\d_]{3,12}\.?,?\s+(?:de\s+)?(?:19|20)\d\d(?!\d)"
    r"|[^\W\d_]{3,12}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+(?:19|20)\d\d(?!\d)",
    re.IGNORECASE,
)
"""Numbers of a date go up with the pages of a log, and count none."""
_PAGE_BEFORE = re.compile(
    r"(?:(?<![^\W_])(?:pages?|pg|pp?|seite|s|blatt|p[áa]gina|p[áa]g|sida|side|strona|str|стр|страница|sayfa)\.?|[页頁])\W{0,3}\Z"
    r"|#\s*(?:of|von|de|sur|di|av|z|из|/|／)\s*\Z",
    re.IGNORECASE,
)
_PAGE_AFTER = re.compile(r"\s*(?:(?:of|von|de|sur|di|av|z|из|/|／)\s*\d|[页頁쪽]|ページ)", re.IGNORECASE)
_APART_BEFORE = re.compile(r"(?:\A|\s)\W*[|·•—–\-/¦]\W*\Z")
_APART_AFTER = re.compile(r"\W*(?:\s[|·•—–\-/¦]\s|\Z)")
"""What parts a page number from the words of its running head."""


class _Step(NamedTuple):
    """A number of a line that goes up with the pages."""

    place: EdgeLine
    start: int
    end: int
    """Where it stands in the line's text."""
    value: int


def counts_pages(
    places: Sequence[EdgeLine], lines: Sequence[PdfLine], body: BodyStyle, edges: EdgeRows, page_count: int
) -> bool:
    """Whether a number of lines that differ in nothing else counts the pages, or each text comes on several of them (as
    chapters' do).
    """
    for steps in columns_in_step(places, lines):
        if numbers_pages(steps, lines, page_count) or not _numbers_content(steps, lines, body, edges, page_count):
            return True
    return all(count > 2 for count in Counter(lines[place.line].text for place in places).values())


def numbers_pages(steps: Sequence[_Step], lines: Sequence[PdfLine], page_count: int) -> bool:
    """Whether numbers that go up with the pages say that they are theirs: by a word, or by standing apart from all
    words.
    """
    before, after = _around(lines[steps[0].place.line].text, steps[0])
    if _PAGE_BEFORE.search(NUMBER.sub("#", before)) or _PAGE_AFTER.match(after):
        return True
    return _is_apart(lines[steps[0].place.line], steps[0]) and _is_likely(steps, page_count)


def _numbers_content(
    steps: Sequence[_Step], lines: Sequence[PdfLine], body: BodyStyle, edges: EdgeRows, page_count: int
) -> bool:
    """Whether they number what stands under them: set as its text or in bold, and near it or far from any number of a
    page.
    """
    line = lines[steps[0].place.line]
    if not steps[0].place.top:
        return False
    if not body.sets(line) and not (line.bold and not body.bold and line.size >= body.size):
        return False
    if bare_label(line.text) is LabelParts.TIME:
        return line.bold and not _is_likely(steps, page_count)
    if _is_apart(line, steps[0]):
        return False
    number = numbering_of(line.text)
    label = line.bold and number is not None and number.text == line.text.strip()
    return label or not _is_likely(steps, page_count) or _usual_space(steps, edges) < _CLOSE


def _usual_space(steps: Sequence[_Step], edges: EdgeRows) -> float:
    return median_low([edges.space_inside(step.place) for step in steps])


def _is_likely(steps: Sequence[_Step], page_count: int) -> bool:
    """Whether the numbers may be those of pages: none is larger than the file has pages, and some that are not in it."""
    return max(step.value for step in steps) <= page_count + _FRONT


def _is_apart(line: PdfLine, step: _Step) -> bool:
    """Whether a number is parted from the words of its line by a gap or a sign, or there are none."""
    if step.start in line.stops or any(step.end <= stop <= step.end + 2 for stop in line.stops):
        return True
    before, after = _around(line.text, step)
    words = [any(map(str.isalpha, text)) for text in (before, after)]
    return (not words[0] or bool(_APART_BEFORE.search(before))) and (not words[1] or bool(_APART_AFTER.match(after)))


def _around(text: str, step: _Step) -> tuple[str, str]:
    return text[max(step.start - _NEAR, 0) : step.start], text[step.end : step.end + _NEAR]


def columns_in_step(places: Sequence[EdgeLine], lines: Sequence[PdfLine]) -> Iterator[list[_Step]]:
    """The numbers of lines, a column each, that go up by one from page to page; those of dates do not count."""
    numbers = [_numbers(place, lines[place.line].text) for place in sorted(places, key=lambda place: place.page)]
    for column in range(max(map(len, numbers), default=0)):
        steps = [step for found in numbers if len(found) > column and (step := found[column])]
        offsets = [step.value - step.place.page for step in steps]
        if steps and sum(one == two for one, two in pairwise(offsets)) >= _STEADY * max(len(offsets) - 1, 1):
            yield steps


def _numbers(place: EdgeLine, text: str) -> list[_Step | None]:
    """Every number of a line; None for those of dates."""
    dates = [date.span() for date in _DATE.finditer(text[:_READ])] if len(text) > 4 else []
    return [
        None
        if any(start <= number.start() < end for start, end in dates)
        else _Step(place, *number.span(), _value(number[0]))
        for number in NUMBER.finditer(text)
    ]


def _value(number: str) -> int:
    """Of Arabic or Roman figures."""
    if number.isdigit():
        return int(number[:9])
    values = [_ROMAN[figure] for figure in number.casefold()]
    return sum(-one if one < two else one for one, two in pairwise([*values, 0]))
