"""The table of replaced internals names all of them, and they are few."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import components.streamlit_patches

ROOT = Path(__file__).parents[3]
FOREIGN = ("streamlit", "starlette", "uvicorn")
FLAGS = {"PagesManager.uses_pages_directory"}
"""Values of a flag, which replace nothing."""
MOST = 13


def replaced(file: Path) -> set[str]:
    """Attributes of names imported from these packages that a module assigns, such as `AppSession.handle_backmsg`."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    foreign = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in FOREIGN
        for alias in node.names
    }
    return {
        ast.unparse(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id in foreign
    }


def test_the_table_names_every_replaced_internal() -> None:
    """Whatever folder replaces it."""
    files = [file for folder in ("components", "hosting", "pages") for file in (ROOT / folder).rglob("*.py")]
    targets = {target for file in files for target in replaced(file)} - FLAGS
    table, _, _ = (components.streamlit_patches.__doc__ or "").partition("Dropped")
    assert set(re.findall(r"^  (\w+\.\w+) ", table, re.M)) == targets
    assert len(targets) <= MOST
