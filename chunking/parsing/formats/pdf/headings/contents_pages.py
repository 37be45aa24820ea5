"""A PDF's own tables of contents: their lines, which are no text to read, and the lines that they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle, body_of
from chunking.parsing.formats.pdf.layout.lines import PdfLine
from chunking.parsing.headings.contents_list import contents_lists

__all__ = ["CONTENTS", "PdfContents", "is_contents_table", "read_contents"]

CONTENTS = "table of contents"
"""Why the lines of a list are left out of chunks."""
_FEWEST = 5
_NEARLY_ALL = 0.8
_FRONT = 50
"""Pages that may be counted and are not in the file."""


class PdfContents(NamedTuple):
    """What a document's tables of contents say."""

    listed: frozenset[int] = frozenset()
    """Lines of lists that are sure; what calls them one (*Contents*) is no part of them."""
    unsure: frozenset[int] = frozenset()
    """Lines of what may be a list: no headings, but text."""
    named: Mapping[int, int] = MappingProxyType({})
    """First line and end of what an entry names."""

    def among(self, places: Sequence[int]) -> PdfContents:
        """What is said of some of the lines, by where they stand among these."""
        place = {n: at for at, n in enumerate(places)}
        named = {
            place[first]: place[after - 1] + 1
            for first, after in self.named.items()
            if first in place and after - 1 in place
        }
        return PdfContents(unsure=frozenset(place[n] for n in self.unsure if n in place), named=named)


def read_contents(lines: Sequence[PdfLine]) -> PdfContents:
    """The tables of contents of a document.

    Args:
        lines: its running text in reading order: no running heads, no page numbers, nothing that stands in tables.
    """
    body = body_of(lines)
    prominence = [_prominence(line, body) for line in lines] if body else None
    lists = contents_lists([line.text for line in lines], [line.page for line in lines], prominence)
    sure = [one for one in lists if one.sure]
    listed = frozenset(n for one in sure for n in range(one.first, one.after))
    unsure = frozenset(n for one in lists if not one.sure for n in range(one.first, one.after))
    targets = [entry.target for one in sure for entry in one.entries if entry.target]
    apart = {target.first: target.after for target in targets if listed.isdisjoint(range(*target))}
    return PdfContents(listed, unsure - listed, apart)


def is_contents_table(rows: Sequence[Sequence[str]], pages: int) -> bool:
    """Whether a ruled table is a table of contents: its last column counts pages, some of them in one cell.

    >>> is_contents_table([["Aims Scope", "3 4"], ["Means", "7"], ["Ends Thanks", "9 12"]], 20)
    True
    """
    cells = [row[-1].split() for row in rows if row]
    numbers = [int(word) for words in cells for word in words if word.isdecimal() and len(word) < 5]
    merged = any(len(words) > 1 for words in cells)
    enough = len(numbers) >= _FEWEST and len(numbers) >= _NEARLY_ALL * sum(map(len, cells))
    return (
        enough
        and merged
        and len(rows[0]) == 2
        and all(one <= other <= pages + _FRONT for one, other in pairwise(numbers))
    )


def _prominence(line: PdfLine, body: BodyStyle) -> float:
    return 1.0 if line.size > body.size + 0.5 else 0.5 if line.bold and not body.bold else 0.0
