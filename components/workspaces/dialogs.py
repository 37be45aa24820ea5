"""Dialogs over one workspace: a new one, a duplicate, another name, into the bin and out of it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunking.deployment import Person
from chunking.errors import ChunkscopeError
from chunking.store.copies.linked_copy import linked_copy
from components.kit.button import button
from components.kit.wording import plain
from components.session.current_workspace import Current, current, forget_choice, switch
from components.session.identity import asker, deployment
from components.session.jobs import jobs
from components.session.workspace import workspace

__all__ = ["bin_dialog", "delete_dialog", "duplicate_dialog", "new_dialog", "rename_dialog"]

_LONGEST = 80


@st.dialog("New workspace")
def new_dialog() -> None:
    """Documents, indexes and questions of its own; it begins with the samples."""
    st.caption("A workspace holds documents with their indexes, questions and runs. A new one begins with the sample documents.")
    name = st.text_input("Name", key="workspace.name.new", max_chars=_LONGEST, placeholder="Contracts 2026")
    _done("Create", lambda by: _create(name, by), ready=bool(name.strip()))


def _create(name: str, by: Person) -> None:
    here = deployment()
    here.quotas.check_disk(by.id)
    switch(here.workspaces.create(name, by.id))


@st.dialog("Duplicate this workspace")
def duplicate_dialog() -> None:
    """What is in it now, in a second workspace of one's own; made by links, so it takes a moment and no space."""
    st.caption("A second workspace with everything that is in this one now. Changes in one do not reach the other.")
    name = st.text_input("Name", key="workspace.name.copy", max_chars=_LONGEST, value=f"Copy of {current().name}"[:_LONGEST])
    _done("Duplicate", lambda by: _duplicate(name, by), ready=bool(name.strip()))


def _duplicate(name: str, by: Person) -> None:
    here, source = deployment(), workspace()
    here.quotas.check_disk(by.id)
    id = here.workspaces.create(name, by.id)
    try:
        linked_copy(source, here.workspaces.place(id))
    except ChunkscopeError:
        here.workspaces.delete(id, by.id)
        here.workspaces.forget(id)
        raise
    switch(id)


@st.dialog("Rename this workspace")
def rename_dialog() -> None:
    """Everybody in it sees the new name."""
    now = current()
    name = st.text_input("Name", key="workspace.name.change", max_chars=_LONGEST, value=now.name)
    _done("Rename", lambda by: deployment().workspaces.rename(now.id, name, by.id), ready=bool(name.strip()))


@st.dialog("Delete this workspace")
def delete_dialog() -> None:
    """Into the bin, from which it can be taken back for a while."""
    now, days = current(), deployment().settings.sharing.bin_days
    st.markdown(f"**{plain(now.name)}** goes to the bin, for everybody in it. An owner can take it back for {days} days.")
    job = jobs().of(now.uri)
    if job is not None and job.active:
        st.caption("A job is under way in it: it is stopped.")
    _done("Move to bin", lambda by: _delete(now, by), ready=True)


def _delete(now: Current, by: Person) -> None:
    deployment().workspaces.delete(now.id, by.id)
    jobs().leave(now.uri)
    forget_choice()


@st.dialog("Bin")
def bin_dialog() -> None:
    """Workspaces that can be taken back."""
    here, person = deployment(), asker()
    assert person is not None
    found = here.workspaces.bin(person.id)
    if not found:
        st.caption("The bin is empty.")
    for one in found:
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(plain(one.name))
            if button("Take back", key=f"workspace.back.{one.id}", icon=":material/restore_from_trash:"):
                here.workspaces.take_back(one.id, person.id)
                st.rerun()


def _done(label: str, act: Callable[[Person], object], *, ready: bool) -> None:
    """The button that closes a dialog once it has worked; else its sentence stands here."""
    if not button(label, type="primary", key="workspace.done", disabled=not ready):
        return
    person = asker()
    assert person is not None
    try:
        act(person)
    except ChunkscopeError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    st.rerun()
