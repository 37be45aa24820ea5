"""Questions with their answer spans and judgements: what every measurement is made against."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from chunking.config import QuerySyntax
from chunking.display import quantity, summary_line
from chunking.errors import QuestionError
from chunking.retrieval.query.query_parts import has_operators
from chunking.text.bounded_json import read_json

__all__ = ["AnswerSpan", "Judged", "Made", "Pool", "Question", "QuestionPart", "QuestionSet"]


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
    QUERY = "query"
    """Somebody has searched for it; a person has marked what answers it in the results."""


class QuestionPart(StrEnum):
    """What a question is for: choosing settings, or checking the choice once."""

    TUNE = "tune"
    HOLDOUT = "holdout"


@dataclass(frozen=True, slots=True)
class AnswerSpan:
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
    answers: tuple[AnswerSpan, ...]
    made: Made = Made.IMPORTED
    part: QuestionPart = QuestionPart.TUNE
    language: str = "und"
    """BCP 47."""
    unanswerable: bool = False
    """A person has judged that the documents hold no answer: it has none, and is answered correctly by saying so."""
    judged: tuple[Judged, ...] = ()
    """Passages that a person has judged for it, where it was labelled on results."""
    pool: Pool | None = None
    """The pool that it was labelled on; None where there was none."""

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of the documents in which its answers and judged passages stand, each once."""
        return tuple(dict.fromkeys([*(one.doc_id for one in self.answers), *(one.doc_id for one in self.judged)]))

    @property
    def open(self) -> bool:
        """Whether only passages that do not answer it are known: no answer was marked, nor said that there is none. It
        is not measured.
        """
        return bool(self.judged) and not self.answers and not self.unanswerable

    @property
    def labelled(self) -> bool:
        """Whether it was labelled on search results: what these did not hold was never judged."""
        return bool(self.judged) or self.pool is not None

    def as_record(self) -> dict[str, Any]:
        """As plain values; `from_record` gives the same question back."""
        answers = [{"doc_id": one.doc_id, "start": one.start, "end": one.end, "text": one.text} for one in self.answers]
        record: dict[str, Any] = {
            "id": self.id,
            "question": self.text,
            "language": self.language,
            "made": self.made.value,
            "part": self.part.value,
            "answers": answers,
        }
        if self.unanswerable:
            record["unanswerable"] = True
        if self.judged:
            record["judged"] = [one.as_record() for one in self.judged]
        if self.pool is not None:
            record["pool"] = self.pool.as_record()
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Question:
        """What `as_record` made.

        Raises:
            QuestionError: it is something else.
        """
        try:
            answers = tuple(
                AnswerSpan(str(one["doc_id"]), int(one["start"]), int(one["end"]), str(one["text"]))
                for one in record["answers"]
            )
            origin, part = Made(record.get("made", Made.IMPORTED)), QuestionPart(record.get("part", QuestionPart.TUNE))
            judged = tuple(Judged.from_record(one) for one in record.get("judged", ()))
            pool = Pool.from_record(record["pool"]) if record.get("pool") else None
            values = (
                str(record["id"]),
                str(record["question"]),
                answers,
                origin,
                part,
                str(record.get("language", "und")),
            )
            return cls(*values, unanswerable=bool(record.get("unanswerable")) and not answers, judged=judged, pool=pool)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise QuestionError(
                f"This is no question with its answers ({error}); make the set again, or import it."
            ) from error


@dataclass(frozen=True, slots=True, repr=False)
class QuestionSet:
    """Questions under a name, in their order."""

    name: str
    questions: tuple[Question, ...]
    syntax: QuerySyntax = QuerySyntax.PLAIN
    """How every measurement reads them: typed searches, whose operators count, or plain language."""

    def __len__(self) -> int:
        return len(self.questions)

    @property
    def fingerprint(self) -> str:
        """16 hex digits over everything that decides a measurement: ids, texts, spans, syntax; not over the name or the
        parts.

        Nor over judgements: they decide what is said of a metric, not what is found. Nor over a syntax that changes
        nothing: questions without operators read alike in each. Typed searches keep the fingerprint of the sets that
        were saved before there was a choice.
        """
        answerable = [one for one in self.questions if not one.open]
        rows: list[Any] = [
            [one.id, one.text, [[span.doc_id, span.start, span.end] for span in one.answers]] for one in answerable
        ]
        if self.syntax is not QuerySyntax.OPERATORS and any(has_operators(one.text) for one in answerable):
            rows.append(self.syntax.value)
        return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def measured(self) -> int:
        """How many of them a measurement asks: those that are not open."""
        return sum(not one.open for one in self.questions)

    @property
    def all_unanswerable(self) -> bool:
        """Whether there are questions that nothing answers, and no others: then no metric of answers is defined."""
        return any(one.unanswerable for one in self.questions) and not any(one.answers for one in self.questions)

    def of(self, part: QuestionPart) -> QuestionSet:
        """Those of one part."""
        return replace(self, questions=tuple(one for one in self.questions if one.part is part))

    def only(self, ids: Iterable[str]) -> QuestionSet:
        """Those of some ids, in the order of the set."""
        chosen = set(ids)
        return replace(self, questions=tuple(one for one in self.questions if one.id in chosen))

    def to_json(self) -> str:
        """For `Workspace.question_sets`."""
        questions = [one.as_record() for one in self.questions]
        return json.dumps({"name": self.name, "syntax": self.syntax.value, "questions": questions}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> QuestionSet:
        """What `to_json` made.

        Raises:
            QuestionError: it is something else.
        """
        try:
            tree = read_json(text)
            name, rows, syntax = (
                str(tree["name"]),
                list(tree["questions"]),
                QuerySyntax(tree.get("syntax", QuerySyntax.PLAIN)),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise QuestionError(f"This is no saved question set ({error}); import it again.") from error
        return cls(name, tuple(Question.from_record(row) for row in rows), syntax)

    def __repr__(self) -> str:
        unanswerable = sum(one.unanswerable for one in self.questions)
        return summary_line(
            "QuestionSet",
            self.name,
            quantity(len(self), "question"),
            f"{unanswerable:,} unanswerable" if unanswerable else "",
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """A passage that was judged for a question."""

    doc_id: str
    start: int
    end: int
    text: str
    """Exactly `document.text[start:end]`; finds the passage again when the document was read anew."""
    relevant: bool
    """It holds a gold answer; else it was judged not relevant."""

    def as_record(self) -> dict[str, Any]:
        """As plain values; `from_record` gives the same judgement back."""
        return {
            "doc_id": self.doc_id,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "relevant": self.relevant,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Judged:
        """What `as_record` made.

        Raises:
            KeyError, TypeError, ValueError: it is something else.
        """
        return cls(
            str(record["doc_id"]),
            int(record["start"]),
            int(record["end"]),
            str(record["text"]),
            bool(record["relevant"]),
        )


@dataclass(frozen=True, slots=True)
class Pool:
    """The results that a question was labelled on: those of several configurations, put together (TREC pooling)."""

    depth: int
    """Results that were taken of each configuration."""
    configurations: int
    passages: int
    """Different passages that were found."""

    def as_record(self) -> dict[str, int]:
        """As plain values; `from_record` gives the same pool back."""
        return {"depth": self.depth, "configurations": self.configurations, "passages": self.passages}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Pool:
        """What `as_record` made.

        Raises:
            KeyError, TypeError, ValueError: it is something else.
        """
        return cls(int(record["depth"]), int(record["configurations"]), int(record["passages"]))
