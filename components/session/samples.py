"""The sample documents in the app: whether a workspace holds them, and the build of their index where they came without
one.
"""

from __future__ import annotations

import hashlib

import streamlit as st

from chunking.config import Config
from chunking.errors import ParseError
from chunking.parsing import clean_source, find_files
from chunking.parsing.document import load_file
from chunking.samples import INDEX, SAMPLES, Samples
from chunking.store import Workspace
from components.session.jobs import jobs

__all__ = ["build", "holds_only_samples", "put_into", "why_not_ready"]


def put_into(target: Workspace, ready: Samples) -> None:
    """Put the samples into a workspace, and note why they had to be read; hold `Workspace.writer`."""
    ready.put_into(target)
    _reasons()[target.uri] = ready.why


def build(target: Workspace, person: str | None = None) -> None:
    """Have the index of the samples built in the background, where they came without one and there is a model for it.

    Args:
        person: who has it built; the person of this session where not given.
    Raises:
        AccessError: they may not.
    """
    if why_not_ready(target.uri) and not target.indexes():
        jobs().start(target.uri, Config(), INDEX, person=person)


def holds_only_samples(target: Workspace) -> bool:
    """The documents of a workspace are the samples, all of them and nothing else; where the files cannot be read, none
    are.
    """
    try:
        samples = _hashes()
    except ParseError:
        return False
    return {row.source: row.hash for row in target.documents()} == samples


@st.cache_resource(show_spinner=False)
def _hashes() -> dict[str, str]:
    """Of the sample files, by source."""
    files = [load_file(path, root) for path, root in find_files([SAMPLES])]
    return {clean_source(file.source): hashlib.sha256(file.data).hexdigest() for file in files}


def why_not_ready(address: str) -> str:
    """Why the samples of a workspace did not come with their index, as a sentence; empty where they did."""
    return _reasons().get(address, "")


@st.cache_resource(show_spinner=False)
def _reasons() -> dict[str, str]:
    """By the workspace's address, in this server's life."""
    return {}
