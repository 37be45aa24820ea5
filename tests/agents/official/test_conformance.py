"""The official conformance suite against the app's own address, in the revisions that clients speak."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.agents.official.npm_programs import NpmPrograms

_EXPECTED = Path(__file__).with_name("expected_failures.yml")
_SCENARIO = re.compile(r"server-(?P<name>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
"""Folder of a scenario's results, with the time."""
_REVISIONS = {"2025-06-18": 30, "2025-11-25": 35, "2026-07-28": 90}
"""Checks that pass at least: a suite that has not reached the server passes none."""


@dataclass(frozen=True)
class SuiteRun:
    """A run of the suite in one revision."""

    code: int
    summary: str
    passed: int
    failed: frozenset[str]
    """As `scenario:check`; warnings count as failures there."""


@pytest.fixture(scope="module")
def runs(programs: NpmPrograms, mount: str, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, SuiteRun]:
    """By revision."""
    return {revision: _run(programs, mount, revision, tmp_path_factory.mktemp(revision)) for revision in _REVISIONS}


@pytest.mark.parametrize("revision", _REVISIONS)
def test_the_suite_finds_what_is_expected(runs: Mapping[str, SuiteRun], revision: str) -> None:
    """A failure that is not written down fails here, and so does a check that passes and is."""
    run = runs[revision]
    assert run.code == 0, run.summary
    assert run.passed >= _REVISIONS[revision]


def test_every_expected_failure_is_one_of_a_revision(runs: Mapping[str, SuiteRun]) -> None:
    """Written down by check, so that the others of its scenario count."""
    entries = yaml.safe_load(_EXPECTED.read_text(encoding="utf-8"))["server"]
    assert sorted(entries) == sorted(frozenset().union(*(run.failed for run in runs.values())))


def _run(programs: NpmPrograms, address: str, revision: str, folder: Path) -> SuiteRun:
    words = (
        "--timeout",
        600_000,
        "--suite",
        "all",
        "--spec-version",
        revision,
        "--expected-failures",
        _EXPECTED,
        "--output-dir",
        folder,
    )
    ran = programs.run("conformance", "server", "--url", address, *words)
    checks = [
        (_SCENARIO.fullmatch(file.parent.name)["name"], check)  # type: ignore[index]
        for file in folder.rglob("checks.json")
        for check in json.loads(file.read_text(encoding="utf-8"))
    ]
    failed = frozenset(
        f"{scenario}:{check['id']}" for scenario, check in checks if check["status"] in {"FAILURE", "WARNING"}
    )
    return SuiteRun(
        ran.returncode,
        ran.stdout[ran.stdout.find("SUMMARY") :],
        sum(one["status"] == "SUCCESS" for _, one in checks),
        failed,
    )
