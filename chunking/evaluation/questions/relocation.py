"""Relocation of answers by their quotes after a document was changed or parsed anew, and near misses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from chunking.evaluation.questions.question import AnswerSpan, Judged, Question, QuestionSet
from chunking.model import Document, Span
from chunking.text.quotes import QuoteFinder, near_spans

__all__ = ["Find", "PlacedQuestions", "Relocated", "locate", "near_misses", "place_answers", "relocate", "shown"]

Find = Callable[[str], Document | None]


@dataclass(frozen=True, slots=True)
class Relocated:
    """A question set relocated to the current documents, and its questions with a lost answer."""

    questions: QuestionSet
    """Questions with every answer located; the others are left out."""
    lost: tuple[tuple[str, str], ...] = ()
    """(id, sentence) of each question left out: the missing answer, and what to do."""
    moved: int = 0
    """Number of answers found at another place."""
    as_saved: QuestionSet | None = None
    """The set as saved, including lost questions, for editing."""


def relocate(questions: QuestionSet, documents: Mapping[str, Document] | Find) -> Relocated:
    """Locate every answer again: at its old place, else at the nearest place with its quote.

    A question with a lost answer is left out and listed in `lost`. Judged passages are relocated, too; lost ones are
    dropped.

    Args:
        documents: by `doc_id`, or a function that returns a document or None.
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
        spans = tuple(place for place in places if isinstance(place, AnswerSpan))
        why = next((place for place in places if isinstance(place, str)), None)
        if why is not None:
            lost.append((question.id, why))
        else:
            judged = tuple(_judged_now(one, now[_place(one)]) for one in question.judged)
            same = spans == question.answers and judged == question.judged
            kept.append(
                question if same else replace(question, answers=spans, judged=tuple(one for one in judged if one))
            )
    gold = {answer for question in questions.questions for answer in question.answers}
    moved = sum(isinstance(place, AnswerSpan) and place != answer for answer, place in now.items() if answer in gold)
    return Relocated(replace(questions, questions=tuple(kept)), tuple(lost), moved, questions)


@dataclass(frozen=True, slots=True)
class PlacedQuestions:
    """A question set with its answers placed in other texts; no question is left out."""

    questions: QuestionSet
    """Lost answers lie behind the end of the text, where no result can reach them."""
    lost: tuple[tuple[str, AnswerSpan], ...] = ()
    """(question id, answer as it was) of each answer that is not in the text."""


def place_answers(questions: QuestionSet, documents: Mapping[str, Document] | Find) -> PlacedQuestions:
    """Locate every answer in other texts of the documents, and keep the lost ones.

    So runs over several parses have the same questions, and a lost answer counts as one that is not found.

    Args:
        documents: by `doc_id`, or a function that returns a document or None.
    """
    find: Find = documents if callable(documents) else documents.get
    by_document: dict[str, list[AnswerSpan]] = {}
    for question in questions.questions:
        for answer in question.answers:
            by_document.setdefault(answer.doc_id, []).append(answer)
    now: dict[AnswerSpan, AnswerSpan] = {}
    gone: set[AnswerSpan] = set()
    for doc_id, answers in by_document.items():
        document = find(doc_id)
        behind = len(document.text) if document else 0
        for answer in dict.fromkeys(answers):
            place = _now(answer, document)
            if isinstance(place, str):
                gone.add(answer)
                place = replace(answer, start=behind, end=behind + answer.end - answer.start)
                behind = place.end
            now[answer] = place
    placed = (
        replace(question, answers=tuple(now[answer] for answer in question.answers)) for question in questions.questions
    )
    lost = ((question.id, answer) for question in questions.questions for answer in question.answers if answer in gone)
    return PlacedQuestions(replace(questions, questions=tuple(placed)), tuple(lost))


def _place(judged: Judged) -> AnswerSpan:
    return AnswerSpan(judged.doc_id, judged.start, judged.end, judged.text)


def _judged_now(judged: Judged, place: AnswerSpan | str) -> Judged | None:
    """Return the judgement at its current place; None if its passage is gone."""
    return replace(judged, start=place.start, end=place.end, text=place.text) if isinstance(place, AnswerSpan) else None


def _now(answer: AnswerSpan, document: Document | None) -> AnswerSpan | str:
    """Return the answer at its current place, or an error sentence."""
    if document is None:
        return f"The document {answer.doc_id} is no longer in the workspace; add it again, or delete the question."
    if answer.text and document.text[answer.start : answer.end] == answer.text:
        return answer
    spans = locate(answer.text, document, offset=answer.start)
    if not spans:
        return (
            f"The answer “{shown(answer.text)}” is no longer in {document.source}; choose it again, or delete "
            f"the question."
        )
    return spans[0]


def shown(quote: str, most: int = 60) -> str:
    """Return up to `most` characters of a quote on one line, followed by “…” if it is longer."""
    line = " ".join(quote[: 4 * most].split())
    return line if len(line) <= most and len(quote) <= 4 * most else f"{line[:most].rstrip()}…"


def locate(quote: str, document: Document, offset: int | None = None) -> tuple[AnswerSpan, ...]:
    """Locate every place of a quote in a document.

    Args:
        quote: surrounding white space is ignored.
        offset: places are sorted by distance to it, else by position.
    Returns:
        Exact matches, else matches that differ only in white space, width, letter case, quote marks or markup. Matches
        that begin or end inside a word only if there are no others.
    """
    spans = QuoteFinder(document.text).find(quote)
    if offset is not None:
        spans = sorted(spans, key=lambda span: (abs(span.start - offset), span.start))
    return _answers(document, spans)


def near_misses(quote: str, document: Document, most: int = 3) -> tuple[AnswerSpan, ...]:
    """Locate the places that share most of a quote's words in order, the best first.

    Args:
        most: maximum number of places, which do not overlap.
    Returns:
        Spans from the first common word to the last; empty if fewer than about half of the words match.
    """
    return _answers(document, near_spans(quote, document.text, most))


def _answers(document: Document, spans: Iterable[Span]) -> tuple[AnswerSpan, ...]:
    return tuple(AnswerSpan(document.doc_id, start, end, document.text[start:end]) for start, end in spans)
