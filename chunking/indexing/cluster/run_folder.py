"""Folder of a run: its plan, files between the stages, and a record of each part that is done."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from chunking.errors import NotFoundError
from chunking.store.engine.faults import guarded
from chunking.store.scratch_folder import RUNS

__all__ = ["Record", "RunFolder"]

Record = Mapping[str, Any]
"""What a part left, as JSON."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Folder of one run, in the workspace's, which all processes see under the same path.

    A record appears at once and is never replaced: if two processes did a part, the first record counts, and what the
    other wrote is listed nowhere.
    """

    path: Path

    @classmethod
    def create(cls, workspace: Path) -> RunFolder:
        """Create the folder of a new run, with an id that begins with the time."""
        name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid4().hex[:4]}"
        folder = cls(workspace / RUNS / name)
        with guarded(str(workspace), "beginning a run"):
            folder.path.mkdir(parents=True)
        return folder

    @classmethod
    def open(cls, workspace: Path, run: str) -> RunFolder:
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
    def unfinished(cls, workspace: Path) -> list[RunFolder]:
        """Return the folders of a workspace's unfinished runs, oldest first."""
        runs = workspace / RUNS
        folders = sorted(runs.iterdir()) if runs.is_dir() else []
        return [cls(path) for path in folders if (path / "plan").is_dir()]

    @property
    def id(self) -> str:
        return self.path.name

    def file(self, stage: str, part: str) -> Path:
        """Return the place of the Arrow file that a stage makes of a part."""
        return self._stage(stage) / f"{part}.arrow"

    def read(self, stage: str, part: str) -> Record | None:
        """Return the record of a part; None if it is not done."""
        try:
            record: Record = json.loads(self._record(stage, part).read_bytes())
        except FileNotFoundError:
            return None
        return record

    def write(self, stage: str, part: str, record: Record) -> Record:
        """Write the record of a part, unless there is one; returns the one that counts."""
        with guarded(str(self.path.parent.parent), "recording a part of the run"):
            place = self._record(stage, part)
            unfinished = place.with_name(f"{place.name}.{uuid4().hex[:8]}#")
            unfinished.write_text(json.dumps(record), encoding="utf-8")
            with suppress(FileExistsError):
                os.link(unfinished, place)
            unfinished.unlink()
        return self.read(stage, part) or record

    def remove(self) -> None:
        """Delete the folder: the run is finished; earlier ones of the workspace cannot go on after it."""
        for folder in self.unfinished(self.path.parent.parent):
            shutil.rmtree(folder.path, ignore_errors=True)
        with suppress(OSError):
            self.path.parent.rmdir()

    def _record(self, stage: str, part: str) -> Path:
        return self._stage(stage) / f"{part}.json"

    def _stage(self, stage: str) -> Path:
        folder = self.path / stage
        folder.mkdir(exist_ok=True)
        return folder
