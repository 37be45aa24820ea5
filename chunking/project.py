"""Where the project stands on disk: its pages, samples, options, secrets and lists of requirements are looked for there."""

from __future__ import annotations

from pathlib import Path

__all__ = ["PROJECT"]

PROJECT = Path(__file__).parents[1]
"""The folder of `serve.py` and `requirements.txt`."""
