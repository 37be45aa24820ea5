"""The version of a workspace's form, in a file of its folder: a workspace of a later version is refused, not misread.

Columns that came later are no new form: they are read as empty, and added by the next write (`schema.LATER`), so every
workspace so
far is of form 1, with the file or without it. The number is raised when an earlier version would read a table wrongly.
A workspace that is no folder of this machine has no such file: keep its readers and writers of one version.
"""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path

from chunking.errors import StoreError
from chunking.store.engine.faults import guarded

__all__ = ["FORMAT", "check_format", "mark_format"]

FORMAT = 1
_FILE = "format.json"
_KEY = "chunkscope_store"


def check_format(folder: Path) -> None:
    """Look at the version of a workspace before it is opened.

    Raises:
        StoreError: it is a later one, or the file is damaged.
    """
    with guarded(str(folder), "opening it"):
        try:
            data = (folder / _FILE).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return
    try:
        version = json.loads(data)[_KEY]
        later = version > FORMAT
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(
            (
                f"The file {_FILE} of the workspace {folder} is damaged; delete it unless a later version of "
                "Chunkscope has used the workspace."
            ),
            where=str(folder),
        ) from error
    if later:
        raise StoreError(
            (
                f"The workspace {folder} is from a later version of Chunkscope (format {version}; this one reads "
                f"{FORMAT}); open it with that one."
            ),
            where=str(folder),
        )


def mark_format(folder: Path) -> None:
    """Write the version into a workspace that is being made; one that has it keeps it."""
    place = folder / _FILE
    if place.exists():
        return
    made = folder / f"{_FILE}.{uuid.uuid4().hex[:8]}#"
    made.write_text(json.dumps({_KEY: FORMAT}) + "\n", encoding="utf-8")
    os.replace(made, place)
