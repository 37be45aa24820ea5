"""The modes that this copy of the program can serve."""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["MODES"]

MODES = ("local", "demo", "team") if find_spec("hosting") else ("local",)
"""Without the folder hosting/ it serves one person."""
