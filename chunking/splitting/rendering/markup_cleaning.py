"""Text as the model reads it: without markup, anchors and link targets. The chunk's content is not touched.

Markup is taken away, never replaced by more: between two letters one space stays, so that words do not run together.
The
cleaned text therefore never has more tokens than the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from chunking.model import Block, BlockType
from chunking.text.raised_text import END, sign_tags, write_raised

__all__ = ["clean_for_embedding"]

_MARKUP = re.compile(r"[\[\]<>*_`~#{}|\\]|^[ \t]*[-+>=:]|^[ \t]*\d+[.)]", re.MULTILINE)
"""Text without any of this is clean."""

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
"""Whole lines and what opens or closes a line. No pattern goes over a run of white space from more than one of its
characters, nor has two ways through one text: a hostile document would take minutes."""

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
"""Markup in a line, and the group of it that stays (0: none)."""

_COMMENT, _COMMENT_END = "<!--", "-->"
_OPENING_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[^\n]*\n?")
_CLOSING_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})\s*")
_EMPTY_LINES = re.compile(r"(?<![ \t])[ \t]*\n[ \t]*\n\s*\n")


def clean_for_embedding(text: str, blocks: Iterable[Block] = (), *, offset: int = 0) -> str:
    """A piece of Markdown without its markup.

    Args:
        text: the piece, `document.text[offset:offset + len(text)]`.
        blocks: the document's blocks that overlap it: code stays as it is, but for its fence.
        offset: where the piece starts in the document.
    Returns:
        The text a reader would see; the original where nothing would be left.

    >>> clean_for_embedding("## Set *up* {#setup}\\n\\nSee [the guide](https://example.org/a_b) for `x_y`.")
    'Set up\\n\\nSee the guide for x_y.'
    """
    if not _MARKUP.search(text):
        return text
    parts = []
    done = 0
    for block in blocks:
        if block.type is BlockType.CODE:
            start, end = max(block.start - offset, done), min(block.end - offset, len(text))
            opens, closes = block.start >= offset, block.end - offset <= len(text)
            parts += [_prose(text[done:start]), _code(text[start:end], opens=opens, closes=closes)]
            done = end
    parts.append(_prose(text[done:]))
    return _EMPTY_LINES.sub("\n\n", "".join(parts)).strip() or text


def _code(text: str, *, opens: bool, closes: bool) -> str:
    """Code without its fence: a line of backticks inside it, or where only a part is here, is code."""
    opening = _OPENING_FENCE.match(text) if opens else None
    if opens and not opening:
        return text  # indented
    start = opening.end() if opening else 0
    last = max(text.rfind("\n", start, len(text.rstrip())), start - 1)
    if closes and _CLOSING_FENCE.fullmatch(text, last + 1):
        return text[start : max(last, start)]
    return text[start:]


def _without_comments(text: str) -> str:
    """Up to the first one that is not closed. With a pattern each opening would be looked for an end by itself."""
    parts = []
    done = 0
    while (start := text.find(_COMMENT, done)) >= 0 and (end := text.find(_COMMENT_END, start + len(_COMMENT))) >= 0:
        parts.append(text[done:start])
        done = end + len(_COMMENT_END)
        if text[start - 1 : start].isalnum() and text[done : done + 1].isalnum():
            parts.append(" ")
    return "".join([*parts, text[done:]])


def _prose(text: str) -> str:
    text = sign_tags(_without_comments(text))
    for pattern, kept in _LINES:
        text = pattern.sub(kept, text)
    for pattern, group in _INLINE:
        text = pattern.sub(lambda match, group=group: _apart(match, (match[group] or "") if group else ""), text)  # type: ignore[misc]
    return write_raised(text) if END in text else text


def _apart(match: re.Match[str], kept: str) -> str:
    """What stays of a match, with a space where it would run into a letter beside it."""
    text, start, end = match.string, match.start(), match.end()
    before = text[start - 1 : start].isalnum() and (kept or text[end : end + 1])[:1].isalnum()
    after = bool(kept) and kept[-1:].isalnum() and text[end : end + 1].isalnum()
    return f"{' ' if before else ''}{kept}{' ' if after else ''}"
