"""Uploaded files, and kept files to read again, parsed in the sandbox.

They are held until their session adds or discards them. Parsing continues while the page is left or redrawn. The reader
threads are shared by all sessions and take turns between them. Only `readers` depends on Streamlit.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import streamlit as st

from chunking.errors import Cancelled, ChunkscopeError
from chunking.model import BUILT_IN, Document
from chunking.parsing import clean_source, numbered_source, parse_all_guarded

__all__ = [
    *("MOST_BYTES", "SIDE_BY_SIDE", "Incoming", "ParsedAgain", "ReadState", "Readers", "StoredFile", "UploadQueue"),
    "readers",
]

SIDE_BY_SIDE = 2
"""Files parsed at a time, over all sessions."""

MOST_BYTES = 500 * 2**20
"""Most bytes of the files that a session holds."""

_numbers = itertools.count(1)


class ReadState(StrEnum):
    """State of an uploaded file: waiting, being parsed, parsed, failed or stopped."""

    WAITING = "waiting"
    READING = "reading"
    FOUND = "found"
    FAILED = "failed"
    STOPPED = "stopped"


class ParsedAgain(NamedTuple):
    """A document's kept file, read with another parser."""

    documents: tuple[Document, ...]
    """In the order of `parsing.parse_all`."""
    data: bytes
    """Content to store; empty if the workspace has it."""
    losses: tuple[str, ...]
    """Sentences on the answers, labels, edits and pins that the new text lacks."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A document whose kept file is read again with another parser."""

    workspace: str
    """URI of its workspace."""
    doc_id: str
    hash: str
    """Hash of the file that is read."""
    read: Callable[[Callable[[], bool]], ParsedAgain]
    """Function that reads it; takes a function that returns True once it shall stop."""


@dataclass(slots=True, eq=False)
class Incoming:
    """An uploaded file, or a stored one to read again, with the documents that its thread parsed."""

    source: str
    """Path in the workspace."""
    data: bytes
    encoding: str | None = None
    """Encoding to use; None: detect it."""
    ocr: bool = False
    comments: bool = False
    """True to read the comments of office files."""
    parser: str = BUILT_IN
    """Name of the parser."""
    stored: StoredFile | None = None
    """Document to read again; None for an upload."""
    losses: tuple[str, ...] = ()
    """Losses of a document that was read again (`ParsedAgain.losses`)."""
    state: ReadState = ReadState.WAITING
    documents: tuple[Document, ...] = ()
    """The file's own document, then those of files inside it."""
    sentence: str = ""
    """Error or warning."""
    stop: bool = False
    """True once its parsing is to stop."""
    number: int = field(default_factory=lambda: next(_numbers))

    @property
    def document(self) -> Document | None:
        """The file's own document, or None."""
        return self.documents[0] if self.documents else None

    def read(self, queue: weakref.ref[UploadQueue]) -> None:
        """Parse the file in the sandbox and store documents, state and error on it.

        Ends early if it is stopped or its session has ended. If it fails, documents from an earlier attempt with other
        options are kept, and the state stays `FOUND`.
        """
        self.sentence = f"{self.source} was not read because of a bug in Chunkscope; see the server's log."
        state = ReadState.FAILED
        try:
            self._parse(lambda: self._over(queue))
            self.sentence, state = "", ReadState.FOUND
        except Cancelled:
            self.sentence, state = "", ReadState.STOPPED
        except ChunkscopeError as error:
            self.sentence = str(error)
        finally:
            self.state = ReadState.FOUND if self.documents else state

    def _parse(self, stop: Callable[[], bool]) -> None:
        if self.stored is not None:
            self.documents, self.data, self.losses = self.stored.read(stop)
            return
        self.documents = parse_all_guarded(
            self.data,
            self.source,
            encoding=self.encoding,
            ocr=self.ocr,
            comments=self.comments,
            parser=self.parser,
            cancelled=stop,
        )

    def _over(self, queue: weakref.ref[UploadQueue]) -> bool:
        return self.stop or queue() is None


class UploadQueue:
    """Uploaded files of a session, held in memory until they are added or discarded."""

    def __init__(self, by: Readers) -> None:
        self._by = by
        self._files: list[Incoming] = []
        self._lock = threading.Lock()
        self.batches = 0
        """Number of batches queued; kept here, since an interrupted run could lose a count in the session state."""

    @property
    def files(self) -> list[Incoming]:
        """Files in the order of upload."""
        return list(self._files)

    @property
    def bytes_held(self) -> int:
        """Size of the files in bytes, plus the characters of their documents."""
        return sum(len(file.data) + sum(len(document.text) for document in file.documents) for file in self._files)

    @property
    def active(self) -> bool:
        """True if a file is waiting or being parsed."""
        return any(file.state in (ReadState.WAITING, ReadState.READING) for file in self._files)

    def take(
        self,
        batch: Iterable[tuple[str, bytes]],
        *,
        comments: bool = False,
        parser_of: Callable[[str], str] = lambda _: BUILT_IN,
    ) -> None:
        """Queue files dropped together, given as (name, content), and have them parsed in threads.

        A name that occurs twice in a batch makes two documents; a name of an earlier batch replaces that file. A file
        that would exceed `MOST_BYTES` fails, and its content is dropped.

        Args:
            parser_of: returns the parser of a file by its source.
        """
        with self._lock:
            files = {_key(file): file for file in self._files}
            size, names = sum(len(file.data) for file in self._files), set[str]()
            for name, data in batch:
                source = numbered_source(clean_source(name), names)
                names.add(source)
                old = files.pop((source, ""), None)
                if old is not None:
                    old.stop = True
                    size -= len(old.data)
                file = Incoming(source, data, comments=comments, parser=parser_of(source))
                files[_key(file)] = file
                if size + len(data) > MOST_BYTES:
                    file.data, file.state = b"", ReadState.FAILED
                    file.sentence = (
                        f"{source} was not accepted: {MOST_BYTES >> 20} MB of files are waiting already; add or "
                        f"discard them first."
                    )
                size += len(file.data)
            self._files = list(files.values())
            self.batches += 1
        self._by.serve(self)

    def take_stored(self, stored: Iterable[Incoming]) -> None:
        """Queue documents to be read again; an earlier wish for the same document is dropped."""
        with self._lock:
            files = {_key(file): file for file in self._files}
            for file in stored:
                if old := files.pop(_key(file), None):
                    old.stop = True
                files[_key(file)] = file
            self._files = list(files.values())
        self._by.serve(self)

    def read_again(
        self, file: Incoming, *, encoding: str | None = None, ocr: bool = False, comments: bool = False
    ) -> None:
        """Parse a file again with other options, in a thread; its documents stay until then."""
        file.encoding, file.ocr, file.comments = encoding, ocr, comments
        file.sentence, file.stop, file.state = "", False, ReadState.WAITING
        self._by.serve(self)

    def cancel(self) -> None:
        """Stop parsing all files of the session; documents parsed so far stay."""
        with self._lock:
            for file in self._files:
                file.stop = True
                if file.state is ReadState.WAITING:
                    file.state = ReadState.STOPPED

    def forget(self, numbers: Collection[int]) -> None:
        """Drop files by number, and stop parsing them."""
        with self._lock:
            for file in self._files:
                file.stop = file.stop or file.number in numbers
            self._files = [file for file in self._files if file.number not in numbers]

    def next_file(self) -> Incoming | None:
        """Return the next waiting file, marked as being parsed, or None."""
        with self._lock:
            file = next((file for file in self._files if file.state is ReadState.WAITING and not file.stop), None)
            if file:
                file.state = ReadState.READING
            return file


def _key(file: Incoming) -> tuple[str, str]:
    """Source, and the id of a document to read again: several documents may have one source."""
    return file.source, file.stored.doc_id if file.stored else ""


class Readers:
    """Threads that parse files of all sessions: `SIDE_BY_SIDE` while files wait, otherwise none."""

    def __init__(self) -> None:
        self._queues: deque[weakref.ref[UploadQueue]] = deque()
        self._threads = 0
        self._lock = threading.Lock()

    def serve(self, queue: UploadQueue) -> None:
        """Queue a session's files for the threads, and start missing ones; queues take turns."""
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
        """Parse one file, and always start the next thread."""
        turn = self._turn()
        if turn:
            file, queue = turn
            try:
                file.read(queue)
            finally:
                self._start()

    def _turn(self) -> tuple[Incoming, weakref.ref[UploadQueue]] | None:
        """Return the next file with its queue; None ends the thread."""
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
    """Return the readers of this server, shared by all sessions."""
    return Readers()
