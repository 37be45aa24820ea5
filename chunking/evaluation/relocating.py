"""Answers where they stand now: spans found again by their quotes, after a document was read anew or changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from chunking.evaluation.locating import locate
from chunking.evaluation.questions import Answer, Question, QuestionSet
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

    Args:
        documents: by `doc_id`, or what gives one for it, None where it is gone.
    """
    find: Find = documents if callable(documents) else documents.get
    kept: list[Question] = []
    lost: list[tuple[str, str]] = []
    moved = 0
    for question in questions.questions:
        answers: list[Answer] = []
        for answer in question.answers:
            now = _now(answer, find(answer.doc_id))
            if isinstance(now, str):
                lost.append((question.id, now))
                break
            moved += now != answer
            answers.append(now)
        else:
            kept.append(question if tuple(answers) == question.answers else replace(question, answers=tuple(answers)))
    return Relocated(replace(questions, questions=tuple(kept)), tuple(lost), moved, questions)


def _now(answer: Answer, document: Document | None) -> Answer | str:
    """The answer as it stands, or why it does not."""
    if document is None:
        return f"The document {answer.doc_id} is not in the workspace any more; add it again, or delete the question."
    if answer.text and document.text[answer.start : answer.end] == answer.text:
        return answer
    found = locate(answer.text, document, near=answer.start)
    if not found:
        return f"The answer “{shown(answer.text)}” does not stand in {document.source} any more; choose it anew, or delete the question."
    return found[0]


def shown(quote: str, most: int = 60) -> str:
    """The beginning of a quote, on one line, for a sentence."""
    line = " ".join(quote[: 4 * most].split())
    return line if len(line) <= most and len(quote) <= 4 * most else f"{line[:most].rstrip()}…"
