"""Write an RTF file as blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from chunking.model import BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.table_headers import count_header_rows
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.office.file_comments import COMMENT, not_read
from chunking.parsing.formats.office.rtf.rtf_paragraphs import RtfParagraph, RtfRow, counting, read_story
from chunking.parsing.formats.office.rtf.source import RtfSource

__all__ = ["read_rtf"]


def read_rtf(raw: RawFile) -> Reading:
    """Read an RTF file; a truncated one as far as it goes.

    Notes, boxes and requested comments follow their paragraph or table. Headers, footers, other comments and lines of
    tables of contents are left out; deleted and hidden text is no text. Pictures and embedded files are not read.

    Raises:
        TooLargeError: its text is over the limit.
    """
    source = RtfSource(raw.data, raw.encoding)
    story = read_story(source.events(), comments=raw.comments)
    writer = Writer(raw.source)
    for kind, group in groupby(story.items, key=_kind):
        _WRITERS[kind](writer, list(group))
    for words, reason in dict.fromkeys(story.left_out):
        writer.leave_out(words, reason)
    left_out = sum(reason == COMMENT and bool(words) for words, reason in story.left_out)
    return writer.finish(
        title=story.title or None, encoding=source.encoding, warnings=[*source.warnings, *not_read(left_out)]
    )


def _kind(item: RtfParagraph | RtfRow) -> str:
    if isinstance(item, RtfRow):
        return "table"
    if item.contents:
        return "contents"
    return "list" if item.marker is not None and not item.level else "paragraph"


def _write_paragraphs(writer: Writer, items: Sequence[RtfParagraph]) -> None:
    for item in items:
        if item.level:
            label = " ".join(f"{counting(item.marker)} {item.text}".split())
            writer.block(BlockType.HEADING, label, level=min(item.level, 6))
        else:
            writer.block(BlockType.PARAGRAPH, item.text, meta={COMMENT: True} if item.comment else {})


def _write_list(writer: Writer, items: Sequence[RtfParagraph]) -> None:
    least = min(item.depth for item in items)
    meta = {"depth": max(item.depth for item in items) - least + 1, "items": len(items)}
    writer.block(BlockType.LIST, "\n".join(_item_lines(items, least)), meta=meta)


def _item_lines(items: Sequence[RtfParagraph], least: int) -> Iterator[str]:
    for item in items:
        indent = "  " * (item.depth - least)
        yield f"{indent}{counting(item.marker) or '-'} " + item.text.replace("\n", f"\n{indent}  ")


def _write_table(writer: Writer, rows: Sequence[RtfRow]) -> None:
    """Write a table; one with a single row, or single cells, is layout of paragraphs."""
    cells = [row.cells for row in rows if any(row.cells)]
    headers = next((number for number, row in enumerate(rows) if not row.header), len(rows))
    if not headers and (len(cells) < 2 or max(map(len, cells)) < 2):
        for text in (text for row in cells for text in row):
            writer.block(BlockType.PARAGRAPH, text)
    else:
        writer.table(cells, header_rows=headers or count_header_rows(cells))


def _leave_out(writer: Writer, items: Sequence[RtfParagraph]) -> None:
    writer.leave_out("\n".join(item.text for item in items), "table of contents")


_WRITERS: dict[str, Callable[[Writer, Sequence[Any]], None]] = {
    "table": _write_table,
    "contents": _leave_out,
    "list": _write_list,
    "paragraph": _write_paragraphs,
}
