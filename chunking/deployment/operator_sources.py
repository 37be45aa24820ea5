"""Operator settings from environment variables and a TOML file, and the source of each value.

A variable (`CHUNKSCOPE_MODE`; for allowed names `CHUNKSCOPE_ALLOW_MODELS`) wins over the file's line (`mode = "team"`
under `[sharing]`). The file is the one that `CHUNKSCOPE_SETTINGS` names, else `chunkscope.toml` in the home folder, if
it exists.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from chunking.config.settings import Setting, read_settings
from chunking.deployment.operator_settings import NO_FOLDER, OperatorSettings
from chunking.errors import ConfigError
from chunking.paths import DATA

__all__ = ["operator_rows", "operator_settings", "settings_sources", "variable"]

_FILE = "chunkscope.toml"
_PREFIX = "CHUNKSCOPE_"
_WORKSPACE = f"{_PREFIX}WORKSPACE"
"""Variable of the workspace in the mode local."""


@dataclass(frozen=True, slots=True)
class _Given:
    """A value and its source, for error messages."""

    value: Any
    place: str


def operator_rows() -> tuple[Setting, ...]:
    """Return every operator setting, in the order of definition."""
    return tuple(read_settings(OperatorSettings))


def variable(row: Setting) -> str:
    """Return the environment variable of a setting.

    Allowed names have the prefix ALLOW, as `CHUNKSCOPE_MODELS` and `CHUNKSCOPE_SPLITTERS` are paths.

    >>> variable(operator_rows()[0]), variable(operator_rows()[-1])
    ('CHUNKSCOPE_MODE', 'CHUNKSCOPE_ALLOW_FOLDERS')
    """
    return f"{_PREFIX}{'ALLOW_' if row.part == 'allow' else ''}{row.name.upper()}"


def operator_settings(environment: Mapping[str, str] | None = None) -> OperatorSettings:
    """Read the settings of this deployment from the environment and a TOML file, anew each time.

    The file is that of `CHUNKSCOPE_SETTINGS`, else `chunkscope.toml` in the home folder; a variable wins over it.
    Unknown variables are ignored.

    Args:
        environment: replaces that of the process.
    Raises:
        ConfigError: a setting of the file is unknown, or a value is of a wrong type or out of range; the message names
            the variable, or the setting and its file.
    """
    environment = os.environ if environment is None else environment
    values = _everything_given(environment)
    parts: dict[str, dict[str, Any]] = {part: {} for part in OperatorSettings.model_fields}
    for (part, name), one in values.items():
        parts[part][name] = one.value
    parts["sharing"].setdefault("home", str(_home(environment)))
    workspace = environment.get(_WORKSPACE, "")
    if "://" in workspace:
        raise ConfigError(f"{_WORKSPACE} is {workspace!r}; {NO_FOLDER}.", where=_WORKSPACE)
    try:
        return OperatorSettings.model_validate(parts)
    except ValidationError as error:
        first = error.errors()[0]
        part, name = (str(step) for step in first["loc"][:2])
        place = values[part, name].place
        raise ConfigError(f"{place} is {first['input']!r}; {_said(first['msg'])}.", where=place) from error


def settings_sources(environment: Mapping[str, str] | None = None) -> dict[tuple[str, str], str]:
    """Return the source of each configured setting by (part, name).

    A source is a variable's name, or `part.name in FILE`. Settings at their defaults are missing.

    Args:
        environment: replaces that of the process.
    Raises:
        ConfigError: the file cannot be read, or has an unknown setting.
    """
    return {
        key: one.place for key, one in _everything_given(os.environ if environment is None else environment).items()
    }


def _everything_given(environment: Mapping[str, str]) -> dict[tuple[str, str], _Given]:
    file = _file(environment)
    values = _of_file(file) if file else {}
    for row in operator_rows():
        text = environment.get(variable(row), "")
        if text:
            values[row.part, row.name] = _Given(text, variable(row))
    return values


def _said(message: str) -> str:
    """Rephrase pydantic's error for the end of a sentence.

    >>> _said("Input should be greater than 0")
    'it should be greater than 0'
    >>> _said("Input should be a valid integer, unable to parse string as an integer")
    'it should be a valid integer'
    """
    message = message.removeprefix("Value error, ").split(", unable to parse")[0]
    return f"it{message.removeprefix('Input')}" if message.startswith("Input") else message[0].lower() + message[1:]


def _file(environment: Mapping[str, str]) -> Path | None:
    named = environment.get(f"{_PREFIX}SETTINGS", "")
    if named:
        return Path(named)
    there = _home(environment) / _FILE
    return there if there.is_file() else None


def _home(environment: Mapping[str, str]) -> Path:
    """Return the home folder, before its settings file is read."""
    named, workspace = environment.get(f"{_PREFIX}HOME"), environment.get(_WORKSPACE, "")
    beside_workspace = Path(workspace).parent if workspace else None
    return Path(named) if named else beside_workspace or DATA


def _of_file(file: Path) -> dict[tuple[str, str], _Given]:
    """Read the settings of a TOML file, by part and name."""
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        message = (
            f"The operator's settings {file} cannot be read ({error.strerror}); give the path of a TOML file in "
            f"{_PREFIX}SETTINGS."
        )
        raise ConfigError(message, where=str(file)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"The operator's settings {file} are not TOML: {error}.", where=str(file)) from error
    row_names = {(row.part, row.name) for row in operator_rows()}
    rows: dict[tuple[str, str], _Given] = {}
    for part, values in read.items():
        if part not in OperatorSettings.model_fields or not isinstance(values, dict):
            raise _unknown(file, part, OperatorSettings.model_fields)
        for name, value in values.items():
            if (part, name) not in row_names:
                raise _unknown(file, f"{part}.{name}", [f"{part}.{name}" for part, name in row_names])
            rows[part, name] = _Given(value, f"{part}.{name} in {file}")
    return rows


def _unknown(file: Path, key: str, row_names: Any) -> ConfigError:
    matches = get_close_matches(key, list(row_names), 1)
    tell = f"did you mean {matches[0]}" if matches else f"the tables are {', '.join(OperatorSettings.model_fields)}"
    return ConfigError(f"The operator's settings {file} have '{key}', which is not a setting; {tell}.", where=key)
