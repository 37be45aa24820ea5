"""Files on their way into the workspace: read in the guarded process, held until their session adds or discards them.

Reading goes on while its page is left or drawn again. The readers are one for all sessions and take their turns between
them; nothing here touches Streamlit but `readers`, which keeps them.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import streamlit as st

from chunking.errors import Cancelled, ChunkscopeError
from chunking.model import Document
from chunking.parsing import clean_source, numbered_source, parse_all_guarded

__all__ = ["MOST_BYTES", "SIDE_BY_SIDE", "Incoming", "Readers", "State", "UploadQueue", "readers"]

SIDE_BY_SIDE = 2
"""Files that are read at a time, over all sessions."""

MOST_BYTES = 500 * 2**20
"""Of all files that one session holds at a time."""

_numbers = itertools.count(1)


class State(StrEnum):
    """How far a file is."""

    WAITING = "waiting"
    READING = "reading"
    FOUND = "found"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(slots=True, eq=False)
class Incoming:
    """One file. Written by the thread that reads it and by its session, plain values only."""

    source: str
    """Its path in the workspace."""
    data: bytes
    encoding: str | None = None
    """As which it is to be read; None: found out."""
    ocr: bool = False
    comments: bool = False
    """Whether those of office files are read."""
    state: State = State.WAITING
    documents: tuple[Document, ...] = ()
    """What was found: its own document, and those of the files in it."""
    sentence: str = ""
    """What is wrong with it."""
    stop: bool = False
    number: int = field(default_factory=lambda: next(_numbers))

    @property
    def document(self) -> Document | None:
        """Its own."""
        return self.documents[0] if self.documents else None

    def read(self, queue: weakref.ref[UploadQueue]) -> None:
        """Read it in the guarded process; ends early when it is stopped or its session has ended.

        What was found in it before, read in another way, is kept where this way fails.
        """
        self.sentence = f"{self.source} was not read because of a bug in Chunkscope; see the server's log."
        state = State.FAILED
        try:
            self.documents = parse_all_guarded(
                self.data,
                self.source,
                encoding=self.encoding,
                ocr=self.ocr,
                comments=self.comments,
                cancelled=lambda: self._over(queue),
            )
            self.sentence, state = "", State.FOUND
        except Cancelled:
            self.sentence, state = "", State.STOPPED
        except ChunkscopeError as error:
            self.sentence = str(error)
        finally:
            self.state = State.FOUND if self.documents else state

    def _over(self, queue: weakref.ref[UploadQueue]) -> bool:
        return self.stop or queue() is None


class UploadQueue:
    """The files of one session."""

    def __init__(self, by: Readers) -> None:
        self._by = by
        self._files: list[Incoming] = []
        self._lock = threading.Lock()
        self.batches = 0
        """How many were taken. Here, and not in the session's state: a run that is cut short there would take the same
        files again.
        """

    @property
    def files(self) -> list[Incoming]:
        """In the order they came."""
        return list(self._files)

    @property
    def bytes_held(self) -> int:
        """Bytes of their contents, with the characters of what was found in them."""
        return sum(len(file.data) + sum(len(document.text) for document in file.documents) for file in self._files)

    @property
    def active(self) -> bool:
        """Whether one of them is still to be read."""
        return any(file.state in (State.WAITING, State.READING) for file in self._files)

    def take(self, batch: Iterable[tuple[str, bytes]], *, comments: bool = False) -> None:
        """Take files that were dropped together, by name and content, and have them read, with their comments where
        those are wanted.

        The same name twice in one batch are two documents; one that came in an earlier batch and still lies here is
        replaced.
        """
        with self._lock:
            files = {file.source: file for file in self._files}
            size, names = sum(len(file.data) for file in self._files), set[str]()
            for name, data in batch:
                source = numbered_source(clean_source(name), names)
                names.add(source)
                old = files.pop(source, None)
                if old is not None:
                    old.stop = True
                    size -= len(old.data)
                file = files[source] = Incoming(source, data, comments=comments)
                if size + len(data) > MOST_BYTES:
                    file.data, file.state = b"", State.FAILED
                    file.sentence = (
                        f"{source} was not accepted: {MOST_BYTES >> 20} MB of files are waiting already; add or "
                        f"discard them first."
                    )
                size += len(file.data)
            self._files = list(files.values())
            self.batches += 1
        self._by.serve(self)

    def read_again(
        self, file: Incoming, *, encoding: str | None = None, ocr: bool = False, comments: bool = False
    ) -> None:
        """Read a file in another way; what was found in it before stays until then."""
        file.encoding, file.ocr, file.comments = encoding, ocr, comments
        file.sentence, file.stop, file.state = "", False, State.WAITING
        self._by.serve(self)

    def cancel(self) -> None:
        """Read no more of them; what was found stays."""
        with self._lock:
            for file in self._files:
                file.stop = True
                if file.state is State.WAITING:
                    file.state = State.STOPPED

    def forget(self, numbers: Collection[int]) -> None:
        """Let go of files."""
        with self._lock:
            for file in self._files:
                file.stop = file.stop or file.number in numbers
            self._files = [file for file in self._files if file.number not in numbers]

    def next_file(self) -> Incoming | None:
        """The next one to read, from now on being read."""
        with self._lock:
            file = next((file for file in self._files if file.state is State.WAITING and not file.stop), None)
            if file:
                file.state = State.READING
            return file


class Readers:
    """The threads that read files: `SIDE_BY_SIDE` of them while there is something to read, none else."""

    def __init__(self) -> None:
        self._queues: deque[weakref.ref[UploadQueue]] = deque()
        self._threads = 0
        self._lock = threading.Lock()

    def serve(self, queue: UploadQueue) -> None:
        """Read what waits on a desk, a file of each desk in turn."""
        with self._lock:
            if all(other() is not queue for other in self._queues):
                self._queues.append(weakref.ref(queue))
            missing = SIDE_BY_SIDE - self._threads
            self._threads += missing
        for _ in range(missing):
            self._start()

    def _start(self) -> None:
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        """Read one file; the next one is read in another thread, however this one ends."""
        turn = self._turn()
        if turn:
            file, queue = turn
            try:
                file.read(queue)
            finally:
                self._start()

    def _turn(self) -> tuple[Incoming, weakref.ref[UploadQueue]] | None:
        """A file to read; None where there is none, and no other thread follows this one."""
        with self._lock:
            while self._queues:
                of = self._queues.popleft()
                queue = of()
                file = queue.next_file() if queue else None
                if file:
                    self._queues.append(of)
                    return file, of
            self._threads -= 1
            return None


@st.cache_resource(show_spinner=False)
def readers() -> Readers:
    """The readers of this server, shared by all sessions."""
    return Readers()
