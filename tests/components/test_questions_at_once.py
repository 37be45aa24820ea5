"""Two people who write into one question set at the same time: nothing of either is lost, and who changes the same
question is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st

from chunking.errors import QuestionError
from chunking.evaluation import AnswerSpan, QueryLabel, Question, QuestionPart, QuestionSet, load_set, save_set
from chunking.model import Document
from chunking.parsing import parse
from chunking.store import Workspace
from components.chunks import new_question
from components.evaluate.questions import question_editor, question_review
from components.session.questions import question_state

TEXT = "# Sentences\n\n" + "\n\n".join(f"Sentence {number} is here." for number in range(40))
TIMES = 6
"""Questions that each person adds."""


@pytest.fixture(autouse=True)
def _own_session() -> Iterator[None]:
    """No session of a browser: what is kept in one is forgotten."""
    st.session_state.clear()
    yield
    st.session_state.clear()


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Document:
    """Of the workspace that every page has: opened anew by each who asks."""
    there = Workspace.open(tmp_path)
    there.put_document(parse(TEXT.encode(), "sentences.md"))
    for module in (new_question, question_state):
        monkeypatch.setattr(module, "workspace", lambda: Workspace.open(tmp_path))
    monkeypatch.setattr(question_review, "set_names", there.question_sets.names)
    (row,) = there.documents()
    return there.document(row.doc_id)


def answer(document: Document, number: int) -> AnswerSpan:
    """A sentence of it."""
    start = document.text.index(f"Sentence {number} is")
    return AnswerSpan(document.doc_id, start, start + 12, document.text[start : start + 12])


def question(document: Document, number: int) -> Question:
    return Question(f"q{number}", f"Which is sentence {number}?", (answer(document, number),))


def write(uri: Path, document: Document, number: int) -> None:
    """On the Chunks page."""
    new_question.keep_question(document, f"Which is sentence {number}?", answer(document, number), "Ours")


def label(uri: Path, document: Document, number: int) -> None:
    """On the Search page, or in a labelling queue."""
    question_state.take_label(
        Workspace.open(uri), "search", "Ours", f"Which is sentence {number}?", QueryLabel((answer(document, number),))
    )


def keep(uri: Path, document: Document, number: int) -> None:
    """Imported, or generated."""
    question_review.keep_questions(Workspace.open(uri), "Ours", QuestionSet("new", (question(document, number),)))


@pytest.mark.parametrize("add", [write, label, keep])
def test_what_two_people_add_is_all_there(
    tmp_path: Path, document: Document, add: Callable[[Path, Document, int], None]
) -> None:
    """Whichever way the questions come."""

    def person(place: int) -> None:
        for number in range(TIMES):
            add(tmp_path, document, place * TIMES + number)

    with ThreadPoolExecutor(2) as both:
        list(both.map(person, range(2)))
    assert len(load_set(Workspace.open(tmp_path), "Ours").questions) == 2 * TIMES


def test_an_undo_takes_nothing_of_somebody_else_back(tmp_path: Path, document: Document) -> None:
    """The person is told, and the set stays as it is; before that it is as it was before the label."""
    target = Workspace.open(tmp_path)
    for number in range(2):
        label(tmp_path, document, number)
    step = question_state.last_step(target, "search")
    assert step is not None
    question_state.undo_step(target, step)
    assert len(load_set(target, "Ours").questions) == 1
    step = question_state.last_step(target, "search")
    assert step is not None
    save_set(target, QuestionSet("Ours", tuple(question(document, number) for number in range(5))))
    with pytest.raises(QuestionError):
        question_state.undo_step(target, step)
    assert len(load_set(target, "Ours").questions) == 5


class Rerun(Exception):
    """The page is drawn again."""


def test_who_changes_the_same_question_is_asked_first(
    tmp_path: Path, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the other one has saved between the drawing of the table and the click; what only one has changed is
    kept at once.
    """

    def rerun() -> None:
        raise Rerun

    monkeypatch.setattr(st, "rerun", rerun)
    target = Workspace.open(tmp_path)
    base = QuestionSet("Ours", tuple(question(document, number) for number in range(3)))
    first, second, third = base.questions
    mine = replace(base, questions=(replace(first, text="Mine?"), replace(second, part=QuestionPart.HOLDOUT), third))
    theirs = replace(
        base, questions=(replace(first, text="Theirs?"), second, replace(third, text="Which is the third?"))
    )
    save_set(target, theirs)

    def saved() -> QuestionSet:
        with pytest.raises(Rerun):
            question_editor._save(target, base, mine, prefer_mine=True)
        return load_set(target, "Ours").questions

    assert saved() == theirs
    st.session_state[question_editor._ASKED] = (first.id,)
    assert [(one.text, one.part) for one in saved().questions] == [
        ("Mine?", QuestionPart.TUNE),
        (second.text, QuestionPart.HOLDOUT),
        ("Which is the third?", QuestionPart.TUNE),
    ]
