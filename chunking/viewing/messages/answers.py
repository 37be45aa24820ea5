"""The answers that stand in a document: sent to the browser once, then a letter each for what the boundaries make of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from chunking.evaluation import AnswerState, QuestionSet
from chunking.model import Document
from chunking.viewing.labels import shortened

__all__ = ["AnswerSpans", "answer_spans", "answers_message", "letters"]

LONGEST = 300
"""Characters of a question in the tooltip."""


@dataclass(frozen=True, slots=True)
class AnswerSpans:
    """The spans of one document that answer questions of a set, in the order of the questions and their answers."""

    key: str
    """The name under which they are kept in the browser: 16 hex digits over them."""
    rows: tuple[tuple[int, int, int], ...]
    """(start, end, which of the texts) of each, in characters of the document."""
    texts: tuple[str, ...]
    """The questions."""

    def __len__(self) -> int:
        return len(self.rows)


def answer_spans(document: Document, questions: QuestionSet) -> AnswerSpans:
    """Those of a document, in the order in which `evaluation.analysis.answer_states` tells their states."""
    rows: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for question in questions.questions:
        own = [answer for answer in question.answers if answer.doc_id == document.doc_id]
        if own:
            rows += [(answer.start, answer.end, len(texts)) for answer in own]
            texts.append(shortened(question.text, LONGEST))
    written = json.dumps([rows, texts]).encode()
    return AnswerSpans(hashlib.sha256(written).hexdigest()[:16], tuple(rows), tuple(texts))


def answers_message(spans: AnswerSpans) -> dict[str, Any]:
    """The spans as the component `answers` takes them, once a document."""
    return {"key": spans.key, "rows": spans.rows, "texts": spans.texts}


def letters(states: Iterable[AnswerState]) -> str:
    """The states as the viewer takes them: i, s or m (intact, split, missed) for each answer."""
    return "".join(one.state[0] for one in states)
