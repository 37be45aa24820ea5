"""Read Markdown into blocks with exact spans; the canonical text is the source itself.

Quotes and lists are one block each, except that code, tables and equations inside them are blocks of their own, because
splitting keeps these whole. A heading inside a quote or list item opens no section.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chunking.model import Block, BlockType
from chunking.parsing.builder.question_pairs import pair_questions
from chunking.parsing.builder.reader_types import RawFile, Reading, fill_gaps, trimmed
from chunking.parsing.detection.encoding import Decoded
from chunking.parsing.formats.markdown.mdx import find_parts, place_parts
from chunking.parsing.formats.markdown.wiki import is_wiki
from chunking.parsing.formats.markup.line_blocks import decode_lines
from chunking.parsing.formats.plain_text import read_text

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["read_markdown"]

MDX = ".mdx"
"""Extension of Markdown with components, imports and exports."""

_OPENING_TAG = re.compile(r"<[A-Za-z][\w.-]*[\s/>]")
_LINE_END = re.compile(r"\r\n?|\n")
_IMAGE = re.compile(r"\[?!\[([^\]\n]*+)\]\(\s*<?([^\s<>()]*)[^()\n]*\)(?:\]\([^()\n]*\))?")
_HTML_IMAGE = re.compile(r"<img\s[^<>]*?\bsrc\s*=\s*[\"']?([^\"'\s<>]+)[^<>]*>", re.IGNORECASE)
_HTML_HEADING = re.compile(r"<h([1-6])(?:\s[^<>]*+)?>(?:[^<]++|<(?!/?h[1-6][\s>]))*+</h\1\s*>", re.IGNORECASE)
_HTML_RAW = re.compile(r"<(?:!--|\?|![A-Z\[]|(?:script|pre|style|textarea)\b)", re.IGNORECASE)
_LANGUAGE = re.compile(r"\{?\.?([^\s{},:]+)")
_FENCE_END = re.compile(r"(?:^|[\r\n])[ \t>]*(?:`{3,}|~{3,})[ \t]*$")
_TITLE = re.compile(r"^([\"']?)title\1[ \t]*[:=][ \t]*(.+?)[ \t\r]*$", re.MULTILINE)


def read_markdown(raw: RawFile) -> Reading:
    """Read a Markdown or MDX file; a text of wiki markup and no Markdown is read as plain text.

    The document's text is the file's; programs and comments in MDX are left out of chunks.

    Raises:
        ParseError: the bytes are no text.
        TooLargeError: it has more than `line_blocks.MAX_LINES` lines.
    """
    decoded = decode_lines(raw)
    if raw.source.lower().endswith(MDX):
        return _read_mdx(decoded)
    reader = _Reader(decoded.text)
    blocks = tuple(pair_questions(decoded.text, fill_gaps(decoded.text, reader.blocks())))
    if all(block.type is BlockType.PARAGRAPH for block in blocks) and is_wiki(decoded.text):
        return read_text(raw)
    return Reading(decoded.text, blocks, decoded.encoding, reader.title, warnings=(*decoded.warnings, *reader.warnings))


def _read_mdx(decoded: Decoded) -> Reading:
    """Read Markdown with components."""
    parts = find_parts(decoded.text)
    reader = _Reader(parts.markdown, mdx=True)
    markdown_blocks = list(fill_gaps(parts.markdown, reader.blocks()))
    blocks, left_out = place_parts(decoded.text, parts, markdown_blocks)
    blocks = tuple(pair_questions(decoded.text, blocks))
    return Reading(
        decoded.text,
        blocks,
        decoded.encoding,
        reader.title,
        left_out=left_out,
        warnings=(*decoded.warnings, *reader.warnings),
    )


class _Reader:
    """Reader of one Markdown text: lines, offsets and blocks."""

    def __init__(self, text: str, *, mdx: bool = False) -> None:
        from chunking.parsing.formats.markdown.markdown_rules import TopLevel

        self.text = text
        self._mdx = mdx
        self.title: str | None = None
        self.warnings: list[str] = []
        plain = "\r" not in text
        self._tokens = TopLevel(text if plain else _LINE_END.sub("\n", text), mdx=mdx)
        self._starts = self._tokens.starts if plain else [0, *(end.end() for end in _LINE_END.finditer(text))]
        self._starts.append(len(text))

    def blocks(self) -> Iterator[Block]:
        for tokens in self._tokens:
            yield from _KINDS[tokens[0].type](self, tokens)
        if self._tokens.too_deep is not None:
            from chunking.parsing.formats.markdown.markdown_rules import MAX_NESTING

            self.warnings.append(
                f"Line {self._tokens.too_deep + 1:,} nests quotes and lists more than {MAX_NESTING} levels "
                f"deep; deeper ones are read as plain lines."
            )

    def _block(
        self, kind: BlockType, first: int, last: int, meta: dict[str, Any] | None = None, level: int | None = None
    ) -> Iterator[Block]:
        """The block of lines [first, last), unless they are blank."""
        span = trimmed(self.text, self._starts[first], self._starts[last])
        if span:
            line = first + 1 if span[0] < self._starts[first + 1] else self._line_at(span[0])
            yield Block(kind, *span, level=level, line=line, meta=meta or {})

    def paragraph(self, tokens: list[Token]) -> Iterator[Block]:
        if self._mdx and self._opens_tag(tokens[0]):
            yield from self.html(tokens)
            return
        for block in self._block(BlockType.PARAGRAPH, *_lines(tokens[0])):
            image = (
                _IMAGE.fullmatch(self.text, block.start, block.end)
                if self.text.startswith(("![", "[!["), block.start)
                else None
            )
            if image:
                yield Block(
                    BlockType.IMAGE, block.start, block.end, line=block.line, meta={"path": image[2], "alt": image[1]}
                )
            else:
                yield block

    def _opens_tag(self, token: Token) -> bool:
        """True if a paragraph starts with a tag: MDX has no HTML blocks, which would hide Markdown in them."""
        span = trimmed(self.text, self._starts[_lines(token)[0]], self._starts[_lines(token)[1]])
        return span is not None and _OPENING_TAG.match(self.text, span[0]) is not None

    def definitions(self, tokens: list[Token]) -> Iterator[Block]:
        return self._block(BlockType.PARAGRAPH, *_lines(tokens[0]), meta=dict(tokens[0].meta))

    def rule(self, tokens: list[Token]) -> Iterator[Block]:
        return self._block(BlockType.PARAGRAPH, *_lines(tokens[0]), meta={"rule": True})

    def heading(self, tokens: list[Token]) -> Iterator[Block]:
        return self._block(BlockType.HEADING, *_lines(tokens[0]), level=int(tokens[0].tag[1]))

    def equation(self, tokens: list[Token]) -> Iterator[Block]:
        return self._block(BlockType.EQUATION, *_lines(tokens[0]))

    def metadata(self, tokens: list[Token]) -> Iterator[Block]:
        for block in self._block(BlockType.METADATA, *_lines(tokens[0])):
            title = _TITLE.search(self.text, block.start, block.end)
            self.title = title[2].strip("\"'") if title else None
            yield block

    def code(self, tokens: list[Token]) -> Iterator[Block]:
        first, last = _lines(tokens[0])
        fenced = tokens[0].type == "fence"
        language = _LANGUAGE.match(tokens[0].info.strip()) if fenced else None
        for block in self._block(
            BlockType.CODE, first, last, {"fenced": fenced, "language": language[1] if language else ""}
        ):
            if fenced and last >= self._tokens.lines and not _FENCE_END.search(self.text, block.start + 3, block.end):
                self.warnings.append(
                    f"The code fence on line {first + 1:,} is never closed; everything after it is read as code."
                )
            # indented code keeps the indentation of its first line: without it, it would be other code
            yield block if fenced else replace(block, start=self._starts[first])

    def table(self, tokens: list[Token]) -> Iterator[Block]:
        first, last = _lines(tokens[0])
        rows = tuple(self._starts[first + 2 : last])
        for block in self._block(BlockType.TABLE, first, last):
            header_end = min(self._starts[first + 2], block.end)
            meta = {
                "rows": len(rows),
                "columns": tokens[0].meta["columns"],
                "header_end": header_end,
                "row_starts": rows,
            }
            yield Block(BlockType.TABLE, block.start, block.end, line=block.line, meta=meta)

    def html(self, tokens: list[Token]) -> Iterator[Block]:
        for block in self._block(BlockType.HTML, *_lines(tokens[0])):
            image = _HTML_IMAGE.fullmatch(self.text, block.start, block.end)
            if image:
                yield Block(
                    BlockType.IMAGE, block.start, block.end, line=block.line, meta={"path": image[1], "alt": ""}
                )
            elif _HTML_RAW.match(self.text, block.start):
                yield block
            else:
                yield from self._html_headings(block)

    def _html_headings(self, block: Block) -> Iterator[Block]:
        """Split an HTML block at its headings."""
        done = block.start
        for match in _HTML_HEADING.finditer(self.text, block.start, block.end):
            yield from self._html_part(BlockType.HTML, done, match.start())
            yield from self._html_part(BlockType.HEADING, match.start(), match.end(), int(match[1]))
            done = match.end()
        yield from self._html_part(BlockType.HTML, done, block.end)

    def _html_part(self, kind: BlockType, start: int, end: int, level: int | None = None) -> Iterator[Block]:
        span = trimmed(self.text, start, end)
        if span:
            yield Block(kind, *span, level=level, line=self._line_at(span[0]), meta={})

    def _line_at(self, offset: int) -> int:
        return max(bisect_left(self._starts, offset + 1), 1)

    def footnote(self, tokens: list[Token]) -> Iterator[Block]:
        """Yield the blocks of a footnote.

        A heading in it opens no section, and a label on its own line belongs to the first block.
        """
        start, end = _lines(tokens[0])
        inside = [n for n, token in enumerate(tokens) if token.level == tokens[0].level + 1 and token.nesting >= 0]
        if not inside or _KINDS[tokens[inside[0]].type] not in (_Reader.paragraph, _Reader.heading):
            yield from self._block(BlockType.PARAGRAPH, start, _lines(tokens[inside[0]])[0] if inside else end)
        else:
            tokens[inside[0]].map = [start, _lines(tokens[inside[0]])[1]]
        for first, after in zip(inside, [*inside[1:], len(tokens) - 1], strict=False):
            kind = _KINDS[tokens[first].type]
            yield from (_Reader.paragraph if kind is _Reader.heading else kind)(self, tokens[first:after])

    def container(self, tokens: list[Token]) -> Iterator[Block]:
        """Yield a quote or list, split at its code, tables and equations."""
        first, last = _lines(tokens[0])
        quote = tokens[0].type == "blockquote_open"
        items = [_lines(token)[0] for token in tokens if token.type == "list_item_open"]
        depth = _list_depth(tokens)
        done = first
        for token in tokens:
            kind = _KINDS.get(token.type) if token.type in _LEAVES else None
            if kind is None or _lines(token)[0] < done:
                continue
            start, end = _lines(token)
            yield from self._container_part(quote, done, start, items, depth)
            yield from kind(self, [token])
            done = end
        yield from self._container_part(quote, done, last, items, depth)

    def _container_part(self, quote: bool, first: int, last: int, items: list[int], depth: int) -> Iterator[Block]:
        if quote:
            return self._block(BlockType.QUOTE, first, last)
        count = bisect_left(items, last) - bisect_left(items, first)
        return self._block(BlockType.LIST, first, last, {"depth": depth, "items": count})


def _lines(token: Token) -> tuple[int, int]:
    """Lines [first, after) of a token."""
    first, after = token.map or (0, 0)
    return first, after


def _list_depth(tokens: list[Token]) -> int:
    """Maximum nesting of lists."""
    depth = deepest = 0
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
            deepest = max(deepest, depth)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
    return deepest


_KINDS: dict[str, Callable[[_Reader, list[Token]], Iterator[Block]]] = {
    "paragraph": _Reader.paragraph,
    "definitions": _Reader.definitions,
    "hr": _Reader.rule,
    "heading": _Reader.heading,
    "heading_open": _Reader.heading,
    "math_block": _Reader.equation,
    "math_block_label": _Reader.equation,
    "front_matter": _Reader.metadata,
    "fence": _Reader.code,
    "code_block": _Reader.code,
    "table": _Reader.table,
    "html_block": _Reader.html,
    "blockquote_open": _Reader.container,
    "bullet_list_open": _Reader.container,
    "ordered_list_open": _Reader.container,
    "footnote_open": _Reader.footnote,
}
"""Block makers by token; tokens of other kinds open no top-level block."""

_LEAVES = frozenset({"fence", "code_block", "table", "math_block", "math_block_label"})
"""Tokens that become blocks of their own inside a quote or list."""
