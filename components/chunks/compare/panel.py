"""A and B in numbers, and the questions whose gold answers fare differently."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from chunking.evaluation import (
    AnswerState,
    FateChange,
    FateComparison,
    Question,
    QuestionSet,
    answer_states,
    compare_fates,
)
from chunking.splitting import Boundaries, BoundaryComparison, compare_boundaries, new_text
from components.chunks.compare.other_split import OtherSplit
from components.kit.wording import plain, quantity, shortened

__all__ = ["Against", "comparison_panel"]

_MOST = 30
"""Questions that are listed."""
_LONGEST = 90
"""Characters of a question in the list."""

_HELP = (
    "A boundary is where a chunk ends and new text begins, ignoring overlap and white space. Sizes include the "
    "prefix. A gold answer is intact if one chunk holds all of it, split if chunks hold parts of it, missed if none "
    "does."
)


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """B, which stays while the present boundaries (A) move."""

    other: OtherSplit
    states: tuple[AnswerState, ...]
    """What becomes of the answers in B; empty without questions."""

    @classmethod
    def of(cls, other: OtherSplit, questions: QuestionSet | None) -> Against:
        """With the answers of a question set."""
        return cls(other, answer_states(other.document, other.chunks, questions) if questions else ())

    def boundaries(self, present: Boundaries) -> BoundaryComparison:
        """The present boundaries beside those of B."""
        return compare_boundaries(new_text(self.other.document.text, present), self.other.chunks.begins)


def comparison_panel(
    against: Against,
    boundaries: Boundaries,
    states: Sequence[AnswerState],
    questions: QuestionSet | None,
    on_go: Callable[[int], None],
) -> None:
    """The numbers of both, and the questions whose answers fare differently.

    Args:
        boundaries: of A.
        states: what becomes of the answers in A, for the same questions.
        on_go: called with a character of the text, where a question's answer begins that was clicked.
    """
    found = compare_fates(states, against.states) if questions else None
    st.markdown(f"**A**: the current settings · **B**: {plain(against.other.name)}", help=_HELP)
    st.markdown(_table(against, boundaries, found))
    if against.other.notes:
        st.caption(f"⚠ {plain(' '.join(against.other.notes))}")
    if found is None:
        st.caption("Choose a question set above to see which gold answers each of the two keeps intact.")
    elif questions is not None:
        _changes(found, {one.id: one for one in questions.questions}, on_go)


def _table(against: Against, boundaries: Boundaries, found: FateComparison | None) -> str:
    only = against.boundaries(boundaries)
    rows: list[tuple[str, str, str]] = [
        ("Chunks", f"{len(boundaries):,}", f"{len(against.other.chunks):,}"),
        ("Median size (tokens)", _median(boundaries), f"{against.other.median:,.1f}".removesuffix(".0")),
        ("Boundaries of both", f"{len(only.shared):,}", f"{len(only.shared):,}"),
        ("Boundaries of one only", f"{len(only.only_a):,}", f"{len(only.only_b):,}"),
    ]
    if found:
        rows += [(f"Gold answers {fate.value}", f"{found.a[fate]:,}", f"{found.b[fate]:,}") for fate in found.a]
    return "\n".join(
        ["| In this document | A | B |", "|:--|--:|--:|", *(f"| {name} | {a} | {b} |" for name, a, b in rows)]
    )


def _median(boundaries: Boundaries) -> str:
    return f"{float(np.median(boundaries.tokens)) if len(boundaries) else 0:,.1f}".removesuffix(".0")


def _changes(found: FateComparison, questions: Mapping[str, Question], on_go: Callable[[int], None]) -> None:
    if not sum(found.a.values()):
        st.caption("No question of this set is about this document.")
        return
    if not found.changes:
        st.caption("Every gold answer has the same fate under both.")
        return
    st.caption(
        f"{quantity(len(found.changes), 'gold answer fares', 'gold answers fare')} differently; click one to go to it."
    )
    with st.container(gap=None, key="chunks-compare-changes"):
        for number, change in enumerate(found.changes[:_MOST]):
            st.button(
                _words(change, questions[change.a.question_id]),
                key=f"chunks.compare.change.{number}",
                type="tertiary",
                on_click=on_go,
                args=(change.a.answer.start,),
            )
    if len(found.changes) > _MOST:
        st.caption(f"… and {len(found.changes) - _MOST:,} more")


def _words(change: FateChange, question: Question) -> str:
    shown = shortened(" ".join(question.text.split()), _LONGEST)
    return f"A **{change.a.state.value}**, B **{change.b.state.value}**: {plain(shown)}"
