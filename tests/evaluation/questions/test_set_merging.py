"""Two editors of one question set: nothing that either has done is lost, and what both have changed is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chunking.evaluation import AnswerSpan, Question, QuestionPart, QuestionSet
from chunking.evaluation.questions.set_editing import merge_edits

BASE = QuestionSet("Ours", tuple(Question(id, f"What is {id}?", (AnswerSpan("d", 0, 1, "x"),)) for id in "abcd"))


def with_texts(base: QuestionSet, **texts: str | None) -> QuestionSet:
    """The set with other words for some of its questions; None deletes one."""
    kept = [one for one in base.questions if texts.get(one.id, "") is not None]
    return replace(base, questions=tuple(replace(one, text=texts.get(one.id) or one.text) for one in kept))


@pytest.mark.parametrize(
    ("mine", "theirs", "expected", "both"),
    [
        ({"a": "A"}, {"b": "B"}, {"a": "A", "b": "B"}, ""),
        ({"a": None}, {"b": None}, {"a": None, "b": None}, ""),
        ({"a": "A"}, {"a": "A"}, {"a": "A"}, ""),
        ({"a": "A"}, {"a": "other"}, {"a": "A"}, "a"),
        ({"a": None}, {"a": "other"}, {"a": None}, "a"),
    ],
)
def test_the_edits_of_both_are_kept(
    mine: dict[str, str | None], theirs: dict[str, str | None], expected: dict[str, str | None], both: str
) -> None:
    """Where they clash mine counts, or theirs where that is asked for."""
    merged = merge_edits(BASE, with_texts(BASE, **mine), with_texts(BASE, **theirs))
    assert merged.questions == with_texts(BASE, **expected)
    assert merged.both == tuple(both)
    other = merge_edits(BASE, with_texts(BASE, **mine), with_texts(BASE, **theirs), prefer_mine=False)
    assert (other.questions == merged.questions) is not bool(both)


def test_what_is_new_and_what_was_edited_stays() -> None:
    """A question that the other has added; one that I changed and the other deleted; its part too."""
    new = replace(BASE.questions[0], id="e")
    mine = replace(
        BASE,
        questions=tuple(replace(one, part=QuestionPart.HOLDOUT) if one.id == "d" else one for one in BASE.questions),
    )
    theirs = replace(BASE, questions=(*BASE.questions[:3], new))
    merged = merge_edits(BASE, mine, theirs)
    assert [one.id for one in merged.questions.questions] == ["a", "b", "c", "e", "d"]
    assert merged.both == ("d",)
    assert [one.id for one in merge_edits(BASE, mine, theirs, prefer_mine=False).questions.questions] == [
        "a",
        "b",
        "c",
        "e",
    ]
