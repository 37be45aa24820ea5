"""The one place that knows the folder `hosting/`, which runs a deployment for many people and may be deleted."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

from chunking.errors import ConfigError
from chunking.paths import PROJECT

__all__ = ["SNAPSHOT_KEY", "load_hosting"]

SNAPSHOT_KEY = "snapshot"
"""Key of the address that `hosting/` reads: it is no setting of a link."""

_FOLDER = "hosting"


def load_hosting(module: str) -> ModuleType:
    """Import a module of `hosting/` by its name in there, such as `commands`.

    Raises:
        ConfigError: the folder is not there.
    """
    if str(PROJECT) not in sys.path:  # a command and a worker know this package alone
        sys.path.insert(0, str(PROJECT))
    try:
        return import_module(f"{_FOLDER}.{module}")
    except ModuleNotFoundError as error:
        if error.name != _FOLDER:
            raise
        raise ConfigError(
            "This copy of Chunkscope serves one person: the folder hosting/ is not there. Put it back, or use the mode "
            "local.",
            where=_FOLDER,
        ) from None
