"""A place in a text that is found again when the text has changed: what stands there, the words around it, where it
was.

What a person does to a document (an edit of its parse, a pin) refers to such a place, and has to outlive a parser that
reads the file in another way, and a new version of the file. A place is looked for where it was; then wherever the same
words stand in the same surroundings; then between the words that stood before and after it; last, as words that are
almost the same, near to where it was.
What cannot be told apart from another place is not found: a change at a wrong place is worse than one that is listed as
lost.
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
"""Characters before and after the place that are remembered."""
MOST_QUOTE = 400
"""Characters of a quote that is remembered whole; of a longer one, half as many of its beginning and of its end are."""
_ENOUGH = 16
"""Letters in common, of the quote and what surrounds it, that make a place certain."""
_TELLING = 4
"""Letters in common around one of several places that tell it apart from the others."""
_AROUND = 2_000
"""Characters around where a place is expected that are looked at first."""
_FAR = 20_000
"""Characters to either side in which words that are almost the same count."""
_ALIKE = 60.0
"""Percent: how alike two texts between the same words must be."""
_SLACK = 20
"""Characters that a short quote may grow or shrink by, beside the factor below."""
_FACTOR = 2.5
_WORK = 200_000_000
"""Characters that all anchors which moved may read through together: about two seconds."""
_LEAST_SOUGHT = 100
"""Anchors that are looked for however long the text is."""


class FoundPlace(NamedTuple):
    """Where an anchor stands now."""

    start: int
    end: int
    nearly: bool = False
    """The words there are almost the same, not quite."""

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A span of a text, or a place between two of its characters."""

    start: int
    """Offset where it was."""
    end: int
    """The same as `start` for a place between two characters."""
    quote: str = ""
    """What stood there; of more than `MOST_QUOTE` characters, the beginning."""
    tail: str = ""
    """The end of a quote that is not remembered whole; else empty."""
    before: str = ""
    """Up to `CONTEXT` characters that stood before it."""
    after: str = ""
    """And behind it."""

    @classmethod
    def of(cls, text: str, start: int, end: int) -> Anchor:
        """The anchor of a span as it stands.

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
        """Characters of the span as it was."""
        return self.end - self.start

    def as_record(self) -> dict[str, Any]:
        """As plain values; `from_record` gives the same anchor back."""
        texts = {"quote": self.quote, "tail": self.tail, "before": self.before, "after": self.after}
        return {"start": self.start, "end": self.end, **{name: value for name, value in texts.items() if value}}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Anchor:
        """What `as_record` made.

        Raises:
            ValueError: it is something else; the sentence says what is wrong.
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
        """Whether all that is remembered stands in a text, character by character, with the place at an offset."""
        end = start + self.length
        return (
            0 <= start <= end <= len(text)
            and text.startswith(self.quote, start)
            and text.startswith(self.tail, end - len(self.tail))
            and text.endswith(self.before, 0, start)
            and text.startswith(self.after, end)
        )

    def find(self, text: str, near: int | None = None) -> FoundPlace | None:
        """Where it stands in a text now.

        Args:
            near: where it is expected; None: where it was.
        Returns:
            None where it does not stand in the text any more, or cannot be told apart from another place.
        """
        near = self.start if near is None else near
        at = self._unchanged(text, near)
        if at is not None:
            return FoundPlace(at, at + self.length)
        return self._sought(text, near)

    def _unchanged(self, text: str, near: int) -> int | None:
        """Offset at which all that is remembered stands as it was: where it is expected, or close by."""
        for at in dict.fromkeys((near, self.start)):
            if self.stands_at(text, at):
                return at
        if self.tail or not (self.before or self.after):
            return None
        wanted, low = self.before + self.quote + self.after, max(near - _AROUND, 0)
        found = text.find(wanted, low, near + len(wanted) + _AROUND)
        if found < 0 or text.find(wanted, found + 1, near + len(wanted) + _AROUND) >= 0:
            return None
        return found + len(self.before)

    def _sought(self, text: str, near: int) -> FoundPlace | None:
        known = QuoteFinder(text)
        best = self._best(text, self._same(known), near)
        return best or self._between(known, near) or self._alike(text, near)

    def _same(self, known: QuoteFinder) -> Iterator[FoundPlace]:
        """Where the quote stands, or for a place between characters: where what stood at either side of it does."""
        text = known.text
        if self.quote.strip():
            for start, end in known.find(self.quote):
                if not self.tail:
                    yield FoundPlace(start, end)
                    continue
                low, high = start + self.length // 2, start + 2 * self.length
                ends = [span.end for span in known.find(self.tail) if low <= span.end <= high]
                if ends:
                    end = min(ends, key=lambda end: abs(end - start - self.length))
                    yield FoundPlace(start, end, nearly=end - start != self.length)
        elif not self.length:
            yield from (FoundPlace(at, at) for at in sorted({*self._behind(known), *self._ahead(known, text)}))

    def _behind(self, known: QuoteFinder) -> Iterator[int]:
        """Offsets behind what stood before the place, with as much white space as there was."""
        text, white = known.text, self.before[-1:].isspace() and not self.after[:1].isspace()
        for span in known.find(self.before):
            at = span.end
            while white and at < len(text) and text[at].isspace():
                at += 1
            yield at

    def _ahead(self, known: QuoteFinder, text: str) -> Iterator[int]:
        """Offsets ahead of what stood behind the place."""
        white = len(self.after) - len(self.after.lstrip())
        for span in known.find(self.after):
            at = span.start
            while at and span.start - at < white and text[at - 1].isspace():
                at -= 1
            yield at

    def _best(self, text: str, found: Iterable[FoundPlace], near: int) -> FoundPlace | None:
        """The one whose surroundings are most like those remembered; None where several are as good, or none is
        certain.
        """
        rated = sorted(
            ((self._shared(text, one), one) for one in found), key=lambda pair: (-pair[0], abs(pair[1].start - near))
        )
        if not rated:
            return None
        shared, best = rated[0]
        said = len(fold(self.quote)) + shared
        whole = shared >= len(fold(self.before)) + len(fold(self.after)) > 0
        if len(rated) > 1 and shared < _TELLING:
            return None
        return best if said >= _ENOUGH or whole else None

    def _shared(self, text: str, place: FoundPlace) -> int:
        """Letters in common with what is remembered, before and behind a place."""
        before, there = fold(self.before), fold(text[max(place.start - 2 * CONTEXT, 0) : place.start])
        after, then = fold(self.after), fold(text[place.end : place.end + 2 * CONTEXT])
        return _common(reversed(before), reversed(there)) + _common(after, then)

    def _between(self, known: QuoteFinder, near: int) -> FoundPlace | None:
        """What stands between the words before and those behind: another text, which must be like the quote."""
        if not self.quote.strip() or len(fold(self.before)) < _TELLING or len(fold(self.after)) < _TELLING:
            return None
        least, most = self.length / _FACTOR - _SLACK, self.length * _FACTOR + _SLACK
        starts, ends = [span.end for span in known.find(self.before)], [span.start for span in known.find(self.after)]
        pairs = ((start, end) for start in starts for end in ends if least <= end - start <= most and start < end)
        found: list[tuple[float, int, FoundPlace]] = []
        for start, end in pairs:
            said = known.text[start:end]
            start, end = start + len(said) - len(said.lstrip()), end - len(said) + len(said.rstrip())
            alike = self._likeness(known.text[start:end]) if start < end else 0.0
            if alike >= _ALIKE:
                found.append((-alike, abs(start - near), FoundPlace(start, end, nearly=True)))
        return min(found)[2] if found else None

    def _likeness(self, there: str) -> float:
        """Percent."""
        if not self.tail:
            return ratio(self.quote.strip(), there)
        half = len(self.tail)
        return (ratio(self.quote, there[:half]) + ratio(self.tail, there[-half:])) / 2

    def _alike(self, text: str, near: int) -> FoundPlace | None:
        """Words that are almost the same, near to where they are expected; a few words need surroundings that tell them
        apart.
        """
        low = max(near - _FAR, 0)
        window = text[low : near + self.length + _FAR]
        ends = near_spans(self.tail, window, most=1) if self.tail else ()
        for start, end in near_spans(self.quote, window, most=1):
            if self.tail:
                if not ends or not self.length / _FACTOR <= ends[0].end - start <= self.length * _FACTOR:
                    return None
                end = ends[0].end
            found = FoundPlace(low + start, low + end, nearly=True)
            if len(fold(self.quote)) >= 2 * _ENOUGH or self._shared(text, found) >= _ENOUGH:
                return found
        return None


def find_anchors(anchors: Sequence[Anchor], text: str) -> list[FoundPlace | None]:
    """Where each of many anchors stands, in their order.

    Each is expected as far from its old place as the one before it, so that a text with something put in ahead of them
    is read about once. The work is bounded: where thousands have moved away from their places, the last of them are not
    looked for and not found.
    """
    found: list[FoundPlace | None] = [None] * len(anchors)
    shift, left = 0, max(_WORK // max(len(text), 1), _LEAST_SOUGHT)
    for number in sorted(range(len(anchors)), key=lambda number: anchors[number].start):
        anchor = anchors[number]
        near = anchor.start + shift
        at = anchor._unchanged(text, near)
        place = FoundPlace(at, at + anchor.length) if at is not None else None
        if place is None and left:
            left -= 1
            place = anchor._sought(text, near)
        if place is not None:
            shift = place.start - anchor.start
        found[number] = place
    return found


def _common(one: Iterable[str], other: Iterable[str]) -> int:
    """Characters that two texts have in common from their beginning."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
