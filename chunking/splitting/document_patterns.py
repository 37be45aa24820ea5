"""The patterns of a configuration applied to a document: `headings_from` and `split_before`."""

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

_REMEMBERED = 8


@dataclass(frozen=True, slots=True, eq=False)
class Patterned:
    """A document with the headings and boundaries that patterns find."""

    document: Document
    """With those headings; the parsed document where there are none."""
    headings: FoundHeadings | None
    """None without patterns for headings."""
    splits: tuple[Matches, ...]
    """The matches of each pattern of `split_before`."""
    warnings: tuple[str, ...]
    """A sentence for each pattern that was abandoned."""

    @property
    def offsets(self) -> list[int]:
        """Offsets at which a chunk has to start, ascending."""
        return sorted({start for matches in self.splits for start in matches.starts})


class _Recent:
    """The last results, by the identity of their documents; they hold these."""

    def __init__(self) -> None:
        self._rows: list[tuple[Document, tuple[str, str], Patterned]] = []
        self._lock = Lock()

    def get(self, document: Document, key: tuple[str, str]) -> Patterned | None:
        with self._lock:
            return next((result for of, patterns, result in self._rows if of is document and patterns == key), None)

    def put(self, document: Document, key: tuple[str, str], result: Patterned) -> None:
        with self._lock:
            self._rows = [(document, key, result), *self._rows[: _REMEMBERED - 1]]


_recent = _Recent()


def patterned(document: Document, config: ChunkConfig) -> Patterned:
    """Apply the patterns of a configuration; the last few results are remembered.

    Args:
        config: with the settings of the document's category.
    """
    key = (config.headings_from, config.split_before)
    if key == ("", ""):
        return Patterned(document, None, (), ())
    result = _recent.get(document, key)
    if result is None:
        result = _apply(document, config)
        _recent.put(document, key, result)
    return result


def shaped(document: Document, config: Config) -> Document:
    """Give a document the sections of its category's `headings_from`, which its chunks then name."""
    return patterned(document, config.for_category(document.category).chunk).document


def headings_key(config: Config) -> tuple[tuple[str, str], ...]:
    """The heading patterns of every category; documents `shaped` under equal keys are equal."""
    categories = ("", *(category for category, _ in config.categories))
    patterns = ((category, config.for_category(category).chunk.headings_from) for category in categories)
    general = config.chunk.headings_from
    return tuple(row for row in patterns if row[1] != (general if row[0] else ""))


def _apply(document: Document, config: ChunkConfig) -> Patterned:
    patterns = heading_patterns(config.headings_from)
    heads = all_matches([one.source for one in patterns], document.text)
    splits = all_matches(split_patterns(config.split_before), document.text)
    headings = find_headings(document, patterns, heads) if patterns else None
    warnings = tuple(
        f"The pattern {one.source} {one.fault} (in {document.source}); it is left out there."
        for one in (*heads, *splits)
        if one.fault
    )
    return Patterned(with_headings(document, headings) if headings else document, headings, splits, warnings)


def all_matches(sources: Iterable[str], text: str) -> tuple[Matches, ...]:
    """Match several patterns within the limit `most_work` for all of them; those after it are not tried."""
    results: list[Matches] = []
    work = most_work(text)
    for source in sources:
        if work < 0:
            results.append(
                Matches(source, (), (), "was not tried, because earlier ones take too long in a text of this length")
            )
            continue
        results.append(find_matches(source, text))
        work -= results[-1].work
    return tuple(results)
