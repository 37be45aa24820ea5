"""What a setting is: one field of a settings model, as a form, a command line, a file or a table needs it.

`config.py` has the settings themselves; this module knows how to read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import UnionType
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunking.errors import ConfigError

__all__ = ["Setting", "Settings", "knob", "read_settings", "sentence", "unknown_setting"]


class Settings(BaseModel):
    """Base of the settings models: frozen, and a name it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def knob(default: Any, title: str, help: str, *, unit: str = "", detail: bool = False, choices: Sequence[str] = (), **limits: Any) -> Any:
    """A setting: `detail` ones stand behind "More settings" in the form."""
    return Field(
        default=default,
        title=title,
        description=help,
        json_schema_extra={"unit": unit, "detail": detail, "choices": list(choices)},
        **limits,
    )


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as a form, a command line or a table needs it."""

    part: str
    name: str
    title: str
    help: str
    unit: str
    detail: bool
    """Stands behind "More settings"."""
    default: Any
    choices: tuple[str, ...]
    """Allowed values where they are few; empty otherwise."""
    many: bool
    """Any number of the choices may be picked."""
    type: type
    minimum: float | None
    maximum: float | None

    @property
    def key(self) -> str:
        """The name on the command line: no part before settings of `chunk`."""
        return self.name if self.part == "chunk" else f"{self.part}.{self.name}"

    def value(self, config: BaseModel) -> Any:
        return getattr(getattr(config, self.part), self.name)

    def text(self, config: BaseModel) -> str:
        """The value as the command line takes it."""
        value = self.value(config)
        if value is None:
            return ""
        if isinstance(value, tuple):
            return _levels_text(value) if self.name == "heading_levels" else ",".join(value) or "none"
        return str(value).lower() if isinstance(value, bool) else str(value)

    def plain(self, config: BaseModel) -> bool | int | float | str | None:
        """The value as YAML shows it; enumerations and tuples as their text."""
        value = self.value(config)
        return value if value is None or isinstance(value, (bool, int, float)) else self.text(config)


def read_settings(root: type[BaseModel]) -> Iterator[Setting]:
    """The settings of every part of `root`, in the order of their definition."""
    for part, holder in root.model_fields.items():
        model = holder.annotation
        assert isinstance(model, type)
        assert issubclass(model, BaseModel)
        for name, info in model.model_fields.items():
            inner = _inner_type(info.annotation)
            extra = info.json_schema_extra
            assert isinstance(extra, dict)  # every field is a knob
            choices: Any = extra["choices"]
            bounds = {type(limit).__name__: limit for limit in info.metadata}
            many = inner is tuple
            kind: Any = get_args(info.annotation)[0] if many else inner
            enum = isinstance(kind, type) and issubclass(kind, StrEnum)
            yield Setting(
                part=part,
                name=name,
                title=str(info.title),
                help=str(info.description),
                unit=str(extra["unit"]),
                detail=bool(extra["detail"]),
                default=info.default,
                choices=tuple(kind) if enum else tuple(choices),
                many=many,
                type=kind,
                minimum=getattr(bounds.get("Ge"), "ge", None),
                maximum=getattr(bounds.get("Le"), "le", None),
            )


def _inner_type(annotation: Any) -> Any:
    """`int | None` to int, `tuple[Keep, ...]` to tuple."""
    if isinstance(annotation, UnionType):
        annotation = next(arg for arg in get_args(annotation) if arg is not type(None))
    return getattr(annotation, "__origin__", annotation)


def _levels_text(levels: tuple[int, ...]) -> str:
    """`(1, 2, 3)` as `1-3`, `(1, 3)` as `1,3`."""
    low, high = levels[0], levels[-1]
    whole = len(levels) > 1 and levels == tuple(range(low, high + 1))
    return f"{low}-{high}" if whole else ",".join(map(str, levels))


def unknown_setting(key: str, known: Iterable[Setting]) -> ConfigError:
    """The error for a key that names no setting."""
    return ConfigError(f"There is no setting '{key}'; the settings are {', '.join(setting.key for setting in known)}.", where=key)


def sentence(error: ValidationError, known: Iterable[Setting]) -> ConfigError:
    """The first fault that pydantic found, as one sentence that names the key."""
    first = error.errors()[0]
    path = [str(step) for step in first["loc"]]
    key = ".".join(path[1:2] if path[:1] == ["chunk"] else path[:2])
    if first["type"] == "extra_forbidden":
        return unknown_setting(key, known)
    message = str(first["msg"]).removeprefix("Value error, ")
    if first["type"] == "value_error":
        head, colon, tail = message.partition(": ")
        key, message = (head, tail) if colon and head.isidentifier() else (key, message)
        return ConfigError(f"The setting {key} {message}.", where=key)
    message = message[0].lower() + message[1:]
    return ConfigError(f"The setting {key} is {first['input']!r}; its {message}.".replace("its input", "it"), where=key)
