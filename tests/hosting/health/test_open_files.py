"""The limit of open files: raised at the server's start as far as it may be, and told by the doctor where that is too
little.
"""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from chunking.deployment import operator_settings
from components.server import process_settings
from components.server.process_settings import NEEDED, raise_open_files
from components.session.workspace import MOST_WORKSPACES
from hosting.health import checks as health
from hosting.health.checks import examine
from hosting.hosted_deployment import HostedDeployment


@pytest.mark.parametrize(
    ("soft", "hard", "requests"),
    [
        (1_024, 4_096, (4_096, 4_096)),
        (1_024, resource.RLIM_INFINITY, (65_536, resource.RLIM_INFINITY)),
        (1_024, 10**6, (65_536, 10**6)),
        (4_096, 4_096, None),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None),
    ],
)
def test_as_many_as_may_be_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, requests: tuple[int, int] | None
) -> None:
    """And no fewer than before."""
    arguments: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda what: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda what, limits: arguments.append(limits))
    raise_open_files()
    assert arguments == ([] if requests is None else [requests])


@pytest.mark.parametrize(
    ("mode", "most", "well"),
    [("team", 1_024, [False]), ("demo", NEEDED, [True]), ("local", 64, []), ("team", None, [])],
)
def test_the_doctor_tells_what_to_raise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, most: int | None, well: list[bool]
) -> None:
    """Where many people share the server."""
    monkeypatch.setattr(health, "most_open_files", lambda: most)
    here = HostedDeployment(operator_settings({"CHUNKSCOPE_MODE": mode, "CHUNKSCOPE_HOME": str(tmp_path)}))
    result = list(health._open_files(here))
    assert [one.well for one in result] == well
    assert all(f"{most:,}" in one.what for one in result)
    assert {one.what for one in result} <= {one.what for one in examine(here, {}.get)}


def test_what_is_needed_is_enough_for_the_workspaces_that_are_kept_open() -> None:
    """Up to five files each, and as much again for browsers."""
    assert NEEDED >= 2 * 5 * MOST_WORKSPACES
    assert process_settings._ENOUGH >= NEEDED
