"""The session's workspace: opening it, the samples it starts with, its lock, and its documents.

`current_workspace` says which one it is and what the user may do there. Everything that reads or writes data uses the
object that `workspace()` returns, and the store refuses what its access does not allow.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from chunking.deployment import SERVER
from chunking.errors import ChunkscopeError, LockedError
from chunking.evaluation.runs.loaded_chunks import LoadedWorkspace, use_loaded
from chunking.model import BUILT_IN, Document
from chunking.samples import prepare as prepare_samples
from chunking.splitting.strategies.custom_splitters import use_splitters
from chunking.store import EVERYTHING, Access, Right, Role, RoleAccess, Workspace, documents_by_id
from chunking.store.access import refusal
from chunking.store.index_run_file import index_run_of
from components.kit.wording import plain
from components.session import samples
from components.session.current_workspace import current
from components.session.document_caches import clear_when_unused
from components.session.host import deployment, host
from components.session.jobs import jobs
from components.session.page.once_per_run import once_per_run
from components.session.page.page_frame import arrival

__all__ = [
    "MOST_WORKSPACES",
    "begin_empty",
    "check_room",
    "close_unused",
    "document",
    "empty",
    "for_shared_caches",
    "is_anybody_here",
    "loaded_of",
    "open_workspace",
    "prepare",
    "reset_to_samples",
    "show_samples_note",
    "workspace",
    "workspace_of",
    "writing",
]

_sessions: dict[str, set[str]] = {}
"""Address of an open workspace to the ids of the sessions that have worked there."""
PATIENCE = 5.0
"""Seconds that a change waits for another session's, which takes no longer."""
MOST_WORKSPACES = 128
"""Workspaces for which the server caches what every page run needs, such as the open workspace: visitors of a demo have
one each, and with fewer entries than active people, every run would open and read its own anew. An open one has up to
five files open."""

SHORT, LARGE = 100_000, 1_000_000
"""Characters of a document. Many documents up to the first limit are cached; few over the second: one of 20 million
takes 250 MB, and 600 MB once measured."""


@once_per_run
def workspace() -> Workspace:
    """Return the user's workspace, opened with their rights; a new one gets the sample documents.

    Also records the visit, and makes its loaded chunks this thread's splitters; once per run.

    Raises:
        AccessError: the user has to sign in, or has no role in it.
        StoreError: the workspace is lost.
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
    """Open a workspace for a caller without a session, such as an agent.

    It stays open until the next upkeep. Its loaded chunks become this thread's splitters.

    Raises:
        AccessError: the caller may not read it.
        StoreError: the workspace is lost.
    """
    if not access.allows(Right.READ):
        raise refusal(Right.READ)
    _sessions.setdefault(uri, set())
    target = open_workspace(uri) if access is EVERYTHING else _seen_by(uri, access.key, access)
    use_splitters(loaded_of(target).splitters)  # this thread may have worked for another workspace before
    return target


def for_shared_caches(target: Workspace) -> Workspace:
    """Return the workspace with a bare editor's or viewer's access, for caches shared by users.

    A cached object with a person's own access would serve the next user with it, and fail for them once that person's
    role is revoked. `workspace()` checks in every run that the user may enter at all.
    """
    if target.access is EVERYTHING:
        return target
    role = Role.EDITOR if target.may(Right.WRITE) else Role.VIEWER
    return _seen_by(target.uri, role.value, RoleAccess(role))


def close_unused() -> int:
    """Close workspaces without a connected session; returns their number.

    An open one takes some megabytes. A session that comes back opens its workspace again unnoticed.
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
        _seen_by.clear()  # cheap: open workspaces stay open, and these are recreated from them
    return len(unused)


def is_anybody_here() -> bool:
    """True if a session works in any workspace, as of the last `close_unused`."""
    return bool(_sessions)


def _note_session(uri: str) -> None:
    """Record that this run's session works in a workspace."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        _sessions.setdefault(uri, set()).add(context.session_id)


def prepare() -> None:
    """Open what the host prepares for first visitors, else the local workspace, in advance."""
    if not host().prepare():
        workspace()


def show_samples_note() -> None:
    """Draw why the samples came without their index, if they did.

    Drawn during the first stay on a page, and until there is an index.
    """
    try:
        target = workspace()
        why = samples.why_not_ready(target.uri)
        tell = bool(why) and (arrival() == 1 or not target.indexes())
    except ChunkscopeError:
        return  # the page reports it
    if tell:
        st.info(
            f"The prepared sample workspace could not be used. {plain(why)} The sample documents were read instead, "
            "and their index is being built in the background; the Index page shows its progress.",
            icon=":material/deployed_code_update:",
        )


def loaded_of(target: Workspace) -> LoadedWorkspace:
    """Return the chunks made elsewhere that a workspace holds, read once per version."""
    return _loaded(target.uri, target.loaded_chunks.version)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=MOST_WORKSPACES)
def _loaded(address: str, version: str) -> LoadedWorkspace:
    return use_loaded(open_workspace(address))


@st.cache_resource(show_spinner=False, max_entries=2 * MOST_WORKSPACES)
def _seen_by(address: str, key: str, _access: Access) -> Workspace:
    """Return the workspace with one person's access, which is checked again at every call."""
    return open_workspace(address).seen_by(_access)


@st.cache_resource(show_spinner="Opening the workspace …", max_entries=MOST_WORKSPACES)
def open_workspace(address: str) -> Workspace:
    """Open a workspace with every right, once per server; a new one gets the samples.

    Their index is queued if it was not shipped.

    Raises:
        StoreError: the workspace is lost.
    """
    deployment().check_there(address)  # a lost workspace must not be created anew
    workspace = Workspace.open(address)
    if workspace.untouched:  # never written to, not even by "start empty"
        ready = prepare_samples()
        try:
            with workspace.writer():
                if workspace.untouched:  # still: another server may be filling it
                    samples.put_into(workspace, ready)
        except LockedError:  # a terminal is indexing files of its own into it
            return workspace
        samples.build(workspace, SERVER)
    return workspace


def begin_empty(place: Path) -> None:
    """Prepare the folder of a new workspace that gets no samples when it is opened."""
    Workspace.open(place).begin_empty()


def check_room(adding: int) -> None:
    """Raise QuotaError unless `adding` bytes fit on the disk and in the workspace owners' quota."""
    person = host().user()
    deployment().quotas.check_disk(person.id if person else "", adding, uri=current().uri)


@contextmanager
def writing(target: Workspace) -> Iterator[None]:
    """Hold the workspace's write lock in this context, waiting briefly for another session's.

    A running index job is not waited for, as it may take long; a queued one holds no lock.

    Raises:
        LockedError: somebody else is writing; the sentence says who, if known.
    """
    job = jobs().of(target.uri)
    if job and job.running:
        message = (
            "An index is being built, and nothing else can change until it is done; wait for it or cancel it on "
            "the Index page."
        )
        raise LockedError(message, where=target.uri)
    run = index_run_of(target)
    if run is not None and run.outcome is None:
        message = (
            "Another process is building an index, and nothing else can change until it is done; wait for it or cancel "
            "it on the Index page."
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
    """Delete documents, edits, indexes and the choice of a parser under the write lock; the rest stays.

    That is question sets, runs and cached vectors.
    """
    from chunking.indexing import choose_workspace_parser

    with target.writer():
        for row in target.indexes():
            target.drop_index(row.name)
        ids = [row.doc_id for row in target.documents()]
        if ids:
            target.delete_documents(ids)
        target.changes.clear()
        choose_workspace_parser(target, BUILT_IN)


def reset_to_samples(target: Workspace) -> None:
    """Replace all documents, edits and indexes by the samples; question sets and runs stay.

    Their index is queued if it was not shipped.
    """
    ready = prepare_samples()
    with target.writer():
        empty(target)
        samples.put_into(target, ready)
    samples.build(target)


def document(target: Workspace, doc_id: str) -> Document:
    """Return a document of the workspace, cached per version.

    Raises:
        NotFoundError: there is no such document.
    """
    row = target.derived(documents_by_id).get(doc_id)
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
