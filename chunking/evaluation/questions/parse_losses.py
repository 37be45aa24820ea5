"""Losses of a new parse: gold answers, labels, edits and pins whose words it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from chunking.display import quantity
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.questions.relocation import Find, place_answers, relocate, shown
from chunking.model import Document
from chunking.parsing.edits import EDIT_FILE, apply
from chunking.splitting.pins.stored_pins import PIN_FILE, find_pins
from chunking.store import Workspace
from chunking.store.documents.listed_changes import changes_of

__all__ = ["LostPlaces", "parse_losses"]

_QUOTED = 3
"""Most lost answers that are quoted."""


@dataclass(frozen=True, slots=True)
class LostPlaces:
    """Places of one kind in some documents, and those that a new parse loses."""

    noun: str
    plural: str
    total: int
    """Places in the documents, lost ones included."""
    lost: tuple[str, ...]
    """Quotes of those that had a place before; empty texts for a kind without quotes."""

    def __str__(self) -> str:
        quotes = [f"“{quote}”" for quote in dict.fromkeys(self.lost) if quote]
        named = f": {', '.join(quotes[:_QUOTED])}{' …' if len(quotes) > _QUOTED else ''}" if quotes else ""
        verb = "is" if len(self.lost) == 1 else "are"
        some = f"{len(self.lost):,} of {quantity(self.total, self.noun, self.plural)}"
        return f"{some} {verb} not in the new text{named}."


def parse_losses(workspace: Workspace, documents: Iterable[Document]) -> tuple[LostPlaces, ...]:
    """Compare stored documents with a new parse of them, before it is saved, and return what is lost.

    Everything is looked for as it will be once the parse is saved: answers and labels by their quotes, edits and pins
    by their anchors. What had no place before is not counted as lost. Kinds that lose nothing are left out.

    Args:
        documents: as parsed, under their ids in the workspace.
    """
    stored = {row.doc_id for row in workspace.documents()}
    parsed = {one.doc_id: one for one in documents if one.doc_id in stored}
    after = {doc_id: workspace.with_changes(one) for doc_id, one in parsed.items()}
    before: dict[str, Document] = {one.doc_id: one for one in workspace.read_documents(list(parsed))}
    kinds = (
        _answers(workspace, before, after),
        _labels(workspace, before, after),
        LostPlaces("edit", "edits", *_edits(workspace, parsed)),
        LostPlaces("pin", "pins", *_pins(workspace, before, after)),
    )
    return tuple(kind for kind in kinds if kind.lost)


def _sets(workspace: Workspace, doc_ids: Iterable[str]) -> Iterator[QuestionSet]:
    """Yield the question sets, with the answers and labels in some documents only."""
    among = {*doc_ids}
    for text in workspace.question_sets.all().values():
        questions = QuestionSet.from_json(text)
        some = [
            replace(
                one,
                answers=tuple(answer for answer in one.answers if answer.doc_id in among),
                judged=tuple(judged for judged in one.judged if judged.doc_id in among),
            )
            for one in questions.questions
        ]
        yield replace(questions, questions=tuple(one for one in some if one.answers or one.judged))


def _answers(workspace: Workspace, before: Mapping[str, Document], after: Mapping[str, Document]) -> LostPlaces:
    """Compare gold answers, each set's by itself, since two sets may have the same one."""
    total, lost = 0, list[str]()
    for questions in _sets(workspace, after):
        total += sum(len(one.answers) for one in questions.questions)
        had_none = {*place_answers(questions, before).lost}
        gone = place_answers(questions, after).lost
        lost += [shown(answer.text) for name, answer in gone if (name, answer) not in had_none]
    return LostPlaces("gold answer", "gold answers", total, tuple(lost))


def _labels(workspace: Workspace, before: Mapping[str, Document], after: Mapping[str, Document]) -> LostPlaces:
    """Compare passages that people judged."""
    total, lost = 0, list[str]()
    for questions in _sets(workspace, after):
        total += sum(len(one.judged) for one in questions.questions)
        bare = replace(questions, questions=tuple(replace(one, answers=()) for one in questions.questions))
        there = _judged_places(bare, after.get)
        for name, places in _judged_places(bare, before.get).items():
            lost += [""] * max(places - there.get(name, 0), 0)
    return LostPlaces("label", "labels", total, tuple(lost))


def _judged_places(questions: QuestionSet, find: Find) -> dict[str, int]:
    return {one.id: len(one.judged) for one in relocate(questions, find).questions.questions}


def _edits(workspace: Workspace, parsed: Mapping[str, Document]) -> tuple[int, tuple[str, ...]]:
    total, lost = 0, 0
    for doc_id, document in parsed.items():
        if edits := changes_of(workspace, doc_id, EDIT_FILE):
            total += len(edits)
            misfits = {one.id for one in apply(workspace.parsed(doc_id), edits).misfits}
            lost += len({one.id for one in apply(document, edits).misfits} - misfits)
    return total, ("",) * lost


def _pins(
    workspace: Workspace, before: Mapping[str, Document], after: Mapping[str, Document]
) -> tuple[int, tuple[str, ...]]:
    total, lost = 0, 0
    for doc_id, document in after.items():
        if pins := changes_of(workspace, doc_id, PIN_FILE):
            total += len(pins)
            earlier = [one.place is not None for one in find_pins(before[doc_id], pins)]
            now = [one.place is not None for one in find_pins(document, pins)]
            lost += sum(had and not has for had, has in zip(earlier, now, strict=True))
    return total, ("",) * lost
