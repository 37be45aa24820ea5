"""Custom splitters by name, and a version of each from its source.

A splitter takes a document's text and returns its chunks: strings, or (start, end) offsets in characters. The operator
of an installation registers one in one of three ways; a setting, a link or a form can only name it:

- `register_splitter("mine", function)` in a program that uses the library,
- an entry point of the group `chunkscope.splitters` in an installed package,
- the environment: `CHUNKSCOPE_SPLITTERS="mine=package.module:function;other=…"`.

On a shared server they work only where its operator allows them (`chunking.allowed`).

Those of other packages (`foreign_splitters`) are available where their package is installed; they take a size and an
overlap, too.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from chunking.allowed import allowed
from chunking.errors import ConfigError
from chunking.model import Document
from chunking.plugins import SPLITTERS, entry_places, load_object
from chunking.splitting.strategies.custom_sources import reached_sources
from chunking.splitting.strategies.foreign_splitters import FOREIGN, foreign_names
from chunking.splitting.strategies.splitter_contract import Lengths

__all__ = [
    "ENVIRONMENT",
    "LOADED",
    "Splitter",
    "check_splitter",
    "find_splitter",
    "register_splitter",
    "split_with",
    "splitter_names",
    "splitter_version",
    "use_splitters",
]

Splitter = Callable[[str], Iterable[str | tuple[int, int]]]

ENVIRONMENT = "CHUNKSCOPE_SPLITTERS"
"""Environment variable that names splitters as `name=package.module:callable`, separated by semicolons."""
LOADED = "loaded:"
"""Prefix of the name of chunks that a workspace holds as a splitter."""
_DIGITS = 16

_registered: dict[str, Splitter] = {}
_of_workspace: ContextVar[Mapping[str, Splitter]] = ContextVar(
    "splitters of the workspace", default=MappingProxyType({})
)
"""Chunks that this thread's workspace holds as splitters."""


def register_splitter(name: str, splitter: Splitter) -> None:
    """Register a splitter for this process by name; it replaces one of the same name.

    Raises:
        ConfigError: the name is empty, or the splitter cannot be called.

    >>> register_splitter("lines", str.splitlines)
    >>> find_splitter("lines")("a\\nb")
    ['a', 'b']
    """
    if not name.strip() or not callable(splitter):
        raise ConfigError(f"The splitter '{name}' needs a name and a callable.", where="splitter")
    _registered[name] = splitter


def use_splitters(splitters: Mapping[str, Splitter]) -> None:
    """Replace the workspace's splitters of this thread; other threads may work on other workspaces."""
    _of_workspace.set(MappingProxyType(dict(splitters)))


def splitter_names() -> tuple[str, ...]:
    """All available names, sorted; nothing is loaded."""
    own = {*_registered, *_named_in_environment(), *entry_places(SPLITTERS)} if _own_allowed() else set()
    return tuple(sorted({*own, *_of_workspace.get(), *foreign_names()}))


def _own_allowed() -> bool:
    here = allowed()
    return here.everything or here.splitters


def split_with(name: str, document: Document, lengths: Lengths) -> Iterable[str | tuple[int, int]]:
    """Split a document with the splitter of a name: one of `find_splitter`, or another package's.

    Args:
        lengths: only splitters of other packages use them.
    Raises:
        ConfigError: there is none, it cannot be loaded, or its package is not installed.
    """
    if _is_foreign(name):
        return _foreign(name, lengths)(document)
    return find_splitter(name)(document.text)


def _is_foreign(name: str) -> bool:
    return name in FOREIGN and name not in _registered and name not in _of_workspace.get()


def _foreign(name: str, lengths: Lengths) -> Callable[[Document], Iterable[str | tuple[int, int]]]:
    if not (allowed().everything or FOREIGN[name].version):  # a server does not tell which packages it has
        raise allowed().no_splitter(name)
    return FOREIGN[name].cut(lengths)


def find_splitter(name: str) -> Splitter:
    """The splitter of a name: registered, else of the workspace, the environment, or an entry point.

    Raises:
        ConfigError: there is none, it may not be named, or it cannot be loaded.
    """
    own = _own_allowed()
    splitter = (_registered.get(name) if own else None) or _of_workspace.get().get(name)
    if splitter is not None:
        return splitter
    if not own:
        raise allowed().no_splitter(name)
    place = _named_in_environment().get(name) or entry_places(SPLITTERS).get(name)
    if place is None:
        names = ", ".join(splitter_names()) or "none"
        raise ConfigError(
            f"There is no splitter '{name}': register it, or name one that is (known: {names}).", where="splitter"
        )
    return _loaded(name, place)


def check_splitter(name: str) -> None:
    """Check that there is a splitter of a name, before documents are split with it.

    Raises:
        ConfigError: there is none, it cannot be loaded, or its package is not installed.
    """
    if _is_foreign(name):
        _foreign(name, Lengths(1, 0, len))
    else:
        find_splitter(name)


def splitter_version(name: str) -> str:
    """16 hex digits that change when a splitter's chunks may; empty if there is no such splitter.

    They cover its source, the files of the user's own that it imports (see `custom_sources`), for a callable object
    the source of its class and its repr (the settings of a dataclass), for another package its version.
    """
    if name in FOREIGN and name not in _registered:
        return hashlib.sha256(f"{name} {FOREIGN[name].version}".encode()).hexdigest()[:_DIGITS]
    try:
        splitter = find_splitter(name)
    except ConfigError:
        return ""
    function: Any = splitter
    facts = ""
    while hasattr(function, "func"):  # functools.partial
        facts += f"{function.args!r} {function.keywords!r}"
        function = function.func
    if not (inspect.isroutine(function) or inspect.isclass(function)):
        facts, function = facts + _printed(function), type(function)
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):  # written in C, or typed at a prompt
        source = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"
    return hashlib.sha256(f"{source}\0{facts}\0{reached_sources(function)}".encode()).hexdigest()[:_DIGITS]


def _printed(splitter: object) -> str:
    """The repr of an object; empty where that is only its address."""
    return "" if type(splitter).__repr__ is object.__repr__ else repr(splitter)


def _named_in_environment() -> dict[str, str]:
    rows = [row.partition("=") for row in os.environ.get(ENVIRONMENT, "").split(";") if row.strip()]
    wrong = next((name for name, _, place in rows if not name.strip() or ":" not in place), None)
    if wrong is not None:
        raise ConfigError(
            f"{ENVIRONMENT} has an invalid entry '{wrong.strip()}': write name=package.module:callable.",
            where=ENVIRONMENT,
        )
    return {name.strip(): place.strip() for name, _, place in rows}


def _loaded(name: str, place: str) -> Splitter:
    try:
        splitter = load_object(place, f"The splitter '{name}'", where="splitter")
        if not callable(splitter):
            raise ConfigError(f"The splitter '{name}' at {place} is not callable.", where="splitter")
    except ConfigError as error:
        if allowed().everything:
            raise
        logging.getLogger(__name__).warning("%s", error)
        raise allowed().no_splitter(name) from None
    return splitter  # type: ignore[no-any-return]
