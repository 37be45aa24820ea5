"""Read Org files: headlines, drawers, `#+BEGIN_` blocks, tables and lists."""

from __future__ import annotations

import re
from typing import Any

from chunking.model import BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.formats.markup.inline_markup import plain_org
from chunking.parsing.formats.markup.line_blocks import LineBlocks, decode_lines, indent_of

__all__ = ["read_org"]

_HEADLINE = re.compile(r"(?P<stars>\*+)[ \t]+(?P<title>\S.*)")
_KEYWORD = re.compile(r"[ \t]*#\+(?P<name>[\w-]+)(?:\[[^\]]*\])?:[ \t]*(?P<value>.*)")
_BEGIN = re.compile(r"[ \t]*#\+begin_(?P<name>\S+)(?:[ \t]+(?P<arguments>.*))?", re.IGNORECASE)
_COMMENT = re.compile(r"[ \t]*#(?:[ \t].*)?")
_DRAWER = re.compile(r"[ \t]*:[\w-]+:[ \t]*")
_DRAWER_END = re.compile(r"[ \t]*:END:[ \t]*", re.IGNORECASE)
_PLANNING = re.compile(r"[ \t]*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):")
_FIXED = re.compile(r"[ \t]*:(?:[ \t]|$)")
_TABLE = re.compile(r"[ \t]*\|")
_RULE_ROW = re.compile(r"[ \t]*\|[-+]+\|?[ \t]*")
_ITEM = re.compile(r"(?:[ \t]*(?:[-+]|(?:\d{1,9}|[a-zA-Z])[.)])|[ \t]+\*)(?:[ \t]+|$)")
_RULE = re.compile(r"[ \t]*-{5,}[ \t]*")
_EQUATION = re.compile(r"[ \t]*\\begin\{([A-Za-z*]+)\}|[ \t]*\\\[|[ \t]*\$\$")
_IMAGE = re.compile(
    r"[ \t]*\[\[(?:file:)?([^\[\]]+\.(?:png|jpe?g|gif|svg|webp))\](?:\[([^\[\]]*)\])?\][ \t]*", re.IGNORECASE
)
_TAGS = re.compile(r"[ \t]+:[\w@#%:]+:[ \t]*$")
_PRIORITY = re.compile(r"\[#[A-Z0-9]\][ \t]*")
_COOKIE = re.compile(r"[ \t]*\[\d*(?:/\d*|%)\]")
_STATES = frozenset(
    {"TODO", "DONE", "NEXT", "WAITING", "HOLD", "CANCELLED", "CANCELED", "STARTED", "INPROGRESS", "IN-PROGRESS"}
)
_CAPTION_KEYWORDS = frozenset(
    {"caption", "name", "attr_html", "attr_latex", "attr_org", "header", "plot", "results", "tblname", "label"}
)
"""Keywords of the table, code or picture below them."""
_CODE = frozenset({"src", "example", "export", "html", "latex", "ascii"})
_LEVELS = 6


def read_org(raw: RawFile) -> Reading:
    """Read an Org file into blocks; the document's text is the file's, with its markup.

    Raises:
        ParseError: the bytes are no text.
        TooLargeError: it has more than `line_blocks.MAX_LINES` lines.
    """
    decoded = decode_lines(raw)
    reader = _OrgReader(LineBlocks(decoded.text))
    reader.blocks(0, len(reader.lines), top=True)
    return reader.out.reading(decoded, reader.title or None)


class _OrgReader:
    def __init__(self, out: LineBlocks) -> None:
        self.out, self.lines = out, out.lines
        self.title = ""
        self._states = _STATES | self._own_states()

    def blocks(self, first: int, last: int, *, top: bool = False) -> None:
        """Add the blocks in lines [first, last); headlines only at the top level."""
        line = self.out.next_text(first, last)
        while line < last:
            line = self.out.next_text(max(self._block(line, last, top=top), line + 1), last)

    def _own_states(self) -> frozenset[str]:
        """Task keywords declared by the file."""
        declared = (
            _KEYWORD.fullmatch(text) for text in self.lines if text.lstrip()[:2] == "#+" and "TODO" in text.upper()
        )
        names = ((match["name"].upper(), match["value"]) for match in declared if match)
        words = (word for name, value in names if name in ("TODO", "SEQ_TODO", "TYP_TODO") for word in value.split())
        return frozenset(word.partition("(")[0] for word in words if word != "|")

    def _block(self, line: int, last: int, *, top: bool) -> int:
        text = self.lines[line]
        if top and (match := _HEADLINE.fullmatch(text)):
            return self._headline(line, last, match)
        start = self._past_keywords(line, last)
        if start > line:
            return self._keyworded(line, start, last)
        if match := _BEGIN.fullmatch(text):
            return self._between(line, line, last, match)
        if match := _KEYWORD.fullmatch(text):
            return self._keywords(line, last)
        if _COMMENT.fullmatch(text):
            end = line
            while end < last and _COMMENT.fullmatch(self.lines[end]):
                end += 1
            self.out.leave_out(line, end)
            return end
        if _TABLE.match(text):
            return self._table(line, line, last)
        if (_DRAWER.fullmatch(text) and (end := self._drawer_end(line, last))) or (
            end := self._planning_end(line, last)
        ) > line:
            self.out.add(BlockType.METADATA, line, end)
            return end
        if _FIXED.match(text):
            end = self._while(_FIXED, line, last)
            self.out.add(BlockType.CODE, line, end, {"fenced": False, "language": ""})
            return end
        if _RULE.fullmatch(text):
            self.out.add(BlockType.PARAGRAPH, line, line + 1, {"rule": True})
            return line + 1
        if (match := _EQUATION.match(text)) and (end := self._equation_end(line, last, match)):
            self.out.add(BlockType.EQUATION, line, end)
            return end
        if _ITEM.match(text):
            return self._list(line, last)
        return self._paragraph(line, last)

    def _headline(self, line: int, last: int, match: re.Match[str]) -> int:
        level = len(match["stars"])
        title = _TAGS.sub("", match["title"])
        word = title.split(maxsplit=1)[0] if title.strip() else ""
        title = title[len(word) :].lstrip() if word in self._states else title
        title = _COOKIE.sub("", _PRIORITY.sub("", title)).strip()
        if title.split(maxsplit=1)[:1] == ["COMMENT"]:
            end = line + 1
            while end < last and not ((other := _HEADLINE.fullmatch(self.lines[end])) and len(other["stars"]) <= level):
                end += 1
            self.out.leave_out(line, end)
            return end
        self.out.add(
            BlockType.HEADING,
            line,
            line + 1,
            {"label": plain_org(title) or match["title"].strip()},
            level=min(level, _LEVELS),
        )
        return line + 1

    def _past_keywords(self, line: int, last: int) -> int:
        """Index of the line after keywords of a table, code or picture; `line` if there are none."""
        after = line
        while (
            after < last
            and (match := _KEYWORD.fullmatch(self.lines[after]))
            and match["name"].lower() in _CAPTION_KEYWORDS
        ):
            after += 1
        return after

    def _keyworded(self, first: int, line: int, last: int) -> int:
        """Add a table, code or picture with its keywords; returns the index of the line after it."""
        captions = (_KEYWORD.fullmatch(text) for text in self.lines[first:line])
        caption = " ".join(match["value"] for match in captions if match and match["name"].lower() == "caption")
        text = self.lines[line] if line < last else ""
        if match := _BEGIN.fullmatch(text):
            end = self._between(first, line, last, match)
        elif _TABLE.match(text):
            self.out.add(BlockType.METADATA, first, line)
            end = self._table(line, line, last)
        elif match := _IMAGE.fullmatch(text):
            self.out.add(
                BlockType.IMAGE, first, line + 1, {"path": match[1], "alt": plain_org(caption) or match[2] or ""}
            )
            return line + 1
        elif _FIXED.match(text):
            end = self._while(_FIXED, line, last)
            self.out.add(BlockType.CODE, first, end, {"fenced": True, "language": ""})
        else:
            self.out.add(BlockType.METADATA, first, line)
            return line
        self.out.caption(plain_org(caption))
        return end

    def _keywords(self, line: int, last: int) -> int:
        end = line
        while (
            end < last
            and (match := _KEYWORD.fullmatch(self.lines[end]))
            and match["name"].lower() not in _CAPTION_KEYWORDS
        ):
            if match["name"].lower() == "title":
                self.title = f"{self.title} {plain_org(match['value'])}".strip()
            end += 1
        self.out.add(BlockType.METADATA, line, end)
        return end

    def _between(self, first: int, line: int, last: int, match: re.Match[str]) -> int:
        """Add a block from `#+BEGIN_` to `#+END_`; returns the index of the line after it."""
        name = match["name"].lower()
        closing = re.compile(rf"[ \t]*#\+end_{re.escape(name)}[ \t]*", re.IGNORECASE)
        close = next((n for n in range(line + 1, last) if closing.fullmatch(self.lines[n])), last)
        if close >= last:
            self.out.warnings.append(
                f"The block that line {line + 1:,} opens is never closed; everything after it is read as part of it."
            )
        end = min(close + 1, last)
        if name == "comment":
            if first < line:
                self.out.add(BlockType.METADATA, first, line)
            self.out.leave_out(line, end)
        elif name in _CODE:
            language = (match["arguments"] or "").split()
            code_language = (
                language[0] if name in ("src", "export") and language and not language[0].startswith(("-", ":")) else ""
            )
            self.out.add(BlockType.CODE, first, end, {"fenced": True, "language": code_language})
        else:
            with self.out.container(BlockType.QUOTE, first, end, {"style": name}) as deeper:
                if deeper:
                    self.blocks(line + 1, close)
        return end

    def _while(self, pattern: re.Pattern[str], line: int, last: int) -> int:
        while line < last and pattern.match(self.lines[line]):
            line += 1
        return line

    def _table(self, first: int, line: int, last: int) -> int:
        end = self._while(_TABLE, line, last)
        rules = [n for n in range(line, end) if _RULE_ROW.fullmatch(self.lines[n])]
        rows = [n for n in range(line, end) if n not in set(rules)]
        rule = next((n for n in rules if rows and n > rows[0]), None)
        header = next((n for n in rows if rule is not None and n > rule), None)
        starts = tuple(self.out.start_of(n) for n in rows if header is None or n >= header)
        columns = max((self.lines[n].strip().strip("|").count("|") + 1 for n in rows[:20]), default=1)
        meta: dict[str, Any] = {"rows": len(starts), "columns": columns, "row_starts": starts, "cells": "org"}
        if header is not None:
            meta["header_end"] = starts[0]
        self.out.add(BlockType.TABLE, first, end, meta)
        return end

    def _drawer_end(self, line: int, last: int) -> int:
        """Line after a drawer; 0 if it does not end before the next headline."""
        for after in range(line + 1, min(last, line + 2_000)):
            if _DRAWER_END.fullmatch(self.lines[after]):
                return after + 1
            if _HEADLINE.fullmatch(self.lines[after]):
                return 0
        return 0

    def _planning_end(self, line: int, last: int) -> int:
        return self._while(_PLANNING, line, last)

    def _equation_end(self, line: int, last: int, match: re.Match[str]) -> int:
        closing = f"\\end{{{match[1]}}}" if match[1] else "\\]" if "\\[" in match[0] else "$$"
        rest = self.lines[line][match.end() :]
        if closing in rest:
            return line + 1 if rest.strip().endswith(closing) else 0
        for after in range(line + 1, min(last, line + 500)):
            if closing in self.lines[after]:
                return after + 1
        return 0

    def _list(self, line: int, last: int) -> int:
        """Add items with their content; returns the index of the line after them.

        Two blank lines end a list, and so does an unindented line.
        """
        base = indent_of(self.lines[line])
        end = after = line
        starts: list[int] = []
        while after < last:
            if self.out.blank(after):
                following = self.out.next_text(after, last)
                if following - after > 1:
                    break
                after = following
                continue
            text = self.lines[after]
            item = bool(_ITEM.match(text)) and indent_of(text) == base
            if _HEADLINE.fullmatch(text) or not (item or indent_of(text) > base):
                break
            if item:
                starts.append(after)
            after += 1
            end = after
        with self.out.container(BlockType.LIST, line, end, {"depth": 1, "items": len(starts)}) as deeper:
            for start, stop in zip(starts, [*starts[1:], end], strict=True) if deeper else ():
                self.blocks(start + 1, stop)
        return end

    def _paragraph(self, line: int, last: int) -> int:
        end = line + 1
        while end < last and not self.out.blank(end) and not self._interrupts(end):
            end += 1
        image = _IMAGE.fullmatch(self.lines[line]) if end == line + 1 else None
        self.out.add(
            BlockType.IMAGE if image else BlockType.PARAGRAPH,
            line,
            end,
            {"path": image[1], "alt": image[2] or ""} if image else None,
        )
        return end

    def _interrupts(self, line: int) -> bool:
        text = self.lines[line]
        return bool(
            _HEADLINE.fullmatch(text)
            or _KEYWORD.fullmatch(text)
            or _BEGIN.fullmatch(text)
            or _TABLE.match(text)
            or _ITEM.match(text)
        )
