"""Small, read-only and failing disks for tests; the first two need the right to mount."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from chunking.errors import StoreError
from chunking.store import Workspace


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """Mount a tmpfs on a folder; skip the test if mounting is not possible."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, text=True, check=False
        )
    except OSError as error:
        pytest.skip(f"there is no mount here: {error}")
    if done.returncode:
        pytest.skip(f"a tmpfs cannot be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def remount(folder: Path, options: str) -> None:
    """Remount a disk with other options, such as `ro`."""
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


def use_up(filler: Path) -> None:
    """Write to a file until its disk is full."""
    with filler.open("wb", buffering=0) as stream, pytest.raises(OSError, match="No space left"):
        write_on(stream)


def write_on(stream: IO[bytes]) -> None:
    """Write to a stream until it fails."""
    while True:
        stream.write(bytes(4096))


@contextmanager
def full_at(workspace: Workspace, call: int) -> Iterator[Callable[[], bool]]:
    """Fail the storage call with this number, from 1, with a full disk; yields whether it was reached."""
    tables, left = workspace._tables, [call]
    run = tables.run

    def full(what: str, function: Callable[[], Any]) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise StoreError("The disk is full.")
        return run(what, function)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "run", full)
        yield lambda: left[0] <= 0
