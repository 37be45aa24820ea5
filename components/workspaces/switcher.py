"""The workspace switcher in the header, and its dialogs: new, duplicate, rename, delete, bin."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunking.deployment import Person, SharedWorkspace
from chunking.deployment.person import LONGEST_NAME
from chunking.errors import ChunkscopeError
from chunking.store import Right, Role
from chunking.store.copies.linked_copy import linked_copy
from components.kit.button import button
from components.kit.clock import moment_text
from components.kit.glossary_lines import LABEL, glossary_dialog
from components.kit.wording import plain, quantity
from components.session.current_workspace import DEFAULT, Current, choices, current, forget_choice, switch
from components.session.host import deployment, host
from components.session.jobs import jobs
from components.session.page.page_frame import dialog
from components.session.workspace import begin_empty, workspace
from components.workspaces.workspace_file_dialogs import open_dialog, open_form, save_button

__all__ = ["draw_action", "switcher"]

_ROLE_ICONS = {Role.OWNER: ":material/key:", Role.EDITOR: ":material/edit:", Role.VIEWER: ":material/visibility:"}
_SHOWN = 8
"""Workspaces that the list shows before it scrolls."""
_EMPTY, _SAMPLES, _FILE = "empty", "samples", "file"
_BEGINNINGS = {
    _EMPTY: ("Empty", "For your own documents, which you add next."),
    _SAMPLES: ("Sample documents", "With an index and questions, to try everything at once."),
    _FILE: ("A workspace file", "Saved here or on another machine."),
}
"""Content that a new workspace begins with: label and description."""


def switcher() -> None:
    """Draw the menu of the user's workspaces with its actions, or the host's own menu.

    Drawn even if the workspace cannot be opened, so that users can leave it.
    """
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
    """Draw the actions on the current workspace."""
    host().draw_actions(now)
    draw_action("Duplicate", "content_copy", "duplicate", duplicate_dialog)
    save_button(now)
    if now.id != DEFAULT and now.access.allows(Right.MANAGE):
        draw_action("Rename", "edit", "rename", rename_dialog)
        draw_action("Delete", "delete", "delete", delete_dialog)


def _others() -> None:
    """Draw the actions on other workspaces, new, open and restore, and the glossary."""
    person = host().user()
    draw_action("New", "add", "new", new_dialog)
    draw_action("Open file", "upload_file", "open-file", open_dialog)
    if person is not None and deployment().workspaces.bin(person.id):
        draw_action("Bin", "restore_from_trash", "bin", bin_dialog)
    draw_action(LABEL, "dictionary", "words", glossary_dialog)


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
    """Draw a button of the menu that calls `dialog` when clicked."""
    if button(label, icon=f":material/{icon}:", key=f"workspace.{key}", type="tertiary"):
        dialog()


@dialog("New workspace", check=lambda: host().user())
def new_dialog() -> None:
    """Draw the form that creates a workspace, empty, with the samples or from a file, and switches to it."""
    begin = st.radio(
        "Begin with",
        list(_BEGINNINGS),
        key="workspace.begin",
        format_func=lambda one: _BEGINNINGS[one][0],
        captions=[about for _, about in _BEGINNINGS.values()],
        help="A workspace holds documents with their indexes, questions and runs.",
    )
    if begin == _FILE:
        open_form()
    else:
        _named("Create", "new", "", _create_empty if begin == _EMPTY else _create, placeholder="Contracts 2026")


def _create(name: str, by: Person) -> None:
    here = deployment()
    here.quotas.check_disk(by.id)
    switch(here.workspaces.create(name, by.id))


def _create_empty(name: str, by: Person) -> None:
    """Create a workspace without documents, and go to the page where they are dropped."""
    here = deployment()
    here.quotas.check_disk(by.id)
    switch(here.workspaces.create(name, by.id, fill=begin_empty))
    st.switch_page("pages/documents.py")


@dialog("Duplicate this workspace")
def duplicate_dialog() -> None:
    """Draw the form that duplicates this workspace, and switches to the copy.

    The copy is made of hard links, so it takes a moment and no space.
    """
    st.caption("A second workspace with everything in this one. Changes in one do not affect the other.")
    _named("Duplicate", "copy", f"Copy of {current().name}", _duplicate)


def _duplicate(name: str, by: Person) -> None:
    here, source = deployment(), workspace()
    here.quotas.check_disk(by.id)
    if source.folder is not None:
        here.quotas.check_owning(by.id, source.folder)
    switch(here.workspaces.create(name, by.id, fill=lambda place: linked_copy(source, place)))


@dialog("Rename this workspace")
def rename_dialog() -> None:
    """Draw the form that renames this workspace for all its users."""
    now = current()
    _named("Rename", "change", now.name, lambda name, by: deployment().workspaces.rename(now.id, name, by.id))


@dialog("Delete this workspace")
def delete_dialog() -> None:
    """Draw the button that moves this workspace to the bin, cancels its jobs, and leaves it.

    A sole owner who did not create it may delete it for good instead.
    """
    now, days = current(), deployment().settings.sharing.bin_days
    st.markdown(
        f"**{plain(now.name)}** goes to the bin, and everybody in it loses access. An owner can restore it "
        f"within {quantity(days, 'day')}."
    )
    job = jobs().of(now.uri)
    if job is not None and job.active:
        st.caption("A job is running in it and will be stopped.")
    person = host().user()
    is_transferred = person is not None and deployment().workspaces.is_given(now.id, person.id)
    for_good = is_transferred and st.checkbox(
        "Delete it for good at once",
        key="workspace.for-good",
        help=(
            "Someone else created it, but it counts towards your quota. Once deleted for good, it cannot be "
            "restored, and its space is free within a minute."
        ),
    )
    _done("Delete for good" if for_good else "Move to bin", lambda by: _delete(now, by, for_good))


def _delete(now: Current, by: Person, for_good: bool) -> None:
    deployment().workspaces.delete(now.id, by.id, for_good=for_good)
    jobs().forget_workspace(now.uri)
    forget_choice()


@dialog("Bin", check=lambda: host().user())
def bin_dialog() -> None:
    """Draw the user's workspaces in the bin, each with a button that restores it."""
    here, person = deployment(), host().user()
    assert person is not None
    binned, days = here.workspaces.bin(person.id), here.settings.sharing.bin_days
    st.caption(
        f"Workspaces in the bin are deleted for good after {quantity(days, 'day')}." if binned else "The bin is empty."
    )
    for one in binned:
        with st.container(horizontal=True, vertical_alignment="center", key=f"workspace-bin-{one.id}"):
            with st.container(gap=None):
                st.markdown(plain(one.name))
                st.caption(f"Deleted {moment_text(one.deleted or 0)}")
            if button("Restore", key=f"workspace.back.{one.id}", icon=":material/restore_from_trash:"):
                here.workspaces.take_back(one.id, person.id)
                st.rerun()


def _named(label: str, key: str, name: str, act: Callable[[str, Person], object], placeholder: str = "") -> None:
    """Draw a form with a name field and a button.

    As a form, Enter works too, and no click is lost while the name is sent.
    """
    with st.form(f"workspace.form.{key}", border=False):
        name_typed = st.text_input(
            "Name",
            key=f"workspace.name.{key}",
            max_chars=LONGEST_NAME,
            value=name[:LONGEST_NAME],
            placeholder=placeholder,
        )
        if st.form_submit_button(label, type="primary", key=f"workspace.do.{key}"):
            _do(lambda by: act(name_typed, by))


def _done(label: str, act: Callable[[Person], object]) -> None:
    """Draw the button of a dialog that asks for nothing else."""
    if button(label, type="primary", key="workspace.done"):
        _do(act)


def _do(act: Callable[[Person], object]) -> None:
    """Run an action and close the dialog; an error stays in it."""
    person = host().user()
    assert person is not None
    try:
        act(person)
    except ChunkscopeError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    st.rerun()
