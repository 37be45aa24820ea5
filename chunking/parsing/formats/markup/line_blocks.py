"""Build blocks from whole source lines, for the readers of lightweight markup."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from typing import Any

from chunking.errors import TooLargeError
from chunking.model import Block, BlockType, LeftOut
from chunking.parsing.builder.question_pairs import pair_questions
from chunking.parsing.builder.reader_types import RawFile, Reading, trimmed
from chunking.parsing.detection.encoding import Decoded, decode

__all__ = ["COMMENT", "MAX_LINES", "MAX_NESTING", "LineBlocks", "decode_lines", "indent_of"]

MAX_LINES = 4_000_000
"""Most lines of a file: each takes about 150 bytes of memory while it is read."""
MAX_NESTING = 24
"""Most nesting of lists and other containers; deeper content stays part of its container."""
COMMENT = "comment"
"""Reason for leaving out a comment."""

_LINE_END = re.compile(r"\r\n?|\n")
_SOLID = frozenset({BlockType.CODE, BlockType.TABLE, BlockType.EQUATION, BlockType.IMAGE})
"""Blocks that stay separate inside a container."""

Piece = Block | LeftOut


def decode_lines(raw: RawFile) -> Decoded:
    """Decode a file's bytes to text, up to `MAX_LINES` lines.

    Raises:
        ParseError: the bytes are no text.
        TooLargeError: it has more than `MAX_LINES` lines.
    """
    decoded = decode(raw.data, raw.source, raw.encoding)
    if decoded.text.count("\n") + decoded.text.count("\r") > MAX_LINES:
        raise TooLargeError(
            f"{raw.source} has more than {MAX_LINES:,} lines; split it into smaller files.", where=raw.source
        )
    return decoded


def indent_of(line: str) -> int:
    """Return the columns of white space before a line's text; tab stops are multiples of 8.

    >>> indent_of("  a"), indent_of("\\ta")
    (2, 8)
    """
    return len(line[: len(line) - len(line.lstrip())].expandtabs(8))


class LineBlocks:
    """Builder of a reading from blocks and left-out spans that are ranges of a source's lines.

    Attributes:
        lines: the source without trailing white space; line numbers here count from 0.
        warnings: for the person who added the file.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        ends = list(_LINE_END.finditer(text))
        self._starts = [0, *(end.end() for end in ends), len(text)]
        self._line_ends = [*(end.start() for end in ends), len(text)]
        self.lines = [text[start:end].rstrip() for start, end in zip(self._starts, self._line_ends, strict=False)]
        self.warnings: list[str] = []
        self._pieces: list[Piece] = []
        self._depth = 0

    def start_of(self, line: int) -> int:
        """Return the text offset of a line; for the number after the last, the text's length."""
        return self._starts[line]

    def blank(self, line: int) -> bool:
        return not self.lines[line]

    def next_text(self, line: int, last: int) -> int:
        """Return the index of the first non-blank line in [line, last); `last` if there is none."""
        while line < last and self.blank(line):
            line += 1
        return line

    def without_blanks(self, first: int, last: int) -> int:
        """Return the index after the last non-blank line in [first, last); `first` without one."""
        while last > first and self.blank(last - 1):
            last -= 1
        return last

    def indented_end(self, first: int, last: int, indent: int) -> int:
        """Return the index after the run of lines from `first` indented deeper than `indent`.

        Blank lines in the run count, those at its end do not.
        """
        line = first
        while line < last and (self.blank(line) or indent_of(self.lines[line]) > indent):
            line += 1
        return self.without_blanks(first, line)

    def add(
        self,
        kind: BlockType,
        first: int,
        last: int,
        meta: Mapping[str, Any] | None = None,
        *,
        level: int | None = None,
        start: int | None = None,
    ) -> None:
        """Add lines [first, last), trimmed, as a block, unless they are blank.

        Args:
            start: of the block, instead of the first visible character.
        """
        span = trimmed(self.text, self._starts[first], self._starts[last])
        if span:
            begin = span[0] if start is None else start
            self._pieces.append(
                Block(kind, begin, span[1], level=level, line=self._line_at(begin), meta=dict(meta or {}))
            )

    def leave_out(self, first: int, last: int, reason: str = COMMENT) -> None:
        """Leave lines [first, last) out of all chunks."""
        span = trimmed(self.text, self._starts[first], self._starts[last])
        if span:
            self._pieces.append(LeftOut(*span, reason))

    @contextmanager
    def container(
        self, kind: BlockType, first: int, last: int, meta: Mapping[str, Any] | None = None
    ) -> Iterator[bool]:
        """Add lines [first, last) as one block when the `with` ends, split at solid blocks in it.

        Solid are code, tables, equations, images and left-out spans added inside the `with`; other blocks added there
        are dropped.

        Yields:
            True if the caller should look for them; False if containers are nested deeper than `MAX_NESTING`.
        """
        mark = len(self._pieces)
        self._depth += 1
        yield self._depth <= MAX_NESTING
        self._depth -= 1
        solids = [piece for piece in self._pieces[mark:] if isinstance(piece, LeftOut) or piece.type in _SOLID]
        del self._pieces[mark:]
        done = self._starts[first]
        for solid in solids:
            self._part(kind, done, solid.start, meta)
            self._pieces.append(solid)
            done = solid.end
        self._part(kind, done, self._starts[last], meta)

    def caption(self, caption: str) -> None:
        """Set the caption of the last block if it is a table or code, unless `caption` is empty."""
        last = self._pieces[-1] if self._pieces else None
        if caption and isinstance(last, Block) and last.type in (BlockType.TABLE, BlockType.CODE):
            self._pieces[-1] = replace(last, meta={**last.meta, "caption": caption})

    def reading(self, decoded: Decoded, title: str | None = None) -> Reading:
        """Build the reading, with questions and answers paired; comments alone become paragraphs.

        Args:
            title: the file's own title, which overrides its headings; None if it has none.
        """
        runs = groupby(self._pieces, key=lambda piece: isinstance(piece, Block))  # no pair reaches over a comment
        blocks = tuple(block for is_block, run in runs if is_block for block in pair_questions(self.text, run))  # type: ignore[arg-type]
        left_out = tuple(piece for piece in self._pieces if isinstance(piece, LeftOut))
        if not blocks and left_out:  # nothing but comments: then they are its text
            blocks = tuple(
                Block(BlockType.PARAGRAPH, one.start, one.end, line=self._line_at(one.start), meta={})
                for one in left_out
            )
            left_out = ()
        warnings = (*decoded.warnings, *self.warnings)
        return Reading(self.text, blocks, decoded.encoding, title, bool(title), left_out=left_out, warnings=warnings)

    def _part(self, kind: BlockType, start: int, end: int, meta: Mapping[str, Any] | None) -> None:
        span = trimmed(self.text, start, end) if start < end else None
        if span:
            self._pieces.append(Block(kind, *span, line=self._line_at(span[0]), meta=dict(meta or {})))

    def _line_at(self, offset: int) -> int:
        return bisect_right(self._starts, offset, hi=len(self._starts) - 1)
