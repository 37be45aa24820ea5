"""Relocate answers by their quotes after a document was parsed anew or changed, and list near misses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from chunking.evaluation.questions.question import AnswerSpan, Judged, Question, QuestionSet
from chunking.model import Document, Span
from chunking.text.quotes import QuoteFinder, near_spans

__all__ = ["Relocated", "locate", "near_misses", "relocate"]

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
    spans = locate(answer.text, document, near=answer.start)
    if not spans:
        return (
            f"The answer “{shown(answer.text)}” is no longer in {document.source}; choose it again, or delete "
            f"the question."
        )
    return spans[0]


def shown(quote: str, most: int = 60) -> str:
    """The beginning of a quote, on one line, for a sentence."""
    line = " ".join(quote[: 4 * most].split())
    return line if len(line) <= most and len(quote) <= 4 * most else f"{line[:most].rstrip()}…"


def locate(quote: str, document: Document, near: int | None = None) -> tuple[AnswerSpan, ...]:
    """Every place at which a quote stands in a document.

    Args:
        quote: white space around it does not count.
        near: an offset; the places are then ordered by how near they are to it, else as they stand.
    Returns:
        Exact matches; where there is none, those that differ in white space, width, letter case, quote marks or markup
        only.
        Matches that begin or end inside a word only where there is no other.
    """
    spans = QuoteFinder(document.text).find(quote)
    if near is not None:
        spans = sorted(spans, key=lambda span: (abs(span.start - near), span.start))
    return _answers(document, spans)


def near_misses(quote: str, document: Document, most: int = 3) -> tuple[AnswerSpan, ...]:
    """The places that share most of a quote's words in its order, the best first; see `text.quotes`.

    Args:
        most: places; they do not overlap.
    Returns:
        Spans from the first word in common to the last; none where less than about half of the words is.
    """
    return _answers(document, near_spans(quote, document.text, most))


def _answers(document: Document, spans: Iterable[Span]) -> tuple[AnswerSpan, ...]:
    return tuple(AnswerSpan(document.doc_id, start, end, document.text[start:end]) for start, end in spans)
