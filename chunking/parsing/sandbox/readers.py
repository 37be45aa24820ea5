"""What the server imports before it forks, so that a child finds its reader ready."""

from __future__ import annotations

import importlib
from functools import cache

from chunking.errors import ConfigError

__all__ = ["import_readers"]

_ALWAYS = ("chunking.parsing.document", "chunking.parsing.sandbox.child")


@cache
def import_readers(ending: str) -> None:
    """Import what files of an ending (lower case, with the dot) are read with; a library that is missing, the child
    will miss.
    """
    from chunking.parsing.registry import FORMATS

    try:
        rows = [row for row in FORMATS if ending in row.extensions] or [row for row in FORMATS if row.name == "text"]
    except ConfigError:  # of an installed package; the child meets it again and says so
        rows = []
    for module in [*_ALWAYS, *(module for row in rows for module in row.preload)]:
        try:
            importlib.import_module(module)
        except ImportError:
            continue
