"""Characters of a PDF page with their boxes on the displayed page and their styles.

Everything is held in arrays, one entry per character: a page has thousands, a long document millions. Calls into pdfium
take most of the time, so a style is read once per text object (one drawing instruction), not once per character.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HYPHENS", "CharacterStyle", "PageCharacters", "address_of", "page_frame", "plain_calls", "read_characters"]

HYPHENS = "\x02\ufffe"
"""Hyphens at line ends as pdfium writes them (the line break is lost): in single characters, in whole texts."""

_BOLD = re.compile(
    r"bold|black|heavy|demi|semib|[-,]medi|medi$|cmbx|cmssbx|sfbx|[-_]bd|w[6-9]$|黑体|simhei", re.IGNORECASE
)
_MONO = re.compile(
    r"mono|courier|consol|menlo|typewriter|cmtt|sftt|lmtt|terminal|sourcecode|fira ?code|inconsolata", re.IGNORECASE
)
_SUBSET = re.compile(r"^[A-Z]{6}\+")
_LINE = re.compile(r"[^\r\n]+")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE = re.compile("[\ud800-\udfff]")
_FIRST_SURROGATE, _LAST_SURROGATE = 0xD800, 0xDFFF
_ALEF_LAM = re.compile("[\u0622\u0623\u0625\u0627](?=\u0644)")
_FIXED_PITCH = 1
_FORCE_BOLD = 1 << 18
_BOLD_WEIGHT = 600
_FILL_AND_STROKE = 2
_NARROW, _WIDE = 1, 2
_LETTERS = np.zeros(128, np.uint8)
"""Narrow and wide letters by character code."""
_LETTERS[[ord(letter) for letter in "iljtfr"]] = _NARROW
_LETTERS[[ord(letter) for letter in "mwMW"]] = _WIDE
_FEW_WIDE = 2
"""Minimum wide letters of a style on a page to judge whether all glyphs have one width."""
_EVEN = 0.02
"""Maximum difference of glyph widths in a monospaced font, in font sizes."""
_MOSTLY_LATIN = 0.9
_OWN_CHARACTERS = 3
"""Maximum characters that pdfium generates before a text object's first own one."""
_BOX_BYTES = 4 * 4
_FARTHEST = 1e7
"""Points to which coordinates are clamped: broken files have places far away, or none at all."""
_UNIT = 1_000_000
"""Resolution of page coordinates: pdfium returns integers."""


class CharacterStyle(NamedTuple):
    """Font, size, weight and rotation of a character; characters of a page share a few styles."""

    font: str = ""
    """Font name without the prefix of a subset."""
    size: float = 0.0
    """Size in points on the displayed page, to a tenth."""
    bold: bool = False
    mono: bool = False
    """True for a monospaced font."""
    angle: int = 0
    """Rotation of the text on the displayed page in degrees counter-clockwise, 0 to 359."""


@dataclass(frozen=True, slots=True)
class PageCharacters:
    """Characters of a page in file order, as a text and arrays with an entry per character."""

    page: int
    """Page number from 1."""
    width: float
    """Width of the displayed page in points."""
    height: float
    text: str
    """Text with one code point a character; line ends and some spaces are pdfium's."""
    boxes: NDArray[np.float32]
    """(n, 4): left, top, right, bottom in points from the upper left corner of the displayed page."""
    styles: NDArray[np.int32]
    """(n,): index into `table`; -1 for line ends."""
    table: tuple[CharacterStyle, ...]


def read_characters(page: Any, number: int, *, most: int | None = None) -> PageCharacters:
    """Read the characters of a page's text layer, with their boxes and styles; no OCR.

    Args:
        page: a `pypdfium2.PdfPage`.
        number: of the page, 1-based.
        most: maximum number of characters, the first ones; None: all.
    """
    import pypdfium2.raw as pdfium

    text_page = page.get_textpage()
    try:
        handle = text_page.raw
        count = max(pdfium.FPDFText_CountChars(handle), 0)
        count = count if most is None else min(count, most)
        calls, pointer = plain_calls(), address_of(handle)
        text = _text(handle, count)
        rectangles = np.zeros((count, 4), np.float32)
        start, after = rectangles.ctypes.data, rectangles.ctypes.data + rectangles.nbytes
        deque(map(calls.box_of, repeat(pointer), range(count), range(start, after, _BOX_BYTES)), maxlen=0)
        styles, table = _styles(handle, text, _turn(page))
    finally:
        text_page.close()
    place, width, height = page_frame(page)
    boxes = _on_displayed_page(rectangles, place)
    table = _detect_monospaced(text, boxes, styles, table)
    if count and _has_surrogates(text):
        text, boxes, styles = _joined(text, boxes, styles)
    return PageCharacters(number, width, height, _letters_in_order(text, boxes), boxes, styles, table)


def _detect_monospaced(
    text: str, boxes: NDArray[np.float32], styles: NDArray[np.int32], table: tuple[CharacterStyle, ...]
) -> tuple[CharacterStyle, ...]:
    """Mark fonts as monospaced whose narrow letters are as wide as the wide ones.

    Not for fonts of Chinese text: many have Latin letters of one width.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _LETTERS[np.minimum(codes, len(_LETTERS) - 1)]
    letters_at = np.flatnonzero((kinds > 0) & (styles >= 0))
    kinds = kinds[letters_at]
    narrow, wide = (np.bincount(styles[letters_at[kinds == kind]], minlength=len(table)) for kind in (_NARROW, _WIDE))
    revised = list(table)
    for number in np.flatnonzero((narrow > 0) & (wide >= _FEW_WIDE)).tolist():
        style = table[number]
        if style.mono or style.angle % 180:
            continue
        letters = letters_at[styles[letters_at] == number]
        if np.ptp(boxes[letters, 2] - boxes[letters, 0]) < _EVEN * style.size:
            visible = codes[(styles == number) & (codes > 32)]
            if (visible < 127).sum() >= _MOSTLY_LATIN * len(visible):
                revised[number] = style._replace(mono=True)
    return tuple(revised)


def _letters_in_order(text: str, boxes: NDArray[np.float32]) -> str:
    """Put lam before alef where one glyph draws both: pdfium reverses Arabic, and these twice."""
    ligatures = [
        pair.start() for pair in _ALEF_LAM.finditer(text) if (boxes[pair.start()] == boxes[pair.start() + 1]).all()
    ]
    letters = list(text) if ligatures else []
    for place in ligatures:
        letters[place], letters[place + 1] = letters[place + 1], letters[place]
    return "".join(letters) if ligatures else text


def _text(handle: Any, count: int) -> str:
    """Return the first `count` characters of a text page, one code point each, surrogates unpaired.

    pdfium returns a whole text in UTF-16 without unprintable characters: used where its length is right. Elsewhere, and
    where surrogate pairs could make up for missing characters, each character is read on its own.
    """
    import pypdfium2.raw as pdfium

    calls, pointer = plain_calls(), address_of(handle)
    units = np.zeros(2 * count + 1, np.uint16)
    length = pdfium.FPDFText_GetText(handle, 0, count, units.ctypes.data_as(ctypes.POINTER(ctypes.c_ushort))) - 1
    codes = units[:count].astype(np.uint32)
    if length == count and not ((codes >= _FIRST_SURROGATE) & (codes <= _LAST_SURROGATE)).any():
        for place in np.flatnonzero(
            codes == ord(HYPHENS[1])
        ).tolist():  # a hyphen, or a character that the font says nothing of
            codes[place] = calls.code_of(pointer, place)
    else:
        codes = np.fromiter(map(calls.code_of, repeat(pointer), range(count)), np.uint32, count)
    return codes.clip(0, 0x10FFFF).tobytes().decode("utf-32-le", "surrogatepass")


def _turn(page: Any) -> int:
    return int(page.get_rotation())


def page_frame(page: Any) -> tuple[NDArray[np.float64], float, float]:
    """Return the affine map from file coordinates to points on the displayed page, and its size.

    The map (3, 2) holds the origin, and the steps for one unit to the right and upwards; width and height follow.
    """
    import pypdfium2.raw as pdfium

    width, height = page.get_size()
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for point in ((0.0, 0.0), (1000.0, 0.0), (0.0, 1000.0)):
        pdfium.FPDF_PageToDevice(page.raw, 0, 0, _UNIT, _UNIT, 0, *point, x, y)
        corners.append((x.value * width / _UNIT, y.value * height / _UNIT))
    place = np.array(corners)
    place[1:] = (place[1:] - place[0]) / 1000
    return place, width, height


def _on_displayed_page(rectangles: NDArray[np.float32], place: NDArray[np.float64]) -> NDArray[np.float32]:
    """Convert pdfium's boxes (y upwards) to left, top, right, bottom on the displayed page."""
    one = place[0] + rectangles[:, 0:1] * place[1] + rectangles[:, 1:2] * place[2]
    other = place[0] + rectangles[:, 2:3] * place[1] + rectangles[:, 3:4] * place[2]
    boxes = np.concatenate([np.minimum(one, other), np.maximum(one, other)], axis=1)
    if not np.abs(boxes).max(initial=0.0) <= _FARTHEST:
        boxes[np.isnan(boxes)] = 0
        boxes = np.minimum(np.maximum(boxes, -_FARTHEST), _FARTHEST)
    return boxes.astype(np.float32)


def _has_surrogates(text: str) -> bool:
    return not text.isascii() and bool(_LONE.search(text))


def _joined(
    text: str, boxes: NDArray[np.float32], styles: NDArray[np.int32]
) -> tuple[str, NDArray[np.float32], NDArray[np.int32]]:
    """Join surrogate pairs, with box and style of the first half; lone halves become U+FFFD."""
    pairs = [one.start() + 1 for one in _PAIR.finditer(text)]
    keep = np.ones(len(text), bool)
    keep[pairs] = False
    paired = _PAIR.sub(lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)
    return _LONE.sub("\ufffd", paired), boxes[keep], styles[keep]


def _styles(handle: Any, text: str, turn: int) -> tuple[NDArray[np.int32], tuple[CharacterStyle, ...]]:
    """Return the style of each character; lines are bisected until both ends share a text object."""
    object_at = plain_calls().object_at
    pointer = address_of(handle)
    reader = _StyleReader(handle, turn)
    styles = np.full(len(text), -1, np.int32)
    for line in _LINE.finditer(text):
        first, last = line.start(), line.end() - 1
        todo = [(first, last, object_at(pointer, first), object_at(pointer, last))]
        while todo:
            first, last, one, two = todo.pop()
            if first == last or (one == two and one is not None):  # pdfium's own spaces have none
                styles[first : last + 1] = reader.style_of(first, one)
            elif last == first + 1:
                styles[first], styles[last] = reader.style_of(first, one), reader.style_of(last, two)
            else:
                middle = (first + last) // 2
                between = object_at(pointer, middle)
                todo += [(first, middle, one, between), (middle, last, between, two)]
    return styles, tuple(reader.table)


class _StyleReader:
    """Reader of the style of each text object of a page, once each."""

    def __init__(self, handle: Any, turn: int) -> None:
        import pypdfium2.raw as pdfium

        self._pdfium, self._calls = pdfium, plain_calls()
        self._handle, self._turn = handle, turn
        self._pointer = address_of(handle)
        self._matrix = pdfium.FS_MATRIX()
        self._matrix_at = ctypes.addressof(self._matrix)
        self._by_object: dict[int | None, int] = {None: -1}
        self._by_look: dict[tuple[float, ...], int] = {}
        self._by_style: dict[CharacterStyle, int] = {}
        self._fonts: dict[int, tuple[str, bool, bool]] = {}

    @property
    def table(self) -> tuple[CharacterStyle, ...]:
        return tuple(self._by_style)

    def style_of(self, index: int, text_object: int | None) -> int:
        """Return the place in `table` of a text object's style, read at `index`; -1 for None."""
        style = self._by_object.get(text_object)
        if style is None:
            style = self._by_object[text_object] = self._read(self._first_own(index, text_object), text_object or 0)
        return style

    def _first_own(self, index: int, text_object: int | None) -> int:
        """Index of the first character from `index` on that pdfium did not generate (with size 1)."""
        is_generated, object_at, pointer = self._calls.is_generated, self._calls.object_at, self._pointer
        for place in range(index, index + _OWN_CHARACTERS):
            if is_generated(pointer, place) == 0 and (place == index or object_at(pointer, place) == text_object):
                return place
        return index

    def _read(self, index: int, text_object: int) -> int:
        matrix = self._matrix
        self._calls.matrix_of(self._pointer, index, self._matrix_at)
        size = self._calls.size_of(self._pointer, index)
        font, mode = self._calls.font_of(text_object) or 0, self._calls.mode_of(text_object)
        look = (font, mode, size, matrix.a, matrix.b, matrix.c, matrix.d)
        if look not in self._by_look:
            height = round(abs(size) * math.hypot(matrix.c, matrix.d), 1)
            angle = round(math.degrees(math.atan2(matrix.b, matrix.a)) - self._turn) % 360
            name, bold, mono = self._font(index, font)
            style = CharacterStyle(name, height, bold or mode == _FILL_AND_STROKE, mono, angle)
            self._by_look[look] = self._by_style.setdefault(style, len(self._by_style))
        return self._by_look[look]

    def _font(self, index: int, address: int) -> tuple[str, bool, bool]:
        if address not in self._fonts:
            name, flags = ctypes.create_string_buffer(256), ctypes.c_int()
            self._pdfium.FPDFText_GetFontInfo(self._handle, index, name, 256, flags)
            weight = self._pdfium.FPDFText_GetFontWeight(self._handle, index)
            label = _SUBSET.sub("", name.value.decode("utf-8", "replace"))
            bold = weight >= _BOLD_WEIGHT or bool(_BOLD.search(label)) or bool(flags.value & _FORCE_BOLD)
            mono = bool(flags.value & _FIXED_PITCH) or bool(_MONO.search(label))
            self._fonts[address] = label, bold, mono
        return self._fonts[address]


class Calls(NamedTuple):
    """Functions of pdfium that take integers as addresses, which is faster than ctypes pointers."""

    code_of: Callable[[int, int], int]
    """Code of a character, from a text page and an index, like the next ones."""
    box_of: Callable[[int, int, int], int]
    """Write left, top, right, bottom (four float32) to an address."""
    matrix_of: Callable[[int, int, int], int]
    """Write a matrix to an address."""
    size_of: Callable[[int, int], float]
    object_at: Callable[[int, int], int | None]
    is_generated: Callable[[int, int], int]
    font_of: Callable[[int], int | None]
    """Font of a text object; `mode_of` gives its rendering mode."""
    mode_of: Callable[[int], int]
    object_on: Callable[[int, int], int | None]
    """Object address on a page, from an index."""
    object_in: Callable[[int, int], int | None]
    """Object address in a form, from an index."""
    kind_of: Callable[[int], int]
    """Type of a page object."""


@cache
def plain_calls() -> Calls:
    """Bind the functions of `Calls`; cached, so once per process. They hold the GIL."""
    import pypdfium2.raw as pdfium

    def plain(function: Any, result: Any, *arguments: Any) -> Any:
        return ctypes.PYFUNCTYPE(result, *arguments)(ctypes.cast(function, ctypes.c_void_p).value or 0)

    address, number = ctypes.c_void_p, ctypes.c_int
    return Calls(
        plain(pdfium.FPDFText_GetUnicode, ctypes.c_uint, address, number),
        plain(pdfium.FPDFText_GetLooseCharBox, number, address, number, address),
        plain(pdfium.FPDFText_GetMatrix, number, address, number, address),
        plain(pdfium.FPDFText_GetFontSize, ctypes.c_double, address, number),
        plain(pdfium.FPDFText_GetTextObject, address, address, number),
        plain(pdfium.FPDFText_IsGenerated, number, address, number),
        plain(pdfium.FPDFTextObj_GetFont, address, address),
        plain(pdfium.FPDFTextObj_GetTextRenderMode, number, address),
        plain(pdfium.FPDFPage_GetObject, address, address, number),
        plain(pdfium.FPDFFormObj_GetObject, address, address, ctypes.c_ulong),
        plain(pdfium.FPDFPageObj_GetType, number, address),
    )


def address_of(handle: Any) -> int:
    """Return the address in a pointer of `pypdfium2.raw`; 0 for a null pointer."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0
