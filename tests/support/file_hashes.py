"""The files of a folder by their bytes, to see that none was changed."""

from __future__ import annotations

import hashlib
from pathlib import Path

__all__ = ["digest"]


def digest(folder: str | Path) -> dict[str, str]:
    """The files of a workspace with the hash of their bytes."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in Path(folder).rglob("*.*")
        if file.is_file()
    }
