"""RTF made ready for striprtf: pictures and tables of settings dropped, and what shapes paragraphs marked in the text.

striprtf decodes: code pages by font, `\\u` and what it replaces, special characters. It gives text without structure, and drops
notes and boxes; so the control words that matter are put into the text as marks, which come through it as they are.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["MARK", "Marked", "mark_source"]

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
MARK = re.compile(f"{_OPEN}([a-z()]+)(-?[0-9]*){_CLOSE}")
"""A mark in the text: a control word, or ( and ) for a brace, and its number."""

_TOKEN = re.compile(
    r"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?"
    r"|(?P<codes>(?:\\'[0-9a-fA-F]{2}[\r\n]*)+)(?P<trail>[@-\[\]-z|~]?)"
    r"|\\(?P<sign>[^a-zA-Z])|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\",
    re.DOTALL,
)
_NO_DIGIT = re.compile("[^0-9a-fA-F]+")
_RAW = re.compile(r"([\x80-\xff]+)([@-\[\]-z|~]?)")
_STRUCTURE = re.compile(r"[\\{}]|\Z")
_CODE_PAGE = re.compile(rb"\\ansicpg(\d{1,5})")
_CHARACTER_SET = re.compile(rb"\\(mac|pca?)(?![a-zA-Z0-9])")
_SETS = {b"mac": "mac_roman", b"pc": "cp437", b"pca": "cp850"}
_DECODED = frozenset(
    {"tab", "line", "emdash", "endash", "emspace", "enspace", "qmspace", "bullet", "lquote", "rquote", "ldblquote", "rdblquote"}
)
"""Words that striprtf puts characters for."""
_FURNITURE = frozenset(f"{kind}{place}" for kind in ("header", "footer") for place in ("", "f", "l", "r"))
_PARTS = frozenset({"stylesheet", "title", "footnote", "annotation", "shptxt", "dptxbxtext", "listtext", "pntext"}) | _FURNITURE
"""Groups whose text stands elsewhere than around them."""
_MARKED = _PARTS | {"par", "pard", "plain", "s", "outlinelevel", "ilvl", "v", "chftn", "intbl", "trowd", "trhdr", "cell", "row", "nestcell"}
_BREAKS = frozenset({"sect", "page", "column"})
_HOLDERS = frozenset({"info", "shp", "shpinst", "shpgrp", "do", "object", "result", "fldrslt"})
"""Groups of which something inside is text."""
_NO_CODEC = {78: 128, 79: 136, 80: 129, 82: 177, 85: 134, 86: 238, 87: 204, 88: 222, 89: 238}
"""Character sets of old Macs for which Python has no codec, and the ones of Windows for the same script."""
_NO_CHARACTER = 0xFFFD


class Marked(NamedTuple):
    """A file made ready."""

    rtf: str
    encoding: str
    """Of what no font says otherwise of."""
    truncated: bool
    """It ends inside a group."""


def mark_source(data: bytes, encoding: str | None) -> Marked:
    """Mark a file.

    Args:
        encoding: what the user says; None: as the file says.
    """
    code_page, character_set = _CODE_PAGE.search(data[:4096]), _CHARACTER_SET.search(data[:4096])
    named = encoding or (f"cp{int(code_page[1])}" if code_page else _SETS.get(character_set[1], "") if character_set else "")
    marker = _Marker(data)
    parts = list(marker.parts())
    fonts = "".join(f"{{\\f{font}\\fcharset{kind} x;}}\n" for font, kind in marker.fonts.items())
    return Marked(f"{{\\rtf1 {{\\fonttbl {fonts}}}{''.join(parts)}}}", named if _is_known(named) else "cp1252", marker.depth > 0)


def _is_known(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name != "" if encoding else False
    except LookupError:
        return False


def _mark(word: str, number: str | None = None) -> str:
    return f"{_OPEN}{word}{number or ''}{_CLOSE}"


class _Marker:
    def __init__(self, data: bytes) -> None:
        from striprtf.striprtf import destinations

        self._dropped = destinations - _PARTS - _HOLDERS | {"deleted"}
        self._text = data.decode("latin-1")
        self._is_utf8 = _is_utf8(data)
        self.depth = 0
        self.fonts: dict[str, int] = {}
        self._font = ""
        self._default = ""
        self._skip = 0
        """Depth of the group that is being dropped; 0: none."""
        self._in_fonts = False

    def parts(self) -> Iterator[str]:
        """What striprtf is to read, piece by piece."""
        place = max(self._text.find("{\\rtf"), 0)
        while (found := self._token(place)) is not None:
            place = found.end()
            kind, value = found.lastgroup, found.group
            if kind == "brace":
                yield from self._brace(found[0])
                if self.depth <= 0:
                    return
            elif kind in ("word", "number"):
                word, number = value("word"), value("number")
                if word == "bin":
                    place += max(int(number or 0), 0)
                elif self._skip:
                    self._note_font(word, number)
                else:
                    yield self._word(word, number)
            elif self._skip:
                continue
            elif kind == "sign":
                yield self._sign(value("sign"), place)
            elif kind == "text":
                yield self._run(found[0])
            elif value("codes"):
                yield _codes(bytes.fromhex(_NO_DIGIT.sub("", value("codes"))), value("trail"))

    def _token(self, place: int) -> re.Match[str] | None:
        """The next one; of what is dropped, such as the digits of a picture, only what can end it."""
        if self._skip and (ahead := _STRUCTURE.search(self._text, place)):
            place = ahead.start()
        return _TOKEN.match(self._text, place)

    def _brace(self, brace: str) -> Iterator[str]:
        if brace == "{":
            self.depth += 1
        else:
            self.depth -= 1
            if self.depth < self._skip:
                self._skip, self._in_fonts = 0, False
        if not self._skip:
            yield brace + _mark("(" if brace == "{" else ")")

    def _word(self, word: str, number: str | None) -> str:
        if word == "u":
            code = int(number or _NO_CHARACTER)
            return f"\\u{code if -0x8000 <= code < 0x10000 and code & 0xFFFF not in _MARKS else _NO_CHARACTER} "
        if word == "uc":
            return f"\\uc{min(max(int(number or 1), 0), 9)} "
        if word == "f" and number:
            return f"\\f{number} "
        if word == "deff":
            self._default = number or ""
        if word in _DECODED:
            return f"\\{word} "
        if word in self._dropped and number != "0":
            self._skip, self._in_fonts = max(self.depth, 1), word == "fonttbl"
        if word in _BREAKS:
            return "\\b " + _mark("par")
        font = f"\\f{self._default} " if word == "plain" and self._default else ""
        return f"\\b {font}{_mark(word, number)}" if word in _MARKED else "\\b "

    def _sign(self, sign: str, place: int) -> str:
        if sign == "*":
            after = _TOKEN.match(self._text, place)
            known = after is not None and after["word"] in _PARTS | _HOLDERS
            if not known:
                self._skip = max(self.depth, 1)
            return ""
        if sign in "\r\n":
            return "\\b " + _mark("par")
        return "\\'5c" if sign == "\\" else f"\\{sign}" if sign in "{}~-_" else ""

    def _run(self, text: str) -> str:
        if text.isascii():
            return text
        if self._is_utf8:
            return text.encode("latin-1").decode("utf-8", "replace").replace(_OPEN, "").replace(_CLOSE, "")
        return _RAW.sub(lambda raw: _codes(raw[1].encode("latin-1"), raw[2]), text)

    def _note_font(self, word: str, number: str | None) -> None:
        if self._in_fonts and number and word == "f":
            self._font = number
        elif self._in_fonts and number and word == "fcharset":
            self.fonts.setdefault(self._font or "0", _NO_CODEC.get(int(number), int(number)))


_MARKS = frozenset(map(ord, (_OPEN, _CLOSE)))


def _is_utf8(data: bytes) -> bool:
    try:
        return not data.decode("utf-8").isascii()
    except UnicodeDecodeError:
        return False


def _codes(codes: bytes, trail: str) -> str:
    """Character codes in one piece, with the letter after them where it is the second byte of a character.

    To fonts of one byte a character it is the same letter either way.
    """
    place = 0
    while place < len(codes):
        place += 2 if codes[place] >= 0x81 else 1
    whole = codes + trail.encode() if place > len(codes) else codes
    return "".join(f"\\'{code:02x}" for code in whole) + (trail if whole is codes else "")
