"""Prefix of a chunk: titles and source hints, and ever shorter forms if it is too long."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter

from chunking.config import Prefix
from chunking.model import Block, BlockType, Document, Section
from chunking.splitting.rendering.table_text import caption_of

__all__ = ["JOINT", "SEPARATOR", "prefix_text", "shorter_prefixes", "source_hint"]

JOINT = " > "
"""Separator of the titles of a path."""
SEPARATOR = "\n\n"
"""Separator between a prefix and the text after it."""
_ELLIPSIS = "…"
_HINTS: dict[str, str] = {BlockType.CODE: "Code", BlockType.TABLE: "Table", BlockType.QA: "Q&A"}
"""Label of a block in a source hint."""
_LENGTH = 80
_START = attrgetter("start")


def _path(section: Section | None) -> tuple[str, ...]:
    return section.title_path if section else ()


def _titles_of_document(document: Document, section: Section | None) -> tuple[str, ...]:
    path = _path(section)
    return path if path[:1] == (document.title,) else (document.title, *path)


def _titles_and_hint(document: Document, section: Section | None) -> tuple[str, ...]:
    """Return titles and hint of a section.

    The hint is last, where shortening ends, and replaces a title that it repeats.
    """
    hint = _section_hint(document, section) if section else ""
    path = _path(section)
    return (*(path[:-1] if path and hint.endswith(f"] {path[-1]}") else path), hint)


_TITLES: dict[Prefix, Callable[[Document, Section | None], tuple[str, ...]]] = {
    Prefix.NONE: lambda document, section: (),
    Prefix.HEADER: lambda document, section: (
        (section.title,) if section and section.level and not section.title_made else ()
    ),
    Prefix.TITLE_PATH: lambda document, section: _path(section),
    Prefix.DOCUMENT_TITLE_PATH: _titles_of_document,
    Prefix.FILE_TITLE_PATH: lambda document, section: (document.source, *_path(section)),
    Prefix.TITLE_PATH_HINT: _titles_and_hint,
    Prefix.SUMMARY: lambda document, section: _path(section),
    Prefix.CONTEXT: lambda document, section: _path(section),
}


def prefix_text(document: Document, section: Section | None, kind: Prefix) -> str:
    """Return the full prefix of a section's chunks, possibly empty; None: text outside any section.

    With `Prefix.HEADER` it is for the chunks after the first, which has the heading in its content.
    """
    return JOINT.join(title for title in _TITLES[kind](document, section) if title)


def shorter_prefixes(prefix: str) -> Iterator[str]:
    """Yield ever shorter forms of a prefix, dropping titles and then words at the front.

    >>> list(shorter_prefixes("Guide > Install > On Linux"))
    ['… > Install > On Linux', '… > On Linux', '… Linux']
    """
    titles = prefix.split(JOINT)
    for number in range(1, len(titles)):
        yield JOINT.join([_ELLIPSIS, *titles[number:]])
    words = titles[-1].split()
    for number in range(1, len(words)):
        yield " ".join([_ELLIPSIS, *words[number:]])


def source_hint(document: Document, kind: str, blocks: Sequence[Block], section: Section | None) -> str:
    """Return the hint of a text, such as `[Code] nginx` or `[Q&A] What is ...?`; empty for running text.

    Args:
        kind: type of the block that fills most of the text.
        blocks: blocks in the text, at least one of that type.
        section: names a block without a caption; None: the text is in several.
    """
    label = _HINTS.get(kind)
    if label is None:
        return ""
    block = max((block for block in blocks if block.type == kind), key=lambda block: block.end - block.start)
    subject = str(block.meta.get("language") or "")
    if block.type is BlockType.QA:
        subject = document.text[block.start : int(block.meta.get("question_end", block.end))]
    if not subject:
        subject = caption_of(block, "" if section is None or section.title_made else section.title)
    return f"[{label}] {' '.join(subject.split())[:_LENGTH]}".rstrip()


def _section_hint(document: Document, section: Section) -> str:
    """Return the hint of a section, by the type that fills most of it without headings and subsections."""
    first = bisect_left(document.blocks, section.start, key=_START)
    after = bisect_left(document.blocks, section.own_end, lo=first, key=_START)
    blocks = [block for block in document.blocks[first:after] if block.type is not BlockType.HEADING]
    filled: Counter[BlockType] = Counter()
    for block in blocks:
        filled[block.type] += block.end - block.start
    return source_hint(document, filled.most_common(1)[0][0], blocks, section) if filled else ""
