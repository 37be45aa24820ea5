"""Anchors of text spans: offset, quote and context, to relocate a span after the text has changed.

A person's change of a document (an edit of its parse, a pin) refers to an anchor, and has to outlive a parser that
reads the file differently and a new version of the file. An anchor is searched at its old offset; then wherever the
same words occur in the same context; then between the words before and after it; last, as similar words near the old
offset. An ambiguous anchor is not relocated: a change at a wrong place is worse than one that is listed as lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rapidfuzz.fuzz import ratio

from chunking.model import Span
from chunking.text.quotes import QuoteFinder, fold, near_spans

__all__ = ["Anchor", "FoundPlace", "find_anchors"]

CONTEXT = 48
"""Characters stored before and after the span."""
MOST_QUOTE = 400
"""Longest quote stored in full; of a longer one, half as many characters of either end are stored."""
_ENOUGH = 16
"""Matching letters, of quote and context together, that make a place certain."""
_TELLING = 4
"""Matching context letters that distinguish one of several places."""
_AROUND = 2_000
"""Characters around the expected offset that are searched first."""
_FAR = 20_000
"""Characters to either side in which similar words count."""
_ALIKE = 60.0
"""Minimum similarity, in percent, of two texts between the same words."""
_SLACK = 20
"""Characters that a short quote may grow or shrink by, besides the factor below."""
_FACTOR = 2.5
_WORK = 200_000_000
"""Characters that all moved anchors together may read: about two seconds."""
_LEAST_SOUGHT = 100
"""Anchors that are searched however long the text is."""


class FoundPlace(NamedTuple):
    """Span at which an anchor was found in a text, and whether its words are only similar there."""

    start: int
    end: int
    nearly: bool = False
    """True if the words there are similar, not equal."""

    @property
    def span(self) -> Span:
        """Start and end, without `nearly`."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A span of a text, or a place between characters, with the words by which to find it again."""

    start: int
    """Original offset."""
    end: int
    """End of the span; the same as `start` for a place between two characters."""
    quote: str = ""
    """Text of the span; of more than `MOST_QUOTE` characters, the beginning."""
    tail: str = ""
    """End of a quote that is not stored in full; else empty."""
    before: str = ""
    """Up to `CONTEXT` characters before the span."""
    after: str = ""
    """Up to `CONTEXT` characters after the span."""

    @classmethod
    def of(cls, text: str, start: int, end: int) -> Anchor:
        """Create the anchor of a span.

        Raises:
            ValueError: it is no span of the text.

        >>> Anchor.of("Close the valve. Then open it.", 10, 15).quote
        'valve'
        """
        if not 0 <= start <= end <= len(text):
            raise ValueError(f"{start} to {end} is not a span of {len(text)} characters")
        long, half = end - start > MOST_QUOTE, MOST_QUOTE // 2
        return cls(
            start=start,
            end=end,
            quote=text[start : start + half] if long else text[start:end],
            tail=text[end - half : end] if long else "",
            before=text[max(start - CONTEXT, 0) : start],
            after=text[end : end + CONTEXT],
        )

    @property
    def length(self) -> int:
        """Original length of the span in characters."""
        return self.end - self.start

    def as_record(self) -> dict[str, Any]:
        """Return the anchor as plain values, for `from_record`."""
        texts = {"quote": self.quote, "tail": self.tail, "before": self.before, "after": self.after}
        return {"start": self.start, "end": self.end, **{name: value for name, value in texts.items() if value}}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Anchor:
        """Create an anchor from the values of `as_record`.

        Raises:
            ValueError: the record is invalid; the message says why.
        """
        if not isinstance(record, Mapping):
            raise ValueError("a place is an object with start, end and quote")
        start, end = record.get("start"), record.get("end")
        if type(start) is not int or type(end) is not int or not 0 <= start <= end:
            raise ValueError(f"start and end are {str(start)[:20]} and {str(end)[:20]}; they must be offsets in order")
        texts = {name: record.get(name, "") for name in ("quote", "tail", "before", "after")}
        wrong = next((name for name, value in texts.items() if not isinstance(value, str)), None)
        if wrong:
            raise ValueError(f"{wrong} is not text")
        return cls(start, end, **{name: value[:MOST_QUOTE] for name, value in texts.items()})

    def stands_at(self, text: str, start: int) -> bool:
        """True if quote and context match a text exactly at an offset."""
        end = start + self.length
        return (
            0 <= start <= end <= len(text)
            and text.startswith(self.quote, start)
            and text.startswith(self.tail, end - len(self.tail))
            and text.endswith(self.before, 0, start)
            and text.startswith(self.after, end)
        )

    def find(self, text: str, expected: int | None = None) -> FoundPlace | None:
        """Find the span in the current text.

        Args:
            expected: expected offset; None: the original one.
        Returns:
            The place found, `nearly` if its words are only similar; None if the span is gone or ambiguous.
        """
        expected = self.start if expected is None else expected
        at = self._unchanged(text, expected)
        if at is not None:
            return FoundPlace(at, at + self.length)
        return self._sought(text, expected)

    def _unchanged(self, text: str, expected: int) -> int | None:
        """Find the offset at which quote and context are unchanged, at or close to the expected offset."""
        for at in dict.fromkeys((expected, self.start)):
            if self.stands_at(text, at):
                return at
        if self.tail or not (self.before or self.after):
            return None
        quote_in_context, low = self.before + self.quote + self.after, max(expected - _AROUND, 0)
        start = text.find(quote_in_context, low, expected + len(quote_in_context) + _AROUND)
        if start < 0 or text.find(quote_in_context, start + 1, expected + len(quote_in_context) + _AROUND) >= 0:
            return None
        return start + len(self.before)

    def _sought(self, text: str, expected: int) -> FoundPlace | None:
        finder = QuoteFinder(text)
        best = self._best(text, self._same(finder), expected)
        return best or self._between(finder, expected) or self._alike(text, expected)

    def _same(self, finder: QuoteFinder) -> Iterator[FoundPlace]:
        """Find the quote, or for a place between characters its context on either side."""
        text = finder.text
        if self.quote.strip():
            for start, end in finder.find(self.quote):
                if not self.tail:
                    yield FoundPlace(start, end)
                    continue
                low, high = start + self.length // 2, start + 2 * self.length
                ends = [span.end for span in finder.find(self.tail) if low <= span.end <= high]
                if ends:
                    end = min(ends, key=lambda end: abs(end - start - self.length))
                    yield FoundPlace(start, end, nearly=end - start != self.length)
        elif not self.length:
            yield from (FoundPlace(at, at) for at in sorted({*self._behind(finder), *self._ahead(finder, text)}))

    def _behind(self, finder: QuoteFinder) -> Iterator[int]:
        """Find offsets after the context before the place, with as much white space as there was."""
        text, white = finder.text, self.before[-1:].isspace() and not self.after[:1].isspace()
        for span in finder.find(self.before):
            at = span.end
            while white and at < len(text) and text[at].isspace():
                at += 1
            yield at

    def _ahead(self, finder: QuoteFinder, text: str) -> Iterator[int]:
        """Find offsets before the context after the place."""
        white = len(self.after) - len(self.after.lstrip())
        for span in finder.find(self.after):
            at = span.start
            while at and span.start - at < white and text[at - 1].isspace():
                at -= 1
            yield at

    def _best(self, text: str, candidates: Iterable[FoundPlace], expected: int) -> FoundPlace | None:
        """Return the place whose context matches best, or None if it is ambiguous or uncertain."""
        rated = sorted(
            ((self._shared(text, one), one) for one in candidates),
            key=lambda pair: (-pair[0], abs(pair[1].start - expected)),
        )
        if not rated:
            return None
        shared, best = rated[0]
        letters = len(fold(self.quote)) + shared
        all_context = shared >= len(fold(self.before)) + len(fold(self.after)) > 0
        if len(rated) > 1 and shared < _TELLING:
            return None
        return best if letters >= _ENOUGH or all_context else None

    def _shared(self, text: str, place: FoundPlace) -> int:
        """Count the letters of the context that match before and after a place."""
        before, there = fold(self.before), fold(text[max(place.start - 2 * CONTEXT, 0) : place.start])
        after, then = fold(self.after), fold(text[place.end : place.end + 2 * CONTEXT])
        return _common(reversed(before), reversed(there)) + _common(after, then)

    def _between(self, finder: QuoteFinder, expected: int) -> FoundPlace | None:
        """Find text between the two contexts that is similar to the quote."""
        if not self.quote.strip() or len(fold(self.before)) < _TELLING or len(fold(self.after)) < _TELLING:
            return None
        least, most = self.length / _FACTOR - _SLACK, self.length * _FACTOR + _SLACK
        starts, ends = [span.end for span in finder.find(self.before)], [span.start for span in finder.find(self.after)]
        pairs = ((start, end) for start in starts for end in ends if least <= end - start <= most and start < end)
        matches: list[tuple[float, int, FoundPlace]] = []
        for start, end in pairs:
            words = finder.text[start:end]
            start, end = start + len(words) - len(words.lstrip()), end - len(words) + len(words.rstrip())
            alike = self._likeness(finder.text[start:end]) if start < end else 0.0
            if alike >= _ALIKE:
                matches.append((-alike, abs(start - expected), FoundPlace(start, end, nearly=True)))
        return min(matches)[2] if matches else None

    def _likeness(self, there: str) -> float:
        """Percent of similarity between the quote and a text."""
        if not self.tail:
            return ratio(self.quote.strip(), there)
        half = len(self.tail)
        return (ratio(self.quote, there[:half]) + ratio(self.tail, there[-half:])) / 2

    def _alike(self, text: str, expected: int) -> FoundPlace | None:
        """Find similar words near the expected offset; a short quote must also match in its context."""
        low = max(expected - _FAR, 0)
        window = text[low : expected + self.length + _FAR]
        ends = near_spans(self.tail, window, most=1) if self.tail else ()
        for start, end in near_spans(self.quote, window, most=1):
            if self.tail:
                if not ends or not self.length / _FACTOR <= ends[0].end - start <= self.length * _FACTOR:
                    return None
                end = ends[0].end
            place = FoundPlace(low + start, low + end, nearly=True)
            if len(fold(self.quote)) >= 2 * _ENOUGH or self._shared(text, place) >= _ENOUGH:
                return place
        return None


def find_anchors(anchors: Sequence[Anchor], text: str) -> list[FoundPlace | None]:
    """Return the place of each anchor in a text, in their order; None if gone or ambiguous.

    Each is expected to have moved as far as the one before it, so that a text with an insertion ahead of them is read
    about once. The work is bounded: where thousands have moved, the last of them are not searched and return None.
    """
    places: list[FoundPlace | None] = [None] * len(anchors)
    shift, searches_left = 0, max(_WORK // max(len(text), 1), _LEAST_SOUGHT)
    for number in sorted(range(len(anchors)), key=lambda number: anchors[number].start):
        anchor = anchors[number]
        expected = anchor.start + shift
        at = anchor._unchanged(text, expected)
        place = FoundPlace(at, at + anchor.length) if at is not None else None
        if place is None and searches_left:
            searches_left -= 1
            place = anchor._sought(text, expected)
        if place is not None:
            shift = place.start - anchor.start
        places[number] = place
    return places


def _common(one: Iterable[str], other: Iterable[str]) -> int:
    """Count the characters that two texts share at their beginning."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
