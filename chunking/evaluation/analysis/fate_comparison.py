"""What two ways of splitting make of the same answers: how many stay intact under each, and which fare differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunking.evaluation.analysis.answer_states import AnswerFate, AnswerState

__all__ = ["FateChange", "FateComparison", "compare_fates"]


@dataclass(frozen=True, slots=True)
class FateChange:
    """An answer whose fate differs."""

    a: AnswerState
    b: AnswerState
    """Of the same answer as `a`."""


@dataclass(frozen=True, slots=True)
class FateComparison:
    """The answers in one document under A and under B."""

    a: Mapping[AnswerFate, int]
    """Fate to number of answers; every fate is there."""
    b: Mapping[AnswerFate, int]
    changes: tuple[FateChange, ...]
    """In the order of the text."""


def compare_fates(a: Sequence[AnswerState], b: Sequence[AnswerState]) -> FateComparison:
    """Hold what A makes of the answers against what B makes of them.

    Args:
        a, b: what `answer_states` gives for each: of one document, with the same questions.
    Raises:
        ValueError: they are not about the same answers.
    """
    changes = []
    for one, other in zip(a, b, strict=True):
        if (one.question_id, one.answer) != (other.question_id, other.answer):
            raise ValueError(f"The states are of different answers: {one.question_id} and {other.question_id}.")
        if one.state is not other.state:
            changes.append(FateChange(one, other))
    changes.sort(key=lambda change: change.a.answer.start)
    return FateComparison(_counts(a), _counts(b), tuple(changes))


def _counts(states: Sequence[AnswerState]) -> dict[AnswerFate, int]:
    found = Counter(one.state for one in states)
    return {fate: found[fate] for fate in AnswerFate}
