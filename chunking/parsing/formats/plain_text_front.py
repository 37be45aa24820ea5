"""Find the front matter of a plain text: its table of contents and its title."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from chunking.model import Span
from chunking.parsing.headings.contents_list import contents_lists
from chunking.parsing.headings.numbering import is_top_label

__all__ = ["TextContents", "contents_of_text", "name_of_articles", "name_of_chapters"]

_HINT = re.compile(
    r"(?:\.[ \t]?){4,}+[ \t]*+\d{1,4}[ \t]*+$"
    r"|^[ \t]*+(?:(?:table[ ]of[ ])?contents|inhalt(?:sverzeichnis)?|sommaire|[íi]ndice|目[ "
    r"\t\u3000]*+[录錄次])[ \t]*+:?[ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)
"""Cheap test: dots before a page number, or a label on its own line."""
_LINE = re.compile(r"[^\r\n]*\S[^\r\n]*")
_FOOT = re.compile(r"\[Page \d{1,4}\][ \t]*\Z")
_TAIL = re.compile(r"[ \t]\d{1,4}[ \t]*\Z")
_WINDOW = 400
"""Lines after a hint in which trailing numbers may be pages; elsewhere they are figures and references."""
_END = re.compile(r"\r\n?|\n")
_SHORT = 40
"""Maximum characters of a title without an empty line above."""
_FEWEST = 3
_MOST_OF_TEXT = 0.4

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
"""Most lines before the first empty one, and characters of each, that form a title and its author."""
_SENTENCE = re.compile(r"[.,;:!?。，；：！？…、]\Z")
_NEXT = re.compile(r"(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)|\Z")
_FEWEST_PARTS = 3
"""Minimum articles below a statute's name; without them the first line may be anything."""
_BELOW = re.compile(r"[^\S\r\n]*(?:[（(]|\d{4}[ \t]?年|[\r\n]|\Z)")
"""Allowed line below a name: empty, or when and by whom it was passed."""


@dataclass(frozen=True, slots=True)
class TextContents:
    """Spans of a text's tables of contents, and of the lines they name; empty without any."""

    spans: tuple[Span, ...] = ()
    """Lists with their labels: complete lines, in order and disjoint."""
    named: dict[int, int] = field(default_factory=dict)
    """Start and end of the named lines, without surrounding white space."""


def contents_of_text(text: str) -> TextContents:
    """Find the certain tables of contents of a text, and the lines further down that they name.

    Feet and heads of printed pages inside a list belong to it.
    """
    hints = [hint.start() for hint in _HINT.finditer(text)]
    if not hints:
        return TextContents()
    lines = list(_lines(text))
    starts = [line.start for line in lines]
    candidates = _after_hints(hints, starts)
    texts = [
        text[line.start : line.end] if n in candidates else _as_title(text, lines, n) for n, line in enumerate(lines)
    ]
    spans: list[Span] = []
    named: dict[int, int] = {}
    for one in contents_lists(texts):
        first = one.first if one.label is None else one.label
        targets = [
            entry.target for entry in one.entries if entry.target is not None and entry.target.first >= one.after
        ]
        span = Span(lines[first].start, lines[one.after - 1].end)
        if (
            one.sure
            and len(targets) >= _FEWEST
            and span.end - span.start <= _MOST_OF_TEXT * len(text)
            and first in candidates
        ):
            spans.append(span)
            named |= {lines[target.first].start: lines[target.after - 1].end for target in targets}
    return TextContents(tuple(spans), named)


def _lines(text: str) -> Iterator[Span]:
    """Yield the spans of visible lines, without page feet, and without heads after a form feed."""
    head = False
    done = 0
    for line in _LINE.finditer(text):
        head = head or "\f" in text[done : line.start()] or "\f" in line[0][:2]
        done = line.end()
        if not head and not _FOOT.search(line[0]):
            words = line[0]
            yield Span(line.start() + len(words) - len(words.lstrip()), line.start() + len(words.rstrip()))
        head = False


def _as_title(text: str, lines: Sequence[Span], n: int) -> str:
    """Return a line as a section title without a trailing number; empty if it continues a paragraph."""
    line = lines[n]
    begins = not n or len(_END.findall(text, lines[n - 1].end, line.start)) > 1
    return _TAIL.sub("", text[line.start : line.end]) if begins or line.end - line.start <= _SHORT else ""


def _after_hints(hints: list[int], starts: list[int]) -> set[int]:
    """Lines at hints, and some after each."""
    lines: set[int] = set()
    last = -1
    for hint in hints:
        line = max(bisect_right(starts, hint) - 1, 0)
        lines.update(range(max(line, last), line + _WINDOW))
        last = line + _WINDOW
    return lines


def name_of_articles(text: str) -> Span | None:
    """Find a statute's name: a first line that names an act, above three articles; else None.

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
    if sum(1 for _ in zip(articles, range(_FEWEST_PARTS), strict=False)) < _FEWEST_PARTS:
        return None
    return Span(*first.span("name"))


def name_of_chapters(text: str, first: int) -> Span | None:
    """Find a book's title: the first of up to three short lines before all chapters; else None.

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
