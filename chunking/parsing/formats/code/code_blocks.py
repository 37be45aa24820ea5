"""The text of a source as code blocks that tile it, and open the sections of its classes and functions."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from chunking.model import Block, BlockType
from chunking.parsing.builder.reader_types import line_breaks, trimmed
from chunking.parsing.formats.code.outlines import MAX_LEVEL, Definition, Outline

__all__ = ["CodeBlocks"]

_CLOSING = re.compile(
    r"(?:\s|[)}\];,](?:[ \t]*+//[^\r\n]*)?|\bend\b|#[ \t]*(?:endif|else|elif)\b[^\r\n]*|\?>"
    r"|\b(?:else|finally)[ \t]*+[:{]|\bexcept\b[^\r\n:]*+:)*+"
)
"""What only closes what stands around a definition, or goes on with it: no text of its own."""
_REST = re.compile(r"[ \t)}\];,]*+(?://[^\r\n]*|#[^\r\n]*)?(?=[\r\n]|\Z)")
"""The rest of a definition's last line where it only closes, or comments on it."""
_OPENING = re.compile(r"[\s{:(]*+")
_MOST_CLOSING = 200
_FAR = 400
"""Characters that are looked at beside a place, so that each costs the same however long its line is."""
_LONG = 400
"""Characters of a block from which its statements are places to cut it."""


class CodeBlocks:
    """Lays out one source.

    A function is one block. A class with members is a block up to the first of them, then theirs. What stands between
    members or behind them is a section of its own in the class, so that it is not said to be part of the one before it.
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
        """All of the source."""
        around: list[Definition] = []
        definitions = self._outline.definitions
        for number, one in enumerate(definitions):
            while around and around[-1].end <= one.start:
                self._between(around.pop().end, len(around) + 1, opens=True)
            self._between(one.start, len(around), opens=number > 0)
            after = definitions[number + 1].start if number + 1 < len(definitions) else one.end
            if after < one.end:
                around.append(one)
                self._head(one, after)
            else:
                self._add(one.end, {"opens_section": one.level, "label": one.title})
        while around:
            self._between(around.pop().end, len(around) + 1, opens=True)
        self._between(len(self._text), 0, opens=bool(definitions))
        return tuple(self._blocks)

    def _head(self, one: Definition, end: int) -> None:
        """What stands before the first member: a heading where that is the signature alone, which has no meaning
        without them.
        """
        if one.plain and _OPENING.fullmatch(self._text, one.body, max(end, one.body)):
            self._add(end, {"label": one.title}, level=one.level)
        else:
            self._add(end, {"opens_section": one.level, "label": one.title})

    def _between(self, end: int, depth: int, *, opens: bool) -> None:
        """Code that is in no definition, but in the class `depth` levels down."""
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
        """Where the blocks between two definitions end: before imports, and behind them."""
        for low, high in self._imports[bisect_left(self._imports, (start, 0)) :]:
            if low >= end:
                break
            if trimmed(self._text, start, low):
                yield low
            yield min(self._line_end(high), end)
        yield end

    def _line_end(self, place: int) -> int:
        """The end of a line on which an import ends, with a comment behind it."""
        far = min(place + _FAR, len(self._text))
        end = self._text.find("\n", place, far)
        return end if end >= 0 else far if far == len(self._text) else place

    def _extend(self, end: int) -> None:
        """Let the block before have what closes it, or the class that it ends."""
        last = self._blocks[-1]
        if span := trimmed(self._text, last.start, end):
            self._blocks[-1] = Block(last.type, last.start, span[1], level=last.level, line=last.line, meta=last.meta)
        self._done = end

    def _add(self, end: int, meta: dict[str, Any], *, level: int | None = None) -> bool:
        """Add the block up to `end`, if anything stands there; an indent before it is part of it."""
        span = trimmed(self._text, self._done, end)
        self._done = end
        if not span:
            return False
        begin = self._with_indent(span[0])
        self._line += line_breaks(self._text, self._counted, begin)
        self._counted = begin
        kind = BlockType.CODE if level is None else BlockType.HEADING
        known = (
            meta
            if level is not None
            else {"fenced": False, "language": self._language, **self._places(begin, span[1]), **meta}
        )
        self._blocks.append(Block(kind, begin, span[1], level=level, line=self._line, meta=known))
        return True

    def _with_indent(self, start: int) -> int:
        """Where a block begins: at its line if that is its own."""
        floor = self._blocks[-1].end if self._blocks else 0
        line = max(self._text.rfind("\n", floor, start), self._text.rfind("\r", floor, start)) + 1 or floor
        return start if self._text[line:start].strip() else line

    def _places(self, start: int, end: int) -> dict[str, Any]:
        """The statements of a long block that begin a line."""
        if end - start < _LONG:
            return {}
        found = self._statements[bisect_right(self._statements, start) : bisect_left(self._statements, end)]
        starts = tuple(place for place in found if self._begins_line(place))
        return {"statement_starts": starts} if starts else {}

    def _begins_line(self, place: int) -> bool:
        near = max(place - _FAR, 0)
        line = max(self._text.rfind("\n", near, place) + 1, self._text.rfind("\r", near, place) + 1, near)
        return not self._text[line:place].strip()


def _joined(imports: Sequence[tuple[int, int]], statements: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Imports with no other statement between them as one."""
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
