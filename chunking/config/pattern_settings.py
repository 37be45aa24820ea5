"""The settings that are regular expressions: their one text form, and the patterns in it.

A list of patterns is one line of text, as the command line, a link and a category's settings hold it: ` || ` stands
between two patterns
(an empty alternative, which no useful pattern has). A heading's pattern has its level in front: `2: ^第.+章`. A file may
hold a list, and
the form shows a pattern a line.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from chunking.config.pattern_sets import PATTERN_SETS
from chunking.config.safe_patterns import safe_pattern

__all__ = [
    "BETWEEN",
    "MOST",
    "HeadingPattern",
    "heading_patterns",
    "one_a_line",
    "read_headings_from",
    "read_split_before",
    "split_patterns",
]

BETWEEN = " || "
"""Between two patterns."""
MOST = 12
"""Patterns of one setting."""
_PARTS = re.compile(r"\s\|\|\s|[\r\n]+")
_LEVEL = re.compile(r"\s*([1-6])\s*:\s*(.*)", re.DOTALL)


class HeadingPattern(NamedTuple):
    """What makes the start of a line a heading."""

    level: int
    """1 to 6."""
    source: str
    """The regular expression."""


def heading_patterns(text: str) -> tuple[HeadingPattern, ...]:
    r"""The patterns of `headings_from`; one without a level has its place among them as its level.

    >>> heading_patterns(r"2: ^Article \d+ || ^\([a-z]\)")
    (HeadingPattern(level=2, source='^Article \\d+'), HeadingPattern(level=2, source='^\\([a-z]\\)'))
    """
    found = []
    for number, part in enumerate(_parts(text), 1):
        match = _LEVEL.fullmatch(part)
        found.append(HeadingPattern(int(match[1]), match[2]) if match else HeadingPattern(min(number, 6), part))
    return tuple(found)


def split_patterns(text: str) -> tuple[str, ...]:
    """The patterns of `split_before`."""
    return _parts(text)


def one_a_line(text: str) -> str:
    """The patterns as a form shows them.

    >>> one_a_line("1: ^A || 2: ^B")
    '1: ^A\\n2: ^B'
    """
    return "\n".join(_parts(text))


def read_headings_from(value: object) -> object:
    """The one text form of what a file, a link or a form gives; the name of a ready-made set becomes its patterns.

    Raises:
        ValueError: a pattern cannot be used; the message is the rest of a sentence.

    >>> read_headings_from(["^Article", "^Section"])
    '1: ^Article || 2: ^Section'
    """
    text = _text(value, {row.name: row.headings_from for row in PATTERN_SETS.values()})
    return (
        BETWEEN.join(f"{one.level}: {_checked(one.source)}" for one in heading_patterns(text))
        if text is not None
        else value
    )


def read_split_before(value: object) -> object:
    """The same of `split_before`.

    >>> read_split_before("^Q:\\n ^A:")
    '^Q: || ^A:'
    """
    text = _text(value, {row.name: row.split_before for row in PATTERN_SETS.values()})
    return BETWEEN.join(map(_checked, split_patterns(text))) if text is not None else value


def _text(value: object, sets: dict[str, tuple[str, ...]]) -> str | None:
    if isinstance(value, (list, tuple)):
        value = "\n".join(map(str, value))
    if not isinstance(value, str):
        return None
    parts = [pattern for part in _parts(value) for pattern in sets.get(part, (part,))]
    if len(parts) > MOST:
        raise ValueError(f"has {len(parts)} patterns; the limit is {MOST}")
    return BETWEEN.join(parts)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in _PARTS.split(text) if part.strip() not in ("", "none"))


def _checked(source: str) -> str:
    return safe_pattern(source).source
