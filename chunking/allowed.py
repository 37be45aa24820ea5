"""What may be named in this process: models, downloads, splitters, servers, engines that read files, and folders.

Whoever works on their own machine may name everything. On a server that others use its operator's list decides, and it
is asked where something is loaded, read or contacted, whatever form, link, file, job or export has named it. One list
holds for a process and all its threads. What is not on the list and what does not exist get the same sentence: nobody
learns from it what is there.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from chunking.config import DEFAULT_MODEL, remote_name
from chunking.errors import ConfigError, ModelError, ParseError

__all__ = ["ENGINES", "EVERYTHING_ALLOWED", "PACKAGED", "Allowed", "allow", "allowed"]

PACKAGED = frozenset({DEFAULT_MODEL, f"sentence-transformers/{DEFAULT_MODEL}"})
"""Names of the model that comes with the installation: it may always be named."""
ENGINES = {"ocr": "OCR", "unstructured": "the library unstructured"}
"""What can read a file besides the program's own readers, to how it is called: both take seconds to minutes of a
processor a file.
"""
_PUBLISHERS = ("sentence-transformers/", "cross-encoder/")
"""What a name may begin with, or leave out."""
_SHOWN = 80
"""Characters of a name in a sentence."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What may be named. Made from the operator's settings by `Deployment.allowed`."""

    everything: bool = True
    """The other fields do not count, and sentences may name paths and addresses."""
    models: frozenset[str] = frozenset()
    """Besides the packaged one: names, folders, and `remote:NAME`. A folder is named by its last part."""
    downloads: bool = False
    """Models that are on the list and not on this machine may be fetched."""
    splitters: bool = False
    """Those of the environment, of plug-ins and of the program; what a workspace holds as a splitter may always be
    named.
    """
    endpoints: bool = False
    """The language model and the embedding server that this machine has configured."""
    engines: frozenset[str] = frozenset()
    """Names of `ENGINES`."""
    folders: tuple[Path, ...] = ()
    """Files in them may be read by their paths."""

    # -- models

    def model(self, name: str) -> str:
        """The name or folder to look for where a model of this machine is named.

        Raises:
            ModelError: it may not be named.
        """
        if self.everything or name in PACKAGED:
            return name
        found = next((entry for entry in sorted(self.models) if _names(entry, name)), None)
        if found is None:
            raise self.no_model(name)
        return found if _is_folder(found) else name

    def served_model(self, name: str, own: str = "") -> None:
        """Raise ModelError unless a model of the configured server may be named.

        Args:
            own: the one that the server's configuration names.
        Raises:
            ModelError: it may not be.
        """
        listed = {remote_name(entry) for entry in self.models} | {remote_name(own) or own}
        if not self.everything and not (self.endpoints and name and name in listed):
            raise self.no_model(f"remote:{name}")

    @property
    def model_folders(self) -> tuple[Path, ...]:
        """Those of the list that are folders."""
        return tuple(Path(entry).expanduser() for entry in sorted(self.models) if _is_folder(entry))

    @property
    def model_names(self) -> list[str]:
        """What people may name of the list's models of this machine, by name."""
        local = (entry for entry in self.models if remote_name(entry) is None)
        return sorted({Path(entry).name if _is_folder(entry) else entry for entry in local})

    def no_model(self, name: str) -> ModelError:
        """What is said of a model that may not be named, is not there, or cannot be read."""
        return ModelError(
            (
                f"The model '{_short(name)}' cannot be used on this server: choose one that the settings offer, "
                f"or ask whoever runs it."
            ),
            where="embedding.model",
        )

    @contextmanager
    def model_faults(self, name: str) -> Iterator[None]:
        """What goes wrong with a listed model's files is told in the log, since it names places of this machine."""
        try:
            yield
        except ModelError as error:
            if self.everything:
                raise
            logging.getLogger(__name__).warning("The model %r could not be used. %s", _short(name), error)
            raise self.no_model(name) from None

    # -- splitters

    def no_splitter(self, name: str) -> ConfigError:
        """What is said of a splitter that may not be named, is not there, or cannot be loaded."""
        return ConfigError(
            (
                f"The splitter '{_short(name)}' cannot be used on this server: choose one that the settings "
                f"offer, or another strategy."
            ),
            where="splitter",
        )

    # -- engines that read files

    def engine(self, name: str) -> bool:
        """Whether files may be read by one of `ENGINES`."""
        return self.everything or name in self.engines

    def check_engine(self, name: str) -> None:
        """As `engine`. Raises ParseError."""
        if not self.engine(name):
            raise self.no_engine(name)

    def no_engine(self, name: str) -> ParseError:
        """What is said of one of `ENGINES` that may not be used, or is not there."""
        return ParseError(f"{ENGINES[name]} cannot read files on this server; ask whoever runs it.", where=name)

    # -- folders

    def check_paths(self, paths: Iterable[Path]) -> None:
        """Raise ParseError unless files and folders may be read by their paths, links followed.

        Raises:
            ParseError: one of them may not be; or there is none, which is the same sentence.
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
    """Whether a model of the list is meant by a name."""
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
    """What may be named in this process."""
    return _present


def allow(what: Allowed) -> None:
    """Have a list hold from now on, in all threads of this process."""
    global _present
    _present = what
