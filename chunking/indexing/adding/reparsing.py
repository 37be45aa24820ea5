"""Read the documents of a workspace again from their kept files, with another parser."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from chunking.errors import NotFoundError, ParseError
from chunking.indexing.adding.adding_files import FilesRead, save, side_by_side
from chunking.indexing.adding.intake import Intake
from chunking.indexing.adding.parser_choices import choose_workspace_parser, original_file, workspace_parser
from chunking.indexing.run.run_records import Failure, IndexProgress
from chunking.model import Document
from chunking.parsing.builder.reader_types import ParseOptions
from chunking.store import DocumentRow, Workspace

__all__ = ["FileAgain", "choose_parser", "read_again"]


class FileAgain(NamedTuple):
    """A file read again: its content, and its documents in the order of `parsing.parse_all`."""

    data: bytes
    documents: tuple[Document, ...]


def read_again(
    workspace: Workspace, row: DocumentRow, parser: str, cancelled: Callable[[], bool] | None = None
) -> FileAgain:
    """Read the kept file of a document with a parser, in a guarded process; nothing is saved.

    Encoding, category, date and options are those of the document.

    Raises:
        ParseError: the workspace does not have the file, or the parser does not read its format or failed.
        Cancelled: `cancelled` returned True.
    """
    from chunking.parsing import format_named, parse_all_guarded, parser_named
    from chunking.parsing.detection.path_names import category_of

    chosen = parser_named(parser)
    if reason := chosen.why_not(format_named(row.format)):
        raise ParseError(f"The parser {chosen.label} does not read {row.source}: {reason}.", where=row.source)
    data = original_file(workspace, row)
    options: ParseOptions = {"parser": parser, "updated_at": row.updated_at}
    if row.encoding.lower() not in ("utf-8", "utf8"):
        options["encoding"] = row.encoding
    if row.category != category_of(row.source):
        options["category"] = row.category
    options["ocr"], options["comments"] = (name in row.read_options for name in ("ocr", "comments"))
    return FileAgain(data, parse_all_guarded(data, row.source, cancelled=cancelled, **options))


def choose_parser(
    workspace: Workspace,
    parser: str,
    doc_ids: Collection[str] | None = None,
    *,
    on_progress: Callable[[IndexProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> FilesRead:
    """Choose the parser of documents, and read them again from their kept files.

    The lock is held meanwhile. Documents that cannot be read stay as they are, and are listed in `failed`.

    Args:
        parser: a name of `parsing.PARSERS`; `built-in` takes another choice back.
        doc_ids: of the documents; None: all, and the choice holds for documents that are added later, too.
        on_progress: called after each file.
        cancelled: polled while files are read.
    Returns:
        The documents read again, and those that could not be.
    Raises:
        ParseError: the parser is unknown, not installed, or not allowed here.
        NotFoundError: one of the documents does not exist.
        Cancelled: `cancelled` returned True; nothing was saved.
    """
    from chunking.parsing import format_named, parser_named

    chosen = parser_named(parser)
    with workspace.writer():
        listed = workspace.documents()
        rows = _selected(workspace, listed, doc_ids)
        if doc_ids is None:  # documents of formats that it does not read stay with the built-in one
            formats = {row.format: format_named(row.format) for row in rows}
            rows = [
                row for row in rows if (file_format := formats[row.format]) is None or not chosen.why_not(file_format)
            ]
        rows = [row for row in rows if row.parser != chosen.name]
        intake, failed = Intake(listed), list[Failure]()

        def read(row: DocumentRow, stop: Callable[[], bool]) -> FileAgain:
            return read_again(workspace, row, parser, stop)

        for number, (row, result) in enumerate(zip(rows, side_by_side(rows, read, cancelled), strict=True)):
            if isinstance(result, ParseError):
                failed.append(Failure(row.source, str(result)))
            else:
                intake.add(result.documents, result.data, row.doc_id)
            if on_progress is not None:
                on_progress(IndexProgress(number + 1, len(rows), f"Read {row.source}"))
        save(workspace, intake.documents, intake.sources)
        if doc_ids is None and chosen.name != workspace_parser(workspace):
            choose_workspace_parser(workspace, chosen.name)
    return FilesRead(intake.documents, failed, intake.sources)


def _selected(workspace: Workspace, listed: list[DocumentRow], doc_ids: Collection[str] | None) -> list[DocumentRow]:
    """Return the rows of documents by id, or of all that are not inside another file."""
    if doc_ids is None:
        return [row for row in listed if not row.parent_id]
    by_id = {row.doc_id: row for row in listed}
    if missing := next((doc_id for doc_id in doc_ids if doc_id not in by_id), None):
        raise NotFoundError(
            f"There is no document '{missing}' in {workspace.uri}; list the documents to see their ids.", where=missing
        )
    return [by_id[doc_id] for doc_id in doc_ids]
