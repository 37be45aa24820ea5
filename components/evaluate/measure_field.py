"""How the results of a run are counted: its first n, or as many as fit into a budget of tokens; with or without their
neighbours.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from chunking.evaluation import EvaluationRun, Measure

__all__ = ["has_neighbours", "measure_field", "measure_words"]

_FIRST, _BUDGET = "First results", "Token budget"
_WAY, _N, _TOKENS, _AROUND = (f"evaluating.measure.{name}" for name in ("way", "n", "budget", "expanded"))
"""Session keys of what was chosen, which outlives the page; those of the widgets end in `.field`."""
_LEAST, _MOST, _OFFERED = 50, 100_000, 1_000


def measure_field(run: EvaluationRun) -> Measure:
    """The switch, in one line."""
    deepest, around = max(run.depth, run.n), has_neighbours(run)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="evaluate.measure"):
        way = st.segmented_control(
            "Evaluate",
            (_FIRST, _BUDGET),
            default=_kept(_WAY, _FIRST),
            required=True,
            key=f"{_WAY}.field",
            help="A fixed number of results, or as many as fit a token budget. A budget compares small and large "
            "chunks fairly.",
        )
        st.session_state[_WAY] = way
        if way == _BUDGET:
            help_ = "The last result is cut at the budget."
            tokens = st.number_input(
                "Tokens", _LEAST, _MOST, _kept(_TOKENS, _OFFERED), 100, key=f"{_TOKENS}.field", width=150, help=help_
            )
            st.session_state[_TOKENS] = tokens
        else:
            help_ = (
                f"The settings return {run.n:,}. {deepest:,} were stored for each question, so other numbers "
                f"need no new run."
            )
            own = f"{_N}.{run.n}"  # another run may return another number: its own is the first that is looked at
            n = st.number_input(
                "Results",
                1,
                deepest,
                min(_kept(own, run.n), deepest),
                key=f"{own}.field.{deepest}",
                width=130,
                help=help_,
            )
            st.session_state[own] = n
        expanded = st.toggle(
            "With neighbours",
            value=_kept(_AROUND, False) and around,
            disabled=not around,
            key=f"{_AROUND}.field.{around}",
            help="Include the neighbours of each result, as a language model would get them."
            if around
            else (
                "These settings return no neighbours: set neighbours before or after on the Search page, and "
                "evaluate again."
            ),
        )
        if around:
            st.session_state[_AROUND] = expanded
    return Measure.at_budget(int(tokens), expanded=expanded) if way == _BUDGET else Measure(int(n), expanded=expanded)


def _kept(key: str, otherwise: Any) -> Any:
    return st.session_state.get(key, otherwise)


def has_neighbours(run: EvaluationRun) -> bool:
    """Whether any result came with text around it."""
    return any(found.first < found.start or found.end < found.last for one in run.answered for found in one.found)


def measure_words(measure: Measure) -> str:
    """Such as `in the first 5 results`.

    >>> measure_words(Measure(5)), measure_words(Measure.at_budget(1000, expanded=True))
    ('in the first 5 results', 'in 1,000 tokens of results with their neighbours')
    """
    around = " with their neighbours" if measure.expanded else ""
    if measure.budget is not None:
        return f"in {measure.budget:,} tokens of results{around}"
    return (
        f"in the first {measure.n:,} results{around}"
        if measure.n != 1
        else f"in the first result{around.replace('their', 'its')}"
    )
