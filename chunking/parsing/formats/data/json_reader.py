"""Read JSON and JSON Lines leniently: comments and trailing commas are skipped, duplicate keys kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.detection.encoding import decode
from chunking.parsing.detection.path_names import stem
from chunking.parsing.formats.data.data_writer import DataWriter, Literal, Pairs, scalar_text

__all__ = ["read_json", "title_of"]

_STRING = r'"(?:[^"\\]|\\.)*+"'
_COMMENT = re.compile(rf"({_STRING})|//[^\r\n]*|/\*(?:[^*]|\*(?!/))*+\*/", re.DOTALL)
_TRAILING = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL)
_DECODER = json.JSONDecoder(
    object_pairs_hook=Pairs, parse_int=Literal, parse_float=Literal, parse_constant=Literal, strict=False
)
_SPACE = re.compile(r"[\s\ufeff\x1e]*")
_MOST_BAD = 10


def read_json(raw: RawFile) -> Reading:
    """Read JSON or JSON Lines as sections, `key: value` lines and tables.

    Comments, trailing commas and a few lines that are not JSON give warnings.

    Raises:
        ParseError: it is no JSON; the sentence says where it fails.
        TooLargeError: it nests too deep, or holds too much text.
    """
    decoded = decode(raw.data, raw.source, raw.encoding)
    warnings = list(decoded.warnings)
    try:
        values, by_line = _values(decoded.text, raw.source, warnings)
    except RecursionError as error:
        sentence = f"{raw.source} nests its values too deep, so it was not read."
        raise TooLargeError(sentence, where=raw.source) from error
    writer = Writer(raw.source)
    tree = values if by_line else values[0]
    DataWriter(writer, tree, first_number=int(by_line)).write()
    reading = writer.finish(title=title_of(tree) or stem(raw.source), encoding=decoded.encoding, warnings=warnings)
    return replace(reading, title_rules=True)


def title_of(tree: object) -> str | None:
    """Return an object's `title`, else `info.title` (OpenAPI), else `name`; None if none fits.

    Only non-blank strings of up to 200 characters fit.
    """
    values = dict(tree) if isinstance(tree, Pairs) else {}
    info = values.get("info")
    titles = (values.get("title"), dict(info).get("title") if isinstance(info, Pairs) else None, values.get("name"))
    return next((title for title in titles if isinstance(title, str) and title.strip() and len(title) <= 200), None)


def _values(text: str, source: str, warnings: list[str]) -> tuple[list[Any], bool]:
    """Parse a file to its values, and say whether there are several, as in JSON Lines."""
    try:
        values = list(_decoded(text))
    except json.JSONDecodeError as error:
        plain = _TRAILING.sub(_string_only, _COMMENT.sub(_string_only, text))
        try:
            values = list(_decoded(plain))
        except json.JSONDecodeError:
            lines = _lines(text)
            if lines is None:
                where = f"line {error.lineno:,}, column {error.colno:,}"
                raise ParseError(
                    f"{source} is damaged JSON ({where}); correct it, or save it again.", where=source
                ) from error
            values, bad = lines
            numbers = ", ".join(f"{number:,}" for number in bad[:_MOST_BAD]) + (" …" if len(bad) > _MOST_BAD else "")
            warnings.append(f"Some lines are not valid JSON and were read as text: {numbers}.")
            return values, True
        if len(plain) < len(text):
            warnings.append("Comments and trailing commas were ignored: JSON has none.")
    return values, len(values) > 1


def _string_only(match: re.Match[str]) -> str:
    return match[1] or ""


def _decoded(text: str) -> Iterator[Any]:
    """Yield the values in a text, one after the other."""
    place = _end_of(_SPACE, text, 0)
    if place >= len(text):
        raise json.JSONDecodeError("no value", text, 0)
    while place < len(text):
        value, place = _DECODER.raw_decode(text, place)
        yield value
        place = _end_of(_SPACE, text, place)


def _end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


def _lines(text: str) -> tuple[list[Any], list[int]] | None:
    """Values by line, with the numbers of invalid lines; None if too many are invalid."""
    values: list[Any] = []
    bad: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            values += _decoded(line)
        except json.JSONDecodeError:
            bad.append(number)
            values.append(scalar_text(line.strip()))
    return (values, bad) if len(values) > 2 and 4 * len(bad) < len(values) else None
