"""Rules of the tests themselves, held by reading their sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.wording import product_runs, quotations

ROOT = Path(__file__).parent.parent
TESTS = sorted((ROOT / "tests").rglob("*.py"))
SOURCES = [path for folder in ("tests", "benchmarks", "docs") for path in sorted((ROOT / folder).rglob("*.py"))]
FOREIGN = frozenset({"Invalid input, file does not appear to be a Lance file (invalid magic: [76])"})
"""What other programs say and the product looks for: no wording of its own."""


def nodes(path: Path) -> Iterator[ast.AST]:
    """All of a module's syntax tree."""
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def imported(path: Path) -> list[tuple[str, int]]:
    """(dotted name, line) of every import of a module; relative imports in full."""
    names = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(ROOT).parts[: -node.level] if node.level else ()
            module = ".".join((*package, *([node.module] if node.module else ())))
            names += [(f"{module}.{alias.name}", node.lineno) for alias in node.names]
    return names


def is_private_to_pytest(name: str) -> bool:
    """Does a dotted name lead into a `conftest.py` or a test module?"""
    parts = name.split(".")
    return "conftest" in parts or (
        parts[0] == "tests"
        and any(
            (ROOT / Path(*parts[:end])).with_suffix(".py").exists() and parts[end - 1].startswith("test_")
            for end in range(2, len(parts) + 1)
        )
    )


def test_nothing_is_imported_from_a_conftest_or_a_test() -> None:
    """What tests share is in `tests/support`, or in a module of their folder."""
    wrong = [(path, name, line) for path in SOURCES for name, line in imported(path) if is_private_to_pytest(name)]
    assert [f"{path.relative_to(ROOT)}:{line} imports {name}" for path, name, line in wrong] == []


@pytest.mark.parametrize(
    ("name", "private"),
    [
        ("tests.cli.conftest.run", True),
        ("conftest", True),
        ("tests.test_layers.ROOT", True),
        ("tests.components.kit.viewer.test_viewer", True),
        ("tests.support.llm_server.LLMServer", False),
        ("chunking.test_data", False),
    ],
)
def test_the_rule_tells_them_apart(name: str, private: bool) -> None:
    """It would fail for a module that breaks it."""
    assert is_private_to_pytest(name) is private


def test_no_test_quotes_a_sentence_of_the_product() -> None:
    """The wording is held by `tests/wording` alone: a test asserts on types, numbers, names and a key word
    (`tests.support.facts`).
    """
    runs = product_runs()
    quoted = [(path, line, text) for path in TESTS for line, text in quotations(path.read_text(encoding="utf-8"), runs)]
    assert [
        f"{path.relative_to(ROOT)}:{line} quotes {text!r}" for path, line, text in quoted if text not in FOREIGN
    ] == []


def test_an_example_that_does_not_apply_is_not_counted() -> None:
    """A Hypothesis test says `assume`; a bare return would let a test pass that has checked nothing."""
    functions = [(path, node) for path in TESTS for node in nodes(path) if isinstance(node, ast.FunctionDef)]
    fixed_runs = [
        (path, node) for path, node in functions if any("given(" in ast.unparse(one) for one in node.decorator_list)
    ]
    own = [(path, node) for path, function in fixed_runs for node in function.body if isinstance(node, ast.If)]
    left = [(path, node) for path, node in own if any(isinstance(step, ast.Return) for step in node.body)]
    assert [f"{path.relative_to(ROOT)}:{node.lineno} returns" for path, node in left] == []


def test_a_coroutine_is_run_in_a_thread_of_its_own() -> None:
    """`asyncio.run` passes alone and fails where a browser test ran in the process before: `tests.support.event_loop`
    does not.
    """
    calls = [(path, node) for path in TESTS for node in nodes(path) if isinstance(node, ast.Attribute)]
    wrong = [
        (path, node.lineno) for path, node in calls if ast.unparse(node) == "asyncio.run" and path.stem != "event_loop"
    ]
    assert [f"{path.relative_to(ROOT)}:{line}" for path, line in wrong] == []
