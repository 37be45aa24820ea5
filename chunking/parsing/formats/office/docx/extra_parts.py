"""Comments of a Word file, and files inserted into it as they are (`w:altChunk`)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from chunking.model import BlockType
from chunking.parsing.builder.nested_files import InnerFiles
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.html.reader import write_html
from chunking.parsing.formats.office.docx.body import ITEM_STYLES, PART, PART_STYLE, flat_words
from chunking.parsing.formats.office.file_comments import Comment, write_comments
from chunking.parsing.formats.office.office_parts import Package, attribute

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["comments_of", "mark_comments", "mark_inserted", "place_comments", "write_pages"]

_NOTED = "comments"
"""Attribute with the ids of a paragraph's comments."""

Inserted = str | list[Comment]
"""Target of a mark: a file, by the name of its part, or comments."""

_MARK = re.compile(rb"<part>([0-9]+)</part>")
_HEAD = b'<meta charset="utf-8"><body>'


def comments_of(package: Package, part: str) -> dict[str, Comment]:
    """Comments of a text part by id, in file order."""
    parts = (package.tree(name) for name in package.parts(part, "comments"))
    every = (one for root in parts for one in root.iterchildren("{*}comment"))
    return {attribute(one, "id") or "": Comment(flat_words(one), attribute(one, "author") or "") for one in every}


def mark_comments(root: _Element) -> None:
    """Record on each paragraph the comments that refer to it; preparation removes the references."""
    word = root.tag[: root.tag.index("}") + 1]
    for reference in root.iter(f"{word}commentReference"):
        paragraph = next(reference.iterancestors(f"{word}p"), None)
        if paragraph is not None:
            paragraph.set(_NOTED, f"{paragraph.get(_NOTED, '')} {attribute(reference, 'id') or ''}")


def place_comments(root: _Element, comments: Mapping[str, Comment], inserted: list[Inserted]) -> list[Comment]:
    """Mark comments after each paragraph or table that has some, splitting no list, quote or listing.

    Args:
        root: a prepared text.
        inserted: targets of marks by number; gets the comments.
    Returns:
        Comments without a place in the text.
    """
    word = root.tag[: root.tag.index("}") + 1]
    left, waiting = dict(comments), list[Comment]()
    for place in [child for body in root.iter(f"{word}body") for child in body]:
        waiting += [left.pop(one) for one in _noted(place) if one in left]
        if waiting and not _goes_on(place, word):
            place.addnext(_mark(place, word, len(inserted)))
            inserted.append(waiting)
            waiting = []
    return [*waiting, *left.values()]


def _noted(place: _Element) -> Iterable[str]:
    return [one for element in place.iter() for one in element.get(_NOTED, "").split()]


def _goes_on(place: _Element, word: str) -> bool:
    """True if the next element continues the list, quote or listing, or a paragraph with a deleted end."""
    after = place.getnext()
    if after is None:
        return False
    if place.find(f"{word}pPr/{word}rPr/{word}del") is not None:
        return True
    styles = [one.find(f"{word}pPr/{word}pStyle") for one in (place, after)]
    names = [None if one is None else one.get(f"{word}val") for one in styles]
    listed = [name is not None and name.startswith(ITEM_STYLES) for name in names]
    return all(listed) or (names[0] in ("Code", "Quote") and names[0] == names[1])


def _mark(place: _Element, word: str, number: int) -> _Element:
    paragraph = place.makeelement(f"{word}p")
    properties, run = place.makeelement(f"{word}pPr"), place.makeelement(f"{word}r")
    properties.append(place.makeelement(f"{word}pStyle", {f"{word}val": PART_STYLE}))
    text = place.makeelement(f"{word}t")
    text.text = str(number)
    run.append(text)
    paragraph.extend([properties, run])
    return paragraph


def mark_inserted(root: _Element, package: Package, part: str) -> list[Inserted]:
    """Put a numbered placeholder where each file is inserted; returns the parts' names by number.

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
