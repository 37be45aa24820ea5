"""The button that makes a run's settings the current ones on all pages, and its undo."""

from __future__ import annotations

import streamlit as st

from chunking.config import Config
from chunking.evaluation import EvaluationRun
from components.session import share
from components.tune.setting_words import equal_but_k

__all__ = ["undo_button", "use_button"]

_BEFORE, _USED = "tune.before", "tune.used"


def use_button(run: EvaluationRun, *, key: str, primary: bool = True) -> bool:
    """Draw the button; False, with nothing drawn, if the settings are current already."""
    if equal_but_k(run.config, share.config()):
        return False
    st.button(
        "Use these settings",
        type="primary" if primary else "secondary",
        key=key,
        on_click=_use,
        args=(run,),
        width="stretch",
        help="Use these settings on all pages. An existing index keeps its own until you build it again.",
    )
    return True


def undo_button(run: EvaluationRun, *, key: str) -> None:
    """Draw the button that restores the previous settings; nothing if this run's are not in use."""
    before: Config | None = st.session_state.get(_BEFORE)
    if before is not None and st.session_state.get(_USED) == run.key:
        st.button("Undo", type="tertiary", key=key, on_click=_undo, help="Restore the previous settings.")


def _use(run: EvaluationRun) -> None:
    st.session_state[_BEFORE], st.session_state[_USED] = share.config(), run.key
    search = run.config.search.model_copy(update={"k": share.config().search.k})
    share.keep_config(run.config.model_copy(update={"search": search}))


def _undo() -> None:
    share.keep_config(st.session_state.pop(_BEFORE))
