"""Rows that installed packages add to the library's tables through entry points.

The name of an entry point is the one that a configuration or the command line uses; its group is the table:

    [project.entry-points."chunkscope.splitters"]        mine = "package.module:function"
    [project.entry-points."chunkscope.formats"]          minutes = "package.module:MINUTES"
    [project.entry-points."chunkscope.parsers"]          layout = "package.module:LAYOUT"
    [project.entry-points."chunkscope.retrieval_modes"]  worst_first = "package.module:WORST_FIRST"

Every process finds them: the app, the command line, the guarded processes that read files, and the workers of jobs.
Only the operator can install a package; a setting, a link or a form can only name an entry point.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

from chunking.errors import ConfigError

__all__ = [
    "FORMATS",
    "PARSERS",
    "RETRIEVAL_MODES",
    "SPLITTERS",
    "entry_places",
    "entry_versions",
    "installed_rows",
    "load_object",
]

SPLITTERS, FORMATS, RETRIEVAL_MODES = "chunkscope.splitters", "chunkscope.formats", "chunkscope.retrieval_modes"
PARSERS = "chunkscope.parsers"
"""Entry-point groups."""


@cache
def entry_places(group: str) -> Mapping[str, str]:
    """Return `package.module:object` by entry-point name; cached, as the lookup reads all packages."""
    from importlib.metadata import entry_points  # 30 ms, which most processes need for nothing else

    return MappingProxyType({point.name: point.value for point in entry_points(group=group)})


@cache
def entry_versions(group: str) -> Mapping[str, str]:
    """Return the package of each entry point with its version, such as `layout 1.2`; cached."""
    from importlib.metadata import entry_points

    points = entry_points(group=group)
    return MappingProxyType({one.name: f"{one.dist.name} {one.dist.version}" for one in points if one.dist})


@cache
def installed_rows(group: str) -> tuple[Any, ...]:
    """Load the rows of an entry-point group, sorted by name; each row has the name of its entry point.

    Raises:
        ConfigError: a row cannot be loaded or has another name.
    """
    rows = []
    for name, place in sorted(entry_places(group).items()):
        row = load_object(place, f"The entry point '{name}' of {group}", where=group)
        if getattr(row, "name", None) != name:
            raise ConfigError(
                (
                    f"The entry point '{name}' of {group} points to {place}, which is not a row of that "
                    f"name: give both the same name."
                ),
                where=group,
            )
        rows.append(row)
    return tuple(rows)


def load_object(place: str, what: str, *, where: str) -> Any:
    """Import the object at `package.module:object`.

    Args:
        what: subject of the error text.
    Raises:
        ConfigError: it cannot be imported, or there is no such object.
    """
    module, _, path = place.partition(":")
    try:
        target: Any = import_module(module)
        for part in path.split("."):
            target = getattr(target, part)
    except Exception as error:
        raise ConfigError(
            f"{what} cannot be loaded from {place} ({type(error).__name__}: {error}).", where=where
        ) from error
    return target
