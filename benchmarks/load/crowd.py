"""People who work at the same time, and the checks of their workspaces afterwards."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path

import lancedb

from benchmarks.load.served import Server
from benchmarks.load.writer import PIN, Writer
from chunking.splitting.pins.stored_pins import PIN_FILE
from chunking.store import TextQuery, Workspace
from chunking.store.documents.listed_changes import changes_of
from chunking.store.index.build_record import index_fingerprint

__all__ = ["Crowd", "broken_promises"]

_NAMES = """SELECT people.name, workspaces.id FROM workspaces JOIN people ON people.id = created_by"""
_TABLE = "embeddings"


class Crowd:
    """People of a team on one server, each with an own workspace.

    Args:
        server: of mode `team`.
        people: how many.
    """

    def __init__(self, server: Server, people: int) -> None:
        self.server = server
        self.writers = [
            Writer(server.address, number, lambda number=number: self._saved(number)) for number in range(people)
        ]

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Let everybody work during a context."""
        over = asyncio.Event()
        tasks = [asyncio.create_task(one.work(over)) for one in self.writers]
        try:
            yield
        finally:
            over.set()
            await asyncio.gather(*tasks)

    def workspaces(self, home: Path | None = None) -> Mapping[int, Path]:
        """Return each person's folder by number, in the server's home folder or a copy."""
        home = home or self.server.home
        with closing(sqlite3.connect(f"file:{home / 'directory.sqlite'}?mode=ro", uri=True)) as directory:
            folders = {name: home / "workspaces" / id for name, id in directory.execute(_NAMES)}
        return {one.number: folders[one.name] for one in self.writers if one.name in folders}

    def _saved(self, number: int) -> int:
        return int(lancedb.connect(self.workspaces()[number]).open_table(_TABLE).count_rows())

    @property
    def errors(self) -> list[str]:
        """Return the errors that no kill explains."""
        return [error for one in self.writers for error in one.done.timings.errors]

    @property
    def explained(self) -> Counter[str]:
        """Count the visits that a kill ended."""
        return sum((one.done.explained for one in self.writers), Counter[str]())


def broken_promises(crowd: Crowd, writer: Writer, folder: Path) -> list[str]:
    """Return a workspace's inconsistencies: confirmed data that is missing, double embedding."""
    workspace, done = Workspace.open(folder, create=False), writer.done
    rows = workspace.documents()
    broken = [f"the document {name} is lost" for name in done.documents - {row.source for row in rows}]
    # A pin stands at the words: white space at its ends is not of it.
    pins = Counter(pin.anchor.start // PIN * PIN for row in rows for pin in changes_of(workspace, row.doc_id, PIN_FILE))
    broken += [
        f"a pin at character {place} is lost" for place in (Counter(place for _, place in done.pins) - pins).elements()
    ]
    for row in workspace.indexes():
        index = workspace.index(row.name)
        indexed = index.documents()
        if row.config.chunk.size not in done.sizes:
            broken.append(f"the index has the size {row.config.chunk.size}, and was built with one of {done.sizes}")
        if index.count() != sum(one.chunks for one in indexed.values()):
            broken.append(
                f"the index has {index.count()} chunks, and its documents have "
                f"{sum(one.chunks for one in indexed.values())}"
            )
        if index_fingerprint(index.document_fingerprints().values()) != index_fingerprint(
            one.fingerprint for one in indexed.values()
        ):
            broken.append("the index does not hold what it says")
        if not index.text_search(TextQuery("backup"), 1):
            broken.append("the index finds nothing")
    if not workspace.indexes():
        broken.append("the index is lost")
    keys = lancedb.connect(folder).open_table(_TABLE).to_arrow().column("key").to_pylist()
    if len(keys) != len(set(keys)):
        broken.append(f"{len(keys) - len(set(keys))} vectors are saved twice")
    # A large chunk may be more than one text of the model: there are more new vectors then than a run tells, and never
    # fewer.
    broken += [
        f"a run embedded {embedded} texts, and {grown} vectors are new"
        for embedded, grown in done.builds
        if embedded > grown
    ]
    return [f"person {writer.number}: {one}" for one in broken]
