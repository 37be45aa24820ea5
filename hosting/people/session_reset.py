"""What a session keeps is one person's, and most of it is about one workspace: with another of either, nothing of it is
left.

Streamlit ties a session to a browser tab. A tab in which somebody else is signed in than before, after its connection
came back, is
the same session to it.
"""

from __future__ import annotations

import streamlit as st

from components.session.page.once_a_run import ask_again

__all__ = ["is_anothers", "leave_workspace", "reset_for_other_person"]

_WHOSE = "identity.whose"
_STAYS = ("identity.", "frame.", "share.config", "share.turn", "share.faults")
"""How the keys begin that are about no workspace: who is asking, which page is shown, the settings in force."""


def reset_for_other_person(person: str) -> bool:
    """Note whose session this is; where it was another's, all that is kept is forgotten, and what the address says.

    Args:
        person: an id; empty where nobody is signed in.
    Returns:
        Whether it was another's.
    """
    before = st.session_state.get(_WHOSE)
    other = bool(before) and before != person
    if other:
        ask_again()
        st.session_state.clear()
        st.query_params.clear()
    st.session_state[_WHOSE] = person
    return other


def is_anothers(person: str) -> bool:
    """Whether this session was noted as somebody else's than a person's: until `reset_for_other_person` has cleared it,
    it serves nobody.

    Args:
        person: an id.
    """
    noted = st.session_state.get(_WHOSE)
    return bool(noted) and noted != person


def leave_workspace() -> None:
    """Forget what is about the workspace that is left: what was looked at, searched for, dropped in and not yet saved."""
    ask_again()
    for key in [str(key) for key in st.session_state if not str(key).startswith(_STAYS)]:
        del st.session_state[key]
