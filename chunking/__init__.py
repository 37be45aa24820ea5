"""Chunkscope's library: documents in, chunks, vectors and hits out; every hit a span of the text.

The names below do the main job; each is imported when it is first used, so that `import chunking` takes no time.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunking.config import Config as Config
    from chunking.indexing import DocumentInputs as DocumentInputs
    from chunking.indexing import add_files as add_files
    from chunking.indexing import build_index as build_index
    from chunking.model import Chunk as Chunk
    from chunking.model import Document as Document
    from chunking.parsing import parse as parse
    from chunking.parsing import parse_all as parse_all
    from chunking.parsing import parse_file as parse_file
    from chunking.retrieval import fetch as fetch
    from chunking.retrieval import search as search
    from chunking.splitting import chunk_document as chunk_document
    from chunking.store import Workspace as Workspace

_HOMES = {
    "Chunk": "chunking.model",
    "Config": "chunking.config",
    "Document": "chunking.model",
    "DocumentInputs": "chunking.indexing",
    "Workspace": "chunking.store",
    "add_files": "chunking.indexing",
    "build_index": "chunking.indexing",
    "chunk_document": "chunking.splitting",
    "fetch": "chunking.retrieval",
    "parse": "chunking.parsing",
    "parse_all": "chunking.parsing",
    "parse_file": "chunking.parsing",
    "search": "chunking.retrieval",
}

__all__ = [
    "Chunk",
    "Config",
    "Document",
    "DocumentInputs",
    "Workspace",
    "add_files",
    "build_index",
    "chunk_document",
    "fetch",
    "parse",
    "parse_all",
    "parse_file",
    "search",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'chunking' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)
