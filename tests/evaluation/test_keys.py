"""The key of a run depends on all code that takes part in its numbers: found by the imports, not by a list that is kept by hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import chunking
from chunking.evaluation.keys import MEASURED_BY

PACKAGE = Path(chunking.__file__).parent
ROOTS = ("evaluation/asking", "evaluation/scoring", "evaluation/trials", "retrieval/search", "indexing/building", "store/fulltext")
"""Where a run's numbers are made."""
NO_NUMBERS = {
    "__init__": "holds nothing",
    "errors": "sentences",
    "endpoint": "addresses of servers; the model's name is in the key",
    "built": "what is told of an index",
    "settings": "labels and forms of settings; their values are in the key",
    "model_files": "downloads; the model's revision is in the key",
    "fingerprint": "hashes",
    "records": "what is printed of a chunk",
    "splitter_sources": "hashes",
    "evaluation/__init__": "names only",
    "evaluation/evaluate": "puts together what others find",
    "evaluation/keys": "hashes",
    "evaluation/metrics": "names and units",
    "evaluation/progress": "messages",
    "evaluation/questions": "records; their fingerprint is in the key",
    "evaluation/runs": "records",
    "evaluation/scratch": "folders",
    "evaluation/settings_told": "labels",
}
"""Modules that are imported on the way and change no number, each with the reason."""


def imported(module: str) -> Iterator[str]:
    """Modules of the library that a module imports, wherever in it: paths below `chunking`, without their ending."""
    path = PACKAGE / f"{module}.py"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            below = name.removeprefix("chunking.").replace(".", "/")
            if name.startswith("chunking."):
                yield from (one for one in (below, f"{below}/__init__") if (PACKAGE / f"{one}.py").exists())


def reached() -> set[str]:
    """Everything that the roots import, directly or not; what makes no numbers is not followed."""
    found, waiting = set[str](), list(ROOTS)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += [] if module in NO_NUMBERS else imported(module)
    return found


def test_every_module_that_makes_numbers_is_in_the_key() -> None:
    """A new one has to be covered, or be named with the reason why it changes no number."""
    covered = {module for module in reached() if any(module == one or module.startswith(f"{one}/") for one in MEASURED_BY)}
    assert sorted(reached() - covered - NO_NUMBERS.keys()) == []
    assert {"store/fulltext", "retrieval/fusion", "retrieval/costs", "evaluation/scoring"} <= covered


def test_what_is_covered_is_there() -> None:
    """A name that is no package and no module would be hashed as nothing."""
    assert [one for one in MEASURED_BY if not ((PACKAGE / one).is_dir() or (PACKAGE / f"{one}.py").is_file())] == []
