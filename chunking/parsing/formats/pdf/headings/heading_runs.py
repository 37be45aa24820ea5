"""Lines of a PDF to runs: lines that would be one heading if they are any, with what tells whether they are."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from statistics import median

from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.formats.pdf.headings.chapter_labels import MOST_LABEL_LINES, is_label
from chunking.parsing.formats.pdf.layout.lines import PdfLine
from chunking.parsing.headings.numbering import Numbering, NumberingKind, numbering_of

__all__ = ["FAR", "BodyStyle", "HeadingRun", "Look", "body_of", "runs_of", "same_size"]

Look = tuple[float, bool, str, bool]
"""Size, bold, font, capitals: what headings of one level share."""

_SAME_SIZE = 0.3
"""Points by which sizes differ that are meant to be the same."""
_LARGE = 1.12
"""Times the body's size from which text is large."""
_LARGER = 0.8
"""Points by which it is larger at least."""
_TIGHT = 0.55
"""Of a line's height: less between two lines alike makes them one heading."""
_AT_EDGE = 0.012
"""Of a page's width: nearer to the edge of its column is at it."""
_FILLS = 0.03
"""Of a page's width: what ends nearer to the right edge of its column leaves no room for a word."""
FAR = 9.0
"""Pitches to a line in another column or on another page."""
_TITLE_UNDER_LABEL = 8.0
"""Pitches: how far under `Chapter 3` its title may stand."""

_SMALL_CAPITALS = 1.1
"""Times the size that most of a line has, from which its height shows that it is in small capitals."""
_RIGHT_UNDER = 2.0
"""Pitches: how far under `2.3.1` its title may stand."""
_DECIMAL = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})\.?\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class BodyStyle:
    """How running text is set in a document."""

    size: float
    font: str
    bold: bool
    pitch: float
    """From the top of a line to the top of the next, as a share of the page's height."""
    height: float
    """Of a line's box, the same."""

    def sets(self, line: PdfLine) -> bool:
        """Whether a line is set as running text is."""
        return same_size(line.size, self.size) and line.bold == self.bold and line.font == self.font

    def below(self, size: float) -> bool:
        """Whether a size is clearly larger than the body's."""
        return size >= max(_LARGE * self.size, self.size + _LARGER)


@dataclass(frozen=True, slots=True)
class HeadingRun:
    """Lines that belong together if they are a heading."""

    first: int
    after: int
    text: str
    line: PdfLine
    """The one that shows how it is set."""
    number: Numbering | None
    large: bool
    above: float
    """From the line above to the first, in the body's pitches; 9 at the top of a column."""
    below: float
    """The same from the last to the line below; 9 at the end of a column."""
    fills: bool
    """Its last line goes to the right edge of its column, so that text could go on behind it."""
    placed: bool
    """It begins at the left edge of its column, or stands in its middle."""
    opens: bool
    """The line above has ended its paragraph, as far as one can see."""

    size: float
    """Points; of small capitals that of the large ones among them."""

    @property
    def look(self) -> Look:
        return round(self.size / _SAME_SIZE) * _SAME_SIZE, self.line.bold, self.line.font, self.capitals

    @property
    def capitals(self) -> bool:
        return self.text.isupper() and sum(map(str.isalpha, self.text)) > 3

    @property
    def words(self) -> str:
        """Its text without the number."""
        return self.text[len(self.number.text) :].strip() if self.number else self.text


def same_size(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME_SIZE


def body_of(lines: Sequence[PdfLine]) -> BodyStyle | None:
    """How most of the text is set; None where there is none, or none that has a height."""
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
        below.bbox[1] - above.bbox[1]
        for above, below in pairwise(of_body)
        if _together(above, below) and 0 < below.bbox[1] - above.bbox[1] < 0.05
    ]
    height = median(line.bbox[3] - line.bbox[1] for line in of_body)
    pitch = _usual(pitches) if pitches else 1.2 * height
    return BodyStyle(peak, font, bold, pitch, height) if pitch > 0 else None


def _usual(pitches: Sequence[float]) -> float:
    """The most frequent distance: in a document of lists and short paragraphs the middle one has space in it."""
    rounded = [round(pitch, 3) for pitch in pitches]
    counted = Counter(rounded)
    near = {pitch: counted[pitch] + counted[round(pitch + 0.001, 3)] for pitch in counted}
    first = max(near, key=lambda pitch: (near[pitch], -pitch))
    last = round(first + 0.001, 3)
    return median(pitch for pitch, place in zip(pitches, rounded, strict=True) if first <= place <= last)


def _peak(sizes: Mapping[float, int]) -> float:
    """The size about which the most characters are set; the first of several. A hostile page has a size a character."""
    ordered = sorted(sizes)
    before = [0, *accumulate(sizes[size] for size in ordered)]
    near: dict[float, int] = {}
    for size in ordered:
        first = bisect_left(ordered, True, key=lambda other, size=size: other >= size or same_size(other, size))  # type: ignore[misc]
        after = bisect_left(ordered, True, key=lambda other, size=size: other > size and not same_size(other, size))  # type: ignore[misc]
        near[size] = before[after] - before[first]
    return max(sizes, key=lambda size: near[size])


def runs_of(lines: Sequence[PdfLine], body: BodyStyle, named: Mapping[int, int] | None = None) -> list[HeadingRun]:
    """All lines, each in one run, in order; a title and the label above it (`Chapter 3`) are one.

    Args:
        named: first line and end of what is known to be a heading: a run of its own.
    """
    return _with_labels(list(_Runs(lines, body, named or {})))


def _together(one: PdfLine, other: PdfLine) -> bool:
    return (one.page, one.region) == (other.page, other.region)


class _Runs:
    """Iterates over the runs of a document's lines."""

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
        """Whether line `n` belongs to the run that began at `first`."""
        above, line = self._lines[n - 1], self._lines[n]
        if (
            not _together(above, line)
            or (above.bold, above.font) != (line.bold, line.font)
            or not same_size(above.size, line.size)
        ):
            return False
        height = above.bbox[3] - above.bbox[1]
        if not -height < line.bbox[1] - above.bbox[3] < max(_TIGHT * height, 1.1 * self._body.pitch - height):
            return False
        if _number(line.text) and (not self._body.sets(line) or not self._fills(above)):
            return False
        if not self._body.sets(line) and not self._fills(above) and self._is_centred_above(above, line):
            return False
        return self._fills(above) or not self._body.sets(line) or not _number(self._lines[first].text)

    def _is_centred_above(self, above: PdfLine, line: PdfLine) -> bool:
        """Whether a line begins at the left edge under one that is set in the middle: a title and the first heading
        under it.
        """
        left, right = self._edges[line.page, line.region]
        off = abs(above.bbox[0] + above.bbox[2] - line.bbox[0] - line.bbox[2]) / 2
        centred = (
            min(abs(above.bbox[0] + above.bbox[2] - left - right), abs(above.bbox[0] + above.bbox[2] - 1)) / 2
            < _AT_EDGE
        )
        return centred and line.bbox[0] - left < _AT_EDGE < min(above.bbox[0] - left, off)

    def _run(self, first: int, after: int) -> HeadingRun:
        line, last = self._lines[first], self._lines[after - 1]
        text = " ".join(one.text for one in self._lines[first:after])
        above = self._distance(first - 1, first)
        left, right = self._edges[line.page, line.region]
        middle = abs(line.bbox[0] + line.bbox[2] - left - right) / 2
        opens = above >= FAR or not self._fills(self._lines[first - 1]) or ends_sentence(self._lines[first - 1].text)
        return HeadingRun(
            first=first,
            after=after,
            text=text,
            line=line,
            number=_number(text),
            large=self._body.below(line.size),
            above=above,
            below=self._distance(after - 1, after),
            fills=self._fills(last),
            placed=line.bbox[0] - left < _AT_EDGE or middle < _AT_EDGE,
            opens=opens,
            size=self._size(line, text),
        )

    def _size(self, line: PdfLine, text: str) -> float:
        """The size by the height of the line, where that tells more: most of a line in small capitals is smaller than
        its initials.
        """
        body = self._body
        tall = (line.bbox[3] - line.bbox[1]) * body.size / body.height if body.height else 0.0
        return tall if text.isupper() and _SMALL_CAPITALS * line.size < tall < 2 * line.size else line.size

    def _fills(self, line: PdfLine) -> bool:
        return line.bbox[2] > self._edges[line.page, line.region][1] - _FILLS

    def _distance(self, above: int, below: int) -> float:
        """From one line to the next, in the body's pitches, as if both were of the body's size."""
        if above < 0 or below >= len(self._lines) or not _together(self._lines[above], self._lines[below]):
            return FAR
        gap = self._lines[below].bbox[1] - self._lines[above].bbox[3]
        body = self._body
        return max((gap + body.height) / body.pitch, 0.0) if gap > -body.pitch else FAR


def _number(text: str) -> Numbering | None:
    """Also before a small letter: `8.2 warning`."""
    number = numbering_of(text)
    decimal = None if number else _DECIMAL.match(text)
    if decimal and "." in decimal[1]:
        number = Numbering(NumberingKind.DECIMAL, tuple(map(int, decimal[1].split("."))), decimal[0].strip())
    return number


def _with_labels(runs: list[HeadingRun]) -> list[HeadingRun]:
    """Labels that stand above their titles joined to them."""
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
                title, first=label.first, text=text, number=numbering_of(text), above=label.above, opens=label.opens
            )
        else:
            changed = runs[place]
        joined.append(changed)
        place += count + 1
    return joined


def _labels(runs: Sequence[HeadingRun], count: int) -> bool:
    """Whether the first `count` runs are a label and the next is the large title under it."""
    if len(runs) <= count or len({run.line.page for run in runs}) > 1:
        return False
    title = runs[count]
    if count == 1 and _is_number_above(runs[0], title):
        return True
    if not is_label([run.text for run in runs[:count]]):
        return False
    if title.number is not None:  # a heading of its own
        return False
    return title.large and (title.above < _TITLE_UNDER_LABEL or title.above >= FAR)


def _is_number_above(label: HeadingRun, title: HeadingRun) -> bool:
    """Whether a run is a number of several parts and nothing else, right above a title in bold."""
    number = label.number
    alone = number is not None and number.depth > 1 and number.text == label.text.strip()
    return (
        alone
        and title.line.bold
        and title.number is None
        and title.line.region == label.line.region
        and title.above < _RIGHT_UNDER
    )
