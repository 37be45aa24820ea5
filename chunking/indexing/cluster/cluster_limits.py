"""Settings and workspaces that a cluster does not build yet, each refused in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.config import Config, EmbeddingMode, Strategy
from chunking.errors import ConfigError, StoreError
from chunking.indexing.run.fallback_levels import adds_text
from chunking.store import Workspace

__all__ = ["check_settings", "check_workspace"]


def check_settings(config: Config) -> None:
    """Raise ConfigError for settings that need all documents, or the workspace, while rows are made."""
    configs = [config.chunk, *(config.for_category(category).chunk for category, _ in config.categories)]
    strategies = {chunk.strategy for chunk in configs}
    refused = (
        (config.embedding.mode is EmbeddingMode.LATE, "embedding.mode", "late chunking"),
        (config.enrich.raptor, "enrich.raptor", "a RAPTOR summary tree"),
        (adds_text(config), "enrich", "generated contexts, summaries or table descriptions"),
        (Strategy.SEMANTIC in strategies, "strategy", "splitting by the strategy semantic"),
        (Strategy.CUSTOM in strategies, "strategy", "custom splitters"),
    )
    for is_set, where, what in refused:
        if is_set:
            raise ConfigError(
                f"The engine ray does not support {what} yet; leave it out, or run without --engine ray.",
                where=where,
            )


def check_workspace(workspace: Workspace, unfinished: Sequence[str] = ()) -> None:
    """Raise StoreError for a workspace with documents: a cluster builds whole indexes only.

    Args:
        unfinished: ids of its unfinished runs, of which the documents may be.
    """
    if not workspace.documents():
        return
    if unfinished:
        raise StoreError(
            f"The workspace {workspace.uri} has documents of an unfinished run over other files or settings; go on "
            f"with --resume {unfinished[-1]}, or give another folder.",
            where=workspace.uri,
        )
    raise StoreError(
        f"The workspace {workspace.uri} has documents already, and the engine ray builds new ones only; give another "
        "folder, or index without --engine ray.",
        where=workspace.uri,
    )
