"""Workspaces made smaller: files merged, old versions and what killed runs left cleared away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from chunking.errors import LockedError, StoreError
from chunking.store.copies.home_folder import clear_unfinished, workspace_folders
from chunking.store.copies.workspace_files import folder_bytes, is_workspace
from chunking.store.workspace import Workspace

__all__ = ["Compacted", "compact"]


@dataclass(frozen=True, slots=True)
class Compacted:
    """What came of it for a workspace."""

    path: str
    """In the home folder; empty for the workspace that was named itself."""
    before: int
    """Bytes of its folder."""
    after: int
    locked: bool
    """Somebody is writing to it: nothing was done."""


def compact(home: Path, *, on_progress: Callable[[str, int, int], None] | None = None) -> Iterator[Compacted]:
    """Tidy a workspace, or each of a home folder, one after the other; versions of the last ten minutes stay for who still reads them.

    One that is deleted meanwhile is passed over.

    Args:
        on_progress: told a workspace's path, which of how many it is (from 1), and how many there are.
    Raises:
        NotFoundError: there is none.
    """
    folders = workspace_folders(home)
    for number, (path, folder) in enumerate(folders.items(), 1):
        if on_progress is not None:
            on_progress(path, number, len(folders))
        before, locked = folder_bytes(folder), False
        try:
            Workspace.open(folder, create=False).tidy()
        except LockedError:
            locked = True
        except StoreError:
            if is_workspace(folder):
                raise
            continue
        yield Compacted(path, before, folder_bytes(folder), locked)
    for place in {folder.parent for folder in folders.values()}:
        clear_unfinished(place)
