"""Metadata of a setting, read from a field of a settings model, and parsing of its text forms.

The other modules of the package define the settings themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunking.config.choices import OpenChoice, values_of
from chunking.errors import ConfigError

__all__ = [
    "AUTO",
    "Overrides",
    "Setting",
    "Settings",
    "category_key",
    "change",
    "count_or_auto",
    "heading_levels",
    "knob",
    "multiples",
    "overrides",
    "read_settings",
    "sentence",
    "some_of",
    "unknown_setting",
]

Overrides = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
"""Setting overrides by category as text: (category, ((setting, value), …)), both sorted by name."""
_CATEGORY = "category."
_LONGEST_NAME = 60
_MOST_CATEGORIES = 50
"""Maximum number of categories: each validates all chunk settings whenever a configuration is made."""
_MOST_SHOWN = 200
"""Maximum characters of a given value in an error message."""
AUTO = "auto"
"""Value of a setting that leaves its number to each case."""


class Settings(BaseModel):
    """Base of the settings models: frozen, and unknown names are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def knob(
    default: Any,
    title: str,
    help: str,
    *,
    unit: str = "",
    detail: bool = False,
    choices: Sequence[str] = (),
    **limits: Any,
) -> Any:
    """Return a pydantic field for a setting; `detail` puts it under "More settings" in the form.

    Args:
        choices: the few allowed values, for a form, if the type is no enumeration.
        limits: pydantic's constraints, such as `ge`, `le` and `max_length`.
    """
    return Field(
        default=default,
        title=title,
        description=help,
        json_schema_extra={"unit": unit, "detail": detail, "choices": list(choices)},
        **limits,
    )


@dataclass(frozen=True, slots=True)
class Setting:
    """Metadata of one setting for a form, a command line or a table."""

    part: str
    name: str
    title: str
    text_of_help: str
    """Help text without the lines of the choices."""
    unit: str
    detail: bool
    """True if the form shows it under "More settings"."""
    default: Any
    listed: tuple[str, ...]
    """Allowed values if they are few and no enumeration; else empty."""
    many: bool
    """True if any number of the choices may be selected."""
    type: type
    minimum: float | None
    maximum: float | None
    words: tuple[str, ...] = ()
    """Values besides numbers, such as `auto`."""

    @property
    def key(self) -> str:
        """Name on the command line: settings of `chunk` have no part before the name."""
        return self.name if self.part == "chunk" else f"{self.part}.{self.name}"

    @property
    def choices(self) -> tuple[str, ...]:
        """Allowed values of an enumeration, added ones included, or of a short list; else empty."""
        return values_of(self.type) if issubclass(self.type, StrEnum) else self.listed

    @property
    def help(self) -> str:
        """Help text, followed by the help lines of choices that have them."""
        lines = [f"{choice}: {choice.line}." for choice in self.choices if isinstance(choice, OpenChoice)]
        return " ".join([self.text_of_help, *lines])

    def value(self, config: BaseModel) -> Any:
        """Return the value that a configuration has."""
        return getattr(getattr(config, self.part), self.name)

    def text(self, config: BaseModel) -> str:
        """Return the value as on the command line."""
        value = self.value(config)
        if value is None:
            return ""
        if isinstance(value, tuple):
            return _levels_text(value) if self.name == "heading_levels" else ",".join(map(str, value)) or "none"
        return str(value).lower() if isinstance(value, bool) else str(value)

    def plain(self, config: BaseModel) -> bool | int | float | str | None:
        """Return the value as in YAML; enumerations and tuples as text."""
        value = self.value(config)
        return value if value is None or isinstance(value, (bool, int, float)) else self.text(config)


def read_settings(root: type[BaseModel]) -> Iterator[Setting]:
    """Yield the settings of every part of `root`, in the order of their definition."""
    for part, holder in root.model_fields.items():
        model = holder.annotation
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            continue  # the settings of categories are those of `chunk` once more
        for name, info in model.model_fields.items():
            inner = _inner_type(info.annotation)
            extra = info.json_schema_extra
            assert isinstance(extra, dict)  # every field is a knob
            choices: Any = extra["choices"]
            arms = _arms(info.annotation)
            limits = [limit for arm in arms for one in getattr(arm, "__metadata__", ()) for limit in one.metadata]
            bounds = {type(limit).__name__: limit for limit in (*info.metadata, *limits)}
            many = inner is tuple
            kind: Any = get_args(info.annotation)[0] if many else inner
            yield Setting(
                part=part,
                name=name,
                title=str(info.title),
                text_of_help=str(info.description),
                unit=str(extra["unit"]),
                detail=bool(extra["detail"]),
                default=info.default,
                listed=tuple(choices),
                many=many,
                type=kind,
                minimum=getattr(bounds.get("Ge"), "ge", None),
                maximum=getattr(bounds.get("Le"), "le", None),
                words=tuple(word for arm in arms if get_origin(arm) is Literal for word in get_args(arm)),
            )


def _arms(annotation: Any) -> tuple[Any, ...]:
    """Return the types of a union; of any other annotation, it alone."""
    is_union = isinstance(annotation, UnionType) or get_origin(annotation) is Union
    return get_args(annotation) if is_union else (annotation,)


def _inner_type(annotation: Any) -> Any:
    """Reduce `int | None` to int, `Annotated[int, ...] | Literal["auto"]` to int, `tuple[Keep, ...]` to tuple."""
    annotation = next(arg for arg in _arms(annotation) if arg is not type(None))
    return getattr(annotation, "__origin__", annotation)


def some_of(kinds: type[StrEnum]) -> Callable[[object], object]:
    """Return a validator that converts text such as `code,table` or `none` to a tuple of values.

    The tuple has the order of the enumeration, without duplicates. The validator also takes lists and sets, returns any
    other type unchanged, and raises ValueError for an unknown value.
    """

    def read(value: object) -> object:
        names = [name.strip() for name in value.split(",")] if isinstance(value, str) else value
        if not isinstance(names, (list, tuple, set, frozenset)):
            return value
        chosen = {str(name) for name in names if name not in ("", "none")}
        values = values_of(kinds)
        unknown = chosen - {kind.value for kind in values}
        if unknown:
            raise ValueError(f"has no value '{min(unknown)}'; the values are {', '.join(values)}, or none")
        return tuple(kind for kind in values if kind.value in chosen)

    return read


def count_or_auto(value: object) -> object:
    """Check that a text is a number or `auto`; other types stay unchanged.

    Raises:
        ValueError: the text is neither.
    >>> count_or_auto(" Auto "), count_or_auto("2"), count_or_auto(2)
    ('auto', '2', 2)
    """
    if not isinstance(value, str):
        return value
    text = value.strip().lower()
    if text != AUTO and not re.fullmatch(r"[+-]?[0-9]{1,9}", text):
        raise ValueError(f"is '{_cut(value)}'; give a number of chunks, or {AUTO}")
    return text


def heading_levels(value: object) -> object:
    """Read heading levels such as `1-3` or `1,2`, a number or a list, as a sorted tuple.

    Other types stay unchanged.

    Raises:
        ValueError: a level is not from 1 to 6, or a range runs backwards.
    >>> heading_levels("1-3,5")
    (1, 2, 3, 5)
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, (list, tuple)) and value:
        value = ",".join(map(str, value))
    if not isinstance(value, str):
        return value
    levels: set[int] = set()
    for part in value.split(","):
        match = re.fullmatch(r"\s*([1-6])\s*(?:-\s*([1-6])\s*)?", part)
        if not match or int(match[2] or match[1]) < int(match[1]):
            raise ValueError(f"is '{value}'; give levels from 1 to 6, such as 1-6, 1-3 or 1,2")
        levels.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(sorted(levels))


def multiples(value: object) -> object:
    """Read multiples of the size, as text (`2,4`, `none`), a number or a list, as a sorted tuple.

    Other types stay unchanged.

    Raises:
        ValueError: a multiple is not from 2 to 8.
    >>> multiples("4,2"), multiples("none")
    ((2, 4), ())
    """
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    names = [name.strip() for name in text.split(",")] if isinstance(text, str) else text
    if not isinstance(names, (list, tuple)):
        return value
    chosen = {str(name) for name in names if str(name) not in ("", "none")}
    if not chosen <= set("2345678"):
        raise ValueError(f"is '{value}'; give multiples of the size from 2 to 8, such as 2 or 2,4, or none")
    return tuple(sorted(int(name) for name in chosen))


def _levels_text(levels: tuple[int, ...]) -> str:
    """Format `(1, 2, 3)` as `1-3`, `(1, 3)` as `1,3`."""
    low, high = levels[0], levels[-1]
    is_range = len(levels) > 1 and levels == tuple(range(low, high + 1))
    return f"{low}-{high}" if is_range else ",".join(map(str, levels))


def unknown_setting(key: str, settings: Iterable[Setting]) -> ConfigError:
    """Return the error for a key that names no setting; it lists the keys of `settings`."""
    return ConfigError(
        f"There is no setting '{key[:_MOST_SHOWN]}'; the settings are {', '.join(row.key for row in settings)}.",
        where=key,
    )


def category_key(key: str) -> tuple[str, str] | None:
    """Split a key of a category's setting into (category, setting); None for any other key.

    >>> category_key("category.api.size"), category_key("search.k")
    (('api', 'size'), None)
    """
    category, dot, name = key.removeprefix(_CATEGORY).rpartition(".")
    return (category, name) if key.startswith(_CATEGORY) and dot else None


def change(settings: dict[str, Any], name: str, value: object, *, clears: bool) -> None:
    """Put a setting into a category's settings, which are changed in place, or remove it.

    Args:
        clears: True if the value "" removes the setting; else it is stored like any other.
    """
    if value == "" and clears:
        settings.pop(name, None)
    else:
        settings[name] = value


def overrides(source: object) -> Overrides:
    """Normalise the settings of categories, from YAML mappings or from the normal form.

    Raises:
        ValueError: not a mapping of names to mappings, too many categories, or an invalid name.

    >>> overrides({"api": {"size": 400, "keep_whole": ["code"]}, "faq": None})
    (('api', (('keep_whole', 'code'), ('size', '400'))),)
    """
    by_category: dict[str, tuple[tuple[str, str], ...]] = {}
    pairs = _pairs(source)
    if len(pairs) > _MOST_CATEGORIES:
        raise ValueError(f"has settings for {len(pairs):,} categories; the limit is {_MOST_CATEGORIES}; leave some out")
    for name, changes in pairs:
        if not name.strip() or set(name) & set(".=\n") or len(name) > _LONGEST_NAME:
            raise ValueError(
                f"has a category '{name[:_LONGEST_NAME]}'; give it a short name without a dot or an equals sign"
            )
        by_category[name] = tuple(sorted((key, _as_text(value)) for key, value in _pairs(changes)))
    return tuple(sorted((name, changes) for name, changes in by_category.items() if changes))


def _pairs(source: object) -> list[tuple[str, object]]:
    if source is None:
        return []
    pairs = list(source.items()) if isinstance(source, Mapping) else source
    if not isinstance(pairs, (list, tuple)) or not all(
        isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs
    ):
        raise ValueError("must hold category names with settings under each, such as api: {size: 400}")
    return [(str(key), value) for key, value in pairs]


def _as_text(value: object) -> str:
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(map(str, value)) or "none"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def sentence(error: ValidationError, settings: Iterable[Setting], *, prefix: str = "") -> ConfigError:
    """Turn pydantic's first error into a one-sentence ConfigError that names the key.

    Args:
        prefix: put before the key, for a category's setting.
    """
    first = error.errors()[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, ConfigError):
        return cause
    path = [str(step) for step in first["loc"]]
    key = ".".join(path[1:2] if path[:1] == ["chunk"] else path[:2])
    if first["type"] == "extra_forbidden":
        return unknown_setting(prefix + key, settings)
    message = str(first["msg"]).removeprefix("Value error, ")
    if first["type"] == "value_error":
        head, colon, tail = message.partition(": ")
        key, message = (head, tail) if colon and head.isidentifier() else (key, message)
        return ConfigError(f"The setting {prefix}{key} {message}.", where=prefix + key)
    message = message[0].lower() + message[1:]
    error_text = f"The setting {prefix}{key} is {_shown(first['input'])}; its {message}."
    return ConfigError(error_text.replace("its input", "it"), where=prefix + key)


def _shown(value: object) -> str:
    """Format a wrong value, shortened for an error message."""
    try:
        text = repr(value)
    except ValueError:  # Python writes out no number of more than 4,300 digits
        return "a number that is too long"
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
