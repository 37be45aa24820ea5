"""Comments of a Word file: recorded on their paragraphs before preparation, and placed after them as marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from chunking.parsing.formats.office.docx.body import ITEM_STYLES, PART_STYLE, flat_words
from chunking.parsing.formats.office.docx.inserted import Inserted
from chunking.parsing.formats.office.file_comments import Comment
from chunking.parsing.formats.office.office_parts import Package, attribute

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["comments_of", "mark_comments", "place_comments"]

_NOTED = "comments"
"""Attribute of a paragraph: ids of its comments."""


def comments_of(package: Package, part: str) -> dict[str, Comment]:
    """Comments of a text by id, in file order."""
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
    """Insert a mark for comments after each paragraph or table that has some, without splitting lists, quotes or
    listings.

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
    """True if the next element continues the list, quote or listing, or the paragraph after a deleted end."""
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
