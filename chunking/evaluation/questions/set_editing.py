"""Question sets of a workspace: storing, adding questions, merging edits, dev and held-out split."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from chunking.errors import NotFoundError, QuestionError
from chunking.evaluation.questions.question import (
    AnswerSpan,
    Made,
    Question,
    QuestionPart,
    QuestionSet,
    ordered_answers,
)
from chunking.evaluation.questions.relocation import Relocated, relocate
from chunking.store import Workspace
from chunking.text.quotes import fold

__all__ = [
    "ChangedSet",
    "add_question",
    "change_set",
    "check_set",
    "delete_set",
    "free_name",
    "load_set",
    "merge_edits",
    "new_id",
    "save_set",
    "set_names",
    "split",
]

MOST_NAME = 80
MOST_QUESTION = 2_000
"""Most characters of a question."""


def add_question(
    questions: QuestionSet,
    text: str,
    answers: Sequence[AnswerSpan],
    *,
    origin: Made = Made.WRITTEN,
    part: QuestionPart = QuestionPart.TUNE,
    language: str = "und",
) -> QuestionSet:
    """Return the set with a question appended, under a new id and on one line; stores nothing.

    Raises:
        QuestionError: there is no text or no answer, the text has more than 2,000 characters, or the same question with
            the same answer is in the set.
    """
    line = " ".join(text.split())
    if not line:
        raise QuestionError("The question is empty; type it.")
    if len(line) > MOST_QUESTION:
        raise QuestionError(f"The question has {len(line):,} characters; ask in at most {MOST_QUESTION:,}.")
    spans = ordered_answers(answers)
    if not any(answer.text.strip() for answer in spans):
        raise QuestionError(f"“{line[:60]}” has no answer; select one in the text.")
    for other in questions.questions:
        if fold(other.text) == fold(line) and set(other.answers) == set(spans):
            raise QuestionError(f"“{line[:60]}” is already in the set, with this answer; ask something else.")
    question_id = new_id(line, spans, {one.id for one in questions.questions})
    question = Question(question_id, line, spans, origin, part, language)
    return replace(questions, questions=(*questions.questions, question))


def new_id(text: str, answers: Sequence[AnswerSpan], used: Collection[str]) -> str:
    """Return an unused id: `q-`, 8 hex digits over text and answers, and a number if taken."""
    facts = "\0".join([text, *(f"{answer.doc_id}\0{answer.text}" for answer in answers)])
    short = hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return free_name(f"q-{short}", used, "-")


def free_name(name: str, used: Collection[str], joint: str = " ") -> str:
    """Return the name if unused, else with the lowest number from 2 that makes it so.

    >>> free_name("Mine", ["Mine", "Mine 2"])
    'Mine 3'
    """
    number, candidate = 1, name
    while candidate in used:
        number += 1
        candidate = f"{name}{joint}{number}"
    return candidate


def check_set(questions: QuestionSet) -> QuestionSet:
    """Validate a question set, and return it with a tidy name.

    Raises:
        QuestionError: it has no question, no name or one of more than 80 characters, an id twice, or a question without
            text, or without an answer, a judged passage or the mark `unanswerable`.
    """
    name = " ".join(questions.name.split())
    if not name or len(name) > MOST_NAME:
        raise QuestionError(f"A question set needs a name of 1 to {MOST_NAME} characters; this one has {len(name):,}.")
    if not questions.questions:
        raise QuestionError(f"'{name}' has no question; add, import or generate some.", where=name)
    ids: set[str] = set()
    for question in questions.questions:
        if question.id in ids:
            raise QuestionError(
                f"Two questions of '{name}' have the id '{question.id[:60]}'; give one of them another.", where=name
            )
        ids.add(question.id)
        if not question.text.strip():
            raise QuestionError(
                f"The question '{question.id[:60]}' of '{name}' has no text; type it, or delete it.", where=name
            )
        if not (question.answers or question.unanswerable or question.judged):
            raise QuestionError(
                f"“{question.text[:60]}” in '{name}' has no answer; choose one, or delete the question.", where=name
            )
    return replace(questions, name=name)


@dataclass(frozen=True, slots=True)
class MergedSet:
    """A question set with the edits of two people, and the ids of the questions both edited."""

    questions: QuestionSet
    both: tuple[str, ...]
    """Ids of the questions with conflicting edits."""


def merge_edits(base: QuestionSet, mine: QuestionSet, theirs: QuestionSet, *, prefer_mine: bool = True) -> MergedSet:
    """Merge my edits (text, part, deletion) into the set that another user saved meanwhile.

    Args:
        base: common ancestor of both.
        mine: with my edits.
        theirs: as stored now; its order, answers and new questions stay.
        prefer_mine: a conflict is resolved in favour of mine; else theirs.
    """
    before, after = ({one.id: one for one in some.questions} for some in (base, mine))
    merged, both = list[Question](), list[str]()
    for one in theirs.questions:
        was, now = before.get(one.id), after.get(one.id)
        if was is None or (now is not None and _edit(now) in (_edit(was), _edit(one))):
            merged.append(one)
            continue
        clash = _edit(one) != _edit(was)
        both += [one.id] * clash
        if clash and not prefer_mine:
            merged.append(one)
        elif now is not None:
            merged.append(replace(one, text=now.text, part=now.part))
    there = {one.id for one in theirs.questions}
    for one in mine.questions:
        if one.id not in there and one.id in before and _edit(one) != _edit(before[one.id]):
            both.append(one.id)
            merged += [one] * prefer_mine
    return MergedSet(replace(theirs, questions=tuple(merged)), tuple(both))


def _edit(question: Question) -> tuple[object, ...]:
    """Return the fields that an editor of the set can change."""
    return question.text, question.part


def split(questions: QuestionSet, *, holdout: float = 0.3, seed: int = 0) -> QuestionSet:
    """Return the set with every question assigned to dev or held out, the same share per document.

    Earlier assignments are replaced; a question belongs to the document of its first answer. The choice depends on the
    hash of id and seed, not on the order. Adding or deleting a question therefore moves at most one other of its
    document.

    Args:
        holdout: share of the questions, 0 to 1.
        seed: another seed makes another choice.
    Raises:
        QuestionError: the share is out of range.
    """
    if not 0 <= holdout <= 1:
        raise QuestionError(f"A share of {holdout:g} cannot be held out; give a number from 0 to 1.")
    by_document: dict[str, list[Question]] = {}
    for question in questions.questions:
        by_document.setdefault(question.answers[0].doc_id if question.answers else "", []).append(question)
    held_out: set[str] = set()
    owed = 0.0
    for _, some in sorted(by_document.items()):
        owed += holdout * len(some)
        count = min(round(owed), len(some))
        owed -= count  # what rounding gave or took here is made up for by the next document
        held_out |= {question.id for question in sorted(some, key=lambda one: _place(one, seed))[:count]}
    marked = (
        replace(one, part=QuestionPart.HOLDOUT if one.id in held_out else QuestionPart.TUNE)
        for one in questions.questions
    )
    return replace(questions, questions=tuple(marked))


def _place(question: Question, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{question.id}".encode("utf-8", "surrogatepass")).digest()


class ChangedSet(NamedTuple):
    """A question set before and after a change."""

    before: QuestionSet | None
    """Stored set at the time of the change; None if there was none."""
    after: QuestionSet
    """Set as stored now."""


def set_names(workspace: Workspace) -> list[str]:
    """Return the names of the stored question sets, the most recently changed first."""
    return workspace.question_sets.names()


def load_set(workspace: Workspace, name: str) -> Relocated:
    """Load a question set, with its answers relocated to the workspace's current documents.

    The stored set is unchanged; questions whose answer is no longer found are in `lost`.

    Raises:
        NotFoundError: there is no set of that name.
        QuestionError: the stored record is not a question set.
    """
    text = workspace.question_sets.get(name)
    if text is None:
        raise NotFoundError(
            f"There is no question set '{name}' in {workspace.uri}; choose another, or import it.", where=name
        )
    questions = QuestionSet.from_json(text)
    doc_ids = dict.fromkeys(doc_id for question in questions.questions for doc_id in question.documents)
    documents = {document.doc_id: document for document in workspace.read_documents(list(doc_ids))}
    return relocate(questions, documents)


def save_set(workspace: Workspace, questions: QuestionSet) -> QuestionSet:
    """Store a question set under its name, replacing any earlier one, and return the stored set.

    Raises:
        QuestionError: as `check_set`.
        StoreError: it cannot be written; the earlier set is unchanged.
    """
    checked = check_set(questions)
    workspace.question_sets.put({checked.name: checked.to_json()})
    return checked


def change_set(workspace: Workspace, name: str, change: Callable[[QuestionSet], QuestionSet]) -> ChangedSet:
    """Apply a change to the stored set under a lock, so that another user's latest edits survive.

    Args:
        change: maps the stored set (empty if there is none) to the set to store.
    Raises:
        QuestionError: as `save_set`, or raised by `change`; nothing is stored then.
        StoreError: it cannot be written; the earlier set is unchanged.
    """
    tidy = " ".join(name.split())
    changes: list[ChangedSet] = []

    def becomes(kept: str | None) -> str:
        before = None if kept is None else QuestionSet.from_json(kept)
        after = check_set(replace(change(before or QuestionSet(tidy, ())), name=tidy))
        changes.append(ChangedSet(before, after))
        return after.to_json()

    workspace.question_sets.change(tidy, becomes)
    return changes[-1]


def delete_set(workspace: Workspace, name: str) -> None:
    """Delete a question set, if it is stored; its runs stay."""
    workspace.question_sets.delete([name])
