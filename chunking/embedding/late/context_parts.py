"""What belongs to a chunk's vector beside the span of its text, as parts that are the same for any size.

A prefix is taken apart into titles, so that one that is shortened is made of the same titles. Of a table's description
what
is not in the rows are the names of the columns, and these stand in the document.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from chunking.model import Block, BlockType, Chunk, Document, Flag, Span

__all__ = ["ContextPart", "ContextParts", "context_parts_of", "header_spans", "parts_of_prefix", "title_texts"]

_JOINT, _SEPARATOR, _GONE = " > ", "\n\n", "…"
"""As `splitting.chunks.prefixes` writes a prefix."""
_START, _END = attrgetter("start"), attrgetter("end")


class ContextPart(NamedTuple):
    """A text that is encoded by itself."""

    text: str
    share: float = 1.0
    """How much of it stands there: less than 1 where words of a title were left out."""


@dataclass(frozen=True, slots=True)
class ContextParts:
    """All that belongs to a chunk besides its span."""

    texts: tuple[ContextPart, ...]
    spans: tuple[Span, ...]
    """Places of the document: the header rows of tables of which the chunk holds a later part."""


def title_texts(document: Document) -> tuple[str, ...]:
    """Every title of a document and its path, each once: what prefixes are made of, whatever the size."""
    paths = (document.title, *(title for section in document.sections for title in section.title_path), document.source)
    return tuple(dict.fromkeys(title for path in paths for title in path.split(_JOINT) if title.strip()))


def context_parts_of(document: Document, chunk: Chunk, titles: tuple[str, ...]) -> ContextParts:
    """What stands beside a chunk.

    Args:
        titles: `title_texts` of the document.
    """
    headers = tuple(header_spans(document, chunk.start, chunk.end))
    texts = [*parts_of_prefix(chunk.prefix, titles, in_table=bool(headers), written=chunk.written)]
    generated = bool(chunk.description) and Flag.GENERATED in chunk.flags
    texts += [ContextPart(text) for text in (chunk.written, chunk.description if generated else "") if text.strip()]
    return ContextParts(tuple(texts), () if generated else headers)


def parts_of_prefix(
    prefix: str, titles: tuple[str, ...], *, in_table: bool, written: str = ""
) -> Iterator[ContextPart]:
    """The titles of a prefix, without what was written behind them, and without the header of a table in which the
    chunk begins.

    Args:
        titles: `title_texts` of the document.
        in_table: the chunk begins in a table (`header_spans` has something for it).
    """
    path, separator, _ = prefix.partition(_SEPARATOR)
    path = path.removesuffix(written).strip()
    only_header = in_table and not separator and not all(title in titles for title in path.split(_JOINT))
    yield from _of_path("" if only_header else path, titles)


def _of_path(path: str, titles: tuple[str, ...]) -> Iterator[ContextPart]:
    for title in path.split(_JOINT):
        title = title.strip()
        if title.startswith(_GONE) and title not in titles:
            title = title.removeprefix(_GONE).strip()
            whole = next((one for one in titles if title and one.endswith(title)), title)
            if whole:
                yield ContextPart(whole, len(title) / len(whole))
        elif title:
            yield ContextPart(title)


def header_spans(document: Document, start: int, end: int) -> Iterator[Span]:
    """Header rows of the tables that began before a chunk."""
    first = bisect_right(document.blocks, start, key=_END)
    after = bisect_left(document.blocks, end, lo=first, key=_START)
    for block in document.blocks[first:after]:
        header_end = _header_end(block)
        if block.start < start and header_end > block.start:
            yield Span(block.start, min(header_end, start))


def _header_end(block: Block) -> int:
    return int(block.meta.get("header_end", block.start)) if block.type is BlockType.TABLE else block.start
