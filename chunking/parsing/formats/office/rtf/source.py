"""Tokenise RTF: decode text, skip settings and pictures, and yield paragraph control words.

After the Rich Text Format specification 1.9.1. One pass without recursion: tokens, and a stack of settings of the open
groups. A group that begins with `\\*` is skipped unless known here, as the specification asks; elsewhere in a group
`\\*` means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from chunking.parsing.formats.office.rtf.codepages import codec_of_charset, codec_of_page

__all__ = ["Event", "RtfSource"]

Event = tuple[str, str]
"""("", text), (control word, its number or empty), or ("(" or ")", "") for a brace."""

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?[0-9]{1,10})? ?"
    rb"|(?P<codes>(?:\\'[0-9a-fA-F]{2}[\r\n]*)+)"
    rb"|\\(?P<sign>[^a-zA-Z])|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\",
    re.DOTALL,
)
_STRUCTURE = re.compile(rb"[\\{}]|\Z")
_NO_CODE = re.compile(rb"[^0-9a-fA-F]+")
_OPENS_GROUP = re.compile(rb"\{\s*+\\\*")
_AFTER_STAR = re.compile(rb"\s*\\([a-zA-Z]+)")
_GOES_ON = re.compile(rb"\\(?:par|pard|plain|cell|row|line)(?![a-zA-Z])")
"""Paragraph commands after the last brace, which means that one was closed too often."""
_CODE_PAGE = re.compile(rb"\\ansicpg([0-9]{1,5})")
_CHARACTER_SET = re.compile(rb"\\(mac|pca?)(?![a-zA-Z0-9])")
_SETS = {b"mac": "mac-roman", b"pc": "cp437", b"pca": "cp850"}
_ANSI = "cp1252"

_CHARACTERS = {
    **{
        "tab": "\t",
        "line": "\n",
        "lbr": "\n",
        "softline": "\n",
        "emdash": "—",
        "endash": "–",
        "bullet": "•",
        "zwj": "\u200d",
        "zwnj": "\u200c",
    },
    **{
        "emspace": "\u2003",
        "enspace": "\u2002",
        "qmspace": "\u2005",
        "lquote": "‘",
        "rquote": "’",
        "ldblquote": "“",
        "rdblquote": "”",
    },
}
_SIGNS = {b"~": "\xa0", b"_": "\u2011", b"\t": "\t"}
_FURNITURE = frozenset(f"{kind}{place}" for kind in ("header", "footer") for place in ("", "f", "l", "r"))
_PARTS = (
    frozenset(
        {"stylesheet", "title", "footnote", "annotation", "atnauthor", "shptxt", "dptxbxtext", "listtext", "pntext"}
    )
    | _FURNITURE
)
"""Groups whose text belongs elsewhere than around them."""
_SHAPING = frozenset(
    {"pard", "plain", "s", "outlinelevel", "ilvl", "v", "deleted", "intbl", "super", "sub", "nosupersub", "up", "dn"}
)
_ENDS = frozenset({"par", "trowd", "trhdr", "cell", "row", "nestcell", "chftn"})
_HANDED_ON = _PARTS | _SHAPING | _ENDS
_BREAKS = frozenset({"sect", "page", "column"})
_HOLDERS = frozenset(
    {"info", "shp", "shpinst", "shpgrp", "do", "object", "result", "field", "fldrslt", "ud", "moMath", "moMathPara"}
)
"""Groups that contain text somewhere inside."""
_TABLES = (
    "fonttbl colortbl filetbl revtbl rsidtbl listtable list listlevel listoverridetable listoverride lfolevel "
    "liststylename listname"
)
_SETTINGS = (
    "leveltext levelnumbers generator template latentstyles themedata colorschememapping datastore datafield "
    "xmlnstbl docvar userprops"
)
_ABOUT = (
    "author operator manager company subject category keywords doccomm comment hlinkbase creatim revtim printim "
    "buptim private"
)
_OBJECTS = (
    "pict nonshppict objdata objclass objname sp sn sv shprslt picprop background fldinst formfield bkmkstart "
    "bkmkend mmathPict"
)
_INDEXES = (
    "xe rxe tc tcn txe ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn pntxta pntxtb pnseclvl falt panose fontemb "
    "fontfile nonesttables"
)
_NOTES = "atnid atnref atnicn atntime atndate atrfstart atrfend"
_SKIPPED = frozenset(" ".join((_TABLES, _SETTINGS, _ABOUT, _OBJECTS, _INDEXES, _NOTES)).split())
"""Groups without text of the document that do not all begin with `\\*`."""
_MATH_SETTINGS = re.compile(r"m[a-zA-Z0-9]+Pr")

_HIGHEST_SKIP = 9
_CHARACTER_STYLES = frozenset({"cs", "ts", "ds"})
"""Style words written after `\\*`, because old readers lack such styles.

Outside the style sheet, no text is hidden in their groups.
"""
_NO_CHARACTER = "\ufffd"


class _State(NamedTuple):
    """Settings valid until the group ends."""

    font: str
    replaced: int = 1
    """Fallback characters after a `\\u`, for readers that do not know it."""


class RtfSource:
    """Tokeniser of an RTF file: `events` yields its text and what shapes its paragraphs.

    Args:
        data: the whole file.
        encoding: stated by the user; None: as the file says.
    """

    def __init__(self, data: bytes, encoding: str | None) -> None:
        page, kind = _CODE_PAGE.search(data[:4096]), _CHARACTER_SET.search(data[:4096])
        named = (codec_of_page(int(page[1])) if page else None) or (_SETS[kind[1]] if kind else "")
        self._data = data
        self._is_utf8 = _is_utf8(data)
        self._chosen = encoding or None
        self.encoding = self._chosen or named or _ANSI
        """Default encoding when the font sets none."""
        self._depth = 0
        self._skip = 0
        """Depth of the group being skipped; 0: none."""
        self._skip_next = -1
        """Depth of the group whose next group is skipped."""
        self._in_fonts = False
        self._style_sheet = 0
        """Depth of the style sheet while it is read; 0: outside."""
        self._star = -1
        """Position of the `\\*` that begins the last such group."""
        self._defined = ""
        """Font being defined."""
        self._fonts: dict[str, str] = {}
        self._default = ""
        self._state = _State("")
        self._stack: list[_State] = []
        self._replace = 0
        """Fallback characters still to be skipped after a `\\u`."""
        self._bytes: list[bytes] = []
        self._text: list[str] = []
        self.warnings: list[str] = []

    def events(self) -> Iterator[Event]:
        """Yield text, control words that shape paragraphs, and braces, in file order.

        Of a skipped group, only its own braces are yielded. Call it once: it advances the tokeniser, and adds to
        `warnings` if the file is truncated or its groups are unbalanced.
        """
        place, unbalanced = max(self._data.find(b"{\\rtf"), 0), False
        while (token := self._token(place)) is not None:
            place = token.end()
            kind = token.lastgroup
            if kind == "text" or kind == "codes":
                if not self._skip:
                    self._add_bytes(token[0], coded=kind == "codes")
                continue
            if kind == "brace":
                if self._skip and self._depth >= self._skip and not (token[0] == b"}" and self._depth == self._skip):
                    self._depth += 1 if token[0] == b"{" else -1
                    continue
                yield from self._flushed()
                yield self._brace(token[0], place)
                if self._depth <= 0:
                    if place > self._last_paragraph:
                        break
                    unbalanced = True
            elif kind in ("word", "number"):
                word, number = token["word"].decode(), (token["number"] or b"").decode()
                if word == "bin":
                    place += max(int(number or 0), 0)
                elif self._skip:
                    self._note_font(word, number)
                elif event := self._word(word, number):
                    yield from self._flushed()
                    yield event
            elif kind == "sign" and not self._skip and (event := self._sign(token["sign"], place)):
                yield from self._flushed()
                yield event
        yield from self._flushed()
        if self._depth > 0:
            self.warnings.append("The file is truncated; the part that exists was read.")
        if unbalanced:
            self.warnings.append("The file closes more groups than it opens; what follows was read as well.")

    @cached_property
    def _last_paragraph(self) -> int:
        """Position of the last paragraph command; -1 if there is none."""
        return max((match.start() for match in _GOES_ON.finditer(self._data)), default=-1)

    def _token(self, place: int) -> re.Match[bytes] | None:
        """The next token; in a skipped group, such as picture digits, only one that can end it."""
        if self._skip and (ahead := _STRUCTURE.search(self._data, place)):
            place = ahead.start()
        return _TOKEN.match(self._data, place)

    def _brace(self, brace: bytes, place: int) -> Event:
        self._replace = 0
        if brace == b"{":
            self._depth += 1
            opening = _OPENS_GROUP.match(self._data, place - 1)
            self._star = opening.end() if opening else -1
            self._stack.append(self._state)
            if self._skip_next == self._depth - 1:
                self._skip, self._skip_next = self._depth, -1
            return "(", ""
        self._depth -= 1
        if self._depth < self._style_sheet:
            self._style_sheet = 0
        if self._depth < self._skip:
            self._skip, self._in_fonts = 0, False
        if self._stack:
            self._state = self._settle(self._stack.pop())
        return ")", ""

    def _settle(self, state: _State) -> _State:
        """Decode pending bytes before the font changes; returns the new state."""
        if state.font != self._state.font:
            self._decode()
        return state

    def _word(self, word: str, number: str) -> Event | None:
        """Apply a control word; returns the event to pass on, if any."""
        self._replace = 0
        if word in _CHARACTERS:
            self._add_text(_CHARACTERS[word])
        elif word == "u":
            self._add_text(_character(number))
            self._replace = self._state.replaced
        elif word == "uc":
            self._state = self._state._replace(replaced=min(max(int(number or 1), 0), _HIGHEST_SKIP))
        elif word == "f" and number:
            self._state = self._settle(self._state._replace(font=number))
        elif word == "deff":
            self._default = number
            self._state = self._settle(self._state._replace(font=number))
        elif word == "stylesheet":
            self._style_sheet = self._depth
        elif word == "upr":
            self._skip_next = self._depth  # the same in ANSI, before `\ud`
        elif (word in _SKIPPED or _MATH_SETTINGS.fullmatch(word)) and number != "0" and self._depth > 1:
            self._skip, self._in_fonts = self._depth, word == "fonttbl"
        elif word in _BREAKS:
            return "par", ""
        if word == "plain":
            self._state = self._settle(self._state._replace(font=self._default))
        return (word, number) if word in _HANDED_ON else None

    def _sign(self, sign: bytes, place: int) -> Event | None:
        if sign == b"*":
            if place == self._star and self._depth > 1 and not self._is_read(_AFTER_STAR.match(self._data, place)):
                self._skip = self._depth
        elif sign in b"\r\n":
            return "par", ""
        elif sign in b"{}\\":
            self._add_bytes(sign, coded=False)  # it may be the second byte of a character
        elif sign in _SIGNS:
            if self._replace:
                self._replace -= 1
            else:
                self._add_text(_SIGNS[sign])
        return None

    def _is_read(self, destination: re.Match[bytes] | None) -> bool:
        """True if a group that starts with `\\*` is one that is read."""
        word = destination[1].decode() if destination else ""
        return word in _PARTS | _HOLDERS or (word in _CHARACTER_STYLES and not self._style_sheet)

    def _add_bytes(self, raw: bytes, *, coded: bool) -> None:
        """Add bytes in the code page of their font, written plainly or as `\\'` and two digits."""
        if coded:
            raw = bytes.fromhex(_NO_CODE.sub(b"", raw).decode())
        if self._replace:
            raw, self._replace = raw[self._replace :], max(self._replace - len(raw), 0)
        if not coded and self._is_utf8 and not raw.isascii():
            self._add_text(raw.decode("utf-8", "replace"))
        elif raw:
            self._bytes.append(raw)

    def _add_text(self, text: str) -> None:
        self._decode()
        self._text.append(text)

    def _decode(self) -> None:
        if self._bytes:
            codec = self._fonts.get(self._state.font, self.encoding)
            self._text.append(b"".join(self._bytes).replace(b"\0", b"").decode(codec, "replace"))
            self._bytes.clear()

    def _flushed(self) -> Iterator[Event]:
        """Yield the text collected since the last event."""
        self._decode()
        if self._text:
            yield "", _paired("".join(self._text))
            self._text.clear()

    def _note_font(self, word: str, number: str) -> None:
        """Read the font table, which is otherwise skipped."""
        if not self._in_fonts or not number:
            return
        if word == "f":
            self._defined = number
        elif word == "fcharset":
            codec = codec_of_charset(int(number)) or (_ANSI if number == "0" and not self._chosen else None)
            if codec:
                self._fonts.setdefault(self._defined or "0", codec)
        elif word == "cpg" and (codec := codec_of_page(int(number))):
            self._fonts[self._defined or "0"] = codec


def _character(number: str) -> str:
    """Character of a `\\u`; numbers above 32,767 are written as negative ones."""
    code = int(number or -1)
    return chr(code & 0xFFFF) if number and -0x8000 <= code < 0x10000 else _NO_CHARACTER


def _paired(text: str) -> str:
    """Join surrogate halves, which RTF writes as two numbers."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _is_utf8(data: bytes) -> bool:
    try:
        return not data.decode("utf-8").isascii()
    except UnicodeDecodeError:
        return False
