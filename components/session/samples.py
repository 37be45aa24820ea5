"""The sample documents in a workspace, and the build of their index if it was not shipped."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import streamlit as st

from chunking.config import Config
from chunking.errors import ParseError
from chunking.parsing import clean_source, find_files
from chunking.parsing.document import load_file
from chunking.samples import INDEX, SAMPLES, Samples
from chunking.store import DocumentRow, Workspace
from components.session.jobs import jobs

__all__ = ["build", "holds_only_samples", "put_into", "sample_ids", "why_not_ready"]


def put_into(target: Workspace, ready: Samples) -> None:
    """Save the samples in a workspace, and remember why they came without their index, if so.

    The caller holds `Workspace.writer`.
    """
    ready.put_into(target)
    _reasons()[target.uri] = ready.why


def build(target: Workspace, person: str | None = None) -> None:
    """Queue the samples' index if they came without it and the workspace has no index.

    Args:
        person: id of the person who starts the job; None: the session's user.
    Raises:
        AccessError: the person may not start jobs.
    """
    if why_not_ready(target.uri) and not target.indexes():
        jobs().start(target.uri, Config(), INDEX, person=person)


def holds_only_samples(target: Workspace) -> bool:
    """True if the documents of a workspace are exactly the samples; False if these cannot be read."""
    try:
        samples = _hashes()
    except ParseError:
        return False
    return target.derived(_hashes_by_source) == samples


def sample_ids(target: Workspace) -> list[str]:
    """Return the ids of the documents with the paths of the samples; none if these cannot be read."""
    try:
        samples = _hashes()
    except ParseError:
        return []
    return [row.doc_id for row in target.documents() if row.source in samples]


def _hashes_by_source(rows: Sequence[DocumentRow]) -> dict[str, str]:
    return {row.source: row.hash for row in rows}


@st.cache_resource(show_spinner=False)
def _hashes() -> dict[str, str]:
    """Return the hashes of the sample files by source."""
    files = [load_file(path, root) for path, root in find_files([SAMPLES])]
    return {clean_source(file.source): hashlib.sha256(file.data).hexdigest() for file in files}


def why_not_ready(address: str) -> str:
    """Return why the samples of a workspace came without their index, as a sentence; else empty."""
    return _reasons().get(address, "")


@st.cache_resource(show_spinner=False)
def _reasons() -> dict[str, str]:
    """Return the sentences of this server's life, by workspace address."""
    return {}
