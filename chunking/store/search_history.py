"""Search history of a workspace; it is never exported, and deleted with the workspace."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from chunking.errors import StoreError
from chunking.store.engine.filters import clean
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import SEARCH_HISTORY, schema

__all__ = ["SearchHistory"]

MOST_CHARACTERS = 2_000
"""Of a query; of a longer one nothing is kept, it is no query to be labelled."""
MOST_QUERIES = 5_000
"""Of a workspace; the oldest go."""
_FORGET_EVERY = 200
"""Commits between two looks at how many there are."""


class SearchHistory:
    """Queries in the order in which they were asked, repeats too. Needs no lock: every query is one commit of its own.

    It is the searches of those who work in the workspace: of who may only look at it nothing is kept."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    @property
    def version(self) -> str:
        """Changes with every query, asked in any process."""
        return self._tables.stamp(SEARCH_HISTORY)

    def add(self, query: str) -> None:
        """Keep a query; one without words, or too long, is passed over. Now and then the oldest are forgotten, and the
        table is tidied.

        Raises:
            StoreError: it cannot be written.
        """
        import pyarrow as pa

        line = " ".join(clean(query).split())
        if not line or not self._tables.writable or len(line) > MOST_CHARACTERS:
            return
        row = {"query": line, "asked": datetime.now(UTC).isoformat(timespec="microseconds")}
        self._tables.add(
            "saving the search history", SEARCH_HISTORY, pa.Table.from_pylist([row], schema=schema(SEARCH_HISTORY))
        )
        if self._tables.version(SEARCH_HISTORY) % _FORGET_EVERY == 0:
            self._forget_oldest()
        self._tables.upkeep_now_and_then(SEARCH_HISTORY)

    def _forget_oldest(self) -> None:
        """Where it cannot, the log says so: the query is kept, and the next time forgets more."""
        from lancedb.expr import col, lit

        try:
            asked = sorted(
                str(row["asked"]) for row in self._tables.read("reading the search history", SEARCH_HISTORY, ["asked"])
            )
            table = self._tables.table(SEARCH_HISTORY)
            if len(asked) > MOST_QUERIES and table is not None:
                older = col("asked") < lit(asked[-MOST_QUERIES])
                self._tables.change("forgetting the oldest searches", lambda: table.delete(older))
        except StoreError as error:
            logging.getLogger(__name__).warning("The oldest searches were not forgotten. %s", error)

    def queries(self) -> list[str]:
        """All queries, the oldest first, repeats too."""
        rows = self._tables.read("reading the search history", SEARCH_HISTORY, ["query", "asked"])
        return [row["query"] for row in sorted(rows, key=lambda row: str(row["asked"]))]

    def clear(self) -> None:
        """Forget every query; nothing of them is left in the folder."""
        self._tables.drop(SEARCH_HISTORY)
