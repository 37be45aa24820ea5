"""Message of each step to the viewer: bands, marks, pins, selection and scroll target.

Answers and another splitter's chunks are sent once; a step refers to them by their keys.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.evaluation import AnswerState, QuestionSet
from chunking.model import Document, PinKind
from chunking.splitting import BoundaryComparison
from chunking.text.byte_caches import MB, byte_cache
from chunking.viewing.labels import shortened
from chunking.viewing.messages.bands import Bands, pack
from chunking.viewing.messages.packing import pack_columns, steps
from chunking.viewing.messages.text_message import text_key

__all__ = [
    "AnswerSpans",
    "Goto",
    "OtherChunks",
    "PinMark",
    "TextMark",
    "ViewMarks",
    "answer_spans",
    "answers_message",
    "letters",
    "other_chunks_message",
    "other_message",
    "view_message",
]

_PIN_KINDS = (PinKind.SPLIT, PinKind.KEEP, PinKind.LEAVE_OUT, PinKind.MERGE)
"""Pin kinds in the order of PINS in pins.js."""

LONGEST_QUESTION = 300
"""Maximum characters of a question in a tooltip."""

Ints = NDArray[np.int32]


class TextMark(NamedTuple):
    """Span to mark, in characters of the document."""

    start: int
    end: int
    label: str = ""
    """Label, such as a hit's rank."""


@dataclass(frozen=True, slots=True)
class ViewMarks:
    """Marks besides bands; if there are hits, other bands are dimmed."""

    hits: Sequence[TextMark | tuple[int, int]] = ()
    neighbours: Sequence[TextMark | tuple[int, int]] = ()
    highlights: Sequence[TextMark | tuple[int, int]] = ()
    answers: Sequence[TextMark | tuple[int, int]] = ()
    matched: Sequence[TextMark | tuple[int, int]] = ()
    """Matching parts of a hit larger than a chunk."""
    trimmed: Sequence[TextMark | tuple[int, int]] = ()
    """Text of hits that was trimmed off, for too little evidence."""

    def rows(self) -> list[tuple[str, int, int, str]]:
        """Return (kind, start, end, label) of each mark; the kinds are CSS classes."""
        kinds = {
            "hit": self.hits,
            "near": self.neighbours,
            "word": self.highlights,
            "answer": self.answers,
            "found": self.matched,
            "trimmed": self.trimmed,
        }
        return [(kind, *TextMark(*mark)) for kind, marks in kinds.items() for mark in marks]


@dataclass(frozen=True, slots=True)
class Goto:
    """Scroll target: the character `at`, once per `nonce`."""

    at: int
    nonce: int | str
    pick: bool = False
    """True to select the band there, too."""


def view_message(
    document: Document,
    bands: Bands | None,
    *,
    run: int,
    looks: str | None,
    at: int | None = None,
    marks: ViewMarks | None = None,
    goto: Goto | None = None,
    prefixes: bool = True,
    height: int = 640,
    answers: tuple[AnswerSpans, str] | None = None,
    other: tuple[OtherChunks, BoundaryComparison, str] | None = None,
    pins: Sequence[PinMark] | None = None,
    stale: bool = False,
    asking: str | bool = False,
) -> dict[str, Any]:
    """Return the message of the component `viewer`: offsets only, no text.

    Args:
        document: document whose text the browser has, or will receive.
        bands: what to draw; None draws text and marks only.
        run: a number that differs from the last message's. The browser repaints when its message changes; with the run
            in it, it also answers where nothing has moved, and a slider waiting for that answer sends its next value at
            once.
        looks: `looks` of the `TextMessage` of these bands; None: the last one.
        at: a character of the picked band.
        marks: hits, neighbours, words, answers.
        goto: where to scroll.
        prefixes: show each chunk's prefix on a line of its own before its text.
        height: in pixels.
        answers: spans that the browser has (`answers_message`), and the `letters` of their states.
        other: chunks that the browser has (`other_chunks_message`), the comparison of their boundaries with the bands',
            and the `letters` of the answers' states in them (empty without answers).
        pins: marks on boundaries; with them (even none) the viewer offers to set others.
        stale: True if the bands' sections differ from the text's facts.
        asking: label of the button at selected text; False: no button.
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


class PinMark(NamedTuple):
    """Mark of a pin, in characters of the document."""

    kind: PinKind
    start: int
    end: int
    label: str
    """Effect of the pin, or the reason why it is not applied."""
    holds: bool = True
    """False: the pin is not applied."""


@byte_cache(most=16 * MB)
def pin_message(pins: tuple[PinMark, ...]) -> dict[str, Any]:
    """Return the message of the pins, as short packed text: every step of a slider sends it."""
    labels = {label: number for number, label in enumerate(dict.fromkeys(pin.label for pin in pins))}
    rows = [(_PIN_KINDS.index(pin.kind), pin.start, pin.end, labels[pin.label], int(pin.holds)) for pin in pins]
    columns = list(np.array(rows, np.int32).reshape(-1, 5).T)
    return {"n": len(pins), "columns": pack_columns(columns, {"labels": list(labels)}) if pins else ""}


@dataclass(frozen=True, slots=True)
class AnswerSpans:
    """Gold spans of one document, in the order of the questions and their answers."""

    key: str
    """Key in the browser: 16 hex digits of a hash."""
    rows: tuple[tuple[int, int, int], ...]
    """(start, end, index into texts) of each span, in characters of the document."""
    texts: tuple[str, ...]
    """Texts of the questions."""

    def __len__(self) -> int:
        return len(self.rows)


def answer_spans(document: Document, questions: QuestionSet) -> AnswerSpans:
    """Return the gold spans of a document, in the order of `evaluation.analysis.answer_states`."""
    rows: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for question in questions.questions:
        own = [answer for answer in question.answers if answer.doc_id == document.doc_id]
        if own:
            rows += [(answer.start, answer.end, len(texts)) for answer in own]
            texts.append(shortened(question.text, LONGEST_QUESTION))
    written = json.dumps([rows, texts]).encode()
    return AnswerSpans(hashlib.sha256(written).hexdigest()[:16], tuple(rows), tuple(texts))


def answers_message(spans: AnswerSpans) -> dict[str, Any]:
    """Return the message of the component `answers`, sent once per document."""
    return {"key": spans.key, "rows": spans.rows, "texts": spans.texts}


def letters(states: Iterable[AnswerState]) -> str:
    """Encode the states of answers as letters: i, s or m (intact, split, missed)."""
    return "".join(one.state[0] for one in states)


@dataclass(frozen=True, slots=True, eq=False)
class OtherChunks:
    """Chunks to compare with the viewer's: n ascending entries per array, except tokens."""

    starts: Ints
    ends: Ints
    begins: Ints
    """Starts of each chunk's text beyond the overlap (`splitting.new_text`): the boundaries, but for 0."""
    tokens: Ints
    """Tokens of prefix and content; 0 if not counted."""
    packed: str = field(init=False, repr=False)
    """Packed columns for the browser."""
    key: str = field(init=False)
    """Key in the browser: 16 hex digits of a hash."""

    def __post_init__(self) -> None:
        """Pack the columns once: they do not change."""
        columns = (steps(self.starts), steps(self.ends), steps(self.begins), self.tokens)
        object.__setattr__(self, "packed", pack_columns(columns, {}))
        object.__setattr__(self, "key", hashlib.sha256(self.packed.encode()).hexdigest()[:16])

    def __len__(self) -> int:
        return len(self.starts)


def other_chunks_message(other: OtherChunks) -> dict[str, Any]:
    """Return the message of the component `other_chunks`, sent once."""
    return {"key": other.key, "packed": other.packed, "n": len(other)}


def other_message(other: OtherChunks, comparison: BoundaryComparison, fates: str = "") -> dict[str, Any]:
    """Return a step's comparison with other chunks: boundaries that only one of the two has.

    Args:
        comparison: the viewer's chunks as A, these as B.
        fates: `letters` of the answers' states in the other chunks.
    """
    n = max(len(comparison.only_a), len(comparison.only_b))
    columns = [
        steps(np.pad(some, (0, n - len(some)), mode="edge" if len(some) else "constant"))
        for some in (comparison.only_a, comparison.only_b)
    ]
    packed = pack_columns(columns, {}) if n else ""
    counts = {"n": n, "a": len(comparison.only_a), "b": len(comparison.only_b), "shared": len(comparison.shared)}
    return {"key": other.key, "packed": packed, "fates": fates} | counts
