"""Find the program in MDX text: imports, exports, comments, components and expressions.

Offsets stay: the Markdown reader gets the text with the program blanked out, and each part of the program is a span of
the source. A component's tags are blocks of their own, its children are Markdown; a tag or `{expression}` inside a line
is part of the line. JavaScript is not parsed: only strings, comments and brackets are recognised, and an unclosed part
is text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from chunking.model import Block, BlockType, LeftOut

__all__ = ["MdxParts", "find_parts", "place_parts"]


class _Kind(StrEnum):
    PROGRAM = "import or export"
    COMMENT = "comment"
    TAGS = "tags"
    EXPRESSION = "expression"


_LEFT_OUT = frozenset({_Kind.PROGRAM, _Kind.COMMENT})
_WORK = 4
"""Characters that may be scanned per character of text in search of closing marks."""

_STATEMENT = re.compile(
    r"import(?:[ \t]+|(?=[{*\"']))(?:[\"']|[\w$*{][^\"'`;]{0,2000}?(?<!\w)from\s*[\"'])"
    r"|export[ \t]+(?:default\b|const\b|let\b|var\b|function\b|async\b|class\b|type\b|interface\b|enum\b|[{*])"
)
_GOES_ON = re.compile(r"[ \t]+\S|[})\];.?:|&+=]|//|/\*|(?:import|export)\b")
"""A line that continues the statement above."""
_HEADING = re.compile(r"\n[ \t]*\n#{1,6}[ \t]")
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)", re.DOTALL)
_FRONT_MATTER = re.compile(r"\s*(-{3}|\+{3})[ \t]*\n(?:(?!\1[ \t]*$).*\n)*+\1[ \t]*(?:\n|\Z)", re.MULTILINE)
_TOKEN = re.compile(
    r"(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|\"(?:[^\"\\\n]++|\\.)*+\"?|'(?:[^'\\\n]++|\\.)*+'?|`(?:[^`\\]++|\\.)*+`?"
    r"|(?<!:)//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?",
    re.DOTALL,
)
"""Brackets of JavaScript, and the strings and comments that hide them."""
_TAG = re.compile(r"</?(?:[A-Za-z_$][\w.:$-]*+(?=[\s/>{])|(?=>))")
_IN_TAG = re.compile(r"(?:[^\"'{}<>/]++|/(?!>)|\"[^\"]*+\"|'[^']*+')*+")
_MARK = re.compile(r"`++|\\.|\{|<!--", re.DOTALL)
"""Marks that may hide or start a comment in a line of text."""
_SPACE = re.compile(r"\s*+")
_VISIBLE = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class _Part:
    start: int
    end: int
    kind: _Kind


@dataclass(frozen=True, slots=True)
class MdxParts:
    """Spans of an MDX text that are program, tags or comments, and the text with these blanked."""

    markdown: str
    """Text of the same length with the program blanked out."""
    parts: tuple[_Part, ...] = ()
    """Parts in order, disjoint."""


def find_parts(text: str) -> MdxParts:
    """Find imports, exports, comments, tags and expressions in an MDX text, in linear time."""
    scan = _Scan(text.replace("\r\n", " \n").replace("\r", "\n"))
    parts = tuple(scan.parts())
    pieces, done = [], 0
    for part in parts:
        pieces += [text[done : part.start], _VISIBLE.sub(" ", text[part.start : part.end])]
        done = part.end
    return MdxParts("".join([*pieces, text[done:]]), parts)


def place_parts(text: str, mdx_parts: MdxParts, blocks: list[Block]) -> tuple[tuple[Block, ...], tuple[LeftOut, ...]]:
    """Merge program into Markdown blocks: tags and expressions as HTML, other parts left out.

    Returns the blocks, and the spans of imports, exports and comments, which are left out of chunks.

    A block is cut where something in it is left out, unless it is a table or code; tags inside a block stay in it.
    """
    starts = [0, *(end.end() for end in re.finditer(r"\r\n?|\n", text))]
    left_out: list[LeftOut] = []
    placed: list[Block] = []
    waiting = list(mdx_parts.parts)[::-1]
    for block in blocks:
        while waiting and waiting[-1].start < block.start:
            _place(waiting.pop(), starts, placed, left_out)
        inside: list[_Part] = []
        while waiting and waiting[-1].start < block.end:
            inside.append(waiting.pop())
        cuts = [part for part in inside if part.kind in _LEFT_OUT] if block.type in _CUT else []
        placed += _cut(text, block, cuts, starts)
        left_out += [LeftOut(part.start, part.end, part.kind.value) for part in cuts]
    for part in waiting[::-1]:
        _place(part, starts, placed, left_out)
    return tuple(placed), tuple(left_out)


_CUT = frozenset({BlockType.PARAGRAPH, BlockType.HEADING, BlockType.LIST, BlockType.QUOTE, BlockType.HTML})


def _place(part: _Part, starts: list[int], placed: list[Block], left_out: list[LeftOut]) -> None:
    if part.kind in _LEFT_OUT:
        left_out.append(LeftOut(part.start, part.end, part.kind.value))
    else:
        placed.append(Block(BlockType.HTML, part.start, part.end, line=_line(starts, part.start), meta={}))


def _cut(text: str, block: Block, cuts: list[_Part], starts: list[int]) -> Iterator[Block]:
    """Yield a block without its left-out parts; only the first piece of a heading stays one."""
    if not cuts:
        yield block
        return
    edges = [block.start, *(edge for part in cuts for edge in (part.start, part.end)), block.end]
    kind, level = block.type, block.level
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        words = text[start:end]
        first, after = start + len(words) - len(words.lstrip()), start + len(words.rstrip())
        if first < after:
            yield replace(block, type=kind, level=level, start=first, end=after, line=_line(starts, first))
            kind, level = (BlockType.PARAGRAPH, None) if kind is BlockType.HEADING else (kind, level)


def _line(starts: list[int], offset: int) -> int:
    return max(bisect_left(starts, offset + 1), 1)


@dataclass(slots=True)
class _Scan:
    """A pass over a text, line by line."""

    text: str
    _budget: int = field(init=False)
    """Characters that may still be scanned in vain."""
    _comment_ends: list[int] = field(init=False)
    _paragraph: tuple[int, int] = (0, -1)
    """Start of the last lookup, and the end of its paragraph."""

    def __post_init__(self) -> None:
        self._budget = _WORK * len(self.text) + 1000
        self._comment_ends = [match.start() for match in re.finditer(r"\*/", self.text)]

    def parts(self) -> Iterator[_Part]:
        """Parts in order; once the budget is spent, the rest is text."""
        text, fence, blank = self.text, "", True
        matter = _FRONT_MATTER.match(text)
        place = matter.end() if matter else 0
        while place < len(text) and self._budget >= 0:
            end = self._line_end(place)
            fence_match = _FENCE.match(text, place, end)
            if fence:
                if (
                    fence_match
                    and fence_match[1][0] == fence[0]
                    and len(fence_match[1]) >= len(fence)
                    and not fence_match[2].strip()
                ):
                    fence = ""
            elif fence_match and not (fence_match[1][0] == "`" and "`" in fence_match[2]):
                fence = fence_match[1]
            elif part := self._at_line(place, end, blank=blank):
                yield part
                place = part.end
                end = self._line_end(place)
                if text[place:end].strip():  # the words after the last line of a tag
                    continue
            else:
                while comment := self._comment_in(place, end):
                    yield comment
                    place = comment.end
                    end = max(end, self._line_end(place))
            blank = not text[place:end].strip()
            place = end

    def _line_end(self, place: int) -> int:
        """Start of the next line."""
        return self.text.find("\n", place) + 1 or len(self.text)

    def _at_line(self, place: int, end: int, *, blank: bool) -> _Part | None:
        """Find a statement, tags or an expression at the start of the rest of a line."""
        text = self.text
        if (
            blank
            and (place == 0 or text[place - 1] == "\n")
            and text.startswith(("import", "export"), place)
            and _STATEMENT.match(text, place)
        ):
            return _Part(place, self._statement_end(place), _Kind.PROGRAM)
        space = _SPACE.match(text, place, end)
        start = space.end() if space else place
        if (
            text[place:start].strip()
            or start >= end
            or text[start] not in "<{"
            or text[max(text.rfind("\n", 0, place) + 1, 0) : place].strip()
        ):
            return None
        if text[start] == "<":
            after = self._tags_end(start)
            return _Part(start, after, _Kind.TAGS) if after else None
        if self._comment_end(start):
            return None
        after = self._balanced(start)
        return _Part(start, after, _Kind.EXPRESSION) if after and not self._rest(after) else None

    def _statement_end(self, place: int) -> int:
        """End of a statement, and of the ones right below it; brackets may span empty lines."""
        text, done = self.text, place
        while True:
            end = self._open_end(done)
            done = self._line_end(end)
            following = text[done : self._line_end(done)]
            if done >= len(text) or not following.strip() or not _GOES_ON.match(following):
                return done - len(text[place:done]) + len(text[place:done].rstrip())

    def _open_end(self, place: int) -> int:
        """End of the first line that closes all brackets, strings and comments; else of the paragraph."""
        text, depth, done = self.text, 0, place
        while True:
            line_end = text.find("\n", done)
            line_end = len(text) if line_end < 0 else line_end
            token = _TOKEN.search(text, done, len(text) if depth else line_end)
            if token is None:
                return self._paragraph_end(place) if depth else line_end
            token = _TOKEN.match(text, token.start()) or token  # which may go on over the end of the line
            depth += bool(token["open"]) - bool(token["close"])
            if depth < 0 or self._spent(token.end() - done) or _HEADING.search(text, done, token.start()):
                return self._paragraph_end(place)
            done = token.end()

    def _balanced(self, place: int) -> int:
        """Offset after the matching bracket; 0 if there is none."""
        depth, done = 0, place
        while token := _TOKEN.search(self.text, done):
            if self._spent(token.end() - done):
                return 0
            depth += bool(token["open"]) - bool(token["close"])
            done = token.end()
            if not depth:
                return done
        self._spent(len(self.text) - done)
        return 0

    def _tags_end(self, place: int) -> int:
        """Offset after the tags at a line's start; 0 if words follow a single-line tag."""
        text, done, last = self.text, place, 0
        while after := self._tag_end(done):
            last = after
            space = _SPACE.match(text, after)
            done = space.end() if space else after
            if "\n" in text[after:done] or done >= len(text):
                return last
        return last if last and "\n" in text[place:last] else 0

    def _tag_end(self, place: int) -> int:
        opening = _TAG.match(self.text, place)
        done = opening.end() if opening else 0
        while done:
            inside = _IN_TAG.match(self.text, done)
            after = inside.end() if inside else done
            if self._spent(after - done):
                return 0
            if self.text.startswith("/>", after):
                return after + 2
            if self.text.startswith(">", after):
                return after + 1
            done = self._balanced(after) if self.text.startswith("{", after) else 0
        return 0

    def _comment_in(self, place: int, end: int) -> _Part | None:
        """Find the first comment that starts in a line, outside of code in backticks."""
        done = place
        while self._budget >= 0 and (mark := _MARK.search(self.text, done, end)):
            done = mark.end()
            if mark[0][0] == "`":
                done = self._code_end(done, mark[0]) or done
            elif mark[0][0] in "{<" and (after := self._comment_end(mark.start())):
                return _Part(mark.start(), after, _Kind.COMMENT)
        return None

    def _code_end(self, place: int, ticks: str) -> int:
        """Offset after the closing run of as many backticks in a paragraph; 0 if there is none."""
        text, stop = self.text, self._paragraph_end(place)
        done = text.find(ticks, place, stop)
        while done >= 0:
            after = done + len(ticks)
            while text.startswith("`", after):
                after += 1
            if after - done == len(ticks):
                return after
            done = text.find(ticks, after, stop)
        self._spent(stop - place)
        return 0

    def _comment_end(self, place: int) -> int:
        """Offset after a comment in braces or HTML; 0 if there is none."""
        text = self.text
        if text.startswith("<!--", place):
            close = text.find("-->", place + 4)
            self._spent(0 if close >= 0 else len(text) - place)
            return close + 3 if close >= 0 and self._budget >= 0 else 0
        done = _after_space(text, place + 1)
        while text.startswith(("/*", "//"), done):
            if text[done + 1] == "/":
                close = text.find("\n", done)
                done = _after_space(text, close) if close >= 0 else len(text)
                continue
            at = bisect_left(self._comment_ends, done + 2)
            if at >= len(self._comment_ends):
                return 0
            done = _after_space(text, self._comment_ends[at] + 2)
        return done + 1 if done > place + 1 and text.startswith("}", done) else 0

    def _paragraph_end(self, place: int) -> int:
        """Offset of the next empty line."""
        if not self._paragraph[0] <= place <= self._paragraph[1]:
            match = _EMPTY.search(self.text, place)
            self._paragraph = place, match.start() if match else len(self.text)
        return self._paragraph[1]

    def _rest(self, place: int) -> str:
        return self.text[place : self._line_end(place)].strip()

    def _spent(self, work: int) -> bool:
        """Charge work; True if the budget is exceeded."""
        self._budget -= work
        return self._budget < 0


_EMPTY = re.compile(r"\n[ \t]*\n")


def _after_space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place
