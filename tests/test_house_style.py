"""Names, file names and first lines: rules of the house that a machine can hold."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from tests.support.house_style import (
    PRODUCT,
    ROOT,
    allowances,
    banned_names,
    counts,
    long_first_lines,
    long_lines,
    python_files,
    syntax,
)

ROLES = frozenset({"__init__", "__main__", "component", "panel", "reader"})
"""Module names of one role in many folders: a format's reader, a component's Python side, a panel of a page."""
FORMAT_PARTS = frozenset(
    {
        *(
            "cells",
            "charts",
            "comments",
            "containers",
            "elements",
            "furniture",
            "headings",
            "layout",
            "levels",
            "lines",
        ),
        *("numbering", "paragraphs", "styles", "tables"),
    }
)
"""Parts that several formats have: under `parsing/` these names may recur, each in the folder of its format."""
RECURRING = frozenset({"documents", "index_search", "samples", "search", "workspace"})
"""Module names that still recur: rename one and delete it here; never add one."""


def module_names() -> dict[str, list[str]]:
    """Files by module name. Pages are left out: their names are addresses in the browser."""
    files = defaultdict(list)
    for path in python_files("chunking", "components"):
        place = path.relative_to(ROOT).as_posix()
        is_part = path.stem in FORMAT_PARTS and place.startswith("chunking/parsing/")
        if path.stem not in ROLES and not is_part:
            files[path.stem].append(place)
    return files


def public_classes() -> dict[str, list[str]]:
    """Places of public classes by name."""
    places = defaultdict(list)
    for path in python_files(*PRODUCT):
        for node in syntax(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return places


def test_a_class_has_a_name_of_its_own() -> None:
    """A reader who meets a class name knows which class it is."""
    assert {name: places for name, places in public_classes().items() if len(places) > 1} == {}


def test_a_module_has_a_name_of_its_own() -> None:
    """A search for a file by name ends at one file."""
    recurring = {name: places for name, places in module_names().items() if len(places) > 1}
    assert {name: places for name, places in recurring.items() if name not in RECURRING} == {}


def test_names_that_no_longer_recur_leave_the_list() -> None:
    """The list of recurring module names only shrinks."""
    assert {name for name in RECURRING if len(module_names()[name]) < 2} == set()


@pytest.mark.parametrize("habit", ["banned names", "first lines", "columns"])
def test_old_habits_only_shrink(habit: str) -> None:
    """No folder has more than it is allowed; `python -m tests.support.house_style` writes lower numbers down."""
    most = allowances()[habit]
    assert {name: count for name, count in counts()[habit].items() if count > most.get(name, 0)} == {}


def test_a_banned_name_is_counted_wherever_it_is_defined() -> None:
    """As a function, parameter, variable or attribute, with underscores or without; not inside a longer name."""
    code = "def told(asked): ...\n_made = found_page = 1\nx.held = [whole for whole in y]\nx.strip()"
    assert {name for name, _ in banned_names(ast.parse(code))} == {"told", "asked", "_made", "held", "whole"}


def test_a_first_line_is_one_short_line() -> None:
    """Of public names only; further paragraphs may be as long as they need."""
    code = f'''
def short():
    """Pack.

    {"x" * 200}
    """
def long():
    """{"x" * 101}"""
def wrapped():
    """Pack a
    document.
    """
def _private():
    """{"x" * 101}"""
'''
    assert [name for name, _ in long_first_lines(ast.parse(code))] == ["long", "wrapped"]


def test_columns_are_those_of_prose() -> None:
    """A table, a block of code and a link do not count."""
    lines = ["x " * 61, "| " + "x " * 61, "```", "x " * 61, "```", f"see [this](https://example.org/{'x' * 120}) page"]
    assert long_lines("\n".join(lines)) == [1]


def test_the_folders_are_there() -> None:
    """The rules read sources, and would hold for none."""
    assert all(Path(ROOT / folder).is_dir() for folder in PRODUCT)
