"""The settings tried last, and what live numbers said of them: does it go up or down?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from chunking.config import Config
from chunking.evaluation import LiveScores, label

__all__ = ["MOST", "Tried", "tried"]

MOST = 24
"""Kept; the oldest go."""
_TRACE = "live_recall.trace"


class Tried(NamedTuple):
    """One setting."""

    fingerprint: str
    label: str
    """Such as `size 200 · overlap 10%`."""
    recall: float
    iou: float
    tokens: float


def tried(scores: LiveScores, config: Config, about: str) -> Sequence[Tried]:
    """The settings tried last with the present ones at the end.

    Args:
        about: what the numbers are of (questions, documents); with another one, the trace begins anew.
    """
    before, trace = st.session_state.get(_TRACE, (about, ()))
    if before != about:
        trace = ()
    now = Tried(
        f"{config.changed()}",
        label(config),
        *(float(values.mean()) for values in (scores.scores.recall, scores.scores.iou, scores.scores.tokens)),
    )
    if not trace or trace[-1].fingerprint != now.fingerprint:
        trace = (*trace[-MOST + 1 :], now)
    st.session_state[_TRACE] = (about, trace)
    kept: Sequence[Tried] = trace
    return kept
