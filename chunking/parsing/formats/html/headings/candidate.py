"""A possible heading line: text, look and evidence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from chunking.parsing.headings.evidence import Evidence
from chunking.parsing.headings.numbering import WORDED, Numbering

__all__ = ["Candidate", "ContentsEvidence", "HeadingLook", "is_page_number"]


_PAGE = re.compile(
    r"\W*(?:page\s*)?(?:[A-Z]{1,2}-?)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?\W*", re.IGNORECASE
)


class ContentsEvidence(NamedTuple):
    """An entry for the line in the page's table of contents."""

    linked: bool
    table: int
    """Index of the table of contents."""
    outside: bool
    """The entry precedes the first or follows the last numbered one."""


class HeadingLook(NamedTuple):
    """Typography shared by headings of one rank."""

    size: float
    bold: bool
    italic: bool
    underlined: bool
    centred: bool
    capitals: bool

    @property
    def prominence(self) -> float:
        """Larger for more prominent text."""
        return 10 * self.size + 6 * self.capitals + 5 * self.bold + 2 * self.centred + self.underlined - 2 * self.italic


@dataclass(slots=True)
class Candidate:
    """A line accepted as a heading."""

    place: int
    """Line index."""
    text: str
    look: HeadingLook
    number: Numbering | None
    evidence: frozenset[Evidence]
    named: ContentsEvidence | None = None

    @property
    def certain(self) -> bool:
        """True if it needs no fitting position: it has a number in words, or the contents name it."""
        return self.named is not None or (self.number is not None and self.number.kind in WORDED)


def is_page_number(text: str) -> bool:
    """True if a line is nothing but a page number.

    >>> is_page_number("- 12 -"), is_page_number("F-3"), is_page_number("Page 3 of 9"), is_page_number("12 bottles")
    (True, True, True, False)
    """
    return len(text) < 20 and bool(_PAGE.fullmatch(text))
