"""Read AsciiDoc: titles, delimited blocks, lists and paragraphs, following Asciidoctor."""

from __future__ import annotations

import re
from typing import NamedTuple

from chunking.model import BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.formats.markup.inline_markup import plain_asciidoc
from chunking.parsing.formats.markup.line_blocks import LineBlocks, decode_lines, indent_of
from chunking.parsing.formats.markup.markup_tables import table_meta

__all__ = ["read_asciidoc"]

_TITLE = re.compile(r"(?P<marks>={1,6}|#{1,6})[ \t]+(?P<title>\S.*)")
_UNDERLINES = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
"""Levels of underlined titles, by sign."""
_ATTRIBUTE = re.compile(r":!?(?P<name>[\w][\w-]*)!?:(?:[ \t]+(?P<value>.*))?")
_BLOCK_ATTRIBUTES = re.compile(r"\[(?:\[[^\[\]]*\]|[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\][ \t]*")
_BLOCK_TITLE = re.compile(r"\.(?=[^\s.]).*")
_DELIMITER = re.compile(r"(?:(?P<mark>[-.=*_+/])(?P=mark){3,}|--|```+[\w+-]*|[|,:!]={3,})[ \t]*")
_ITEM = re.compile(r"[ \t]*(?:\*{1,6}|-|\.{1,6}|(?:\d{1,9}|[a-zA-Z]|[ivxIVX]{2,8})[.)]|<(?:\d{1,3}|\.)>)[ \t]+\S")
_TERM = re.compile(r"[ \t]*\S.*?(?<![:;])(?::{2,4}|;;)(?:[ \t]+\S.*|[ \t]*)")
_ADMONITION = re.compile(r"(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]")
_MACRO = re.compile(
    r"(?P<name>include|ifdef|ifndef|ifeval|endif|toc|image|video|audio)::(?P<target>[^\[\]]*)\[(?P<text>.*)\][ \t]*"
)
_RULE = re.compile(r"(?:'{3,}|<{3,}|-[ \t]?-[ \t]?-|\*[ \t]?\*[ \t]?\*)[ \t]*")
_REFERENCE = re.compile(r"\{([\w-]+)\}")
_VERBATIM = {"-": "listing", ".": "literal", "`": "fenced"}


class _Attributes(NamedTuple):
    """Attribute list, anchors and title above a block."""

    first: int
    """First line of the attributes."""
    style: str = ""
    """First positional attribute."""
    positional: tuple[str, ...] = ()
    text: str = ""
    """All attributes."""
    caption: str = ""


def read_asciidoc(raw: RawFile) -> Reading:
    """Read an AsciiDoc file into blocks; the document's text is the file's, with its markup.

    Raises:
        ParseError: the bytes are no text.
        TooLargeError: it has more than `line_blocks.MAX_LINES` lines.
    """
    decoded = decode_lines(raw)
    reader = _AsciidocReader(LineBlocks(decoded.text))
    reader.read()
    return reader.out.reading(decoded)


class _AsciidocReader:
    def __init__(self, out: LineBlocks) -> None:
        self.out, self.lines = out, out.lines
        self._values: dict[str, str] = {}

    def read(self) -> None:
        """Read front matter, the document's header, and its blocks."""
        last = len(self.lines)
        line = self.out.next_text(0, last)
        if line < last and self.lines[line].rstrip() == "---" and (end := self._closing(line, last)) < last:
            self.out.add(BlockType.METADATA, line, end + 1)
            line = end + 1
        self._blocks(line, last, top=True)

    def _blocks(self, first: int, last: int, *, top: bool = False) -> None:
        line = self.out.next_text(first, last)
        while line < last:
            attributes = self._attributes(line, last)
            after = self._block(attributes, self._skipped(attributes, line, last), last, top=top)
            line = self.out.next_text(max(after, line + 1), last)

    def _attributes(self, line: int, last: int) -> _Attributes:
        """Parse the lines above a block that describe it."""
        attributes = _Attributes(line)
        while line < last:
            text = self.lines[line]
            if _BLOCK_ATTRIBUTES.fullmatch(text):
                inner = text.strip()[1:-1]
                if not inner.startswith("["):
                    positional = tuple(part.strip().strip('"') for part in inner.split(","))
                    style = positional[0].partition("#")[0].partition(".")[0].partition("%")[0]
                    attributes = attributes._replace(
                        style=attributes.style or style,
                        positional=attributes.positional or positional,
                        text=f"{attributes.text},{inner}",
                    )
            elif _BLOCK_TITLE.fullmatch(text) and not _DELIMITER.fullmatch(text) and not _ITEM.match(text):
                attributes = attributes._replace(caption=text[1:].strip())
            else:
                break
            line += 1
        return attributes

    def _skipped(self, attributes: _Attributes, line: int, last: int) -> int:
        """Index of the line after a block's attributes."""
        while line < last and (attributes.text or attributes.caption or _BLOCK_ATTRIBUTES.fullmatch(self.lines[line])):
            text = self.lines[line]
            titled = _BLOCK_TITLE.fullmatch(text) and not _DELIMITER.fullmatch(text) and not _ITEM.match(text)
            if not _BLOCK_ATTRIBUTES.fullmatch(text) and not titled:
                break
            line += 1
        return line

    def _block(self, attributes: _Attributes, line: int, last: int, *, top: bool) -> int:
        """Add a block with its attributes; returns the index of the line after it."""
        first = attributes.first
        if line >= last or self.out.blank(line):
            self.out.add(BlockType.PARAGRAPH, first, line, {"attributes": True})
            return line
        text = self.lines[line]
        if text.startswith("//") and not text.startswith("///"):
            self._lead(first, line)
            self.out.leave_out(line, line + 1)
            return line + 1
        if _DELIMITER.fullmatch(text) and not (text.strip()[0] in _UNDERLINES and self._is_underlined(line - 1, first)):
            return self._delimited(attributes, line, last)
        if top and (end := self._heading(attributes, line, last)):
            return end
        if match := _ATTRIBUTE.fullmatch(text):
            return self._entries(first, line, last, match)
        if match := _MACRO.fullmatch(text):
            image = match["name"] == "image"
            meta = (
                {"path": match["target"], "alt": match["text"].partition(",")[0].strip('"')}
                if image
                else {"directive": match["name"]}
            )
            self.out.add(BlockType.IMAGE if image else BlockType.METADATA, first, line + 1, meta)
            return line + 1
        if _RULE.fullmatch(text):
            self.out.add(BlockType.PARAGRAPH, first, line + 1, {"rule": True})
            return line + 1
        if _ITEM.match(text) or (_TERM.fullmatch(text) and not text.startswith("//")):
            return self._list(first, line, last)
        return self._paragraph(attributes, line, last)

    def _lead(self, first: int, line: int) -> None:
        if first < line:
            self.out.add(BlockType.PARAGRAPH, first, line, {"attributes": True})

    def _heading(self, attributes: _Attributes, line: int, last: int) -> int:
        """Add a title; returns the index of the line after it, 0 if there is none."""
        match = _TITLE.fullmatch(self.lines[line])
        level, end = (len(match["marks"]), line + 1) if match else (0, line)
        title = match["title"].removesuffix(f" {match['marks']}") if match else self.lines[line].strip()
        if not match and line + 1 < last and self._is_underlined(line, attributes.first):
            level, end = _UNDERLINES[self.lines[line + 1].strip()[0]], line + 2
        if not level:
            return 0
        self._lead(attributes.first, line)
        label = _REFERENCE.sub(lambda reference: self._values.get(reference[1], reference[1]), title)
        self.out.add(BlockType.HEADING, line, end, {"label": plain_asciidoc(label)}, level=level)
        return self._header(end, last) if level == 1 else end

    def _is_underlined(self, line: int, first: int) -> bool:
        """True for a title above an underline of the same length."""
        if line < first or line + 1 >= len(self.lines):
            return False
        title, under = self.lines[line].rstrip(), self.lines[line + 1].rstrip()
        signs = set(under)
        return (
            len(signs) == 1
            and under[0] in _UNDERLINES
            and len(under) >= 3
            and title[:1].isalnum()
            and abs(len(title) - len(under)) <= 1
        )

    def _header(self, line: int, last: int) -> int:
        """Skip author, revision and attributes below the document's title; returns the next line."""
        end = line
        while end < last and not self.out.blank(end):
            end += 1
        for text in self.lines[line:end]:
            if match := _ATTRIBUTE.fullmatch(text):
                self._values[match["name"]] = match["value"] or ""
        if end > line and all(
            _ATTRIBUTE.fullmatch(text) or text.startswith("//") for text in self.lines[line + 2 : end]
        ):
            self.out.add(BlockType.METADATA, line, end)
            return end
        return line

    def _entries(self, first: int, line: int, last: int, match: re.Match[str] | None) -> int:
        end = line
        while end < last and (match := _ATTRIBUTE.fullmatch(self.lines[end])):
            self._values[match["name"]] = match["value"] or ""
            end += 1
            while end < last and self.lines[end - 1].rstrip().endswith("\\"):
                end += 1
        self.out.add(BlockType.METADATA, first, end)
        return end

    def _closing(self, line: int, last: int) -> int:
        """The line that closes the block opened on a line; `last` if there is none."""
        mark = self.lines[line].rstrip()
        mark = (
            mark.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-")
            if mark.startswith("```")
            else mark
        )
        return next((n for n in range(line + 1, last) if self.lines[n].rstrip() == mark), last)

    def _delimited(self, attributes: _Attributes, line: int, last: int) -> int:
        """Add a block between two delimiter lines; returns the index of the line after it."""
        mark = self.lines[line].strip()
        close = self._closing(line, last)
        if close >= last:
            self.out.warnings.append(
                f"The block that line {line + 1:,} opens is never closed; everything after it is read as part of it."
            )
        end = min(close + 1, last)
        sign, style = mark[0], attributes.style.lower()
        if sign == "/":
            self._lead(attributes.first, line)
            self.out.leave_out(line, end)
        elif mark.startswith(("|=", ",=", ":=", "!=")):
            self._lead(attributes.first, line)
            self._table(line, close, end, attributes)
        elif sign == "+" and len(mark) > 2:
            equation = style in ("stem", "latexmath", "asciimath")
            self.out.add(BlockType.EQUATION if equation else BlockType.HTML, attributes.first, end)
        elif (sign in _VERBATIM and mark != "--") or (mark == "--" and style in ("source", "listing", "literal")):
            self.out.add(
                BlockType.CODE, attributes.first, end, {"fenced": True, "language": _language(attributes, mark)}
            )
            self.out.caption(plain_asciidoc(attributes.caption))
        else:
            with self.out.container(
                BlockType.QUOTE, attributes.first, end, {"style": style} if style else None
            ) as deeper:
                if deeper:
                    self._blocks(line + 1, close)
        return end

    def _table(self, line: int, close: int, end: int, attributes: _Attributes) -> None:
        """Add a table; the delimiter lines are left out unless they hold cell marks."""
        meta = table_meta(self.out, line, close, attributes.text)
        plain = "delimiter" in meta
        if plain:
            self.out.add(BlockType.PARAGRAPH, line, line + 1, {"rule": True})
        self.out.add(BlockType.TABLE, line + plain, close if plain else end, meta)
        self.out.caption(plain_asciidoc(attributes.caption))
        if plain:
            self.out.add(BlockType.PARAGRAPH, close, end, {"rule": True})

    def _list(self, first: int, line: int, last: int) -> int:
        """Add items with their attached blocks; returns the index of the line after them."""
        end, items = line, 0
        with self.out.container(BlockType.LIST, first, self._list_end(line, last), {"depth": 1}) as deeper:
            stop = self._list_end(line, last)
            end = line
            while end < stop:
                text = self.lines[end]
                items += bool(_ITEM.match(text))
                if _DELIMITER.fullmatch(text) and not self.out.blank(end):
                    attributes = self._attributes_above(end, line)
                    after = self._delimited(attributes, end, stop) if deeper else self._closing(end, stop) + 1
                    end = max(after, end + 1)
                else:
                    end += 1
        return end

    def _attributes_above(self, line: int, first: int) -> _Attributes:
        """Attributes of a block inside a list."""
        top = line
        while top > first and (
            _BLOCK_ATTRIBUTES.fullmatch(self.lines[top - 1]) or _BLOCK_TITLE.fullmatch(self.lines[top - 1])
        ):
            top -= 1
        return self._attributes(top, line)

    def _list_end(self, line: int, last: int) -> int:
        """Index of the line after a list.

        It ends at a blank line not followed by an item, an indented line or `+`, and at a title or a block of its own.
        """
        end, attached = line, False
        while line < last:
            text = self.lines[line]
            if self.out.blank(line):
                after = self.out.next_text(line, last)
                is_item = after < last and (_ITEM.match(self.lines[after]) or _TERM.fullmatch(self.lines[after]))
                if not is_item and not (
                    after < last and (self.lines[after].strip() == "+" or indent_of(self.lines[after]))
                ):
                    return end
                line = after
                continue
            if _DELIMITER.fullmatch(text):
                if not attached:
                    return end
                line = min(self._closing(line, last) + 1, last)
                end, attached = line, False
                continue
            if _TITLE.fullmatch(text):
                return end
            attached = text.strip() == "+" or (
                attached and bool(_BLOCK_ATTRIBUTES.fullmatch(text) or _BLOCK_TITLE.fullmatch(text))
            )
            line += 1
            end = line
        return end

    def _paragraph(self, attributes: _Attributes, line: int, last: int) -> int:
        """Add lines up to a blank one or the start of a block; returns the next line's index."""
        end = line + 1
        while (
            end < last
            and not self.out.blank(end)
            and not _DELIMITER.fullmatch(self.lines[end])
            and not self._interrupts(end)
        ):
            end += 1
        text, style = self.lines[line], attributes.style.lower()
        if style in ("source", "listing", "literal"):
            self.out.add(BlockType.CODE, attributes.first, end, {"fenced": True, "language": _language(attributes, "")})
        elif text[:1] in " \t":
            start = self.out.start_of(attributes.first) if attributes.first == line else None
            self.out.add(BlockType.CODE, attributes.first, end, {"fenced": False, "language": ""}, start=start)
        elif _ADMONITION.match(text) or style in (
            "quote",
            "verse",
            "note",
            "tip",
            "important",
            "warning",
            "caution",
            "abstract",
        ):
            self.out.add(BlockType.QUOTE, attributes.first, end)
        elif style in ("stem", "latexmath", "asciimath"):
            self.out.add(BlockType.EQUATION, attributes.first, end)
        else:
            self.out.add(BlockType.PARAGRAPH, attributes.first, end)
        return end

    def _interrupts(self, line: int) -> bool:
        text = self.lines[line]
        return (text.startswith("//") and not text.startswith("///")) or bool(
            _BLOCK_ATTRIBUTES.fullmatch(text) and not text.startswith("[[")
        )


def _language(attributes: _Attributes, mark: str) -> str:
    """Language of a listing: after its fence, or the second attribute of `[source,python]` or `[,python]`."""
    if mark.startswith("```"):
        return mark.strip("`").strip()
    if attributes.style.lower() not in ("source", "") or len(attributes.positional) < 2:
        return ""
    return attributes.positional[1] if "=" not in attributes.positional[1] else ""
