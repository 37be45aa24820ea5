"""Files and folders to documents: several at once, each in a guarded process, in their order."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from chunking.allowed import allowed
from chunking.errors import ParseError
from chunking.indexing.ingest.document_ids import Ids
from chunking.indexing.run.run_records import Failure, Progress
from chunking.model import Document
from chunking.paths import AnyPath, paths_of
from chunking.store import Workspace

__all__ = ["FilesRead", "SourceFiles", "read_files"]


@dataclass(slots=True)
class SourceFiles(Mapping[str, bytes]):
    """Files whose pages can be drawn, by hash, read again when they are saved: a folder of them may not fit the memory.

    A file that has changed or gone since is not in here any more.
    """

    paths: dict[str, Path] = field(default_factory=dict)

    def __getitem__(self, hash: str) -> bytes:
        path = self.paths[hash]
        try:
            data = path.read_bytes()
        except OSError as error:
            raise KeyError(hash) from error
        if hashlib.sha256(data).hexdigest() != hash:
            raise KeyError(hash)
        return data

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


class FilesRead(NamedTuple):
    """What came of some files."""

    documents: list[Document]
    """In the order of the files, each followed by those of the files in it."""
    failed: list[Failure]
    """Why the others could not be read."""
    sources: SourceFiles
    """Files to be kept with their documents; for `save`."""


def read_files(
    paths: AnyPath | Iterable[AnyPath],
    workspace: Workspace | None = None,
    *,
    root: AnyPath | None = None,
    encoding: str | None = None,
    encodings: Mapping[str, str] | None = None,
    ocr: bool = False,
    comments: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> FilesRead:
    """Read files and folders as documents; nothing is saved.

    Args:
        paths: files, or folders to read recursively; one path or several.
        workspace: whose documents the files may be new versions of.
        root: the folder that paths of documents are relative to, above all of `paths`; None: each folder, or the folder of a file.
        encoding: of all files; guessed for each where it is None.
        encodings: of some files, by their source; the others have `encoding`.
        ocr: read scanned pages by text recognition, where it is installed.
        comments: read the comments of office files as blocks of their own.
        on_progress: told after each file, in their order.
        cancelled: asked while files are read.
    Raises:
        ParseError: one of `paths` does not exist, or may not be read here (`chunking.allowed`).
        Cancelled: as asked; the processes that read are ended.
    """
    from chunking.parsing import FORMATS, clean_source, find_files, parse_file_guarded

    kept = {row.name for row in FORMATS if row.keeps_file}
    given = paths_of(paths)
    allowed().check_paths(given)
    files = [(path, Path(root) if root else own) for path, own in find_files(given)]
    allowed().check_paths(path for path, _ in files)
    ids = Ids.of(workspace)
    read = FilesRead([], [], SourceFiles())

    def parsed(path: Path, root: Path, stop: Callable[[], bool]) -> tuple[Document, ...]:
        own = (encodings or {}).get(clean_source(path.relative_to(root).as_posix()), encoding)
        return parse_file_guarded(path, root=root, encoding=own, ocr=ocr, comments=comments, cancelled=stop)

    for number, ((path, root), found) in enumerate(zip(files, _side_by_side(files, parsed, cancelled), strict=True)):
        source = clean_source(path.relative_to(root).as_posix())
        if isinstance(found, ParseError):
            read.failed.append(Failure(source, str(found)))
        else:
            read.documents.extend(ids.assign(found))
            if found[0].format in kept:
                read.sources.paths[found[0].hash] = path
        if on_progress is not None:
            on_progress(Progress(number + 1, len(files), f"Read {source}"))
    return read


def _side_by_side(
    files: Iterable[tuple[Path, Path]],
    parse: Callable[[Path, Path, Callable[[], bool]], tuple[Document, ...]],
    cancelled: Callable[[], bool] | None,
) -> Iterator[tuple[Document, ...] | ParseError]:
    """What each file is, or why it cannot be read, in order; as many at once as the guard reads side by side."""
    from chunking.parsing.sandbox import MAX_CHILDREN

    stopped = threading.Event()

    def stop() -> bool:
        return stopped.is_set() or (cancelled is not None and cancelled())

    def parsed(file: tuple[Path, Path]) -> tuple[Document, ...] | ParseError:
        try:
            return parse(*file, stop)
        except ParseError as error:
            return error

    with ThreadPoolExecutor(MAX_CHILDREN) as pool:
        try:
            yield from pool.map(parsed, files)
        finally:
            stopped.set()  # where the loop was left early, by Ctrl+C perhaps: nobody waits for the rest
            pool.shutdown(wait=False, cancel_futures=True)
