"""Run the sizes one after the other, each in processes of its own, and an earlier version beside the smallest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.growth.growth_table import GrowthTable
from benchmarks.tree_before import tree_of

__all__ = ["SIZES", "run"]

SIZES = (10_000, 100_000)
ROUNDS = 2
"""Runs of each version, in turn, where two are compared."""
SETTINGS: Mapping[str, str] = {"granularities": "none", "search.retrieval": "chunk"}
"""Changes to the defaults: one level, so that the index has as many rows as chunks."""
_ROOT = Path(__file__).parents[2]
_CHILD = (
    "import sys; import chunking; sys.path.insert(0, sys.argv.pop(1)); "
    "from benchmarks.growth.measured_workspace import main; main(sys.argv[1:])"
)
"""Import the product from the working folder, then the measuring from the tree that holds this module."""


def run(
    chunks: Sequence[int] = SIZES,
    before: str | None = None,
    keep: Path | None = None,
    settings: Mapping[str, str] | None = None,
) -> GrowthTable:
    """Measure each size; with `before`, also the smallest size with that version.

    Args:
        chunks: sizes, in any order.
        before: a revision.
        keep: folder with the figures of sizes measured before, which are not measured again; the others are added.
        settings: further changes to the defaults.
    Raises:
        LookupError: git does not know the revision.
    """
    chosen = {**SETTINGS, **(settings or {})}
    sizes = {count: _kept(keep, count, chosen) for count in sorted(set(chunks))}
    pairs: list[tuple[dict[str, Any], dict[str, Any]]] = []
    if before:
        with ExitStack() as stack:
            tree = stack.enter_context(tree_of(before, Path(stack.enter_context(tempfile.TemporaryDirectory()))))
            smallest = min(sizes)
            for _ in range(ROUNDS):
                now, then = _measure(_ROOT, smallest, chosen), _measure(tree, smallest, chosen)
                pairs.append((now, then))
    return GrowthTable(sizes, pairs, before or "", _machine(chosen))


def _kept(keep: Path | None, chunks: int, settings: Mapping[str, str]) -> dict[str, Any]:
    """Return a size's figures, from the folder if they are there."""
    file = keep / f"growth-{chunks}.json" if keep else None
    if file is not None and file.exists():
        kept = json.loads(file.read_text(encoding="utf-8"))
        if kept["settings"] == settings:
            return kept
    figures = _measure(_ROOT, chunks, settings)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return figures


def _measure(tree: Path, chunks: int, settings: Mapping[str, str]) -> dict[str, Any]:
    """Measure a size with the product of a tree, in a folder that is deleted afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        stages = {stage: _stage(tree, stage, chunks, Path(folder), settings) for stage in ("build", "use")}
    revision = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=tree, stdout=subprocess.PIPE, text=True)
    run_of = {"chunks": chunks, "settings": dict(settings), "revision": revision.stdout.strip()}
    return {**run_of, "load": os.getloadavg()[0], **stages}


def _stage(tree: Path, stage: str, chunks: int, folder: Path, settings: Mapping[str, str]) -> dict[str, Any]:
    """Run a stage in a process of its own; what it prints to standard error is passed on."""
    words = [str(_ROOT), stage, str(chunks), str(folder), json.dumps(dict(settings))]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, *words], cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def _machine(settings: Mapping[str, str]) -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    own = ", ".join(f"{key} {value}" for key, value in settings.items())
    return f"{os.cpu_count()} processors, {memory:.0f} GiB of memory; default settings but {own}"
