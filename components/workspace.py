"""The workspace that the pages share: where it is, the samples it starts with, and documents made ready for cutting.

A workspace is addressed by a URI. One deployment serves one workspace today; when it serves several people, `uri()` is the
one place that has to know who is asking.
"""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from chunking.cutting import Chunker, token_counter
from chunking.model import Document
from chunking.model_folder import find_model
from chunking.parsing import find_files, parse_file
from chunking.store import Workspace

__all__ = ["chunker", "document", "empty", "reset_to_samples", "uri", "workspace"]

_ROOT = Path(__file__).parent.parent
SAMPLES = _ROOT / "sample_data"


def uri() -> str:
    """Address of the workspace: CHUNKSCOPE_WORKSPACE, else a folder beside the app."""
    return os.environ.get("CHUNKSCOPE_WORKSPACE") or str(_ROOT / ".workspaces" / "default")


def workspace() -> Workspace:
    """The workspace, opened; at the very first start with the sample documents in it."""
    return _open(uri())


@st.cache_resource(show_spinner="Opening the workspace …", max_entries=4)
def _open(address: str) -> Workspace:
    first = not Path(address).exists()
    opened = Workspace.open(address)
    if first:
        _add_samples(opened)
    return opened


def _add_samples(target: Workspace) -> None:
    documents = [parse_file(path, root=root) for path, root in find_files([SAMPLES])]
    with target.writer():
        target.put_documents(documents)


def empty(target: Workspace) -> None:
    """Delete every document and index; the cached vectors stay, so that the same texts need no model again."""
    with target.writer():
        for row in target.indexes():
            target.drop_index(row.name)
        ids = [row.doc_id for row in target.documents()]
        if ids:
            target.delete_documents(ids)


def reset_to_samples(target: Workspace) -> None:
    """The documents of `sample_data`, and nothing else."""
    with target.writer():
        empty(target)
        _add_samples(target)


def document(target: Workspace, doc_id: str) -> Document:
    """A document of the workspace, read once a version."""
    row = next((row for row in target.documents() if row.doc_id == doc_id), None)
    return _document(target.uri, doc_id, row.hash if row else "")


@st.cache_resource(show_spinner=False, max_entries=16)
def _document(address: str, doc_id: str, version: str) -> Document:
    return _open(address).document(doc_id)


def chunker(target: Workspace, of: Document, model: str) -> Chunker:
    """`of`, measured with the tokenizer of `model`; measured once a version (law 6)."""
    return _chunker(target.uri, of.doc_id, of.hash, model, of)


@st.cache_resource(show_spinner="Measuring the document …", max_entries=16)
def _chunker(address: str, doc_id: str, version: str, model: str, _document: Document) -> Chunker:
    folder = find_model(model)
    return Chunker(_document, token_counter(folder.path), max_tokens=folder.content_tokens)
