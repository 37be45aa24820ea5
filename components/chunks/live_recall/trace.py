"""The settings tried last, and what live numbers said of them: does it go up or down?"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.config import Config
from chunking.evaluation import LiveScores
from chunking.viewing.messages.sliders import DialTrial, with_trial

__all__ = ["tried"]

_TRACE = "live_recall.trace"


def tried(scores: LiveScores, config: Config, about: str) -> Sequence[DialTrial]:
    """The settings tried last with the present ones at the end.

    Args:
        about: what the numbers are of (questions, documents); with another one, the trace begins anew.
    """
    before, trace = st.session_state.get(_TRACE, (about, ()))
    now = with_trial(trace if before == about else (), scores, config)
    st.session_state[_TRACE] = (about, now)
    return now
