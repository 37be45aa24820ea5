"""Comments on cells: notes as they always were, and the talks of newer programs, of which the notes are only a copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chunking.parsing.formats.office.file_comments import Comment
from chunking.parsing.formats.office.office_parts import OfficePart, whole_number
from chunking.parsing.formats.office.xlsx.workbook import Workbook

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["comments_of"]


def comments_of(book: Workbook, related: Sequence[OfficePart]) -> Iterator[Comment]:
    """The comments of a sheet, by cell as its parts list them, answers after what they answer.

    Args:
        related: what the sheet refers to.
    """
    package = book.package
    roots = {
        kind: [package.root(one.part) for one in related if one.kind == kind and one.part in package] for kind in _KINDS
    }
    talks = [talk for root in roots["threadedComment"] for talk in root.iter("{*}threadedComment")]
    copied = {talk.get("ref") for talk in talks}
    for root in roots["comments"]:
        authors = ["".join(author.itertext()) for author in root.iterfind("{*}authors/{*}author")]
        for note in root.iter("{*}comment"):
            if note.get("ref") not in copied:
                yield Comment(_words(note), _at(authors, note.get("authorId")), note.get("ref", ""))
    if talks:
        people = {
            one.get("id"): one.get("displayName", "")
            for part in _people(book)
            for one in package.root(part).iter("{*}person")
        }
        for talk in talks:
            yield Comment(talk.findtext("{*}text") or "", people.get(talk.get("personId"), ""), talk.get("ref", ""))


_KINDS = ("comments", "threadedComment")


def _people(book: Workbook) -> list[str]:
    """The parts with the names of who wrote."""
    return book.package.parts(book.package.main("workbook"), "person")


def _at(authors: Sequence[str], number: str | None) -> str:
    place = whole_number(number, len(authors))
    return authors[place] if place < len(authors) else ""


def _words(note: _Element) -> str:
    return "".join(part.text or "" for part in note.iter("{*}t"))
