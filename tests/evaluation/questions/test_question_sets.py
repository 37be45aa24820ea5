"""Question sets in a workspace: kept, found again after documents changed, split, and added to."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.errors import NotFoundError, QuestionError, StoreError
from chunking.evaluation import (
    AnswerSpan,
    Made,
    Question,
    QuestionPart,
    QuestionSet,
    add_question,
    delete_set,
    free_name,
    load_set,
    locate,
    relocate,
    save_set,
    set_names,
    split,
)
from chunking.model import Document
from chunking.parsing import parse
from chunking.store import Workspace
from tests.support.facts import tells

TEXT = "# Pump\n\nThe pump is blue. It moves ninety litres.\n\n## Valve\n\nClose the valve. The pump is blue.\n"


def document(text: str = TEXT, source: str = "guide/pump.md") -> Document:
    return parse(text.encode(), source)


def question(number: int, *answers: AnswerSpan, text: str = "") -> Question:
    return Question(f"q{number}", text or f"What about {number}?", answers)


def quote(words: str, of: Document, which: int = 0) -> AnswerSpan:
    return locate(words, of)[which]


def questions(name: str = "mine") -> QuestionSet:
    there = document()
    return QuestionSet(
        name,
        (
            question(1, quote("ninety litres", there)),
            question(2, quote("The pump is blue.", there, 1)),
            question(3, quote("Close the valve.", there), quote("The pump is blue.", there)),
        ),
    )


def test_relocating_moves_nothing_that_stands() -> None:
    """The same documents: the same set."""
    relocated = relocate(questions(), {"guide_pump": document()})
    assert (relocated.questions, relocated.lost, relocated.moved, relocated.as_saved) == (
        questions(),
        (),
        0,
        questions(),
    )


def test_answers_are_found_again_after_a_document_was_read_anew() -> None:
    """By their quotes, also where line ends changed; of two places the nearest."""
    anew = document("# A new preface\n\nOf some length.\n\n" + TEXT.replace("ninety litres", "ninety\nlitres"))
    relocated = relocate(questions(), lambda doc_id: anew)
    assert (relocated.lost, relocated.moved) == ((), 4)
    for before, now in zip(questions().questions, relocated.questions.questions, strict=True):
        assert [one.text.split() for one in now.answers] == [one.text.split() for one in before.answers]
        assert all(anew.text[one.start : one.end] == one.text for one in now.answers)
    assert relocated.questions.questions[1].answers[0].start == anew.text.rindex("The pump is blue.")
    assert relocated.questions.questions[2].answers[1].start == anew.text.index("The pump is blue.")


def test_what_is_gone_is_lost_with_a_sentence() -> None:
    """A document that was deleted, and words that were: the question is left out of the set, not of the saved one."""
    relocated = relocate(questions(), {})
    assert relocated.questions.questions == ()
    assert [lost for lost, _ in relocated.lost] == ["q1", "q2", "q3"]
    assert tells(relocated.lost[0][1], "guide_pump no longer workspace")
    relocated = relocate(questions(), {"guide_pump": document(TEXT.replace("Close the valve.", "Open it."))})
    assert [one.id for one in relocated.questions.questions] == ["q1", "q2"]
    ((lost, why),) = relocated.lost
    assert lost == "q3"
    assert tells(why, "“Close valve.” guide/pump.md")
    assert relocated.as_saved == questions()


def test_kept_in_a_workspace(tmp_path: Path) -> None:
    """Saved by name, found where the answers stand now, replaced, deleted; a deleted document is said."""
    workspace = Workspace.open(tmp_path)
    workspace.put_document(document())
    save_set(workspace, questions())
    save_set(workspace, replace(questions("  other \n one "), questions=questions().questions[:1]))
    assert sorted(set_names(workspace)) == ["mine", "other one"]
    assert load_set(workspace, "mine").questions == questions()
    workspace.put_document(document("Before.\n\n" + TEXT))
    assert load_set(Workspace.open(tmp_path), "mine").moved == 4
    workspace.delete_documents(["guide_pump"])
    assert len(load_set(workspace, "mine").lost) == 3
    save_set(workspace, replace(questions(), questions=questions().questions[1:]))
    assert len(load_set(workspace, "mine").lost) == 2
    delete_set(workspace, "mine")
    assert set_names(workspace) == ["other one"]
    with pytest.raises(NotFoundError, match="no question set 'mine'"):
        load_set(workspace, "mine")
    workspace.question_sets.put({"broken": "{"})
    with pytest.raises(QuestionError, match="no saved question set"):
        load_set(workspace, "broken")


def test_a_full_disk_loses_no_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept before still is."""
    workspace = Workspace.open(tmp_path)
    workspace.put_document(document())
    save_set(workspace, questions())

    def full(*_: object, **__: object) -> None:
        raise StoreError("There is no space left on the device; free some.")

    monkeypatch.setattr(workspace.question_sets._tables, "upsert", full)
    with pytest.raises(StoreError, match="no space"):
        save_set(workspace, replace(questions(), questions=questions().questions[:1]))
    assert load_set(Workspace.open(tmp_path), "mine").questions == questions()


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (QuestionSet("mine", ()), "has no question"),
        (replace(questions(), name=" "), "needs a name"),
        (replace(questions(), name="x" * 81), "needs a name"),
        (QuestionSet("mine", questions().questions[:1] * 2), "have the id 'q1'"),
        (QuestionSet("mine", (question(1),)), "has no answer"),
        (QuestionSet("mine", (replace(questions().questions[0], text=" "),)), "has no text"),
    ],
)
def test_an_invalid_question_set_is_not_saved(broken: QuestionSet, said: str, tmp_path: Path) -> None:
    """An empty set, one without a name, ids twice, questions without text or answer."""
    with pytest.raises(QuestionError, match=said):
        save_set(Workspace.open(tmp_path), broken)


def test_adding_a_question() -> None:
    """At the end, with an id of its own; not without words, without an answer, or twice."""
    answer = quote("ninety litres", document())
    extended = add_question(QuestionSet("mine", ()), "  How\n much? ", [answer, answer])
    (one,) = extended.questions
    assert (one.text, one.answers, one.made) == ("How much?", (answer,), Made.WRITTEN)
    again = add_question(extended, "How much?", [quote("Close the valve.", document())])
    assert len({one.id for one in again.questions}) == 2
    for text, answers, said in (
        (" ", [answer], "is empty"),
        ("x" * 2_001, [answer], "2,001 characters"),
        ("How?", [], "no answer"),
        ("How?", [replace(answer, text=" ")], "no answer"),
        ("how much ?", [answer], "already in the set"),
    ):
        with pytest.raises(QuestionError, match=said):
            add_question(extended, text, answers)
    assert free_name("mine", ["mine", "mine 2"]) == "mine 3"


def many(count: int, documents: int = 3) -> QuestionSet:
    return QuestionSet(
        "many", tuple(question(n, AnswerSpan(f"doc{n % documents}", n, n + 1, "x")) for n in range(count))
    )


def held_out(questions: QuestionSet) -> set[str]:
    return {one.id for one in questions.of(QuestionPart.HOLDOUT).questions}


@pytest.mark.parametrize("share", [0.0, 0.2, 0.3, 0.5, 1.0])
def test_splitting_takes_the_same_share_of_every_document(share: float) -> None:
    """To the nearest question, of each and of all; the questions stay in their order, and the fingerprint too."""
    marked = split(many(100, 7), holdout=share)
    assert len(held_out(marked)) == round(100 * share)
    by_document = Counter(one.answers[0].doc_id for one in marked.of(QuestionPart.HOLDOUT).questions)
    sizes = Counter(one.answers[0].doc_id for one in marked.questions)
    assert all(abs(by_document[doc_id] - share * size) <= 1 for doc_id, size in sizes.items())
    assert [one.id for one in marked.questions] == [one.id for one in many(100, 7).questions]
    assert marked.fingerprint == many(100, 7).fingerprint


def test_splitting_is_the_same_every_time() -> None:
    """By the seed and not by the order; more questions move few of those that were there."""
    first = held_out(split(many(90)))
    assert first == held_out(split(replace(many(90), questions=many(90).questions[::-1])))
    assert first != held_out(split(many(90), seed=1))
    more = held_out(split(many(96)))
    assert len(first - more) <= 6
    with pytest.raises(QuestionError, match="from 0 to 1"):
        split(many(3), holdout=1.2)
    assert held_out(split(many(1))) == set()
