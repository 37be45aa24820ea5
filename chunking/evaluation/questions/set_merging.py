"""Two people have edited one set at the same time: what each has done is kept, and where both changed one question,
that is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from chunking.evaluation.questions.question import Question, QuestionSet

__all__ = ["MergedSet", "merge_edits"]


@dataclass(frozen=True, slots=True)
class MergedSet:
    """A set with the edits of both."""

    questions: QuestionSet
    both: tuple[str, ...]
    """Ids of questions that both have changed, and not to the same."""


def merge_edits(base: QuestionSet, mine: QuestionSet, theirs: QuestionSet, *, prefer_mine: bool = True) -> MergedSet:
    """Put my edits (words, part, deletion) into the set as somebody else has saved it meanwhile.

    Args:
        base: the set that both began with.
        mine: with my edits.
        theirs: as it is kept now; its order, answers and new questions stay.
        prefer_mine: of a question that both have changed, mine counts; else theirs.
    """
    before, after = ({one.id: one for one in some.questions} for some in (base, mine))
    made, both = list[Question](), list[str]()
    for one in theirs.questions:
        was, now = before.get(one.id), after.get(one.id)
        if was is None or (now is not None and _edit(now) in (_edit(was), _edit(one))):
            made.append(one)
            continue
        clash = _edit(one) != _edit(was)
        both += [one.id] * clash
        if clash and not prefer_mine:
            made.append(one)
        elif now is not None:
            made.append(replace(one, text=now.text, part=now.part))
    there = {one.id for one in theirs.questions}
    for one in mine.questions:
        if one.id not in there and one.id in before and _edit(one) != _edit(before[one.id]):
            both.append(one.id)
            made += [one] * prefer_mine
    return MergedSet(replace(theirs, questions=tuple(made)), tuple(both))


def _edit(question: Question) -> tuple[object, ...]:
    """What an editor of the set can change."""
    return question.text, question.part
