"""The source files of documents from which pages are drawn, or which a second parser may read: by hash, each once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import FILES, schema

__all__ = ["FileTable"]


class FileTable:
    """The table `files`. A row belongs to every document of its hash, and goes with the last of them."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def get(self, hash: str) -> bytes | None:
        """The bytes, None where they are not kept."""
        rows = self._tables.read("reading a document's file", FILES, ("data",), _among([hash]), limit=1)
        return bytes(rows[0]["data"]) if rows else None

    def hashes(self) -> set[str]:
        """The hashes of all files, without reading them."""
        return {row["hash"] for row in self._tables.read("listing the files", FILES, ("hash",))}

    def put(self, files: Mapping[str, bytes]) -> None:
        """Keep files, in one commit; those that are there already are not written again."""
        import pyarrow as pa

        if not files:
            return
        known = self.hashes()
        rows = [{"hash": hash, "data": data} for hash, data in files.items() if hash not in known]
        if rows:
            self._tables.upsert(
                "saving a document's file", FILES, "hash", pa.Table.from_pylist(rows, schema=schema(FILES))
            )

    def delete(self, hashes: Collection[str]) -> None:
        """Delete files; those that are not there are fine."""
        table = self._tables.table(FILES)
        if table is not None and hashes:
            self._tables.change("deleting a document's file", partial(table.delete, _among(hashes)))


def _among(hashes: Collection[str]) -> Any:
    from lancedb.expr import col

    return col("hash").isin(list(hashes))
