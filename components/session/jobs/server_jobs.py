"""The jobs of this server, shared by all sessions; who asks for one, and who may stop it."""

from __future__ import annotations

import logging
from pathlib import Path

import streamlit as st

from chunking.errors import StoreError
from components.server.jobs import LOCAL, Job, JobRecord, Jobs, may_cancel

__all__ = ["jobs", "may_stop", "record_path"]

_ENDING = ".jobs"


def record_path(address: str) -> Path | None:
    """Where a server with this workspace writes its jobs down: a file beside it. None where the workspace is not a folder here.

    >>> print(record_path("/srv/chunkscope/default"))
    /srv/chunkscope/default.jobs
    >>> print(record_path("s3://bucket/default"))
    None
    """
    if "://" in address:
        return None
    folder = Path(address)
    return folder.with_name(folder.name + _ENDING) if folder.name else None


def _asker() -> str:
    """Who asks in this session: where nobody signs in, everybody is the same."""
    return LOCAL


def may_stop(job: Job) -> bool:
    """Whether this session may cancel a job, start it again or put it away."""
    return may_cancel(_asker(), job, owns=True)


@st.cache_resource(show_spinner=False, on_release=Jobs.close)
def jobs() -> Jobs:
    """The jobs of this server; with the first call those go on waiting that a server before it had left."""
    from components.session.workspace import uri

    path = record_path(uri())
    try:
        record = JobRecord(path) if path is not None else None
    except StoreError as error:
        logging.getLogger(__name__).warning("Jobs will not be found again after a restart. %s", error)
        record = None
    return Jobs(record=record, who=_asker, documents_of=_documents_of)


def _documents_of(address: str) -> str:
    from chunking.evaluation.runs.run_keys import documents_key
    from chunking.store import Workspace

    return documents_key(Workspace.open(address, create=False).documents())
