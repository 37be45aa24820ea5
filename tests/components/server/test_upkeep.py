"""What a server deletes while it runs, and what it leaves."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from unittest.mock import Mock

import pytest

from chunking.deployment import LOCAL, Deployment, open_deployment, operator_settings
from components.server import upkeep as module
from components.server.upkeep import upkeep
from tests.support.product import MODES


def open_one(home: Path, mode: str) -> Deployment:
    """A deployment with a home of its own."""
    return open_deployment(operator_settings({"CHUNKSCOPE_MODE": mode, "CHUNKSCOPE_HOME": str(home)}))


@pytest.mark.parametrize("mode", MODES)
def test_what_a_killed_copy_has_left_is_cleared_wherever_workspaces_stand(tmp_path: Path, mode: str) -> None:
    """After a day: one that is being made stays, and what only looks like one."""
    here = open_one(tmp_path, mode)
    places = [tmp_path, *(tmp_path / path for path in ("workspaces", "bases", "snapshots/0", "visits/0"))]
    for place in places:
        for name, digits in (("old", "12345678"), ("new", "12345678"), ("mine", "last-one")):
            (place / f".{name}.{digits}.unfinished" / "documents.lance").mkdir(parents=True)
        for name in (".old.12345678.unfinished", ".mine.last-one.unfinished"):
            os.utime(place / name, (0, 0))
    (tmp_path / "default").mkdir()
    upkeep(here, frozenset())
    left = [sorted(one.name for one in place.glob(".*.unfinished")) for place in places]
    assert left == [[".mine.last-one.unfinished", ".new.12345678.unfinished"]] * len(places)
    assert (tmp_path / "default").exists()


@pytest.mark.parametrize("mode", MODES)
def test_the_bin_is_emptied_in_every_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    """By the server itself, when the days are over; not where a job still runs."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", mode)
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path))
    monkeypatch.delenv("CHUNKSCOPE_WORKSPACE", raising=False)
    here = open_one(tmp_path, mode)
    ids = [here.workspaces.create(name, LOCAL.id) for name in ("long ago", "today", "busy", "in use")]
    for id in ids[:3]:
        here.workspaces.delete(id, LOCAL.id)
    with here.directory.writing() as connection:
        connection.execute("UPDATE workspaces SET deleted = 0 WHERE id IN (?, ?)", (ids[0], ids[2]))
    jobs, gone_round, stop = (
        Mock(busy=frozenset({str(here.workspaces.place(ids[2]))})),
        threading.Event(),
        threading.Event(),
    )
    released = Mock()
    monkeypatch.setattr(module, "EVERY", 0.01)
    monkeypatch.setattr(module, "jobs", lambda: jobs)
    monkeypatch.setattr(
        module, "release", Mock(side_effect=lambda: gone_round.set() if released.call_count else released())
    )
    module.begin_upkeep(stop)
    assert gone_round.wait(60)
    stop.set()
    assert [here.workspaces.place(id).exists() for id in ids] == [False, True, True, True]
    assert {one.id for one in here.workspaces.bin(LOCAL.id)} == set(ids[1:3])


def binned(home: Path, number: int) -> tuple[Deployment, list[str]]:
    """Workspaces that have been in the bin for long."""
    here = open_one(home, "local")
    ids = [here.workspaces.create(f"Old {place}", LOCAL.id) for place in range(number)]
    for id in ids:
        (here.workspaces.place(id) / "documents.lance").mkdir()
        here.workspaces.delete(id, LOCAL.id)
    with here.directory.writing() as connection:
        connection.execute("UPDATE workspaces SET deleted = 0")
    return here, ids


def test_a_step_that_fails_starves_none_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Each is tried, and each workspace in the bin by itself; the log has every fault."""
    here, ids = binned(tmp_path, 3)
    remove, cleared = here.workspaces.remove, list[Path]()

    def failing(id: str, days: float) -> bool:
        if id == ids[0]:
            raise RuntimeError("this one")
        return remove(id, days)

    def clearing(place: Path) -> None:
        cleared.append(place)
        raise RuntimeError("this place")

    monkeypatch.setattr(here, "sweep", Mock(side_effect=RuntimeError("what is over")))
    monkeypatch.setattr(here.workspaces, "remove", failing)
    monkeypatch.setattr(module, "clear_unfinished", clearing)
    upkeep(here, frozenset())
    assert [here.workspaces.place(id).exists() for id in ids] == [True, False, False]
    assert cleared == [tmp_path, tmp_path / "workspaces"]
    for fault in ("this one", "this place", "what is over"):
        assert fault in caplog.text


def test_what_is_taken_back_while_the_bin_is_emptied_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for again in the step that takes it off the list."""
    here, ids = binned(tmp_path, 2)

    def outdated(days: float) -> list[str]:
        here.workspaces.take_back(ids[0], LOCAL.id)
        return ids

    monkeypatch.setattr(here.workspaces, "outdated", outdated)
    upkeep(here, frozenset())
    assert [(here.workspaces.place(id) / "documents.lance").exists() for id in ids] == [True, False]
    assert [one.id for one in here.workspaces.of(LOCAL.id)] == ids[:1]


def test_what_cannot_be_taken_off_the_list_keeps_its_folder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """And is deleted in a later round, with what a removal that was cut short has left."""
    here, ids = binned(tmp_path, 1)
    with here.directory.writing() as connection:
        connection.execute(
            "CREATE TRIGGER refuses BEFORE DELETE ON workspaces BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
    upkeep(here, frozenset())
    assert "refused" in caplog.text
    assert (here.workspaces.place(ids[0]) / "documents.lance").exists()
    (here.workspaces.folder / "0123456789abcdef-1.gone").mkdir()
    with here.directory.writing() as connection:
        connection.execute("DROP TRIGGER refuses")
    upkeep(here, frozenset())
    assert not list(here.workspaces.folder.iterdir())
