"""Detect a file's format: by content, and by name only where the content leaves a choice.

PDFs, archives and messages identify themselves. Of text formats only some do: web pages, mail with headers, a parser's
JSON. Markdown, CSV and plain text are distinguished by extension.
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
    """A detected format."""

    name: str
    """Format name; empty if there is none."""
    what: str = ""
    """What it is instead, if known."""
    warnings: tuple[str, ...] = ()
    explains_mismatch: bool = False
    """The warnings already say that it differs from its extension."""


def sniff(raw: RawFile, rows: Sequence[Format], named: Format | None = None) -> Sniffed:
    """Detect a file's format.

    Args:
        rows: known formats.
        named: the format of its extension; None if unknown or missing.
    Raises:
        ParseError, TooLargeError: a container that is damaged, locked or hostile, or holds no document; with advice.
    """
    for row in rows:
        if row.signs.data is not None and row.signs.data(raw.data):
            return Sniffed(row.name)
    if container := _container(raw, rows):
        return container
    if raw.encoding is None and (kind := binary_kind(raw.data)):
        return Sniffed("", kind)
    return _text(raw, rows, named)


def _container(raw: RawFile, rows: Sequence[Format]) -> Sniffed | None:
    if raw.data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        inside = in_archive(raw, rows)
        return Sniffed(inside.name, warnings=(_MACROS,) if inside.macros else ())
    return Sniffed(in_compound(raw, rows).name) if raw.data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") else None


def _text(raw: RawFile, rows: Sequence[Format], named: Format | None) -> Sniffed:
    """Detect a text format, or something posing as text."""
    head = _view(raw)
    if named is not None and named.signs.inside is not None and named.signs.inside.search(head):
        return Sniffed(named.name)
    candidates = [row for row in rows if any(sign.match(head) for sign in row.signs.text)]
    for row in candidates:
        if row.signs.certain:
            return Sniffed(row.name)
    if candidates and not (named is not None and named.keeps_ending):
        return Sniffed(candidates[-1].name)  # the rows below are the narrower ones
    if named is not None and named.needs_sign:
        return Sniffed(
            "text",
            warnings=("This is not JSON of a known kind, so it was read as plain text.",),
            explains_mismatch=True,
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
    """The start as ASCII, in which all marks are written: UTF-16 is ASCII with NULs in between."""
    head = raw.data[:HEAD].replace(b"\0", b"")
    for bom in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        head = head.removeprefix(bom)
    return head.decode("latin-1").replace("\r\n", "\n")
