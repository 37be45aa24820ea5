"""The name of a statute, a contract or a book on the first line of a plain text, above its articles or chapters."""

from __future__ import annotations

import re

from chunking.model import Span
from chunking.parsing.headings.numbering import is_top_label

__all__ = ["name_of_articles", "name_of_chapters"]

_FIRST = re.compile(r"\s*(?P<name>[^\r\n]{2,100}?)[^\S\r\n]*(?:\r\n?|\n|\Z)")
_CHINESE = re.compile(
    r"(?!第)[\u3400-\u9fff《》〈〉、·“”（）()\d—]{1,60}"
    r"(?<!本)(?:法|法典|条例|规定|办法|细则|章程|规则|规程|守则|准则|规范|制度|公约|解释|决定|合同|合同书|协议|协议书)"
    r"(?:[（(][^（()）。]{1,30}[）)])?"
)
_ENGLISH = re.compile(
    r"(?:[A-Z][\w’'&,/-]*|of|and|or|to|for|in|on|the|by|with|between|a|an|&)"
    r"(?:[ ](?:[A-Z(][\w’'&,/()-]*|of|and|or|to|for|in|on|the|by|with|between|a|an|&|\d{4}))*"
)
_KINDS = re.compile(
    r"(?i:\b(?:agreement|contract|lease|deed|act|regulations?|ordinance|statute|by-?laws|charter|treaty|convention|directive|code"
    r"|(?:terms|conditions)(?: of \w+)?)\b)(?: \d{4}| \([^()]{1,30}\))?$"
)
_ARTICLE = re.compile(
    r"^[^\S\r\n]*(?:第[ \t]?[一二三四五六七八九十百千零〇两\d]{1,7}[ \t]?条"
    r"|(?i:article|section|clause)[ \t]+(?:\d|[IVXLC]+\b)|§[ \t]*\d|\d+\.\d+\.?[ \t]+[A-Z])",
    re.MULTILINE,
)
_FEWEST_LETTERS = 2
_MOST_LINES, _LONGEST = 3, 60
"""Lines before the first empty one, and characters of each, that are a title and its author."""
_SENTENCE = re.compile(r"[.,;:!?。，；：！？…、]\Z")
_NEXT = re.compile(r"(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)|\Z")
_FEWEST = 3
"""Minimum articles below a name; without them the first line is any line."""
_BELOW = re.compile(r"[^\S\r\n]*(?:[（(]|\d{4}[ \t]?年|[\r\n]|\Z)")
"""Allowed next line: empty, or when and by whom it was passed."""


def name_of_articles(text: str) -> Span | None:
    """Span of a statute's name: a first line that names an act or agreement, above numbered articles.

    >>> name_of_articles("示例市条例\\n\\n第一条 甲。\\n第二条 乙。\\n第三条 丙。")
    Span(start=0, end=5)
    >>> name_of_articles("示例市条例\\n\\n只说一句。") is None
    True
    """
    first = _FIRST.match(text)
    if first is None or not _BELOW.match(text, first.end()):
        return None
    name = first["name"]
    if not (_CHINESE.fullmatch(name) or (_ENGLISH.fullmatch(name) and _KINDS.search(name))):
        return None
    articles = _ARTICLE.finditer(text, first.end())
    if sum(1 for _ in zip(articles, range(_FEWEST), strict=False)) < _FEWEST:
        return None
    return Span(*first.span("name"))


def name_of_chapters(text: str, first: int) -> Span | None:
    """Span of a book's title: the first line, with at most its author below it, before all chapters.

    Args:
        first: offset of the first chapter.

    >>> name_of_chapters("示例集\\n作者：甲\\n\\n第一章 开头\\n", 10)
    Span(start=0, end=3)
    >>> name_of_chapters("Some words are here, and more of them.\\n\\nChapter 1\\n", 40) is None
    True
    """
    start = len(text[:first]) - len(text[:first].lstrip())
    end = _NEXT.search(text, start).end()  # type: ignore[union-attr]
    lines = [line.strip() for line in text[start : min(end, first)].splitlines() if line.strip()]
    if not 0 < len(lines) <= _MOST_LINES or max(map(len, lines)) > _LONGEST or is_top_label(lines[0]):
        return None
    if sum(map(str.isalpha, lines[0])) < _FEWEST_LETTERS or _SENTENCE.search(lines[0]):
        return None
    return Span(start, start + len(lines[0]))
