"""The switcher in the header: which workspace this is, those there are, and what can be done with them."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunking.deployment import SharedWorkspace
from chunking.errors import ChunkscopeError
from chunking.store import Right, Role
from components.kit.button import button
from components.kit.wording import plain
from components.session.current_workspace import DEFAULT, Current, choices, current, switch
from components.session.host import deployment, host
from components.workspaces.workspace_dialogs import (
    bin_dialog,
    delete_dialog,
    duplicate_dialog,
    new_dialog,
    rename_dialog,
)
from components.workspaces.workspace_file_dialogs import open_dialog, save_button

__all__ = ["draw_action", "switcher"]

_ROLE_ICONS = {Role.OWNER: ":material/key:", Role.EDITOR: ":material/edit:", Role.VIEWER: ":material/visibility:"}
_SHOWN = 8
"""Workspaces that the list shows before it scrolls."""


def switcher() -> None:
    """Draw it. Where the workspace cannot be opened the page says why, and this leads to another one."""
    with st.container(key="workspace-switcher"):
        if host().draw_menu():
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
            _others()
        host().draw_account()


def _here(now: Current) -> None:
    """Draw what can be done with this one."""
    host().draw_actions(now)
    draw_action("Duplicate", "content_copy", "duplicate", duplicate_dialog)
    save_button(now)
    if now.id != DEFAULT and now.access.allows(Right.MANAGE):
        draw_action("Rename", "edit", "rename", rename_dialog)
        draw_action("Delete", "delete", "delete", delete_dialog)


def _others() -> None:
    """Draw ways to other ones: make, open, take back."""
    person = host().user()
    draw_action("New", "add", "new", new_dialog)
    draw_action("Open file", "upload_file", "open-file", open_dialog)
    if person is not None and deployment().workspaces.bin(person.id):
        draw_action("Bin", "restore_from_trash", "bin", bin_dialog)


def _list(now: str) -> None:
    workspaces = choices()
    with st.container(height=42 * _SHOWN if len(workspaces) > _SHOWN else "content", border=False, gap="xsmall"):
        for one in workspaces:
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


def draw_action(label: str, icon: str, key: str, dialog: Callable[[], object]) -> None:
    """Draw a button of the menu that opens a dialog."""
    if button(label, icon=f":material/{icon}:", key=f"workspace.{key}", type="tertiary"):
        dialog()
