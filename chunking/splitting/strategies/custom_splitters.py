"""Splitters of the user's own: which there are, by name, and what their source is.

A splitter takes a document's text and gives back its chunks: strings, or (start, end) offsets in characters. The
operator of an
installation makes one known in one of three ways; a setting, a link or a form can only name it:

- `register_splitter("mine", function)` in a program that uses the library,
- an entry point of the group `chunkscope.splitters` in an installed package,
- the environment: `CHUNKSCOPE_SPLITTERS="mine=package.module:function;other=…"`.

On a server that others use they count only where its operator allows them (`chunking.allowed`).

Those of other packages (`foreign_splitters`) are known where their package is installed; they are asked for a size and
an overlap too.
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
"""Variable that names splitters, as `name=package.module:callable`, parted by semicolons."""
LOADED = "loaded:"
"""What stands before the name of chunks that a workspace holds as a splitter."""
_DIGITS = 16

_registered: dict[str, Splitter] = {}
_of_workspace: ContextVar[Mapping[str, Splitter]] = ContextVar(
    "splitters of the workspace", default=MappingProxyType({})
)
"""Chunks that a workspace holds as splitters: of the workspace that this thread works on, and of no other."""


def register_splitter(name: str, splitter: Splitter) -> None:
    """Make a splitter known in this process, under a name that a configuration gives; one of the same name is replaced.

    Raises:
        ConfigError: the name is empty, or what is given cannot be called.

    >>> register_splitter("lines", str.splitlines)
    >>> find_splitter("lines")("a\\nb")
    ['a', 'b']
    """
    if not name.strip() or not callable(splitter):
        raise ConfigError(f"The splitter '{name}' needs a name and something that can be called.", where="splitter")
    _registered[name] = splitter


def use_splitters(splitters: Mapping[str, Splitter]) -> None:
    """Make the splitters that a workspace holds known to this thread, in the place of those of the workspace before it.

    Other threads, which may work on other workspaces, do not see them.
    """
    _of_workspace.set(MappingProxyType(dict(splitters)))


def splitter_names() -> tuple[str, ...]:
    """All that can be named, sorted; none of them is loaded."""
    own = {*_registered, *_named_in_environment(), *entry_places(SPLITTERS)} if _own_allowed() else set()
    return tuple(sorted({*own, *_of_workspace.get(), *foreign_names()}))


def _own_allowed() -> bool:
    here = allowed()
    return here.everything or here.splitters


def split_with(name: str, document: Document, lengths: Lengths) -> Iterable[str | tuple[int, int]]:
    """The chunks of a document, by the splitter of a name: that which `find_splitter` finds, or another package's.

    Args:
        lengths: what it may fill; only those of other packages ask.
    Raises:
        ConfigError: there is none, it cannot be loaded, or its package is not installed.
    """
    if _is_foreign(name):
        return _foreign(name, lengths)(document)
    return find_splitter(name)(document.text)


def _is_foreign(name: str) -> bool:
    return name in FOREIGN and name not in _registered and name not in _of_workspace.get()


def _foreign(name: str, lengths: Lengths) -> Callable[[Document], Iterable[str | tuple[int, int]]]:
    if not (allowed().everything or FOREIGN[name].version):  # which packages a server has is its operator's affair
        raise allowed().no_splitter(name)
    return FOREIGN[name].cut(lengths)


def find_splitter(name: str) -> Splitter:
    """The splitter of a name: a registered one, else one of the workspace, one of the environment, or an entry point's.

    Raises:
        ConfigError: there is none, it may not be named, or it cannot be loaded.
    """
    own = _own_allowed()
    known = (_registered.get(name) if own else None) or _of_workspace.get().get(name)
    if known is not None:
        return known
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
    """Raise ConfigError unless there is a splitter of a name, before documents are cut with it.

    Raises:
        ConfigError: there is none, it cannot be loaded, or its package is not installed.
    """
    if _is_foreign(name):
        _foreign(name, Lengths(1, 0, len))
    else:
        find_splitter(name)


def splitter_version(name: str) -> str:
    """16 hex digits over a splitter's source: changes when its chunks may; the same for all that cannot be found.

    The files that it imports count too, as far as they are the user's own (see `custom_sources`). Of an object that is
    called the source of its class counts, and what it prints as (its settings, for a dataclass); of another package's
    its version.
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
    except (OSError, TypeError):  # made in C, or typed at a prompt
        source = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"
    return hashlib.sha256(f"{source}\0{facts}\0{reached_sources(function)}".encode()).hexdigest()[:_DIGITS]


def _printed(splitter: object) -> str:
    """An object's own description of itself; nothing where that is only its address."""
    return "" if type(splitter).__repr__ is object.__repr__ else repr(splitter)


def _named_in_environment() -> dict[str, str]:
    rows = [row.partition("=") for row in os.environ.get(ENVIRONMENT, "").split(";") if row.strip()]
    wrong = next((name for name, _, place in rows if not name.strip() or ":" not in place), None)
    if wrong is not None:
        raise ConfigError(
            f"{ENVIRONMENT} names '{wrong.strip()}' wrongly: write name=package.module:callable.", where=ENVIRONMENT
        )
    return {name.strip(): place.strip() for name, _, place in rows}


def _loaded(name: str, place: str) -> Splitter:
    try:
        found = load_object(place, f"The splitter '{name}'", where="splitter")
        if not callable(found):
            raise ConfigError(f"The splitter '{name}' at {place} cannot be called.", where="splitter")
    except ConfigError as error:
        if allowed().everything:
            raise
        logging.getLogger(__name__).warning("%s", error)
        raise allowed().no_splitter(name) from None
    return found  # type: ignore[no-any-return]
