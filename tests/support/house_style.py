"""House style of names, first docstring lines and Markdown; `python -m` lowers the allowances.

`house_style.json` holds the allowed number of old habits by folder. Numbers only fall: after fixing some, run
`python -m tests.support.house_style` to write the lower ones.
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
"""Maximum columns of prose in Markdown."""
FIRST_LINE = 100
"""Maximum characters of a docstring's first line."""
BANNED = frozenset(
    {
        *("above", "applied", "around", "asked", "asker", "beside", "desk", "found", "given", "held", "known", "made"),
        *("near", "opened", "seen", "somebody", "stand", "strip", "taken", "told", "wanted", "way", "who", "whole"),
        "within",
    }
)
"""Participles, prepositions and fillers that are no names (`taken` for a set, `told` for a message)."""

_TABLE_OR_CODE = re.compile(r"\s*(\||<|```|~~~|:::|\[[^\]]+\]:)")
_TARGET = re.compile(r"\]\([^)]*\)|https?://\S+")


def python_files(*folders: str) -> list[Path]:
    """Return all modules in some folders, in order."""
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


@cache
def syntax(path: Path) -> ast.Module:
    """Return the cached syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def folder_of(path: Path) -> str:
    """Return the folder of an allowance: two levels deep, so that each package has its own."""
    return "/".join(path.relative_to(ROOT).parts[:-1][:2]) or "."


def names(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield (name, line) of every function, parameter, variable and attribute that a module defines."""
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
    """Return the banned names of a module, ignoring underscores at their ends."""
    return [(name, line) for name, line in names(module) if name.strip("_") in BANNED]


def long_first_lines(module: ast.Module) -> list[tuple[str, int]]:
    """Return (name, line) of public docstrings without a first line of at most `FIRST_LINE` characters."""
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
    """Return the numbers of Markdown lines with too long prose; tables, code and links are ignored."""
    long, in_code = [], False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        if not in_code and not _TABLE_OR_CODE.match(line) and len(_TARGET.sub("", line)) > COLUMNS:
            long.append(number)
    return long


def markdown_files() -> list[Path]:
    """Return the handwritten pages, with their generated tables."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def counts() -> dict[str, dict[str, int]]:
    """Count each habit by folder; in Markdown by file."""
    habits: dict[str, Counter[str]] = {"banned names": Counter(), "first lines": Counter(), "columns": Counter()}
    for path in python_files(*PRODUCT, "tests"):
        habits["banned names"][folder_of(path)] += len(banned_names(syntax(path)))
    for path in python_files(*PRODUCT):
        habits["first lines"][folder_of(path)] += len(long_first_lines(syntax(path)))
    for path in markdown_files():
        habits["columns"][path.relative_to(ROOT).as_posix()] += len(long_lines(path.read_text(encoding="utf-8")))
    return {habit: {name: count for name, count in sorted(by.items()) if count} for habit, by in habits.items()}


def allowances() -> dict[str, dict[str, int]]:
    """Load the allowed number of each habit by folder."""
    read: dict[str, dict[str, int]] = json.loads(ALLOWANCES.read_text(encoding="utf-8"))
    return read


def lower() -> None:
    """Write the counts that are below their allowance."""
    now, most = counts(), allowances()
    lowered = {
        habit: {name: min(number, now[habit][name]) for name, number in by.items() if name in now[habit]}
        for habit, by in most.items()
    }
    ALLOWANCES.write_text(json.dumps(lowered, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    lower()
