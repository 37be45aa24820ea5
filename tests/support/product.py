"""Capabilities of this copy of the program: without the folder hosting/ it serves one person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

__all__ = ["HOSTING", "MODES", "app_sources", "present"]

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
HOSTING = (ROOT / "hosting").is_dir()
"""True if this copy can serve several people."""
MODES = ("local", "demo", "team") if HOSTING else ("local",)
"""Deployment modes of this copy."""


def app_sources() -> Iterator[Path]:
    """Yield the modules of components, pages and hosting."""
    for folder in ("components", "pages", "hosting"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def present(rows: Mapping[str, T]) -> dict[str, T]:
    """Return the rows of a table by path, without hosting's if that folder is missing."""
    return {path: row for path, row in rows.items() if HOSTING or not path.startswith("hosting/")}
