"""Questions with the spans that answer them: what every measurement is made against."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from chunking.errors import QuestionError

__all__ = ["Answer", "Made", "Part", "Question", "QuestionSet"]


class Made(StrEnum):
    """How a question came about; shown beside it, since made-up questions flatter the chunker that fits them."""

    IMPORTED = "imported"
    WRITTEN = "written"
    """By a person: the answer selected in the text."""
    HEADING = "heading"
    """A heading as a question, its section's first sentences the answer."""
    SENTENCE = "sentence"
    """A sentence held out, and asked for by its own words: no longer made, but read in older sets."""
    PHRASE = "phrase"
    """A key phrase, asked for where it is explained."""
    LLM = "llm"
    """By a language model, its quotes checked word for word."""


class Part(StrEnum):
    """What a question is for: choosing settings, or checking the choice once."""

    TUNE = "tune"
    HOLDOUT = "holdout"


@dataclass(frozen=True, slots=True)
class Answer:
    """A span that answers a question, or is one of several that do together."""

    doc_id: str
    start: int
    end: int
    text: str
    """Exactly `document.text[start:end]`; finds the span again when the document was read anew."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and every span needed to answer it."""

    id: str
    """Unique in its set."""
    text: str
    answers: tuple[Answer, ...]
    made: Made = Made.IMPORTED
    part: Part = Part.TUNE
    language: str = "und"
    """BCP 47."""

    def as_record(self) -> dict[str, Any]:
        """As plain values; `from_record` gives the same question back."""
        answers = [{"doc_id": one.doc_id, "start": one.start, "end": one.end, "text": one.text} for one in self.answers]
        return {
            "id": self.id,
            "question": self.text,
            "language": self.language,
            "made": self.made.value,
            "part": self.part.value,
            "answers": answers,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Question:
        """What `as_record` made.

        Raises:
            QuestionError: it is something else.
        """
        try:
            answers = tuple(Answer(str(one["doc_id"]), int(one["start"]), int(one["end"]), str(one["text"])) for one in record["answers"])
            made, part = Made(record.get("made", Made.IMPORTED)), Part(record.get("part", Part.TUNE))
            return cls(str(record["id"]), str(record["question"]), answers, made, part, str(record.get("language", "und")))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise QuestionError(f"This is no question with its answers ({error}); make the set again, or import it.") from error


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions under a name, in their order."""

    name: str
    questions: tuple[Question, ...]

    def __len__(self) -> int:
        return len(self.questions)

    @property
    def fingerprint(self) -> str:
        """16 hex digits over everything that decides a measurement: ids, texts and spans; not over the name or the parts."""
        rows = [[one.id, one.text, [[span.doc_id, span.start, span.end] for span in one.answers]] for one in self.questions]
        return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:16]

    def of(self, part: Part) -> QuestionSet:
        """Those of one part."""
        return replace(self, questions=tuple(one for one in self.questions if one.part is part))

    def only(self, ids: Iterable[str]) -> QuestionSet:
        """Those of some ids, in the order of the set."""
        wanted = set(ids)
        return replace(self, questions=tuple(one for one in self.questions if one.id in wanted))

    def to_json(self) -> str:
        """For `Workspace.question_sets`."""
        return json.dumps({"name": self.name, "questions": [one.as_record() for one in self.questions]}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> QuestionSet:
        """What `to_json` made.

        Raises:
            QuestionError: it is something else.
        """
        try:
            tree = json.loads(text)
            name, rows = str(tree["name"]), list(tree["questions"])
        except (ValueError, KeyError, TypeError) as error:
            raise QuestionError(f"This is no saved question set ({error}); import it again.") from error
        return cls(name, tuple(Question.from_record(row) for row in rows))
