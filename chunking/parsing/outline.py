"""Blocks to the section tree and the table of contents; labels cleaned of markup."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile

from chunking.model import Block, BlockType, Section
from chunking.text.invisible import without_invisible
from chunking.text.raised_text import END, sign_tags, write_raised

__all__ = ["MAX_CHUNK_TOC", "MAX_LABEL", "build_sections", "chunk_toc", "clean_label", "toc"]

MAX_LABEL = 200
"""Characters of a title."""
MAX_CHUNK_TOC = 8_000
"""Characters of the outline that goes with each chunk: all of it with every chunk would be the square of the document.
"""
_MADE_WORDS = 60
"""Characters of a title made from the first words."""

_READ = 600
"""Characters of a heading that are looked at, so that a hostile one costs no more than another."""
_LITERAL = re.compile(r"\\([!-/:-@\[-`{-~])|(?<!`)(`+)(?!`)(.+?)(?<!`)\2(?!`)", re.DOTALL)
_UNDERLINE = re.compile(r"[\r\n]+[ \t]*(?:=+|-+)[ \t]*$")
_HASHES = re.compile(r"^[ \t]*#{1,6}(?=[ \t]|$)|(?<=[ \t])#+[ \t]*$")
_WIKI = re.compile(r"^=(?:[ \t]?=){0,5}[ \t]*(?=[^=])(.*?)[ \t]*=(?:[ \t]?=){0,5}$", re.DOTALL)
"""A heading of wiki markup: its signs stand on both sides."""
_SILENT = re.compile(
    (
        r"^[ \t]*(?:`{3,}|~{3,})[^\r\n]*|^[ \t]*[-*+>][ \t]+|^[ \t]*\|?[ \t]*:?-+:?[ \t]*\|[ "
        r"\t|:-]*(?=[\r\n]|\Z)|(?<!\\)\|"
    ),
    re.MULTILINE,
)
"""Fences, bullets and the lines of a table: no part of a title made from what they enclose."""
_WORD = re.compile(r"\w")
_MARKUP = re.compile(r"[\\`<\[{*~_=&\r\n]")
"""One of these is in all markup that a label is cleaned of, but for the number signs before and after it."""
_GONE = "…"
_PRIVATE = range(0xE000, 0xF900)
"""Letters without a meaning of their own. A document may have them too, so a mark is only what a label does not have.
"""

_CLEANERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<!--(?:(?!<!--|-->).)*+-->", re.DOTALL), " "),
    (re.compile(r"<br\s*/?>", re.IGNORECASE), " "),
    (re.compile(r"\[(?:[#¶§⚓∞]|🔗)?\]\(#[^()\s]*\)"), ""),  # a link of the heading to itself
    (re.compile(r"</?[A-Za-z][^<>]*>"), ""),
    (re.compile(r"[ \t]*\\?\{[ \t]*[#.][^{}\r\n]*\}"), ""),
    (re.compile(r"\[\^[^\[\]]*\]"), ""),
    (re.compile(r"!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)"), r"\1"),
    (re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)"), r"\1"),  # again: a link around an image
    (re.compile(r"!?\[([^\[\]]+)\]\[[^\[\]]*\]"), r"\1"),
    (re.compile(r"(?<!\w)!?\[([^\[\]]*)\]"), r"\1"),
    (re.compile(r"(\*{1,3}|~~)(?=\S)([^*~]+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<!\w)(_{1,3})(?=\S)((?:[^_]|(?<=\w)_(?=\w))+)(?<=\S)\1(?!\w)"), r"\2"),
)
"""Markup and what stays of it, in the order in which it is taken away."""


def clean_label(markdown_or_text: str) -> str:
    r"""A heading's text as a person would say it: one line, no markup, `MAX_LABEL` characters at most.

    Code spans keep what is in them. Empty where nothing is left.

    >>> clean_label("## [`<Transition>`](./x.md) component {#transition}")
    '<Transition> component'
    >>> clean_label("<h2 id='a'>Set\nup <b>it</b></h2>"), clean_label("# C# and snake_case #")
    ('Set up it', 'C# and snake_case')
    >>> clean_label("= = Early life = =")
    'Early life'
    """
    heading = without_invisible(markdown_or_text[:_READ]).strip()
    if not _MARKUP.search(heading):  # most have none, and a document has thousands
        return _shortened(" ".join(_HASHES.sub("", heading).split()), MAX_LABEL)
    marks = (chr(code) for code in _PRIVATE if chr(code) not in heading)
    held: dict[str, str] = {}

    def hold(match: re.Match[str]) -> str:
        mark = next(marks)  # there are more than a label has letters
        held[mark] = match[1] or match[3].strip()
        return mark

    label = _LITERAL.sub(hold, _HASHES.sub("", _UNDERLINE.sub("", _WIKI.sub(r"\1", heading))))
    label = sign_tags(label)
    for pattern, kept in _CLEANERS:
        label = pattern.sub(kept, label)
    label = write_raised(label) if END in label else label
    label = _unescaped(label, held)
    return _shortened(" ".join(label.split()), MAX_LABEL)


def _unescaped(label: str, held: Mapping[str, str]) -> str:
    """With the characters that entities name, and with what was held; an entity may name a mark, and is none."""
    if not held:
        return html.unescape(label)
    return "".join(held.get(part) or html.unescape(part) for part in re.split(f"([{''.join(held)}])", label))


@dataclass(slots=True)
class _Opened:
    """A section whose end is not known yet."""

    start: int
    body: int
    level: int
    title: str
    made: bool
    parent: int | None
    path: tuple[str, ...]
    end: int


def build_sections(doc_id: str, text: str, blocks: Iterable[Block]) -> tuple[Section, ...]:
    """The sections of a document, in reading order, in time linear in the blocks.

    They tile the text: the first starts at 0, and each section's own text ends where the next one starts. Text before
    the first heading is a section of level 0, parent of none. A level that is skipped (1, then 4) nests all the same.
    A block that is no heading opens a section too where its meta say so (`opens_section`: the level): a slide without a
    title is a place of its own, and its text is not that of the slide before it. Its title is its `label`, as a
    function has
    one, else made from the first words.

    Args:
        doc_id: goes into the ids.
        text: the document's.
        blocks: in order and apart.
    """
    blocks = list(blocks)
    places = [n for n, block in enumerate(blocks) if _opens(block)]
    opened = _preamble(text, blocks, places[0] if places else len(blocks))
    stack: list[int] = []
    for place in places:
        heading = blocks[place]
        while stack and opened[stack[-1]].level >= _opens(heading):
            opened[stack.pop()].end = heading.start
        opened.append(_section(text, blocks, place, stack[-1] if stack else None, opened))
        stack.append(len(opened) - 1)
    if opened:
        opened[0].start = 0
    return tuple(_close(doc_id, opened, n, len(text)) for n in range(len(opened)))


def toc(sections: Sequence[Section]) -> str:
    """The outline: a line a section, two spaces of indent for each section it stands in."""
    depths: dict[str, int] = {}
    lines = []
    for section in sections:
        depths[section.section_id] = depth = 0 if section.parent_id is None else depths[section.parent_id] + 1
        lines.append("  " * depth + section.title)
    return "\n".join(lines)


def chunk_toc(outline: str) -> str:
    """The outline as it goes with a chunk: at most `MAX_CHUNK_TOC` characters, without the deepest levels if need be.

    Args:
        outline: as `toc` makes it.
    Returns:
        The outline itself where it is short enough; else its last line is `…`.
    """
    if len(outline) <= MAX_CHUNK_TOC:
        return outline
    lines = outline.split("\n")
    depths = [(len(line) - len(line.lstrip(" "))) // 2 for line in lines]
    lengths = Counter[int]()
    for line, depth in zip(lines, depths, strict=True):
        lengths[depth] += len(line) + 1
    room = MAX_CHUNK_TOC - len(_GONE)
    totals = accumulate(lengths[depth] for depth in range(max(depths) + 1))
    deepest = max(sum(total <= room for total in totals) - 1, 0)
    kept = [line for line, depth in zip(lines, depths, strict=True) if depth <= deepest]
    fitting = sum(total <= room for total in accumulate(len(line) + 1 for line in kept))
    return "\n".join([*kept[:fitting], _GONE])


def _preamble(text: str, blocks: Sequence[Block], before: int) -> list[_Opened]:
    """The section before the first heading, if any text stands there."""
    if not before:
        return []
    end = blocks[before].start if before < len(blocks) else len(text)
    title = _made_title(text, blocks[:before])
    return [_Opened(0, blocks[0].start, 0, title, True, None, (), end)]


def _opens(block: Block) -> int:
    """Level of the section that a block opens; 0 where it opens none."""
    if block.type is BlockType.HEADING:
        return block.level or 1
    level: int = block.meta.get("opens_section", 0)
    return level


def _own_blocks(blocks: Sequence[Block], place: int) -> list[Block]:
    """The block that opens a section, and the first few under it: one that says nothing (mail headers) is no title."""
    return [blocks[place], *takewhile(lambda block: not _opens(block), blocks[place + 1 : place + 4])]


def _section(text: str, blocks: Sequence[Block], place: int, parent: int | None, opened: Sequence[_Opened]) -> _Opened:
    heading = blocks[place]
    headed = heading.type is BlockType.HEADING
    title = _label(text, heading) if headed or "label" in heading.meta else ""
    above = opened[parent].path if parent is not None else ()
    after = blocks[place + 1].start if place + 1 < len(blocks) else len(text)
    made = not title
    return _Opened(
        start=heading.start,
        body=after if headed else heading.start,
        level=_opens(heading),
        title=title or _made_title(text, blocks[place + 1 : place + 2] if headed else _own_blocks(blocks, place)),
        made=made,
        parent=parent,
        path=above if made else (*above, title),
        end=len(text),
    )


def _label(text: str, heading: Block) -> str:
    """A heading's label: as its reader cleaned it, where its markup is another than Markdown's."""
    if isinstance(label := heading.meta.get("label"), str):
        return _shortened(" ".join(label[:_READ].split()), MAX_LABEL)
    return clean_label(text[heading.start : min(heading.end, heading.start + _READ)])


def _close(doc_id: str, opened: Sequence[_Opened], n: int, length: int) -> Section:
    row = opened[n]
    return Section(
        section_id=f"{doc_id}_sec{n}",
        parent_id=None if row.parent is None else f"{doc_id}_sec{row.parent}",
        level=row.level,
        title=row.title,
        title_path=row.path,
        start=row.start,
        end=row.end,
        body_start=row.body,
        own_end=opened[n + 1].start if n + 1 < len(opened) else length,
        title_made=row.made,
    )


def _made_title(text: str, blocks: Iterable[Block]) -> str:
    """The first words of the first block that says something; markup and front matter speak only where nothing else
    does.
    """
    blocks = [block for block in blocks if block.type is not BlockType.HEADING]
    loud = [block for block in blocks if block.type not in (BlockType.METADATA, BlockType.HTML)]
    for block in (*loud, *(block for block in blocks if block.type is BlockType.HTML)):
        words = _SILENT.sub(" ", text[block.start : min(block.end, block.start + _READ)])
        is_source = (
            block.type is BlockType.CODE and block.meta.get("fenced") is False
        )  # what looks like markup in it is none
        label = " ".join(words.split()) if is_source else clean_label(words)
        if _WORD.search(label):
            return _shortened(label, _MADE_WORDS)
    return "Front matter" if any(block.type is BlockType.METADATA for block in blocks) else "Untitled"


def _shortened(label: str, limit: int) -> str:
    """At most `limit` characters, cut at a word where there is one."""
    if len(label) <= limit:
        return label
    head = label[: limit - 1]
    space = head.rfind(" ", limit // 2)
    return (head[:space] if space > 0 else head).rstrip() + _GONE
