"""Question sets by hand: a question more, a name that is free, and what a set must be before it is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import replace

from chunking.errors import QuestionError
from chunking.evaluation.questions.question import AnswerSpan, Made, Question, QuestionPart, QuestionSet
from chunking.text.exact_quotes import fold

__all__ = ["add_question", "check_set", "free_name", "new_id"]

MOST_NAME = 80
MOST_QUESTION = 2_000
"""Characters of a question."""


def add_question(
    questions: QuestionSet,
    text: str,
    answers: Sequence[AnswerSpan],
    *,
    made: Made = Made.WRITTEN,
    part: QuestionPart = QuestionPart.TUNE,
    language: str = "und",
) -> QuestionSet:
    """The set with a question more, at its end.

    Raises:
        QuestionError: there is no text or no answer, or the same question with the same answer is in the set.
    """
    line = " ".join(text.split())
    if not line:
        raise QuestionError("The question is empty; type it.")
    if len(line) > MOST_QUESTION:
        raise QuestionError(f"The question has {len(line):,} characters; ask in at most {MOST_QUESTION:,}.")
    spans = tuple(dict.fromkeys(sorted(answers, key=lambda one: (one.doc_id, one.start, one.end))))
    if not any(answer.text.strip() for answer in spans):
        raise QuestionError(f"“{line[:60]}” has no answer; select one in the text.")
    for other in questions.questions:
        if fold(other.text) == fold(line) and set(other.answers) == set(spans):
            raise QuestionError(f"“{line[:60]}” is already in the set, with this answer; ask something else.")
    made_id = new_id(line, spans, {one.id for one in questions.questions})
    question = Question(made_id, line, spans, made, part, language)
    return replace(questions, questions=(*questions.questions, question))


def new_id(text: str, answers: Sequence[AnswerSpan], taken: Collection[str]) -> str:
    """8 hex digits that hang on the question alone, and a number behind them where another has them."""
    facts = "\0".join([text, *(f"{answer.doc_id}\0{answer.text}" for answer in answers)])
    short = hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return free_name(f"q-{short}", taken, "-")


def free_name(name: str, taken: Collection[str], joint: str = " ") -> str:
    """The name, or with the lowest number behind it that makes it another.

    >>> free_name("Mine", ["Mine", "Mine 2"])
    'Mine 3'
    """
    number, made = 1, name
    while made in taken:
        number += 1
        made = f"{name}{joint}{number}"
    return made


def check_set(questions: QuestionSet) -> QuestionSet:
    """The set, with a tidy name.

    Raises:
        QuestionError: it has no question or no name, an id twice, or a question without text or answer.
    """
    name = " ".join(questions.name.split())
    if not name or len(name) > MOST_NAME:
        raise QuestionError(f"A question set needs a name of 1 to {MOST_NAME} characters; this one has {len(name):,}.")
    if not questions.questions:
        raise QuestionError(f"'{name}' has no question; add, import or generate some.", where=name)
    seen: set[str] = set()
    for question in questions.questions:
        if question.id in seen:
            raise QuestionError(
                f"Two questions of '{name}' have the id '{question.id[:60]}'; give one of them another.", where=name
            )
        seen.add(question.id)
        if not question.text.strip():
            raise QuestionError(
                f"The question '{question.id[:60]}' of '{name}' has no text; type it, or delete it.", where=name
            )
        if not (question.answers or question.unanswerable or question.judged):
            raise QuestionError(
                f"“{question.text[:60]}” in '{name}' has no answer; choose one, or delete the question.", where=name
            )
    return replace(questions, name=name)
