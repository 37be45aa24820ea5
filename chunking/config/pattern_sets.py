"""Ready-made patterns for kinds of documents: a row each, for the form, the command line and the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chunking.config.choices import Prefix

__all__ = ["PATTERN_SETS", "PatternSet"]


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
