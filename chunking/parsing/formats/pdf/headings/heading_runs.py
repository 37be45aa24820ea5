"""Group lines into runs, each a heading if it is one, with the measures that decide that.

Labels on lines of their own above the title they number (`Chapter 3`, `PART II`, 第三章) belong to its run.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from statistics import median

from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.headings.numbering import Numbering, NumberingKind, numbering_of

__all__ = ["FAR", "MOST_LABEL_LINES", "BodyStyle", "HeadingRun", "Look", "body_of", "is_label", "runs_of", "same_size"]

Look = tuple[float, bool, str, bool]
"""Size, bold, font, capitals: the style shared by headings of one level."""

_SAME_SIZE = 0.3
"""Difference of sizes, in points, below which they count as equal."""
_LARGE = 1.12
"""Minimum size of large text, relative to the body's."""
_LARGER = 0.8
"""Minimum difference of large text to the body's size, in points."""
_TIGHT = 0.55
"""Maximum gap between the lines of one heading, in line heights."""
_AT_EDGE = 0.012
"""Maximum distance from the column's edge to be at it, in page widths."""
_FILLS = 0.03
"""Maximum room at the end of a full line, in page widths."""
FAR = 9.0
"""Distance in pitches that stands for a line in another column or page."""
_TITLE_UNDER_LABEL = 8.0
"""Maximum pitches from `Chapter 3` down to its title."""

_SMALL_CAPITALS = 1.1
"""Line height relative to its usual size that reveals small capitals."""
_RIGHT_UNDER = 2.0
"""Maximum pitches from `2.3.1` down to its title."""
_DECIMAL = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})\.?\s+(?=\S)")

MOST_LABEL_LINES = 2
"""Most lines of a label: `CHAPTER` and `THREE` may be separate."""

_UNIT = re.compile(r"chapter|part|appendix|section|book|unit", re.IGNORECASE)
_KINDS = frozenset(
    {NumberingKind.PART, NumberingKind.CHAPTER, NumberingKind.APPENDIX, NumberingKind.SECTION, NumberingKind.ARTICLE}
)


@dataclass(frozen=True, slots=True)
class BodyStyle:
    """Typography of the running text: size, font, weight, line distance and line height."""

    size: float
    font: str
    bold: bool
    pitch: float
    """Distance from the top of a line to the top of the next, in page heights."""
    height: float
    """Height of a line's box, in page heights."""

    def matches(self, line: PdfLine) -> bool:
        """True if a line has the size, weight and font of the running text."""
        return same_size(line.size, self.size) and line.bold == self.bold and line.font == self.font

    def is_large(self, size: float) -> bool:
        """True if a size exceeds the body's by at least 12 % and 0.8 points."""
        return size >= max(_LARGE * self.size, self.size + _LARGER)


@dataclass(frozen=True, slots=True)
class HeadingRun:
    """Consecutive lines of one style, a heading or text, with the measures that tell which."""

    first: int
    """Index of the first line."""
    after: int
    """Index after the last line."""
    text: str
    line: PdfLine
    """Line whose style is the run's."""
    number: Numbering | None
    large: bool
    """True if the type is larger than the body's (`BodyStyle.is_large`)."""
    space_above: float
    """Distance from the line above, in the body's pitches; `FAR` at the top of a column."""
    space_below: float
    """Distance to the line below, in the body's pitches; `FAR` at the end of a column."""
    fills: bool
    """True if the last line reaches the right edge of its column, so that text may continue after it."""
    placed: bool
    """True if it starts at the left edge of its column, or is centred in it."""
    opens: bool
    """True if the line above seems to end its paragraph."""
    size: float
    """Size in points; of small capitals, the size of the full capitals among them."""

    @property
    def look(self) -> Look:
        return round(self.size / _SAME_SIZE) * _SAME_SIZE, self.line.bold, self.line.font, self.capitals

    @property
    def capitals(self) -> bool:
        """True if it is in capitals and has more than three letters."""
        return self.text.isupper() and sum(map(str.isalpha, self.text)) > 3

    @property
    def words(self) -> str:
        """Text after the number; all text if there is none."""
        return self.text[len(self.number.text) :].strip() if self.number else self.text


def same_size(one: float, other: float) -> bool:
    """True if two font sizes differ by at most 0.3 points."""
    return abs(one - other) <= _SAME_SIZE


def body_of(lines: Sequence[PdfLine]) -> BodyStyle | None:
    """Return the typography of most text, monospaced lines aside; None without text or height."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += 0 if line.mono else len(line.text)
    if not sizes:
        return None
    peak = _peak(sizes)
    of_peak = {size for size in sizes if same_size(size, peak)}
    of_body = [line for line in lines if line.size in of_peak]
    fonts: Counter[tuple[str, bool]] = Counter()
    for line in of_body:
        fonts[line.font, line.bold] += len(line.text)
    font, bold = fonts.most_common(1)[0][0]
    pitches = [
        lower.bbox[1] - upper.bbox[1]
        for upper, lower in pairwise(of_body)
        if _together(upper, lower) and 0 < lower.bbox[1] - upper.bbox[1] < 0.05
    ]
    height = median(line.bbox[3] - line.bbox[1] for line in of_body)
    pitch = _usual(pitches) if pitches else 1.2 * height
    return BodyStyle(peak, font, bold, pitch, height) if pitch > 0 else None


def _usual(pitches: Sequence[float]) -> float:
    """Most frequent distance; the median would include paragraph spacing in short documents."""
    rounded = [round(pitch, 3) for pitch in pitches]
    counted = Counter(rounded)
    pairs = {pitch: counted[pitch] + counted[round(pitch + 0.001, 3)] for pitch in counted}
    first = max(pairs, key=lambda pitch: (pairs[pitch], -pitch))
    last = round(first + 0.001, 3)
    return median(pitch for pitch, place in zip(pitches, rounded, strict=True) if first <= place <= last)


def _peak(sizes: Mapping[float, int]) -> float:
    """Size around which most characters are set, the first of several."""
    # Sorted and bisected: a hostile page has a size per character.
    ordered = sorted(sizes)
    before = [0, *accumulate(sizes[size] for size in ordered)]
    totals: dict[float, int] = {}
    for size in ordered:
        first = bisect_left(ordered, True, key=lambda other, size=size: other >= size or same_size(other, size))  # type: ignore[misc]
        after = bisect_left(ordered, True, key=lambda other, size=size: other > size and not same_size(other, size))  # type: ignore[misc]
        totals[size] = before[after] - before[first]
    return max(sizes, key=lambda size: totals[size])


def runs_of(lines: Sequence[PdfLine], body: BodyStyle, named: Mapping[int, int] | None = None) -> list[HeadingRun]:
    """Group all lines into runs, in order; a title and the label above it (`Chapter 3`) form one.

    Args:
        named: first line and end of known headings, each a run of its own.
    """
    return _with_labels(list(_Runs(lines, body, named or {})))


def _together(one: PdfLine, other: PdfLine) -> bool:
    return (one.page, one.region) == (other.page, other.region)


class _Runs:
    """Iterator over the runs of a document's lines."""

    def __init__(self, lines: Sequence[PdfLine], body: BodyStyle, named: Mapping[int, int]) -> None:
        self._lines, self._body = lines, body
        self._named = named
        self._edges: dict[tuple[int, int], tuple[float, float]] = {}
        for line in lines:
            left, right = self._edges.get((line.page, line.region), (1.0, 0.0))
            self._edges[line.page, line.region] = min(left, line.bbox[0]), max(right, line.bbox[2])

    def __iter__(self) -> Iterator[HeadingRun]:
        first = 0
        while first < len(self._lines):
            after = self._named.get(first, first + 1)
            while (
                first not in self._named
                and after < len(self._lines)
                and after not in self._named
                and self._goes_on(first, after)
            ):
                after += 1
            yield self._run(first, after)
            first = after

    def _goes_on(self, first: int, n: int) -> bool:
        """True if line `n` belongs to the run that starts at `first`."""
        previous, line = self._lines[n - 1], self._lines[n]
        if (
            not _together(previous, line)
            or (previous.bold, previous.font) != (line.bold, line.font)
            or not same_size(previous.size, line.size)
        ):
            return False
        height = previous.bbox[3] - previous.bbox[1]
        if not -height < line.bbox[1] - previous.bbox[3] < max(_TIGHT * height, 1.1 * self._body.pitch - height):
            return False
        if _number(line.text) and (not self._body.matches(line) or not self._fills(previous)):
            return False
        if not self._body.matches(line) and not self._fills(previous) and self._is_centred_above(previous, line):
            return False
        return self._fills(previous) or not self._body.matches(line) or not _number(self._lines[first].text)

    def _is_centred_above(self, previous: PdfLine, line: PdfLine) -> bool:
        """True if a line at the left edge follows a centred one: a title and its first heading."""
        left, right = self._edges[line.page, line.region]
        off = abs(previous.bbox[0] + previous.bbox[2] - line.bbox[0] - line.bbox[2]) / 2
        centred = (
            min(abs(previous.bbox[0] + previous.bbox[2] - left - right), abs(previous.bbox[0] + previous.bbox[2] - 1))
            / 2
            < _AT_EDGE
        )
        return centred and line.bbox[0] - left < _AT_EDGE < min(previous.bbox[0] - left, off)

    def _run(self, first: int, after: int) -> HeadingRun:
        line, last = self._lines[first], self._lines[after - 1]
        text = " ".join(one.text for one in self._lines[first:after])
        space_above = self._distance(first - 1, first)
        left, right = self._edges[line.page, line.region]
        middle = abs(line.bbox[0] + line.bbox[2] - left - right) / 2
        opens = (
            space_above >= FAR or not self._fills(self._lines[first - 1]) or ends_sentence(self._lines[first - 1].text)
        )
        return HeadingRun(
            first=first,
            after=after,
            text=text,
            line=line,
            number=_number(text),
            large=self._body.is_large(line.size),
            space_above=space_above,
            space_below=self._distance(after - 1, after),
            fills=self._fills(last),
            placed=line.bbox[0] - left < _AT_EDGE or middle < _AT_EDGE,
            opens=opens,
            size=self._size(line, text),
        )

    def _size(self, line: PdfLine, text: str) -> float:
        """Size of a line by its height, which reveals the initials of small capitals."""
        body = self._body
        tall = (line.bbox[3] - line.bbox[1]) * body.size / body.height if body.height else 0.0
        return tall if text.isupper() and _SMALL_CAPITALS * line.size < tall < 2 * line.size else line.size

    def _fills(self, line: PdfLine) -> bool:
        return line.bbox[2] > self._edges[line.page, line.region][1] - _FILLS

    def _distance(self, upper: int, lower: int) -> float:
        """Distance between two lines in the body's pitches, scaled as if both had the body's size."""
        if upper < 0 or lower >= len(self._lines) or not _together(self._lines[upper], self._lines[lower]):
            return FAR
        gap = self._lines[lower].bbox[1] - self._lines[upper].bbox[3]
        body = self._body
        return max((gap + body.height) / body.pitch, 0.0) if gap > -body.pitch else FAR


def _number(text: str) -> Numbering | None:
    """Number of a line, including one before a lower-case title: `8.2 warning`."""
    number = numbering_of(text)
    decimal = None if number else _DECIMAL.match(text)
    if decimal and "." in decimal[1]:
        number = Numbering(NumberingKind.DECIMAL, tuple(map(int, decimal[1].split("."))), decimal[0].strip())
    return number


def _with_labels(runs: list[HeadingRun]) -> list[HeadingRun]:
    """Join labels to the titles below them."""
    joined: list[HeadingRun] = []
    place = 0
    while place < len(runs):
        count = next(
            (count for count in range(MOST_LABEL_LINES, 0, -1) if _labels(runs[place : place + count + 1], count)), 0
        )
        if count:
            label, title = runs[place], runs[place + count]
            text = " ".join(run.text for run in runs[place : place + count + 1])
            changed = replace(
                title,
                first=label.first,
                text=text,
                number=numbering_of(text),
                space_above=label.space_above,
                opens=label.opens,
            )
        else:
            changed = runs[place]
        joined.append(changed)
        place += count + 1
    return joined


def _labels(runs: Sequence[HeadingRun], count: int) -> bool:
    """True if the first `count` runs are a label and the next is its large title."""
    if len(runs) <= count or len({run.line.page for run in runs}) > 1:
        return False
    title = runs[count]
    if count == 1 and _is_number_above(runs[0], title):
        return True
    if not is_label([run.text for run in runs[:count]]):
        return False
    if title.number is not None:  # a heading of its own
        return False
    return title.large and (title.space_above < _TITLE_UNDER_LABEL or title.space_above >= FAR)


def _is_number_above(label: HeadingRun, title: HeadingRun) -> bool:
    """True if a run is a bare multi-part number right above a bold title."""
    number = label.number
    alone = number is not None and number.depth > 1 and number.text == label.text.strip()
    return (
        alone
        and title.line.bold
        and title.number is None
        and title.line.region == label.line.region
        and title.space_above < _RIGHT_UNDER
    )


def is_label(lines: Sequence[str]) -> bool:
    """True if one or two lines are only a label with its number, such as `Chapter 3` or `PART II`.

    >>> is_label(["Chapter 3"]), is_label(["CHAPTER", "THREE"]), is_label(["3"]), is_label(["Chapter 3 ends here"])
    (True, True, False, False)
    """
    if not 0 < len(lines) <= MOST_LABEL_LINES or (len(lines) == 2 and not _UNIT.fullmatch(lines[0])):
        return False
    text = " ".join(lines)
    number = numbering_of(text)
    return number is not None and number.kind in _KINDS and number.text == text.strip()
