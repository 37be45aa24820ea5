"""Names and first lines of the product and its tests, read from the sources; `python -m` lowers the allowances.

`house_style.json` holds what is still allowed of old habits in each folder. Numbers there only fall: run
`python -m tests.support.house_style` after you have lowered one, and it writes the lower number down.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PRODUCT = ("chunking", "components", "pages")
ALLOWANCES = Path(__file__).with_suffix(".json")
COLUMNS = 120
"""Of prose in Markdown."""
FIRST_LINE = 100
"""Characters of the first line of a docstring."""
BANNED = frozenset(
    {
        *("above", "applied", "around", "asked", "asker", "beside", "desk", "found", "given", "held", "known", "made"),
        *("near", "opened", "seen", "somebody", "stand", "strip", "taken", "told", "wanted", "way", "who", "whole"),
        "within",
    }
)
"""Participles, prepositions and fillers that name nothing by themselves (`taken` for a set, `told` for a message)."""

_TABLE_OR_CODE = re.compile(r"\s*(\||<|```|~~~|:::|\[[^\]]+\]:)")
_TARGET = re.compile(r"\]\([^)]*\)|https?://\S+")


def python_files(*folders: str) -> list[Path]:
    """All modules under some folders, in order."""
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


@cache
def syntax(path: Path) -> ast.Module:
    """The syntax tree of a module, parsed once."""
    return ast.parse(path.read_text(encoding="utf-8"))


def folder_of(path: Path) -> str:
    """The folder an allowance is for: two levels deep, so that each package has its own."""
    return "/".join(path.relative_to(ROOT).parts[:-1][:2]) or "."


def names(module: ast.Module) -> Iterator[tuple[str, int]]:
    """(name, line) of every function, parameter, variable and attribute that a module defines."""
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno


def banned_names(module: ast.Module) -> list[tuple[str, int]]:
    """Those of them that are banned, whatever underscores they have."""
    return [(name, line) for name, line in names(module) if name.strip("_") in BANNED]


def long_first_lines(module: ast.Module) -> list[tuple[str, int]]:
    """(name, line) of what is public and whose docstring does not begin with one line of at most `FIRST_LINE`."""
    public: list[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef] = [module]
    public += [
        node
        for node in ast.walk(module)
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_")
    ]
    docs = ((node, ast.get_docstring(node) or "") for node in public)
    return [
        (getattr(node, "name", "module"), getattr(node, "lineno", 1))
        for node, text in docs
        if "\n" in (paragraph := text.partition("\n\n")[0]) or len(paragraph) > FIRST_LINE
    ]


def long_lines(text: str) -> list[int]:
    """Lines of Markdown with more than `COLUMNS` columns of prose: no table, no code, the target of no link."""
    long, in_code = [], False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        if not in_code and not _TABLE_OR_CODE.match(line) and len(_TARGET.sub("", line)) > COLUMNS:
            long.append(number)
    return long


def markdown_files() -> list[Path]:
    """The pages that people write; reference tables in them are made from the code."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def counts() -> dict[str, dict[str, int]]:
    """What there is of each habit, by folder; Markdown by file."""
    habits: dict[str, Counter[str]] = {"banned names": Counter(), "first lines": Counter(), "columns": Counter()}
    for path in python_files(*PRODUCT, "tests"):
        habits["banned names"][folder_of(path)] += len(banned_names(syntax(path)))
    for path in python_files(*PRODUCT):
        habits["first lines"][folder_of(path)] += len(long_first_lines(syntax(path)))
    for path in markdown_files():
        habits["columns"][path.relative_to(ROOT).as_posix()] += len(long_lines(path.read_text(encoding="utf-8")))
    return {habit: {name: count for name, count in sorted(by.items()) if count} for habit, by in habits.items()}


def allowances() -> dict[str, dict[str, int]]:
    """The most there may be of each habit, by folder."""
    read: dict[str, dict[str, int]] = json.loads(ALLOWANCES.read_text(encoding="utf-8"))
    return read


def lower() -> None:
    """Write down the counts that are below their allowance."""
    now, most = counts(), allowances()
    lowered = {
        habit: {name: min(number, now[habit][name]) for name, number in by.items() if name in now[habit]}
        for habit, by in most.items()
    }
    ALLOWANCES.write_text(json.dumps(lowered, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    lower()
