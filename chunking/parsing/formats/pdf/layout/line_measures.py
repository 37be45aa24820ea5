"""How a document's lines are set: their places in points, the edges of their columns, the distance from line to line."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from chunking.parsing.formats.pdf.layout.lines import PdfLine

__all__ = ["Measures", "PageColumn", "Placed"]

_FEW = 4
"""Lines of a column from which its own edges and distances are taken; below, those of the document's like columns."""
_SAME_EDGE = 9.0
"""Points by which the left edges of columns may differ that are alike."""
_FARTHEST = 4.0
"""In sizes: a distance over this is no line distance."""

_FULL = 3.0
"""In sizes: the room at the end of a full line is less."""
_PITCH = 1.25
"""In sizes: the distance of lines where there are none to take it from."""
_AROUND = 4
"""Lines before and after one in which the edge of an indented block shows."""
_NEAR = 3.0
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_EDGE = 0.1
"""How far from the top or bottom of a page, in its heights, heads and feet stand."""
_GAP = 1.3
"""In usual distances of lines: a wider one parts paragraphs."""


class Placed(NamedTuple):
    """A line with its place in points, in the direction in which it reads; mirrored where that is from right to left."""

    line: PdfLine
    left: float
    top: float
    right: float
    bottom: float
    edge: float = 0.0
    """Where lines that start like it end if they are full."""
    contents: bool = False
    """It is of a table of contents."""

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


class PageColumn(NamedTuple):
    """A region of a page."""

    left: float
    right: float


class Measures:
    """What the lines of a document have in common.

    Attributes:
        placed: the lines with their places.
        body_size: the size of most characters.
        mono_share: how much of the text is in fonts of one width.
        indents: paragraphs are told by the indentation of their first lines.

    Args:
        lines: in reading order.
        sizes: width and height of each page as it is shown, in points.
        listed: lines of what may be a table of contents.
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
        return self._columns[line.page, line.region]

    def is_at_edge(self, line: PdfLine) -> bool:
        """Whether it stands alone at the top or bottom of its page, as heads and feet do that were not recognised."""
        return (line.bbox[3] < _EDGE or line.bbox[1] > 1 - _EDGE) and (line.page, line.region) in self._alone

    def pitch(self, line: PdfLine) -> float:
        """The usual distance from the middle of a line of its size to the next, in its column or in the document."""
        size = round(line.size * 2)
        own = self._pitches.get((line.page, line.region, size))
        return own or self._pitches.get((0, 0, size)) or _PITCH * line.size

    def _all_pitches(self) -> dict[tuple[int, int, int], float]:
        """Distances of lines by page, region and size in half points; (0, 0, size) is for the document.

        Those below a full line count, since its paragraph goes on, or those that a quarter of all is below, so that
        gaps
        between paragraphs do not count.
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
        """Whether paragraphs are told by the indentation of their first lines rather than by gaps."""
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
    """Where the lines of a column end at most; a single line that hangs over does not count in a long one."""
    rights = sorted(one.right for one in members)
    return rights[-1 - len(rights) // 30]


def _rights(placed: Sequence[Placed]) -> list[float | None]:
    """For each line, where those around it end that start where it does; None where these are too few to tell."""
    found: list[float | None] = []
    for n, one in enumerate(placed):
        left, region, page = one.left, one.line.region, one.line.page
        around = [
            other.right
            for other in placed[max(n - _AROUND, 0) : n + _AROUND + 1]
            if -_NEAR < other.left - left < _NEAR and other.line.region == region and other.line.page == page
        ]
        found.append(max(around) if len(around) >= _FEW else None)
    return found


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
