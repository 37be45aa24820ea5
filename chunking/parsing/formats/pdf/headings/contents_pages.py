"""Tables of contents of a PDF: their own lines, and the lines that their entries name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle, body_of
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.headings.contents_list import contents_lists

__all__ = ["PdfContents", "is_contents_table", "read_contents"]

_FEWEST = 5
_NEARLY_ALL = 0.8
_FRONT = 50
"""Most front-matter pages that are counted and missing from the file."""


class PdfContents(NamedTuple):
    """Indices of the lines of tables of contents, and of the headings that their entries name."""

    listed: frozenset[int] = frozenset()
    """Lines of certain tables of contents, without the heading (*Contents*)."""
    unsure: frozenset[int] = frozenset()
    """Lines of possible tables of contents, which are text but never headings."""
    named: Mapping[int, int] = MappingProxyType({})
    """First line to end of each heading that an entry names."""

    def among(self, places: Sequence[int]) -> PdfContents:
        """Return `unsure` and `named` for the lines at `places`, renumbered; drop `listed`."""
        place = {n: at for at, n in enumerate(places)}
        named = {
            place[first]: place[after - 1] + 1
            for first, after in self.named.items()
            if first in place and after - 1 in place
        }
        return PdfContents(unsure=frozenset(place[n] for n in self.unsure if n in place), named=named)


def read_contents(lines: Sequence[PdfLine]) -> PdfContents:
    """Find the lines of tables of contents, and the lines that entries of certain ones name.

    Args:
        lines: running text in reading order: no running heads, page numbers or tables.
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
    """True if a ruled table of two columns is a table of contents with entries merged in a cell.

    The last column holds at least five page numbers and little else; they never decrease, and exceed `pages` by 50 at
    most.

    Args:
        pages: number of pages of the document.

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
