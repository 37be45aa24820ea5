"""Characters to segments: runs of text on one baseline with no gap wider than between words.

A segment is what a line of a column, or a cell of a table without rules, consists of. Columns are found over segments.
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

__all__ = ["SKEWED", "Segment", "in_frame", "is_raised", "out_of_frame", "quarter_of", "quarters_of", "segments_of"]

SKEWED = -1
"""Of text that is turned by no quarter of a turn, such as watermarks."""

_TURNED = 5
"""Degrees by which text may be off a quarter of a turn and still make lines; all else is skewed."""
_WIDE_GAP = 1.0
"""In sizes of the text: a wider gap may be one between columns."""
_CLOSE = 0.45
"""In sizes of the text: less between two Chinese characters is no space, whatever pdfium says."""
_BLANK = [*range(33), 0x7F, 0x85, 0xA0, 0x1680, *range(0x2000, 0x2010), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF]
_INK, _BREAK, _HYPHEN = 1, 2, 4
_SPACES = frozenset(map(chr, _BLANK))
_NO_SPACE = dict.fromkeys(map(ord, _SPACES))
_KINDS = np.full(1 << 16, _INK, np.uint8)
"""What a character does, by its code: leaves ink, ends a line, is pdfium's hyphen at the end of one (and so ends it).
"""
_KINDS[_BLANK] = 0
_KINDS[[0x0A, 0x0D]] = _BREAK
_KINDS[[ord(hyphen) for hyphen in HYPHENS]] = _INK | _HYPHEN
_SMALLER = 0.85
"""Times the size of the line: raised characters are smaller."""
_ABOVE = 0.15
"""In sizes of the line: raised characters end this far above the others."""
_FROM, _TO = "\ufdd0", "\ufdd1"
"""Stand around raised characters while a text is cleaned; no text has them."""
_LINE_END_HYPHENS = HYPHENS + "\xad"
_JOINERS = "\u200c\u200d\u200e\u200f"
_HAN = "\u2e80-\u30ff\u31c0-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_HYPHENATED = re.compile(r"[^\W\d_][-\x02\ufffe\xad\u2010]$")
_SIGNS_OF_HYPHENS = frozenset("-\x02\ufffe\xad\u2010")
"""Asked first: few segments end with one."""
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
"""What Symbol and Wingdings put before list items, whose characters have no meaning outside of these fonts."""


@dataclass(slots=True)
class Segment:
    """A run of characters of a page, never changed (see `Line`). Its places are those of its frame: the page turned so
    that its text is
    upright."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    style: int
    """Number of the style of most of its characters."""
    bold: int
    """How many of its visible characters are bold."""
    lead: int
    """How many of its first visible characters are bold."""
    mono: int
    """How many are in a font with glyphs of one width."""
    visible: int
    """How many it has."""
    hyphen: bool
    """It ends with a hyphen that may only stand there because the line ends."""
    height: float
    """From top to bottom: asked for far more often than segments are made, as the middle is."""
    middle: float
    """Between top and bottom."""
    raised: tuple[tuple[int, int], ...] = ()
    """Where in `text` smaller characters stand above the line: from, to."""

    def moved(self, left: float, top: float, right: float, bottom: float) -> Segment:
        """The same text in another place."""
        return replace(
            self, left=left, top=top, right=right, bottom=bottom, height=bottom - top, middle=(top + bottom) / 2
        )


def is_raised(one: Segment, other: Segment) -> bool:
    """Whether a segment is smaller than another one and stands above its line."""
    return (
        one.height < _SMALLER * other.height
        and one.bottom - other.top > 0
        and other.bottom - one.bottom > _ABOVE * other.height
    )


def quarter_of(angle: int) -> int:
    """By how many quarters, counter-clockwise, text at an angle is turned, or `SKEWED`.

    >>> quarter_of(0), quarter_of(91), quarter_of(357), quarter_of(45)
    (0, 1, 0, -1)
    """
    off = (angle + 45) % 90 - 45
    return (angle - off) // 90 % 4 if abs(off) <= _TURNED else SKEWED


def quarters_of(characters: PageCharacters) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """The quarters by which text of a page is turned, with a mask of its characters (n,), the most frequent first."""
    quarters = np.array([quarter_of(style.angle) for style in characters.table])
    if len({*quarters.tolist()}) == 1:
        upright = characters.styles >= 0
        if upright.any():
            yield int(quarters[0]), upright
        return
    of_each = quarters[characters.styles]
    of_each[characters.styles < 0] = SKEWED - 1
    found, counts = np.unique(of_each[characters.styles >= 0], return_counts=True)
    for quarter in found[np.argsort(-counts, kind="stable")].tolist():
        yield quarter, of_each == quarter


def in_frame(boxes: NDArray[np.float32], quarter: int) -> NDArray[np.float32]:
    """Boxes (n, 4) of a page turned so that text at `quarter` × 90 degrees, counter-clockwise, reads upright."""
    left, top, right, bottom = boxes.T
    turned = {
        0: (left, top, right, bottom),
        1: (-bottom, left, -top, right),
        2: (-right, -bottom, -left, -top),
        3: (top, -right, bottom, -left),
    }
    return np.stack(turned[quarter], axis=1)


def out_of_frame(box: tuple[float, float, float, float], quarter: int) -> tuple[float, float, float, float]:
    """A place in a frame on the page as it is shown: what `in_frame` does, undone; that of skewed text is one already."""
    if not quarter:
        return box
    left, top, right, bottom = box
    turned = {1: (top, -right, bottom, -left), 2: (-right, -bottom, -left, -top), 3: (-bottom, left, -top, right)}
    return turned.get(quarter, box)


def segments_of(characters: PageCharacters, chosen: NDArray[np.bool_], quarter: int) -> list[Segment]:
    """The segments of the chosen characters, in the order of the file.

    Args:
        chosen: (n,) which characters; those without ink are left to their neighbours.
        quarter: how far their text is turned (see `in_frame`); -1 for text that is turned otherwise: pdfium's lines are
            taken.
    """
    codes = np.frombuffer(characters.text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _KINDS[np.minimum(codes, len(_KINDS) - 1)]
    visible = np.flatnonzero(chosen & (characters.styles >= 0) & ((kinds & _INK) > 0))
    if not len(visible):
        return []
    boxes = in_frame(characters.boxes[visible], max(quarter, 0))
    styles = characters.styles[visible]
    starts = _starts(characters, kinds, visible, boxes if quarter >= 0 else None)
    return list(_made(characters, visible, boxes, styles, starts))


def _starts(
    characters: PageCharacters, kinds: NDArray[np.uint8], visible: NDArray[np.intp], boxes: NDArray[np.float32] | None
) -> NDArray[np.intp]:
    """Places in `visible` at which a segment starts: at line ends and, where there are boxes, after wide gaps."""
    line_ends = np.cumsum(kinds & _BREAK)[visible]
    breaks = (line_ends[1:] != line_ends[:-1]) | ((kinds[visible[:-1]] & _HYPHEN) > 0)
    if boxes is not None:
        breaks |= _apart(characters, visible, boxes)
    return np.concatenate([[0], np.flatnonzero(breaks) + 1])


def _apart(characters: PageCharacters, visible: NDArray[np.intp], boxes: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether each character stands apart from the one before it."""
    sizes = np.array([style.size for style in characters.table], np.float32)[characters.styles[visible]]
    left, top, right, bottom = boxes.T
    size = np.maximum(sizes[1:], sizes[:-1])
    gap = np.maximum(left[1:] - right[:-1], left[:-1] - right[1:])
    overlap = np.minimum(bottom[1:], bottom[:-1]) - np.maximum(top[1:], top[:-1])
    height = np.minimum(bottom[1:] - top[1:], bottom[:-1] - top[:-1])
    apart: NDArray[np.bool_] = (gap > _WIDE_GAP * size) | (overlap < height / 2)
    return apart


def _made(
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
            above = _raised(sizes[styles[first:after]], boxes[first:after], styles[first:after] == style)
            raw = _marked(raw, text[begin:stop], (visible[first:after][above] - visible[first]).tolist())
        words, raised = _unmarked(" ".join(_ODD.sub(_plain, raw).split()))
        yield Segment(
            words, left, top, right, bottom, style, bolds, lead, monos, after - first, hyphen, height, middle, raised
        )


def _is_hyphened(raw: str) -> bool:
    return raw[-1:] in _SIGNS_OF_HYPHENS and bool(_HYPHENATED.search(raw))


def _raised(sizes: NDArray[np.float64], boxes: NDArray[np.float32], usual: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Which of a segment's characters are smaller than the usual ones and stand above their line."""
    size = float(sizes[usual][0])
    smaller = np.flatnonzero(sizes < _SMALLER * size)
    if not len(smaller):
        return smaller
    bottom = float(np.median(boxes[usual, 3]))
    above: NDArray[np.bool_] = bottom - boxes[smaller, 3] > _ABOVE * size
    return np.compress(above, smaller)


def _marked(raw: str, before: str, places: list[int]) -> str:
    """With signs around characters, given by their places in the text `before` it was rid of some spaces."""
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
    """Without these signs, and where they stood."""
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
    """What is written for a character that draws several letters, a bullet of a symbol font, or nothing at all."""
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
    """Without the spaces between Chinese characters that stand no further apart than in any line set to full width.

    A space that the file has (it is as wide as something, pdfium's own are not) is left, unless there is one
    everywhere.
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
