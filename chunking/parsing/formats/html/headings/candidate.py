"""A line that may be a heading: what it says, how it looks, and what speaks for it."""

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
    """How the page's table of contents names a line."""

    linked: bool
    table: int
    """Which of the tables."""
    outside: bool
    """The row stands before the first or after the last numbered one of its table."""


class HeadingLook(NamedTuple):
    """What headings of one rank share."""

    size: float
    bold: bool
    italic: bool
    underlined: bool
    centred: bool
    capitals: bool

    @property
    def prominence(self) -> float:
        """Larger for what stands out more."""
        return 10 * self.size + 6 * self.capitals + 5 * self.bold + 2 * self.centred + self.underlined - 2 * self.italic


@dataclass(slots=True)
class Candidate:
    """A line that is taken for a heading."""

    place: int
    """Index of its line."""
    text: str
    look: HeadingLook
    number: Numbering | None
    evidence: frozenset[Evidence]
    named: ContentsEvidence | None = None

    @property
    def certain(self) -> bool:
        """Whether it stays wherever it stands: it has a number in words, or the contents name it."""
        return self.named is not None or (self.number is not None and self.number.kind in WORDED)


def is_page_number(text: str) -> bool:
    """Whether a line is nothing but the number of a page.

    >>> is_page_number("- 12 -"), is_page_number("F-3"), is_page_number("Page 3 of 9"), is_page_number("12 bottles")
    (True, True, True, False)
    """
    return len(text) < 20 and bool(_PAGE.fullmatch(text))
