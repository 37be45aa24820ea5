"""Read a source file: a block per function, and per class its own text and its members."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.detection.encoding import Decoded, decode, makes_text
from chunking.parsing.formats.code.code_blocks import CodeBlocks
from chunking.parsing.formats.code.code_languages import CodeLanguage, language_of_source
from chunking.parsing.formats.code.definitions import find_definitions
from chunking.parsing.formats.code.line_outlines import outline_lines
from chunking.parsing.formats.code.outlines import Outline, merged_definitions
from chunking.parsing.formats.code.sql_outlines import outline_sql
from chunking.parsing.formats.code.syntax_trees import NoTreeError, syntax_tree

__all__ = ["MAX_DEFINITIONS", "read_code"]

MAX_DEFINITIONS = 50_000
"""Classes and functions of a source that become sections."""
_MINIFIED = 500
"""Mean line length of generated sources."""
_CODING = re.compile(rb"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n))?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)")
_ASCII = bytes(range(32, 127)) + b"\n"
_OWN_OUTLINES: Mapping[str, Callable[[str], Outline]] = {"sql": outline_sql}
"""Languages without a grammar for all of their dialects."""


def read_code(raw: RawFile) -> Reading:
    """Read a source file; its text is the document's.

    A source without an outline, or a minified one, is code without sections.

    Raises:
        ParseError: the bytes are no text.
    """
    decoded = _decoded(raw)
    language = language_of_source(raw.source, decoded.text)
    outline, warnings = _outline(decoded.text, language)
    blocks = CodeBlocks(decoded.text, language.name, outline).blocks()
    title = raw.source.rpartition("/")[2]
    return Reading(
        decoded.text, blocks, decoded.encoding, title, title_rules=True, warnings=(*decoded.warnings, *warnings)
    )


def _decoded(raw: RawFile) -> Decoded:
    """Decode, by the encoding declared in the source's own comment unless the user states one."""
    may = raw.encoding is None and language_of_source(raw.source, "").declares_encoding
    if (
        may
        and (declared := _CODING.match(raw.data[:1000]))
        and _reads(name := declared[1].decode("ascii", "replace"), raw.data)
    ):
        return decode(raw.data, raw.source, name)
    return decode(raw.data, raw.source, raw.encoding)


def _reads(encoding: str, data: bytes) -> bool:
    """True if the source decodes in an ASCII-compatible encoding, as any declared one must be."""
    if not makes_text(encoding):
        return False
    try:
        data.decode(encoding)
        return _ASCII.decode(encoding) == _ASCII.decode("ascii")
    except ValueError:
        return False


def _outline(text: str, language: CodeLanguage) -> tuple[Outline, list[str]]:
    """The outline of a source, with notes for its reader."""
    if len(text) > _MINIFIED * (text.count("\n") + text.count("\r") + 2):
        return Outline(), []
    notes = []
    outline = _OWN_OUTLINES[language.name](text) if language.name in _OWN_OUTLINES else Outline(faulty=True)
    if language.grammar:
        try:
            outline = _of_tree(text, language)
        except NoTreeError as reason:
            notes.append(f"Its classes and functions are recognised line by line only: {reason}.")
    if outline.faulty and language.line_words:
        by_lines = outline_lines(text, language.line_words)
        outline.definitions = merged_definitions(outline.definitions, by_lines)
    if (count := len(outline.definitions)) > MAX_DEFINITIONS:
        return Outline(), [f"It has {count:,} classes and functions; only {MAX_DEFINITIONS:,} are recognised."]
    if not outline.complete:
        notes.append("It is so large that the classes and functions at its end are not recognised.")
    return outline, notes


def _of_tree(text: str, language: CodeLanguage) -> Outline:
    data = text.encode()
    outline = find_definitions(syntax_tree(data, language), data, language)
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
    """Convert byte offsets in UTF-8 to character offsets."""
    places: dict[int, int] = {}
    byte = character = 0
    for offset in sorted(offsets):
        character += len(data[byte:offset].decode("utf-8", "replace"))
        byte = offset
        places[offset] = character
    return places
