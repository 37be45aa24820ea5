"""Retag elements as headings or furniture, so that the walk treats them like the page's own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from chunking.parsing.formats.html.headings.page_contents import PageContents
from chunking.parsing.formats.html.headings.page_lines import LinePosition, PageLine
from chunking.parsing.formats.html.html_elements import BLOCKS
from chunking.parsing.formats.html.html_lines import collapse
from chunking.parsing.formats.html.pruning import FURNITURE, LINES
from chunking.text.raised_text import write_raised

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["CONTENTS", "LINK_BACK", "PAGE_NUMBER", "Retagger"]

CONTENTS = "table of contents"
LINK_BACK = "link to the table of contents"
PAGE_NUMBER = "page number"
"""Reasons to leave a part of a page out."""


class Retagger:
    """Changes the elements of a page's lines."""

    def __init__(self, lines: Sequence[PageLine]) -> None:
        self.lines = lines

    def make_heading(self, n: int, level: int) -> _Element | None:
        """Make a line's element an h1 to h6, or wrap one around its text; None if the text is shared."""
        line = self.lines[n]
        tag = f"h{level}"
        if line.alone:
            if line.element.tag in ("table", "td", "tr", "body", "html"):
                return _filled(line.element, tag, line.text)
            line.element.tag = tag
            return line.element
        inline = _holder(line)
        if inline is not None:
            inline.tag = tag
            return inline
        return _wrapped(line, tag)

    def leave_out(self, element: _Element, text: str, reason: str) -> None:
        """Make an element furniture."""
        _filled(element, FURNITURE, text).set("reason", reason)
        element.set(LINES, "")

    def leave_out_contents(self, contents: PageContents, title: int | None) -> None:
        """Leave out a table of contents and its title; a block shared with other text stays."""
        first = self.lines[contents.first]
        rows = contents.rows
        if title is not None and self.lines[title].alone:
            rows = f"{self.lines[title].text}\n{rows}"
            _filled(self.lines[title].element, "span", "")
        if first.place == LinePosition.TABLE:
            self.leave_out(first.element, rows, CONTENTS)
            return
        members = [self.lines[n] for n in range(contents.first, contents.after)]
        if not all(line.alone for line in members):
            block = _common_block(members)
            if block is not None:
                self.leave_out(block, rows, CONTENTS)
            return
        self.leave_out(members[0].element, rows, CONTENTS)
        for line in members[1:]:
            _filled(line.element, "span", "")


def _filled(element: _Element, tag: str, text: str) -> _Element:
    """Replace an element's content by a text; its tail stays."""
    tail = element.tail
    element.clear()
    element.tag, element.text, element.tail = tag, text, tail
    return element


def _holder(line: PageLine) -> _Element | None:
    """The outermost element within a line's block that holds exactly the line."""
    holder = None
    if not line.pieces:
        return None
    element = line.pieces[0]
    while element is not None and element is not line.element and element.tag not in BLOCKS:
        if collapse("".join(element.itertext())) != line.text:
            break
        holder = element
        element = element.getparent()
    return holder


def _wrapped(line: PageLine, tag: str) -> _Element | None:
    """A new element around the siblings that form the line; None if the block itself holds part of it."""
    block = line.element
    members: list[_Element] = []
    for piece in line.pieces:
        element: _Element | None = piece
        while element is not None and element.getparent() is not block:
            element = element.getparent()
        if element is None:
            return None
        if not members or members[-1] is not element:
            members.append(element)
    if len(members) < 2 or any(one.getnext() is not other for one, other in pairwise(members)):
        return None
    if collapse("".join(text for member in members for text in (*member.itertext(), member.tail or ""))) != line.text:
        return None
    wrap = block.makeelement(tag)
    members[0].addprevious(wrap)
    tail, members[-1].tail = members[-1].tail, None
    for member in members:
        wrap.append(member)
    wrap.tail = tail
    return wrap


def _common_block(members: Sequence[PageLine]) -> _Element | None:
    """The block that holds the lines and no other text."""
    element = members[0].element
    if any(line.element is not element for line in members):
        return None
    words = "".join("".join(line.text.split()) for line in members)
    return (
        element
        if "".join(write_raised("".join(element.itertext())).split()).replace("\xa0", "") == words.replace("\xa0", "")
        else None
    )
