"""Remove the markup of reStructuredText, AsciiDoc and Org for the model.

As in `markup_cleaning`, nothing is added: a cleaned text has no more tokens than the original. No pattern scans a run
of white space from more than one of its characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from chunking.model import Block, BlockType
from chunking.parsing.formats.markup.inline_markup import plain_asciidoc, plain_org, plain_rst

__all__ = ["clean_asciidoc", "clean_org", "clean_rst"]

_EMPTY_LINES = re.compile(r"(?<![ \t])[ \t]*\n[ \t]*\n\s*\n")
_M = re.MULTILINE


@dataclass(frozen=True, slots=True)
class _LineMarkup:
    """The markup of lines in a format."""

    opening: re.Pattern[str]
    """Directive, attributes and delimiter before code."""
    closing: re.Pattern[str]
    """Delimiter after code."""
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
"""The outer bars of a table's row."""

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
