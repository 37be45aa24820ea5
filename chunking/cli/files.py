"""The commands `parse` and `chunk`, and reading files and settings for every command.

These two need neither storage nor model, and load neither, but for the model's tokenizer.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chunking.cli.streams import complain, say, show_progress, write_row
from chunking.config import ChunkConfig, Config
from chunking.errors import ChangeError, ConfigError, ParseError

if TYPE_CHECKING:
    from chunking.indexing import DocumentInputs, Failure, FilesRead, IndexProgress
    from chunking.model import Document
    from chunking.parsing.edits import EditedDocument
    from chunking.splitting import Achieved
    from chunking.splitting.pins.stored_pins import PinnedDocument
    from chunking.store import Workspace
    from chunking.text.change_files import ChangeFile, DocumentChange, DocumentChanges

    C = TypeVar("C", bound=DocumentChange)

__all__ = ["chunk", "config_of", "existing_paths", "inputs_of", "pair", "parse", "read"]


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
    """Read files as documents with their edits and pins, and print warnings and failures to stderr.

    Without a workspace, or with `--dry-run`, edits and pins are applied to the returned documents; otherwise they are
    stored in the workspace.

    Args:
        arguments: how files are read (`_READING` of `argument_table`), and the edits and pins of their documents.
    """
    from chunking.indexing import read_files

    def show(progress: IndexProgress) -> None:
        show_progress(progress.done, progress.total, "files", progress.message)

    there, missing = existing_paths(paths)
    inputs = inputs_of(arguments)
    files = read_files(
        there,
        workspace,
        encoding=arguments.encoding,
        encodings=inputs.encodings,
        ocr=arguments.ocr,
        comments=arguments.comments,
        parser=arguments.parser,
        parsers=inputs.parsers,
        on_progress=show,
    )
    files = files._replace(failed=[*missing, *files.failed])
    for failure in files.failed:
        complain(failure.error)
    if arguments.edits is not None or inputs.edits:
        files = files._replace(documents=_edited(files.documents, arguments, workspace, inputs.edits))
    if arguments.pins is not None or inputs.pins:
        files = files._replace(documents=_pinned(files.documents, arguments, workspace, inputs.pins))
    for document in files.documents:
        _warn(document, document.warnings)
    if workspace is not None:
        _say_losses(workspace, files.documents)
    return files


def _say_losses(workspace: Workspace, documents: Iterable[Document]) -> None:
    """Print which answers, labels, edits and pins the text of another parser does not have."""
    from chunking.evaluation.questions.parse_losses import parse_losses

    recorded = {row.doc_id: row.parser for row in workspace.documents()}
    for document in documents:
        if recorded.get(document.doc_id, document.parser) != document.parser:
            _warn(document, map(str, parse_losses(workspace, [document])))


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
    documents: list[Document],
    arguments: argparse.Namespace,
    workspace: Workspace | None,
    edits: tuple[EditedDocument, ...],
) -> list[Document]:
    """Apply the edits of `--edits` or `--config`; a workspace that is written to keeps them.

    Raises:
        ChangeError: the file cannot be read, or is no list of edits.
    """
    from chunking.parsing.edits import EDIT_FILE, apply
    from chunking.store.documents.listed_changes import add_changes

    edited = _listed(arguments.edits, EDIT_FILE, documents) if arguments.edits else edits
    results: list[Document] = []
    for document in documents:
        done = apply(document, [edit for one in edited if one.is_about(document) for edit in one.changes])
        _warn(document, (misfit.sentence for misfit in done.misfits))
        results.append(done.document)
    if workspace is None or getattr(arguments, "dry_run", False):
        return results
    add_changes(workspace, documents, edited, EDIT_FILE)
    return documents


def _pinned(
    documents: list[Document],
    arguments: argparse.Namespace,
    workspace: Workspace | None,
    pins: tuple[PinnedDocument, ...],
) -> list[Document]:
    """Apply the pins of `--pins` or `--config`; a workspace that is written to keeps them.

    Raises:
        ChangeError: the file cannot be read, or is no list of pins.
    """
    from chunking.splitting.pins.stored_pins import PIN_FILE, with_file_pins
    from chunking.store.documents.listed_changes import add_changes

    pinned = _listed(arguments.pins, PIN_FILE, documents) if arguments.pins else pins
    if workspace is None or getattr(arguments, "dry_run", False):
        return with_file_pins(documents, pinned)
    add_changes(workspace, documents, pinned, PIN_FILE)
    return documents


def _listed(path: Path, of: ChangeFile[C], documents: list[Document]) -> tuple[DocumentChanges[C], ...]:
    """Read the entries of `--edits` or `--pins`; warn about other documents. Raises ChangeError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ChangeError(f"{path} cannot be read ({error.strerror}).", where=str(path)) from error
    listed = of.read(data, path.name)
    for one in listed:
        if not any(one.is_about(document) for document in documents):
            which = f"{one.source or one.doc_id} is not among the files; its {of.kind} ({len(one.changes):,})"
            say(f"{path.name}: {which} are ignored.")
    return listed


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
