"""Files on their way in: read side by side in turns, stopped when asked or when their session is gone, and nothing held
after that.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chunking.errors import Cancelled, ParseError
from chunking.model import Document
from chunking.parsing import parse_all
from components.documents import incoming
from components.documents.incoming import SIDE_BY_SIDE, Readers, ReadState, UploadQueue
from tests.pages.app_session import wait_until

TEXT = b"# Pumps\n\nThe pump got quieter.\n"


class Reader:
    """Stands for `parse_all_guarded`: holds each file until it is let through."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.ended: list[str] = []
        self.now = self.most = 0
        self._lock = threading.Lock()
        self._through: set[str] = set()
        self._all = False

    def let(self, *names: str) -> None:
        """Let these files be read; all where none is named."""
        self._all = self._all or not names
        self._through |= set(names)

    def __call__(
        self, data: bytes, source: str, *, cancelled: Callable[[], bool], **options: Any
    ) -> tuple[Document, ...]:
        with self._lock:
            self.order.append(source)
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            while not (self._all or source in self._through):
                if cancelled():
                    raise Cancelled("Reading was cancelled.")
                threading.Event().wait(0.005)
            if data == b"bad":
                raise ParseError(f"{source} is bad; leave it out.")
            if data == b"worse":
                raise RuntimeError("a fault of the program")
            return parse_all(data, source)
        finally:
            with self._lock:
                self.now -= 1
                self.ended.append(source)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """In the place of the guarded process; whatever still waits at the end is let through."""
    stand_in = Reader()
    monkeypatch.setattr(incoming, "parse_all_guarded", stand_in)
    yield stand_in
    stand_in.let()


def states(queue: UploadQueue) -> dict[str, ReadState]:
    return {file.source: file.state for file in queue.files}


def test_two_at_a_time_and_sessions_in_turn(reader: Reader) -> None:
    """A session with many files does not keep another one waiting for all of them."""
    by = Readers()
    many, few = UploadQueue(by), UploadQueue(by)
    many.take((f"{number}.md", TEXT) for number in range(6))
    wait_until(lambda: len(reader.order) == SIDE_BY_SIDE)
    few.take([("other.md", TEXT)])
    reader.let()
    wait_until(lambda: not many.active and not few.active)
    assert reader.most == SIDE_BY_SIDE
    assert reader.order.index("other.md") <= 3
    assert set(states(many).values()) == {ReadState.FOUND}


def test_a_bad_file_has_its_sentence_and_the_rest_go_on(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the program itself fails, more often than there are readers."""
    faults: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", faults.append)
    reader.let()
    queue = UploadQueue(Readers())
    queue.take([("bad.md", b"bad"), *((f"worse{number}.md", b"worse") for number in range(3)), ("good.md", TEXT)])
    wait_until(lambda: not queue.active)
    assert [file.state for file in queue.files] == [ReadState.FAILED] * 4 + [ReadState.FOUND]
    wait_until(lambda: len(faults) == 3)
    assert queue.files[0].sentence == "bad.md is bad; leave it out."
    assert "a bug in Chunkscope" in queue.files[1].sentence


def test_cancel_stops_what_is_read_and_what_waits(reader: Reader) -> None:
    """What was found stays; the next batch is read as ever."""
    queue = UploadQueue(Readers())
    reader.let("found.md")
    queue.take((name, TEXT) for name in ("found.md", "a.md", "b.md", "c.md"))
    wait_until(lambda: states(queue)["b.md"] is ReadState.READING)
    queue.cancel()
    wait_until(lambda: not queue.active)
    assert list(states(queue).values()) == [ReadState.FOUND, ReadState.STOPPED, ReadState.STOPPED, ReadState.STOPPED]
    reader.let()
    queue.take([("later.md", TEXT)])
    wait_until(lambda: states(queue)["later.md"] is ReadState.FOUND)


def test_a_session_that_is_gone_is_read_for_no_more(reader: Reader) -> None:
    """Nothing else holds its files."""
    by = Readers()
    queue = UploadQueue(by)
    queue.take((f"{number}.md", TEXT) for number in range(5))
    wait_until(lambda: len(reader.order) == SIDE_BY_SIDE)
    del queue
    gc.collect()
    wait_until(lambda: len(reader.ended) == SIDE_BY_SIDE)
    assert len(reader.order) == SIDE_BY_SIDE


def test_the_same_name_is_numbered_in_a_batch_and_replaced_by_a_later_one(reader: Reader) -> None:
    """Twice in one drop are two documents; a later drop is a newer file, and the older one is read no further."""
    queue = UploadQueue(Readers())
    queue.take([("notes.md", TEXT), ("notes.md", TEXT)])
    assert list(states(queue)) == ["notes.md", "notes (2).md"]
    wait_until(lambda: len(reader.order) == SIDE_BY_SIDE)
    queue.take([("notes.md", TEXT + b"More.")])
    wait_until(lambda: "notes.md" in reader.ended)
    reader.let()
    wait_until(lambda: not queue.active)
    assert list(states(queue).values()) == [ReadState.FOUND, ReadState.FOUND]
    assert next(file for file in queue.files if file.source == "notes.md").data.endswith(b"More.")


def test_another_way_of_reading_that_fails_leaves_what_was_found(reader: Reader) -> None:
    """With the sentence of the failure beside it."""
    reader.let()
    queue = UploadQueue(Readers())
    queue.take([("a.md", TEXT)])
    wait_until(lambda: not queue.active)
    (file,) = queue.files
    first, file.data = file.document, b"bad"
    queue.read_again(file, ocr=True)
    wait_until(lambda: not queue.active)
    assert (file.state, file.document) == (ReadState.FOUND, first)
    assert file.sentence == "a.md is bad; leave it out."


def test_what_is_forgotten_is_let_go(reader: Reader) -> None:
    """Files that are still read are stopped."""
    queue = UploadQueue(Readers())
    queue.take([("a.md", TEXT), ("b.md", TEXT)])
    wait_until(lambda: len(reader.order) == 2)
    queue.forget([queue.files[0].number])
    wait_until(lambda: reader.ended == ["a.md"])
    assert list(states(queue)) == ["b.md"]
