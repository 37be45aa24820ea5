"""What the patterns of a configuration make of a document: other sections (`headings_from`), and boundaries
(`split_before`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from chunking.config import ChunkConfig, Config
from chunking.config.pattern_settings import heading_patterns, split_patterns
from chunking.config.safe_patterns import Matches, find_matches, most_work
from chunking.model import Document
from chunking.parsing.headings.pattern_headings import FoundHeadings, find_headings, with_headings

__all__ = ["Patterned", "all_matches", "headings_key", "patterned", "shaped"]

_KEPT = 8


@dataclass(frozen=True, slots=True, eq=False)
class Patterned:
    """A document as patterns make it."""

    document: Document
    """With the headings that patterns find; the given one where there are none."""
    headings: FoundHeadings | None
    """None without patterns for headings."""
    splits: tuple[Matches, ...]
    """What each pattern of `split_before` matches."""
    warnings: tuple[str, ...]
    """A sentence for each pattern that was given up."""

    @property
    def offsets(self) -> list[int]:
        """The characters before which a chunk has to start, ascending."""
        return sorted({start for found in self.splits for start in found.starts})


class _Recent:
    """The last results, by the identity of their documents, which they hold."""

    def __init__(self) -> None:
        self._rows: list[tuple[Document, tuple[str, str], Patterned]] = []
        self._lock = Lock()

    def get(self, document: Document, key: tuple[str, str]) -> Patterned | None:
        with self._lock:
            return next((made for of, asked, made in self._rows if of is document and asked == key), None)

    def put(self, document: Document, key: tuple[str, str], made: Patterned) -> None:
        with self._lock:
            self._rows = [(document, key, made), *self._rows[: _KEPT - 1]]


_recent = _Recent()


def patterned(document: Document, config: ChunkConfig) -> Patterned:
    """Apply the patterns of a configuration; without any, the document itself. The same call gives the same object for
    a while.

    Args:
        config: the document's own, its category's settings in it.
    """
    key = (config.headings_from, config.split_before)
    if key == ("", ""):
        return Patterned(document, None, (), ())
    made = _recent.get(document, key)
    if made is None:
        made = _apply(document, config)
        _recent.put(document, key, made)
    return made


def shaped(document: Document, config: Config) -> Document:
    """A document with the sections that its chunks under a configuration name: those of `headings_from`, for its
    category.
    """
    return patterned(document, config.for_category(document.category).chunk).document


def headings_key(config: Config) -> tuple[tuple[str, str], ...]:
    """What decides the sections of documents of any category: equal keys, equal `shaped` documents; empty without
    patterns.
    """
    categories = ("", *(category for category, _ in config.categories))
    patterns = ((category, config.for_category(category).chunk.headings_from) for category in categories)
    general = config.chunk.headings_from
    return tuple(row for row in patterns if row[1] != (general if row[0] else ""))


def _apply(document: Document, config: ChunkConfig) -> Patterned:
    patterns = heading_patterns(config.headings_from)
    heads = all_matches([one.source for one in patterns], document.text)
    splits = all_matches(split_patterns(config.split_before), document.text)
    found = find_headings(document, patterns, heads) if patterns else None
    warnings = tuple(
        f"The pattern {one.source} {one.fault} (in {document.source}); it is left out there."
        for one in (*heads, *splits)
        if one.fault
    )
    return Patterned(with_headings(document, found) if found else document, found, splits, warnings)


def all_matches(sources: Iterable[str], text: str) -> tuple[Matches, ...]:
    """What each of several patterns matches; together they may take `most_work`, and those behind are given up."""
    found: list[Matches] = []
    left = most_work(text)
    for source in sources:
        if left < 0:
            found.append(
                Matches(source, (), (), "was not tried, because those before it take too long in a text of this length")
            )
            continue
        found.append(find_matches(source, text))
        left -= found[-1].work
    return tuple(found)
