"""Question rows as read from a file, and conversion of file values into their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chunking.config import QuerySyntax
from chunking.evaluation.questions.files.cell_values import read_cell
from chunking.evaluation.questions.files.question_formats import FIELDS
from chunking.evaluation.questions.question import Made, Pool, QuestionPart

__all__ = [
    "QuestionFileRow",
    "Quote",
    "language_tag",
    "offset",
    "one_of",
    "pool",
    "quotes",
    "quotes_judged",
    "short_text",
    "yes",
]

_TEXTS = ("text", "content", "quote", "answer", "page_content")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_LONGEST_WORD = 500
"""Most characters of an id or a document's name."""
_OFFSET = re.compile(r"\d{1,15}")
_HOP = re.compile(r"<\d+-hop>\s*")
"""Prefix of each passage in a multi-hop question (RAGAS)."""


@dataclass(frozen=True, slots=True)
class Quote:
    """An answer as written in the file."""

    text: str = ""
    start: int | None = None
    end: int | None = None
    doc: str = ""
    """Document, if it differs from the row's."""
    passage: str = ""
    """Passage around the answer; offsets then count from the passage's start."""
    entire: bool = False
    """True if the answer is the entire document, or the entire text given for it."""


@dataclass(frozen=True, slots=True)
class QuestionFileRow:
    """A row of a question file: a question, or one of its answers."""

    line: int
    question: str = ""
    doc: str = ""
    quotes: tuple[Quote, ...] = ()
    id: str = ""
    language: str = "und"
    made: Made = Made.IMPORTED
    part: QuestionPart = QuestionPart.TUNE
    single: bool = False
    """True if the row holds one answer, and other rows may hold more."""
    unanswerable: bool = False
    """True if the file says that the documents hold no answer."""
    judged: tuple[tuple[Quote, bool], ...] = ()
    """(passage, relevant) of each judged passage."""
    pool: Pool | None = None
    syntax: QuerySyntax | None = None
    """Query syntax, if the file states it."""
    title: str = ""
    """Title of its document, which may have another name here."""
    error: str = ""
    """Why the row cannot be read; the other fields are then empty."""


def quotes(value: Any) -> Iterator[Quote]:
    """Yield the answers in a text, a list, or an object with a text and offsets."""
    if isinstance(value, str):
        yield Quote(_HOP.sub("", value, count=1) if value.startswith("<") else value)
    elif isinstance(value, list):
        for one in value:
            yield from quotes(one)
    elif isinstance(value, dict):
        text = next((value[key] for key in _TEXTS if key in value), "")
        start = next((value[key] for key in FIELDS["start"] if key in value), None)
        end = next((value[key] for key in FIELDS["end"] if key in value), None)
        if isinstance(text, list):  # SQuAD's: lists side by side
            starts = start if isinstance(start, list) else [None] * len(text)
            for one, place in zip(text, starts, strict=False):
                yield from quotes({"text": one, "start": place})
            return
        first, after = offset(start), offset(end)
        text = text if isinstance(text, str) else ""
        if first is not None and after is None and text:
            after = first + len(text)
        doc = next((short_text(value[key]) for key in FIELDS["doc"] if key in value), "")
        yield Quote(text, first, after, doc)


def quotes_judged(value: Any) -> Iterator[tuple[Quote, bool]]:
    """Yield (passage, relevant) from a list of objects, or from its JSON in a cell."""
    listed = read_cell(value) if isinstance(value, str) else value
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            yield from ((quote, yes(one.get("relevant"))) for quote in quotes(one) if quote.text.strip())


def pool(value: Any) -> Pool | None:
    """Parse a question's pool; None if absent or unreadable."""
    record = read_cell(value) if isinstance(value, str) else value
    try:
        return Pool.from_record(record) if isinstance(record, dict) else None
    except (KeyError, TypeError, ValueError):
        return None


def yes(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.strip().casefold() in ("true", "yes", "1", "是"))


def offset(value: Any) -> int | None:
    if isinstance(value, str) and _OFFSET.fullmatch(value.strip()):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def short_text(value: Any) -> str:
    """Return a short text or number as text, truncated; empty for anything else."""
    if isinstance(value, str):
        return " ".join(value.split())[:_LONGEST_WORD]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15 else ""


def language_tag(value: Any) -> str:
    text = short_text(value)
    return text if _LANGUAGE.fullmatch(text) else "und"


def one_of(kind: Any, value: Any, default: Any) -> Any:
    """Return the member of an enumeration with a value, else the default."""
    return kind(value) if isinstance(value, str) and value in list(kind) else default
