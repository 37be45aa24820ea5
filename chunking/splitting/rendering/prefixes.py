"""What is put before a chunk: a table of kinds, and how a prefix that is too long gets shorter."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from chunking.config import Prefix
from chunking.model import Document, Section
from chunking.splitting.rendering.source_hints import section_hint

__all__ = ["JOINT", "SEPARATOR", "prefix_text", "shorter_prefixes"]

JOINT = " > "
"""Between the titles of a path."""
SEPARATOR = "\n\n"
"""Between a prefix and what follows it."""
_GONE = "…"


def _path(section: Section | None) -> tuple[str, ...]:
    return section.title_path if section else ()


def _titles_of_document(document: Document, section: Section | None) -> tuple[str, ...]:
    path = _path(section)
    return path if path[:1] == (document.title,) else (document.title, *path)


def _titles_and_hint(document: Document, section: Section | None) -> tuple[str, ...]:
    """The hint stands last, where shortening comes last; one that says the section's title takes its place."""
    hint = section_hint(document, section) if section else ""
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
    """The whole prefix of the chunks of a section, or of what reaches over all sections (None); empty where there is
    none.

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
