"""Lines that come again on many pages in the same place: captions that go on, heads of tables, furniture. None is a
heading.

What comes again elsewhere on its page (*Parameters* under each function of a manual) may well be one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["PlacedLine", "is_continuation", "repeated_lines"]

_FEWEST = 4
"""Pages on which a line comes again."""
_SAME_PLACE = 0.02
"""Of a page's height: nearer to one another, lines stand in the same place."""
_MOSTLY = 0.6
"""Share of a line's copies that stand in the same place."""
_CONTINUED = re.compile(
    r"[(\[]\s*(?:cont(?:\.|['’]?d\.?|inued)?(?:\s*\d+)?|fortsetzung|suite|续|續)\s*[)\]]|\bcont(?:['’]d|inued)(?:\s+from\b.*)?[\s.:]*\Z|（续）",
    re.IGNORECASE,
)
_SIGNS = ("cont", "fortsetzung", "suite", "续", "續")
"""One of these stands in every such line."""
_READ = 300
"""Characters of a line that are looked at."""


class PlacedLine(NamedTuple):
    """A line of a paged document."""

    text: str
    page: int
    top: float
    """As a share of its page's height, from above."""


def is_continuation(text: str) -> bool:
    """Whether a line says that it goes on with what a page before has begun.

    >>> [is_continuation(one) for one in ("Exhibit 2-1 (Cont. 3) (07-01-2019)", "Table 4 (continued)", "表 3（续）", "Continued growth")]
    [True, True, True, False]
    """
    text = text[:_READ]
    lower = text.lower()
    return any(sign in lower for sign in _SIGNS) and bool(_CONTINUED.search(text))


def repeated_lines(lines: Sequence[PlacedLine]) -> set[int]:
    """Indices of the lines whose words come again in the same place of `_FEWEST` pages or more.

    What differs in a number counts on (`Exhibit 3`, `Exhibit 4`) and is no copy.
    """
    copies: dict[str, list[int]] = defaultdict(list)
    for n, line in enumerate(lines):
        copies[" ".join(line.text[:_READ].casefold().split())].append(n)
    found: set[int] = set()
    for same in copies.values():
        if len({lines[n].page for n in same}) >= _FEWEST:
            found |= _in_one_place(same, lines)
    return found


def _in_one_place(same: Sequence[int], lines: Sequence[PlacedLine]) -> set[int]:
    """Those of them that stand in the place most of them have, if most have one."""
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
