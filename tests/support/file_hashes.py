"""Hashes of a folder's files, to prove that none changed."""

from __future__ import annotations

import hashlib
from pathlib import Path

__all__ = ["digest"]


def digest(folder: str | Path) -> dict[str, str]:
    """Return the hash of each file of a workspace."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in Path(folder).rglob("*.*")
        if file.is_file()
    }
