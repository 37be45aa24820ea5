"""What installed packages add to the library's tables: objects that their entry points name.

An entry point stands under the name that a configuration or the command line uses, in the group of its table:

    [project.entry-points."chunkscope.splitters"]        mine = "package.module:function"
    [project.entry-points."chunkscope.formats"]          minutes = "package.module:MINUTES"
    [project.entry-points."chunkscope.retrieval_modes"]  worst_first = "package.module:WORST_FIRST"

Every process finds them by itself: the app, the command line, the guarded processes that read files, and the workers of
jobs.
Only whoever runs Chunkscope can install a package; a setting, a link or a form can only name what it adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

from chunking.errors import ConfigError

__all__ = ["FORMATS", "RETRIEVAL_MODES", "SPLITTERS", "entry_places", "installed_rows", "load_object"]

SPLITTERS, FORMATS, RETRIEVAL_MODES = "chunkscope.splitters", "chunkscope.formats", "chunkscope.retrieval_modes"
"""Groups of entry points."""


@cache
def entry_places(group: str) -> Mapping[str, str]:
    """`package.module:object` by name; looked up once a process, because every installed package is asked."""
    from importlib.metadata import entry_points  # 30 ms, which most processes need for nothing else

    return MappingProxyType({point.name: point.value for point in entry_points(group=group)})


@cache
def installed_rows(group: str) -> tuple[Any, ...]:
    """The rows that entry points of a group name, in the order of their names; each has the name of its entry point.

    Raises:
        ConfigError: one of them cannot be loaded, or is called otherwise.
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
    """Import what `package.module:object` names.

    Args:
        what: subject of the sentence that is raised.
    Raises:
        ConfigError: it cannot be imported, or there is no such object.
    """
    module, _, path = place.partition(":")
    try:
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except Exception as error:
        raise ConfigError(
            f"{what} cannot be loaded from {place} ({type(error).__name__}: {error}).", where=where
        ) from error
    return found
