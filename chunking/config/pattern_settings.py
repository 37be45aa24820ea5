"""The settings that are regular expressions: their one text form, their patterns, and ready-made sets.

A list of patterns is one line of text, as the command line, a link and a category's settings hold it: ` || ` is
between two patterns (an empty alternative, which no useful pattern has). A heading's pattern has its level in front:
`2: ^第.+章`. A file may hold a list, and the form shows a pattern a line. A ready-made set is a row of `PATTERN_SETS`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from chunking.config.choices import Prefix
from chunking.config.safe_patterns import safe_pattern

__all__ = [
    "BETWEEN",
    "MOST",
    "PATTERN_SETS",
    "HeadingPattern",
    "PatternSet",
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


@dataclass(frozen=True, slots=True)
class PatternSet:
    """Patterns that belong together; its name may stand in a setting in their place."""

    name: str
    """As the command line and files name it."""
    label: str
    """As the form does."""
    good_for: str
    """Which documents it is made for."""
    headings_from: tuple[str, ...] = ()
    """Level and pattern, as the setting takes them."""
    split_before: tuple[str, ...] = ()
    prefix: Prefix | None = None
    """That goes with its headings, where one has been measured to be better than others. A name in a setting does not
    set it.
    """


_CHINESE = "[一二三四五六七八九十百千零〇○两0-9０-９]"
_MARKUP = r"^[\s#>*_]*"
"""What may stand before the words: white space, and the signs of Markdown."""
_TITLE = r"[A-Z\d“\"][\w’'&,/“”\"-]*( [\w’'&,/“”\"()-]+){0,9}"
"""Up to ten words of a title; a counted repeat of characters instead would be fifty times as large."""
_CLAUSE_TITLE = r"[*_]*[A-Z][\w’'/-]*( (of|and|or|to|for|in|on|the|by|with|a|an|&|[A-Z][\w’'/-]*)){0,7}"
"""That of a lettered clause, which has text behind it. An item of a list has none, and stays with the words that lead
in to it.
"""

PATTERN_SETS: Mapping[str, PatternSet] = {
    row.name: row
    for row in (
        PatternSet(
            "chinese_statute",
            "Chinese statute",
            "Chinese laws, regulations and company rules: 编, 章, 节 and 条",
            headings_from=(
                rf"2: {_MARKUP}第\s?{_CHINESE}+\s?[编篇][^。；，,]*$",
                rf"3: {_MARKUP}第\s?{_CHINESE}+\s?章[^。；，,]*$",
                rf"4: {_MARKUP}第\s?{_CHINESE}+\s?节[^。；，,]*$",
                rf"5: {_MARKUP}第\s?{_CHINESE}+\s?条(之{_CHINESE}+)?\**",
                rf"3: {_MARKUP}附\s?[则件录](\s?{_CHINESE}+)?[\s:：]*$",
            ),
            prefix=Prefix.HEADER,
        ),
        PatternSet(
            "english_contract",
            "English contract",
            "English contracts and statutes: Article, Section 1.2, and (a) if it has its own title",
            headings_from=(
                (
                    rf"2: "
                    rf"{_MARKUP}(?i:article|part|schedule|exhibit|annex|appendix)\s+([IVXLC]+|[A-Z]|\d+)\b[\s.:–—-]*({_TITLE})?\**$"
                ),
                rf"3: {_MARKUP}(?i:section|§)\s*\d+(\.\d+)*\.?(\**[\s:–—-]+{_TITLE}\**(\.|$))?",
                rf"3: {_MARKUP}\d+\.\d+\.?\**[\s:–—-]+{_TITLE}\**(\.|$)",
                rf"4: {_MARKUP}\([a-z]{{1,3}}\)\s+{_CLAUSE_TITLE}\.[*_]*[\s–—-]",
            ),
            prefix=Prefix.HEADER,
        ),
        PatternSet(
            "questions",
            "Questions and answers",
            "lists of questions: Q:, Question 3, 问：",
            headings_from=(rf"3: {_MARKUP}(?i:q(uestion)?\s*\d*\s*[.:)：]|问题?\s*{_CHINESE}*\s*[：:、.]).*",),
        ),
        PatternSet(
            "transcript",
            "Transcript",
            "meetings and interviews: a name or a time before each statement",
            split_before=(
                r"^\[?\(?\d{1,2}:\d{2}(:\d{2})?[\])]?\s",
                r"^[A-Z][\w.'’-]*( [A-Z][\w.'’-]*){0,3}( \([^)]*\))?:\s",
                r"^[\p{Han}·]{2,4}(（[^）]*）)?[：:]",
            ),
        ),
        PatternSet(
            "log",
            "Log",
            "log files: a time stamp starts an entry, which may have several lines",
            split_before=(
                r"^\[?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}",
                r"^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d{2}:\d{2}:\d{2} ",
                r"^\S+ \S+ \S+ \[\d{2}/[A-Z][a-z]{2}/\d{4}:",
            ),
        ),
    )
}
