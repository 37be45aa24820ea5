"""Read files in order, several at once and few ahead, and skip those that are stored unchanged.

A file is unchanged if the workspace has its path and hash, read by the same code with the same options: its row's
`parse_key` says so. Only `add_files` writes that key; what came in another way is read again once.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from chunking.errors import ParseError
from chunking.indexing.adding.intake import Ids
from chunking.indexing.adding.parser_choices import ParserChoices
from chunking.indexing.run.run_records import Failure
from chunking.model import BUILT_IN, Document
from chunking.parsing.builder.reader_types import ParseOptions
from chunking.plugins import FORMATS, entry_places
from chunking.store import DocumentRow
from chunking.versions import PARSING_VERSION

if TYPE_CHECKING:
    from chunking.parsing.document import LoadedFile

__all__ = ["FileRead", "FileStream", "ReadChoices", "UnchangedFile", "UnchangedFiles", "parse_key_of", "side_by_side"]

F = TypeVar("F")
R = TypeVar("R")

_AHEAD = 4
"""Files read ahead of the one that is due, for each process that reads: their documents wait in memory."""


class FileRead(NamedTuple):
    """A file of a stream: its documents under their workspace ids, or why it has none."""

    source: str
    """Its path inside the workspace."""
    path: Path
    documents: tuple[Document, ...] = ()
    """Its own document, then those of files embedded in it; empty if it failed or is unchanged."""
    unchanged: tuple[str, ...] = ()
    """Ids of its documents in the workspace, if it was not parsed again."""
    failure: Failure | None = None
    parse_key: str = ""
    """To be stored with its own document."""

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """Ids of its documents, parsed now or before."""
        return self.unchanged or tuple(document.doc_id for document in self.documents)


@dataclass(frozen=True, slots=True)
class ReadChoices:
    """How each file of a stream is read."""

    parser_of: ParserChoices = field(default_factory=ParserChoices)
    encoding: str | None = None
    encodings: Mapping[str, str] = field(default_factory=dict)
    """Encodings of some files, by source; the others have `encoding`."""
    ocr: bool = False
    comments: bool = False

    def options(self, source: str) -> ParseOptions:
        """Return the options that `parsing.parse_all` reads a file with."""
        return {
            "encoding": self.encodings.get(source, self.encoding),
            "ocr": self.ocr,
            "comments": self.comments,
            "parser": self.parser_of(source),
        }


class UnchangedFile(NamedTuple):
    """A file as the workspace has it: path, hash, and code and options of its parse."""

    source: str
    hash: str
    code_key: str

    @classmethod
    def of(cls, source: str, data: bytes, options: ParseOptions) -> UnchangedFile:
        """Return what the workspace would have of a file that is read with some options."""
        return cls(source, hashlib.sha256(data).hexdigest(), _code_key(options))


class UnchangedFiles:
    """Files of a workspace that need not be parsed again while they are unchanged.

    Args:
        rows: the workspace's documents.
    """

    def __init__(self, rows: Iterable[DocumentRow]) -> None:
        rows = list(rows)
        self._inner: dict[str, list[str]] = {}
        for row in rows:
            if row.parent_id:
                self._inner.setdefault(row.parent_id, []).append(row.doc_id)
        self._files: dict[str, UnchangedFile] = {}
        for row in rows:
            code_key, _, count = row.parse_key.rpartition(" ")
            if code_key and count == str(1 + len(self._inner.get(row.doc_id, ()))):
                self._files[row.doc_id] = UnchangedFile(row.source, row.hash, code_key)
        self.all = frozenset(self._files.values())

    def claim(self, file: UnchangedFile, ids: Ids) -> tuple[str, ...]:
        """Claim the ids of an unchanged file's documents; empty if the next document of its path is another."""
        doc_id = ids.next_version(file.source)
        if self._files.get(doc_id) != file:
            return ()
        ids.claim(file.source)
        return (doc_id, *self._inner.get(doc_id, ()))


class FileStream:
    """Files parsed in guarded processes, and yielded in their order under workspace ids.

    Ids are assigned in the order of the files, to those that can be read: as if all had been read first.

    Args:
        files: (file, root) pairs of `parsing.find_files`.
        rows: the workspace's documents, of which files may be new versions.
        skip: don't parse files that the workspace has unchanged.
        cancelled: polled while files are read.
    """

    def __init__(
        self,
        files: Sequence[tuple[Path, Path]],
        rows: Sequence[DocumentRow],
        choices: ReadChoices,
        *,
        skip: bool = False,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self._files, self._choices, self._cancelled = files, choices, cancelled
        sources = set(map(_source, files))
        self._ids = Ids.among(rows, sources)
        alike = [row for row in rows if row.parent_id or row.source in sources] if skip else ()
        self._stored = UnchangedFiles(alike)

    def __len__(self) -> int:
        return len(self._files)

    def __iter__(self) -> Iterator[FileRead]:
        """Yield a `FileRead` for each file.

        Raises:
            Cancelled: `cancelled` returned True; the reading processes are stopped.
        """
        outcomes = side_by_side(self._files, self._read, self._cancelled)
        for file, outcome in zip(self._files, outcomes, strict=True):
            yield self._with_ids(file, outcome)

    def _read(self, file: tuple[Path, Path], stop: Callable[[], bool]) -> tuple[Document, ...] | UnchangedFile:
        """Parse a file, unless the workspace has it unchanged. Raises ParseError, Cancelled."""
        from chunking.parsing.document import load_file

        loaded, source = load_file(*file), _source(file)
        if self._stored.all:
            same = UnchangedFile.of(source, loaded.data, self._choices.options(source))
            if same in self._stored.all:
                return same
        return self._parse(loaded, source, stop)

    def _parse(self, loaded: LoadedFile, source: str, stop: Callable[[], bool] | None) -> tuple[Document, ...]:
        from chunking.parsing import parse_all_guarded

        options = self._choices.options(source)
        options["updated_at"] = loaded.updated_at
        return parse_all_guarded(loaded.data, loaded.source, cancelled=stop, **options)

    def _with_ids(
        self, file: tuple[Path, Path], outcome: tuple[Document, ...] | UnchangedFile | ParseError
    ) -> FileRead:
        """Return a file's documents under the ids that are next for its path."""
        path, source = file[0], _source(file)
        if isinstance(outcome, UnchangedFile):
            if doc_ids := self._stored.claim(outcome, self._ids):
                return FileRead(source, path, unchanged=doc_ids)
            outcome = self._again(file, source)  # of several documents of this path it replaces a different one
        if isinstance(outcome, ParseError):
            return FileRead(source, path, failure=Failure(source, str(outcome)))
        documents = tuple(self._ids.assign(outcome))
        return FileRead(source, path, documents, parse_key=parse_key_of(self._choices.options(source), len(documents)))

    def _again(self, file: tuple[Path, Path], source: str) -> tuple[Document, ...] | ParseError:
        from chunking.parsing.document import load_file

        try:
            return self._parse(load_file(*file), source, self._cancelled)
        except ParseError as error:
            return error


def _source(file: tuple[Path, Path]) -> str:
    from chunking.parsing import clean_source

    path, root = file
    return clean_source(path.relative_to(root).as_posix())


def parse_key_of(options: ParseOptions, documents: int) -> str:
    """Return `DocumentRow.parse_key` of a file's own document; empty if it must be parsed again each time.

    Args:
        documents: number of documents of the file, with those embedded in it.
    """
    code_key = _code_key(options)
    return f"{code_key} {documents}" if code_key else ""


def _code_key(options: ParseOptions) -> str:
    """Return the code and options that decide a parse; empty if they cannot be told from an earlier version's.

    Packages that add formats or parsers may change without a new version while they are written.
    """
    parser = options["parser"]
    if entry_places(FORMATS) or parser not in _PACKAGES:
        return ""
    parts = (PARSING_VERSION, parser, _package_version(parser), options["encoding"] or "")
    return json.dumps([*parts, options["ocr"], options["comments"]])


_PACKAGES = {BUILT_IN: "", "unstructured": "unstructured"}
"""Packages whose versions decide what the library's parsers read, besides `PARSING_VERSION`."""


@cache
def _package_version(parser: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(_PACKAGES[parser]) if _PACKAGES[parser] else ""
    except PackageNotFoundError:
        return ""


def side_by_side(
    files: Iterable[F],
    parse: Callable[[F, Callable[[], bool]], R],
    cancelled: Callable[[], bool] | None,
) -> Iterator[R | ParseError]:
    """Parse files in parallel, as many as the guard allows, yielding results or errors in order.

    Few results wait for the caller: parsing pauses while it is busy.

    Args:
        parse: called with a file, and a function that returns True once it shall stop.
    """
    from chunking.parsing.sandbox import MAX_CHILDREN

    stopped = threading.Event()

    def stop() -> bool:
        return stopped.is_set() or (cancelled is not None and cancelled())

    def parsed(file: F) -> R | ParseError:
        try:
            return parse(file, stop)
        except ParseError as error:
            return error

    with ThreadPoolExecutor(MAX_CHILDREN) as pool:
        waiting: deque[Future[R | ParseError]] = deque()
        try:
            for file in files:
                waiting.append(pool.submit(parsed, file))
                if len(waiting) > _AHEAD * MAX_CHILDREN:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            stopped.set()  # if the loop ended early (Ctrl+C), don't wait for the rest
            pool.shutdown(wait=False, cancel_futures=True)
