"""In the dialog over sharing: tokens by which agents come to this workspace. A token is shown to who makes it, and not
again.
"""

from __future__ import annotations

import streamlit as st

from chunking.deployment import Person
from chunking.deployment.person import LONGEST_NAME
from chunking.errors import ChunkscopeError
from chunking.store import Right, Role
from components.kit.button import button
from components.kit.clock import said
from components.kit.wording import plain
from components.session.current_workspace import Current
from hosting.people.identity import hosted
from hosting.roles.token_access import AgentToken

__all__ = ["agent_tokens_tab"]

_MADE = "share.agents.made"
"""Tokens that this session has made, by id: the directory has only what tells whether one is right."""
_ROLES = {Role.VIEWER: "Viewer: searches and reads", Role.EDITOR: "Editor: also adds and deletes documents"}
_DAYS = (7, 30, 90, 365)
"""Times to choose from, as far as the operator allows them."""


def agent_tokens_tab(now: Current, person: Person) -> None:
    """Make one, and those there are: a person's own, and for owners everybody's."""
    st.caption(
        "An agent with a token searches and reads this workspace as you, and never with more rights than yours. Its "
        "model requests count as yours. The Agents page says how to connect one."
    )
    _make(now, person)
    for one in hosted().agent_tokens.of(now.id, person.id):
        _row(one, person)


def _make(now: Current, person: Person) -> None:
    here = hosted()
    roles = [role for role in _ROLES if role is Role.VIEWER or now.access.allows(Right.WRITE)]
    lasting = [days for days in _DAYS if days < here.agent_tokens.days] + [here.agent_tokens.days]
    with st.form("share.agent", border=False):
        name, role, days, make = st.columns([4, 4, 2, 3], vertical_alignment="bottom")
        called = name.text_input(
            "Name",
            placeholder="Claude on my laptop",
            max_chars=LONGEST_NAME,
            help="Shown with the agent's calls and in this list.",
        )
        chosen = role.selectbox("Role of the agent", roles, format_func=lambda one: _ROLES[one])
        until = days.selectbox(
            "Valid for",
            lasting,
            index=min(1, len(lasting) - 1),
            format_func=lambda one: f"{one} days" if one > 1 else "1 day",
        )
        if not make.form_submit_button("Make a token", type="primary", width="stretch"):
            return
    try:
        token = here.agent_tokens.make(now.id, called, chosen, person.id, until)
    except ChunkscopeError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    stored = here.agent_tokens.find(token)
    st.session_state[_MADE] = {**st.session_state.get(_MADE, {}), stored.id: token}


def _row(one: AgentToken, person: Person) -> None:
    here = hosted()
    maker = "" if one.person == person.id else f"of {_name(one.person)} · "
    used = f"last used {said(one.used)}" if one.used else "not used yet"
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"**{plain(one.name)}**  \n{one.role.capitalize()} · {maker}until {said(one.expires)} · {used}")
        if button("Revoke", key=f"share.agent.{one.id}", icon=":material/link_off:", type="tertiary"):
            here.agent_tokens.revoke(one.id, person.id)
            st.rerun(scope="fragment")
    token = st.session_state.get(_MADE, {}).get(one.id)
    if token:
        st.caption("Copy the token now: it is not shown again.")
        st.code(token, language=None, wrap_lines=True)


def _name(id: str) -> str:
    person = hosted().people.get(id)
    return plain(person.name) if person else "somebody"
