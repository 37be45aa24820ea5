"""The commands `parse` and `chunk`, and reading files and settings for every command.

These two need neither storage nor model, and load neither, but for the model's tokenizer.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chunking.cli.streams import complain, say, show_progress, write_row
from chunking.config import ChunkConfig, Config
from chunking.errors import ChangeError, ConfigError, ParseError

if TYPE_CHECKING:
    from chunking.indexing import DocumentInputs, Failure, FilesAdded, FilesRead, IndexProgress
    from chunking.indexing.adding.file_reading import FileReading
    from chunking.indexing.engine_options import EngineOptions
    from chunking.indexing.run.run_records import Cancel, OnProgress
    from chunking.model import Document
    from chunking.parsing.edits import EditedDocument
    from chunking.splitting import Achieved
    from chunking.splitting.pins.stored_pins import PinnedDocument
    from chunking.store import Workspace
    from chunking.text.change_files import ChangeFile, DocumentChange, DocumentChanges

    C = TypeVar("C", bound=DocumentChange)

__all__ = [
    "add",
    "chunk",
    "config_of",
    "engine_options",
    "existing_paths",
    "inputs_of",
    "pair",
    "parse",
    "read",
    "reading_options",
    "show_files",
]


def parse(arguments: argparse.Namespace) -> int:
    """Print one line per document, files inside files included; blocks carry their token counts.

    Exit code 1 if a file failed.
    """
    from chunking.embedding.model_folder import counting_folder
    from chunking.splitting import block_tokens, token_counter
    from chunking.store.chunk_records import document_record

    counter = token_counter(counting_folder(config_of(arguments).embedding).path)
    documents, failed, _ = read(arguments.files, arguments)
    for document in documents:
        write_row(document_record(document, block_tokens(document, counter).tolist()))
    return int(bool(failed))


def chunk(arguments: argparse.Namespace) -> int:
    """Read and split files, and print one line per chunk; exit code 1 if a file failed."""
    from chunking.embedding.model_folder import counting_folder
    from chunking.splitting import Chunker, model_sentences, token_counter
    from chunking.store.chunk_records import chunk_record

    config = config_of(arguments)
    model = counting_folder(config.embedding)
    documents, failed, _ = read(arguments.files, arguments)
    for document in documents:
        sentences = model_sentences(config.embedding)
        chunker = Chunker(document, token_counter(model.path), max_tokens=model.content_tokens, sentences=sentences)
        own = config.for_category(document.category).chunk
        split = chunker.split(own)
        _warn(document, (*split.boundaries.warnings, *_longer(split.boundaries.achieved, own)))
        for one in split.chunks():
            write_row(chunk_record(one))
    return int(bool(failed))


def _longer(achieved: Achieved, config: ChunkConfig) -> Iterator[str]:
    """Yield warnings on chunks that table descriptions made too long, or that shortened one."""
    one, several = "1 chunk is", f"{achieved.description_over_size:,} chunks are"
    if achieved.description_over_size:
        yield (
            f"{one if achieved.description_over_size == 1 else several} embedded over the size "
            f"{config.size:,}, with up to {achieved.embedded_max:,} {config.unit.value}, because of table "
            f"descriptions or placeholders; table_text=cells omits descriptions."
        )
    one, several = "1 chunk has", f"{achieved.description_shortened:,} chunks have"
    if achieved.description_shortened:
        yield (
            f"{one if achieved.description_shortened == 1 else several} a table description that was cut to "
            f"the model's limit; a smaller size leaves more room."
        )


def config_of(arguments: argparse.Namespace) -> Config:
    """Return the settings of `--config` (a file or saved name), else defaults, changed by `--set`.

    Raises:
        ConfigError: a setting is unknown or out of range, or the file cannot be read.
    """
    base = (_saved(arguments) or Config.from_file(arguments.config)) if arguments.config else Config()
    return Config.from_settings(dict(pair(text, "size=300") for text in arguments.set), base)


def engine_options(arguments: argparse.Namespace) -> EngineOptions:
    """Return `--engine`, `--address` and `--workers`, unchecked."""
    return {"engine": arguments.engine, "address": arguments.address, "workers": arguments.workers}


def _saved(arguments: argparse.Namespace) -> Config | None:
    """Load the configuration saved under the name in `--config`; None if that is a file or unknown."""
    folder = getattr(arguments, "workspace", None)
    if not folder or os.path.exists(arguments.config) or not os.path.isdir(folder):
        return None
    from chunking.store import SavedConfiguration, Workspace

    text = Workspace.open(folder, create=False).configurations.get(arguments.config)
    return None if text is None else SavedConfiguration.from_json(arguments.config, text).config()


def pair(text: str, example: str) -> tuple[str, str]:
    """Split `key=value` at the first equals sign; only the key is stripped of spaces.

    Args:
        example: correct form, for the error message.
    Raises:
        ConfigError: there is no equals sign.
    """
    key, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(f"'{text}' is not of the form key=value; write for example {example}.", where=text)
    return key.strip(), value  # a space may matter: `query: ` is a prompt of some models


def read(paths: Iterable[Path], arguments: argparse.Namespace, workspace: Workspace | None = None) -> FilesRead:
    """Read files as documents with edits and pins applied; print warnings and failures to stderr.

    Nothing is saved; `add` does that.

    Args:
        arguments: how files are read (`READING` of `shared_arguments`), and the edits and pins of their documents.
        workspace: its documents, of which the files may be new versions.
    """
    from chunking.indexing import read_files

    there, missing = existing_paths(paths)
    inputs, notes = inputs_of(arguments), _FileNotes()
    files = read_files(there, workspace, **reading_options(arguments, inputs), on_progress=show_files)
    files = files._replace(failed=[*missing, *files.failed])
    for failure in files.failed:
        notes.fail(failure)
    if arguments.edits is not None or inputs.edits:
        files = files._replace(documents=_edited(files.documents, arguments, inputs.edits))
    if arguments.pins is not None or inputs.pins:
        files = files._replace(documents=_pinned(files.documents, arguments, inputs.pins))
    losses = _losses(workspace) if workspace is not None else None
    for document in files.documents:
        notes.warn(document, document.warnings)
        notes.warn(document, losses(document) if losses else ())
    notes.close()
    return files


def add(
    paths: Iterable[Path],
    arguments: argparse.Namespace,
    workspace: Workspace,
    *,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
) -> FilesAdded:
    """Add files to a workspace with their edits and pins, and print warnings and failures to stderr.

    Documents are saved in batches while others are read.

    Args:
        arguments: as for `read`.
        on_progress, cancelled: as for `add_files`; None: progress goes to stderr.
    """
    from chunking.indexing import add_files
    from chunking.indexing.adding.file_stream import FileRead
    from chunking.parsing.edits import EDIT_FILE, apply
    from chunking.splitting.pins.stored_pins import PIN_FILE
    from chunking.store.documents.listed_changes import add_changes

    there, missing = existing_paths(paths)
    inputs, notes, losses = inputs_of(arguments), _FileNotes(), _losses(workspace)
    edits = _listed(arguments.edits, EDIT_FILE) if arguments.edits else inputs.edits
    pins = _listed(arguments.pins, PIN_FILE) if arguments.pins else inputs.pins
    named: set[int] = set()  # entries, by identity, whose documents are among the files

    for failure in missing:
        notes.fail(failure)

    def on_file(file: FileRead) -> None:
        if file.failure is not None:
            notes.fail(file.failure)
        for document in file.documents:
            own_edits = [one for one in edits if one.is_about(document)]
            own_pins = [one for one in pins if one.is_about(document)]
            if own_edits:
                done = apply(document, [edit for one in own_edits for edit in one.changes])
                notes.warn(document, (misfit.sentence for misfit in done.misfits))
            add_changes(workspace, [document], own_edits, EDIT_FILE)
            add_changes(workspace, [document], own_pins, PIN_FILE)
            named.update(map(id, (*own_edits, *own_pins)))
            notes.warn(document, document.warnings)
            notes.warn(document, losses(document))

    added = add_files(
        workspace,
        there,
        **reading_options(arguments, inputs),
        again=getattr(arguments, "again", False) or bool(edits or pins),  # changes are for the documents as read
        on_file=on_file,
        on_progress=on_progress or show_files,
        cancelled=cancelled,
    )
    notes.close()
    if arguments.edits:
        _say_unknown(arguments.edits, EDIT_FILE, [one for one in edits if id(one) not in named])
    if arguments.pins:
        _say_unknown(arguments.pins, PIN_FILE, [one for one in pins if id(one) not in named])
    return added._replace(failed=[*missing, *added.failed])


def reading_options(arguments: argparse.Namespace, inputs: DocumentInputs) -> FileReading:
    """Return how files are read, by options and configuration."""
    return {
        "encoding": arguments.encoding,
        "encodings": inputs.encodings,
        "ocr": arguments.ocr,
        "comments": arguments.comments,
        "parser": arguments.parser,
        "parsers": inputs.parsers,
    }


def show_files(progress: IndexProgress) -> None:
    """Draw the progress of reading files, on a terminal."""
    show_progress(progress.done, progress.total, "files", progress.message)


class _FileNotes:
    """Warnings and failures of files on stderr: of many alike the first ones, and at the end their number."""

    def __init__(self) -> None:
        from chunking.indexing.run.failures import SimilarSentences

        self._failed, self._warned = SimilarSentences(), SimilarSentences()

    def fail(self, failure: Failure) -> None:
        if self._failed.add(failure.source, failure.error):
            complain(failure.error)

    def warn(self, document: Document, warnings: Iterable[str]) -> None:
        _warn(document, [one for one in warnings if self._warned.add(document.source, one)])

    def close(self) -> None:
        for one in self._failed.others():
            complain(f"{one.source}: {one.error}")
        for one in self._warned.others():
            say(f"{one.source}: {one.error}")


def _losses(workspace: Workspace) -> Callable[[Document], Iterable[str]]:
    """Return a function of a document: which answers, labels, edits and pins its new parser's text does not have."""
    recorded = {row.doc_id: row.parser for row in workspace.documents()}

    def of(document: Document) -> Iterable[str]:
        from chunking.evaluation.questions.parse_losses import parse_losses

        same = recorded.get(document.doc_id, document.parser) == document.parser
        return () if same else map(str, parse_losses(workspace, [document]))

    return of


def inputs_of(arguments: argparse.Namespace) -> DocumentInputs:
    """Return the edits, pins, encodings and parsers of `--config`; empty where their own option is given.

    Raises:
        ConfigError, ChangeError: the file cannot be read, or its part `documents` holds something else.
    """
    from chunking.indexing import DocumentInputs

    path = getattr(arguments, "config", None)
    if not path or not os.path.isfile(path):
        return DocumentInputs()
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"The configuration file {path} cannot be read ({error}); check its name.", where=path
        ) from error
    inputs = DocumentInputs.from_yaml(text, where=path)
    return DocumentInputs(
        () if arguments.edits else inputs.edits,
        () if arguments.pins else inputs.pins,
        {} if arguments.encoding else inputs.encodings,
        {} if arguments.parser else inputs.parsers,
    )


def _edited(
    documents: list[Document], arguments: argparse.Namespace, edits: tuple[EditedDocument, ...]
) -> list[Document]:
    """Apply the edits of `--edits` or `--config`.

    Raises:
        ChangeError: the file cannot be read, or is no list of edits.
    """
    from chunking.parsing.edits import EDIT_FILE, apply

    edited = _listed(arguments.edits, EDIT_FILE, documents) if arguments.edits else edits
    results: list[Document] = []
    for document in documents:
        done = apply(document, [edit for one in edited if one.is_about(document) for edit in one.changes])
        _warn(document, (misfit.sentence for misfit in done.misfits))
        results.append(done.document)
    return results


def _pinned(
    documents: list[Document], arguments: argparse.Namespace, pins: tuple[PinnedDocument, ...]
) -> list[Document]:
    """Apply the pins of `--pins` or `--config`.

    Raises:
        ChangeError: the file cannot be read, or is no list of pins.
    """
    from chunking.splitting.pins.stored_pins import PIN_FILE, with_file_pins

    pinned = _listed(arguments.pins, PIN_FILE, documents) if arguments.pins else pins
    return with_file_pins(documents, pinned)


def _listed(path: Path, of: ChangeFile[C], documents: list[Document] | None = None) -> tuple[DocumentChanges[C], ...]:
    """Read the entries of `--edits` or `--pins`; warn about those of no document. Raises ChangeError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ChangeError(f"{path} cannot be read ({error.strerror}).", where=str(path)) from error
    listed = of.read(data, path.name)
    if documents is not None:
        _say_unknown(path, of, [one for one in listed if not any(map(one.is_about, documents))])
    return listed


def _say_unknown(path: Path, of: ChangeFile[C], unknown: Iterable[DocumentChanges[C]]) -> None:
    """Print that changes are ignored, as their documents are not among the files."""
    for one in unknown:
        which = f"{one.source or one.doc_id} is not among the files; its {of.kind} ({len(one.changes):,})"
        say(f"{path.name}: {which} are ignored.")


def existing_paths(paths: Iterable[Path]) -> tuple[list[Path], list[Failure]]:
    """Separate existing paths from missing ones, which become failures: the rest is read."""
    from chunking.indexing import Failure
    from chunking.parsing import find_files

    there: list[Path] = []
    missing: list[Failure] = []
    for path in paths:
        try:
            if not find_files([path]):
                say(f"{path}: This folder has no file in a supported format.")
            there.append(path)
        except ParseError as error:
            missing.append(Failure(str(path), str(error)))
    return there, missing


def _warn(document: Document, warnings: Iterable[str]) -> None:
    for warning in warnings:
        say(f"{document.source}: {warning}")
