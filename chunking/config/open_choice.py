"""Choices that can be added to from outside: what a setting takes beside the values that come with the library.

A choice says what it is called and what it does, in the one place where its name stands; forms, help texts and tables
of the
documentation read it there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Self, overload

from chunking.config.renamed_settings import RETIRED_VALUES
from chunking.errors import ConfigError
from chunking.plugins import installed_rows

__all__ = ["ChoiceNames", "OpenChoice", "values_of"]

_ADDED: dict[type[StrEnum], dict[str, OpenChoice]] = {}
"""By the setting's type: choices from outside, by name."""


class OpenChoice(StrEnum):
    """An enumeration whose values have words, and to which others may be added.

    Iterating it gives the values that come with the library; `values_of` those that were added too.
    """

    _value_: str
    label: str
    """On screen, where the value stands alone."""
    line: str
    """What it does, after its name and a colon in the help text of the setting; without a full stop."""

    def __new__(cls, value: str, label: str = "", line: str = "") -> Self:
        made = str.__new__(cls, value)
        made._value_ = value
        made.label, made.line = label or value.replace("_", " "), line
        return made

    @classmethod
    def entry_points(cls) -> str:
        """The group of entry points whose rows' names are values too; empty where there is none."""
        return ""

    @classmethod
    def outside(cls, value: str, label: str, line: str) -> Self:
        """A value that is not among those of the library; the setting takes it once it is added.

        Raises:
            ValueError: there is one of that name, or it is the earlier name of one.
        """
        if value in RETIRED_VALUES:
            raise ValueError(f"'{value}' is a former name of another value of a setting; choose another name.")
        if value in (*cls, *_ADDED.get(cls, {})):  # not `values_of`: this may run while installed packages are loaded
            raise ValueError(f"A {cls.__name__.lower()} '{value}' already exists.")
        made = str.__new__(cls, value)
        made._value_, made._name_ = value, value.upper()
        made.label, made.line = label, line
        return made

    def add(self) -> Callable[[], None]:
        """Let the setting take this value; returns what takes it away again."""
        kind = type(self)
        _ADDED.setdefault(kind, {})[self.value] = self

        def undo() -> None:
            _ADDED[kind].pop(self.value, None)

        return undo

    @classmethod
    def _missing_(cls, value: object) -> OpenChoice | None:
        """Enumerations ask here for a value that they do not have."""
        return next((one for one in (*_installed(cls), *_ADDED.get(cls, {}).values()) if one.value == str(value)), None)


def values_of(kind: type[StrEnum]) -> tuple[StrEnum, ...]:
    """The values of an enumeration, with those of installed packages and those that were added to it.

    Raises:
        ConfigError: an installed package's cannot be loaded.
    """
    installed = _installed(kind) if issubclass(kind, OpenChoice) else ()
    return (*kind, *installed, *_ADDED.get(kind, {}).values())


def _installed(kind: type[OpenChoice]) -> tuple[OpenChoice, ...]:
    group = kind.entry_points()
    names = [row.name for row in installed_rows(group)] if group else []
    for name in names:
        if not isinstance(name, kind) or name in (*kind,):
            raise ConfigError(
                f"The entry point '{name}' of {group} needs a name made with {kind.__name__}.outside.",
                where=group,
            )
    return tuple(names)


class ChoiceNames(Sequence[str]):
    """The values of an enumeration as text, whenever they are asked for: for a table that is made at import."""

    def __init__(self, kind: type[StrEnum]) -> None:
        self._kind = kind

    def __len__(self) -> int:
        return len(values_of(self._kind))

    def __iter__(self) -> Iterator[str]:
        return (value.value for value in values_of(self._kind))

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return list(self)[place]
