"""Folders of the app and its data, in the repository and in an installation.

In the repository the app's files (`serve.py`, `pages/`, `components/`, the samples) are next to this package. A wheel
puts them into one folder, `chunkscope_app`, so that installing it adds no package called `components` or `pages`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = [
    "DATA",
    "INSTALLED",
    "LIBRARY",
    "PROJECT",
    "SECRETS",
    "AnyPath",
    "begins_with_home",
    "data_folder",
    "model_cache",
    "paths_of",
]

LIBRARY = Path(__file__).parents[1]
"""Folder that contains this package: another process needs it in its import path."""
_APP = LIBRARY / "chunkscope_app"
INSTALLED = (_APP / "serve.py").is_file()
"""True if the program is installed from a wheel."""
PROJECT = _APP if INSTALLED else LIBRARY
"""Folder of `serve.py`, with the pages, the samples and Streamlit's options."""

AnyPath = str | os.PathLike[str]


def data_folder(system: str, environment: Mapping[str, str], home: Path) -> Path:
    """Return the folder for a user's data of an installed program, by operating system.

    Args:
        system: as in `sys.platform`.
        environment: `LOCALAPPDATA` on Windows, `XDG_DATA_HOME` on Linux replace the default in `home`.

    >>> data_folder("linux", {}, Path("/home/ada")).as_posix()
    '/home/ada/.local/share/chunkscope'
    >>> data_folder("darwin", {}, Path("/Users/ada")).as_posix()
    '/Users/ada/Library/Application Support/Chunkscope'
    """
    if system == "darwin":
        return home / "Library" / "Application Support" / "Chunkscope"
    if system == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "Chunkscope"
    return Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share") / "chunkscope"


def model_cache() -> Path:
    """Return the folder for unpacked models, in `XDG_CACHE_HOME` or the user's `.cache`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chunkscope" / "models"


DATA = data_folder(sys.platform, os.environ, Path.home()) if INSTALLED else PROJECT / ".workspaces"
"""Default home folder (`CHUNKSCOPE_HOME`): never among the files of an installed program."""
SECRETS = DATA if INSTALLED else PROJECT
"""Folder of `.streamlit/secrets.toml`: an update of the program must not touch it."""


def paths_of(paths: AnyPath | Iterable[AnyPath]) -> list[Path]:
    """Return a list of paths, given one path or several.

    >>> paths_of("docs"), paths_of([Path("docs"), "notes.md"])
    ([PosixPath('docs')], [PosixPath('docs'), PosixPath('notes.md')])
    """
    return [Path(paths)] if isinstance(paths, (str, os.PathLike)) else [Path(path) for path in paths]


def begins_with_home(path: Path) -> bool:
    """True if a path begins with `~`, which a shell would have expanded.

    >>> begins_with_home(Path("~/docs")), begins_with_home(Path("docs/~"))
    (True, False)
    """
    return bool(path.parts) and path.parts[0].startswith("~")
