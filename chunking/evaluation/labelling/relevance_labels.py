"""Labels of a query in a question set: its gold spans, passages that were judged, and that the documents hold no
answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from chunking.errors import QuestionError
from chunking.evaluation.labelling.queries import query_key
from chunking.evaluation.questions.judgements import Judged, Pool
from chunking.evaluation.questions.question import AnswerSpan, Made, Question, QuestionSet
from chunking.evaluation.questions.set_editing import MOST_QUESTION, new_id
from chunking.model import Document

__all__ = ["QueryLabel", "add_label", "answer_span", "judged_passage", "question_of_query"]


@dataclass(frozen=True, slots=True)
class QueryLabel:
    """What a person has said of a query, all at once."""

    answers: tuple[AnswerSpan, ...] = ()
    """Spans that answer it."""
    judged: tuple[Judged, ...] = ()
    """Passages that were read; `relevant` follows from the answers in them."""
    unanswerable: bool = False
    """The documents hold no answer."""
    pool: Pool | None = None


def answer_span(document: Document, start: int, end: int) -> AnswerSpan:
    """A span without the white space around it.

    Raises:
        QuestionError: it holds nothing else, or lies outside the document.
    """
    text = document.text[start:end] if 0 <= start < end <= len(document.text) else ""
    if not text.strip():
        raise QuestionError(
            "The marked text contains no words of the document; mark the sentence that answers the query.",
            where=document.source,
        )
    first = start + len(text) - len(text.lstrip())
    return AnswerSpan(document.doc_id, first, first + len(text.strip()), text.strip())


def judged_passage(document: Document, start: int, end: int, *, relevant: bool = False) -> Judged:
    """A passage that was judged, such as a hit.

    Raises:
        QuestionError: it lies outside the document.
    """
    found = answer_span(document, start, end)
    return Judged(found.doc_id, found.start, found.end, found.text, relevant)


def question_of_query(questions: QuestionSet, query: str) -> Question | None:
    """The question of a set that asks what a query asks; None where there is none."""
    key = query_key(query)
    return next((one for one in questions.questions if query_key(one.text) == key), None)


def add_label(questions: QuestionSet, query: str, label: QueryLabel, *, language: str = "und") -> QuestionSet:
    """The set with a label more: of a question that asks the same, or of a new one at its end.

    Raises:
        QuestionError: there is no query, the label says nothing, or it contradicts an answer.
    """
    line = " ".join(query.split())
    if not line:
        raise QuestionError("There is no query to label; search for something first.")
    if len(line) > MOST_QUESTION:
        raise QuestionError(
            f"The query has {len(line):,} characters; a question of a set has at most {MOST_QUESTION:,}."
        )
    if not (label.answers or label.judged or label.unanswerable):
        raise QuestionError(
            "Nothing is marked; mark an answer, mark a passage as not relevant, or say that nothing answers the query."
        )
    before = question_of_query(questions, line)
    if label.unanswerable and (label.answers or (before is not None and before.answers)):
        raise QuestionError(
            f"“{line[:60]}” has an answer in '{questions.name}'; delete that question first if nothing answers it."
        )
    if before is None:
        taken = {one.id for one in questions.questions}
        made = _merged(Question(new_id(line, label.answers, taken), line, (), Made.QUERY, language=language), label)
        return replace(questions, questions=(*questions.questions, made))
    after = _merged(before, label)
    return replace(questions, questions=tuple(after if one is before else one for one in questions.questions))


def _merged(question: Question, label: QueryLabel) -> Question:
    answers = tuple(sorted({*question.answers, *label.answers}, key=lambda one: (one.doc_id, one.start, one.end)))
    judged = {(one.doc_id, one.start, one.end): one for one in (*question.judged, *label.judged)}
    return replace(
        question,
        answers=answers,
        judged=tuple(replace(one, relevant=_holds(one, answers)) for _, one in sorted(judged.items())),
        unanswerable=not answers and (label.unanswerable or question.unanswerable),
        pool=label.pool or question.pool,
    )


def _holds(judged: Judged, answers: Iterable[AnswerSpan]) -> bool:
    """Some of an answer stands in the passage."""
    return any(one.doc_id == judged.doc_id and one.start < judged.end and judged.start < one.end for one in answers)
