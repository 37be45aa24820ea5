"""Remove markup, anchors and link targets of Markdown for the model; a chunk's content keeps them.

Nothing is added but one space between two letters, so that words do not run together: a cleaned text never has more
tokens than the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from chunking.model import Block, BlockType
from chunking.text.raised_text import END, sign_tags, write_raised

__all__ = ["clean_for_embedding"]

_MARKUP = re.compile(r"[\[\]<>*_`~#{}|\\]|^[ \t]*[-+>=:]|^[ \t]*\d+[.)]", re.MULTILINE)
"""Text without a match is clean."""

_LINES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^[ \t]*\[[^\]\n]+\]:[ \t]*\S+[^\n]*$", re.MULTILINE), ""),  # link definitions
    (re.compile(r"^[ \t|:]*-{3}[-:| \t]*$", re.MULTILINE), ""),  # the rule under a table's header
    (re.compile(r"^[ \t]*=+[ \t]*$", re.MULTILINE), ""),  # the rule under a heading
    (re.compile(r"^(?:[ \t]*>[ \t]?)+", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE), ""),
    (re.compile(r"(?<![ \t])[ \t]+#+[ \t]*$", re.MULTILINE), ""),
    (re.compile(r"^([ \t]*)[-*+][ \t]+(?:\[[ xX]\][ \t]+)?", re.MULTILINE), r"\1"),
    (re.compile(r"^[ \t]*\|[ \t]*|(?:(?<![ \t])[ \t]+)?\|[ \t]*$", re.MULTILINE), ""),  # a table row's outer bars
)
"""Markup of whole lines, and at their ends. No pattern scans a run of white space from more than one of its characters,
nor matches a text in two ways: a hostile document would take minutes."""

_INLINE: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"(?:(?<![ \t])[ \t]+)?\\?\{[ \t]*[#.][^{}\n]*\}"), 0),  # {#anchor}
    (re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?\)"), 1),
    (
        re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?\)"),
        1,
    ),  # a link around an image
    (re.compile(r"!?\[([^\[\]]+)\]\[[^\[\]]*\]"), 1),
    (re.compile(r"<((?:https?|mailto):[^<>\s]+)>"), 1),
    (re.compile(r"(?<!`)(`+)(?!`)([^`]+)\1(?!`)|</?[A-Za-z][^<>]{0,1000}>"), 2),  # in code `<name>` is no tag
    (re.compile(r"(\*{1,3}|~~)(?=\S)([^*~\n]+?)(?<=\S)\1"), 2),
    (re.compile(r"(?<!\w)(_{1,2})(?=\S)([^_\n]+?)(?<=\S)\1(?!\w)"), 2),
)
"""Markup in a line, and the group that remains (0: none)."""

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
    for pattern, replacement in _LINES:
        text = pattern.sub(replacement, text)
    for pattern, group in _INLINE:
        text = pattern.sub(lambda match, group=group: _apart(match, (match[group] or "") if group else ""), text)  # type: ignore[misc]
    return write_raised(text) if END in text else text


def _apart(match: re.Match[str], rest: str) -> str:
    """The rest of a match, with a space where it would run into the letter next to it."""
    text, start, end = match.string, match.start(), match.end()
    before = text[start - 1 : start].isalnum() and (rest or text[end : end + 1])[:1].isalnum()
    after = bool(rest) and rest[-1:].isalnum() and text[end : end + 1].isalnum()
    return f"{' ' if before else ''}{rest}{' ' if after else ''}"
