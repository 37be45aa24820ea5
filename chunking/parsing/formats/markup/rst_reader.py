"""Read reStructuredText; a section's level follows the first use of its adornment."""

from __future__ import annotations

import re
import unicodedata

from chunking.model import BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.formats.markup.inline_markup import plain_rst
from chunking.parsing.formats.markup.line_blocks import LineBlocks, decode_lines, indent_of
from chunking.parsing.formats.markup.rst_syntax import (
    DIRECTIVE,
    EXPLICIT,
    GRID,
    OPTION,
    SIMPLE,
    DirectiveKind,
    directive_kind,
    grid_end,
    grid_meta,
    rows_meta,
    simple_end,
    simple_meta,
)

__all__ = ["read_rst"]

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
_ITEM = re.compile(r"\s*(?:[-*+•‣⁃]|\(?(?:\d{1,9}|#|[A-Za-z]|[ivxlcdmIVXLCDM]{2,12})[.)])(?:\s+|$)")
_LETTERED = re.compile(r"\s*\(?[A-Za-z]+[.)]")
_FIELD = re.compile(r"\s*:(?![\s:])(?:[^:\\\r\n]|\\.|:(?!\s|$))+:(?:\s|$)")
_OPTION_ITEM = re.compile(
    r"\s*(?:-\w|--[\w-]+|/[A-Z])(?:[ =][\w<>.-]+)?(?:, (?:-\w|--[\w-]+)(?:[ =][\w<>.-]+)?)*(?:\s{2,}|$)"
)
_FOOTNOTE = re.compile(r"\s*\.\.[ \t]+\[(?:#?[\w.-]*|\*)\](?:\s|$)")
_TARGET = re.compile(r"\s*(?:\.\.[ \t]+_|__(?:\s|$)|\.\.[ \t]+__:)")
_LINE_BLOCK = re.compile(r"\s*\|(?:\s|$)")
_LEVELS = 6


def read_rst(raw: RawFile) -> Reading:
    """Read a reStructuredText file into blocks; the document's text is the file's, with its markup.

    Raises:
        ParseError: the bytes are no text.
        TooLargeError: it has more than `line_blocks.MAX_LINES` lines.
    """
    decoded = decode_lines(raw)
    reader = _RstReader(LineBlocks(decoded.text))
    reader.read()
    return reader.out.reading(decoded)


class _RstReader:
    def __init__(self, out: LineBlocks) -> None:
        self.out, self.lines = out, out.lines
        self._styles: list[str] = []
        self._language = ""
        self._has_text = False

    def read(self) -> None:
        self._blocks(0, len(self.lines), top=True)

    def _blocks(self, first: int, last: int, *, top: bool = False, literal: bool = False) -> None:
        """Add the blocks in lines [first, last), which share an indent.

        Args:
            top: outside of containers, where headings are allowed.
            literal: `::` before them announces code.
        """
        line = self.out.next_text(first, last)
        base = min((indent_of(self.lines[n]) for n in range(line, last) if not self.out.blank(n)), default=0)
        while line < last:
            after, literal = self._block(line, last, base, top=top, literal=literal)
            line = self.out.next_text(max(after, line + 1), last)

    def _block(self, line: int, last: int, base: int, *, top: bool, literal: bool) -> tuple[int, bool]:
        """Add a block; returns the index of the line after it, and whether it announces code."""
        text = self.lines[line]
        indent = indent_of(text)
        if literal and (end := self._literal(line, last, base)) > line:
            return end, False
        if indent > base:
            end = self.out.indented_end(line, last, base)
            self._container(BlockType.QUOTE, line, end, line)
            return end, False
        if top and (end := self._heading(line, last)):
            return end, False
        if EXPLICIT.match(text) or _TARGET.match(text):
            return self._explicit(line, last, indent), False
        if GRID.fullmatch(text):
            end = grid_end(self.out, line, last)
            self.out.add(BlockType.TABLE, line, end, grid_meta(self.out, line, end))
            return end, False
        if SIMPLE.fullmatch(text):
            end = simple_end(self.out, line, last)
            if end > line + 1:
                self.out.add(BlockType.TABLE, line, end, simple_meta(self.out, line, end))
                return end, False
        if text.lstrip().startswith(">>> "):
            end = self._paragraph_end(line, last)
            self.out.add(
                BlockType.CODE, line, end, {"fenced": False, "language": "python"}, start=self.out.start_of(line)
            )
            return end, False
        if _ADORNMENT.fullmatch(text) and len(text.strip()) >= 4 and (line + 1 >= last or self.out.blank(line + 1)):
            self.out.add(BlockType.PARAGRAPH, line, line + 1, {"rule": True})
            return line + 1, False
        return self._text(line, last, base)

    def _heading(self, line: int, last: int) -> int:
        """Add an underlined (and overlined) title; returns the next line's index, 0 if there is none."""
        text = self.lines[line]
        adorned = _ADORNMENT.fullmatch(text)
        if adorned and line + 2 < last and not self.out.blank(line + 1):
            under = self.lines[line + 2]
            if under.rstrip() == text.rstrip() and (
                len(text.rstrip()) >= 4 or len(text.rstrip()) >= _width(self.lines[line + 1].strip())
            ):
                return self._add_heading(line, line + 3, self.lines[line + 1], adorned[1] * 2)
        if adorned or line + 1 >= last or text[:1].isspace():
            return 0
        under = self.lines[line + 1].rstrip()
        if _ADORNMENT.fullmatch(under) and (len(under) >= 4 or len(under) >= _width(text.strip())):
            return self._add_heading(line, line + 2, text, under[0])
        return 0

    def _add_heading(self, first: int, last: int, title: str, style: str) -> int:
        if style not in self._styles:
            self._styles.append(style)
        level = min(self._styles.index(style) + 1, _LEVELS)
        self.out.add(BlockType.HEADING, first, last, {"label": plain_rst(title.strip())}, level=level)
        return last

    def _literal(self, line: int, last: int, base: int) -> int:
        """Add announced code, indented or quoted; returns `line` if there is none."""
        text = self.lines[line]
        if indent_of(text) > base:
            end = self.out.indented_end(line, last, base)
        elif _ADORNMENT.match(text[base : base + 1]):
            end = line
            while end < last and self.lines[end][base : base + 1] == text[base : base + 1]:
                end += 1
        else:
            return line
        self.out.add(
            BlockType.CODE, line, end, {"fenced": False, "language": self._language}, start=self.out.start_of(line)
        )
        return end

    def _explicit(self, line: int, last: int, indent: int) -> int:
        """Add markup that starts with two dots; returns the index of the line after it."""
        text = self.lines[line]
        end = max(self.out.indented_end(line + 1, last, indent), line + 1)
        directive = DIRECTIVE.fullmatch(text)
        if directive:
            self._directive(line, end, directive)
        elif _FOOTNOTE.match(text):
            self._container(BlockType.PARAGRAPH, line, end, line + 1)
        elif _TARGET.match(text):
            self.out.leave_out(line, end, "link target")
        elif (
            text.strip() == ".." and line + 1 < last and self.out.blank(line + 1)
        ):  # nothing: it ends what stands before it
            self.out.leave_out(line, line + 1)
            return line + 1
        else:
            self.out.leave_out(line, end)
        return end

    def _directive(self, line: int, end: int, match: re.Match[str]) -> None:
        name, argument = match["name"], match["argument"] or ""
        kind = directive_kind(name)
        body, options = self._options(line + 1, end)
        if kind is DirectiveKind.CODE:
            language = argument.split()[0] if argument else self._language
            self.out.add(BlockType.CODE, line, end, {"fenced": True, "language": language, "directive": name})
            self.out.caption(options.get("caption", ""))
        elif kind is DirectiveKind.EQUATION:
            self.out.add(BlockType.EQUATION, line, end)
        elif kind in (DirectiveKind.IMAGE, DirectiveKind.FIGURE):
            self.out.add(BlockType.IMAGE, line, body, {"path": argument, "alt": options.get("alt", "")})
            self._container(BlockType.PARAGRAPH, body, end, body)
        elif kind is DirectiveKind.RULE:
            if name == "highlight":
                self._language = argument.split()[0] if argument else ""
            self.out.add(BlockType.METADATA, line, end, {"directive": name})
        elif kind in (DirectiveKind.LIST_TABLE, DirectiveKind.CSV_TABLE):
            self.out.add(BlockType.PARAGRAPH, line, body, {"directive": name})
            rows = self._csv_rows if kind is DirectiveKind.CSV_TABLE else self._list_rows
            rows(body, end, options)
            self.out.caption(plain_rst(argument))
        elif match["substitution"]:
            self.out.add(BlockType.PARAGRAPH, line, end, {"definitions": 1})
        elif name == "table":
            self.out.add(BlockType.PARAGRAPH, line, body, {"directive": name})
            self._container(BlockType.PARAGRAPH, body, end, body)
            self.out.caption(plain_rst(argument))
        else:
            self._container(BlockType.QUOTE, line, end, body, {"directive": name})

    def _options(self, first: int, end: int) -> tuple[int, dict[str, str]]:
        """The first line of a directive's body, and its options."""
        options: dict[str, str] = {}
        line = first
        while line < end and (match := OPTION.fullmatch(self.lines[line])):
            options[match["name"].lower()] = match["value"] or ""
            line += 1
            while (
                line < end
                and options
                and not self.out.blank(line)
                and indent_of(self.lines[line]) > indent_of(self.lines[first])
            ):
                line += 1  # a value of several lines
        return self.out.next_text(line, end), options

    def _list_rows(self, first: int, end: int, options: dict[str, str]) -> None:
        indent = indent_of(self.lines[first]) if first < end else 0
        starts = [
            n
            for n in range(first, end)
            if indent_of(self.lines[n]) == indent and self.lines[n].lstrip().startswith("*")
        ]
        if not starts:
            return self._container(BlockType.PARAGRAPH, first, end, first)
        cells = sum(self.lines[n].lstrip("* \t").startswith("-") for n in range(starts[0], [*starts, end][1]))
        number = int(value) if (value := options.get("header-rows", "0")).isdecimal() and len(value) < 5 else 0
        header = starts[number] if 0 < number < len(starts) else None
        self.out.add(BlockType.TABLE, first, end, rows_meta(self.out, starts, header, cells) | {"cells": "items"})

    def _csv_rows(self, first: int, end: int, options: dict[str, str]) -> None:
        starts = [n for n in range(first, end) if not self.out.blank(n)]
        if not starts:
            return
        named = options.get("delim", ",")
        delimiter = {"tab": "\t", "space": " "}.get(named, named[:1] if named.isprintable() else ",") or ","
        number = int(value) if (value := options.get("header-rows", "0")).isdecimal() and len(value) < 5 else 0
        header = starts[number] if 0 < number < len(starts) else None
        columns = self.lines[starts[0]].count(delimiter) + 1
        self.out.add(
            BlockType.TABLE,
            first,
            end,
            rows_meta(self.out, starts, header, columns) | {"cells": "csv", "separator": delimiter},
        )

    def _container(
        self, kind: BlockType, first: int, end: int, body: int, meta: dict[str, object] | None = None
    ) -> None:
        with self.out.container(kind, first, end, meta) as deeper:
            if deeper and body < end:
                self._blocks(body, end)

    def _text(self, line: int, last: int, base: int) -> tuple[int, bool]:
        """Add a list or paragraph; returns the next line's index, and whether it announces code."""
        text = self.lines[line]
        if _FIELD.match(text):
            return self._run(line, last, base, _FIELD, BlockType.LIST if self._has_text else BlockType.METADATA), False
        if self._is_item(line, last):
            self._has_text = True
            return self._run(line, last, base, _ITEM, BlockType.LIST), False
        self._has_text = True
        if _OPTION_ITEM.match(text):
            return self._run(line, last, base, _OPTION_ITEM, BlockType.LIST), False
        if (
            line + 1 < last
            and not self.out.blank(line + 1)
            and indent_of(self.lines[line + 1]) > base
            and not _LINE_BLOCK.match(text)
        ):
            return self._definitions(line, last, base), False
        end = self._paragraph_end(line, last)
        self.out.add(BlockType.PARAGRAPH, line, end)
        return end, self.lines[end - 1].rstrip().endswith("::")

    def _is_item(self, line: int, last: int) -> bool:
        """True for a list item; a lookalike (`A. Smith wrote`) continues without an indent."""
        if not _ITEM.match(self.lines[line]):
            return False
        if not _LETTERED.match(self.lines[line]) or line + 1 >= last or self.out.blank(line + 1):
            return True
        return indent_of(self.lines[line + 1]) > indent_of(self.lines[line]) or bool(_ITEM.match(self.lines[line + 1]))

    def _run(self, line: int, last: int, base: int, pattern: re.Pattern[str], kind: BlockType) -> int:
        """Add consecutive items or fields with their content; returns the line after them."""
        items: list[tuple[int, int]] = []
        after, bullet = line, _bullet(self.lines[line])
        while after < last and indent_of(self.lines[after]) == base and pattern.match(self.lines[after]):
            if pattern is _ITEM and _bullet(self.lines[after]) != bullet:
                break
            end = max(self.out.indented_end(after + 1, last, base), after + 1)
            items.append((after, end))
            after = self.out.next_text(end, last)
        end = items[-1][1]
        with self.out.container(
            kind, line, end, {"depth": 1, "items": len(items)} if kind is BlockType.LIST else None
        ) as deeper:
            for first, stop in items if deeper else ():
                self._blocks(first + 1, stop, literal=self.lines[first].rstrip().endswith("::"))
        return end

    def _definitions(self, line: int, last: int, base: int) -> int:
        """Add terms with their definitions; returns the line after them."""
        after, items = line, 0
        end = line
        with self.out.container(BlockType.LIST, line, self._definitions_end(line, last, base), {"depth": 1}) as deeper:
            while (
                after < last
                and after + 1 < last
                and indent_of(self.lines[after]) == base
                and self._is_term(after, base)
            ):
                end = self.out.indented_end(after + 1, last, base)
                if deeper:
                    self._blocks(after + 1, end, literal=self.lines[after].rstrip().endswith("::"))
                items += 1
                after = self.out.next_text(end, last)
        return end

    def _definitions_end(self, line: int, last: int, base: int) -> int:
        after = end = line
        while after + 1 < last and indent_of(self.lines[after]) == base and self._is_term(after, base):
            end = self.out.indented_end(after + 1, last, base)
            after = self.out.next_text(end, last)
        return end

    def _is_term(self, line: int, base: int) -> bool:
        text = self.lines[line]
        is_other = (
            EXPLICIT.match(text)
            or _ITEM.match(text)
            or _FIELD.match(text)
            or GRID.fullmatch(text)
            or SIMPLE.fullmatch(text)
        )
        return not is_other and not self.out.blank(line + 1) and indent_of(self.lines[line + 1]) > base

    def _paragraph_end(self, line: int, last: int) -> int:
        while line < last and not self.out.blank(line):
            line += 1
        return line


def _bullet(text: str) -> str:
    """The bullet of an item, shared by its list; empty for a number."""
    return "" if text.lstrip()[:1].isalnum() or text.lstrip()[:1] in "(#" else text.lstrip()[:1]


def _width(text: str) -> int:
    """Display columns of a title."""
    return sum(
        1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
        if not unicodedata.combining(character)
    )
