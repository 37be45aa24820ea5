"""Outline of a source: its definitions, and how to find them by lines if no grammar parses it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

__all__ = ["MAX_LEVEL", "Definition", "Outline", "merged_definitions", "outline_lines"]

MAX_LEVEL = 6
"""Deepest section level; deeper definitions belong to their outer one."""

_FUNCTIONS = frozenset({"def", "func", "function", "fun", "fn", "sub", "filter"})
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)\n]*\))?|unsafe|sealed|partial"
    r"|virtual|override|open|data|local|suspend|inline|declare|companion|case|inner|operator|infix|implicit|enum(?=[ "
    r"\t]+class))[ \t]++)*+"
)
_BEHIND = r"(?=[ \t]*+(?:[(<:{\[=]|\Z|(?:extends|implements|for|struct|interface|with|where|derives|permits|func)\b))"
"""Text after a definition's name, as opposed to a word in a sentence."""
_ASSIGNED = r"(?P<name>[\w.]++|`[^`\n]++`)[ \t]*+(?:<-|=)[ \t]*+(?P<word>function)\b"
"""A function assigned to a name, as in R."""
_LINE = re.compile(r"[^\r\n]+")
_LEAD = re.compile(r"@|#|//|/\*|\*|--|;;")
"""Start of a line that belongs to the definition below."""
_GOES_ON = re.compile(r"[)\]{]")
_CLOSES = re.compile(r"[}]|end\b|esac\b|fi\b")
_TAB = 8


@dataclass(slots=True)
class Definition:
    """A class, function or other definition that becomes a section: its span, title and level."""

    start: int
    """Start, including the comments and decorators before it."""
    end: int
    title: str
    level: int
    """Level, 1 at the top of the file."""
    body: int
    """Start of the body; end of the definition if it has none."""
    plain: bool
    """True if only the signature precedes the body."""
    holds: bool = False
    """True if it may have members; definitions in a function belong to it."""
    faulty: bool = False
    """True if it contains a syntax error."""


@dataclass(slots=True)
class Outline:
    """Definitions of a source, in order.

    Offsets are in characters, except from a syntax tree: in bytes of UTF-8.
    """

    definitions: list[Definition] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)
    """Starts of statements at top level and in function bodies, with the comments before them."""
    imports: list[tuple[int, int]] = field(default_factory=list)
    """Spans of import statements."""
    complete: bool = True
    """True if every node was visited."""
    faulty: bool = False
    """True if it contains a syntax error."""


def merged_definitions(by_tree: Sequence[Definition], by_lines: Sequence[Definition]) -> list[Definition]:
    """Merge the definitions of a faulty syntax tree with those found by lines, in order.

    For a definition in both, the lines win if its tree has an error. Levels and ends are recomputed in place.
    """
    index = _DefinitionIndex(by_lines)
    faulty = [one for one in by_tree if one.faulty and index.find(one)]
    doubled = {id(index.find(one)) for one in by_tree if not one.faulty}
    dropped = doubled | {id(one) for one in faulty}
    merged: list[Definition] = []
    stack: list[Definition] = []
    for one in sorted(
        (one for one in (*by_tree, *by_lines) if id(one) not in dropped), key=lambda one: (one.start, -one.end)
    ):
        while stack and stack[-1].end <= one.start:
            stack.pop()
        if stack and not stack[-1].holds:
            continue
        for outer in stack:
            outer.end = max(outer.end, one.end)
        if len(stack) < MAX_LEVEL:
            one.level = len(stack) + 1
            merged.append(one)
            stack.append(one)
    return merged


class _DefinitionIndex:
    """Definitions by title and place."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._by_title: dict[str, list[Definition]] = defaultdict(list)
        for one in definitions:
            self._by_title[one.title].append(one)

    def find(self, other: Definition) -> Definition | None:
        """Definition with the same title and an overlapping signature; comments may differ."""
        same = self._by_title.get(other.title, [])
        place = bisect_right(same, other.start, key=lambda one: max(one.body, one.start + 1))
        candidate = same[place] if place < len(same) else None
        return candidate if candidate is not None and candidate.start < max(other.body, other.start + 1) else None


@dataclass(slots=True)
class _OpenDefinition:
    indent: int
    definition: Definition


def outline_lines(text: str, words: str) -> list[Definition]:
    """Find definitions by the words that start their lines; each ends before a line not deeper.

    Args:
        words: of the language, separated by spaces; `<-` for assigned functions.

    >>> [(one.level, one.title) for one in outline_lines("class A:\\n  def f(x:\\n    pass\\n\\ndef g():", "class def")]
    [(1, 'class A'), (2, 'f'), (1, 'g')]
    """
    definitions: list[Definition] = []
    stack: list[_OpenDefinition] = []
    lead: int | None = None
    last = 0
    for start, end, indent, line in _lines(text):
        while stack and indent <= stack[-1].indent and not _GOES_ON.match(line):
            one = stack.pop()
            closes = indent == one.indent and _CLOSES.match(line)
            one.definition.end = end if closes else max(last, one.definition.body)
            if closes:
                break
        match = _pattern(words).match(line)
        if match and len(stack) < MAX_LEVEL and all(one.definition.holds for one in stack):
            begin = start if lead is None else lead
            word, name = match["word"], match["name"].strip("`")
            title = name if word in _FUNCTIONS else f"{word} {name}"
            definition = Definition(begin, end, title, len(stack) + 1, end, lead is None, word not in _FUNCTIONS)
            definitions.append(definition)
            stack.append(_OpenDefinition(indent, definition))
        if not _LEAD.match(line) or (last and _blank_between(text, last, start)):
            lead = None
        if _LEAD.match(line) and lead is None:
            lead = start
        last = end
    for one in stack:
        one.definition.end = last
    return definitions


def _lines(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Yield (start, end, indent, text) of each non-blank line."""
    for match in _LINE.finditer(text):
        line = match[0].strip()
        if line:
            start = match.start() + len(match[0]) - len(match[0].lstrip())
            indent = len(text[match.start() : start].expandtabs(_TAB))
            yield start, start + len(line), indent, line[:1000]


def _blank_between(text: str, end: int, start: int) -> bool:
    between = text[end:start]
    return between.count("\n") + between.count("\r") - between.count("\r\n") > 1


@cache
def _pattern(words: str) -> re.Pattern[str]:
    kinds = "|".join(word for word in words.split() if word != "<-")
    parts = (
        [rf"{_MODIFIERS}(?P<word>{kinds})\b[ \t*]*+(?:\([^)\n]*\)[ \t]*+)?(?P<name>[\w.:$-]*[\w!?]){_BEHIND}"]
        if kinds
        else []
    )
    return re.compile("|".join(parts) if "<-" not in words.split() else _ASSIGNED)
