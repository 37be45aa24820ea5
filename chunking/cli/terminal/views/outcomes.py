"""Views of actions (index, delete, save, ...) as sentences, one entry of `OUTCOMES` per command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.cli.terminal.look import TerminalLook, TerminalStyle
from chunking.cli.terminal.terminal_text import duration
from chunking.display import bytes_text, quantity

__all__ = ["OUTCOMES", "CommandOutcome", "draw_outcome"]

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """Functions that describe a command's record: a sentence, and one per failure."""

    sentence: Callable[[Record], str]
    failures: Callable[[Record], Sequence[str]] = lambda row: ()
    """Returns one sentence per failure."""


def draw_outcome(outcome: CommandOutcome) -> Callable[[Sequence[dict[str, Any]], TerminalLook], Iterator[str]]:
    """Return a function that draws records as an outcome's sentence, and a line per failure."""

    def draw(rows: Sequence[dict[str, Any]], look: TerminalLook) -> Iterator[str]:
        for row in rows:
            yield from look.paragraph(outcome.sentence(row))
            for failure in outcome.failures(row):
                yield from look.paragraph(f"! {failure}", style=TerminalStyle.BAD)

    return draw


def _index(row: Record) -> str:
    """Describe an index build, or a plan, which has no fingerprint yet."""
    vectors = f"{row['embedded']:,} embedded, {row['reused']:,} reused, {row['removed']:,} removed"
    content = ", ".join(quantity(row[f"{one}s"], one) for one in ("document", "chunk", "vector"))
    if not row["fingerprint"]:
        return f"Plan for the index {row['name']}: {content} ({vectors}).{_estimated(row)} Nothing was written."
    return f"Index {row['name']}: {content} ({vectors}), {duration(row['seconds'])}."


def _estimated(row: Record) -> str:
    """Describe the sample that a plan's numbers were estimated from, if they were."""
    if not (estimate := row.get("estimate")):
        return ""
    return (
        f" Estimated from {estimate['sampled']:,} of {quantity(estimate['documents'], 'document')}: "
        f"{estimate['least_chunks']:,} to {estimate['most_chunks']:,} chunks (95 % confidence interval)."
    )


def _failed_files(row: Record) -> list[str]:
    return [f"{one['source']}: {one['error']}" for one in row["failed"]]


def _delete(row: Record) -> str:
    return f"Deleted {quantity(len(row['deleted']), 'document')} with {quantity(row['chunks'], 'chunk')}."


def _save(row: Record) -> str:
    content = f"{quantity(len(row['indexes']), 'index', 'indexes')} and {_rows(row)}"
    return f"Saved {content} to {row['file']} ({bytes_text(row['bytes'])})."


def _rows(row: Record) -> str:
    return quantity(row["rows"].get("documents", 0), "document")


def _open(row: Record) -> str:
    content = f"{quantity(row['documents'], 'document')} and {quantity(len(row['indexes']), 'index', 'indexes')}"
    return f"Opened {content} as {row['folder']}."


def _backup(row: Record) -> str:
    sizes = [
        f"{bytes_text(row[key])} {how}"
        for key, how in (("shared_bytes", "linked"), ("own_bytes", "copied"))
        if row[key]
    ]
    content = f"{quantity(len(row['workspaces']), 'workspace')}, {quantity(row['files'], 'file')}"
    return f"Backed up {content}{_in_brackets(sizes)} to {row['folder']}."


def _in_brackets(parts: Sequence[str]) -> str:
    return f" ({', '.join(parts)})" if parts else ""


def _restore(row: Record) -> str:
    return f"Restored and verified {quantity(len(row['workspaces']), 'workspace')} in {row['folder']}."


def _compact(row: Record) -> str:
    count = sum(not one["locked"] for one in row["workspaces"])
    return f"Compacted {quantity(count, 'workspace')}: {bytes_text(row['freed'])} freed."


def _write(row: Record) -> str:
    rows = f"{row['written']:,} rows written, {row['unchanged']:,} unchanged, {row['deleted']:,} deleted"
    return f"Wrote the index {row['index']} to {row['to']}: {rows}, {duration(row['seconds'])}."


def _unwritten(row: Record) -> list[str]:
    return [f"{quantity(row['without_vector'], 'chunk')} without a vector skipped."] if row["without_vector"] else []


def _export(row: Record) -> str:
    return f"Wrote {row['what']} to {row['file']} ({bytes_text(row['bytes'])}, SHA-256 {row['sha256'][:12]})."


def _candidate(row: Record) -> str:
    live, what = row["live"], row["what"]
    if what == "drop":
        return "Dropped the candidate; the live index is as it was."
    how = "Promoted the candidate" if what == "promote" else "Restored the previous index"
    return f"{how}: {live['name']} now has {quantity(live['chunks'], 'chunk')} (fingerprint {live['fingerprint']})."


def _sample(row: Record) -> str:
    return (
        f"Added {quantity(row['documents'], 'document')} from {row['rows']:,} of {quantity(row['of_rows'], 'row')} of "
        f"{row['table']} in {row['place']}, version {row['version']:,}."
    )


OUTCOMES: dict[str, CommandOutcome] = {
    "index": CommandOutcome(_index, _failed_files),
    "delete": CommandOutcome(_delete),
    "save": CommandOutcome(_save),
    "open": CommandOutcome(_open),
    "backup": CommandOutcome(_backup),
    "restore": CommandOutcome(_restore),
    "compact": CommandOutcome(_compact),
    "export": CommandOutcome(_export),
    "write": CommandOutcome(_write, _unwritten),
    "candidate": CommandOutcome(_candidate),
    "sample": CommandOutcome(_sample, _failed_files),
}
"""Outcomes by command; their warnings are on stderr already."""
