"""Read files into documents, several at once in guarded processes, and save them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, overload

from chunking.allowed import allowed
from chunking.display import quantity
from chunking.errors import Cancelled
from chunking.indexing.adding.file_stream import FileRead, FileStream, ReadChoices, side_by_side
from chunking.indexing.adding.intake import SourceFiles, keeps_file
from chunking.indexing.adding.parser_choices import ParserChoices
from chunking.indexing.run.run_records import Failure, IndexProgress
from chunking.model import Document
from chunking.paths import AnyPath, paths_of
from chunking.store import Workspace

__all__ = [
    "AddedDocuments",
    "DocumentBatch",
    "FilesAdded",
    "FilesRead",
    "add_files",
    "read_files",
    "save",
    "side_by_side",
]

_BATCH_CHARACTERS = 8_000_000
"""Characters of text per commit, about."""
_BATCH_BYTES = 64 * 2**20
"""Bytes of source files per commit, about."""
_BATCH_DOCUMENTS = 2_000
"""Documents per commit, about: many short ones take memory, too."""
_BATCH_SECONDS = 30.0
"""Seconds between commits while files are read: what a killed process loses."""


class FilesRead(NamedTuple):
    """Documents of files that were read, and failures of the others."""

    documents: list[Document]
    """In the order of the files, each followed by the documents of files embedded in it."""
    failed: list[Failure]
    """Files that could not be read, with reasons."""
    sources: SourceFiles
    """Source files to store with their documents; for `save`."""


def read_files(
    paths: AnyPath | Iterable[AnyPath],
    workspace: Workspace | None = None,
    *,
    root: AnyPath | None = None,
    encoding: str | None = None,
    encodings: Mapping[str, str] | None = None,
    ocr: bool = False,
    comments: bool = False,
    parser: str | None = None,
    parsers: Mapping[str, str] | None = None,
    on_progress: Callable[[IndexProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> FilesRead:
    """Parse files and folders to documents without saving; `failed` lists the files that fail.

    Several files are parsed at once, in guarded processes. All documents are in memory at the end: `add_files` saves
    them on the way.

    Args:
        paths: files, or folders to read recursively; one path or several.
        workspace: its documents, of which the files may be new versions: these get the ids of the earlier ones.
        root: folder that document paths are relative to, above all `paths`; None: each folder, or a file's own.
        encoding: of all files; None: guessed for each.
        encodings: of some files, by source; the others have `encoding`.
        ocr: read scanned pages by text recognition, where installed.
        comments: read comments of office files as blocks.
        parser: name of the parser of all files (`parsing.PARSERS`); None: that of the document that a file is a new
            version of, else the workspace's, else the built-in one.
        parsers: of some files, by source; the others have `parser`.
        on_progress: called after each file, in order.
        cancelled: polled while files are read.
    Raises:
        ParseError: one of `paths` does not exist, or may not be read here (`chunking.allowed`); or there is no such
            parser.
        Cancelled: `cancelled` returned True; the reading processes are stopped.
    """
    files = _files(paths, root)
    choices = ReadChoices(ParserChoices.of(workspace, parser, parsers), encoding, encodings or {}, ocr, comments)
    stream = FileStream(files, workspace.documents() if workspace else (), choices, cancelled=cancelled)
    read = FilesRead([], [], SourceFiles())
    for number, file in enumerate(stream, start=1):
        read.documents.extend(file.documents)
        if file.failure is not None:
            read.failed.append(file.failure)
        elif keeps_file(file.documents[0]):
            read.sources.files[file.documents[0].hash] = file.path
        if on_progress is not None:
            on_progress(IndexProgress(number, len(stream), f"Read {file.source}"))
    return read


def _files(paths: AnyPath | Iterable[AnyPath], root: AnyPath | None) -> list[tuple[Path, Path]]:
    """Return (file, root) of each file to read; raises ParseError for what is missing or not allowed."""
    from chunking.parsing import find_files

    places = paths_of(paths)
    allowed().check_paths(places)
    files = [(path, Path(root) if root else own) for path, own in find_files(places)]
    allowed().check_paths(path for path, _ in files)
    return files


# -- saving


class AddedDocuments(Sequence[Document]):
    """Documents that were added, in the order of their files, each read when it is used.

    Looping over them reads a few at a time, with people's changes; deleted ones are left out.

    Attributes:
        doc_ids: their ids.
        unchanged: number of those that the workspace had already, and that were not parsed again.
    """

    def __init__(self, workspace: Workspace, doc_ids: Sequence[str], unchanged: int = 0) -> None:
        self._workspace = workspace
        self.doc_ids = tuple(doc_ids)
        self.unchanged = unchanged

    def __len__(self) -> int:
        return len(self.doc_ids)

    def __iter__(self) -> Iterator[Document]:
        return self._workspace.read_documents(self.doc_ids)

    @overload
    def __getitem__(self, place: int) -> Document: ...
    @overload
    def __getitem__(self, place: slice) -> list[Document]: ...
    def __getitem__(self, place: int | slice) -> Document | list[Document]:
        if isinstance(place, slice):
            return list(self._workspace.read_documents(self.doc_ids[place]))
        return self._workspace.document(self.doc_ids[place])

    def __repr__(self) -> str:
        return f"AddedDocuments({quantity(len(self), 'document')}, {self.unchanged:,} unchanged)"


class FilesAdded(NamedTuple):
    """Documents of files that were added to a workspace, and failures of the others."""

    documents: AddedDocuments
    failed: list[Failure]
    """Files that could not be read, with reasons."""


def add_files(
    workspace: Workspace,
    paths: AnyPath | Iterable[AnyPath],
    *,
    root: AnyPath | None = None,
    encoding: str | None = None,
    encodings: Mapping[str, str] | None = None,
    ocr: bool = False,
    comments: bool = False,
    parser: str | None = None,
    parsers: Mapping[str, str] | None = None,
    again: bool = False,
    on_file: Callable[[FileRead], None] | None = None,
    on_progress: Callable[[IndexProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> FilesAdded:
    """Read files and folders, and save the documents in batches while others are read.

    Memory holds one batch, however many files there are. A file that the workspace has unchanged (path, content, code
    and options) is not parsed again: after an interruption the same call goes on with what is missing. Documents and
    ids are those of `read_files` and `save`. Holds the workspace's lock meanwhile.

    Args:
        root, encoding, encodings, ocr, comments, parser, parsers: as for `read_files`.
        again: parse unchanged files, too.
        on_file: called with each file in order, before its documents are saved.
        on_progress: called after each file, in order.
        cancelled: polled while files are read.
    Returns:
        The documents of the files, saved now or before, and the files that could not be read.
    Raises:
        ParseError: one of `paths` does not exist.
        LockedError, StoreError: the workspace cannot be written.
        Cancelled: `cancelled` returned True; the documents read before are saved, and the message says how many.
    """
    files = _files(paths, root)
    with workspace.writer():
        choices = ReadChoices(ParserChoices.of(workspace, parser, parsers), encoding, encodings or {}, ocr, comments)
        stream = FileStream(files, workspace.documents(), choices, skip=not again, cancelled=cancelled)
        batch, doc_ids, failed = DocumentBatch(workspace), list[str](), list[Failure]()
        unchanged = read = 0
        try:
            for file in stream:
                if on_file is not None:
                    on_file(file)
                if file.failure is not None:
                    failed.append(file.failure)
                elif file.documents:
                    batch.add(file.documents, _source_files(file), file.parse_key)
                doc_ids += file.doc_ids
                unchanged += len(file.unchanged)
                read += 1
                if on_progress is not None:
                    what = "Unchanged:" if file.unchanged else "Read"
                    on_progress(IndexProgress(read, len(stream), f"{what} {file.source}"))
        except Cancelled as error:
            batch.save()
            raise Cancelled(
                f"Stopped after {read:,} of {quantity(len(stream), 'file')}. What was read is saved; add the files "
                "again to read the others.",
            ) from error
        batch.save()
    return FilesAdded(AddedDocuments(workspace, doc_ids, unchanged), failed)


def _source_files(file: FileRead) -> SourceFiles:
    """Return the file itself to store with its documents, if its format keeps it."""
    own = file.documents[0]
    return SourceFiles({own.hash: file.path} if keeps_file(own) else {})


def save(
    workspace: Workspace,
    documents: Iterable[Document],
    files: Mapping[str, bytes] | None = None,
    parse_keys: Mapping[str, str] | None = None,
) -> None:
    """Save documents to a workspace, many per commit, their source files first.

    Args:
        documents: each followed by the documents embedded in it, which are saved in the same commit.
        files: source files to store, by hash (`Intake.sources`).
        parse_keys: of files' own documents by id (`file_stream.parse_key_of`).
    """
    batch = DocumentBatch(workspace)
    for family in _families(documents):
        batch.add(family, files or {}, parse_keys.get(family[0].doc_id, "") if parse_keys else "")
    batch.save()


def _families(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Group documents into files: each with the documents embedded in it."""
    family: list[Document] = []
    for document in documents:
        if family and not document.parent_id:
            yield family
            family = []
        family.append(document)
    if family:
        yield family


class DocumentBatch:
    """Documents and source files of the next commit, which is made once there are enough of them."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._begin()

    def _begin(self) -> None:
        self._documents: list[Document] = []
        self._files: dict[str, bytes] = {}
        self._parse_keys: dict[str, str] = {}
        self._characters = self._size = 0
        self._since = time.monotonic()

    def add(self, family: Sequence[Document], files: Mapping[str, bytes], parse_key: str = "") -> None:
        """Add the documents of a file, and those of `files` that belong to them; save a full batch first."""
        if self._is_full():
            self.save()
        self._documents += family
        self._characters += sum(len(document.text) for document in family)
        if parse_key:
            self._parse_keys[family[0].doc_id] = parse_key
        for document in family:
            data = None if document.hash in self._files else files.get(document.hash)
            if data is not None:
                self._files[document.hash] = data
                self._size += len(data)

    def _is_full(self) -> bool:
        return (
            self._characters >= _BATCH_CHARACTERS
            or self._size >= _BATCH_BYTES
            or len(self._documents) >= _BATCH_DOCUMENTS
            or time.monotonic() - self._since >= _BATCH_SECONDS
        )

    def save(self) -> None:
        """Save what has been added, in one commit, and begin the next batch."""
        if self._documents:
            self._workspace.put_documents(self._documents, self._files, self._parse_keys)
        self._begin()
