"""What was searched for in a workspace. It stays there: nothing exports it, and who deletes the workspace deletes it."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from chunking.errors import StoreError
from chunking.store.engine.filters import clean
from chunking.store.engine.schema import SEARCH_HISTORY, schema
from chunking.store.engine.tables import Tables

__all__ = ["SearchHistory"]

MOST_CHARACTERS = 2_000
"""Of a query; of a longer one nothing is kept, it is no query to be labelled."""
MOST_QUERIES = 5_000
"""Of a workspace; the oldest go."""
_TIDY_EVERY = 200
"""Commits between two upkeeps of the table: each leaves a version and a file, which nothing else clears away."""


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
        """Keep a query; one without words, or too long, is passed over. Now and then the oldest are forgotten, and the table is tidied.

        Raises:
            StoreError: it cannot be written.
        """
        import pyarrow as pa

        line = " ".join(clean(query).split())
        if not line or not self._tables.writable or len(line) > MOST_CHARACTERS:
            return
        row = {"query": line, "asked": datetime.now(UTC).isoformat(timespec="microseconds")}
        self._tables.add("saving the search history", SEARCH_HISTORY, pa.Table.from_pylist([row], schema=schema(SEARCH_HISTORY)))
        if self._tables.version(SEARCH_HISTORY) % _TIDY_EVERY == 0:
            try:
                self._tidy()
            except StoreError as error:  # the query is kept; the next time tidies
                logging.getLogger(__name__).warning("The search history was not tidied. %s", error)

    def _tidy(self) -> None:
        asked = sorted(str(row["asked"]) for row in self._tables.read("reading the search history", SEARCH_HISTORY, ["asked"]))
        table = self._tables.table(SEARCH_HISTORY)
        if len(asked) > MOST_QUERIES and table is not None:
            from lancedb.expr import col, lit

            since = asked[-MOST_QUERIES]
            self._tables.change("forgetting the oldest searches", lambda: table.delete(col("asked") < lit(since)))
        self._tables.upkeep(SEARCH_HISTORY)

    def queries(self) -> list[str]:
        """All queries, the oldest first, repeats too."""
        rows = self._tables.read("reading the search history", SEARCH_HISTORY, ["query", "asked"])
        return [row["query"] for row in sorted(rows, key=lambda row: str(row["asked"]))]

    def clear(self) -> None:
        """Forget every query; nothing of them is left in the folder."""
        self._tables.drop(SEARCH_HISTORY)
