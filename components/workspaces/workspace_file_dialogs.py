"""Saving a workspace as one file, and opening such a file as a new workspace."""

from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st

from chunking.errors import ChunkscopeError
from chunking.store import Role, RoleAccess, Workspace
from chunking.store.copies.workspace_files import folder_bytes
from chunking.store.engine.schema import DOCUMENTS
from chunking.store.workspace_file.archive import FileLimits, open_archive
from chunking.store.workspace_file.opening import open_workspace_file
from chunking.store.workspace_file.saving import save_workspace
from components.kit.button import button
from components.kit.wording import plain
from components.server.turns import Turns
from components.session.current_workspace import Current, switch
from components.session.document_caches import clear_when_unused
from components.session.file_memory import BoundedFile, too_large
from components.session.host import deployment, host
from components.session.page.page_frame import dialog
from components.session.workspace import MOST_WORKSPACES, workspace

__all__ = ["open_dialog", "open_form", "save_button"]

_ENDING = "chunkscope"
_SAVE = "chunkscope save"
_UPLOADED = FileLimits(file_bytes=200 * 2**20, bytes=2 * 2**30, batch_bytes=64 * 2**20, rows=2_000_000, seconds=120)
"""Limits of an uploaded file; a larger one is opened with `chunkscope open`."""
_OPENING = Turns(
    2,
    60.0,
    own="One of your files is already being opened; wait until its workspace is there, then open this one.",
    others="Others are opening files; try again in a few minutes.",
)
"""Few files open at once, as quotas count them only when they are on the disk."""
_NAMED = 60
"""Most letters of a file's name in a sentence."""


def save_button(now: Current) -> None:
    """Draw the button that downloads the workspace as a file; disabled if that is too large.

    The server creates the file at the click, in no session: of the workspace that this run has opened.
    """
    try:
        target = workspace()
    except ChunkscopeError:
        return  # the page reports it
    why = _too_large(target)
    st.download_button(
        "Save as file",
        data=lambda: _saved(target),
        file_name=f"{_file_name(now.name)}.{_ENDING}",
        mime="application/zip",
        icon=":material/download:",
        key="workspace.save",
        type="tertiary",
        on_click="ignore",
        disabled=bool(why),
        help=why
        or "Documents, indexes with their vectors, questions and runs in one file, without the search history. "
        "Open it here or on another machine.",
    )


def _too_large(target: Workspace) -> str:
    """Return why the file would be too large; empty if it is not."""
    return too_large(_size(target.uri, target.version()), _SAVE) if target.folder is not None else ""


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=MOST_WORKSPACES)
def _size(address: str, version: str) -> int:
    """Return the bytes of a workspace on the disk: about those of its file.

    Includes what the file leaves out: search indexes and old versions.
    """
    return folder_bytes(address)


def _saved(target: Workspace) -> bytes:
    sink = BoundedFile(_SAVE)
    save_workspace(target, sink)
    return sink.getvalue()


def _file_name(name: str) -> str:
    """Return a workspace's name as a file name.

    >>> _file_name("Contracts: 2026/11"), _file_name("合同"), _file_name("..")
    ('Contracts-2026-11', '合同', 'workspace')
    """
    return "-".join("".join(letter if letter.isalnum() else " " for letter in name).split()) or "workspace"


@dialog("Open a workspace file", check=lambda: host().user())
def open_dialog() -> None:
    """Draw `open_form` with what it does."""
    st.caption("A file saved here or on another machine becomes a new workspace; this one stays as it is.")
    open_form()


def open_form() -> None:
    """Draw the form that opens an uploaded file as a new workspace, and switches to it."""
    file = st.file_uploader("Workspace file", type=[_ENDING], key="workspace.opened-file")
    if not button("Open", type="primary", key="workspace.open", disabled=file is None) or file is None:
        return
    person = host().user()
    assert person is not None
    try:
        with st.spinner("Opening the file …"):
            id = _workspace_from(file.getbuffer(), Path(file.name).stem, person.id)
    except ChunkscopeError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    switch(id)
    st.rerun()


def _workspace_from(data: memoryview, name: str, person: str) -> str:
    """Create a workspace from an uploaded file and return its id.

    Raises:
        QuotaError: there is no room for it, or it is too large for a workspace: its manifest is checked before the
            rows are read, and the rows before anybody sees the workspace.
        WorkspaceFileError, StoreError: as `open_workspace_file`.
    """
    here = deployment()
    here.quotas.check_disk(person, len(data))
    with _OPENING.take(person), tempfile.TemporaryDirectory(prefix="chunkscope-") as folder:
        file = Path(folder) / f"{_file_name(name)[:_NAMED]}.{_ENDING}"
        file.write_bytes(data)
        with open_archive(file, _UPLOADED) as (_, manifest):
            here.quotas.check_disk(person, sum(table.bytes for table in manifest.tables))
            here.quotas.check_file(documents=sum(table.rows for table in manifest.tables if table.name == DOCUMENTS))
        return here.workspaces.create(name, person, fill=lambda place: _fill(place, file, person))


def _fill(folder: Path, file: Path, person: str) -> None:
    """Unpack a file to a folder and check quotas by its actual rows, whatever its manifest says.

    Repetitive text takes far more space on the disk than in the file.
    """
    open_workspace_file(file, folder, limits=_UPLOADED)
    opened_copy = Workspace.open(folder, create=False, access=RoleAccess(Role.VIEWER))
    rows, indexes = opened_copy.documents(), opened_copy.indexes()
    deployment().quotas.check_file(
        documents=len(rows),
        characters=sum(row.characters for row in rows),
        chunks=max((opened_copy.index(one.name).count() for one in indexes), default=0),
    )
    deployment().quotas.check_disk(person)
    deployment().quotas.check_owning(person, folder)
