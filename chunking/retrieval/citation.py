"""Where a chunk stands, for people."""

from __future__ import annotations

from chunking.model import Chunk

__all__ = ["cite", "document_title"]


def cite(chunk: Chunk) -> str:
    """Document title › title path · page · characters.

    The document's title is not said twice where the path begins with it. Offsets count from 0; the second is one past
    the last character, as everywhere.
    """
    title = document_title(chunk)
    path = chunk.title_path[1:] if chunk.title_path[:1] == (title,) else chunk.title_path
    return " · ".join([" › ".join((title, *path)), *_pages(chunk.pages), f"characters {chunk.start}–{chunk.end}"])


def document_title(chunk: Chunk) -> str:
    """The title of the chunk's document, else its file's name, else its id."""
    return str(chunk.metadata.get("title") or chunk.metadata.get("file_name") or chunk.doc_id)


def _pages(pages: tuple[int, ...]) -> list[str]:
    """
    >>> _pages(()), _pages((3,)), _pages((3, 4))
    ([], ['page 3'], ['pages 3–4'])
    """
    if not pages:
        return []
    first, last = min(pages), max(pages)
    return [f"page {first}" if first == last else f"pages {first}–{last}"]
