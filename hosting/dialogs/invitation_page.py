"""The page on which a signed-in person accepts an invitation."""

from __future__ import annotations

import streamlit as st

from chunking.deployment import Mode
from chunking.errors import AccessError
from chunking.store import Role
from components.kit.button import button
from components.kit.clock import moment_text
from components.kit.wording import plain
from components.session.current_workspace import switch
from components.session.host import host
from components.workspaces import public_address
from hosting.people.identity import INVITED, hosted, invited, snapshot_token
from hosting.people.invitations import Invitation

__all__ = ["answer_invitation", "invitation_link"]

_ASKED, _ANSWERED = "invitation.asked", "invitation.answered"
_MAY = {
    Role.VIEWER: "As a **viewer** you can look at everything in it, search it and export from it.",
    Role.EDITOR: "As an **editor** you can also change what is in it: documents, indexes, questions and runs.",
}


def invitation_link(token: str) -> str:
    """Return the link of an invitation: public address and token."""
    return f"{public_address().rstrip('/')}/?{INVITED}={token}"


def answer_invitation() -> None:
    """Draw the invitation of the link or cookie, if any, and stop the run until it is answered.

    Opening the link changes nothing; accepting grants the role and switches to the workspace. Team mode only.
    """
    if hosted().settings.sharing.mode is not Mode.TEAM or snapshot_token():
        return
    link_token = st.query_params.get(INVITED)
    if link_token is not None:
        del st.query_params[INVITED]
        st.session_state[_ASKED] = link_token
        st.session_state.pop(_ANSWERED, None)
    elif _ASKED not in st.session_state:
        cookie = invited()  # of before the sign-in; it may have been answered since
        st.session_state[_ASKED] = "" if hosted().invitations.answered(cookie, _person()) else cookie
    token = st.session_state[_ASKED]
    if not token or st.session_state.get(_ANSWERED) == token:
        return
    try:
        _ask(hosted().invitations.read(token), token)
    except AccessError as error:
        st.error(plain(str(error)), icon=":material/error:")
        st.button("Go to my workspaces", key="invitation.go", on_click=_answered, args=(token,))
    st.stop()


def _ask(one: Invitation, token: str) -> None:
    here = hosted()
    inviter = here.people.get(one.made_by)
    st.title(f"Invitation to {plain(one.name)}", anchor=False)
    st.markdown(f"**{plain(inviter.name) if inviter else 'Somebody'}** invites you to this workspace. {_MAY[one.role]}")
    until = moment_text(one.expires)
    st.caption(f"It can be accepted once, until {until}. Everybody in the workspace sees that you accepted.")
    with st.container(horizontal=True):
        accepted = button("Accept", type="primary", key="invitation.accept", icon=":material/check:")
        st.button("Not now", key="invitation.later", on_click=_answered, args=(token,))
    if accepted:
        switch(here.invitations.accept(token, _person()))
        _answered(token)
        st.rerun()


def _answered(token: str) -> None:
    st.session_state[_ANSWERED] = token


def _person() -> str:
    person = host().user()
    assert person is not None
    return person.id
