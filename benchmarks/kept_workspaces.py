"""Kept workspaces of collections, so that a second run embeds nothing, and token counts of texts."""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from pathlib import Path

from benchmarks.ir_collections import Collection
from chunking import Config, Workspace, add_files, build_index
from chunking.embedding.model_folder import find_model
from chunking.splitting import TokenCounter, token_counter

__all__ = ["KEPT", "built_index", "kept_workspace", "sources_of", "tokens_of"]

KEPT = Path(os.environ.get("CHUNKSCOPE_BENCH_FOLDER") or Path(tempfile.gettempdir()) / "chunkscope-defaults")
"""Folder of the workspaces that are kept."""


def kept_workspace(collection: Collection) -> Workspace:
    """Open a collection's workspace, with its documents; the collection must be at hand."""
    workspace = Workspace.open(KEPT / collection.name.replace(" ", "_"))
    add_files(workspace, [collection.folder])
    return workspace


def sources_of(workspace: Workspace) -> dict[str, str]:
    """Return the file of each document by id: gold spans name documents by it."""
    return {row.doc_id: row.source for row in workspace.documents()}


def built_index(workspace: Workspace, config: Config) -> str:
    """Build the index of a configuration unless it exists; return its name."""
    name = config.fingerprint()
    if name not in {row.name for row in workspace.indexes()}:
        build_index(workspace, config, name=name)
    return name


@lru_cache(maxsize=500_000)
def tokens_of(text: str) -> int:
    """Count a text's tokens by the default model."""
    return _counter().count(text)


@lru_cache
def _counter() -> TokenCounter:
    return token_counter(find_model(Config().embedding.model).path)
