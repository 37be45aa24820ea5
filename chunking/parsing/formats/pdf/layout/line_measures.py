"""Typographic measures of a document's lines: places in points, column edges, line distances."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine

__all__ = ["Measures", "PageColumn", "Placed"]

_FEW = 4
"""Lines of a column below which the measures of similar columns are used."""
_SAME_EDGE = 9.0
"""Maximum difference of the left edges of similar columns, in points."""
_FARTHEST = 4.0
"""Maximum line distance in font sizes."""

_FULL = 3.0
"""Maximum room at the end of a full line, in font sizes."""
_PITCH = 1.25
"""Default line distance in font sizes."""
_AROUND = 4
"""Lines before and after a line that reveal the edge of an indented block."""
_NEAR = 3.0
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_EDGE = 0.1
"""Zone of page header and footer, in page heights."""
_GAP = 1.3
"""Minimum distance between paragraphs, in usual line distances."""


class Placed(NamedTuple):
    """A line with its box in points, rotated upright; mirrored if most lines run right to left."""

    line: PdfLine
    left: float
    top: float
    right: float
    bottom: float
    edge: float = 0.0
    """Right edge of full lines with the same left edge."""
    contents: bool = False
    """True for a line of a table of contents."""

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


class PageColumn(NamedTuple):
    """Left and right edge of a region of a page, in points."""

    left: float
    right: float


class Measures:
    """Typographic measures of a document's lines: places, column edges, line distances, indents.

    Attributes:
        placed: the lines with their boxes in points.
        body_size: font size of most characters; 0 without lines.
        mono_share: share of characters that are in monospaced lines.
        indents: true if paragraphs are marked by first-line indents rather than gaps.
    Args:
        lines: in reading order.
        sizes: width and height of each displayed page, in points.
        listed: indices of the lines of possible tables of contents.
    """

    def __init__(
        self, lines: Sequence[PdfLine], sizes: Mapping[int, tuple[float, float]], listed: Collection[int] = ()
    ) -> None:
        mirrored = sum(map(_is_mirrored, lines)) > len(lines) / 2
        placed = [_placed(line, *sizes[line.page], mirrored=mirrored) for line in lines]
        regions: dict[tuple[int, int], list[Placed]] = defaultdict(list)
        characters: Counter[float] = Counter()
        for one in placed:
            regions[one.line.page, one.line.region].append(one)
            characters[one.line.size] += len(one.line.text)
        self.body_size = characters.most_common(1)[0][0] if characters else 0.0
        mono = sum(len(line.text) for line in lines if line.mono)
        self.mono_share = mono / max(sum(characters.values()), 1)
        edges = [
            (min(one.left for one in members), _right(members)) for members in regions.values() if len(members) >= _FEW
        ]
        self._alone = {key for key, members in regions.items() if len(members) == 1}
        self._columns = {key: self._column(members, edges, sizes[key[0]]) for key, members in regions.items()}
        rights = _rights(placed)
        self.placed = [
            Placed(
                one.line, one.left, one.top, one.right, one.bottom, right or self.column(one.line).right, n in listed
            )
            for n, (one, right) in enumerate(zip(placed, rights, strict=True))
        ]
        self._pitches = self._all_pitches()
        self.indents = self._count_indents()

    def column(self, line: PdfLine) -> PageColumn:
        """Return the edges of a line's region; a region of few lines is as wide as similar ones."""
        return self._columns[line.page, line.region]

    def is_at_edge(self, line: PdfLine) -> bool:
        """True if a line is in the top or bottom tenth of its page, the only line of its region."""
        return (line.bbox[3] < _EDGE or line.bbox[1] > 1 - _EDGE) and (line.page, line.region) in self._alone

    def pitch(self, line: PdfLine) -> float:
        """Return the usual line distance (points) at a line's size, in its column or document.

        Estimated from the size if neither has one.
        """
        size = round(line.size * 2)
        own = self._pitches.get((line.page, line.region, size))
        return own or self._pitches.get((0, 0, size)) or _PITCH * line.size

    def _all_pitches(self) -> dict[tuple[int, int, int], float]:
        """Line distances by page, region and size in half points; (0, 0, size) is for the document.

        The median after full lines, whose paragraph continues, or the lower quartile of all: paragraph gaps do not
        count.
        """
        full: dict[tuple[int, int, int], list[float]] = defaultdict(list)
        every: dict[tuple[int, int, int], list[float]] = defaultdict(list)
        for one, two in pairwise(self.placed):
            page, region, size = one.line.page, one.line.region, one.line.size
            down = two.middle - one.middle
            if (
                (page, region) == (two.line.page, two.line.region)
                and 0.5 * size < down < _FARTHEST * size
                and abs(size - two.line.size) < 0.5
            ):
                for key in ((0, 0, round(size * 2)), (page, region, round(size * 2))):
                    every[key].append(down)
                    if one.edge - one.right < _FULL * size:
                        full[key].append(down)
        pitches = {}
        for key, distances in every.items():
            if key[0] == 0 or len(full[key]) >= _FEW:
                pitches[key] = min(
                    [sorted(distances)[len(distances) // 4], *([median(full[key])] if full[key] else [])]
                )
        return pitches

    def _count_indents(self) -> bool:
        """True if paragraphs are marked by first-line indents rather than by gaps."""
        indents = gaps = 0
        for one, two in pairwise(self.placed):
            if (one.line.page, one.line.region) == (two.line.page, two.line.region) and two.line.size == self.body_size:
                down, left = two.middle - one.middle, self.column(two.line).left
                if down > _GAP * self.pitch(one.line):
                    gaps += 1
                elif 0.8 * two.line.size < two.left - left < 4 * two.line.size and abs(one.left - left) < 1:
                    indents += 1
        return indents >= max(_FEW, gaps / 2)

    def _column(
        self, members: Sequence[Placed], edges: Sequence[tuple[float, float]], size: tuple[float, float]
    ) -> PageColumn:
        left, right = min(one.left for one in members), _right(members)
        if len(members) < _FEW:
            width = size[(members[0].line.angle + 45) // 90 % 2]
            alike = _usual(other for start, other in edges if abs(start - left) <= _SAME_EDGE)
            right = max(right, *(alike or [width - left if left >= 0 else -left - width]))
        return PageColumn(left, right)


def _usual(rights: Iterable[float]) -> list[float]:
    counted = Counter(round(right) for right in rights).most_common(1)
    return [float(counted[0][0])] if counted else []


def _right(members: Sequence[Placed]) -> float:
    """Right edge of a column's lines; in a long column, single overhanging lines are ignored."""
    rights = sorted(one.right for one in members)
    return rights[-1 - len(rights) // 30]


def _rights(placed: Sequence[Placed]) -> list[float | None]:
    """Right edge of the lines near each line with the same left edge; None if there are too few."""
    edges: list[float | None] = []
    for n, one in enumerate(placed):
        left, region, page = one.left, one.line.region, one.line.page
        neighbours = [
            other.right
            for other in placed[max(n - _AROUND, 0) : n + _AROUND + 1]
            if -_NEAR < other.left - left < _NEAR and other.line.region == region and other.line.page == page
        ]
        edges.append(max(neighbours) if len(neighbours) >= _FEW else None)
    return edges


def _is_mirrored(line: PdfLine) -> bool:
    letters = () if line.text.isascii() else _RIGHT_TO_LEFT.findall(line.text)
    return 2 * len(letters) > len(line.text)


def _placed(line: PdfLine, width: float, height: float, *, mirrored: bool) -> Placed:
    left, top, right, bottom = line.bbox
    left, top, right, bottom = left * width, top * height, right * width, bottom * height
    if quarter := (line.angle + 45) // 90 % 4:
        turned = {1: (-bottom, left, -top, right), 2: (-right, -bottom, -left, -top), 3: (top, -right, bottom, -left)}
        left, top, right, bottom = turned[quarter]
    return Placed(line, -right, top, -left, bottom) if mirrored else Placed(line, left, top, right, bottom)
