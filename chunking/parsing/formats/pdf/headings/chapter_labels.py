"""Labels printed on their own lines above the title they number: `Chapter 3`, `PART II`, 第三章."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunking.parsing.headings.numbering import NumberingKind, numbering_of

__all__ = ["MOST_LABEL_LINES", "is_label"]

MOST_LABEL_LINES = 2
"""`CHAPTER` and `THREE` may be on separate lines."""

_UNIT = re.compile(r"chapter|part|appendix|section|book|unit", re.IGNORECASE)
_KINDS = frozenset(
    {NumberingKind.PART, NumberingKind.CHAPTER, NumberingKind.APPENDIX, NumberingKind.SECTION, NumberingKind.ARTICLE}
)


def is_label(lines: Sequence[str]) -> bool:
    """True if the lines are a number in words and nothing else.

    >>> is_label(["Chapter 3"]), is_label(["CHAPTER", "THREE"]), is_label(["3"]), is_label(["Chapter 3 ends here"])
    (True, True, False, False)
    """
    if not 0 < len(lines) <= MOST_LABEL_LINES or (len(lines) == 2 and not _UNIT.fullmatch(lines[0])):
        return False
    text = " ".join(lines)
    number = numbering_of(text)
    return number is not None and number.kind in _KINDS and number.text == text.strip()
