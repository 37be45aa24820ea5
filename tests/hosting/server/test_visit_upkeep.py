"""What upkeep deletes of a demo."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from chunking.deployment import operator_settings
from components.server import upkeep as module
from components.server.upkeep import upkeep
from hosting.hosted_deployment import HostedDeployment


def test_jobs_of_a_visit_that_is_over_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """By this server and the next one; a visit that cannot be deleted keeps no other from it."""
    here = HostedDeployment(operator_settings({"CHUNKSCOPE_MODE": "demo", "CHUNKSCOPE_HOME": str(tmp_path)}))
    ids = [digit * 24 for digit in "abc"]
    places = [here.visits.folder / id / "workspace" for id in ids]
    for place in places:
        place.mkdir(parents=True)
        (place.parent / "clicked").touch()
        os.utime(place.parent / "clicked", (0, 0))
    end = here.visits._end

    def ending(name: str) -> None:
        if name == ids[0]:
            raise PermissionError("not yours")
        end(name)

    monkeypatch.setattr(here.visits, "_end", ending)
    monkeypatch.setattr(module, "jobs", lambda: jobs)
    jobs = Mock()
    upkeep(here, frozenset({str(places[1])}))
    jobs.forget_workspace.assert_called_once_with(str(places[2]))
    assert "not yours" in caplog.text
    assert [here.visits.is_ended(str(place)) for place in places] == [False, False, True]
    assert not here.visits.is_ended(str(tmp_path / "workspaces" / ("0" * 16)))
