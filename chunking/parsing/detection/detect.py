"""What a file is: its content decides, its name only where the content leaves a choice.

A PDF, an archive or a message shows what it is. Of text formats only some do: a web page, a mail with its headers, a
parser's
JSON. Markdown, CSV and plain text are told apart by the ending.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import NamedTuple

from chunking.errors import ParseError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.detection.containers import in_archive, in_compound
from chunking.parsing.detection.content_signs import HEAD
from chunking.parsing.detection.encoding import decode
from chunking.parsing.detection.magic import binary_kind
from chunking.parsing.format_row import Format

__all__ = ["Sniffed", "sniff"]

_MACROS = "This file has macros, which were neither read nor run."


class Sniffed(NamedTuple):
    """What a file is."""

    name: str
    """Of a format; empty where it is none."""
    what: str = ""
    """Then: what it is instead, where that is known."""
    warnings: tuple[str, ...] = ()
    told: bool = False
    """The warnings say already that it is not what its ending says."""


def sniff(raw: RawFile, rows: Sequence[Format], named: Format | None = None) -> Sniffed:
    """What a file is.

    Args:
        rows: the formats there are.
        named: the one that its ending means; None where that is unknown or there is none.
    Raises:
        ParseError, TooLargeError: a container that is damaged, locked or hostile, or holds no document; with what to
            do.
    """
    for row in rows:
        if row.signs.data is not None and row.signs.data(raw.data):
            return Sniffed(row.name)
    if found := _container(raw, rows):
        return found
    if raw.encoding is None and (kind := binary_kind(raw.data)):
        return Sniffed("", kind)
    return _text(raw, rows, named)


def _container(raw: RawFile, rows: Sequence[Format]) -> Sniffed | None:
    if raw.data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        inside = in_archive(raw, rows)
        return Sniffed(inside.name, warnings=(_MACROS,) if inside.macros else ())
    return Sniffed(in_compound(raw, rows).name) if raw.data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") else None


def _text(raw: RawFile, rows: Sequence[Format], named: Format | None) -> Sniffed:
    """Text, or what pretends to be."""
    head = _view(raw)
    if named is not None and named.signs.inside is not None and named.signs.inside.search(head):
        return Sniffed(named.name)
    shown = [row for row in rows if any(sign.match(head) for sign in row.signs.text)]
    for row in shown:
        if row.signs.certain:
            return Sniffed(row.name)
    if shown and not (named is not None and named.keeps_ending):
        return Sniffed(shown[-1].name)  # the rows below are the narrower ones
    if named is not None and named.needs_sign:
        return Sniffed(
            "text",
            warnings=("This is not JSON of a kind that is known here, so it was read as plain text.",),
            told=True,
        )
    if named is not None and named.text:
        return Sniffed(named.name)
    try:
        decode(raw.data[:HEAD], raw.source, raw.encoding)
    except ParseError:
        return Sniffed("")
    likely = next((row.name for row in rows if row.signs.likely is not None and row.signs.likely(head)), "")
    return Sniffed(likely or (named.text_is if named is not None else "text"))


def _view(raw: RawFile) -> str:
    """The beginning as far as its ASCII goes, which is all that the marks are written in: UTF-16 is that with NULs
    between.
    """
    head = raw.data[:HEAD].replace(b"\0", b"")
    for bom in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        head = head.removeprefix(bom)
    return head.decode("latin-1").replace("\r\n", "\n")
