"""Snapshots: frozen, read-only versions of workspaces, each behind an address that cannot be guessed.

A snapshot is a linked copy (`chunking.store.copies`), which takes milliseconds and no bytes, and stays as it is
whatever becomes of the workspace. LanceDB's own versions and tags are not used: `optimize()` leaves a table with a
tagged version as it is, and tags vanish with the table of an index that is built anew. Searches are not in it.

If only results are shown, there is no copy at all, only reports without texts (`chunking.export.report`): what is not
there cannot be reached by any page, link, export, media address or cache.

The directory has the hash of a token; the token is shown once. It gives the right to read this one snapshot, and
nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import shutil
import sqlite3
import time
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from chunking.deployment.activity import ActivityLog
from chunking.deployment.deployment import SNAPSHOT_KEY
from chunking.deployment.directory import Directory
from chunking.deployment.person import readable_name
from chunking.deployment.workspace_access import FreshAnswer
from chunking.deployment.workspaces import Workspaces
from chunking.errors import AccessError, ConfigError, NotFoundError, QuestionError, StoreError
from chunking.store import Workspace
from chunking.store.access import EVERYTHING, Right
from chunking.store.copies.home_folder import COPY, RANDOM_ID, SNAPSHOTS, clear_removed, remove_folder
from chunking.store.copies.linked_copy import linked_copy
from chunking.store.named_configurations import forget_authors

__all__ = ["MOST_SNAPSHOTS", "OPERATOR", "Report", "Shows", "Snapshot", "SnapshotAccess", "Snapshots"]

OPERATOR = "operator"
"""Person id of an operator's command."""
MOST_SNAPSHOTS = 100
"""Most snapshots of a workspace at a time."""
_TOKEN = re.compile(r"([0-9a-f]{16})\.([A-Za-z0-9_-]{43})")
_CLOSED = "This snapshot does not exist or was closed; ask whoever gave you the address for a new one."

_REPORTS, _LIST = "reports", "reports.json"


class Shows(StrEnum):
    """Contents of a snapshot: everything readable, or only results without texts."""

    DOCUMENTS = "documents"
    """Everything readable: texts, chunks, search, questions, results, exports."""
    REPORT = "report"
    """Results and the report, without any text of the documents."""


SHOWN = {Shows.DOCUMENTS: "full", Shows.REPORT: "results-only"}
"""Adjective for each kind of snapshot in the activity list."""


@dataclass(frozen=True, slots=True)
class Report:
    """Frozen report on one question set, as an HTML file without texts of the documents."""

    title: str
    """Name of the question set."""
    headline: str
    subline: str
    file: Path
    """HTML."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An open snapshot: its workspace, name, contents, maker and visits."""

    id: str
    workspace: str
    """Id, as all of these."""
    name: str
    shows: Shows
    made_by: str
    created: float
    """Seconds since 1970, as all times here."""
    visited: float | None = None
    """The last visit; None before the first."""
    visits: int = 0


class SnapshotAccess:
    """Access of a visitor to a snapshot: read-only, while it is open and shows documents."""

    def __init__(self, snapshots: Snapshots, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._stands = FreshAnswer(lambda: snapshots.revision, lambda: snapshots.stands(snapshot.id))

    @property
    def key(self) -> str:
        return f"snapshot/{self._snapshot.id}"

    def allows(self, right: Right) -> bool:
        """True for reading, while the snapshot is open and shows documents."""
        return right is Right.READ and self._snapshot.shows is Shows.DOCUMENTS and self.stands

    def note(self, what: str, name: str) -> None:
        """Do nothing: a snapshot has no activity list."""

    @property
    def stands(self) -> bool:
        """True if the snapshot is open to visitors now."""
        return self._stands.now()


class Snapshots:
    """The table of snapshots, and their folders in the home folder."""

    def __init__(self, directory: Directory, activity: ActivityLog, workspaces: Workspaces) -> None:
        self._directory, self._activity, self._workspaces = directory, activity, workspaces

    @property
    def revision(self) -> int:
        """Number that changes with every write of this process to the directory."""
        return self._directory.revision

    @property
    def folder(self) -> Path:
        """Folder of all snapshots."""
        return self._directory.file.parent / SNAPSHOTS

    def place(self, id: str) -> Path:
        """Return a snapshot's workspace folder, existing or not; AccessError for a bad id."""
        return self._own(id) / COPY

    def check_there(self, id: str) -> None:
        """Raise StoreError if the workspace folder of a snapshot is missing."""
        if not self.place(id).is_dir():
            raise StoreError(
                "This snapshot is no longer on the disk of this server; its owner can make another one.", where=id
            )

    def _own(self, id: str) -> Path:
        if not RANDOM_ID.fullmatch(id):
            raise AccessError(_CLOSED)
        return self.folder / id

    # -- made, listed, revoked

    def make(self, workspace: str, name: str, shows: Shows, by: str) -> str:
        """Freeze a workspace as it is now, and return a token, of which only a hash is stored.

        Args:
            by: an owner, or `OPERATOR`.
        Raises:
            AccessError: `by` is no owner.
            ConfigError: it has no name, or there are too many of the workspace.
            QuestionError: only results are to be shown, and there are none.
            StoreError: it cannot be written.
        """
        named, id, secret = readable_name(name), secrets.token_hex(8), secrets.token_urlsafe(32)
        if not named:
            raise ConfigError("A snapshot needs a name; type at least one letter.", where="name")
        self._require(workspace, by)
        if len(self._listed(workspace)) >= MOST_SNAPSHOTS:
            raise ConfigError(
                f"A workspace can have up to {MOST_SNAPSHOTS} snapshots; revoke one that nobody needs.",
                where="name",
            )
        # With all rights: whoever makes one owns the workspace, and only its owner's choice of it is copied.
        source = Workspace.open(self._workspaces.place(workspace), create=False, access=EVERYTHING)
        self._own(id).mkdir(parents=True)
        try:
            freeze(source, self._own(id), shows)
            with self._directory.writing() as connection:
                self._require(workspace, by)
                connection.execute(
                    (
                        "INSERT INTO snapshots (id, digest, workspace, name, shows, made_by, made) VALUES (?, ?, "
                        "?, ?, ?, ?, ?)"
                    ),
                    (id, _digest(secret), workspace, named, shows, by, time.time()),
                )
                self._activity.add(workspace, by, f"made the {SHOWN[shows]} snapshot", named, transaction=connection)
        except BaseException:
            shutil.rmtree(self._own(id), ignore_errors=True)
            raise
        return f"{id}.{secret}"

    def of(self, workspace: str, by: str) -> list[Snapshot]:
        """Return a workspace's open snapshots, newest first.

        Raises:
            AccessError: `by` is neither an owner nor `OPERATOR`.
        """
        self._require(workspace, by)
        return self._listed(workspace)

    def all(self) -> list[Snapshot]:
        """Return the open snapshots of all workspaces, newest first; for operators."""
        return self._listed(None)

    def revoke(self, id: str, by: str) -> None:
        """Close a snapshot from the next click on, and delete its files.

        Raises:
            AccessError: `by` is neither an owner of its workspace nor `OPERATOR`.
            NotFoundError: there is none.
        """
        with self._directory.writing() as connection:
            row = _row(connection, id)
            if row is None:
                raise NotFoundError(
                    "There is no such snapshot; chunkscope snapshot list shows the existing ones.", where=id
                )
            self._require(row["workspace"], by)
            if connection.execute(
                "UPDATE snapshots SET revoked = ? WHERE id = ? AND revoked IS NULL", (time.time(), id)
            ).rowcount:
                self._activity.add(row["workspace"], by, "revoked a snapshot", row["name"], transaction=connection)
        remove_folder(self._own(id))

    def sweep(self) -> None:
        """Delete leftover folders over an hour old.

        They are of revoked snapshots, failed attempts, or snapshots of deleted workspaces.
        """
        with self._directory.reading() as connection:
            if connection is None:
                return
            rows = connection.execute(
                "SELECT snapshots.id FROM snapshots JOIN workspaces ON workspaces.id = workspace WHERE revoked IS NULL"
            ).fetchall()
        kept = {row["id"] for row in rows}
        with suppress(FileNotFoundError):
            for folder in self.folder.iterdir():
                fresh = time.time() - folder.stat().st_mtime < 3_600.0  # it may be in the making
                if RANDOM_ID.fullmatch(folder.name) and folder.name not in kept and not fresh:
                    remove_folder(folder)
        clear_removed(self.folder)

    def _require(self, workspace: str, by: str) -> None:
        if by != OPERATOR:
            self._workspaces.require(workspace, by)

    def _listed(self, workspace: str | None) -> list[Snapshot]:
        with self._directory.reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                "SELECT snapshots.* FROM snapshots JOIN workspaces ON workspaces.id = workspace "
                "WHERE revoked IS NULL AND deleted IS NULL AND (? IS NULL OR workspace = ?) ORDER BY made DESC",
                (workspace, workspace),
            ).fetchall()
        return [_snapshot(row) for row in rows]

    # -- visited

    def find(self, token: str) -> Snapshot:
        """Return the snapshot of a token without counting a visit.

        Raises:
            AccessError: it is forged, the snapshot is revoked, its workspace deleted, or its maker suspended: one
                sentence for all of them.
        """
        match = _TOKEN.fullmatch(token)
        with self._directory.reading() as connection:
            row = _standing(connection, match[1]) if connection and match else None
        expected = row["digest"] if row is not None else _digest("")
        if not hmac.compare_digest(expected, _digest(match[2] if match else "?")) or row is None:
            raise AccessError(_CLOSED)
        return _snapshot(row)

    def visit(self, token: str) -> Snapshot:
        """Return the snapshot of a token, and count a visit if possible. Raises as `find`."""
        snapshot = self.find(token)
        counted = "UPDATE snapshots SET visited = ?, visits = visits + 1 WHERE id = ?"
        self._directory.note("A visit of a snapshot", counted, (time.time(), snapshot.id))
        return snapshot

    def address(self, snapshot: Snapshot, token: str, deployment: str) -> str:
        """Return the address of a snapshot for its visitors.

        Args:
            deployment: its public address; empty: the rest of the address alone.
        """
        page = "evaluate" if snapshot.shows is Shows.REPORT else ""
        return f"{deployment.rstrip('/')}/{page}?{SNAPSHOT_KEY}={token}"

    def stands(self, id: str) -> bool:
        """True if a snapshot is not revoked, its workspace not binned, its maker not suspended."""
        with self._directory.reading() as connection:
            return connection is not None and _standing(connection, id) is not None

    def access(self, snapshot: Snapshot) -> SnapshotAccess:
        """Return a visitor's access to a snapshot for `Workspace.open`; it stays current."""
        return SnapshotAccess(self, snapshot)

    def reports(self, snapshot: Snapshot) -> list[Report]:
        """Return the reports of a results-only snapshot; none for other snapshots.

        Raises:
            AccessError: it is closed.
        """
        if not self.stands(snapshot.id):
            raise AccessError(_CLOSED)
        return reports_in(self._own(snapshot.id))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("ascii")).hexdigest()


def _row(connection: sqlite3.Connection, id: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = connection.execute("SELECT * FROM snapshots WHERE id = ?", (id,)).fetchone()
    return row


def _standing(connection: sqlite3.Connection, id: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = connection.execute(
        "SELECT snapshots.* FROM snapshots JOIN workspaces ON workspaces.id = workspace LEFT JOIN people ON people.id "
        "= made_by WHERE snapshots.id = ? AND revoked IS NULL AND deleted IS NULL AND NOT coalesce(suspended, 0)",
        (id,),
    ).fetchone()
    return row


def _snapshot(row: sqlite3.Row) -> Snapshot:
    return Snapshot(
        row["id"],
        row["workspace"],
        row["name"],
        Shows(row["shows"]),
        row["made_by"],
        row["made"],
        row["visited"],
        row["visits"],
    )


def freeze(source: Workspace, folder: Path, shows: Shows) -> None:
    """Write a workspace's copy without searches and authors, or its reports, to an empty folder.

    Raises:
        QuestionError: only results are to be shown, and there are none.
        StoreError: it cannot be written.
    """
    if shows is Shows.DOCUMENTS:
        linked_copy(source, folder / COPY, queries=False)
        forget_authors(Workspace.open(folder / COPY, create=False, access=EVERYTHING))
        return
    from chunking.export.report import reports_without_texts

    frozen = reports_without_texts(source)
    if not frozen:
        raise QuestionError(
            "There are no results to show yet: evaluate the settings on a question set first, or show the documents."
        )
    reports = folder / _REPORTS
    reports.mkdir()
    for place, one in enumerate(frozen):
        (reports / f"{place}.html").write_text(one.html, encoding="utf-8")
    lines = [{"title": one.title, "headline": one.headline, "subline": one.subline} for one in frozen]
    (reports / _LIST).write_text(json.dumps(lines, ensure_ascii=False), encoding="utf-8")


def reports_in(folder: Path) -> list[Report]:
    """Return the reports in a snapshot's folder; none if it shows documents or was deleted."""
    reports = folder / _REPORTS
    try:
        lines = json.loads((reports / _LIST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    return [Report(**line, file=reports / f"{place}.html") for place, line in enumerate(lines)]
