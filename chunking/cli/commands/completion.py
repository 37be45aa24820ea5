"""The command `completion`: shell completion scripts, generated from the table of arguments."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.cli.arguments.argument_table import COMMANDS
from chunking.cli.running import words_of
from chunking.cli.streams import write

__all__ = ["SHELLS", "completion"]

_FILES = frozenset({"F", "FILE", "PATH", "DIR", "FOLDER", "DEST", "BACKUP", "A.json", "B.json"})
"""Metavars of arguments that are files or folders."""
_SETTINGS = ("--set", "--grid")
"""Options whose values begin with a setting's key."""
_HELP = 70
"""Maximum characters of an explanation in a completion menu."""


@dataclass(frozen=True, slots=True)
class _Argument:
    """Argument of a command, as completion scripts need it."""

    name: str
    """`--option`, or the metavar of a positional."""
    help: str
    values: tuple[str, ...]
    """Possible values; empty: any."""
    is_option: bool
    takes_value: bool
    repeats: bool
    is_file: bool

    @property
    def opens(self) -> bool:
        """True if a value ends with an equals sign, so that more is typed after it."""
        return any(value.endswith("=") for value in self.values)


@dataclass(frozen=True, slots=True)
class _CommandWords:
    """Command with its arguments."""

    name: str
    help: str
    arguments: tuple[_Argument, ...]

    @property
    def options(self) -> tuple[_Argument, ...]:
        return tuple(one for one in self.arguments if one.is_option)

    @property
    def positional(self) -> tuple[_Argument, ...]:
        return tuple(one for one in self.arguments if not one.is_option)


def completion(arguments: argparse.Namespace) -> int:
    """Print a shell's completion script for all commands, their options and their values."""
    every = [
        _CommandWords(command.name, _short(command.help), tuple(_argument(*word) for word in words_of(command)))
        for command in COMMANDS
    ]
    write("".join(f"{line}\n" for line in SHELLS[arguments.shell](every)))
    return 0


def _argument(names: tuple[str, ...], options: dict[str, Any]) -> _Argument:
    is_option = names[-1].startswith("-")
    metavar = options.get("metavar", names[-1])
    flag = options.get("action") in ("store_true", "store_false")
    return _Argument(
        name=names[-1] if is_option else str(metavar),
        help=_short(options.get("help", "")),
        values=tuple(_setting_keys()) if names[-1] in _SETTINGS else tuple(options.get("choices") or ()),
        is_option=is_option,
        takes_value=not flag,
        repeats=options.get("action") in ("append", "extend") or options.get("nargs") in ("+", "*"),
        is_file=metavar in _FILES,
    )


def _setting_keys() -> Iterator[str]:
    from chunking.config import settings

    return (f"{setting.key}=" for setting in settings())


def _short(help_text: str) -> str:
    """Return the first part of a help text, without parentheses."""
    first = re.split("[;:]", re.sub(r" \([^()]*\)", "", help_text), maxsplit=1)[0]
    return first if len(first) <= _HELP else f"{first[: _HELP - 1].rsplit(' ', 1)[0]}…"


def _words(choices: Iterable[str]) -> str:
    return " ".join(choices)


# -- bash


def _bash(commands: Sequence[_CommandWords]) -> Iterator[str]:
    """Yield the bash script: words from `compgen`; bash itself completes files."""
    yield "# Completes chunkscope in bash: source <(chunkscope completion bash)"
    yield "_chunkscope() {"
    yield '    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words=""'
    yield '    case "$COMP_CWORD ${COMP_WORDS[1]} $previous" in'
    yield f'        "1 "*) words="{_words(one.name for one in commands)}" ;;'
    for command in commands:
        for one in command.options:
            if one.takes_value:
                nospace = " compopt -o nospace 2>/dev/null;" if one.opens else ""
                yield f'        *" {command.name} {one.name}") words="{_words(one.values)}";{nospace} ;;'
        for one in command.positional[:1]:
            if one.values:
                yield f'        "2 {command.name} "*) words="{_words(one.values)}" ;;'
        yield (
            f'        *" {command.name} "*) [[ $current == -* ]] && '
            f'words="{_words(one.name for one in command.options)}" ;;'
        )
    yield "    esac"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$current"))'
    yield "}"
    yield "complete -o default -F _chunkscope chunkscope"


# -- zsh


def _zsh(commands: Sequence[_CommandWords]) -> Iterator[str]:
    """Yield the zsh script: specifications of `_arguments`, with explanations."""
    yield "#compdef chunkscope"
    yield "# Completes chunkscope in zsh: source <(chunkscope completion zsh)"
    yield "_chunkscope() {"
    yield "  local -a commands"
    yield "  commands=("
    yield from (f"    {_quote(one.name + ':' + one.help)}" for one in commands)
    yield "  )"
    yield "  if (( CURRENT == 2 )); then"
    yield "    _describe -t commands command commands"
    yield "    return"
    yield "  fi"
    yield "  local command=${words[2]}"
    yield "  shift words"
    yield "  (( CURRENT-- ))"
    yield "  case $command in"
    for command in commands:
        specs = [
            *map(_zsh_option, command.options),
            *(_zsh_positional(one, place) for place, one in enumerate(command.positional, 1)),
        ]
        yield f"    {command.name}) _arguments {' '.join(specs)} ;;"
    yield "  esac"
    yield "}"
    yield 'if [[ ${funcstack[1]} == _chunkscope ]]; then _chunkscope "$@"; else compdef _chunkscope chunkscope; fi'


def _zsh_option(one: _Argument) -> str:
    """Return `*--option[help]:name:action`; the star marks a repeatable option."""
    return _quote(
        f"{'*' if one.repeats else ''}{one.name}[{_zsh_text(one.help)}]{_zsh_value(one) if one.takes_value else ''}"
    )


def _zsh_positional(one: _Argument, place: int) -> str:
    """Return `place:name:action`; a star in place of the number stands for all arguments that follow."""
    return _quote(f"{'*' if one.repeats else place}{_zsh_value(one)}")


def _zsh_value(one: _Argument) -> str:
    values = _words(map(_zsh_text, one.values))
    choices = f'compadd -S "" - {values}' if one.opens else f"({values})"
    action = choices if one.values else "_files" if one.is_file else " "
    return f":{_zsh_text(one.name.lstrip('-'))}:{action}"


def _zsh_text(text: str) -> str:
    """Escape the characters that `_arguments` interprets."""
    return "".join(f"\\{letter}" if letter in "\\:[]" else letter for letter in text)


# -- fish


def _fish(commands: Sequence[_CommandWords]) -> Iterator[str]:
    """Yield the fish script: one `complete` per word."""
    yield "# Completes chunkscope in fish: chunkscope completion fish | source"
    for command in commands:
        yield f"complete -c chunkscope -n __fish_use_subcommand -f -a {command.name} -d {_quote(command.help)}"
    for command in commands:
        head = f"complete -c chunkscope -n '__fish_seen_subcommand_from {command.name}'"
        for one in command.options:
            yield f"{head} -l {one.name.lstrip('-')}{_fish_value(one)} -d {_quote(one.help)}"
        for one in command.positional:
            if one.values:
                yield f"{head} -f -a '{_words(one.values)}'"


def _fish_value(one: _Argument) -> str:
    if not one.takes_value:
        return ""
    return f" -x -a '{_words(one.values)}'" if one.values else " -r -F" if one.is_file else " -x"


def _quote(text: str) -> str:
    """Quote a text in single quotes, for zsh and fish."""
    return "'" + text.replace("'", "'\\''") + "'"


SHELLS: dict[str, Callable[[Sequence[_CommandWords]], Iterator[str]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""Shell names and the functions that generate their scripts."""
