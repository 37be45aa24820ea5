"""Read a source file as blocks: one per function, and for a class its own text and its members."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from chunking.model import Block, BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading, line_breaks, trimmed
from chunking.parsing.detection.encoding import Decoded, decode, makes_text
from chunking.parsing.formats.code.code_languages import CodeLanguage, language_of_source
from chunking.parsing.formats.code.outlines import MAX_LEVEL, Definition, Outline, merged_definitions, outline_lines
from chunking.parsing.formats.code.sql_outlines import outline_sql
from chunking.parsing.formats.code.syntax_trees import NoTreeError, find_definitions, syntax_tree

__all__ = ["MAX_DEFINITIONS", "read_code"]

MAX_DEFINITIONS = 50_000
"""Most classes and functions of a source that become sections."""
_MINIFIED = 500
"""Mean line length from which a source counts as generated."""
_CODING = re.compile(rb"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n))?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)")
_ASCII = bytes(range(32, 127)) + b"\n"
_OWN_OUTLINES: Mapping[str, Callable[[str], Outline]] = {"sql": outline_sql}
"""Outline functions of languages without a grammar for all of their dialects."""

_CLOSING = re.compile(
    r"(?:\s|[)}\];,](?:[ \t]*+//[^\r\n]*)?|\bend\b|#[ \t]*(?:endif|else|elif)\b[^\r\n]*|\?>"
    r"|\b(?:else|finally)[ \t]*+[:{]|\bexcept\b[^\r\n:]*+:)*+"
)
"""Text that only closes or continues a definition."""
_REST = re.compile(r"[ \t)}\];,]*+(?://[^\r\n]*|#[^\r\n]*)?(?=[\r\n]|\Z)")
"""Rest of a definition's last line that only closes, or comments on it."""
_OPENING = re.compile(r"[\s{:(]*+")
_MOST_CLOSING = 200
_FAR = 400
"""Characters examined next to an offset, so that each costs the same however long its line is."""
_LONG = 400
"""Minimum characters of a block whose statements are recorded as places to cut."""


def read_code(raw: RawFile) -> Reading:
    """Read a source file as code blocks, with a section for each class and function.

    The document's text is the file's. A source without an outline, or a minified one, is code without sections.

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
    """Decode a source by the encoding that the user states, else by the one its comment declares."""
    may = raw.encoding is None and language_of_source(raw.source, "").declares_encoding
    if (
        may
        and (declared := _CODING.match(raw.data[:1000]))
        and _reads(name := declared[1].decode("ascii", "replace"), raw.data)
    ):
        return decode(raw.data, raw.source, name)
    return decode(raw.data, raw.source, raw.encoding)


def _reads(encoding: str, data: bytes) -> bool:
    """True if the source decodes in an encoding that, as any declared one, is ASCII-compatible."""
    if not makes_text(encoding):
        return False
    try:
        data.decode(encoding)
        return _ASCII.decode(encoding) == _ASCII.decode("ascii")
    except ValueError:
        return False


def _outline(text: str, language: CodeLanguage) -> tuple[Outline, list[str]]:
    """Return the outline of a source, with notes for the reader."""
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


class CodeBlocks:
    """Builder of the code blocks and sections of one source, from its outline.

    A function is one block. A class is a block up to its first member, then those of its members. Code between or after
    members is a section of its own in the class, so that it does not count as part of the member before it.
    """

    def __init__(self, text: str, language: str, outline: Outline) -> None:
        self._text, self._language, self._outline = text, language, outline
        self._statements = sorted(set(outline.statements))
        joined = _joined(sorted(outline.imports), self._statements)
        self._imports = [span for span in joined if self._begins_line(span[0])]
        self._blocks: list[Block] = []
        self._done = 0
        self._line, self._counted = 1, 0

    def blocks(self) -> tuple[Block, ...]:
        """Build the blocks of the source in order; call it once."""
        enclosing: list[Definition] = []
        definitions = self._outline.definitions
        for number, one in enumerate(definitions):
            while enclosing and enclosing[-1].end <= one.start:
                self._between(enclosing.pop().end, len(enclosing) + 1, opens=True)
            self._between(one.start, len(enclosing), opens=number > 0)
            after = definitions[number + 1].start if number + 1 < len(definitions) else one.end
            if after < one.end:
                enclosing.append(one)
                self._head(one, after)
            else:
                self._add(one.end, {"opens_section": one.level, "label": one.title})
        while enclosing:
            self._between(enclosing.pop().end, len(enclosing) + 1, opens=True)
        self._between(len(self._text), 0, opens=bool(definitions))
        return tuple(self._blocks)

    def _head(self, one: Definition, end: int) -> None:
        """Add the code before the first member: a heading if it is only the signature."""
        if one.plain and _OPENING.fullmatch(self._text, one.body, max(end, one.body)):
            self._add(end, {"label": one.title}, level=one.level)
        else:
            self._add(end, {"opens_section": one.level, "label": one.title})

    def _between(self, end: int, depth: int, *, opens: bool) -> None:
        """Add code outside of definitions, in the class at `depth`."""
        start = self._done
        if opens and (rest := _REST.match(self._text, start, end)) and rest.end() > start:
            self._extend(start := rest.end())
        if opens and end - start <= _MOST_CLOSING and _CLOSING.fullmatch(self._text, start, end):
            self._extend(end)
            return
        meta = {"opens_section": min(depth + 1, MAX_LEVEL)} if opens else {}
        for stop in self._stops(start, end):
            if self._add(stop, meta):
                meta = {}

    def _stops(self, start: int, end: int) -> Iterator[int]:
        """Yield ends of the blocks between two definitions: before and after imports."""
        for low, high in self._imports[bisect_left(self._imports, (start, 0)) :]:
            if low >= end:
                break
            if trimmed(self._text, start, low):
                yield low
            yield min(self._line_end(high), end)
        yield end

    def _line_end(self, place: int) -> int:
        """End of the line on which an import ends, with a comment after it."""
        far = min(place + _FAR, len(self._text))
        end = self._text.find("\n", place, far)
        return end if end >= 0 else far if far == len(self._text) else place

    def _extend(self, end: int) -> None:
        """Extend the previous block by the text that closes it, or that closes its class."""
        last = self._blocks[-1]
        if span := trimmed(self._text, last.start, end):
            self._blocks[-1] = Block(last.type, last.start, span[1], level=last.level, line=last.line, meta=last.meta)
        self._done = end

    def _add(self, end: int, meta: dict[str, Any], *, level: int | None = None) -> bool:
        """Add the block up to `end` with its indent; False if it is empty."""
        span = trimmed(self._text, self._done, end)
        self._done = end
        if not span:
            return False
        begin = self._with_indent(span[0])
        self._line += line_breaks(self._text, self._counted, begin)
        self._counted = begin
        kind = BlockType.CODE if level is None else BlockType.HEADING
        full_meta = (
            meta
            if level is not None
            else {"fenced": False, "language": self._language, **self._places(begin, span[1]), **meta}
        )
        self._blocks.append(Block(kind, begin, span[1], level=level, line=self._line, meta=full_meta))
        return True

    def _with_indent(self, start: int) -> int:
        """Start of a block: of its line, if only white space precedes it there."""
        floor = self._blocks[-1].end if self._blocks else 0
        line = max(self._text.rfind("\n", floor, start), self._text.rfind("\r", floor, start)) + 1 or floor
        return start if self._text[line:start].strip() else line

    def _places(self, start: int, end: int) -> dict[str, Any]:
        """Record the statements of a long block that begin a line, as places to split."""
        if end - start < _LONG:
            return {}
        inside = self._statements[bisect_right(self._statements, start) : bisect_left(self._statements, end)]
        starts = tuple(place for place in inside if self._begins_line(place))
        return {"statement_starts": starts} if starts else {}

    def _begins_line(self, place: int) -> bool:
        floor = max(place - _FAR, 0)
        line = max(self._text.rfind("\n", floor, place) + 1, self._text.rfind("\r", floor, place) + 1, floor)
        return not self._text[line:place].strip()


def _joined(imports: Sequence[tuple[int, int]], statements: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Merge imports without other statements between them."""
    first = last = None
    for start, end in imports:
        if (
            first is not None
            and last is not None
            and bisect_right(statements, start) - bisect_left(statements, last) <= 1
        ):
            last = end
            continue
        if first is not None and last is not None:
            yield first, last
        first, last = start, end
    if first is not None and last is not None:
        yield first, last
