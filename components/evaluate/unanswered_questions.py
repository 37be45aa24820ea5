"""Questions that nothing in the documents answers: how often the search said so, and which it answered all the same."""

from __future__ import annotations

import streamlit as st

from chunking.evaluation import (
    CORRECTLY_UNANSWERED,
    WRONGLY_UNANSWERED,
    EvaluationRun,
    Interval,
    QuestionSet,
    unanswered,
)
from components.kit.wording import plain, quantity

__all__ = ["unanswered_box"]

_MOST = 100
"""Questions that are listed."""


def unanswered_box(run: EvaluationRun, questions: QuestionSet) -> bool:
    """How the run fared with them, in a box; False, and nothing, where it asked none.

    Args:
        run: what was found.
        questions: the set that was asked.
    """
    found = unanswered(run, questions)
    if found is None:
        return False
    with st.container(border=True, key="evaluate.unanswered"):
        st.markdown(f"**{plain(found.sentence)}**")
        with st.container(horizontal=True, gap="large"):
            _share("Correctly unanswered", found.correct, CORRECTLY_UNANSWERED, "without an answer")
            if found.wrong is not None:
                _share("Wrongly unanswered", found.wrong, WRONGLY_UNANSWERED, "with an answer")
        if questions.all_unanswerable:
            st.caption(
                "Nothing in the documents answers any question of this set, so recall and the other metrics are "
                "undefined. Add questions with answers to measure them."
            )
        if (
            found.missed
            and (box := st.expander("Wrongly answered", key="evaluate.unanswered.missed", on_change="rerun")).open
        ):
            with box:
                for one in found.missed[:_MOST]:
                    st.caption(plain(one.text))
                if len(found.missed) > _MOST:
                    st.caption(f"… and {quantity(len(found.missed) - _MOST, 'more question')}.")
    return True


def _share(label: str, found: Interval, how: str, whose: str) -> None:
    interval = f"{100 * found.low:.1f} to {100 * found.high:.1f} %" if found.known else None
    with st.container(width=260, gap="xsmall"):
        st.metric(label, f"{100 * found.mean:.1f} %", interval, delta_color="off", delta_arrow="off", help=how)
        st.caption(f"of {quantity(found.n, 'question')} {whose}")
