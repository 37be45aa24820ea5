"""The dialog over who has which role in a workspace, and who did what in it."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from chunking.deployment import EVERYONE, Person, Share
from chunking.errors import ChunkscopeError
from chunking.store import Right, Role
from components.kit.button import button
from components.kit.clock import said
from components.kit.wording import apart, count, plain
from components.session.current_workspace import Current, current, forget_choice
from components.session.identity import asker, deployment
from components.session.page_frame import sentences
from components.workspaces.activity_list import activity_list
from components.workspaces.invitation_page import invitation_link
from components.workspaces.snapshots_tab import snapshots_tab

__all__ = ["share_dialog"]

_ROLES = {
    Role.VIEWER: "Viewer: looks, searches, exports",
    Role.EDITOR: "Editor: changes what is in it",
    Role.OWNER: "Owner: also shares and deletes",
}


@st.dialog("Share this workspace", width="large")
def share_dialog() -> None:
    """People, snapshots, and what was done."""
    now, person = current(), asker()
    assert person is not None
    if now.access.allows(Right.MANAGE):
        people, frozen, done = st.tabs(["People", "Snapshots", "Activity"])
        with frozen, sentences():
            snapshots_tab(now, person)
    else:
        people, done = st.tabs(["People", "Activity"])
    with people, sentences():
        _people(now, person)
    with done, sentences():
        activity_list(now)


def _people(now: Current, person: Person) -> None:
    here, manages = deployment(), now.access.allows(Right.MANAGE)
    if manages:
        _add(now, person)
    for share in here.workspaces.shares(now.id, person.id):
        _row(now, person, share, manages=manages)
    if manages:
        _invitations(now, person)
    else:
        st.caption("Owners of this workspace give roles and take them away.")
    _leave(now, person)


def _add(now: Current, person: Person) -> None:
    """Give a role to somebody who has signed in once, or to everyone."""
    here = deployment()
    with st.form("share.add", border=False, clear_on_submit=True):
        who, role, add = st.columns([5, 4, 2], vertical_alignment="bottom")
        email = who.text_input(
            "E-mail address", placeholder="ann@example.com", help="Of somebody who has signed in here; empty for everyone who signs in."
        )
        given = role.selectbox("Role", list(_ROLES), format_func=lambda one: _ROLES[one])
        if not add.form_submit_button("Share", type="primary", width="stretch"):
            return
    try:
        whom = here.people.by_email(email).id if email.strip() else EVERYONE
        here.workspaces.share(now.id, whom, given, person.id)
    except ChunkscopeError as error:
        st.error(plain(str(error)), icon=":material/error:")


def _row(now: Current, person: Person, share: Share, *, manages: bool) -> None:
    name, role, remove = st.columns([5, 4, 2], vertical_alignment="center")
    name.markdown(_name_of(share.person) + (" (you)" if share.person == person.id else ""))
    if not manages or share.person == person.id:
        role.caption(share.role.capitalize())
        return
    options = [one for one in _ROLES if share.person != EVERYONE or one is not Role.OWNER]
    key = f"share.role.{share.person}"
    place = options.index(share.role)
    chosen = role.selectbox("Role", options, index=place, key=key, label_visibility="collapsed", format_func=str.capitalize)
    here = deployment()
    if chosen is not share.role:
        here.workspaces.share(now.id, share.person, chosen, person.id)
        st.rerun(scope="fragment")
    if button("Remove", place=remove, key=f"share.remove.{share.person}", icon=":material/person_remove:", type="tertiary"):
        here.workspaces.unshare(now.id, share.person, person.id)
        st.rerun(scope="fragment")


def _invitations(now: Current, person: Person) -> None:
    """A link for somebody whose address is not known here, and those that can still be accepted."""
    here = deployment()
    with st.expander("Invite by link", icon=":material/link:", key="share.invite"):
        st.caption(
            f"For one person, once, within {count(here.invitations.days, 'day')}: who opens the link, signs in and accepts has the role."
        )
        with st.form("share.invitation", border=False):
            role, make = st.columns([7, 3], vertical_alignment="bottom")
            given = role.selectbox("Role of who accepts", [Role.VIEWER, Role.EDITOR], format_func=lambda one: _ROLES[one])
            if make.form_submit_button("Make a link", width="stretch"):
                here.invitations.make(now.id, given, person.id)
        for one, token in here.invitations.open_ones(now.id, person.id):
            until = said(datetime.fromtimestamp(one.expires, UTC).isoformat())
            with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
                st.caption(f"{one.role.capitalize()} · until {until} · made by {_name_of(one.made_by)}")
                if button("Revoke", key=f"share.revoke.{one.id}", icon=":material/link_off:", type="tertiary"):
                    here.invitations.revoke(one.id, person.id)
                    st.rerun(scope="fragment")
            st.code(invitation_link(token), language=None)


def _leave(now: Current, person: Person) -> None:
    here = deployment()
    others = [one for one in here.workspaces.shares(now.id, person.id) if one.person not in (person.id, EVERYONE)]
    owners = [one for one in others if one.role is Role.OWNER]
    with st.container():
        if now.access.allows(Right.MANAGE) and others:
            with st.expander("Hand over", icon=":material/swap_horiz:"):
                st.caption("Somebody else becomes the owner, and you an editor.")
                whom = st.selectbox("New owner", [one.person for one in others], format_func=_option_of, key="share.heir")
                if button("Hand over", key="share.hand", type="primary"):
                    here.workspaces.hand_over(now.id, whom, person.id)
                    st.rerun()
        if (owners or not now.access.allows(Right.MANAGE)) and button(
            "Leave", key="share.leave", icon=":material/logout:", help="Give your own role back; an owner can share it with you again."
        ):
            here.workspaces.unshare(now.id, person.id, person.id)
            forget_choice()
            st.rerun()


def _name_of(id: str) -> str:
    """Where Markdown is read."""
    return plain(_written(id))


def _option_of(id: str) -> str:
    """In a list to choose from, which reads no Markdown."""
    return apart(_written(id))


def _written(id: str) -> str:
    if id == EVERYONE:
        return "Everyone who signs in"
    found = deployment().people.get(id)
    return f"{found.name} · {found.email}" if found and found.email else found.name if found else "Somebody"
