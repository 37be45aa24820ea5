"""Outermost lines of pages, and whether the numbers in them count pages or content.

`Page 7 of 12` counts pages, `Delivery note 1007` numbers its content.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median_low
from typing import NamedTuple

from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.headings.heading_labels import LabelParts, bare_label
from chunking.parsing.headings.numbering import numbering_of

__all__ = [
    "NUMBER",
    "SAME_PLACE",
    "EdgeLine",
    "EdgeRows",
    "columns_in_step",
    "counts_pages",
    "grouped",
    "key_of",
    "numbers_pages",
]

_EDGE = 0.16
"""Zone at the top and bottom that may hold furniture, in page heights."""
_OUTERMOST = 3
"""Number of rows examined on each side."""
_SPACE = 0.7
"""Minimum gap that is wider than line spacing, in line heights."""
_OTHER_SIZE = 0.05
SAME_PLACE = 0.012
"""Maximum vertical distance of lines in one place, in page heights."""
NUMBER = re.compile(r"\d+|(?<![^\W_])[ivxlc]+(?![^\W_])", re.IGNORECASE)

_STEADY = 0.7
"""Minimum share of numbers that advance with the pages."""
_FRONT = 50
"""Most front-matter pages that are counted and missing from the file."""
_CLOSE = 1.2
"""Line heights between a heading and its text; running heads usually have more space."""
_READ = 300
"""Characters examined of a line."""
_NEAR = 40
"""Characters examined before and after a number."""
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_DATE = re.compile(
    r"\d{4}\s?[-/.年년]\s?\d{1,2}\s?[-/.月월]\s?\d{1,2}|\d{1,2}[-/.]\s?\d{1,2}[-/.]\s?\d{2,4}(?!\d)|\d{1,2}:\d\d"
    r"|(?<!\d)\d{1,2}(?:st|nd|rd|th)?[.,]?\s+(?:de\s+)?[^\W\d_]{3,12}\.?,?\s+(?:de\s+)?(?:19|20)\d\d(?!\d)"
    r"|[^\W\d_]{3,12}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+(?:19|20)\d\d(?!\d)",
    re.IGNORECASE,
)
"""Dates, which advance with the pages of a log without counting them."""
_PAGE_BEFORE = re.compile(
    r"(?:(?<![^\W_])(?:pages?|pg|pp?|seite|s|blatt|p[áa]gina|p[áa]g|sida|side|strona|str|стр|страница|sayfa)\.?|[页頁])\W{0,3}\Z"
    r"|#\s*(?:of|von|de|sur|di|av|z|из|/|／)\s*\Z",
    re.IGNORECASE,
)
_PAGE_AFTER = re.compile(r"\s*(?:(?:of|von|de|sur|di|av|z|из|/|／)\s*\d|[页頁쪽]|ページ)", re.IGNORECASE)
_APART_BEFORE = re.compile(r"(?:\A|\s)\W*[|·•—–\-/¦]\W*\Z")
"""Separators between a page number and the words of its running head."""
_APART_AFTER = re.compile(r"\W*(?:\s[|·•—–\-/¦]\s|\Z)")
"""Separators after a page number, before the words of its running head."""


class EdgeLine(NamedTuple):
    """A line in the three outermost rows at the top or bottom (16 %) of its page."""

    line: int
    """Index of the line."""
    page: int
    key: str
    """Text with every number as `#`."""
    middle: float
    """Height of its middle on the page, as a share from the top."""
    top: bool
    """True at the top of the page, False at the bottom."""
    rank: int
    """0 for the outermost line of its edge."""


class EdgeRows:
    """Outermost rows of every page, from the top and the bottom.

    Attributes:
        places: lines of the three outermost rows, in the top and bottom 16 % of their page.
    """

    def __init__(self, lines: Sequence[PdfLine]) -> None:
        self._lines = lines
        self._rows: dict[tuple[int, bool], list[list[int]]] = {}
        by_page: dict[int, list[int]] = defaultdict(list)
        for index, line in enumerate(lines):
            if not line.left_out:
                by_page[line.page].append(index)
        for page, indices in by_page.items():
            self._rows[page, True] = self._stacked(sorted(indices, key=lambda index: lines[index].bbox[1]))
            self._rows[page, False] = self._stacked(sorted(indices, key=lambda index: -lines[index].bbox[3]))
        self.places = [
            EdgeLine(index, page, key_of(lines[index].text), self._middle(index), top, rank)
            for (page, top), rows in self._rows.items()
            for rank, row in enumerate(rows[:_OUTERMOST])
            for index in row
            if (self._middle(index) if top else 1 - self._middle(index)) <= _EDGE
        ]

    def apart(self, groups: Iterable[list[EdgeLine]], other_furniture: Collection[int] = ()) -> list[list[EdgeLine]]:
        """Return the groups set apart from the text on more than half of their pages.

        A line is apart if all rows outside it have furniture (of `groups` or `other_furniture`), and wide space or
        another font follows it, or follows further rows of furniture inside it. Groups that fail no longer count as
        furniture, and the others are judged again.
        """
        chosen = list(groups)
        while True:
            candidates = {*other_furniture, *(place.line for same in chosen for place in same)}
            remaining = [
                same for same in chosen if 2 * sum(self._is_apart(place, candidates) for place in same) > len(same)
            ]
            if len(remaining) == len(chosen):
                return remaining
            chosen = remaining

    def space_inside(self, place: EdgeLine) -> float:
        """Return the space to the next inner row, in line heights; infinite without one."""
        rows = self._rows[place.page, place.top]
        if place.rank + 1 >= len(rows):
            return float("inf")
        one, two = self._lines[place.line].bbox, self._lines[rows[place.rank + 1][0]].bbox
        return max(two[1] - one[3], one[1] - two[3]) / max(one[3] - one[1], 1e-6)

    def _is_apart(self, place: EdgeLine, candidates: Collection[int]) -> bool:
        rows = self._rows[place.page, place.top]
        if not all(any(index in candidates for index in row) for row in rows[: place.rank]):
            return False
        for row, inner in pairwise([*rows[place.rank :], []]):
            if not any(index in candidates for index in row):
                return False
            if not inner or self._differ(row, inner):
                return True
        return False

    def _differ(self, row: Sequence[int], inner: Sequence[int]) -> bool:
        """True if two rows are further apart than lines, or differ in style."""
        one, two = self._lines[row[0]], self._lines[inner[0]]
        space = max(two.bbox[1] - one.bbox[3], one.bbox[1] - two.bbox[3])
        return (
            space > _SPACE * (one.bbox[3] - one.bbox[1])
            or one.font != two.font
            or abs(one.size - two.size) > _OTHER_SIZE * two.size
        )

    def _stacked(self, indices: Sequence[int]) -> list[list[int]]:
        rows: list[list[int]] = []
        for index in indices:
            if rows and abs(self._middle(index) - self._middle(rows[-1][0])) <= SAME_PLACE / 2:
                rows[-1].append(index)
            elif len(rows) > _OUTERMOST:
                break
            else:
                rows.append([index])
        return rows

    def _middle(self, index: int) -> float:
        box = self._lines[index].bbox
        return (box[1] + box[3]) / 2


def grouped(
    places: Iterable[EdgeLine], kind: Callable[[EdgeLine], Hashable], tolerance: float
) -> Iterator[list[EdgeLine]]:
    """Yield groups of lines with one key (`kind`) and gaps in height of at most `tolerance`."""
    kinds: dict[Hashable, list[EdgeLine]] = defaultdict(list)
    for place in places:
        kinds[kind(place)].append(place)
    for alike in kinds.values():
        group: list[EdgeLine] = []
        for place in sorted(alike, key=lambda one: one.middle):
            if group and place.middle - group[-1].middle > tolerance:
                yield group
                group = []
            group.append(place)
        yield group


def key_of(text: str) -> str:
    """Return a text in lower case with every Arabic or Roman number as `#`, to compare lines."""
    return NUMBER.sub("#", " ".join(text.casefold().split()))


# -- numbers that advance with the pages


class _Step(NamedTuple):
    """A number in a line that advances with the pages."""

    place: EdgeLine
    start: int
    end: int
    """End of the number in the line's text."""
    value: int


def counts_pages(
    places: Sequence[EdgeLine], lines: Sequence[PdfLine], body: BodyStyle, edges: EdgeRows, page_count: int
) -> bool:
    """True if a number in otherwise equal lines counts pages, or each text is on over two pages."""
    for steps in columns_in_step(places, lines):
        if numbers_pages(steps, lines, page_count) or not _numbers_content(steps, lines, body, edges, page_count):
            return True
    return all(count > 2 for count in Counter(lines[place.line].text for place in places).values())


def numbers_pages(steps: Sequence[_Step], lines: Sequence[PdfLine], page_count: int) -> bool:
    """True if advancing numbers are page numbers: next to `page`, or apart from all words.

    Numbers apart from words may exceed `page_count` by up to 50.
    """
    before, after = _context(lines[steps[0].place.line].text, steps[0])
    if _PAGE_BEFORE.search(NUMBER.sub("#", before)) or _PAGE_AFTER.match(after):
        return True
    return _is_apart(lines[steps[0].place.line], steps[0]) and _is_likely(steps, page_count)


def _numbers_content(
    steps: Sequence[_Step], lines: Sequence[PdfLine], body: BodyStyle, edges: EdgeRows, page_count: int
) -> bool:
    """True if numbers count the content below: in text or bold style, close to it or beyond the pages."""
    line = lines[steps[0].place.line]
    if not steps[0].place.top:
        return False
    if not body.matches(line) and not (line.bold and not body.bold and line.size >= body.size):
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
    """True if no number exceeds the pages of the file and some missing front matter."""
    return max(step.value for step in steps) <= page_count + _FRONT


def _is_apart(line: PdfLine, step: _Step) -> bool:
    """True if a gap or separator is between a number and the words of its line, or there are no words."""
    if step.start in line.stops or any(step.end <= stop <= step.end + 2 for stop in line.stops):
        return True
    before, after = _context(line.text, step)
    words = [any(map(str.isalpha, text)) for text in (before, after)]
    return (not words[0] or bool(_APART_BEFORE.search(before))) and (not words[1] or bool(_APART_AFTER.match(after)))


def _context(text: str, step: _Step) -> tuple[str, str]:
    return text[max(step.start - _NEAR, 0) : step.start], text[step.end : step.end + _NEAR]


def columns_in_step(places: Sequence[EdgeLine], lines: Sequence[PdfLine]) -> Iterator[list[_Step]]:
    """Yield the numbers in each place of the lines, if 70 % advance with the page; no dates.

    Places: the first number of each line, the second one, and so on.
    """
    numbers = [_numbers(place, lines[place.line].text) for place in sorted(places, key=lambda place: place.page)]
    for column in range(max(map(len, numbers), default=0)):
        steps = [step for row in numbers if len(row) > column and (step := row[column])]
        offsets = [step.value - step.place.page for step in steps]
        if steps and sum(one == two for one, two in pairwise(offsets)) >= _STEADY * max(len(offsets) - 1, 1):
            yield steps


def _numbers(place: EdgeLine, text: str) -> list[_Step | None]:
    """Numbers of a line; None for each one of a date."""
    dates = [date.span() for date in _DATE.finditer(text[:_READ])] if len(text) > 4 else []
    return [
        None
        if any(start <= number.start() < end for start, end in dates)
        else _Step(place, *number.span(), _value(number[0]))
        for number in NUMBER.finditer(text)
    ]


def _value(number: str) -> int:
    """Value of an Arabic or Roman numeral."""
    if number.isdigit():
        return int(number[:9])
    values = [_ROMAN[figure] for figure in number.casefold()]
    return sum(-one if one < two else one for one, two in pairwise([*values, 0]))
