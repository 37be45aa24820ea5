"""Draws what a command has done as a sentence or two: an entry of `OUTCOMES` for each command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.cli.terminal.count_text import count_text
from chunking.cli.terminal.look import Look, Style
from chunking.cli.terminal.progress_line import duration
from chunking.text.byte_sizes import bytes_text

__all__ = ["OUTCOMES", "Outcome", "draw_outcome"]

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One command that does something and gives one record of it."""

    sentence: Callable[[Record], str]
    failures: Callable[[Record], Sequence[str]] = lambda row: ()
    """What was not done, a sentence each."""


def draw_outcome(outcome: Outcome) -> Callable[[Sequence[dict[str, Any]], Look], Iterator[str]]:
    """The view of an outcome."""

    def draw(rows: Sequence[dict[str, Any]], look: Look) -> Iterator[str]:
        for row in rows:
            yield from look.paragraph(outcome.sentence(row))
            for failure in outcome.failures(row):
                yield from look.paragraph(f"! {failure}", style=Style.BAD)

    return draw


def _index(row: Record) -> str:
    """Of a run, or of a plan, which has no fingerprint yet."""
    vectors = f"{row['embedded']:,} embedded, {row['reused']:,} reused, {row['removed']:,} removed"
    content = ", ".join(count_text(row[f"{one}s"], one) for one in ("document", "chunk", "vector"))
    if not row["fingerprint"]:
        return f"Plan for the index {row['name']}: {content} ({vectors}). Nothing was written."
    return f"Index {row['name']}: {content} ({vectors}), {duration(row['seconds'])}."


def _failed_files(row: Record) -> list[str]:
    return [f"{one['source']}: {one['error']}" for one in row["failed"]]


def _delete(row: Record) -> str:
    return f"Deleted {count_text(len(row['deleted']), 'document')} with {count_text(row['chunks'], 'chunk')}."


def _save(row: Record) -> str:
    content = f"{count_text(len(row['indexes']), 'index', 'indexes')} and {_rows(row)}"
    return f"Saved {content} to {row['file']} ({bytes_text(row['bytes'])})."


def _rows(row: Record) -> str:
    return count_text(row["rows"].get("documents", 0), "document")


def _open(row: Record) -> str:
    content = f"{count_text(row['documents'], 'document')} and {count_text(len(row['indexes']), 'index', 'indexes')}"
    return f"Opened {content} as {row['folder']}."


def _backup(row: Record) -> str:
    sizes = [f"{bytes_text(row[key])} {how}" for key, how in (("shared_bytes", "linked"), ("own_bytes", "copied")) if row[key]]
    content = f"{count_text(len(row['workspaces']), 'workspace')}, {count_text(row['files'], 'file')}"
    return f"Backed up {content}{_in_brackets(sizes)} to {row['folder']}."


def _in_brackets(parts: Sequence[str]) -> str:
    return f" ({', '.join(parts)})" if parts else ""


def _restore(row: Record) -> str:
    return f"Restored and verified {count_text(len(row['workspaces']), 'workspace')} in {row['folder']}."


def _compact(row: Record) -> str:
    count = sum(not one["locked"] for one in row["workspaces"])
    return f"Compacted {count_text(count, 'workspace')}: {bytes_text(row['freed'])} freed."


def _write(row: Record) -> str:
    rows = f"{row['written']:,} rows written, {row['unchanged']:,} unchanged, {row['deleted']:,} deleted"
    return f"Wrote the index {row['index']} to {row['to']}: {rows}, {duration(row['seconds'])}."


def _unwritten(row: Record) -> list[str]:
    return [f"{count_text(row['without_vector'], 'chunk')} without a vector not written."] if row["without_vector"] else []


def _export(row: Record) -> str:
    return f"Wrote {row['what']} to {row['file']} ({bytes_text(row['bytes'])}, SHA-256 {row['sha256'][:12]})."


OUTCOMES: dict[str, Outcome] = {
    "index": Outcome(_index, _failed_files),
    "delete": Outcome(_delete),
    "save": Outcome(_save),
    "open": Outcome(_open),
    "backup": Outcome(_backup),
    "restore": Outcome(_restore),
    "compact": Outcome(_compact),
    "export": Outcome(_export),
    "write": Outcome(_write, _unwritten),
}
"""By command; what they warn of stands on stderr already."""
