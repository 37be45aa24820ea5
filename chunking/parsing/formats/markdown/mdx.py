"""What is program and what is text in an MDX file: imports, exports, comments, components and expressions that stand
alone.

Offsets stay: the reader of Markdown gets the text with the program in it made blank, and each part of the program is a
span
of the source. A component's tags are blocks of their own, its children are Markdown; a tag or `{expression}` inside a
line is
part of the line. JavaScript is not parsed: strings, comments and brackets are told apart, and a part without an end is
text.
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
"""Characters that may be looked at for each of the text, where parts have no end."""

_STATEMENT = re.compile(
    r"import(?:[ \t]+|(?=[{*\"']))(?:[\"']|[\w$*{][^\"'`;]{0,2000}?(?<!\w)from\s*[\"'])"
    r"|export[ \t]+(?:default\b|const\b|let\b|var\b|function\b|async\b|class\b|type\b|interface\b|enum\b|[{*])"
)
_GOES_ON = re.compile(r"[ \t]+\S|[})\];.?:|&+=]|//|/\*|(?:import|export)\b")
"""A line without an empty one before it that belongs to the statement above."""
_HEADING = re.compile(r"\n[ \t]*\n#{1,6}[ \t]")
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)", re.DOTALL)
_FRONT_MATTER = re.compile(r"\s*(-{3}|\+{3})[ \t]*\n(?:(?!\1[ \t]*$).*\n)*+\1[ \t]*(?:\n|\Z)", re.MULTILINE)
_TOKEN = re.compile(
    r"(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|\"(?:[^\"\\\n]++|\\.)*+\"?|'(?:[^'\\\n]++|\\.)*+'?|`(?:[^`\\]++|\\.)*+`?"
    r"|(?<!:)//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?",
    re.DOTALL,
)
"""What counts in JavaScript: brackets, and where they mean nothing."""
_TAG = re.compile(r"</?(?:[A-Za-z_$][\w.:$-]*+(?=[\s/>{])|(?=>))")
_IN_TAG = re.compile(r"(?:[^\"'{}<>/]++|/(?!>)|\"[^\"]*+\"|'[^']*+')*+")
_MARK = re.compile(r"`++|\\.|\{|<!--", re.DOTALL)
"""What may hide or begin a comment in a line of text."""
_SPACE = re.compile(r"\s*+")
_VISIBLE = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class _Part:
    start: int
    end: int
    kind: _Kind


@dataclass(frozen=True, slots=True)
class MdxParts:
    """The program in a text."""

    markdown: str
    """The text, as long, with blanks in place of it."""
    parts: tuple[_Part, ...] = ()
    """In order and apart."""


def find_parts(text: str) -> MdxParts:
    """Find what is program in an MDX text; time is linear in its length."""
    scan = _Scan(text.replace("\r\n", " \n").replace("\r", "\n"))
    parts = tuple(scan.parts())
    pieces, done = [], 0
    for part in parts:
        pieces += [text[done : part.start], _VISIBLE.sub(" ", text[part.start : part.end])]
        done = part.end
    return MdxParts("".join([*pieces, text[done:]]), parts)


def place_parts(text: str, found: MdxParts, blocks: list[Block]) -> tuple[tuple[Block, ...], tuple[LeftOut, ...]]:
    """Put the parts among the blocks of the Markdown: tags and expressions as blocks, and what is no text beside them.

    A block is cut where something in it is left out, unless a table or code holds it; tags inside a block are part of
    it.
    """
    starts = [0, *(end.end() for end in re.finditer(r"\r\n?|\n", text))]
    left_out: list[LeftOut] = []
    placed: list[Block] = []
    waiting = list(found.parts)[::-1]
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
    """The block without what is left out of it; of a heading only the first piece is one."""
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
    """One pass over a text, line by line."""

    text: str
    _budget: int = field(init=False)
    """Characters that may still be looked at in vain."""
    _comment_ends: list[int] = field(init=False)
    _paragraph: tuple[int, int] = (0, -1)
    """Where the paragraph that was looked at last was met, and where it ends."""

    def __post_init__(self) -> None:
        self._budget = _WORK * len(self.text) + 1000
        self._comment_ends = [match.start() for match in re.finditer(r"\*/", self.text)]

    def parts(self) -> Iterator[_Part]:
        """The parts, in order; where too much was looked at in vain, the rest of the text has none."""
        text, fence, blank = self.text, "", True
        matter = _FRONT_MATTER.match(text)
        place = matter.end() if matter else 0
        while place < len(text) and self._budget >= 0:
            end = self._line_end(place)
            opened = _FENCE.match(text, place, end)
            if fence:
                if opened and opened[1][0] == fence[0] and len(opened[1]) >= len(fence) and not opened[2].strip():
                    fence = ""
            elif opened and not (opened[1][0] == "`" and "`" in opened[2]):
                fence = opened[1]
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
        """Where the next line begins."""
        return self.text.find("\n", place) + 1 or len(self.text)

    def _at_line(self, place: int, end: int, *, blank: bool) -> _Part | None:
        """A statement, tags or an expression that begin with what is left of a line."""
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
        """The end of a statement and of those right under it; brackets may go over empty lines."""
        text, done = self.text, place
        while True:
            end = self._open_end(done)
            done = self._line_end(end)
            following = text[done : self._line_end(done)]
            if done >= len(text) or not following.strip() or not _GOES_ON.match(following):
                return done - len(text[place:done]) + len(text[place:done].rstrip())

    def _open_end(self, place: int) -> int:
        """The first line end at which no bracket, string or comment is open; the end of the lines where none is."""
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
        """After the bracket that closes the one at a place; 0 where none does."""
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
        """After the tags that a line begins with; 0 where words follow a tag of a single line."""
        text, done, last = self.text, place, 0
        while after := self._tag_end(done):
            last = after
            space = _SPACE.match(text, after)
            done = space.end() if space else after
            if "\n" in text[after:done] or done >= len(text):
                return last
        return last if last and "\n" in text[place:last] else 0

    def _tag_end(self, place: int) -> int:
        opened = _TAG.match(self.text, place)
        done = opened.end() if opened else 0
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
        """The first comment that begins in a line, but for one in code between backticks."""
        done = place
        while self._budget >= 0 and (mark := _MARK.search(self.text, done, end)):
            done = mark.end()
            if mark[0][0] == "`":
                done = self._code_end(done, mark[0]) or done
            elif mark[0][0] in "{<" and (after := self._comment_end(mark.start())):
                return _Part(mark.start(), after, _Kind.COMMENT)
        return None

    def _code_end(self, place: int, ticks: str) -> int:
        """After the run of as many backticks that ends code in a paragraph; 0 where none does."""
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
        """After a comment in braces, or one of HTML; 0 where there is none."""
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
        """The end of the lines up to the next empty one."""
        if not self._paragraph[0] <= place <= self._paragraph[1]:
            match = _EMPTY.search(self.text, place)
            self._paragraph = place, match.start() if match else len(self.text)
        return self._paragraph[1]

    def _rest(self, place: int) -> str:
        return self.text[place : self._line_end(place)].strip()

    def _spent(self, work: int) -> bool:
        """Count work; whether there was too much."""
        self._budget -= work
        return self._budget < 0


_EMPTY = re.compile(r"\n[ \t]*\n")


def _after_space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place
