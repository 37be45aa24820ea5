"""A source file to blocks: each function one, each class its own text and those of its members."""

from __future__ import annotations

import re
from collections.abc import Iterable

from chunking.parsing.builder.reader_types import RawFile, Reading, counted
from chunking.parsing.detection.encoding import Decoded, decode, makes_text
from chunking.parsing.formats.code.code_blocks import CodeBlocks
from chunking.parsing.formats.code.definitions import Outline, find_definitions
from chunking.parsing.formats.code.languages import Language, language_of_source
from chunking.parsing.formats.code.syntax_trees import NoTreeError, syntax_tree

__all__ = ["MAX_DEFINITIONS", "read_code"]

MAX_DEFINITIONS = 50_000
"""Classes and functions of a source that are sections."""
_MINIFIED = 500
"""Mean length of lines from which a source is one that a program wrote for another."""

_CODING = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n))?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_ASCII = bytes(range(32, 127)) + b"\n"


def read_code(raw: RawFile) -> Reading:
    """Read a source: its text is the text of the document.

    One that no grammar can read, or that a program made smaller, is code without sections.

    Raises:
        ParseError: the bytes are no text.
    """
    decoded = _decoded(raw)
    text = decoded.text
    language = language_of_source(raw.source, text)
    outline, warnings = _outline(text, language)
    blocks = CodeBlocks(text, language.name, outline).blocks()
    title = raw.source.rpartition("/")[2]
    return Reading(text, blocks, decoded.encoding, title, title_rules=True, warnings=(*decoded.warnings, *warnings))


def _decoded(raw: RawFile) -> Decoded:
    """The text of a file, in the encoding that its own comment names where it has one and nothing else says so."""
    if raw.encoding is None and language_of_source(raw.source, "").declares_encoding and (found := _CODING.match(raw.data[:1000])):
        name = found[1].decode("ascii", "replace")
        if makes_text(name) and _is_ascii_and_more(name) and not raw.data.startswith(b"\xef\xbb\xbf"):
            try:
                raw.data.decode(name)
            except ValueError:
                return decode(raw.data, raw.source)
            return decode(raw.data, raw.source, name)
    return decode(raw.data, raw.source, raw.encoding)


def _is_ascii_and_more(encoding: str) -> bool:
    """Whether ASCII means itself in an encoding, as in every one that a source may name."""
    try:
        return _ASCII.decode(encoding) == _ASCII.decode("ascii")
    except ValueError:
        return False


def _outline(text: str, language: Language) -> tuple[Outline, list[str]]:
    """What a source defines, with offsets in characters, and what a reader of it should know."""
    if not language.grammar or len(text) > _MINIFIED * (text.count("\n") + text.count("\r") + 2):
        return Outline(), []
    data = text.encode()
    try:
        outline = find_definitions(syntax_tree(data, language), data, language)
    except NoTreeError as reason:
        return Outline(), [f"Its classes and functions are not told apart: {reason}."]
    if len(outline.definitions) > MAX_DEFINITIONS:
        many = counted(len(outline.definitions), "class")
        return Outline(), [
            f"It has {many.removesuffix(' classs')} classes and functions; more than {MAX_DEFINITIONS:,} are not told apart."
        ]
    notes = [] if outline.complete else ["It is so large that the classes and functions at its end are not told apart."]
    return _in_characters(outline, data, text), notes


def _in_characters(outline: Outline, data: bytes, text: str) -> Outline:
    """An outline whose offsets are characters instead of bytes."""
    if len(data) == len(text):
        return outline
    offsets = {offset for one in outline.definitions for offset in (one.start, one.end, one.body)}
    offsets.update(outline.statements, *outline.imports)
    places = _characters(data, offsets)
    for one in outline.definitions:
        one.start, one.end, one.body = places[one.start], places[one.end], places[one.body]
    outline.statements = [places[start] for start in outline.statements]
    outline.imports = [(places[start], places[end]) for start, end in outline.imports]
    return outline


def _characters(data: bytes, offsets: Iterable[int]) -> dict[int, int]:
    """Offsets in UTF-8 to offsets in its characters."""
    places: dict[int, int] = {}
    byte = character = 0
    for offset in sorted(offsets):
        character += len(data[byte:offset].decode("utf-8", "replace"))
        byte = offset
        places[offset] = character
    return places
