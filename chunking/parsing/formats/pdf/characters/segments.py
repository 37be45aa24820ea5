"""Group characters into segments: runs of text on one baseline without a gap wider than a space.

A segment is a line of a column, or a cell of a table without rules. Columns are detected over segments.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from chunking.parsing.formats.pdf.characters.page_characters import HYPHENS, PageCharacters

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "SKEWED",
    "Segment",
    "from_upright_frame",
    "is_raised",
    "quarter_of",
    "quarters_of",
    "segments_of",
    "to_upright_frame",
]

SKEWED = -1
"""Quarter of text rotated by other than quarter turns, such as watermarks."""

_TURNED = 5
"""Maximum deviation from a quarter turn, in degrees, for text to form lines."""
_WIDE_GAP = 1.0
"""Minimum gap, in font sizes, that may separate columns."""
_CLOSE = 0.45
"""Maximum gap, in font sizes, between two Chinese characters that is no space."""
_BLANK = [*range(33), 0x7F, 0x85, 0xA0, 0x1680, *range(0x2000, 0x2010), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF]
_INK, _BREAK, _HYPHEN = 1, 2, 4
_SPACES = frozenset(map(chr, _BLANK))
_NO_SPACE = dict.fromkeys(map(ord, _SPACES))
_KINDS = np.full(1 << 16, _INK, np.uint8)
"""Kind of a character by its code: ink, line end, or pdfium's hyphen, which ends a line too."""
_KINDS[_BLANK] = 0
_KINDS[[0x0A, 0x0D]] = _BREAK
_KINDS[[ord(hyphen) for hyphen in HYPHENS]] = _INK | _HYPHEN
_SMALLER = 0.85
"""Maximum size of raised characters, relative to their line."""
_ABOVE = 0.15
"""Minimum rise of raised characters, in font sizes of their line."""
_FROM, _TO = "\ufdd0", "\ufdd1"
"""Noncharacters that mark raised characters while a text is cleaned."""
_LINE_END_HYPHENS = HYPHENS + "\xad"
_JOINERS = "\u200c\u200d\u200e\u200f"
_HAN = "\u2e80-\u30ff\u31c0-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_HYPHENATED = re.compile(r"[^\W\d_][-\x02\ufffe\xad\u2010]$")
_SIGNS_OF_HYPHENS = frozenset("-\x02\ufffe\xad\u2010")
"""Cheap test before the pattern: few segments end with one."""
_SPACED_HAN = re.compile(rf"(?<=[{_HAN}])\s+(?=[{_HAN}])")
_ODD = re.compile(
    "[^\\s!-~\xa1-\xac\xae-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\ud7ff\uf900-\ufaff\uff00-\uffef\U00010000-\U0010ffff]"
)
_BULLETS = {
    "\uf0b7": "•",
    "\uf0a7": "▪",
    "\uf0d8": "➢",
    "\uf0fc": "✓",
    "\uf06e": "■",
    "\uf0a8": "◦",
    "\uf076": "❖",
    "\uf02d": "-",
}
"""List bullets of Symbol and Wingdings, whose codes mean nothing in other fonts."""


@dataclass(slots=True)
class Segment:
    """A run of characters on a page; treat as immutable (see `PdfLine`).

    Coordinates are in its frame: the page rotated so that its text is upright.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    style: int
    """Index of the style of most characters."""
    bold: int
    """Number of bold visible characters."""
    lead: int
    """Number of leading bold characters."""
    mono: int
    """Number of characters in a monospaced font."""
    visible: int
    """Number of visible characters."""
    hyphen: bool
    """True if it ends with a hyphen that may only be there because the line ends."""
    height: float
    """Bottom minus top; stored, like `middle`, because it is read often."""
    middle: float
    raised: tuple[tuple[int, int], ...] = ()
    """Ranges (from, to) of raised characters in `text`."""

    def moved(self, left: float, top: float, right: float, bottom: float) -> Segment:
        """Return a copy with another box, and height and middle to match."""
        return replace(
            self, left=left, top=top, right=right, bottom=bottom, height=bottom - top, middle=(top + bottom) / 2
        )


def is_raised(one: Segment, other: Segment) -> bool:
    """True if `one` is smaller than `other` and ends above its bottom edge, but below its top."""
    return (
        one.height < _SMALLER * other.height
        and one.bottom - other.top > 0
        and other.bottom - one.bottom > _ABOVE * other.height
    )


def quarter_of(angle: int) -> int:
    """Return the counter-clockwise quarter turns of an angle; `SKEWED` if over 5 degrees off.

    >>> quarter_of(0), quarter_of(91), quarter_of(357), quarter_of(45)
    (0, 1, 0, -1)
    """
    off = (angle + 45) % 90 - 45
    return (angle - off) // 90 % 4 if abs(off) <= _TURNED else SKEWED


def quarters_of(characters: PageCharacters) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Yield each rotation (quarter turns or `SKEWED`), most frequent first, with its mask (n,)."""
    quarters = np.array([quarter_of(style.angle) for style in characters.table])
    if len({*quarters.tolist()}) == 1:
        upright = characters.styles >= 0
        if upright.any():
            yield int(quarters[0]), upright
        return
    of_each = quarters[characters.styles]
    of_each[characters.styles < 0] = SKEWED - 1
    distinct, counts = np.unique(of_each[characters.styles >= 0], return_counts=True)
    for quarter in distinct[np.argsort(-counts, kind="stable")].tolist():
        yield quarter, of_each == quarter


def to_upright_frame(boxes: NDArray[np.float32], quarter: int) -> NDArray[np.float32]:
    """Rotate boxes (n, 4) about the page's corner so that text at `quarter` (0 to 3) is upright."""
    left, top, right, bottom = boxes.T
    turned = {
        0: (left, top, right, bottom),
        1: (-bottom, left, -top, right),
        2: (-right, -bottom, -left, -top),
        3: (top, -right, bottom, -left),
    }
    return np.stack(turned[quarter], axis=1)


def from_upright_frame(box: tuple[float, float, float, float], quarter: int) -> tuple[float, float, float, float]:
    """Rotate a box back from the frame of `to_upright_frame`; skewed text is unchanged."""
    if not quarter:
        return box
    left, top, right, bottom = box
    turned = {1: (top, -right, bottom, -left), 2: (-right, -bottom, -left, -top), 3: (-bottom, left, -top, right)}
    return turned.get(quarter, box)


def segments_of(characters: PageCharacters, chosen: NDArray[np.bool_], quarter: int) -> list[Segment]:
    """Group the characters of a mask into segments, in file order; empty if none is visible.

    A segment ends at a line end or line-end hyphen, at a gap wider than the font size, and at another baseline. Its
    text has single spaces; ligatures and bullets of symbol fonts become plain characters.

    Args:
        chosen: (n,) mask; characters without ink go with their neighbours.
        quarter: rotation of their text (see `to_upright_frame`); -1 for skewed text: pdfium's lines are used.
    """
    codes = np.frombuffer(characters.text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _KINDS[np.minimum(codes, len(_KINDS) - 1)]
    visible = np.flatnonzero(chosen & (characters.styles >= 0) & ((kinds & _INK) > 0))
    if not len(visible):
        return []
    boxes = to_upright_frame(characters.boxes[visible], max(quarter, 0))
    styles = characters.styles[visible]
    starts = _starts(characters, kinds, visible, boxes if quarter >= 0 else None)
    return list(_make_segments(characters, visible, boxes, styles, starts))


def _starts(
    characters: PageCharacters, kinds: NDArray[np.uint8], visible: NDArray[np.intp], boxes: NDArray[np.float32] | None
) -> NDArray[np.intp]:
    """Indices in `visible` where a segment starts: at line ends and, given boxes, after wide gaps."""
    line_ends = np.cumsum(kinds & _BREAK)[visible]
    breaks = (line_ends[1:] != line_ends[:-1]) | ((kinds[visible[:-1]] & _HYPHEN) > 0)
    if boxes is not None:
        breaks |= _apart(characters, visible, boxes)
    return np.concatenate([[0], np.flatnonzero(breaks) + 1])


def _apart(characters: PageCharacters, visible: NDArray[np.intp], boxes: NDArray[np.float32]) -> NDArray[np.bool_]:
    sizes = np.array([style.size for style in characters.table], np.float32)[characters.styles[visible]]
    left, top, right, bottom = boxes.T
    size = np.maximum(sizes[1:], sizes[:-1])
    gap = np.maximum(left[1:] - right[:-1], left[:-1] - right[1:])
    overlap = np.minimum(bottom[1:], bottom[:-1]) - np.maximum(top[1:], top[:-1])
    height = np.minimum(bottom[1:] - top[1:], bottom[:-1] - top[:-1])
    apart: NDArray[np.bool_] = (gap > _WIDE_GAP * size) | (overlap < height / 2)
    return apart


def _make_segments(
    characters: PageCharacters,
    visible: NDArray[np.intp],
    boxes: NDArray[np.float32],
    styles: NDArray[np.int32],
    starts: NDArray[np.intp],
) -> Iterator[Segment]:
    table, text = characters.table, characters.text
    ends = np.append(starts[1:], len(visible))
    places = [
        np.minimum.reduceat(boxes[:, 0], starts).tolist(),
        np.minimum.reduceat(boxes[:, 1], starts).tolist(),
        np.maximum.reduceat(boxes[:, 2], starts).tolist(),
        np.maximum.reduceat(boxes[:, 3], starts).tolist(),
    ]
    bold = np.array([style.bold for style in table])[styles]
    counts = [
        np.add.reduceat(np.array(one)[styles].astype(np.int32), starts).tolist()
        for one in ([s.bold for s in table], [s.mono for s in table])
    ]
    same = np.minimum.reduceat(styles, starts) == np.maximum.reduceat(styles, starts)
    sizes = np.array([style.size for style in table])
    begins, stops, first_styles = visible[starts].tolist(), (visible[ends - 1] + 1).tolist(), styles[starts].tolist()
    for first, after, begin, stop, alike, style, left, top, right, bottom, bolds, monos in zip(
        starts.tolist(), ends.tolist(), begins, stops, same.tolist(), first_styles, *places, *counts, strict=True
    ):
        style = style if alike else int(np.bincount(styles[first:after]).argmax())
        height, middle = bottom - top, (top + bottom) / 2
        if bolds in (0, after - first):
            lead = bolds
        else:
            lead = int(np.argmin(bold[first:after]))
        raw = text[begin:stop]
        if raw.isascii() and raw.isprintable() and alike:
            words = " ".join(raw.split())
            yield Segment(
                words,
                left,
                top,
                right,
                bottom,
                style,
                bolds,
                lead,
                monos,
                after - first,
                _is_hyphened(raw),
                height,
                middle,
            )
            continue
        if not raw.isascii():
            raw = _unspaced(raw, visible[first:after], characters.boxes, boxes[first:after], table[style].size)
        hyphen = _is_hyphened(raw)
        if not alike:
            raised_at = _raised(sizes[styles[first:after]], boxes[first:after], styles[first:after] == style)
            raw = _marked(raw, text[begin:stop], (visible[first:after][raised_at] - visible[first]).tolist())
        words, raised = _unmarked(" ".join(_ODD.sub(_plain, raw).split()))
        yield Segment(
            words, left, top, right, bottom, style, bolds, lead, monos, after - first, hyphen, height, middle, raised
        )


def _is_hyphened(raw: str) -> bool:
    return raw[-1:] in _SIGNS_OF_HYPHENS and bool(_HYPHENATED.search(raw))


def _raised(sizes: NDArray[np.float64], boxes: NDArray[np.float32], usual: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Indices of a segment's characters that are smaller than the usual ones and raised."""
    size = float(sizes[usual][0])
    smaller = np.flatnonzero(sizes < _SMALLER * size)
    if not len(smaller):
        return smaller
    bottom = float(np.median(boxes[usual, 3]))
    are_above: NDArray[np.bool_] = bottom - boxes[smaller, 3] > _ABOVE * size
    return np.compress(are_above, smaller)


def _marked(raw: str, before: str, places: list[int]) -> str:
    """Insert marks around characters given by their indices in `before`, the text with all its spaces."""
    if not places:
        return raw
    chosen = {len(before[:place].translate(_NO_SPACE)) for place in places}
    parts, number, inside = [], 0, False
    for character in raw:
        is_space = character in _SPACES
        if (number in chosen) != inside and not is_space:
            inside = not inside
            parts.append(_FROM if inside else _TO)
        parts.append(character)
        number += not is_space
    return "".join([*parts, _TO] if inside else parts)


def _unmarked(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Remove the marks and return their ranges."""
    if _FROM not in text:
        return text, ()
    spans, plain = [], ""
    for part in text.split(_FROM):
        inner, _, rest = part.rpartition(_TO)
        if inner:
            spans.append((len(plain), len(plain) + len(inner.rstrip())))
        plain += inner + rest
    return plain, tuple(spans)


def _plain(odd: re.Match[str]) -> str:
    """Replacement for a ligature, a symbol-font bullet, or an invisible character."""
    character = odd[0]
    if character in _LINE_END_HYPHENS:
        return "-"
    if character in _BULLETS:
        return _BULLETS[character]
    if character >= "\u2070":
        return unicodedata.normalize("NFKC", character) if "\ufb00" <= character <= "\ufefc" else character
    return character if character in _JOINERS else ""


def _unspaced(
    raw: str, visible: NDArray[np.intp], all_boxes: NDArray[np.float32], boxes: NDArray[np.float32], size: float
) -> str:
    """Remove spaces between Chinese characters that are no further apart than in justified text.

    A space drawn by the file (pdfium's own have no width) stays, unless there is one after most characters.
    """
    spaces = list(_SPACED_HAN.finditer(raw))
    everywhere = len(spaces) > len(visible) / 2
    parts, done = [], 0
    for space in spaces:
        after = int(np.searchsorted(visible, visible[0] + space.end()))
        own = all_boxes[visible[0] + space.start()]
        made_up = everywhere or own[0] == own[2] or own[1] == own[3]
        if made_up and 0 < after < len(boxes) and boxes[after, 0] - boxes[after - 1, 2] < _CLOSE * size:
            parts.append(raw[done : space.start()])
            done = space.end()
    return "".join([*parts, raw[done:]])
