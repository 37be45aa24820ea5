"""Block rules for markdown-it, bounded in depth and time, which give one top-level block at a time.

Only block structure is parsed, never inline markup, because the canonical text of Markdown is its source. Five rules
are our own. `table` makes one token per table instead of four per cell (a 2,000 x 200 table took 8.6 s). `text` finds a
paragraph's end and its setext underline in one pass. `definitions` gives link reference definitions a token, which
markdown-it lacks. `footnote` reads the indented blocks of a note. `front_matter` (YAML or TOML) requires `key: value`
or `key = value` in the first line, so that a document starting with a rule is not swallowed up to its next rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, blockquote, code, fence, heading, hr, html_block, list_block
from markdown_it.token import Token
from mdit_py_plugins.dollarmath.index import math_block_dollar

__all__ = ["MAX_NESTING", "BlockParser", "TopLevel"]

MAX_NESTING = 24
"""Most nesting of quotes and lists (a list takes two); deeper content stays part of its container."""

_MAX_TAG_LINE = 20_000
_ANY_INDENT = 1 << 30

Rule = Callable[[StateBlock, int, int, bool], bool]

_DELIMITER_ROW = re.compile(r"\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+")
_CELL_BREAK = re.compile(r"(?<!\\)\|")
_DEFINITION = re.compile(
    r"\[(?!\^)[^\]\n]{1,200}+\]:[ \t]++\S++(?:[ \t]++(?:\"[^\"\n]*+\"|'[^'\n]*+'|\([^)\n]*+\)))?+[ \t]*+"
)
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,200}+\]:[ \t]*+")
_NOTE_INDENT = 4
_KEY = r"(?:[\w.-]+|\"[^\"\n]+\"|'[^'\n]+')"
_FRONT_MATTER: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(rf"\s*-{{3,}}[ \t]*\n(?:#[^\n]*\n)*(?:{_KEY}[ \t]*:[ \t\n]|---)"),
        re.compile(r"(?:-{3,}|\.{3})[ \t]*"),
    ),
    # a key of several words is told from prose by what follows: lines of keys, items and continuations, none of them
    # empty
    (
        re.compile(
            r"\s*-{3}[ \t]*\n(?:(?:[\w.-]+(?: [\w.-]+){0,3}:(?:[ \t][^\n]*)?|[ \t]+[^\n]*|[-#] "
            r"[^\n]*)\n)++-{3}[ \t]*(?:\n|\Z)"
        ),
        re.compile(r"-{3}[ \t]*"),
    ),
    (re.compile(rf"\s*\+{{3}}[ \t]*\n(?:#[^\n]*\n|\n)*(?:{_KEY}(?:\.{_KEY})*[ \t]*=|\[)"), re.compile(r"\+{3}[ \t]*")),
)
"""Opening of front matter (YAML; YAML with odd keys; TOML), and its closing line."""


class TopLevel:
    """Iterator over lists of markdown-it tokens, one per top-level block, to bound the memory.

    A list is emptied when the next one is requested.

    Attributes:
        starts: offset of each line in the source, then its length.
        lines: number of lines.
        too_deep: line (0-based) on which nesting first exceeded `MAX_NESTING`, or None.
    """

    def __init__(self, source: str, *, mdx: bool = False) -> None:
        """
        Args:
            source: has `\\n` line ends only.
            mdx: without HTML and indented code.
        """
        md = MarkdownIt("commonmark")
        self._parser = BlockParser(indented_code=not mdx)
        md.block = self._parser
        self._state = StateBlock(source, md, {"mdx": mdx}, [])
        self.starts = list(self._state.bMarks)
        self.lines = self._state.lineMax

    @property
    def too_deep(self) -> int | None:
        line: int | None = self._state.env.get("too_deep")
        return line

    def __iter__(self) -> Iterator[list[Token]]:
        state, line = self._state, 0
        state.env["first"] = state.skipEmptyLines(line)
        while (line := state.skipEmptyLines(line)) < state.lineMax:
            self._parser.step(state, line, state.lineMax)
            line = state.line
            yield state.tokens
            state.tokens.clear()


class BlockParser(ParserBlock):
    """Block parser of markdown-it: rules by a line's first character, up to `MAX_NESTING` deep."""

    def __init__(self, *, indented_code: bool = True) -> None:
        super().__init__()
        # markdown-it's quote and list rules ask these chains whether a line ends them: one look instead of six calls
        self.ruler.push("interrupted", _ends_quote, {"alt": ["blockquote"]})
        self.ruler.push("interrupted_list", _ends_list, {"alt": ["list"]})
        self.ruler.enableOnly([*(["code"] if indented_code else []), "interrupted", "interrupted_list"])
        starts: list[tuple[str, Rule]] = [
            ("-+", front_matter),
            ("$", math_block_dollar(allow_labels=True, allow_blank_lines=False)),
            ("`~", fence),
            (">", blockquote),
            ("*-_", hr),
            ("*-+0123456789", list_block),
            ("<", html),
            ("#", heading),
            ("[", footnote),
            ("[", definitions),
        ]
        openers = {character for characters, _ in starts for character in characters}
        self._rules = {c: (table, *(rule for characters, rule in starts if c in characters), text) for c in openers}
        for opener in "-+":
            self._rules[opener] = (front_matter, *(rule for rule in self._rules[opener] if rule is not front_matter))

    def step(self, state: StateBlock, line: int, end: int) -> None:
        """Parse the block on `line` (not blank): push its tokens, set `state.line` after it."""
        state.line = line
        if state.is_code_block(line):
            code(state, line, end, False)
            return
        for rule in self._rules.get(_first(state, line), (table, text)):
            if rule(state, line, end, False):
                return

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        """Parse the content of a quote or list item; called by markdown-it's rules for both.

        Content nested deeper than `MAX_NESTING` is passed over, and the first such line noted (`TopLevel.too_deep`).
        """
        line, blank = startLine, False
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                return
            if state.level >= MAX_NESTING:
                self._pass_over(state, line, endLine)
                return
            self.step(state, line, endLine)
            state.tight = not blank  # as in markdown-it: whether a blank line came before the current block
            line = state.line
            blank = blank or state.isEmpty(line - 1)
            if line < endLine and state.isEmpty(line):
                blank = True
                line += 1
                state.line = line

    @staticmethod
    def _pass_over(state: StateBlock, line: int, end: int) -> None:
        """Skip only a container nested too deep (markdown-it drops the rest of the document)."""
        state.env.setdefault("too_deep", line)
        line += 1
        while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
            line += 1
        state.line = line


def html(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Rule for an HTML block; False in MDX, and for a first line over 20,000 characters.

    On longer ones, markdown-it's tag pattern would exhaust the memory.
    """
    return (
        not state.env.get("mdx")
        and state.eMarks[start] - state.bMarks[start] <= _MAX_TAG_LINE
        and html_block(state, start, end, silent)
    )


def footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Rule for a footnote, `[^label]: text`, whose other blocks are indented by four columns."""
    match = _FOOTNOTE.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if match is None or state.is_code_block(start):
        return False
    if silent:
        return True
    old = state.bMarks[start], state.tShift[start], state.sCount[start], state.parentType
    token = state.push("footnote_open", "", 1)
    state.bMarks[start], state.tShift[start] = match.end(), 0
    state.blkIndent += _NOTE_INDENT
    state.sCount[start], state.parentType = state.blkIndent, "footnote"
    state.line = start + 1
    state.md.block.tokenize(state, start, end)
    state.blkIndent -= _NOTE_INDENT
    state.bMarks[start], state.tShift[start], state.sCount[start], state.parentType = old
    state.push("footnote_close", "", -1)
    token.map = [start, state.line]
    return True


_INTERRUPTERS: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys("`~", (fence,)),
    **dict.fromkeys("0123456789+", (list_block,)),
    **dict.fromkeys("*-", (hr, list_block)),
    "_": (hr,),
    ">": (blockquote,),
    "<": (html,),
    "#": (heading,),
    "[": (footnote,),
}
"""Rules that may end a paragraph, table or quote, by the line's first character."""

_LIST_INTERRUPTERS: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys("`~", (fence,)),
    **dict.fromkeys("*-_", (hr,)),
    ">": (blockquote,),
}
"""Rules that may end a list."""


def _first(state: StateBlock, line: int) -> str:
    """First visible character of a line that is not empty."""
    return state.src[state.bMarks[line] + state.tShift[line]]


def _content(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _ends_quote(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    rules = _INTERRUPTERS.get(_first(state, line))
    return rules is not None and any(rule(state, line, end, True) for rule in rules)


def _ends_list(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    if state.isEmpty(line):
        return False
    rules = _LIST_INTERRUPTERS.get(_first(state, line))
    return rules is not None and any(rule(state, line, end, True) for rule in rules)


def front_matter(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Rule for YAML between `---` lines or TOML between `+++` lines, as the first block."""
    if state.level or start != state.env.get("first"):
        return False
    closing = next((closes for opens, closes in _FRONT_MATTER if opens.match(state.src)), None)
    if closing is None:
        return False
    last = next(
        (
            line
            for line in range(start + 1, end)
            if closing.fullmatch(state.src, state.bMarks[line], state.eMarks[line])
        ),
        None,
    )
    if last is None:
        return False
    state.line = last + 1
    _push(state, "front_matter", start, last + 1)
    return True


def definitions(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Rule for successive lines of `[label]: destination "title"`, as one token.

    Always False if `silent`: such lines end no paragraph.
    """
    line = start
    while line < end and state.sCount[line] >= state.blkIndent and _DEFINITION.fullmatch(_content(state, line)):
        line += 1
    if line == start or silent:
        return False
    state.line = line
    _push(state, "definitions", start, line).meta = {"definitions": line - start}
    return True


def table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Rule for a GFM pipe table as one token: `map` and column count, without cells."""
    columns = _columns(state, start, end)
    if not columns or silent:
        return bool(columns)
    old, state.parentType = state.parentType, "table"
    line = start + 2
    while line < end and state.sCount[line] >= state.blkIndent and not state.isEmpty(line):
        if state.is_code_block(line) or _ends_quote(state, line, end, True):
            break
        line += 1
    state.parentType, state.line = old, line
    _push(state, "table", start, line).meta = {"columns": columns}
    return True


def _columns(state: StateBlock, start: int, end: int) -> int:
    """Number of columns of the table whose header row is line `start`; 0 if there is none."""
    below = start + 1
    if (
        below >= end
        or state.sCount[below] < state.blkIndent
        or state.isEmpty(below)
        or _first(state, below) not in "|-:"
    ):
        return 0
    delimiter = _content(state, below)
    if state.is_code_block(start) or state.is_code_block(below) or len(delimiter) < 2 or delimiter[:2] in ("- ", "-\t"):
        return 0
    header = _content(state, start).strip(" \t")
    if "|" not in header or not _DELIMITER_ROW.fullmatch(delimiter):
        return 0
    cells = _CELL_BREAK.split(header)
    named = len(cells) - (cells[0] == "") - (cells[-1] == "" and len(cells) > 1)
    ruled = len([cell for cell in delimiter.split("|") if cell.strip()])
    return ruled if ruled == named else 0


def text(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Rule for a paragraph, or a heading underlined with `===` or `---`."""
    old, state.parentType = state.parentType, "paragraph"
    line, level = start + 1, 0
    most = state.blkIndent + (_ANY_INDENT if state.env.get("mdx") else 3)
    while line < end and not state.isEmpty(line):
        indent = state.sCount[line]
        if indent <= most:
            level = _underline(state, line) if indent >= state.blkIndent else 0
            if level or (indent >= 0 and _ends_text(state, line, end)):  # below 0: a lazy line of a quote
                break
        line += 1
    state.parentType, state.line = old, line + bool(level)
    _push(state, "heading" if level else "paragraph", start, state.line).tag = f"h{level}"
    return True


def _underline(state: StateBlock, line: int) -> int:
    """1 for a line of `=`, 2 for a line of `-`, else 0."""
    marker = _first(state, line)
    if marker not in "-=" or _content(state, line).rstrip(" \t").strip(marker):
        return 0
    return 1 if marker == "=" else 2


def _ends_text(state: StateBlock, line: int, end: int) -> bool:
    if _first(state, line) == "$" and _content(state, line).rstrip(" \t") == "$$":
        return True  # not in the plugin, but display equations directly under their text are common
    return _ends_quote(state, line, end, True) or table(state, line, end, True)


def _push(state: StateBlock, kind: str, start: int, end: int) -> Token:
    token = state.push(kind, "", 0)
    token.map = [start, end]
    return token
