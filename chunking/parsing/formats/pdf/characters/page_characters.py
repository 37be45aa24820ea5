"""The characters of a page, with boxes on the page as it is shown and the style each is set in.

Everything is kept in arrays, one entry a character: a page has thousands, a long document millions. Calls into pdfium
take most of the time, so a style is asked for once a text object (what one drawing instruction set), not once a
character.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import deque
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chunking.parsing.formats.pdf.characters.pdfium_calls import address_of, plain_calls

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HYPHENS", "CharacterStyle", "PageCharacters", "page_frame", "read_characters"]

HYPHENS = "\x02\ufffe"
"""What pdfium puts for a hyphen at the end of a line, whose line break it then leaves out: in its characters, and in
its whole texts.
"""

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
"""Narrow and wide letters, by their codes."""
_LETTERS[[ord(letter) for letter in "iljtfr"]] = _NARROW
_LETTERS[[ord(letter) for letter in "mwMW"]] = _WIDE
_FEW_WIDE = 2
"""Wide letters of a style on a page from which it can be told whether all are equally wide."""
_EVEN = 0.02
"""In sizes: the widths of letters of such a font differ less."""
_MOSTLY_LATIN = 0.9
_OWN_CHARACTERS = 3
"""As many of pdfium's may stand before the first one that a text object draws."""
_BOX_BYTES = 4 * 4
_FARTHEST = 1e7
"""Points from the page's corner; a place further away (or none at all, in a broken file) is held to it."""
_UNIT = 1_000_000
"""Steps in which pdfium is asked for places on the page: it gives whole numbers."""


class CharacterStyle(NamedTuple):
    """How characters are set."""

    font: str = ""
    """Its name in the file, without the prefix of a subset."""
    size: float = 0.0
    """Points on the page as it is shown, to a tenth."""
    bold: bool = False
    mono: bool = False
    """All glyphs are equally wide."""
    angle: int = 0
    """Degrees by which the text is turned on the page as it is shown, counter-clockwise, 0 to 359."""


@dataclass(frozen=True, slots=True)
class PageCharacters:
    """What stands on a page, in the order in which the file has it."""

    page: int
    """1-based."""
    width: float
    """Of the page as it is shown, in points."""
    height: float
    text: str
    """One code point a character; line ends and some spaces are pdfium's."""
    boxes: NDArray[np.float32]
    """(n, 4): left, top, right, bottom in points from the upper left corner of the page as it is shown."""
    styles: NDArray[np.int32]
    """(n,): index into `table`; -1 for line ends."""
    table: tuple[CharacterStyle, ...]


def read_characters(page: Any, number: int, *, most: int | None = None) -> PageCharacters:
    """The characters of a page.

    Args:
        page: a `pypdfium2.PdfPage`.
        number: of the page, 1-based.
        most: how many are read; None: all.
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
    boxes = _shown(rectangles, place)
    table = _with_even_fonts(text, boxes, styles, table)
    if count and _has_surrogates(text):
        text, boxes, styles = _joined(text, boxes, styles)
    return PageCharacters(number, width, height, _letters_in_order(text, boxes), boxes, styles, table)


def _with_even_fonts(
    text: str, boxes: NDArray[np.float32], styles: NDArray[np.int32], table: tuple[CharacterStyle, ...]
) -> tuple[CharacterStyle, ...]:
    """The styles with those fonts as of one width that do not say so, but whose narrow letters are as wide as the wide
    ones.

    Fonts of Chinese text are none: many have Latin letters of one width.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _LETTERS[np.minimum(codes, len(_LETTERS) - 1)]
    told = np.flatnonzero((kinds > 0) & (styles >= 0))
    kinds = kinds[told]
    narrow, wide = (np.bincount(styles[told[kinds == kind]], minlength=len(table)) for kind in (_NARROW, _WIDE))
    made = list(table)
    for number in np.flatnonzero((narrow > 0) & (wide >= _FEW_WIDE)).tolist():
        style = table[number]
        if style.mono or style.angle % 180:
            continue
        letters = told[styles[told] == number]
        if np.ptp(boxes[letters, 2] - boxes[letters, 0]) < _EVEN * style.size:
            visible = codes[(styles == number) & (codes > 32)]
            if (visible < 127).sum() >= _MOSTLY_LATIN * len(visible):
                made[number] = style._replace(mono=True)
    return tuple(made)


def _letters_in_order(text: str, boxes: NDArray[np.float32]) -> str:
    """With lam before alef where one glyph draws both: pdfium turns the order of Arabic letters, and of these too."""
    found = [
        pair.start() for pair in _ALEF_LAM.finditer(text) if (boxes[pair.start()] == boxes[pair.start() + 1]).all()
    ]
    letters = list(text) if found else []
    for place in found:
        letters[place], letters[place + 1] = letters[place + 1], letters[place]
    return "".join(letters) if found else text


def _text(handle: Any, count: int) -> str:
    """The first `count` characters of a text page, one code point each, halves of surrogate pairs as they are.

    pdfium gives a whole text in UTF-16, without characters that it does not print: where that has the right length, it
    is taken.
    Elsewhere, and where pairs may make up for characters left out, each character is asked for.
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
    """How points of the file become points on the page as it is shown: (3, 2), and that page's width and height."""
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


def _shown(rectangles: NDArray[np.float32], place: NDArray[np.float64]) -> NDArray[np.float32]:
    """(n, 4) left, top, right, bottom as shown, of pdfium's left, top, right, bottom with y upwards."""
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
    """Pairs of surrogates made one character, with the box and style of the first; lone ones made U+FFFD."""
    pairs = [one.start() + 1 for one in _PAIR.finditer(text)]
    keep = np.ones(len(text), bool)
    keep[pairs] = False
    whole = _PAIR.sub(lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)
    return _LONE.sub("\ufffd", whole), boxes[keep], styles[keep]


def _styles(handle: Any, text: str, turn: int) -> tuple[NDArray[np.int32], tuple[CharacterStyle, ...]]:
    """Each character's style: a line is halved until both ends of a part belong to one text object."""
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
    """The styles of one page's text objects, each asked for once."""

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
        """Number of the style of the character at `index`, which `text_object` set."""
        known = self._by_object.get(text_object)
        if known is None:
            known = self._by_object[text_object] = self._read(self._drawn(index, text_object), text_object or 0)
        return known

    def _drawn(self, index: int, text_object: int | None) -> int:
        """The first of a text object's characters that is not pdfium's own, whose size is 1 wherever they stand."""
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
