"""Decide whether numbers at page edges count the pages or number their content.

`Page 7 of 12` counts pages, `Delivery note 1007` numbers its content.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median_low
from typing import NamedTuple

from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.formats.pdf.pages.edge_lines import NUMBER, EdgeLine, EdgeRows
from chunking.parsing.headings.bare_labels import LabelParts, bare_label
from chunking.parsing.headings.numbering import numbering_of

__all__ = ["columns_in_step", "counts_pages", "numbers_pages"]

_STEADY = 0.7
"""Minimum share of numbers that advance with the pages."""
_FRONT = 50
"""Front-matter pages that are counted and missing from the file."""
_CLOSE = 1.2
"""Line heights between a heading and its text; running heads usually have more space."""
_READ = 300
"""Characters read of a line."""
_NEAR = 40
"""Characters read before and after a number."""
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_DATE = re.compile(
    r"\d{4}\s?[-/.年년]\s?\d{1,2}\s?[-/.月월]\s?\d{1,2}|\d{1,2}[-/.]\s?\d{1,2}[-/.]\s?\d{2,4}(?!\d)|\d{1,2}:\d\d"
    r"|(?<!\d)\d{1,2}(?:st|nd|rd|th)?[.,]?\s+(?:de\s+)?[^\W\d_]{3,12}\.?,?\s+(?:de\s+)?(?:19|20)\d\d(?!\d)"
    r"|[^\W\d_]{3,12}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+(?:19|20)\d\d(?!\d)",
    re.IGNORECASE,
)
"""Dates advance with the pages of a log without counting them."""
_PAGE_BEFORE = re.compile(
    r"(?:(?<![^\W_])(?:pages?|pg|pp?|seite|s|blatt|p[áa]gina|p[áa]g|sida|side|strona|str|стр|страница|sayfa)\.?|[页頁])\W{0,3}\Z"
    r"|#\s*(?:of|von|de|sur|di|av|z|из|/|／)\s*\Z",
    re.IGNORECASE,
)
_PAGE_AFTER = re.compile(r"\s*(?:(?:of|von|de|sur|di|av|z|из|/|／)\s*\d|[页頁쪽]|ページ)", re.IGNORECASE)
_APART_BEFORE = re.compile(r"(?:\A|\s)\W*[|·•—–\-/¦]\W*\Z")
"""Separators between a page number and the words of its running head."""
_APART_AFTER = re.compile(r"\W*(?:\s[|·•—–\-/¦]\s|\Z)")
"""What parts a page number from the words of its running head."""


class _Step(NamedTuple):
    """A number in a line that advances with the pages."""

    place: EdgeLine
    start: int
    end: int
    """Range in the line's text."""
    value: int


def counts_pages(
    places: Sequence[EdgeLine], lines: Sequence[PdfLine], body: BodyStyle, edges: EdgeRows, page_count: int
) -> bool:
    """True if a number in otherwise equal lines counts pages, or each text is on several pages (chapters)."""
    for steps in columns_in_step(places, lines):
        if numbers_pages(steps, lines, page_count) or not _numbers_content(steps, lines, body, edges, page_count):
            return True
    return all(count > 2 for count in Counter(lines[place.line].text for place in places).values())


def numbers_pages(steps: Sequence[_Step], lines: Sequence[PdfLine], page_count: int) -> bool:
    """True if advancing numbers are page numbers: marked by a word, or apart from all words."""
    before, after = _context(lines[steps[0].place.line].text, steps[0])
    if _PAGE_BEFORE.search(NUMBER.sub("#", before)) or _PAGE_AFTER.match(after):
        return True
    return _is_apart(lines[steps[0].place.line], steps[0]) and _is_likely(steps, page_count)


def _numbers_content(
    steps: Sequence[_Step], lines: Sequence[PdfLine], body: BodyStyle, edges: EdgeRows, page_count: int
) -> bool:
    """True if they number the content below: set like text or bold, and close to it or beyond any page number."""
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
    """True if no number exceeds the pages of the file, with some missing front matter."""
    return max(step.value for step in steps) <= page_count + _FRONT


def _is_apart(line: PdfLine, step: _Step) -> bool:
    """True if a gap or separator parts a number from the words of its line, or there are none."""
    if step.start in line.stops or any(step.end <= stop <= step.end + 2 for stop in line.stops):
        return True
    before, after = _context(line.text, step)
    words = [any(map(str.isalpha, text)) for text in (before, after)]
    return (not words[0] or bool(_APART_BEFORE.search(before))) and (not words[1] or bool(_APART_AFTER.match(after)))


def _context(text: str, step: _Step) -> tuple[str, str]:
    return text[max(step.start - _NEAR, 0) : step.start], text[step.end : step.end + _NEAR]


def columns_in_step(places: Sequence[EdgeLine], lines: Sequence[PdfLine]) -> Iterator[list[_Step]]:
    """Columns of numbers that advance by one per page; dates do not count."""
    numbers = [_numbers(place, lines[place.line].text) for place in sorted(places, key=lambda place: place.page)]
    for column in range(max(map(len, numbers), default=0)):
        steps = [step for row in numbers if len(row) > column and (step := row[column])]
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
    """Of Arabic or Roman numerals."""
    if number.isdigit():
        return int(number[:9])
    values = [_ROMAN[figure] for figure in number.casefold()]
    return sum(-one if one < two else one for one, two in pairwise([*values, 0]))
