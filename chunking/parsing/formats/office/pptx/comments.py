"""Comments on slides, in both of the ways in which they are kept: one list a slide, and talks with answers in newer
programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from chunking.parsing.formats.office.file_comments import Comment
from chunking.parsing.formats.office.office_parts import OfficePart, Package, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["SlideComments"]

_SAID = frozenset({"cm", "reply"})
_AUTHORS = frozenset({"cmAuthor", "author"})


class SlideComments:
    """The comments of a presentation.

    Args:
        package: the file.
        main: the part that lists its slides.
    """

    def __init__(self, package: Package, main: str) -> None:
        self._package = package
        self._main = main

    def of(self, related: Iterable[OfficePart]) -> Iterator[Comment]:
        """The comments of a slide, answers after what they answer.

        Args:
            related: what the slide refers to.
        Raises:
            ParseError: the part with them is damaged.
        """
        for one in related:
            if one.kind == "comments" and one.part in self._package:
                for said in self._package.root(one.part).iter():
                    if local_name(said) in _SAID:
                        yield Comment(_words(said), self._authors.get(said.get("authorId", ""), ""))

    @cached_property
    def _authors(self) -> dict[str, str]:
        """Names by id."""
        parts = self._package.parts(self._main, "commentAuthors", "authors")
        people = (one for part in parts for one in self._package.root(part).iter() if local_name(one) in _AUTHORS)
        return {one.get("id", ""): one.get("name", "") for one in people}


def _words(said: _Element) -> str:
    """Its own, not those of the answers in it."""
    plain, rich = said.findtext("{*}text"), said.find("{*}txBody")
    if rich is None:
        return plain or ""
    return "\n".join("".join(text.text or "" for text in line.iter("{*}t")) for line in rich.iterfind("{*}p"))
