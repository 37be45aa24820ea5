"""Tables of contents: lines that name headings and the pages they stand on, which are no headings themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunking.parsing.formats.pdf.layout.lines import Line

__all__ = ["contents_lines"]

_LEADERS = re.compile(r"(?:\.\s?){4,}|(?:[·・…]\s?){3,}|_{6,}")
_NUMBER = re.compile(r"[\s.·…](\d{1,4}|[ivxlc]{1,6})\Z")
_FEWEST = 5
"""Lines that end in a number and follow one another, from which they are a table of contents without leaders."""


def contents_lines(lines: Sequence[Line]) -> set[int]:
    """Indices of the lines that belong to tables of contents (or of figures, or to an index with leaders)."""
    found = {n for n, line in enumerate(lines) if _LEADERS.search(line.text)}
    run: list[int] = []
    last = 0
    for n, line in enumerate(lines):
        number = _NUMBER.search(line.text)
        value = int(number[1]) if number and number[1].isdecimal() else None
        if value is not None and last <= value <= last + 40 and (not run or n - run[-1] <= 2):
            run.append(n)
        elif not run or n - run[-1] > 2:
            found |= _whole(run)
            run = [n] if value is not None else []
        last = value if value is not None and run and run[-1] == n else last if run else 0
    return found | _whole(run)


def _whole(run: Sequence[int]) -> set[int]:
    """All lines from the first to the last of a run that is long enough: a title over two lines has its number in the second."""
    return set(range(run[0], run[-1] + 1)) if len(run) >= _FEWEST else set()
