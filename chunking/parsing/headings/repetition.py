"""Find lines repeated in one place of many pages, which are no headings: captions, table heads.

Lines repeated elsewhere on their pages (*Parameters* under each function of a manual) may well be.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["PlacedLine", "is_continuation", "repeated_lines"]

_FEWEST = 4
"""Minimum pages of a repeated line."""
_SAME_PLACE = 0.02
"""Maximum vertical distance of lines in one place, in page heights."""
_MOSTLY = 0.6
"""Minimum share of a line's copies in one place."""
_CONTINUED = re.compile(
    r"[(\[]\s*(?:cont(?:\.|['’]?d\.?|inued)?(?:\s*\d+)?|fortsetzung|suite|续|續)\s*[)\]]|\bcont(?:['’]d|inued)(?:\s+from\b.*)?[\s.:]*\Z|（续）",
    re.IGNORECASE,
)
_SIGNS = ("cont", "fortsetzung", "suite", "续", "續")
"""Parts of words that every such line contains one of, for a cheap test."""
_READ = 300
"""Characters examined of a line."""


class PlacedLine(NamedTuple):
    """A line of a paged document, with its page and its distance from the top."""

    text: str
    page: int
    top: float
    """Distance from the top, as a share of the page's height."""


def is_continuation(text: str) -> bool:
    """True if a line says that it continues an earlier one: `(continued)`, `(Cont.)`, `（续）`.

    >>> labels = ("Exhibit 2-1 (Cont. 3) (07-01-2019)", "Table 4 (continued)", "表 3（续）", "Continued growth")
    >>> [is_continuation(label) for label in labels]
    [True, True, True, False]
    """
    text = text[:_READ]
    lower = text.lower()
    return any(sign in lower for sign in _SIGNS) and bool(_CONTINUED.search(text))


def repeated_lines(lines: Sequence[PlacedLine]) -> set[int]:
    """Return indices of lines repeated at one height on four or more pages, and rarely elsewhere.

    Lines differing in a number count on (`Exhibit 3`, `Exhibit 4`) and are no copies.
    """
    copies: dict[str, list[int]] = defaultdict(list)
    for n, line in enumerate(lines):
        copies[" ".join(line.text[:_READ].casefold().split())].append(n)
    repeated: set[int] = set()
    for same in copies.values():
        if len({lines[n].page for n in same}) >= _FEWEST:
            repeated |= _in_one_place(same, lines)
    return repeated


def _in_one_place(same: Sequence[int], lines: Sequence[PlacedLine]) -> set[int]:
    """Copies of a line in the most frequent place, if most are there."""
    order = sorted(same, key=lambda n: lines[n].top)
    best: list[int] = []
    first = 0
    for after, n in enumerate(order, 1):
        while lines[n].top - lines[order[first]].top > _SAME_PLACE:
            first += 1
        if after - first > len(best):
            best = order[first:after]
    enough = len({lines[n].page for n in best}) >= max(_FEWEST, _MOSTLY * len(same))
    return set(best) if enough else set()
