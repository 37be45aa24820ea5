"""The workspace that the pages share: where it is, the samples it starts with, and who may write to it.

`current_workspace` says which one it is, and what who is asking may do there: everything that touches data takes the
workspace that `workspace()` gives, and the store refuses what its access does not allow.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from chunking.deployment import SERVER
from chunking.errors import ChunkscopeError, LockedError
from chunking.evaluation.runs.loaded_chunks import LoadedWorkspace, use_loaded
from chunking.model import Document
from chunking.samples import prepare as prepare_samples
from chunking.splitting.strategies.custom_splitters import use_splitters
from chunking.store import EVERYTHING, Access, Right, Role, RoleAccess, Workspace
from chunking.store.access import refusal
from components.kit.wording import plain
from components.session import samples
from components.session.current_workspace import current
from components.session.document_caches import clear_when_unused
from components.session.host import deployment, host
from components.session.jobs import jobs
from components.session.page.once_a_run import once_a_run
from components.session.page.page_frame import arrival

__all__ = [
    "MOST_WORKSPACES",
    "check_room",
    "close_unused",
    "document",
    "empty",
    "is_anybody_here",
    "kept_for_all",
    "loaded_of",
    "open_workspace",
    "prepare",
    "reset_to_samples",
    "tell_samples",
    "workspace",
    "workspace_of",
    "writing",
]

_sessions: dict[str, set[str]] = {}
"""Address of a workspace to the ids of the sessions that have worked there since it was opened."""
PATIENCE = 5.0
"""Seconds that a change waits for another session's, which takes no longer."""
MOST_WORKSPACES = 128
"""Workspaces of which the server keeps what every run of a page asks for, such as that they are open: visitors of a
demo have one each, and with fewer entries than people at work, every run would open and read its own anew. One that is
open has up to five files open."""

SHORT, LARGE = 100_000, 1_000_000
"""Characters. Many documents up to the first are kept open, of everybody who is at work; few over the second: one of 20
million takes 250 MB, and 600 MB once measured."""


@once_a_run
def workspace() -> Workspace:
    """The workspace of who is asking, opened for them; at its very first start with the sample documents in it.

    Raises:
        AccessError: they have to sign in, or have no role in it (any more).
    """
    here = current()
    if not here.access.allows(Right.READ):
        raise refusal(Right.READ)
    if host().note_click(here):
        open_workspace.clear(here.uri)
        _seen_by.clear(here.uri, here.access.key, here.access)
    _note_session(here.uri)
    target = open_workspace(here.uri) if here.access is EVERYTHING else _seen_by(here.uri, here.access.key, here.access)
    use_splitters(loaded_of(target).splitters)  # this thread may have drawn another workspace before
    return target


def workspace_of(uri: str, access: Access) -> Workspace:
    """Open the workspace at an address for somebody without a session, such as an agent; kept open until the next
    upkeep.

    Raises:
        AccessError: they may not read it (any more).
        StoreError: it is lost.
    """
    if not access.allows(Right.READ):
        raise refusal(Right.READ)
    _sessions.setdefault(uri, set())
    target = open_workspace(uri) if access is EVERYTHING else _seen_by(uri, access.key, access)
    use_splitters(loaded_of(target).splitters)  # this thread may have worked for another workspace before
    return target


def kept_for_all(target: Workspace) -> Workspace:
    """The same workspace for what the server keeps of it beyond this run: with the rights of who asks, and not as
    theirs.

    What is kept with a person's own access would serve the next one with it, and fail for them once that person's role
    is taken away. Who may come to it at all, `workspace()` asks in every run.
    """
    if target.access is EVERYTHING:
        return target
    role = Role.EDITOR if target.may(Right.WRITE) else Role.VIEWER
    return _seen_by(target.uri, role.value, RoleAccess(role))


def close_unused() -> int:
    """Close the workspaces that no connected session works in any more: an open one takes some megabytes. Returns how
    many.

    A session that comes back opens its workspace again, which nobody notices.
    """
    runtime = get_instance()
    unused = [
        uri
        for uri, sessions in list(_sessions.items())
        if not any(runtime.is_active_session(one) for one in list(sessions))
    ]
    for uri in unused:
        _sessions.pop(uri, None)
        open_workspace.clear(uri)
    if unused:
        _seen_by.clear()  # what is open stays so: these are made anew of it at once
    return len(unused)


def is_anybody_here() -> bool:
    """Whether a session works in any workspace, as far as `close_unused` found."""
    return bool(_sessions)


def _note_session(uri: str) -> None:
    """Remember that the session of this run works there."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        _sessions.setdefault(uri, set()).add(context.session_id)


def prepare() -> None:
    """Open what the first page shows, before anybody has come."""
    if not host().prepare():
        workspace()


def tell_samples() -> None:
    """Say why the samples did not come with their index: during the first stay on a page, and until there is one."""
    try:
        target = workspace()
        why = samples.why_not_ready(target.uri)
        tell = bool(why) and (arrival() == 1 or not target.indexes())
    except ChunkscopeError:
        return  # the page says it
    if tell:
        st.info(
            f"The prepared sample workspace could not be used. {plain(why)} The sample documents were read instead, "
            "and their index is being built in the background; the Index page shows its progress.",
            icon=":material/deployed_code_update:",
        )


def loaded_of(target: Workspace) -> LoadedWorkspace:
    """The chunks made elsewhere that a workspace holds, read once a version."""
    return _loaded(target.uri, target.loaded_chunks.version)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=MOST_WORKSPACES)
def _loaded(address: str, version: str) -> LoadedWorkspace:
    return use_loaded(open_workspace(address))


@st.cache_resource(show_spinner=False, max_entries=2 * MOST_WORKSPACES)
def _seen_by(address: str, key: str, _access: Access) -> Workspace:
    """One for each person and workspace: what they may do is asked anew at every call."""
    return open_workspace(address).seen_by(_access)


@st.cache_resource(show_spinner="Opening the workspace …", max_entries=MOST_WORKSPACES)
def open_workspace(address: str) -> Workspace:
    """Open the workspace at an address with every right, once a server; a new one gets the samples."""
    deployment().check_there(address)  # what is lost is not new
    workspace = Workspace.open(address)
    if workspace.untouched:  # not even "start empty" has been here
        ready = prepare_samples()
        with workspace.writer():
            if workspace.untouched:  # still: another server may be filling it
                samples.put_into(workspace, ready)
        samples.build(workspace, SERVER)
    return workspace


def check_room(adding: int) -> None:
    """Raise QuotaError unless so many bytes may come into the workspace of who is asking."""
    person = host().user()
    deployment().quotas.check_disk(person.id if person else "", adding, uri=current().uri)


@contextmanager
def writing(target: Workspace) -> Iterator[None]:
    """The workspace's lock. Another session's change is waited for; an index run is not, it may take long. One in the
    queue holds nothing.

    Raises:
        LockedError: somebody else is writing; the sentence says who, where it is known.
    """
    job = jobs().of(target.uri)
    if job and job.running:
        message = (
            "An index is being built, and nothing else can change until it is done; wait for it or cancel it on "
            "the Index page."
        )
        raise LockedError(message, where=target.uri)
    with ExitStack() as lock:
        _take(target, lock)
        yield


def _take(target: Workspace, lock: ExitStack) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            lock.enter_context(target.writer())
        except LockedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def empty(target: Workspace) -> None:
    """Delete every document, its edits and every index; the cached vectors stay, so that the same texts need no model
    again.
    """
    with target.writer():
        for row in target.indexes():
            target.drop_index(row.name)
        ids = [row.doc_id for row in target.documents()]
        if ids:
            target.delete_documents(ids)
        target.changes.clear()


def reset_to_samples(target: Workspace) -> None:
    """The documents of `sample_data` with their index, and nothing else; question sets and runs stay."""
    ready = prepare_samples()
    with target.writer():
        empty(target)
        samples.put_into(target, ready)
    samples.build(target)


def document(target: Workspace, doc_id: str) -> Document:
    """A document of the workspace, read once a version.

    Raises:
        NotFoundError: it is not there (any more).
    """
    row = next((row for row in target.documents() if row.doc_id == doc_id), None)
    if row is None:
        return target.document(doc_id)
    read = _large if row.characters > LARGE else _small if row.characters > SHORT else _short
    return read(target.uri, doc_id, row.stamp + row.hash)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=256)
def _short(address: str, doc_id: str, version: str) -> Document:
    return open_workspace(address).document(doc_id)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=24)
def _small(address: str, doc_id: str, version: str) -> Document:
    return open_workspace(address).document(doc_id)


@clear_when_unused
@st.cache_resource(show_spinner="Reading the document …", max_entries=2)
def _large(address: str, doc_id: str, version: str) -> Document:
    return open_workspace(address).document(doc_id)
