"""Views of listings (documents, indexes, models, ...) as tables, one entry of `LISTINGS` per command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.cli.terminal.look import TerminalLook, TerminalStyle
from chunking.cli.terminal.tables import TableColumn, table
from chunking.display import bytes_text, quantity

__all__ = ["LISTINGS", "Listing", "draw_listing", "draw_snapshots"]

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Listing:
    """Definition of the table that draws the list in a command's record."""

    key: str
    """Key of the list in the command's record."""
    none: str
    """Sentence for an empty list."""
    columns: tuple[TableColumn, ...]
    cells: Callable[[Record], tuple[str, ...]]
    """Returns the texts of a row, one per column."""
    total: Callable[[Sequence[Record]], str]
    notes: Callable[[Record], str] = lambda row: ""
    """Returns a sentence to show below the table; empty for none."""


def draw_listing(listing: Listing) -> Callable[[Sequence[dict[str, Any]], TerminalLook], Iterator[str]]:
    """Return a function that draws each record's list as a table, with its total and notes.

    An empty list is drawn as the listing's sentence alone.
    """

    def draw(rows: Sequence[dict[str, Any]], look: TerminalLook) -> Iterator[str]:
        for row in rows:
            items = row[listing.key]
            if not items:
                yield from look.paragraph(listing.none)
                continue
            yield from table(listing.columns, [listing.cells(item) for item in items], look)
            yield ""
            yield listing.total(items)
            for note in filter(None, map(listing.notes, items)):
                yield from look.paragraph(note, style=TerminalStyle.BAD)

    return draw


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def _day(moment: str | None) -> str:
    """Format `2026-11-26T19:05` as day and time."""
    return (moment or "")[:16].replace("T", " ")


def _settings(value: Any) -> str:
    """Format settings that differ from the defaults on one line."""
    if not isinstance(value, Mapping):
        return str(value)
    return (
        " ".join(f"{key}={','.join(map(str, one)) if isinstance(one, list) else one}" for key, one in value.items())
        or "defaults"
    )


def _document(row: Record) -> tuple[str, ...]:
    return (
        row["source"],
        row["title"],
        row["format"],
        row["language"],
        _number(row["characters"]),
        _number(row["sections"]),
    )


def _index(row: Record) -> tuple[str, ...]:
    state = row["state"] if row["state"] != "complete" else "out of date" if row["stale"] else "up to date"
    return (
        row["name"],
        _number(row["documents"]),
        _number(row["chunks"]),
        state,
        _day(row["updated"]),
        _settings(row["settings"]),
    )


def _model(row: Record) -> tuple[str, ...]:
    reads = {True: "yes", False: "no", None: ""}[row["reads_chinese"]]
    sizes = (_number(row["dimension"] or None), _number(row["max_tokens"] or None)) if "dimension" in row else ("", "")
    return (row["value"], row["place"], *sizes, reads, bytes_text(row["size"]) if row.get("size") else "")


def _configuration(row: Record) -> tuple[str, ...]:
    return (row["name"], row["author"] or "", _day(row["saved"]), _settings(row["settings"]))


def _person(row: Record) -> tuple[str, ...]:
    state = "suspended" if row["suspended"] else ""
    numbers = (
        _number(row["workspaces"]),
        _number(row["documents"]),
        bytes_text(row["disk_bytes"]),
        _number(row["llm_requests_24h"]),
    )
    return (row["email"] or row["name"] or row["id"], _day(row["last_visit"]), *numbers, state)


def _snapshot(row: Record) -> tuple[str, ...]:
    return (row["id"], row["name"], row["workspace"], row["shows"], _day(row["made"]), _number(row["visits"]))


_SNAPSHOTS = Listing(
    "snapshots",
    "There is no snapshot.",
    (
        TableColumn("id", style=TerminalStyle.ACCENT, least=12),
        TableColumn("name"),
        TableColumn("workspace", least=8, optional=2),
        TableColumn("shows"),
        TableColumn("made (UTC)", least=16, optional=1),
        TableColumn("visits", right=True),
    ),
    _snapshot,
    lambda rows: quantity(len(rows), "snapshot", "snapshots"),
)


def draw_snapshots(rows: Sequence[dict[str, Any]], look: TerminalLook) -> Iterator[str]:
    """Draw a table of snapshots; of a new one also its address, unwrapped for copying.

    Args:
        rows: records of `snapshot`: a list in `snapshots`, or one new snapshot.
    """
    for row in rows:
        if "snapshots" in row:
            yield from draw_listing(_SNAPSHOTS)([row], look)
        else:
            yield from table(_SNAPSHOTS.columns, [_snapshot(row)], look)
            yield ""
            yield row["address"]


LISTINGS: dict[str, Listing] = {
    "documents": Listing(
        "documents",
        "The workspace has no documents.",
        (
            TableColumn("source", least=26, keep_end=True, style=TerminalStyle.ACCENT),
            TableColumn("title", least=16, optional=1),
            TableColumn("format", optional=3),
            TableColumn("lang", optional=2),
            TableColumn("characters", right=True),
            TableColumn("sections", right=True, optional=4),
        ),
        _document,
        lambda rows: (
            f"{quantity(len(rows), 'document', 'documents')}, {sum(row['characters'] for row in rows):,} characters"
        ),
    ),
    "indexes": Listing(
        "indexes",
        "The workspace has no index.",
        (
            TableColumn("name", style=TerminalStyle.ACCENT),
            TableColumn("documents", right=True),
            TableColumn("chunks", right=True),
            TableColumn("state"),
            TableColumn("updated (UTC)", least=16, optional=1),
            TableColumn("settings", least=12),
        ),
        _index,
        lambda rows: quantity(len(rows), "index", "indexes"),
        lambda row: f"{row['name']}: {row['stale']}" if row["stale"] else "",
    ),
    "models": Listing(
        "models",
        "No embedding model is installed.",
        (
            TableColumn("model", keep_end=True, style=TerminalStyle.ACCENT),
            TableColumn("place"),
            TableColumn("dimensions", right=True, optional=1),
            TableColumn("tokens", right=True),
            TableColumn("Chinese", least=3),
            TableColumn("size", least=6),
        ),
        _model,
        lambda rows: quantity(len(rows), "model", "models"),
    ),
    "configurations": Listing(
        "configurations",
        "The workspace has no saved configuration.",
        (
            TableColumn("name", style=TerminalStyle.ACCENT),
            TableColumn("author", least=6, optional=2),
            TableColumn("saved (UTC)", least=16, optional=1),
            TableColumn("settings", least=12),
        ),
        _configuration,
        lambda rows: quantity(len(rows), "configuration", "configurations"),
    ),
    "users": Listing(
        "people",
        "Nobody has signed in yet.",
        (
            TableColumn("person", least=16, style=TerminalStyle.ACCENT),
            TableColumn("last visit (UTC)", least=16),
            TableColumn("workspaces", right=True, optional=2),
            TableColumn("documents", right=True, optional=3),
            TableColumn("disk", right=True),
            TableColumn("LLM requests, 24 h", right=True, optional=4),
            TableColumn("state", least=9),
        ),
        _person,
        lambda rows: quantity(len(rows), "person", "people"),
    ),
}
"""Listings by command."""
