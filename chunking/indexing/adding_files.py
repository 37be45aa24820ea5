"""Read files into documents, several at once in guarded processes, and save them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar

from chunking.allowed import allowed
from chunking.errors import ParseError
from chunking.indexing.intake import Intake, SourceFiles
from chunking.indexing.parser_choices import ParserChoices
from chunking.indexing.run.run_records import Failure, IndexProgress
from chunking.model import Document
from chunking.parsing.builder.reader_types import ParseOptions
from chunking.paths import AnyPath, paths_of
from chunking.store import Workspace

__all__ = ["FilesRead", "add_files", "read_files", "save", "side_by_side"]

F = TypeVar("F")
R = TypeVar("R")

_BATCH_CHARACTERS = 8_000_000
"""Characters of text per commit, about."""
_BATCH_BYTES = 64 * 2**20
"""Bytes of source files per commit, about."""


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

    Several files are parsed at once, in guarded processes.

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
    from chunking.parsing import clean_source, find_files, parse_file_guarded

    places = paths_of(paths)
    allowed().check_paths(places)
    files = [(path, Path(root) if root else own) for path, own in find_files(places)]
    allowed().check_paths(path for path, _ in files)
    intake = Intake(workspace.documents() if workspace else ())
    parser_of = ParserChoices.of(workspace, parser, parsers)
    failed: list[Failure] = []

    def parse(file: tuple[Path, Path], stop: Callable[[], bool]) -> tuple[Document, ...]:
        path, root = file
        source = clean_source(path.relative_to(root).as_posix())
        own = (encodings or {}).get(source, encoding)
        options: ParseOptions = {"encoding": own, "ocr": ocr, "comments": comments, "parser": parser_of(source)}
        return parse_file_guarded(path, root=root, cancelled=stop, **options)

    for number, ((path, root), family) in enumerate(zip(files, side_by_side(files, parse, cancelled), strict=True)):
        source = clean_source(path.relative_to(root).as_posix())
        if isinstance(family, ParseError):
            failed.append(Failure(source, str(family)))
        else:
            intake.add(family, path)
        if on_progress is not None:
            on_progress(IndexProgress(number + 1, len(files), f"Read {source}"))
    return FilesRead(intake.documents, failed, intake.sources)


def side_by_side(
    files: Iterable[F],
    parse: Callable[[F, Callable[[], bool]], R],
    cancelled: Callable[[], bool] | None,
) -> Iterator[R | ParseError]:
    """Parse files in parallel, as many as the guard allows, yielding results or errors in order.

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
        try:
            yield from pool.map(parsed, files)
        finally:
            stopped.set()  # if the loop ended early (Ctrl+C), don't wait for the rest
            pool.shutdown(wait=False, cancel_futures=True)


# -- saving


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
    on_progress: Callable[[IndexProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[list[Document], list[Failure]]:
    """Read files and folders, and save the documents; see `read_files`.

    Holds the workspace's lock meanwhile, and saves nothing before all files are read.

    Returns:
        The documents saved, and the files that could not be read.
    Raises:
        ParseError: one of `paths` does not exist.
        LockedError, StoreError: the workspace cannot be written.
        Cancelled: `cancelled` returned True; nothing was saved.
    """
    with workspace.writer():
        read = read_files(
            paths,
            workspace,
            root=root,
            encoding=encoding,
            encodings=encodings,
            ocr=ocr,
            comments=comments,
            parser=parser,
            parsers=parsers,
            on_progress=on_progress,
            cancelled=cancelled,
        )
        save(workspace, read.documents, read.sources)
    return read.documents, read.failed


def save(workspace: Workspace, documents: Iterable[Document], files: Mapping[str, bytes] | None = None) -> None:
    """Save documents to a workspace, many per commit, their source files first.

    Args:
        documents: each followed by the documents embedded in it, which are saved in the same commit.
        files: source files to store, by hash (`Intake.sources`).
    """
    batch: list[Document] = []
    batch_files: dict[str, bytes] = {}
    characters = size = 0
    for document in documents:
        if not document.parent_id and (characters >= _BATCH_CHARACTERS or size >= _BATCH_BYTES):
            workspace.put_documents(batch, batch_files)
            batch, batch_files = [], {}
            characters = size = 0
        batch.append(document)
        characters += len(document.text)
        data = files.get(document.hash) if files and document.hash not in batch_files else None
        if data is not None:
            batch_files[document.hash] = data
            size += len(data)
    if batch:
        workspace.put_documents(batch, batch_files)
