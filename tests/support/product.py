"""What this copy of the program has: without the folder hosting/ it serves one person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

__all__ = ["HOSTING", "MODES", "app_sources", "present"]

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
HOSTING = (ROOT / "hosting").is_dir()
"""True if it can serve many people."""
MODES = ("local", "demo", "team") if HOSTING else ("local",)
"""The modes that it can serve."""


def app_sources() -> Iterator[Path]:
    """The modules of the app: components, pages, and hosting."""
    for folder in ("components", "pages", "hosting"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def present(rows: Mapping[str, T]) -> dict[str, T]:
    """The rows of a table by path, without those of hosting if that is gone."""
    return {path: row for path, row in rows.items() if HOSTING or not path.startswith("hosting/")}
