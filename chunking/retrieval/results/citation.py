"""Citations of chunks for people."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.model import CLUSTER, Chunk

__all__ = ["cite", "cited_place", "document_file", "document_title", "page_words", "ranges"]


def cite(chunk: Chunk) -> str:
    """Format a citation: document title › title path · file · page · characters.

    The document's title is not repeated if the path begins with it, nor the file if the document has no other title.
    Offsets count from 0; the second is one past the last character, as everywhere. A summary is cited as one, with the
    place of its section or document.
    """
    if chunk.level == CLUSTER:
        return f"Summary of {len(chunk.children)} similar texts"
    titles, place = cited_place(document_title(chunk), document_file(chunk), chunk.title_path, chunk.start, chunk.end)
    return " · ".join([titles if chunk.content else f"Summary of {titles}", *_pages(chunk), place])


def cited_place(title: str, file: str, title_path: Sequence[str], start: int, end: int) -> tuple[str, str]:
    """Return the first part of a citation (titles and file) and the last (characters).

    >>> cited_place("Handbook", "guide/handbook.md", ("Handbook", "Install"), 12, 90)
    ('Handbook › Install · guide/handbook.md', 'characters 12–90')
    """
    path = tuple(title_path[1:] if tuple(title_path[:1]) == (title,) else title_path)
    named = (file, *path) if title == file.rpartition("/")[2] else (title, *path)
    titles = " › ".join(named)
    return titles if not file or named[0] == file else f"{titles} · {file}", f"characters {start}–{end}"


def document_title(chunk: Chunk) -> str:
    """Return the title of a chunk's document, else its file name or id; for a cluster a label."""
    if chunk.level == CLUSTER:
        return "Summary tree"
    return str(chunk.metadata.get("title") or chunk.metadata.get("file_name") or chunk.doc_id)


def document_file(chunk: Chunk) -> str:
    """Return the path of the chunk's document, else its file name; empty for a cluster."""
    return (
        str(chunk.metadata.get("relative_path") or chunk.metadata.get("file_name") or "")
        if chunk.level != CLUSTER
        else ""
    )


def _pages(chunk: Chunk) -> list[str]:
    """Return the pages of a chunk as a list of one phrase; empty if its format has no pages."""
    return [page_words(str(chunk.metadata.get("format")), chunk.pages)] if chunk.pages else []


def page_words(format_name: str, pages: Sequence[int]) -> str:
    """Format pages with the word of their format; seconds as the times of the first and the last.

    >>> page_words("pdf", [3]), page_words("pptx", [4, 3, 7]), page_words("subtitles", [84, 131])
    ('page 3', 'slides 3–4, 7', '00:01:23–00:02:10')
    """
    from chunking.parsing import format_named

    row, numbers = format_named(format_name), sorted(set(pages))
    if row is not None and row.clock:
        return "–".join(_time(number - 1) for number in dict.fromkeys([numbers[0], numbers[-1]]))
    word = (row.page if row is not None else "") or "page"
    return f"{word}{'s' if len(numbers) > 1 else ''} {ranges(numbers)}"


def _time(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def ranges(numbers: Sequence[int]) -> str:
    """Format ascending numbers, with consecutive ones as a range.

    >>> ranges([3]), ranges([3, 4]), ranges([1, 2, 3, 7])
    ('3', '3–4', '1–3, 7')
    """
    firsts = [number for number in numbers if number - 1 not in numbers]
    lasts = [number for number in numbers if number + 1 not in numbers]
    return ", ".join(
        str(first) if first == last else f"{first}–{last}" for first, last in zip(firsts, lasts, strict=True)
    )
