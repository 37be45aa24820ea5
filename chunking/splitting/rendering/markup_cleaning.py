"""Removal of markup for the model; a chunk's content keeps it.

Formats with markup are the rows of `MARKUP`: Markdown, whose anchors and link targets go too, reStructuredText,
AsciiDoc and Org. Nothing is added but one space between two letters, so that words do not run together: a cleaned
text never has more tokens than the original. No pattern scans a run of white space from more than one of its
characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from chunking.model import Block, BlockType
from chunking.parsing.formats.markup.inline_markup import plain_asciidoc, plain_org, plain_rst
from chunking.text.raised_text import END, sign_tags, write_raised

__all__ = ["MARKUP", "clean_asciidoc", "clean_for_embedding", "clean_org", "clean_rst", "without_markup"]

_MARKUP = re.compile(r"[\[\]<>*_`~#{}|\\]|^[ \t]*[-+>=:]|^[ \t]*\d+[.)]", re.MULTILINE)
"""Quick test: text without a match is clean."""


class _Markup(NamedTuple):
    """Pattern of a kind of markup."""

    pattern: re.Pattern[str]
    signs: tuple[str, ...]
    """Each match contains one of them; most texts have none, and looking for it takes a tenth of the time."""
    replacement: str | Callable[[re.Match[str]], str] = ""

    def remove(self, text: str) -> str:
        """Replace all matches in a text."""
        return self.pattern.sub(self.replacement, text) if any(map(text.__contains__, self.signs)) else text


def _group(number: int) -> Callable[[re.Match[str]], str]:
    """Return a replacement by a group of the match; 0: by nothing."""
    return lambda match: _apart(match, (match[number] or "") if number else "")


_M = re.MULTILINE
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?\)")

_LINES = (
    _Markup(re.compile(r"^[ \t]*\[[^\]\n]+\]:[ \t]*\S+[^\n]*$", _M), ("]:",)),  # link definitions
    _Markup(re.compile(r"^[ \t|:]*-{3}[-:| \t]*$", _M), ("---",)),  # the rule under a table's header
    _Markup(re.compile(r"^[ \t]*=+[ \t]*$", _M), ("=",)),  # the rule under a heading
    _Markup(re.compile(r"^(?:[ \t]*>[ \t]?)+", _M), (">",)),
    _Markup(re.compile(r"^[ \t]*#{1,6}[ \t]+", _M), ("#",)),
    _Markup(re.compile(r"(?<![ \t])[ \t]+#+[ \t]*$", _M), ("#",)),
    _Markup(re.compile(r"^([ \t]*)[-*+][ \t]+(?:\[[ xX]\][ \t]+)?", _M), ("-", "*", "+"), r"\1"),
    _Markup(re.compile(r"^[ \t]*\|[ \t]*|(?:(?<![ \t])[ \t]+)?\|[ \t]*$", _M), ("|",)),  # a table row's outer bars
)
"""Markup at the beginning or end of a line, or filling it.

No pattern scans a run of white space from more than one of its characters, nor matches a text in two ways: a hostile
document would take minutes.
"""

_INLINE = (
    _Markup(re.compile(r"(?:(?<![ \t])[ \t]+)?\\?\{[ \t]*[#.][^{}\n]*\}"), ("{",), _group(0)),  # {#anchor}
    _Markup(_LINK, ("](",), _group(1)),
    _Markup(_LINK, ("](",), _group(1)),  # a link around an image
    _Markup(re.compile(r"!?\[([^\[\]]+)\]\[[^\[\]]*\]"), ("][",), _group(1)),
    _Markup(re.compile(r"<((?:https?|mailto):[^<>\s]+)>"), ("<",), _group(1)),
    # In code `<name>` is no tag.
    _Markup(re.compile(r"(?<!`)(`+)(?!`)([^`]+)\1(?!`)|</?[A-Za-z][^<>]{0,1000}>"), ("`", "<"), _group(2)),
    _Markup(re.compile(r"(\*{1,3}|~~)(?=\S)([^*~\n]+?)(?<=\S)\1"), ("*", "~~"), _group(2)),
    _Markup(re.compile(r"(?<!\w)(_{1,2})(?=\S)([^_\n]+?)(?<=\S)\1(?!\w)"), ("_",), _group(2)),
)
"""Markup in a line."""

_COMMENT, _COMMENT_END = "<!--", "-->"
_OPENING_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[^\n]*\n?")
_CLOSING_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})\s*")
_EMPTY_LINES = re.compile(r"(?<![ \t])[ \t]*\n[ \t]*\n\s*\n")


def clean_for_embedding(text: str, blocks: Iterable[Block] = (), *, offset: int = 0) -> str:
    """Remove the markup from a piece of Markdown.

    Args:
        text: the piece, `document.text[offset:offset + len(text)]`.
        blocks: the document's blocks that overlap it; code loses only its fence.
        offset: of the piece in the document.
    Returns:
        The text as rendered; the original if that is empty.

    >>> clean_for_embedding("## Set *up* {#setup}\\n\\nSee [the guide](https://example.org/a_b) for `x_y`.")
    'Set up\\n\\nSee the guide for x_y.'
    """
    if not _MARKUP.search(text):
        return text
    parts = []
    at = 0
    for block in blocks:
        if block.type is BlockType.CODE:
            start, end = max(block.start - offset, at), min(block.end - offset, len(text))
            opens, closes = block.start >= offset, block.end - offset <= len(text)
            parts += [_prose(text[at:start]), _code(text[start:end], opens=opens, closes=closes)]
            at = end
    parts.append(_prose(text[at:]))
    return _EMPTY_LINES.sub("\n\n", "".join(parts)).strip() or text


def _code(text: str, *, opens: bool, closes: bool) -> str:
    """Remove the fence of code; a line of backticks inside, or at the end of a part, is code."""
    opening = _OPENING_FENCE.match(text) if opens else None
    if opens and not opening:
        return text  # indented
    start = opening.end() if opening else 0
    last = max(text.rfind("\n", start, len(text.rstrip())), start - 1)
    if closes and _CLOSING_FENCE.fullmatch(text, last + 1):
        return text[start : max(last, start)]
    return text[start:]


def _without_comments(text: str) -> str:
    """Remove comments up to the first unclosed one; a pattern would search an end for every opening."""
    parts = []
    at = 0
    while (start := text.find(_COMMENT, at)) >= 0 and (end := text.find(_COMMENT_END, start + len(_COMMENT))) >= 0:
        parts.append(text[at:start])
        at = end + len(_COMMENT_END)
        if text[start - 1 : start].isalnum() and text[at : at + 1].isalnum():
            parts.append(" ")
    return "".join([*parts, text[at:]])


def _prose(text: str) -> str:
    text = sign_tags(_without_comments(text))
    for markup in (*_LINES, *_INLINE):
        text = markup.remove(text)
    return write_raised(text) if END in text else text


def _apart(match: re.Match[str], rest: str) -> str:
    """Return the rest of a match, with a space where it would run into the letter next to it."""
    text, start, end = match.string, match.start(), match.end()
    before = text[start - 1 : start].isalnum() and (rest or text[end : end + 1])[:1].isalnum()
    after = bool(rest) and rest[-1:].isalnum() and text[end : end + 1].isalnum()
    return f"{' ' if before else ''}{rest}{' ' if after else ''}"


@dataclass(frozen=True, slots=True)
class _LineMarkup:
    """Line markup of a format."""

    opening: re.Pattern[str]
    """Pattern of directive, attributes and delimiter before code."""
    closing: re.Pattern[str]
    """Pattern of the delimiter after code."""
    lines: tuple[tuple[re.Pattern[str], str], ...]
    """Patterns with their replacements."""
    inline: Callable[[str], str]

    def clean(self, text: str, blocks: Iterable[Block], offset: int) -> str:
        """Remove the markup from a piece of text; arguments as of `clean_for_embedding`."""
        parts = []
        at = 0
        for block in blocks:
            if block.type is BlockType.CODE:
                start, end = max(block.start - offset, at), min(block.end - offset, len(text))
                parts += [self._prose(text[at:start]), self._code(text[start:end], block, offset, len(text))]
                at = end
        parts.append(self._prose(text[at:]))
        return _EMPTY_LINES.sub("\n\n", "".join(parts)).strip() or text

    def _code(self, code: str, block: Block, offset: int, length: int) -> str:
        if not block.meta.get("fenced"):
            return code
        opening = self.opening.match(code) if block.start >= offset else None
        start = opening.end() if opening else 0
        last = max(code.rfind("\n", start, len(code.rstrip())), start - 1)
        if block.end - offset <= length and self.closing.fullmatch(code, last + 1):
            return code[start : max(last, start)]
        return code[start:]

    def _prose(self, text: str) -> str:
        for pattern, replacement in self.lines:
            text = pattern.sub(replacement, text)
        return self.inline(text)


_BARS = (re.compile(r"^[ \t]*\|[ \t]?|(?:(?<![ \t])[ \t]+)?\|[ \t]*$", _M), "")
"""Outer bars of a table's row."""

_RST = _LineMarkup(
    opening=re.compile(r"[ \t]*\.\.[^\n]*\n(?:[ \t]+:[\w-]+:[^\n]*\n)*(?:[ \t]*\n)?"),
    closing=re.compile(r"(?!)"),
    lines=(
        (
            re.compile(r"^[ \t]*([!-/:-@\[-`{-~])\1{2,}(?:[ \t]+\1+)*[ \t]*$", _M),
            "",
        ),  # adornments, borders of simple tables
        (re.compile(r"^[ \t]*\+(?:[-=]+\+)+[ \t]*$", _M), ""),
        (re.compile(r"^([ \t]*\.\.[ \t][^\n]*::[^\n]*)(?:\n[ \t]+:[\w-]+:[^\n]*)+", _M), r"\1"),  # options
        (
            re.compile(
                r"^[ \t]*\.\.[ \t]+(?:_[^\n]*|(?:\|[^|\n]*\|[ \t]+)?(?:image|figure)::[^\n]*)$|^[ \t]*__[ \t][^\n]*$",
                _M,
            ),
            "",
        ),
        (
            re.compile(
                r"^[ \t]*\.\.[ \t]+"
                r"(?:list-table|csv-table|table|rubric|topic|only|container|math|index|\|[^|\n]*\|[ \t]+\w+)::[ \t]*",
                _M,
            ),
            "",
        ),
        (re.compile(r"^[ \t]*\.\.[ \t]+([\w.+-]+(?::[\w.+-]+)*)::", _M), r"\1"),
        (re.compile(r"^[ \t]*\.\.[ \t]+\[[^\]\n]*\][ \t]*", _M), ""),  # a footnote
        (re.compile(r"^([ \t]*):([\w][^:\n]*):(?=[ \t]|$)", _M), r"\1\2:"),
        (re.compile(r"^([ \t]*)(?:\*[ \t]+-|[-*+•])[ \t]+", _M), r"\1"),
        (re.compile(r"^[ \t]*::[ \t]*$", _M), ""),
        (re.compile(r"::[ \t]*$", _M), ":"),
        _BARS,
    ),
    inline=plain_rst,
)
_ASCIIDOC = _LineMarkup(
    opening=re.compile(r"(?:(?:\[[^\n]*\]|\.[^\s.][^\n]*)[ \t]*\n)*(?:(?:-{2,}|\.{4,}|```)[^\n]*\n)?"),
    closing=re.compile(r"(?:-{2,}|\.{4,}|```+)\s*"),
    lines=(
        (
            re.compile(r"^(?:-{2,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|~{4,}|\^{4,}|'{3,}|<{3,}|[|,:!]={3,})[ \t]*$", _M),
            "",
        ),
        (re.compile(r"^={1,6}[ \t]+|(?<![ \t])[ \t]+={1,6}[ \t]*$", _M), ""),
        (re.compile(r"^\[[^\n]*\][ \t]*$", _M), ""),
        (re.compile(r"^(?:include|ifn?def|ifeval|endif|toc)::[^\n]*$|^\+[ \t]*$|(?<=[ \t])\+[ \t]*$", _M), ""),
        (re.compile(r"^:!?([\w-]+)!?:(?=[ \t]|$)", _M), r"\1:"),
        (re.compile(r"^\.(?=[^\s.])", _M), ""),
        (re.compile(r"^([ \t]*)(?:\*{1,6}|-|\.{1,6})[ \t]+(?:\[[ xX*]\][ \t]+)?", _M), r"\1"),
        (re.compile(r"^(?:[\d.*+<^>]{0,8}[adehlms]?)\|[ \t]?", _M), ""),
    ),
    inline=plain_asciidoc,
)
_ORG = _LineMarkup(
    opening=re.compile(r"(?:[ \t]*#\+[^\n]*\n)*"),
    closing=re.compile(r"[ \t]*#\+[^\n]*\s*"),
    lines=(
        (re.compile(r"^\*+[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?(?:\[#[A-Z0-9]\][ \t]*)?", _M), ""),
        (re.compile(r"(?<![ \t])[ \t]+:[\w@#%:]+:[ \t]*$", _M), ""),
        (
            re.compile(
                r"^[ \t]*#\+(?:title|subtitle|caption|author|description|keywords)(?:\[[^\]\n]*\])?:[ \t]*",
                _M | re.IGNORECASE,
            ),
            "",
        ),
        (re.compile(r"^[ \t]*#\+[^\n]*$|^[ \t]*:(?:properties|end|logbook):[ \t]*$", _M | re.IGNORECASE), ""),
        (re.compile(r"^([ \t]*):([\w-]+):(?=[ \t])", _M), r"\1\2:"),
        (re.compile(r"^[ \t]*\|[-+]+\|?[ \t]*$|^[ \t]*-{5,}[ \t]*$", _M), ""),
        (re.compile(r"^([ \t]*)[-+][ \t]+(?:\[[ xX-]\][ \t]+)?", _M), r"\1"),
        _BARS,
    ),
    inline=plain_org,
)


def clean_rst(text: str, blocks: Iterable[Block] = (), *, offset: int = 0) -> str:
    """Remove the markup from a piece of reStructuredText; arguments as of `clean_for_embedding`.

    >>> clean_rst("Set up\\n======\\n\\n.. note::\\n\\n   Run ``x_y``.")
    'Set up\\n\\nnote\\n\\n   Run x_y.'
    """
    return _RST.clean(text, blocks, offset)


def clean_asciidoc(text: str, blocks: Iterable[Block] = (), *, offset: int = 0) -> str:
    """Remove the markup from a piece of AsciiDoc; arguments as of `clean_for_embedding`.

    >>> clean_asciidoc("== Set up\\n\\n* Run `x_y`.")
    'Set up\\n\\nRun x_y.'
    """
    return _ASCIIDOC.clean(text, blocks, offset)


def clean_org(text: str, blocks: Iterable[Block] = (), *, offset: int = 0) -> str:
    """Remove the markup from a piece of an Org file; arguments as of `clean_for_embedding`.

    >>> clean_org("** TODO Set up :now:\\n- Run =x_y=.")
    'Set up\\nRun x_y.'
    """
    return _ORG.clean(text, blocks, offset)


class _Cleaner(Protocol):
    """Interface of `clean_for_embedding`: removes markup and never adds a token."""

    def __call__(self, text: str, blocks: Iterable[Block] = (), *, offset: int = 0) -> str: ...


MARKUP: Mapping[str, _Cleaner] = {
    "markdown": clean_for_embedding,
    "notebook": clean_for_embedding,
    "rst": clean_rst,
    "asciidoc": clean_asciidoc,
    "org": clean_org,
}
"""Cleaner by format; other formats have no markup in their text."""


def without_markup(format_name: str, text: str, blocks: Iterable[Block] = (), *, offset: int = 0) -> str:
    """Remove the markup from a piece of a document; unchanged if its format has none.

    Args:
        format_name: of the document.
        text, blocks, offset: as for `clean_for_embedding`.

    >>> without_markup("markdown", "a *b*"), without_markup("text", "a *b*")
    ('a b', 'a *b*')
    """
    clean = MARKUP.get(format_name)
    return text if clean is None else clean(text, blocks, offset=offset)
