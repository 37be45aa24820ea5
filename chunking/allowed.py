"""Process-wide allow list of models, downloads, splitters, servers, reading engines and folders.

On a personal machine everything is allowed. On a shared server the operator's list decides, and it is checked where
something is loaded, read or contacted, whichever form, link, file, job or export named it. A forbidden name and an
unknown name get the same error text, so that nobody learns what exists on the server.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from chunking.config import ENGLISH_MODEL, MULTILINGUAL_MODEL, remote_name
from chunking.errors import ConfigError, ModelError, ParseError

__all__ = ["ENGINES", "EVERYTHING_ALLOWED", "PACKAGED", "Allowed", "allow", "allowed"]

PACKAGED = frozenset({ENGLISH_MODEL, f"sentence-transformers/{ENGLISH_MODEL}", MULTILINGUAL_MODEL})
"""Names of the models that come as packages: always allowed."""
ENGINES = {"ocr": "OCR", "unstructured": "the library unstructured"}
"""Optional engines for reading files, with their display names; each takes seconds per file."""
_PUBLISHERS = ("sentence-transformers/", "cross-encoder/")
"""Publisher prefixes that a model name may omit."""
_SHOWN = 80
"""Maximum characters of a name in an error message."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """Allow list of models, downloads, splitters, servers, reading engines and folders.

    Without arguments, everything is allowed. `Deployment.allowed` makes it from the operator's settings.
    """

    everything: bool = True
    """True if the other fields are ignored; errors may then name paths and addresses."""
    models: frozenset[str] = frozenset()
    """Allowed models besides the packaged ones: names, folders (by their last part) and `remote:NAME`."""
    downloads: bool = False
    """True if allowed models that are not on this machine may be downloaded."""
    splitters: bool = False
    """True if splitters of the environment, of plug-ins and of the program may be named.

    Splitters stored in a workspace may always be named.
    """
    endpoints: bool = False
    """True if the configured language model and embedding server may be used."""
    engines: frozenset[str] = frozenset()
    """Allowed keys of `ENGINES`."""
    folders: tuple[Path, ...] = ()
    """Folders whose files may be read by path."""

    # -- models

    def model(self, name: str) -> str:
        """Return what to load for a local model: a listed folder of this name, or the name itself.

        Raises:
            ModelError: the model is not allowed.
        """
        if self.everything or name in PACKAGED:
            return name
        match = next((entry for entry in sorted(self.models) if _names(entry, name)), None)
        if match is None:
            raise self.no_model(name)
        return match if _is_folder(match) else name

    def served_model(self, name: str, own: str = "") -> None:
        """Raise ModelError unless this model of the configured server is allowed.

        Unless everything is allowed, `endpoints` must be True too.

        Args:
            own: the model that the server's configuration names; allowed like one listed as `remote:NAME`.
        Raises:
            ModelError: the model is not allowed.
        """
        listed = {remote_name(entry) for entry in self.models} | {remote_name(own) or own}
        if not self.everything and not (self.endpoints and name and name in listed):
            raise self.no_model(f"remote:{name}")

    @property
    def model_folders(self) -> tuple[Path, ...]:
        """Folders in `models`, sorted, with `~` expanded; also if everything is allowed."""
        return tuple(Path(entry).expanduser() for entry in sorted(self.models) if _is_folder(entry))

    @property
    def model_names(self) -> list[str]:
        """Sorted names in `models`, without those on a server; a folder by its last part."""
        local = (entry for entry in self.models if remote_name(entry) is None)
        return sorted({Path(entry).name if _is_folder(entry) else entry for entry in local})

    def no_model(self, name: str) -> ModelError:
        """Return the error, in one text, for a model not allowed, missing or unreadable."""
        return ModelError(
            (
                f"The model '{_short(name)}' cannot be used on this server: choose one that the settings offer, "
                f"or ask whoever runs it."
            ),
            where="embedding.model",
        )

    @contextmanager
    def model_faults(self, name: str) -> Iterator[None]:
        """Context manager that logs a ModelError about an allowed model and raises `no_model`.

        The original errors reveal paths of this machine. Where everything is allowed, they pass unchanged.
        """
        try:
            yield
        except ModelError as error:
            if self.everything:
                raise
            logging.getLogger(__name__).warning("The model %r could not be used. %s", _short(name), error)
            raise self.no_model(name) from None

    # -- splitters

    def no_splitter(self, name: str) -> ConfigError:
        """Return the error, in one text, for a splitter not allowed, missing or broken."""
        return ConfigError(
            (
                f"The splitter '{_short(name)}' cannot be used on this server: choose one that the settings "
                f"offer, or another strategy."
            ),
            where="splitter",
        )

    # -- engines that read files

    def engine(self, name: str) -> bool:
        """True if an engine of `ENGINES` is allowed to read files, installed or not."""
        return self.everything or name in self.engines

    def check_engine(self, name: str) -> None:
        """Raise ParseError unless an engine of `ENGINES` is allowed to read files."""
        if not self.engine(name):
            raise self.no_engine(name)

    def no_engine(self, name: str) -> ParseError:
        """Return the error, in one text, for an engine not allowed or not installed.

        Args:
            name: a key of `ENGINES`.
        """
        return ParseError(f"{ENGINES[name]} cannot read files on this server; ask whoever runs it.", where=name)

    # -- folders

    def check_paths(self, paths: Iterable[Path]) -> None:
        """Raise ParseError unless all paths are in allowed folders, links followed.

        Raises:
            ParseError: a path is outside of the allowed folders or does not exist; the text is the same for both.
        """
        if self.everything:
            return
        roots = [folder.expanduser().resolve() for folder in self.folders]
        for path in paths:
            try:
                there = path.expanduser().resolve()
                inside = there.exists() and any(there.is_relative_to(root) for root in roots)
            except (OSError, ValueError, RuntimeError):  # no path at all, or one of a loop of links
                inside = False
            if not inside:
                raise ParseError("That file or folder cannot be read on this server: upload the file.")


def _names(entry: str, name: str) -> bool:
    """True if a name refers to this entry of the allow list."""
    if remote_name(entry) is not None:
        return False
    return name == Path(entry).name if _is_folder(entry) else _bare(entry) == _bare(name)


def _bare(name: str) -> str:
    return next((name.removeprefix(publisher) for publisher in _PUBLISHERS if name.startswith(publisher)), name)


def _is_folder(entry: str) -> bool:
    return entry.startswith(("/", "~", ".")) or "\\" in entry or Path(entry).is_absolute()


def _short(name: str) -> str:
    return name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"


EVERYTHING_ALLOWED = Allowed()
_present = EVERYTHING_ALLOWED


def allowed() -> Allowed:
    """Return the allow list of this process; until `allow` is called, it allows everything."""
    return _present


def allow(allowed_names: Allowed) -> None:
    """Replace the allow list of this process, in all its threads."""
    global _present
    _present = allowed_names
