"""Build the section tree and the table of contents from blocks; clean markup from labels."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile

from chunking.model import Block, BlockType, Section
from chunking.text.folding import without_invisible
from chunking.text.raised_text import END, sign_tags, write_raised

__all__ = ["MAX_CHUNK_TOC", "MAX_LABEL", "build_sections", "chunk_toc", "clean_label", "toc"]

MAX_LABEL = 200
"""Most characters of a title."""
MAX_CHUNK_TOC = 8_000
"""Most characters of the outline in each chunk; the full outline would make the size quadratic."""
_MADE_WORDS = 60
"""Most characters of a title made from the first words."""

_READ = 600
"""Characters examined of a heading, so that a hostile one costs no more than another."""
_LITERAL = re.compile(r"\\([!-/:-@\[-`{-~])|(?<!`)(`+)(?!`)(.+?)(?<!`)\2(?!`)", re.DOTALL)
_UNDERLINE = re.compile(r"[\r\n]+[ \t]*(?:=+|-+)[ \t]*$")
_HASHES = re.compile(r"^[ \t]*#{1,6}(?=[ \t]|$)|(?<=[ \t])#+[ \t]*$")
_WIKI = re.compile(r"^=(?:[ \t]?=){0,5}[ \t]*(?=[^=])(.*?)[ \t]*=(?:[ \t]?=){0,5}$", re.DOTALL)
"""A heading in wiki markup, between its signs."""
_SILENT = re.compile(
    (
        r"^[ \t]*(?:`{3,}|~{3,})[^\r\n]*|^[ \t]*[-*+>][ \t]+|^[ \t]*\|?[ \t]*:?-+:?[ \t]*\|[ "
        r"\t|:-]*(?=[\r\n]|\Z)|(?<!\\)\|"
    ),
    re.MULTILINE,
)
"""Fences, bullets and table lines, which do not go into a title made from the content."""
_WORD = re.compile(r"\w")
_MARKUP = re.compile(r"[\\`<\[{*~_=&\r\n]")
"""Cheap test: removable markup has one of these, except number signs around a label."""
_ELLIPSIS = "…"
_PRIVATE = range(0xE000, 0xF900)
"""Private-use characters as placeholders; only ones missing from the label are used."""

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
"""Markup and its replacement, in order."""


def clean_label(markdown_or_text: str) -> str:
    r"""Return a heading's text in one line without markup, at most `MAX_LABEL` characters.

    Markdown, HTML and wiki markup is removed; the text of code spans stays. Empty if only markup was there. Only the
    first 600 characters are examined.

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
    literals: dict[str, str] = {}

    def hold(match: re.Match[str]) -> str:
        mark = next(marks)  # there are more than a label has letters
        literals[mark] = match[1] or match[3].strip()
        return mark

    label = _LITERAL.sub(hold, _HASHES.sub("", _UNDERLINE.sub("", _WIKI.sub(r"\1", heading))))
    label = sign_tags(label)
    for pattern, replacement in _CLEANERS:
        label = pattern.sub(replacement, label)
    label = write_raised(label) if END in label else label
    label = _unescaped(label, literals)
    return _shortened(" ".join(label.split()), MAX_LABEL)


def _unescaped(label: str, literals: Mapping[str, str]) -> str:
    """Resolve entities and placeholders; an entity that stands for a placeholder is kept."""
    if not literals:
        return html.unescape(label)
    return "".join(literals.get(part) or html.unescape(part) for part in re.split(f"([{''.join(literals)}])", label))


@dataclass(slots=True)
class _OpenSection:
    """A section whose end is not known yet."""

    start: int
    body: int
    level: int
    title: str
    title_made: bool
    parent: int | None
    path: tuple[str, ...]
    end: int


def build_sections(doc_id: str, text: str, blocks: Iterable[Block]) -> tuple[Section, ...]:
    """Build the sections of a document from its headings, in reading order; empty without blocks.

    They tile the text: the first starts at 0, and each section's own text ends where the next one starts. Text before
    the first heading is a section of level 0, parent of none. A skipped level (1, then 4) nests all the same.

    A block that is no heading opens a section too if its meta says so (`opens_section`: the level): a slide without a
    title is a section of its own. Its title is its `label`, as of a function, else made from the first words.

    Args:
        doc_id: prefix of the ids.
        text: the document's.
        blocks: in order and disjoint.
    """
    blocks = list(blocks)
    places = [n for n, block in enumerate(blocks) if _opens(block)]
    rows = _preamble(text, blocks, places[0] if places else len(blocks))
    stack: list[int] = []
    for place in places:
        heading = blocks[place]
        while stack and rows[stack[-1]].level >= _opens(heading):
            rows[stack.pop()].end = heading.start
        rows.append(_section(text, blocks, place, stack[-1] if stack else None, rows))
        stack.append(len(rows) - 1)
    if rows:
        rows[0].start = 0
    return tuple(_close(doc_id, rows, n, len(text)) for n in range(len(rows)))


def toc(sections: Sequence[Section]) -> str:
    """Return the outline: a line per section with its title, two spaces per level of nesting."""
    depths: dict[str, int] = {}
    lines = []
    for section in sections:
        depths[section.section_id] = depth = 0 if section.parent_id is None else depths[section.parent_id] + 1
        lines.append("  " * depth + section.title)
    return "\n".join(lines)


def chunk_toc(outline: str) -> str:
    """Shorten an outline to `MAX_CHUNK_TOC` characters: drop the deepest levels, then last lines.

    Args:
        outline: from `toc`.
    Returns:
        The outline itself if short enough; else its last line is `…`.
    """
    if len(outline) <= MAX_CHUNK_TOC:
        return outline
    lines = outline.split("\n")
    depths = [(len(line) - len(line.lstrip(" "))) // 2 for line in lines]
    lengths = Counter[int]()
    for line, depth in zip(lines, depths, strict=True):
        lengths[depth] += len(line) + 1
    room = MAX_CHUNK_TOC - len(_ELLIPSIS)
    totals = accumulate(lengths[depth] for depth in range(max(depths) + 1))
    deepest = max(sum(total <= room for total in totals) - 1, 0)
    shallow = [line for line, depth in zip(lines, depths, strict=True) if depth <= deepest]
    fitting = sum(total <= room for total in accumulate(len(line) + 1 for line in shallow))
    return "\n".join([*shallow[:fitting], _ELLIPSIS])


def _preamble(text: str, blocks: Sequence[Block], before: int) -> list[_OpenSection]:
    """Return the section before the first heading, if there is text."""
    if not before:
        return []
    end = blocks[before].start if before < len(blocks) else len(text)
    title = _made_title(text, blocks[:before])
    return [_OpenSection(0, blocks[0].start, 0, title, True, None, (), end)]


def _opens(block: Block) -> int:
    """Level of the section that a block opens; 0 for none."""
    if block.type is BlockType.HEADING:
        return block.level or 1
    level: int = block.meta.get("opens_section", 0)
    return level


def _own_blocks(blocks: Sequence[Block], place: int) -> list[Block]:
    """Blocks at the start of a section from which a title is made: mail headers alone make none."""
    return [blocks[place], *takewhile(lambda block: not _opens(block), blocks[place + 1 : place + 4])]


def _section(
    text: str, blocks: Sequence[Block], place: int, parent: int | None, rows: Sequence[_OpenSection]
) -> _OpenSection:
    heading = blocks[place]
    headed = heading.type is BlockType.HEADING
    title = _label(text, heading) if headed or "label" in heading.meta else ""
    parent_path = rows[parent].path if parent is not None else ()
    after = blocks[place + 1].start if place + 1 < len(blocks) else len(text)
    is_made = not title
    return _OpenSection(
        start=heading.start,
        body=after if headed else heading.start,
        level=_opens(heading),
        title=title or _made_title(text, blocks[place + 1 : place + 2] if headed else _own_blocks(blocks, place)),
        title_made=is_made,
        parent=parent,
        path=parent_path if is_made else (*parent_path, title),
        end=len(text),
    )


def _label(text: str, heading: Block) -> str:
    """Label of a heading; readers of markup other than Markdown have cleaned it already."""
    if isinstance(label := heading.meta.get("label"), str):
        return _shortened(" ".join(label[:_READ].split()), MAX_LABEL)
    return clean_label(text[heading.start : min(heading.end, heading.start + _READ)])


def _close(doc_id: str, rows: Sequence[_OpenSection], n: int, length: int) -> Section:
    row = rows[n]
    return Section(
        section_id=f"{doc_id}_sec{n}",
        parent_id=None if row.parent is None else f"{doc_id}_sec{row.parent}",
        level=row.level,
        title=row.title,
        title_path=row.path,
        start=row.start,
        end=row.end,
        body_start=row.body,
        own_end=rows[n + 1].start if n + 1 < len(rows) else length,
        title_made=row.title_made,
    )


def _made_title(text: str, blocks: Iterable[Block]) -> str:
    """First words of the first block with words; of HTML only if there is no other block."""
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
    """Shorten a label to at most `limit` characters, at a word if possible."""
    if len(label) <= limit:
        return label
    head = label[: limit - 1]
    space = head.rfind(" ", limit // 2)
    return (head[:space] if space > 0 else head).rstrip() + _ELLIPSIS
