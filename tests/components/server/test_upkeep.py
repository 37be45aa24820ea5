"""What a server deletes while it runs, and what it leaves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chunking.deployment import Deployment, operator_settings
from components.server.upkeep import upkeep


def opened(home: Path, mode: str) -> Deployment:
    """A deployment with a home of its own."""
    return Deployment(operator_settings({"CHUNKSCOPE_MODE": mode, "CHUNKSCOPE_HOME": str(home)}))


@pytest.mark.parametrize("mode", ["local", "demo", "team"])
def test_what_a_killed_copy_has_left_is_cleared_wherever_workspaces_stand(tmp_path: Path, mode: str) -> None:
    """After a day: one that is being made stays."""
    here = opened(tmp_path, mode)
    places = [tmp_path, *(tmp_path / path for path in ("workspaces", "bases", "snapshots/0", "visits/0"))]
    for place in places:
        for name in ("old", "new"):
            (place / f".{name}.12345678.unfinished" / "documents.lance").mkdir(parents=True)
        os.utime(place / ".old.12345678.unfinished", (0, 0))
    (tmp_path / "default").mkdir()
    upkeep(here, frozenset())
    assert [[left.name for left in place.glob(".*.unfinished")] for place in places] == [[".new.12345678.unfinished"]] * len(places)
    assert (tmp_path / "default").exists()
