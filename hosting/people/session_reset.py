"""Clear a session that was another person's.

To Streamlit a session is a browser tab: one in which somebody else signs in, after its connection came back, is the
same session.
"""

from __future__ import annotations

import streamlit as st

from components.session.page.once_a_run import ask_again

__all__ = ["is_anothers", "reset_for_other_person"]

_WHOSE = "identity.whose"


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
