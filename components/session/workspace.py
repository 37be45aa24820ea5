"""The workspace that the pages share: where it is, the samples it starts with, and who may write to it.

A workspace is addressed by a URI. One deployment serves one workspace today; when it serves several people, `uri()` is the
one place that has to know who is asking.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import streamlit as st

from chunking.errors import ChunkscopeError, LockedError
from chunking.evaluation.runs.loaded_chunks import Loaded, use_loaded
from chunking.model import Document
from chunking.splitting.strategies.custom_splitters import use_splitters
from chunking.store import Workspace
from components.kit.wording import plain
from components.session import samples
from components.session.jobs import jobs
from components.session.page_frame import arrival

__all__ = ["document", "empty", "loaded_of", "reset_to_samples", "tell_samples", "uri", "workspace", "writing"]

_ROOT = Path(__file__).parents[2]

PATIENCE = 5.0
"""Seconds that a change waits for another session's, which takes no longer."""

LARGE = 1_000_000
"""Characters. Few documents over it are kept open: one of 20 million takes 250 MB, and 600 MB once measured."""


def uri() -> str:
    """Address of the workspace: CHUNKSCOPE_WORKSPACE, else a folder beside the app."""
    return os.environ.get("CHUNKSCOPE_WORKSPACE") or str(_ROOT / ".workspaces" / "default")


def workspace() -> Workspace:
    """The workspace, opened; at the very first start with the sample documents in it."""
    target = _open(uri())
    use_splitters(loaded_of(target).splitters)  # this thread may have drawn another workspace before
    return target


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
            f"The prepared sample workspace could not be used. {plain(why)} The sample documents were read instead, and their index is "
            "being built in the background; the Index page shows its progress.",
            icon=":material/deployed_code_update:",
        )


def loaded_of(target: Workspace) -> Loaded:
    """The chunks made elsewhere that a workspace holds, read once a version."""
    return _loaded(target.uri, target.loaded_chunks.version)


@st.cache_resource(show_spinner=False, max_entries=4)
def _loaded(address: str, version: str) -> Loaded:
    return use_loaded(_open(address))


@st.cache_resource(show_spinner="Opening the workspace …", max_entries=4)
def _open(address: str) -> Workspace:
    opened = Workspace.open(address)
    if opened.untouched:  # not even "start empty" has been here
        ready = samples.prepare()
        with opened.writer():
            if opened.untouched:  # still: another server may be filling it
                ready.put_into(opened)
        samples.build(opened)
    return opened


@contextmanager
def writing(target: Workspace) -> Iterator[None]:
    """The workspace's lock. Another session's change is waited for; an index run is not, it may take long. One in the queue holds nothing.

    Raises:
        LockedError: somebody else is writing; the sentence says who, where it is known.
    """
    job = jobs().of(target.uri)
    if job and job.running:
        message = "An index is being built, and nothing else can change meanwhile; wait for it or cancel it on the Index page."
        raise LockedError(message, where=target.uri)
    with ExitStack() as held:
        _take(target, held)
        yield


def _take(target: Workspace, held: ExitStack) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            held.enter_context(target.writer())
        except LockedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def empty(target: Workspace) -> None:
    """Delete every document, its edits and every index; the cached vectors stay, so that the same texts need no model again."""
    with target.writer():
        for row in target.indexes():
            target.drop_index(row.name)
        ids = [row.doc_id for row in target.documents()]
        if ids:
            target.delete_documents(ids)
        target.changes.clear()


def reset_to_samples(target: Workspace) -> None:
    """The documents of `sample_data` with their index, and nothing else; question sets and runs stay."""
    ready = samples.prepare()
    with target.writer():
        empty(target)
        ready.put_into(target)
    samples.build(target)


def document(target: Workspace, doc_id: str) -> Document:
    """A document of the workspace, read once a version.

    Raises:
        NotFoundError: it is not there (any more).
    """
    row = next((row for row in target.documents() if row.doc_id == doc_id), None)
    if row is None:
        return target.document(doc_id)
    return (_large if row.characters > LARGE else _small)(target.uri, doc_id, row.stamp + row.hash)


@st.cache_resource(show_spinner=False, max_entries=24)
def _small(address: str, doc_id: str, version: str) -> Document:
    return _open(address).document(doc_id)


@st.cache_resource(show_spinner="Reading the document …", max_entries=2)
def _large(address: str, doc_id: str, version: str) -> Document:
    return _open(address).document(doc_id)
