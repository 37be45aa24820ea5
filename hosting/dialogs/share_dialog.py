"""The share dialog: roles in a workspace, invitations, snapshots, agents' tokens and activity.

A token is shown once, to the person who makes it.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunking.deployment import EVERYONE, Person, Share
from chunking.deployment.person import LONGEST_NAME
from chunking.errors import ChunkscopeError
from chunking.store import Right, Role
from components.kit.button import button
from components.kit.clock import moment_text
from components.kit.wording import isolated, plain, quantity
from components.session.current_workspace import Current, current, forget_choice
from components.session.host import host
from components.session.page.page_frame import dialog, sentences
from hosting.dialogs.activity_list import activity_list
from hosting.dialogs.invitation_page import invitation_link
from hosting.dialogs.snapshot_views import snapshots_tab
from hosting.people.agent_tokens import AgentToken
from hosting.people.identity import hosted

__all__ = ["share_dialog"]

_ROLES = {
    Role.VIEWER: "Viewer: views, searches, exports",
    Role.EDITOR: "Editor: changes what is in it",
    Role.OWNER: "Owner: also shares and deletes",
}

_MADE = "share.agents.made"
"""Session key: tokens made in this session, by id; the directory has only hashes."""
_TOKEN_ROLES = {Role.VIEWER: "Viewer: searches and reads", Role.EDITOR: "Editor: also adds and deletes documents"}
_DAYS = (7, 30, 90, 365)
"""Lifetimes to choose from, up to the operator's limit."""


@dialog("Share and activity", width="large")
def share_dialog(first: str = "People") -> None:
    """Draw the tabs People, Snapshots (owners only), Agents (if the server has them) and Activity.

    Args:
        first: the tab that is open.
    """
    now, person = current(), host().user()
    assert person is not None
    tabs = {
        "People": _people,
        **({"Snapshots": snapshots_tab} if now.access.allows(Right.MANAGE) else {}),
        **({"Agents": agent_tokens_tab} if hosted().settings.answers_agents else {}),
        "Activity": activity_list,
    }
    for tab, draw in zip(st.tabs(list(tabs), default=first), tabs.values(), strict=True):
        with tab, sentences():
            draw(now, person)


def _people(now: Current, person: Person) -> None:
    here, manages = hosted(), now.access.allows(Right.MANAGE)
    if manages:
        _add(now, person)
    shares = here.workspaces.shares(now.id, person.id)
    for share in shares:
        if share.person != EVERYONE or not manages:
            _row(now, person, share, manages=manages)
    if manages:
        _everyone(now, person, next((share.role for share in shares if share.person == EVERYONE), None))
        _invitations(now, person)
    else:
        st.caption("Owners of this workspace grant and remove roles.")
    _leave(now, person)


def _add(now: Current, person: Person) -> None:
    """Draw the form that gives a role to a person who has signed in before."""
    here = hosted()
    with st.form("share.add", border=False, clear_on_submit=True):
        address, role, add = st.columns([5, 4, 2], vertical_alignment="bottom")
        email = address.text_input(
            "E-mail address", placeholder="ann@example.com", help="Of someone who has signed in here at least once."
        )
        chosen = role.selectbox("Role", list(_ROLES), format_func=lambda one: _ROLES[one])
        if not add.form_submit_button("Share", type="primary", width="stretch"):
            return
    if not email.strip():
        st.error("Type the e-mail address of the person to share with.", icon=":material/error:")
        return
    try:
        here.workspaces.share(now.id, here.people.by_email(email).id, chosen, person.id)
    except ChunkscopeError as error:
        st.error(plain(str(error)), icon=":material/error:")


def _row(now: Current, person: Person, share: Share, *, manages: bool) -> None:
    name, rest = _columns()
    name.markdown(_name_of(share.person) + (" (you)" if share.person == person.id else ""))
    if not manages or share.person == person.id:
        rest.caption(share.role.capitalize())
        return
    options = list(_ROLES)
    key = f"share.role.{share.person}"
    here = hosted()
    with rest, st.container(horizontal=True, vertical_alignment="center", gap="small"):
        chosen = st.selectbox(
            "Role",
            options,
            index=options.index(share.role),
            key=key,
            label_visibility="collapsed",
            format_func=str.capitalize,
        )
        removed = button("Remove", key=f"share.remove.{share.person}", icon=":material/person_remove:", type="tertiary")
    if chosen is not share.role:
        here.workspaces.share(now.id, share.person, chosen, person.id)
        st.rerun(scope="fragment")
    if removed:
        here.workspaces.unshare(now.id, share.person, person.id)
        st.rerun(scope="fragment")


def _everyone(now: Current, person: Person, role: Role | None) -> None:
    """Draw the role of everyone who signs in; a role is never set by an empty field."""
    name, rest = _columns()
    name.markdown("Everyone who signs in")
    options = [None, Role.VIEWER, Role.EDITOR]
    chosen = rest.selectbox(
        "Role of everyone",
        options,
        index=options.index(role),
        key="share.everyone",
        label_visibility="collapsed",
        format_func=lambda one: one.capitalize() if one else "No role",
    )
    if chosen is role:
        return
    if chosen is None:
        hosted().workspaces.unshare(now.id, EVERYONE, person.id)
    else:
        hosted().workspaces.share(now.id, EVERYONE, chosen, person.id)
    st.rerun(scope="fragment")


def _columns() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return columns for a person and their role; stacked in a narrow window."""
    name, rest = st.columns([5, 6], vertical_alignment="center")
    return name, rest


def _invitations(now: Current, person: Person) -> None:
    """Draw the form for a new link, and the links that can still be accepted."""
    here = hosted()
    with st.expander("Invite by link", icon=":material/link:", key="share.invite"):
        st.caption(
            f"A link works once, for one person, within {quantity(here.invitations.days, 'day')}: "
            "whoever opens it, signs in and accepts gets the role."
        )
        with st.form("share.invitation", border=False):
            role, make = st.columns([7, 3], vertical_alignment="bottom")
            chosen = role.selectbox(
                "Role of the guest", [Role.VIEWER, Role.EDITOR], format_func=lambda one: _ROLES[one]
            )
            if make.form_submit_button("Create a link", width="stretch"):
                here.invitations.make(now.id, chosen, person.id)
        for one, token in here.invitations.open_ones(now.id, person.id):
            until = moment_text(one.expires)
            with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
                st.caption(f"{one.role.capitalize()} · until {until} · made by {_maker(one.made_by)}")
                if button("Revoke", key=f"share.revoke.{one.id}", icon=":material/link_off:", type="tertiary"):
                    here.invitations.revoke(one.id, person.id)
                    st.rerun(scope="fragment")
            st.code(invitation_link(token), language=None, wrap_lines=True)


def _leave(now: Current, person: Person) -> None:
    here = hosted()
    shares = here.workspaces.shares(now.id, person.id)
    others = [one for one in shares if one.person not in (person.id, EVERYONE)]
    owners = [one for one in others if one.role is Role.OWNER]
    own = any(one.person == person.id for one in shares)
    with st.container():
        if now.access.allows(Right.MANAGE) and others:
            with st.expander("Hand over", icon=":material/swap_horiz:"):
                st.caption("Someone else becomes the owner, and you become an editor.")
                whom = st.selectbox(
                    "New owner", [one.person for one in others], format_func=_option_of, key="share.heir"
                )
                if button("Hand over", key="share.hand", type="primary"):
                    here.workspaces.hand_over(now.id, whom, person.id)
                    st.rerun()
        if not own:
            st.caption("You have your role because everyone who signs in has it, so you cannot give it up.")
        elif (owners or not now.access.allows(Right.MANAGE)) and button(
            "Leave",
            key="share.leave",
            icon=":material/logout:",
            help="Give up your role; an owner can share the workspace with you again.",
        ):
            here.workspaces.unshare(now.id, person.id, person.id)
            forget_choice()
            st.rerun()


def _name_of(id: str) -> str:
    """Return a person's label for Markdown."""
    return _written(id, plain)


def _option_of(id: str) -> str:
    """Return a person's label for a select box, which shows plain text."""
    return _written(id, isolated)


def _written(id: str, legible: Callable[[str], str]) -> str:
    """Return name and address, each with its own text direction."""
    if id == EVERYONE:
        return "Everyone who signs in"
    person = hosted().people.get(id)
    return " · ".join(legible(part) for part in (person.name, person.email) if part) if person else "Somebody"


def _maker(id: str) -> str:
    """Return a person's name for Markdown."""
    person = hosted().people.get(id)
    return plain(person.name) if person else "somebody"


def agent_tokens_tab(now: Current, person: Person) -> None:
    """Draw the form for a new token, and one's own tokens, or everybody's for owners."""
    st.caption(
        "An agent with a token searches and reads this workspace as you, and never with more rights than "
        "yours. Its model requests count as yours. The Agents page says how to connect one."
    )
    _make(now, person)
    for one in hosted().agent_tokens.of(now.id, person.id):
        _token_row(one, person)


def _make(now: Current, person: Person) -> None:
    here = hosted()
    roles = [role for role in _TOKEN_ROLES if role is Role.VIEWER or now.access.allows(Right.WRITE)]
    lasting = [days for days in _DAYS if days < here.agent_tokens.days] + [here.agent_tokens.days]
    with st.form("share.agent", border=False):
        name, role, days, make = st.columns([4, 4, 2, 3], vertical_alignment="bottom")
        called = name.text_input(
            "Name",
            placeholder="Claude on my laptop",
            max_chars=LONGEST_NAME,
            help="Shown with the agent's calls and in this list.",
        )
        chosen = role.selectbox("Role of the agent", roles, format_func=lambda one: _TOKEN_ROLES[one])
        until = days.selectbox(
            "Valid for",
            lasting,
            index=min(1, len(lasting) - 1),
            format_func=lambda one: f"{one} days" if one > 1 else "1 day",
        )
        if not make.form_submit_button("Create a token", type="primary", width="stretch"):
            return
    try:
        token = here.agent_tokens.make(now.id, called, chosen, person.id, until)
    except ChunkscopeError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    stored = here.agent_tokens.find(token)
    st.session_state[_MADE] = {**st.session_state.get(_MADE, {}), stored.id: token}


def _token_row(one: AgentToken, person: Person) -> None:
    here = hosted()
    maker = "" if one.person == person.id else f"of {_maker(one.person)} · "
    until, used = moment_text(one.expires), f"last used {moment_text(one.used)}" if one.used else "not used yet"
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"**{plain(one.name)}**  \n{one.role.capitalize()} · {maker}until {until} · {used}")
        if button("Revoke", key=f"share.agent.{one.id}", icon=":material/link_off:", type="tertiary"):
            here.agent_tokens.revoke(one.id, person.id)
            st.rerun(scope="fragment")
    token = st.session_state.get(_MADE, {}).get(one.id)
    if token:
        st.caption("Copy the token now: it is not shown again.")
        st.code(token, language=None, wrap_lines=True)
