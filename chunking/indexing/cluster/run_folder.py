"""Folder of a run: its plan, files between the stages, and a record of each part that is done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from chunking.errors import NotFoundError
from chunking.store.bulk.shared_files import SharedFiles, shared_files
from chunking.store.engine.faults import guarded
from chunking.store.scratch_folder import RUNS

if TYPE_CHECKING:
    from chunking.store.bulk.arrow_files import ArrowTable

__all__ = ["ALL", "PLAN", "Record", "RunFolder"]

Record = Mapping[str, Any]
"""What a part left, as JSON."""
ALL = "all"
"""Part of a step that has only one."""
PLAN = "plan"
"""Step whose record says what the run is; written first."""


@dataclass(frozen=True)
class RunFolder:
    """Folder of one run, in the workspace's, which all processes see under the same path or address.

    A record appears at once. In a folder it is never replaced: if two processes did a part, the first record counts,
    and what the other wrote is listed nowhere. In object storage the second may replace it, which says the same of the
    same rows.
    """

    place: str
    """Folder, or address in object storage."""

    @classmethod
    def create(cls, workspace: str) -> RunFolder:
        """Create the folder of a new run, with an id that begins with the time.

        Args:
            workspace: its folder or address.
        """
        name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid4().hex[:4]}"
        run = cls(f"{workspace}/{RUNS}/{name}")
        with guarded(workspace, "beginning a run"):
            run._files.make()
        return run

    @classmethod
    def open(cls, workspace: str, run: str) -> RunFolder:
        """Return the folder of an unfinished run by its id.

        Raises:
            NotFoundError: there is none; the message lists those there are.
        """
        unfinished = cls.unfinished(workspace)
        for folder in unfinished:
            if folder.id == run:
                return folder
        names = ", ".join(folder.id for folder in unfinished)
        which = f"the unfinished runs are {names}" if names else "it has no unfinished run"
        raise NotFoundError(f"There is no run '{run}' to resume in {workspace}; {which}.", where=run)

    @classmethod
    def unfinished(cls, workspace: str) -> list[RunFolder]:
        """Return the folders of a workspace's unfinished runs, oldest first."""
        runs = f"{workspace}/{RUNS}"
        with guarded(workspace, "looking for unfinished runs"):
            names = sorted(shared_files(runs).names(""))
        folders = [cls(f"{runs}/{name}") for name in names]
        return [folder for folder in folders if folder.plan]

    @property
    def id(self) -> str:
        return self.place.rpartition("/")[2]

    @property
    def plan(self) -> Record:
        """Record of what the run is; empty if there is none."""
        return self.read(PLAN, ALL) or {}

    def read_table(self, stage: str, part: str) -> ArrowTable:
        """Return the table that a stage made of a part."""
        return self._files.read_table(f"{stage}/{part}.arrow")

    def write_table(self, stage: str, part: str, table: ArrowTable) -> None:
        """Write the table that a stage makes of a part, for later stages."""
        self._files.write_table(f"{stage}/{part}.arrow", table)

    def read(self, stage: str, part: str) -> Record | None:
        """Return the record of a part; None if it is not done."""
        with guarded(self._workspace, "reading a record of the run"):
            data = self._files.read(f"{stage}/{part}.json")
        record: Record | None = None if data is None else json.loads(data)
        return record

    def write(self, stage: str, part: str, record: Record) -> Record:
        """Write the record of a part, unless there is one; returns the one that counts."""
        with guarded(self._workspace, "recording a part of the run"):
            self._files.create(f"{stage}/{part}.json", json.dumps(record).encode())
        return self.read(stage, part) or record

    def done(self, stage: str) -> frozenset[str]:
        """Return the parts of a stage that have a record."""
        with guarded(self._workspace, "reading the records of the run"):
            names = self._files.names(stage)
        return frozenset(name.removesuffix(".json") for name in names if name.endswith(".json"))

    def remove(self) -> None:
        """Delete the folder: the run is finished; earlier ones of the workspace cannot go on after it."""
        with guarded(self._workspace, "deleting the records of the run"):
            shared_files(self.place.rpartition("/")[0]).remove()

    @cached_property
    def _files(self) -> SharedFiles:
        return shared_files(self.place)

    @property
    def _workspace(self) -> str:
        return self.place.rpartition(f"/{RUNS}/")[0] or self.place
