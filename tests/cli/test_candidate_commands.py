"""`compare --candidate` and `candidate`: the record, limits that fail a job, and wrong usage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chunking.store import Workspace
from tests.cli.asked import ASKED
from tests.cli.command import Run
from tests.support.facts import tells

BY_WORDS = ("--set", "search.mode=text", "--set", "search.k=1")


@pytest.fixture
def place(run: Run, guide: Path, tmp_path: Path) -> Path:
    """A workspace with the guide in one chunk, and a candidate that splits the second answer off."""
    (guide / "pump" / "mast.md").write_text("# Mast\n\nThe mast is ten metres high.\n", encoding="utf-8")
    folder = tmp_path / "workspace"
    for words in (("--set", "size=400"), ("--name", "main.candidate", "--set", "size=16")):
        assert run("index", guide, "--workspace", folder, *words, *BY_WORDS).code == 0
    return folder


@pytest.fixture
def compared(run: Run, place: Path, questions: Path) -> Any:
    def compared(*words: object) -> Any:
        return run("compare", "--candidate", "--workspace", place, "--questions", questions, *words)

    return compared


def test_the_record(compared: Any, place: Path) -> None:
    """Both indexes, the answers won and lost, boundaries and texts; a second time nothing is asked again."""
    row = compared().row
    assert (row["a"]["index"], row["b"]["index"], row["metric"]) == ("main.candidate", "main", "recall")
    assert row["difference"]["mean"] == pytest.approx(row["a"]["mean"] - row["b"]["mean"])
    lost = {one["id"]: one for one in row["lost"]}
    assert lost
    assert set(lost) == set(row["b_better"]) <= set(ASKED)
    assert all(one["candidate"] < one["live"] and one["why_candidate"] for one in lost.values())
    assert row["boundaries"]["candidate_only"] > 0
    assert row["texts"]["new"] + row["texts"]["reused"] > row["a"]["chunks"] - 1
    assert row["failures"] == []
    runs = Workspace.open(place).runs.names()
    assert compared().row == row
    assert Workspace.open(place).runs.names() == runs


def test_a_limit_fails_the_job(compared: Any) -> None:
    """With exit code 1 and a sentence where more points are lost than allowed; three questions prove nothing."""
    lost = compared().row
    points = 100 * (lost["b"]["mean"] - lost["a"]["mean"])
    assert points > 0
    assert compared("--max-drop", points + 1).code == 0
    failed = compared("--max-drop", points - 1)
    assert failed.code == 1
    (sentence,) = json.loads(failed.out)["failures"]
    assert sentence in failed.err
    assert compared("--fail-if-worse").code == 0


def test_promoted_undone_and_dropped(run: Run, compared: Any, place: Path) -> None:
    """Each prints the live index."""
    fingerprints = {row.name: row.fingerprint for row in Workspace.open(place).indexes()}
    words = ("--workspace", place)
    promoted = run("candidate", "promote", *words).row
    assert promoted["live"]["fingerprint"] == fingerprints["main.candidate"]
    assert compared().code == 1
    assert run("candidate", "undo", *words).row["live"]["fingerprint"] == fingerprints["main"]
    assert run("candidate", "drop", *words).row["live"]["fingerprint"] == fingerprints["main"]
    assert tells(run("candidate", "promote", *words).complaint, "main.candidate build")
    assert [row.name for row in Workspace.open(place).indexes()] == ["main"]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("a.json",),
        ("--candidate",),
        ("--candidate", "--workspace", "w"),
        ("a.json", "b.json", "--candidate", "--workspace", "w", "--questions", "q"),
        ("a.json", "b.json", "--max-drop", "2"),
        ("--candidate", "--workspace", "w", "--questions", "q", "--max-drop", "-1"),
        ("--candidate", "--workspace", "w", "--questions", "q", "--max-drop", "nan"),
    ],
    ids=" ".join,
)
def test_wrong_usage(run: Run, words: tuple[str, ...]) -> None:
    """Exit code 2 and one line."""
    ran = run("compare", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.complaint


def test_questions_about_nothing_here(run: Run, place: Path, tmp_path: Path) -> None:
    """Another question set: one sentence, exit code 1."""
    file = tmp_path / "other.jsonl"
    file.write_text(json.dumps({"question": "Where?", "doc": "elsewhere.md", "answers": ["There."]}), encoding="utf-8")
    ran = run("compare", "--candidate", "--workspace", place, "--questions", file)
    assert (ran.code, ran.out) == (1, "")
