"""The file of people and workspaces: how many connections it takes, and what they see."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from chunking.deployment.directory import Directory
from chunking.errors import StoreError

ADD = "INSERT INTO people VALUES (?, 'Ann', '', 0, 0, 0)"
COUNT = "SELECT COUNT(*) FROM people"


def counted(directory: Directory) -> int:
    """The people that are listed."""
    with directory.reading() as connection:
        assert connection is not None
        result: int = connection.execute(COUNT).fetchone()[0]
    return result


def test_threads_that_come_and_go_share_a_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run of a page is a thread; as many connections are opened as ask at a time."""
    open_one: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(*args: object, **options: object) -> sqlite3.Connection:
        open_one.append(connect(*args, **options))  # type: ignore[call-overload]
        return open_one[-1]

    monkeypatch.setattr(sqlite3, "connect", noted)
    directory = Directory(tmp_path)

    def add(id: str, together: threading.Barrier | None = None) -> None:
        with directory.writing() as connection:
            connection.execute(ADD, (id,))
        with directory.reading():
            if together is not None:
                together.wait(60)

    for number in range(20):
        one = threading.Thread(target=add, args=(f"one after the other {number}",))
        one.start()
        one.join()
    assert len(open_one) == 1
    barrier = threading.Barrier(3)
    threads = [threading.Thread(target=add, args=(f"together {number}", barrier)) for number in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(open_one) == 3
    assert counted(directory) == 23


def test_what_is_asked_inside_of_a_change_sees_it(tmp_path: Path) -> None:
    """And nobody else does before it is done; one that fails leaves nothing, and its connection can be used."""
    directory, other = Directory(tmp_path), Directory(tmp_path)
    with directory.writing() as connection:
        connection.execute(ADD, ("first",))
        assert counted(directory) == 1
        assert counted(other) == 0

    def twice() -> None:
        with directory.writing() as connection:
            connection.execute(ADD, ("second",))
            connection.execute(ADD, ("first",))

    with pytest.raises(StoreError):
        twice()
    assert counted(directory) == counted(other) == 1
