"""Commands for the upkeep of workspaces and of a deployment.

`save` and `open` move a workspace as one file; `backup`, `restore` and `compact` treat whole folders. `doctor`, `users`
and `snapshot` belong to a deployment's operator; their work is in `hosting/`.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import BinaryIO, cast

from chunking.cli.streams import say, show_progress, write_row
from chunking.export.export_files import replacing

__all__ = ["backup", "compact", "doctor", "open_file", "restore", "save", "snapshot", "users"]


def save(arguments: argparse.Namespace) -> int:
    """Save a workspace to one file and print its size and content as one object."""
    from chunking.store import Workspace
    from chunking.store.workspace_file.saving import save_workspace

    workspace = Workspace.open(arguments.workspace, create=False)
    with replacing(arguments.file) as file:
        manifest = save_workspace(workspace, cast(BinaryIO, file), history=arguments.history, on_progress=_show)
    write_row(
        {
            "file": str(arguments.file),
            "bytes": arguments.file.stat().st_size,
            "rows": {table.name: table.rows for table in manifest.tables},
            "indexes": {index.name: index.fingerprint for index in manifest.indexes},
        }
    )
    return 0


def open_file(arguments: argparse.Namespace) -> int:
    """Open a saved file as a new workspace; print its documents and its indexes' fingerprints."""
    from chunking.store.workspace_file.opening import open_workspace_file

    workspace = open_workspace_file(arguments.file, arguments.workspace)
    write_row(asdict(workspace) | {"folder": str(workspace.folder)})
    return 0


def backup(arguments: argparse.Namespace) -> int:
    """Back up a folder and print its workspaces, fingerprints and bytes; exit 1 if one failed."""
    from chunking.deployment import load_hosting

    report = load_hosting("backups").back_up(
        arguments.folder, arguments.dest, link=not arguments.copy, on_progress=_show
    )
    if report.reason:
        say(report.reason)
    if report.deleted:
        say(f"Workspaces deleted during the backup and not in it: {report.deleted:,}.")
    if report.private:
        say(f"Temporary copies of demo visitors, not in the backup: {report.private:,}.")
    for path, why in report.failed.items():
        say(f"The workspace {path} is not in the backup: {why}")
    if report.shared_bytes:
        say("The backup shares its files with the workspaces: it survives their deletion, not the loss of the disk.")
    write_row(asdict(report) | {"folder": str(report.folder)})
    return int(bool(report.failed))


def restore(arguments: argparse.Namespace) -> int:
    """Restore a backup to a new folder and verify it; print its workspaces' fingerprints."""
    from chunking.deployment import load_hosting

    workspaces = load_hosting("backups").restore(arguments.backup, arguments.dest)
    write_row({"folder": str(arguments.dest), "workspaces": workspaces})
    return 0


def compact(arguments: argparse.Namespace) -> int:
    """Compact one or all workspaces of a folder; print bytes freed; exit 1 if one was locked."""
    from chunking.store.copies.linked_copy import compact as compacted

    rows = list(compacted(arguments.folder, on_progress=_watch))
    for row in rows:
        if row.locked:
            say(f"The workspace {row.path or arguments.folder} is being written to; compact it later.")
    write_row({"workspaces": [asdict(row) for row in rows], "freed": sum(row.before - row.after for row in rows)})
    return int(any(row.locked for row in rows))


# -- operators


def doctor(arguments: argparse.Namespace) -> int:
    """Check the deployment, one line per check; exit 1 if one failed."""
    return _run_hosting("doctor", arguments)


def users(arguments: argparse.Namespace) -> int:
    """Print all people with their last visit and usage; suspend or readmit someone."""
    return _run_hosting("users", arguments)


def snapshot(arguments: argparse.Namespace) -> int:
    """List, make or revoke snapshots of workspaces."""
    return _run_hosting("snapshot", arguments)


# -- helpers


def _show(what: str, number: int, every: int) -> None:
    if not show_progress(number - 1, every, "parts", what or "workspace"):
        say(f"{what or 'workspace'} ({number} of {every})")


def _watch(what: str, number: int, every: int) -> None:
    show_progress(number - 1, every, "parts", what or "workspace")


def _run_hosting(command: str, arguments: argparse.Namespace) -> int:
    from chunking.deployment import load_hosting

    return int(getattr(load_hosting("commands"), command)(arguments))
