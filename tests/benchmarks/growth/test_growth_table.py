"""Rows of the table of growth: ratios, targets, and the comparison of two versions."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from benchmarks.growth.growth_table import GrowthTable
from benchmarks.growth.measured_workspace import phase_name
from chunking.indexing import IndexPhase, IndexProgress
from chunking.indexing.run.index_run import Finish

_STEP = {"seconds": 2.0, "processor": 3.0, "written": 4_000_000, "peak": 5_000_000}
_SEARCH = {"first": 90.0, "p50": 20.0, "p95": 30.0, "calls": [3], "peak": 6_000_000}
_CHANGE = {"writing": 0.1, "running": 0.5, "written": 1_000_000, "peak": 7_000_000, "list": 0.01, "stale": 0.02}


def figures(chunks: int, factor: float = 1.0, calls: tuple[int, ...] = (3,)) -> dict[str, Any]:
    """Figures of a size, each time that of the smallest times a factor."""
    step = {key: value * factor for key, value in _STEP.items()}
    search = {**_SEARCH, "p50": 20.0 * factor, "p95": 30.0 * factor, "calls": list(calls)}
    change = {key: value * factor for key, value in _CHANGE.items()}
    build = {
        "add": step,
        "build": step,
        "planning": 0.5 * factor,
        "phases": {"split": 0.4 * factor, "write": 0.8 * factor, "text": 0.3 * factor},
        "vector_index": "",
        "disk": dict.fromkeys(("workspace", "table", "indexes", "documents", "embeddings"), 1e6 * factor),
        "commits": 100 * factor,
    }
    use = {
        "open": step,
        "search": search,
        "search_after": search,
        "recall": {"recall": 1.0},
        "recall_after": {"recall": 0.94},
        **dict.fromkeys(("added", "changed", "deleted", "batches"), change),
        **dict.fromkeys(("list_first", "list_again", "stale", "stale_again"), 0.1 * factor),
    }
    return {"chunks": chunks, "revision": "a1", "load": 1.0, "build": build, "use": copy.deepcopy(use)}


def cells(table: GrowthTable, start: str) -> list[str]:
    """The cells of the row whose first cell starts so."""
    line = next(line for line in table.markdown().splitlines() if line.startswith(f"| {start}"))
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_a_figure_has_its_ratio_to_the_size_before() -> None:
    table = GrowthTable({100: figures(100), 1000: figures(1000, 9.0)}, [], "", "two processors")
    assert cells(table, "adding the files") == ["2.0 s", "18 s (× 9)", ""]
    assert cells(table, "commits")[:2] == ["100", "900 (× 9)"]


def test_a_phase_that_did_not_run_has_no_figure() -> None:
    assert cells(GrowthTable({100: figures(100)}, [], "", ""), "… vector index") == ["–", ""]


def test_targets_are_held_for_each_size() -> None:
    """A change costs the same at every size; storage calls are as many; recall is that of exact search."""
    table = GrowthTable({100: figures(100), 1000: figures(1000, 9.0, (3, 5))}, [], "", "")
    met = {row.what: row.met for row in table.rows}
    assert met["hybrid search, p50, 100 chunks"] is True
    assert met["hybrid search, p50, 1,000 chunks"] is False
    assert met["adding one document: the index run, 100 chunks"] is True
    assert met["adding one document: the index run, 1,000 chunks"] is False
    assert met["storage calls of a search, 1,000 chunks"] is False
    assert met["recall@10 of the vector index, 100 chunks"] is True
    assert met["recall@10 of the vector index after the changes, 100 chunks"] is False
    assert cells(table, "hybrid search, p50")[1].endswith("✗")


def test_figures_of_another_version_are_marked() -> None:
    """A folder of kept figures may hold some of an earlier one."""
    sizes = {100: figures(100), 1000: {**figures(1000), "revision": "b2"}}
    assert "b2" in GrowthTable(sizes, [], "", "").markdown()
    assert "a1" not in GrowthTable({100: figures(100)}, [], "", "").markdown()


def test_two_versions_are_compared_by_their_better_rounds() -> None:
    pairs = [(figures(100, 1.0), figures(100, 2.0)), (figures(100, 3.0), figures(100, 1.5))]
    table = GrowthTable({100: figures(100)}, pairs, "v1", "")
    row = next(row for row in table.rows if row.what == "plan and index run")
    assert (row.result, row.met) == ("0.67 ×", True)
    assert "`v1`" in table.markdown()


@pytest.mark.parametrize(
    ("step", "name"), list(zip(Finish, ("text", "vectors", "tidy"), strict=True)), ids=[step.name for step in Finish]
)
def test_the_steps_of_the_end_are_told_apart(step: Finish, name: str) -> None:
    assert phase_name(IndexProgress(1, 1, step.value, 1, 3, IndexPhase.FINISH)) == name


def test_the_other_phases_have_their_own_names() -> None:
    assert phase_name(IndexProgress(0, 1, "", phase=IndexPhase.EMBED)) == "write"
    assert phase_name(IndexProgress(0, 1, "", phase=IndexPhase.SPLIT)) == "split"
