"""An index to another vector store: `write`."""

from __future__ import annotations

import argparse

from chunking.cli.building import ChunkProgressLines
from chunking.cli.streams import say, write_row

__all__ = ["write"]


def write(arguments: argparse.Namespace) -> int:
    """One object: what was written where, and how many rows were written, unchanged and deleted."""
    from chunking.indexing import staleness
    from chunking.integrations import write_index
    from chunking.model import CHUNK
    from chunking.store import Workspace

    workspace = Workspace.open(arguments.workspace, create=False)
    if stale := staleness(workspace, workspace.index(arguments.name).row):
        say(stale)
    report = write_index(
        workspace,
        arguments.what,
        arguments.to,
        index=arguments.name,
        collection=arguments.collection,
        levels=tuple(arguments.levels.split(",")) if arguments.levels else (CHUNK,),
        on_progress=ChunkProgressLines(),
    )
    write_row({"what": arguments.what, "to": arguments.to, "collection": arguments.collection, **report.as_record()})
    return 0
