"""Answers where they stand now: spans found again by their quotes, after a document was read anew or changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from chunking.evaluation.questions.judgements import Judged
from chunking.evaluation.questions.question import AnswerSpan, Question, QuestionSet
from chunking.evaluation.questions.quotes.answer_quotes import locate
from chunking.model import Document

__all__ = ["Relocated", "relocate"]

Find = Callable[[str], Document | None]


@dataclass(frozen=True, slots=True)
class Relocated:
    """A question set against the documents as they are."""

    questions: QuestionSet
    """Those with every answer in its place; the others are left out."""
    lost: tuple[tuple[str, str], ...] = ()
    """(id, sentence) of each question that was left out: what is missing, and what to do."""
    moved: int = 0
    """Answers that stand elsewhere than they did."""
    whole: QuestionSet | None = None
    """The set as it was saved, with the lost ones: what is to be edited and saved again."""


def relocate(questions: QuestionSet, documents: Mapping[str, Document] | Find) -> Relocated:
    """Find every answer again: where it stood; else where its quote stands, the nearest if there are several.

    So are the passages that were judged; one that does not stand any more counts as never judged.

    Args:
        documents: by `doc_id`, or what gives one for it, None where it is gone.
    """
    find: Find = documents if callable(documents) else documents.get
    by_document: dict[str, list[AnswerSpan]] = {}
    for question in questions.questions:
        for answer in (*question.answers, *map(_place, question.judged)):
            by_document.setdefault(answer.doc_id, []).append(answer)
    now: dict[AnswerSpan, AnswerSpan | str] = {}
    for doc_id, answers in by_document.items():  # one after the other: each is prepared for looking up once
        document = find(doc_id)
        now |= {answer: _now(answer, document) for answer in answers}
    kept: list[Question] = []
    lost: list[tuple[str, str]] = []
    for question in questions.questions:
        places = [now[answer] for answer in question.answers]
        found = tuple(place for place in places if isinstance(place, AnswerSpan))
        why = next((place for place in places if isinstance(place, str)), None)
        if why is not None:
            lost.append((question.id, why))
        else:
            judged = tuple(_judged_now(one, now[_place(one)]) for one in question.judged)
            same = found == question.answers and judged == question.judged
            kept.append(
                question if same else replace(question, answers=found, judged=tuple(one for one in judged if one))
            )
    gold = {answer for question in questions.questions for answer in question.answers}
    moved = sum(isinstance(place, AnswerSpan) and place != answer for answer, place in now.items() if answer in gold)
    return Relocated(replace(questions, questions=tuple(kept)), tuple(lost), moved, questions)


def _place(judged: Judged) -> AnswerSpan:
    return AnswerSpan(judged.doc_id, judged.start, judged.end, judged.text)


def _judged_now(judged: Judged, place: AnswerSpan | str) -> Judged | None:
    """The judgement where its passage stands now; None where it does not."""
    return replace(judged, start=place.start, end=place.end, text=place.text) if isinstance(place, AnswerSpan) else None


def _now(answer: AnswerSpan, document: Document | None) -> AnswerSpan | str:
    """The answer as it stands, or why it does not."""
    if document is None:
        return f"The document {answer.doc_id} is no longer in the workspace; add it again, or delete the question."
    if answer.text and document.text[answer.start : answer.end] == answer.text:
        return answer
    found = locate(answer.text, document, near=answer.start)
    if not found:
        return (
            f"The answer “{shown(answer.text)}” is no longer in {document.source}; choose it again, or delete the "
            "question."
        )
    return found[0]


def shown(quote: str, most: int = 60) -> str:
    """The beginning of a quote, on one line, for a sentence."""
    line = " ".join(quote[: 4 * most].split())
    return line if len(line) <= most and len(quote) <= 4 * most else f"{line[:most].rstrip()}…"
