"""Types of the command table: a command, its arguments, and options computed when its parser is built.

Rows name functions instead of importing them, and options that depend on the settings are functions, called when the
parser of their command is made: `chunkscope --help` loads neither the settings nor a command.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunking.config.settings import Setting

__all__ = [
    "Command",
    "Word",
    "choices_of",
    "encoding",
    "export_help",
    "export_names",
    "margin_help",
    "margin_unit",
    "parser",
    "parsers_help",
    "path",
    "retrieval",
    "settings_help",
    "syntaxes",
    "word",
    "writer_help",
    "writer_names",
]

Word = tuple[tuple[str, ...], dict[str, Any]]
"""Names and options of an argument, as `ArgumentParser.add_argument` takes them."""
_COMPUTED = frozenset({"choices", "help", "metavar"})
"""Argument options that may be functions in the table."""


@dataclass(frozen=True, slots=True)
class Command:
    """Row of the command table: name, help, function and arguments."""

    name: str
    help: str
    function: str
    """`module.function` of `chunking.cli.commands`, imported when the command runs."""
    table: tuple[Word, ...]
    """Arguments as the table holds them: some options are still functions."""

    @property
    def words(self) -> tuple[Word, ...]:
        """Arguments of the command, with functions for choices, help and metavar called."""
        return tuple(
            (names, {key: value() if key in _COMPUTED and callable(value) else value for key, value in options.items()})
            for names, options in self.table
        )

    def run(self, arguments: argparse.Namespace) -> int:
        """Import the command's function and call it; returns the exit code."""
        module, _, name = self.function.partition(".")
        return int(getattr(import_module(f"chunking.cli.commands.{module}"), name)(arguments))


def word(*names: str, **options: Any) -> Word:
    """Return a row of an argument: its names, and its options for `add_argument`."""
    return names, options


# -- types


def path(text: str) -> Path:
    """Return a path; reject empty text, which would mean the current folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("a path must not be empty")
    return Path(text)


def encoding(text: str) -> str:
    """Return a text encoding's name unchanged; reject one that Python does not know."""
    from chunking.parsing.detection.encoding import makes_text

    if not makes_text(text):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a known encoding; give one such as utf-8, gb18030, cp1252 or cp866"
        )
    return text


def parser(text: str) -> str:
    """Return the name of a parser unchanged; reject one that cannot read files here."""
    from chunking.errors import ChunkscopeError
    from chunking.parsing import parser_named

    try:
        return parser_named(text).name
    except ChunkscopeError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def retrieval(text: str) -> str:
    """Return a retrieval mode, with a former name replaced by the current one."""
    from chunking.config.renamed_settings import current_pair

    return current_pair(f"search.retrieval={text}").partition("=")[2]


# -- computed options


def choices_of(name: str) -> Callable[[], object]:
    """Return a function that lists an enumeration of `chunking.config`, with plugins' values."""

    def names() -> object:
        from chunking.config.choices import ChoiceNames

        return ChoiceNames(getattr(import_module("chunking.config"), name))

    return names


def syntaxes() -> list[str]:
    """Return the values of `--syntax`."""
    from chunking.config import QuerySyntax

    return [one.value for one in QuerySyntax]


def settings_help() -> str:
    """Return the help text of `--set`, with every setting's key."""
    from chunking.config import settings

    keys = f"{', '.join(setting.key for setting in settings())}; or category.NAME.KEY for the documents of a category"
    return f"change one setting (repeatable): {keys}"


def parsers_help() -> str:
    """Return the help text of `--parser`, with the parsers that can read files here."""
    from chunking.parsing import PARSERS

    names = ", ".join(row.name for row in PARSERS if row.is_offered)
    return (
        f"the parser that reads the files ({names}); default: that of the document or of the workspace, else built-in"
    )


def margin_unit() -> str:
    """Return the unit of `--margin` in capitals, as its metavar."""
    return _margin().unit.upper()


def margin_help() -> str:
    """Return the help text of `--margin`."""
    row = _margin()
    return f"{row.help[0].lower()}{row.help[1:].removesuffix('.')}; default: {row.default:g}"


def _margin() -> Setting:
    from chunking.config import margin_setting

    return margin_setting()


def export_names() -> list[str]:
    """Return the names of all exports."""
    from chunking.export.export_table import EXPORTS

    return [row.name for row in EXPORTS]


def export_help() -> str:
    """Return the help text of `export`: each export's name and description."""
    from chunking.export.export_table import EXPORTS

    return "; ".join(f"{row.name}: {row.help}" for row in EXPORTS)


def writer_names() -> list[str]:
    """Return the names of the vector stores that `write` knows."""
    from chunking.integrations.writers.writer_table import WRITERS

    return [row.name for row in WRITERS]


def writer_help() -> str:
    """Return the help text of `write`: each store's name and description."""
    from chunking.integrations.writers.writer_table import WRITERS

    return "; ".join(f"{row.name}: {row.help}" for row in WRITERS)
