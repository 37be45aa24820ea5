"""Which two runs are looked at: the picked one, and the one it is compared with. Both stand in the link."""

from __future__ import annotations

import streamlit as st

from chunking.evaluation import Line
from components import share
from components.tuning.results import Results

__all__ = ["against", "clicked", "pick", "picked", "set_against", "turn"]

_TURN = "tune.turn"


def picked(results: Results) -> Line:
    """The line that was picked; the first one where none was, or it is gone."""
    return results.line(share.view("run")) or results.lines[0]


def against(results: Results) -> Line | None:
    """What it is compared with; None where nothing is, or that is the picked one itself."""
    line = results.line(share.view("against"))
    return None if line is None or line.run.key == picked(results).run.key else line


def pick(key: str) -> None:
    """Pick a run; one that it was compared with is compared with the one picked before."""
    if key == share.view("against"):
        share.keep_view(against=share.view("run"))
    share.keep_view(run=key)


def set_against(key: str | None) -> None:
    """Compare the picked run with another; None with none."""
    share.keep_view(against=key)


def clicked(kind: str, key: str) -> None:
    """A click on the leaderboard: a second one on what is compared with ends that."""
    st.session_state[_TURN] = turn() + 1
    if kind == "picked":
        pick(key)
    else:
        set_against(None if share.view("against") == key else key)


def turn() -> int:
    """How often something was clicked."""
    number: int = st.session_state.get(_TURN, 0)
    return number
