"""Syntax highlighting of code blocks: exact spans of keywords, strings, comments and others."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, Operator, String, _TokenType

from chunking.model import BlockType, Document
from chunking.text.byte_caches import MB, byte_cache

__all__ = [
    "KINDS",
    "LONGEST_BLOCK",
    "LONGEST_LINE",
    "MOST_SECONDS",
    "CodeToken",
    "block_tokens",
    "code_blocks",
    "code_tokens",
    "fenced_tokens",
]

KINDS = ("keyword", "type", "function", "string", "number", "comment")
"""Token kinds with a colour of their own (`code_...` in viewing/colours.py), by their number."""
LONGEST_BLOCK, LONGEST_LINE = 20_000, 400
"""Characters; a longer block, or one with a longer line, is not coloured. The lexers' patterns are quadratic on some
texts: with these bounds no lexer took more than 0.1 s per token on any tested text."""
MOST_SECONDS = 0.25
"""Maximum CPU time per block; the rest is not coloured."""
MOST_CHARACTERS = 200_000
"""Maximum characters of coloured code in a document, from its start."""
_LONG_LINE = re.compile(rf"[^\n]{{{LONGEST_LINE + 1}}}")

_ALIASES = {
    "bash": "sh shell zsh env",
    "c": "h",
    "cmake": "",
    "console": "shell-session",
    "cpp": "cc c++ hpp",
    "csharp": "cs c#",
    "css": "",
    "dart": "",
    "diff": "patch",
    "docker": "dockerfile",
    "go": "golang",
    "graphql": "",
    "haskell": "",
    "html": "htm vue",
    "ini": "cfg conf properties",
    "java": "",
    "javascript": "js jsx mjs node",
    "json": "jsonc json5 jsonl",
    "kotlin": "kt",
    "lua": "",
    "make": "makefile",
    "nginx": "",
    "perl": "pl",
    "php": "",
    "powershell": "ps1",
    "python": "py python3 py3",
    "r": "",
    "ruby": "rb",
    "rust": "rs",
    "scala": "",
    "scss": "less",
    "sql": "postgres postgresql mysql sqlite",
    "swift": "",
    "toml": "",
    "typescript": "ts tsx",
    "xml": "svg",
    "yaml": "yml",
}
"""Fence languages by Pygments lexer. An allow list: some of the 500 lexers are slow on hostile text."""
_LEXERS = {alias: name for name, aliases in _ALIASES.items() for alias in (name, *aliases.split())}
"""Lexer names by lower-case fence language."""

_KINDS: tuple[tuple[_TokenType, int], ...] = (
    (Comment.Preproc, 0),
    (Comment, 5),
    (Keyword.Type, 1),
    (Keyword.Constant, 4),
    (Keyword, 0),
    (Operator.Word, 0),
    (Name.Tag, 0),
    (Name.Class, 1),
    (Name.Builtin, 1),
    (Name.Exception, 1),
    (Name.Decorator, 2),
    (Name.Function, 2),
    (Name.Attribute, 2),
    (Name.Variable, 1),
    (Name.Constant, 4),
    (Number, 4),
    (Literal.Date, 4),
    (String, 3),
    (Generic.Inserted, 3),
    (Generic.Deleted, 4),
    (Generic.Heading, 0),
    (Generic.Subheading, 0),
    (Generic.Prompt, 5),
)
"""Kinds by token type; the first matching row counts."""

_OPENING = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[^\n]*\n")
_CLOSING = re.compile(r"\n[ \t>]*(?:`{3,}|~{3,})[ \t]*\r?\n?\Z")
_FENCE = re.compile(
    r"^[ \t>]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+#-]*)[^\n`]*\n(?P<code>.*?)(?:^[ \t>]*(?P=mark)|\Z)",
    re.MULTILINE | re.DOTALL,
)


class CodeToken(NamedTuple):
    """Span of one kind of token."""

    start: int
    """First character, in the text passed to the function."""
    end: int
    kind: int
    """Index into KINDS."""


@byte_cache(most=32 * MB)
def code_tokens(code: str, language: str) -> tuple[CodeToken, ...]:
    """Return the coloured spans of code, in order and without overlap; empty for unknown languages.

    Also empty for code over `LONGEST_BLOCK` or with a line over `LONGEST_LINE`. After `MOST_SECONDS` the rest has none.

    Args:
        code: without its fence.
        language: as in a fence: `python`, `js`.
    >>> code_tokens("return 1  # one", "py")
    (CodeToken(start=0, end=6, kind=0), CodeToken(start=7, end=8, kind=4), CodeToken(start=10, end=15, kind=5))
    """
    name = _LEXERS.get(language.lower())
    if name is None or len(code) > LONGEST_BLOCK or _LONG_LINE.search(code):
        return ()
    runs: list[CodeToken] = []
    inside = {"startinline": True} if name == "php" and "<?" not in code else {}  # a piece of a file, without its tag
    lexer = get_lexer_by_name(name, **inside)  # the first time, its patterns are compiled, which does not count
    until = time.thread_time() + MOST_SECONDS
    for start, token, value in lexer.get_tokens_unprocessed(code):
        if time.thread_time() > until:
            break
        kind, end = _kind_of(token), start + len(value)
        if kind is None or not value.strip():
            continue
        if runs and runs[-1].kind == kind and runs[-1].end == start:
            start = runs.pop().start
        runs.append(CodeToken(start, end, kind))
    return tuple(runs)


@lru_cache(maxsize=512)
def _kind_of(token: _TokenType) -> int | None:
    return next((kind for family, kind in _KINDS if token in family), None)


def code_blocks(document: Document) -> tuple[tuple[int, int, str], ...]:
    """Return (start, end, language) of the code blocks in known languages, in order."""
    blocks = (
        (block, str(block.meta.get("language") or "")) for block in document.blocks if block.type is BlockType.CODE
    )
    return tuple((block.start, block.end, language) for block, language in blocks if language.lower() in _LEXERS)


def block_tokens(text: str, blocks: Sequence[tuple[int, int, str]]) -> Iterator[CodeToken]:
    """Yield the coloured spans of a document's code blocks, in characters of its text.

    Blocks after the first `MOST_CHARACTERS` of code have none.

    Args:
        text: the document's.
        blocks: result of `code_blocks`, fences included.
    """
    room = MOST_CHARACTERS
    for start, end, language in blocks:
        code = text[start:end]
        opening, closing = _OPENING.match(code), _CLOSING.search(code)
        first, last = opening.end() if opening else 0, closing.start() + 1 if opening and closing else len(code)
        room -= max(0, last - first)
        if room < 0:
            return
        for token in code_tokens(code[first:last], language):
            yield CodeToken(start + first + token.start, start + first + token.end, token.kind)


def fenced_tokens(text: str, language: str = "") -> Iterator[CodeToken]:
    """Yield the coloured spans of a text's code fences; without one, of all of it as `language`.

    Args:
        text: Markdown, or another text with fences.
        language: of a text without any fence, which is code then; empty if it is not.
    """
    fences = list(_FENCE.finditer(text))
    if not fences and language:
        yield from code_tokens(text, language)
    for fence in fences:
        for token in code_tokens(fence["code"], fence["language"]):
            yield CodeToken(fence.start("code") + token.start, fence.start("code") + token.end, token.kind)
