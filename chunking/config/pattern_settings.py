"""Settings that are regular expressions: text form, parsing and ready-made sets.

A list of patterns is one line of text, as on the command line, in a link and in a category's settings: ` || ` separates
two patterns (an empty alternative, which no useful pattern has). A heading's pattern has its level in front:
`2: ^第.+章`. A file may hold a list, and the form shows one pattern per line. A ready-made set is a row of
`PATTERN_SETS`.
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
"""Separator of patterns."""
MOST = 12
"""Maximum number of patterns per setting."""
_PARTS = re.compile(r"\s\|\|\s|[\r\n]+")
_LEVEL = re.compile(r"\s*([1-6])\s*:\s*(.*)", re.DOTALL)


class HeadingPattern(NamedTuple):
    """A heading level and the pattern of its headings."""

    level: int
    """Heading level, 1 to 6."""
    source: str
    """The regular expression."""


def heading_patterns(text: str) -> tuple[HeadingPattern, ...]:
    r"""Parse the patterns of `headings_from`, compiling none; default level: position, up to 6.

    >>> heading_patterns(r"2: ^Article \d+ || ^\([a-z]\)")
    (HeadingPattern(level=2, source='^Article \\d+'), HeadingPattern(level=2, source='^\\([a-z]\\)'))
    """
    patterns = []
    for number, part in enumerate(_parts(text), 1):
        match = _LEVEL.fullmatch(part)
        patterns.append(HeadingPattern(int(match[1]), match[2]) if match else HeadingPattern(min(number, 6), part))
    return tuple(patterns)


def split_patterns(text: str) -> tuple[str, ...]:
    """Split `split_before` at ` || ` and line ends, dropping blanks and `none`; compile nothing."""
    return _parts(text)


def one_a_line(text: str) -> str:
    """Format patterns one per line, for the form.

    >>> one_a_line("1: ^A || 2: ^B")
    '1: ^A\\n2: ^B'
    """
    return "\n".join(_parts(text))


def read_headings_from(value: object) -> object:
    """Normalise `headings_from` from a file, a link or a form, expanding names of ready-made sets.

    Returns:
        Patterns with their levels, joined by ` || `; a value other than text, list or tuple unchanged.
    Raises:
        ValueError: a pattern is invalid, or over 12 of them; the message is the rest of a sentence.

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
    """Normalise `split_before` from a file, a link or a form, expanding names of ready-made sets.

    Returns:
        Patterns joined by ` || `; a value other than text, list or tuple unchanged.
    Raises:
        ValueError: a pattern is invalid, or over 12 of them; the message is the rest of a sentence.

    >>> read_split_before("^Q:\\n ^A:")
    '^Q: || ^A:'
    """
    text = _text(value, {row.name: row.split_before for row in PATTERN_SETS.values()})
    return BETWEEN.join(map(_checked, split_patterns(text))) if text is not None else value


def _text(value: object, pattern_sets: dict[str, tuple[str, ...]]) -> str | None:
    if isinstance(value, (list, tuple)):
        value = "\n".join(map(str, value))
    if not isinstance(value, str):
        return None
    parts = [pattern for part in _parts(value) for pattern in pattern_sets.get(part, (part,))]
    if len(parts) > MOST:
        raise ValueError(f"has {len(parts)} patterns; the limit is {MOST}")
    return BETWEEN.join(parts)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in _PARTS.split(text) if part.strip() not in ("", "none"))


def _checked(source: str) -> str:
    return safe_pattern(source).source


@dataclass(frozen=True, slots=True)
class PatternSet:
    """A ready-made set of patterns; its name may be used in a setting."""

    name: str
    """Name on the command line and in files."""
    label: str
    """Name in the form."""
    good_for: str
    """Documents that the set is made for."""
    headings_from: tuple[str, ...] = ()
    """Level and pattern, in the syntax of the setting."""
    split_before: tuple[str, ...] = ()
    prefix: Prefix | None = None
    """Prefix measured to be best with these headings, if any.

    Using the set's name in a setting does not set it.
    """


_CHINESE = "[一二三四五六七八九十百千零〇○两0-9０-９]"
_MARKUP = r"^[\s#>*_]*"
"""White space and Markdown signs before the words."""
_TITLE = r"[A-Z\d“\"][\w’'&,/“”\"-]*( [\w’'&,/“”\"()-]+){0,9}"
"""Up to ten words of a title; a counted repeat of characters instead would be fifty times as large."""
_CLAUSE_TITLE = r"[*_]*[A-Z][\w’'/-]*( (of|and|or|to|for|in|on|the|by|with|a|an|&|[A-Z][\w’'/-]*)){0,7}"
"""Title of a lettered clause with text after it.

List items without title stay with the sentence that introduces them.
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
