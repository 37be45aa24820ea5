"""What two ways of splitting make of the same answers."""

from __future__ import annotations

import pytest

from chunking.evaluation import AnswerFate, AnswerSpan, AnswerState, compare_fates

INTACT, SPLIT, MISSED = AnswerFate
A, B, C = (AnswerSpan("d", start, start + 5, "words") for start in (40, 10, 70))


def state(answer: AnswerSpan, fate: AnswerFate, question: str = "q") -> AnswerState:
    return AnswerState(question, answer, fate, ())


def test_fates_are_counted_and_changes_stand_in_the_order_of_the_text() -> None:
    comparison = compare_fates(
        [state(A, INTACT), state(B, SPLIT), state(C, SPLIT)], [state(A, SPLIT), state(B, MISSED), state(C, SPLIT)]
    )
    assert (dict(comparison.a), dict(comparison.b)) == (
        {INTACT: 1, SPLIT: 2, MISSED: 0},
        {INTACT: 0, SPLIT: 2, MISSED: 1},
    )
    assert [(one.a.answer, one.a.state, one.b.state) for one in comparison.changes] == [
        (B, SPLIT, MISSED),
        (A, INTACT, SPLIT),
    ]


@pytest.mark.parametrize("other", [[], [state(B, INTACT)], [state(A, INTACT, "other")]])
def test_states_of_other_answers_are_refused(other: list[AnswerState]) -> None:
    with pytest.raises(ValueError, match=r"."):
        compare_fates([state(A, INTACT)], other)
