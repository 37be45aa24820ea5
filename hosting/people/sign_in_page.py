"""The sign-in page, which nobody passes before they are identified."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunking.deployment import Person, SignIn
from chunking.errors import AccessError, ChunkscopeError, ConfigError
from components.kit.button import button
from components.session.host import deployment
from components.session.page.admission import show_refusal
from hosting.people.identity import INVITED, is_signed_in, leave_snapshot, reset_for_other_person, snapshot_token
from hosting.server.hosted_parts import is_protected

__all__ = ["gate"]


def _check_server() -> None:
    """Raise ConfigError if people share a server without the layers that keep them apart."""
    sharing = deployment().settings.sharing
    if not is_protected():
        raise ConfigError(
            (
                f"app.py alone does not separate people, so nobody can enter in the mode {sharing.mode}. Whoever "
                f"runs this server must start serve.py instead: streamlit run serve.py"
            ),
            where="app.py",
        )


def _ways_out() -> None:
    """Draw the buttons of refused people: leave a revoked snapshot, sign out of a suspended account."""
    with st.container(horizontal=True):
        if snapshot_token():
            st.button("Leave the snapshot", icon=":material/arrow_back:", key="snapshot.leave", on_click=leave_snapshot)
        if is_signed_in():
            st.button("Sign out", icon=":material/logout:", key="sign-out", on_click=st.logout)


def gate(ask: Callable[[], Person | None]) -> None:
    """Let an identified person pass; else draw the refusal or the sign-in page, and stop the run.

    Clears the session if it was opened for another person. Refuses everybody if serve.py's layers are missing.

    Args:
        ask: who the session's browser belongs to, also if the session was another's.
    """
    try:
        _check_server()
        person = ask()
        oidc = deployment().settings.sharing.sign_in is SignIn.OIDC
    except ChunkscopeError as error:
        show_refusal(error)
        if isinstance(error, AccessError):
            _ways_out()
        st.stop()
    if reset_for_other_person(
        person.id if person else ""
    ):  # also a snapshot's address is forgotten then, and with it who reads it
        person = ask()
        reset_for_other_person(person.id if person else "")
    if person is not None:
        return
    st.title("Chunkscope")
    st.markdown(
        "See how your documents are split for retrieval, search them, measure the result, and share it with your team."
    )
    if INVITED in st.query_params:
        st.info(
            "You have an invitation. Sign in to read it; if it does not appear then, open the link again.",
            icon=":material/mail:",
        )
    if snapshot_token():
        st.info(
            "This is the address of a snapshot. Sign in to see it; if it does not appear then, open the address again.",
            icon=":material/photo_camera:",
        )
    if oidc:
        if button("Sign in", type="primary", key="sign-in", icon=":material/login:"):
            st.login()
    else:
        st.error(
            "The proxy in front of this app did not identify you. Reload the page; if that does not help, "
            "tell whoever runs this server."
        )
    st.stop()
