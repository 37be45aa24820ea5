"""What the viewer is told with each step: bands over a text, marks, what is picked and where to scroll."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from chunking.model import Document
from chunking.splitting import BoundaryComparison
from chunking.viewing.messages.answers import AnswerSpans
from chunking.viewing.messages.bands import Bands, pack
from chunking.viewing.messages.other_chunks import OtherChunks, other_message
from chunking.viewing.messages.pins import PinMark, pin_message
from chunking.viewing.messages.text_message import text_key

__all__ = ["Goto", "Mark", "Marks", "view_message"]


class Mark(NamedTuple):
    """A span to mark, in characters of the document."""

    start: int
    end: int
    label: str = ""
    """Such as the rank of a hit."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What to mark besides bands. Where there are hits, bands that are none step back."""

    hits: Sequence[Mark | tuple[int, int]] = ()
    neighbours: Sequence[Mark | tuple[int, int]] = ()
    highlights: Sequence[Mark | tuple[int, int]] = ()
    answers: Sequence[Mark | tuple[int, int]] = ()
    found: Sequence[Mark | tuple[int, int]] = ()
    """Inside a hit that is more than a chunk: the parts that were found."""

    def rows(self) -> list[tuple[str, int, int, str]]:
        """(kind, start, end, label) of each; short kinds, as the browser names its classes."""
        kinds = {"hit": self.hits, "near": self.neighbours, "word": self.highlights, "answer": self.answers, "found": self.found}
        return [(kind, *Mark(*mark)) for kind, marks in kinds.items() for mark in marks]


@dataclass(frozen=True, slots=True)
class Goto:
    """Scroll to the character `at`, once for each new `nonce`."""

    at: int
    nonce: int | str
    pick: bool = False
    """Pick the band there, too."""


def view_message(
    document: Document,
    bands: Bands | None,
    *,
    run: int,
    looks: str | None,
    at: int | None = None,
    marks: Marks | None = None,
    goto: Goto | None = None,
    prefixes: bool = True,
    height: int = 640,
    answers: tuple[AnswerSpans, str] | None = None,
    other: tuple[OtherChunks, BoundaryComparison, str] | None = None,
    pins: Sequence[PinMark] | None = None,
    stale: bool = False,
    asking: str | bool = False,
) -> dict[str, Any]:
    """What the component `viewer` takes: offsets only, no text.

    Args:
        document: whose text the browser has, or will have.
        bands: what to draw; None draws text and marks only.
        run: a number that differs from the last message's. The browser repaints when its message changes; with the run in it, it also
            answers where nothing has moved, and a slider waiting for that answer sends its next value at once.
        looks: of the `TextMessage` that these bands stand on; None for whichever came last.
        at: a character of the picked band.
        marks: hits, neighbours, words, answers.
        goto: where to scroll.
        prefixes: show each chunk's prefix on a line of its own before its text.
        height: in pixels.
        answers: spans that the browser has (`answers_message`), and the `letters` of their states.
        other: chunks that the browser has (`other_chunks_message`), how their boundaries compare with those of the bands, and `letters`
            of what becomes of the answers in them (empty without answers).
        pins: marks on boundaries; with them (even none) the viewer offers to set others.
        stale: the bands stand in other sections than the text's facts tell.
        asking: what the button at selected text says; False: there is none.
    """
    packed = pack(bands) if bands is not None else ""
    message: dict[str, Any] = {
        "doc": text_key(document.text),
        "looks": looks,
        "run": run,
        "rev": f"{zlib.crc32(packed.encode()):08x}",
        "n": len(bands) if bands is not None else 0,
        "bands": packed,
        "noun": bands.noun if bands is not None else "",
        "at": at,
        "marks": marks.rows() if marks else [],
        "goto": {"at": goto.at, "nonce": str(goto.nonce), "pick": goto.pick} if goto else None,
        "prefixes": prefixes,
        "height": height,
        "stale": stale,
        "asking": asking,
        "pins": None if pins is None else pin_message(tuple(pins)),
    }
    if answers:
        message["answers"] = {"key": answers[0].key, "fates": answers[1]}
    if other:
        message["other"] = other_message(*other)
    return message
