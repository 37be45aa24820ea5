"""What is put before a chunk: a table of kinds, and how a prefix that is too long gets shorter."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from chunking.config import Prefix
from chunking.model import Document, Section

__all__ = ["JOINT", "SEPARATOR", "prefix_text", "shorter_prefixes"]

JOINT = " > "
"""Between the titles of a path."""
SEPARATOR = "\n\n"
"""Between a prefix and what follows it."""
_GONE = "…"


def _titles_of_document(document: Document, section: Section) -> tuple[str, ...]:
    path = section.title_path
    return path if path[:1] == (document.title,) else (document.title, *path)


_TITLES: dict[Prefix, Callable[[Document, Section], tuple[str, ...]]] = {
    Prefix.NONE: lambda document, section: (),
    Prefix.HEADER: lambda document, section: () if section.title_made or not section.level else (section.title,),
    Prefix.TITLE_PATH: lambda document, section: section.title_path,
    Prefix.DOCUMENT_TITLE_PATH: _titles_of_document,
}


def prefix_text(document: Document, section: Section, kind: Prefix) -> str:
    """The whole prefix of the chunks of a section; empty where there is none.

    With `Prefix.HEADER` it is for the chunks after the first one, which has the heading in its content.
    """
    return JOINT.join(title for title in _TITLES[kind](document, section) if title)


def shorter_prefixes(prefix: str) -> Iterator[str]:
    """Ever shorter forms that keep the end: first whole titles go from the front, then words of the deepest one.

    >>> list(shorter_prefixes("Guide > Install > On Linux"))
    ['… > Install > On Linux', '… > On Linux', '… Linux']
    """
    titles = prefix.split(JOINT)
    for number in range(1, len(titles)):
        yield JOINT.join([_GONE, *titles[number:]])
    words = titles[-1].split()
    for number in range(1, len(words)):
        yield " ".join([_GONE, *words[number:]])
