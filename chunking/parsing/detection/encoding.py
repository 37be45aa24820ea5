"""Decode bytes to text, with notes on what was guessed.

In this order: the user's choice, a byte order mark, strict UTF-8, UTF-8 with a few damaged bytes, a guess (see
`encoding_guess`). Bytes that are no text are refused.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from chunking.display import quantity
from chunking.errors import ParseError
from chunking.parsing.detection.encoding_guess import Guess, guess_ebcdic, guess_narrow, guess_wide
from chunking.parsing.detection.magic import CONTROLS, binary_kind

__all__ = ["Decoded", "decode", "makes_text", "unknown_encoding"]

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_EBCDIC = frozenset({"cp037", "cp273", "cp424", "cp500", "cp875", "cp1026", "cp1140"})
"""Mainframe code pages, whose line end is U+0085."""
_MOST_CONTROLS = 0.02
_MOST_NULS = 0.01
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text without byte order mark, NUL and lone surrogates, and its encoding."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, source: str, encoding: str | None = None) -> Decoded:
    """Decode a file.

    Args:
        data: the whole file.
        source: its name, for sentences.
        encoding: stated by the user; None: detect.
    Raises:
        ParseError: the encoding is unknown, or the bytes are no text.

    >>> decode("问：多少钱？".encode("gb18030"), "faq.txt").encoding
    'gb18030'
    """
    if encoding:
        return _chosen(data, source, encoding)
    _refuse_known_binary(data, source)
    for bom, name in _BOMS:
        if data.startswith(bom):
            notes = [] if name == "utf-8" else [f"Read as {name.upper()}, as its byte order mark says."]
            return _cleaned(data[len(bom) :], name, notes)
    if (guess := guess_ebcdic(data)) is not None:
        return _cleaned(data, guess.encoding, [_guess_note(guess)])
    if data.count(0) <= _MOST_NULS * len(data):
        try:
            return _clean_text(_refuse_controls(data, source).decode("utf-8"), "utf-8", [])
        except UnicodeDecodeError:
            pass  # the other ways follow
    return _guessed(data, source)


def makes_text(encoding: str) -> bool:
    """True for the name of a text encoding: Python also knows `hex` and `zip`.

    >>> makes_text("CP866"), makes_text("latin-9000"), makes_text("hex"), makes_text("utf\\x008")
    (True, False, False, False)
    """
    try:
        return bool(b"aaaa".decode(encoding, "replace"))
    except (LookupError, ValueError):
        return False


def unknown_encoding(source: str, encoding: str) -> ParseError:
    """The error for a requested encoding that does not exist."""
    sentence = (
        f"{source} cannot be read as '{encoding}'; give an encoding such as utf-8, gb18030, utf-16, big5 or "
        f"cp1252, or none."
    )
    return ParseError(sentence, where=source)


def _chosen(data: bytes, source: str, encoding: str) -> Decoded:
    try:
        name = codecs.lookup(encoding).name
        for bom, of in _BOMS:
            if data.startswith(bom) and of.replace("-le", "").replace("-be", "") in name:
                data = data[len(bom) :]
                name = of
                break
        return _cleaned(data, name, [])
    except (LookupError, ValueError) as error:
        raise unknown_encoding(source, encoding) from error


def _guessed(data: bytes, source: str) -> Decoded:
    """Decode data that is neither marked nor UTF-8."""
    damaged = data.decode("utf-8", "replace")
    if 0 not in data and _mostly_utf8(damaged):
        return _cleaned(data, "utf-8", [])
    guess = guess_wide(data) if 0 in data else None
    if guess is None:
        _refuse_nuls(data, source)
        _refuse_controls(data, source)
        guess = guess_narrow(data)
    return _cleaned(data, guess.encoding, [_guess_note(guess)])


def _guess_note(guess: Guess) -> str:
    return f"Read as {guess.encoding.upper()}, {guess.reason}; choose the encoding yourself if the text looks wrong."


def _mostly_utf8(damaged: str) -> bool:
    """True for ten good characters outside ASCII per lost one."""
    lost = damaged.count("\ufffd")
    outside = len(damaged) - len(damaged.encode("ascii", "ignore"))
    return outside - lost >= 10 * lost


def _refuse_known_binary(data: bytes, source: str) -> None:
    if what := binary_kind(data):
        raise ParseError(
            f"{source} is {what}, not text; correct its extension, or save it as text.",
            where=source,
        )


def _refuse_nuls(data: bytes, source: str) -> None:
    if data.count(0) > _MOST_NULS * len(data):
        raise ParseError(
            f"{source} is a binary file, not text; give a text file, or its encoding if it is one.", where=source
        )


def _refuse_controls(data: bytes, source: str) -> bytes:
    head = data[: 1 << 20]
    if len(head) - len(head.translate(None, CONTROLS)) > _MOST_CONTROLS * len(head):
        raise ParseError(
            f"{source} is a binary file, not text; give a text file, or its encoding if it is one.", where=source
        )
    return data


def _cleaned(data: bytes, encoding: str, notes: list[str]) -> Decoded:
    """Decode; undecodable bytes become U+FFFD and are counted."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        notes = [
            *notes,
            f"{quantity(text.count(chr(0xFFFD)), 'place')} could not be read as {encoding.upper()} and show as \ufffd.",
        ]
    return _clean_text(text.replace("\x85", "\n") if encoding in _EBCDIC else text, encoding, notes)


def _clean_text(text: str, encoding: str, notes: list[str]) -> Decoded:
    text = text.removeprefix("\ufeff")
    if "\x00" in text or _UNREADABLE.search(text):
        text, count = _UNREADABLE.subn("\ufffd", text)
        notes = [
            *notes,
            (
                f"{quantity(count, 'character')} (NUL or half a surrogate pair) cannot be kept in a text and show "
                f"as \ufffd."
            ),
        ]
    return Decoded(text, encoding, tuple(notes))
