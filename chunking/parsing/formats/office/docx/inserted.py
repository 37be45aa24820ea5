"""Files inserted into a Word file as they are (`w:altChunk`): web pages, RTF, other Word files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from chunking.model import BlockType
from chunking.parsing.builder.nested_files import InnerFiles
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.html import write_html
from chunking.parsing.formats.office.docx.body import PART
from chunking.parsing.formats.office.file_comments import Comment, write_comments
from chunking.parsing.formats.office.office_parts import Package, attribute

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["Inserted", "mark_inserted", "write_pages"]

Inserted = str | list[Comment]
"""Target of a mark: a file, by the name of its part, or comments."""

_MARK = re.compile(rb"<part>([0-9]+)</part>")
_HEAD = b'<meta charset="utf-8"><body>'


def mark_inserted(root: _Element, package: Package, part: str) -> list[Inserted]:
    """Put a numbered paragraph in the place of each file, and return the parts' names by number.

    A file in a table moves after the table, since its text has blocks of its own.
    """
    word = root.tag[: root.tag.index("}") + 1]
    related = package.related(part)
    parts: list[Inserted] = []
    for chunk in list(root.iter(f"{word}altChunk")):
        target = related.get(attribute(chunk, "id") or "")
        place = chunk
        while place.getparent() is not None and place.getparent().tag != f"{word}body":
            place = place.getparent()
        if target is not None and target.part in package and place.getparent() is not None:
            paragraph = root.makeelement(f"{word}p", {PART: "yes"})
            run, text = root.makeelement(f"{word}r"), root.makeelement(f"{word}t")
            text.text = str(len(parts))
            run.append(text)
            paragraph.append(run)
            place.addnext(paragraph)
            parts.append(target.part)
        chunk.getparent().remove(chunk)
    return parts


def write_pages(
    page: bytes,
    writer: Writer,
    package: Package,
    raw: RawFile,
    inserted: list[Inserted],
    guessed: Mapping[str, Mapping[str, object]],
) -> InnerFiles:
    """Write the converted page: comments in place, and a line naming each inserted file."""
    inner = InnerFiles()
    pieces = _MARK.split(page) if inserted else [page]
    waiting = dict(enumerate(inserted))
    for number, piece in enumerate(pieces):
        if not number % 2:
            write_html(
                piece if not number else _HEAD + piece, writer, source=raw.source, word_processed=True, classes=guessed
            )
            continue
        part = waiting.pop(int(piece[:9]), "")
        if isinstance(part, list):
            write_comments(writer, part, read=True)
        elif part:
            writer.block(
                BlockType.METADATA, f"Inserted file: {inner.add(posixpath.basename(part), package.data(part))}"
            )
    return inner
