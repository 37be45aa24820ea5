"""The switcher in the header: which workspace this is, those there are, and what can be done with them."""

from __future__ import annotations

import streamlit as st

from chunking.deployment import Mode, SharedWorkspace
from chunking.errors import ChunkscopeError
from chunking.store import Right, Role
from components.kit.button import button
from components.kit.wording import duration, plain
from components.session.current_workspace import DEFAULT, Current, choices, current, switch
from hosting.people.identity import asker, deployment, snapshot
from components.session.page.page_frame import fragment
from hosting.dialogs.share_dialog import share_dialog
from components.workspaces.workspace_dialogs import (
    bin_dialog,
    delete_dialog,
    duplicate_dialog,
    new_dialog,
    rename_dialog,
)
from components.workspaces.workspace_file_dialogs import open_dialog, save_button

__all__ = ["switcher"]

_ROLE_ICONS = {Role.OWNER: ":material/key:", Role.EDITOR: ":material/edit:", Role.VIEWER: ":material/visibility:"}
_SHOWN = 8
"""Workspaces that the list shows before it scrolls."""
_AGAIN = 60
"""Seconds between two looks at how long a visit lasts; what is said stands until shortly before the next one."""
_SOON = 600.0
"""Seconds before the end of a visit from which it is said."""


def switcher() -> None:
    """Draw it. Where the workspace cannot be opened the page says why, and this leads to another one."""
    with st.container(key="workspace-switcher"):
        if deployment().settings.sharing.mode is Mode.DEMO:
            _demo()
            return
        if snapshot() is not None:
            _frozen()
            return
        try:
            now = current()
        except ChunkscopeError:
            now = None
        _own(now if now and now.access.allows(Right.READ) else None)


def _own(now: Current | None) -> None:
    name = plain(now.name) if now else "Workspaces"
    with (
        st.popover(name, icon=":material/folder_special:", wrap=False),
        st.container(key="workspace-menu", gap="xsmall"),
    ):
        _list(now.id if now else "")
        if now is not None:
            with st.container(horizontal=True, gap="small", key="workspace-acts"):
                _here(now)
        with st.container(horizontal=True, gap="small"):
            _beside()
        _person()


def _here(now: Current) -> None:
    """What can be done with this one."""
    if deployment().settings.sharing.mode is Mode.TEAM:
        _act("Share and activity", "group", "share", share_dialog)
    _act("Duplicate", "content_copy", "duplicate", duplicate_dialog)
    save_button(now)
    if now.id != DEFAULT and now.access.allows(Right.MANAGE):
        _act("Rename", "edit", "rename", rename_dialog)
        _act("Delete", "delete", "delete", delete_dialog)


def _beside() -> None:
    """Other ones: made, opened, and taken back."""
    here, person = deployment(), asker()
    _act("New", "add", "new", new_dialog)
    _act("Open file", "upload_file", "open-file", open_dialog)
    if person is not None and here.workspaces.bin(person.id):
        _act("Bin", "restore_from_trash", "bin", bin_dialog)


def _list(now: str) -> None:
    found = choices()
    with st.container(height=42 * _SHOWN if len(found) > _SHOWN else "content", border=False, gap="xsmall"):
        for one in found:
            st.button(
                plain(one.name),
                key=f"workspace.switch.{one.id}",
                icon=":material/check:" if one.id == now else _ROLE_ICONS[one.role],
                type="secondary" if one.id == now else "tertiary",
                width="stretch",
                help=_role_help(one),
                on_click=switch,
                args=(one.id,),
            )


def _role_help(one: SharedWorkspace) -> str:
    return {
        Role.OWNER: "You are an owner: you can change, share and delete it.",
        Role.EDITOR: "You are an editor: you can change what is in it.",
        Role.VIEWER: "You are a viewer: you can look, search and export.",
    }[one.role]


def _act(label: str, icon: str, key: str, dialog: object) -> None:
    assert callable(dialog)
    if button(label, icon=f":material/{icon}:", key=f"workspace.{key}", type="tertiary"):
        dialog()


def _person() -> None:
    """In a team: who is signed in."""
    here, person = deployment(), asker()
    if person is None or here.settings.sharing.mode is not Mode.TEAM:
        return
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="workspace-person"
    ):
        st.caption(f"Signed in as {plain(person.name)}" + (f" · {plain(person.email)}" if person.email else ""))
        st.button("Sign out", icon=":material/logout:", key="sign-out", type="tertiary", on_click=st.logout)


def _frozen() -> None:
    """What a snapshot is, and what can be taken from it."""
    now = current()
    with st.popover("Snapshot", icon=":material/photo_camera:"):
        st.markdown(f"**{plain(now.name)}** as it was; nothing in it can be changed.")
        if now.access.allows(Right.READ):
            st.caption("Keep it as one file, and open that in a workspace of your own.")
            save_button(now)


def _demo() -> None:
    """How long the copy of a visitor lasts; looking at it is no click."""
    here, person = deployment(), asker()
    assert person is not None
    lasts = duration(here.visits.idle_seconds)
    with st.popover("Your copy", icon=":material/timelapse:"):
        st.markdown(
            f"This is a **private copy** of the demo. Nobody else sees what you do in it. It is deleted "
            f"{lasts} after your last click."
        )
        st.caption(
            "Keep it as one file, and open that on your own machine; the Export page has chunks, "
            "configuration and report."
        )
        save_button(current())
    fragment(run_every=_AGAIN)(_warning)()


def _warning() -> None:
    here, person = deployment(), asker()
    left = here.visits.seconds_left(person.id) if person else 0.0
    if 0 < left < min(_SOON, here.visits.idle_seconds / 4):
        shown = duration(left if left < 90 else 60 * round(left / 60))
        st.toast(
            f"Your copy is deleted in about {shown} unless you click something.",
            icon=":material/timelapse:",
            duration=_AGAIN - 5,
        )
    else:
        # Styles and toasts are in one list of Streamlit's: without a place of its own there, the toast would take that
        # of the next style.
        st.html("<style></style>")
