"""A measured document under the patterns of a configuration and the pins of people.

Patterns are the settings `headings_from` and `split_before`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from threading import Lock

from chunking.config import ChunkConfig, Config
from chunking.config.pattern_settings import heading_patterns, split_patterns
from chunking.config.safe_patterns import Matches, find_matches, most_work
from chunking.model import Document
from chunking.parsing.headings.pattern_headings import FoundHeadings, find_headings, with_headings
from chunking.splitting.measure.cut_marks import CutMarks
from chunking.splitting.measure.measured_document import MeasuredDocument
from chunking.splitting.pins.pin_places import PinPlaces, pin_states, pin_warnings, place_pins

__all__ = ["DocumentView", "Patterned", "headings_key", "patterned", "shaped"]

_REMEMBERED = 8


@dataclass(frozen=True, slots=True, eq=False)
class DocumentView:
    """A measured document under one configuration's patterns and its pins, for any size."""

    measured: MeasuredDocument
    """Measured document, with the headings that patterns find."""
    document: Document
    """Document with those headings and with its pins."""
    patterns: Patterned | None
    """None without patterns."""
    breaks: tuple[int, ...]
    """Offsets before which patterns require a boundary, ascending; only those at which a cut is allowed."""
    pins: PinPlaces | None
    """Pins and breaks, settled; None without any."""
    pin_states: list[str]
    """Reason for each pin of the document that does not hold as it was set; empty if it holds."""
    pin_warnings: tuple[str, ...]
    """Warnings about these reasons, a sentence each."""

    @classmethod
    def of(cls, measured: MeasuredDocument, document: Document, patterns: Patterned | None = None) -> DocumentView:
        """Build the view of a document under its pins and under the matches of patterns.

        Args:
            document: the measured document with its current pins.
            patterns: matches of a configuration's patterns in the measured document.
        """
        if patterns is not None and patterns.document is not measured.document:
            document = _with_pins_of(document, patterns.document)
            measured = measured.under(patterns.document)
        offsets = patterns.offsets if patterns is not None else []
        breaks = _allowed(offsets, measured.marks, document.text)
        return cls._with_breaks(measured, document, patterns, breaks)

    def with_pins(self, document: Document) -> DocumentView:
        """Return the view with the same patterns and the pins of another copy of the document."""
        if self.patterns is not None:
            document = _with_pins_of(document, self.document)
        return self._with_breaks(self.measured, document, self.patterns, self.breaks)

    @classmethod
    def _with_breaks(
        cls, measured: MeasuredDocument, document: Document, patterns: Patterned | None, breaks: tuple[int, ...]
    ) -> DocumentView:
        pins = place_pins(document, measured.marks, breaks)
        states = pin_states(document, measured.marks, pins)
        return cls(measured, document, patterns, breaks, pins, states, pin_warnings(states))


def _with_pins_of(document: Document, other: Document) -> Document:
    return other if other.pins == document.pins else replace(other, pins=document.pins)


def _allowed(offsets: Sequence[int], marks: CutMarks, text: str) -> tuple[int, ...]:
    """Return the offsets at which a cut is allowed, with some text before each: none inside a word."""
    first, places = marks.places.first, marks.places_of(list(offsets)).tolist()
    return tuple(
        offset
        for offset, place in zip(offsets, places, strict=True)
        if place and first[place] == offset and text[first[place - 1] : offset].strip()
    )


@dataclass(frozen=True, slots=True, eq=False)
class Patterned:
    """A document with the headings and boundaries that patterns find."""

    document: Document
    """Document with those headings; the parsed document if there are none."""
    headings: FoundHeadings | None
    """None without patterns for headings."""
    splits: tuple[Matches, ...]
    """Matches of each pattern of `split_before`."""
    warnings: tuple[str, ...]
    """Warnings about abandoned patterns, a sentence each."""

    @property
    def offsets(self) -> list[int]:
        """Starts of the matches of `split_before`, ascending; some may allow no cut."""
        return sorted({start for matches in self.splits for start in matches.starts})


class _Recent:
    """Cache of the last results by the identity of their documents, which it keeps alive."""

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
    """Find headings and boundaries by a configuration's patterns; the last 8 results are cached.

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
    """Return a document with the sections that the pattern `headings_from` of its category finds.

    Unchanged without such a pattern or without a match.
    """
    return patterned(document, config.for_category(document.category).chunk).document


def headings_key(config: Config) -> tuple[tuple[str, str], ...]:
    """Return (category, `headings_from`) of the general settings and of categories that differ.

    The general category is empty, and left out without a pattern. Documents `shaped` under equal keys are equal.
    """
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
    """Match patterns in order; once their work exceeds a limit, the rest get a fault untried.

    The limit is `most_work` of the text, for all patterns together.
    """
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
