"""Add a random sample of a Lance or LanceDB table to a workspace, as documents read as Markdown.

A row is a document; with a column of ids, all rows of an id are one, joined in the order of the table. Documents of
another workspace are taken whole, with its edits and pins.
"""

from __future__ import annotations

import itertools
import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from chunking.display import first_names, quantity
from chunking.errors import Cancelled, ConfigError, ParseError
from chunking.indexing.adding.adding_files import AddedDocuments, DocumentBatch
from chunking.indexing.adding.file_stream import side_by_side
from chunking.indexing.adding.intake import Ids, keeps_file, renamed
from chunking.indexing.run.run_records import Failure, IndexProgress
from chunking.model import Document
from chunking.store import Right, Role, RoleAccess, Workspace, documents_by_id
from chunking.store.source_tables import SourceTable, open_source_table
from chunking.text.bounded_json import read_json

__all__ = ["SampleColumns", "TableSample", "TableSampleAdded", "add_table_sample", "suggest_columns", "table_samples"]

_BETWEEN_ROWS = "\n\n"
_MOST_ROWS = 20_000
"""Rows of one document."""
_MARKDOWN = (".md", ".markdown")
_NAMES = {
    "text": ("text", "content", "body", "page_content", "markdown", "chunk", "document", "passage"),
    "id": ("doc_id", "document_id", "docid", "id", "_id", "url", "uri", "path", "source"),
    "title": ("title", "heading", "headline", "name"),
}
"""Usual names of columns, the likeliest first."""
_MOST_NAMED = 8


class SampleColumns(NamedTuple):
    """Columns of a table that documents are made of; empty: none."""

    text: str = ""
    id: str = ""
    """Rows with the same value are one document."""
    title: str = ""


@dataclass(frozen=True, slots=True)
class TableSample:
    """Where sampled documents of a workspace came from."""

    place: str
    """Folder or address of the database."""
    table: str
    version: int
    """Version of the table that was read."""
    columns: SampleColumns
    seed: int
    size: int
    """Number of documents to choose."""
    rows: int
    """Rows that were read."""
    of_rows: int
    """Rows of the table."""
    doc_ids: tuple[str, ...]
    without_text: int
    """Documents left out, as they have no text."""
    without_id: int
    """Rows of the table left out, as they have no id."""
    added: str
    """Date, ISO 8601."""

    @property
    def name(self) -> str:
        """Name of its record in the workspace: the same sample again replaces it."""
        return f"{self.place} {self.table} {self.version} {'/'.join(self.columns)} {self.size} {self.seed}"

    @property
    def sentence(self) -> str:
        """What the sample holds of which table, in a line."""
        documents, version = len(self.doc_ids), f"version {self.version:,}"
        if not self.columns.text:
            return f"{documents:,} of {self.of_rows:,} documents of the workspace {self.place}, {version}"
        share = f"{documents:,} of {self.of_rows:,} rows"
        if self.columns.id and self.rows != documents:
            share = f"{quantity(documents, 'document')} ({self.rows:,} of {self.of_rows:,} rows)"
        return f"{share} of {self.table} in {self.place}, {version}"

    def as_record(self) -> dict[str, Any]:
        """Return the fields as a dictionary, for JSON."""
        return asdict(self) | {"columns": self.columns._asdict(), "doc_ids": list(self.doc_ids)}

    @classmethod
    def from_json(cls, text: str) -> TableSample:
        """Parse `as_record` in JSON. Raises ValueError, KeyError or TypeError if it is something else."""
        tree = read_json(text)
        return cls(**tree | {"columns": SampleColumns(**tree["columns"]), "doc_ids": tuple(tree["doc_ids"])})


class TableSampleAdded(NamedTuple):
    """Documents of a sample that were added, failures of the others, and the origin."""

    documents: AddedDocuments
    failed: list[Failure]
    """Documents that could not be read, with reasons."""
    sample: TableSample


def suggest_columns(table: SourceTable) -> SampleColumns:
    """Return the columns that are likely to be text, id and title, by name and type; empty: none is.

    The only column of text that is no id and no title is the text, whatever its name.
    """
    texts = [column.name for column in table.columns if column.is_text]
    keys = [column.name for column in table.columns if column.is_id]
    text = _named(texts, "text")
    others = [name for name in texts if name.lower() not in {*_NAMES["id"], *_NAMES["title"]}]
    if not text and len(others) == 1:
        text = others[0]
    return SampleColumns(text, _named(keys, "id"), _named(texts, "title"))


def _named(columns: Sequence[str], purpose: str) -> str:
    by_name = {column.lower(): column for column in reversed(columns)}
    return next((by_name[name] for name in _NAMES[purpose] if name in by_name), "")


def table_samples(workspace: Workspace) -> list[TableSample]:
    """Return the samples of which a document is left, newest first."""
    present = workspace.derived(documents_by_id)
    samples = map(_read_sample, workspace.table_samples.all().values())
    return [sample for sample in samples if sample is not None and any(one in present for one in sample.doc_ids)]


def _read_sample(text: str) -> TableSample | None:
    try:
        return TableSample.from_json(text)
    except (ValueError, KeyError, TypeError):  # of a later version
        return None


def add_table_sample(
    workspace: Workspace,
    place: str | SourceTable,
    table: str = "",
    *,
    text: str = "",
    id: str = "",
    title: str = "",
    documents: int = 1_000,
    seed: int = 0,
    version: int | None = None,
    on_document: Callable[[Document], None] | None = None,
    on_progress: Callable[[IndexProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> TableSampleAdded:
    """Sample documents of a Lance or LanceDB table, read as Markdown, and save them with their origin.

    The table is only read, at one version, and no text but that of the sample. The same version, columns, number and
    seed give the same documents. Holds the workspace's lock meanwhile; what was read before an error or a stop is
    saved.

    Args:
        place: folder or address (`s3://`, `gs://`, `az://`) of a LanceDB database or of one table (`NAME.lance`);
            or an open table.
        table: its name; empty: the only one. Of a workspace of Chunkscope it is its documents, which have no columns
            to choose.
        text: column of texts; empty: the likely one (`suggest_columns`).
        id: column of ids: rows with the same id are one document, joined in the order of the table with an empty line
            between. Empty: each row is a document.
        title: column of titles; empty: the title is in the text.
        documents: number of documents to sample.
        version: of the table; None: the newest.
        on_document: called with each document before it is saved; an exception ends the sample before it.
        on_progress: called after each document.
        cancelled: polled while documents are read.
    Raises:
        ConfigError: there is no such column, or it has another type; or there is less than one document to sample.
        ParseError: the place may not be read here, or no sampled document has text.
        StoreError: there is no such place, table or version, or it cannot be read; or the workspace cannot be written.
        Cancelled: `cancelled` returned True.
    """
    workspace.require(Right.WRITE)
    if documents < 1:
        raise ConfigError(f"The number of documents is {documents:,}; give at least 1.", where="documents")
    source = place if isinstance(place, SourceTable) else open_source_table(place, table, version)
    columns = _checked_columns(source, SampleColumns(text, id, title))
    sampling = _Sampling(source, columns, seed, cancelled)
    failed, doc_ids, done = list[Failure](), list[str](), 0
    with workspace.writer():
        batch, ids = DocumentBatch(workspace), Ids.of(workspace)
        outcomes = sampling.documents_of_workspace if source.is_workspace else sampling.documents_of_rows
        try:
            for outcome, file in outcomes(documents):
                done += 1
                if isinstance(outcome, Failure):
                    failed.append(outcome)
                else:
                    document = renamed(outcome, ids.claim(outcome.source), "")
                    if on_document is not None:
                        on_document(document)
                    batch.add([document], {document.hash: file} if file is not None else {})
                    doc_ids.append(document.doc_id)
                if on_progress is not None:
                    on_progress(IndexProgress(done, sampling.total, "Read documents"))
        except Cancelled as error:
            raise Cancelled(f"Stopped after {quantity(len(doc_ids), 'document')}, which are saved.") from error
        finally:
            batch.save()
            sample = sampling.origin(documents, doc_ids)
            if doc_ids:
                record = json.dumps(sample.as_record(), ensure_ascii=False)
                workspace.table_samples.put({sample.name: record}, done=("added a sample of", sample.table))
    if not doc_ids and not failed:
        raise sampling.no_text()
    return TableSampleAdded(AddedDocuments(workspace, doc_ids), failed, sample)


def _checked_columns(source: SourceTable, columns: SampleColumns) -> SampleColumns:
    if source.is_workspace:
        if any(columns):
            raise ConfigError(
                f"{source.place} is a workspace of Chunkscope, whose documents are taken whole; choose no columns.",
                where="text",
            )
        return columns
    texts = [column.name for column in source.columns if column.is_text]
    columns = columns._replace(text=columns.text or suggest_columns(source).text)
    if not columns.text:
        if not texts:
            raise ConfigError(f"The table {source.name} has no column of text.", where="text")
        raise ConfigError(
            f"No column of {source.name} has a usual name for text; choose one of: {first_names(texts, _MOST_NAMED)}.",
            where="text",
        )
    for purpose, name in columns._asdict().items():
        column = source.column(name)
        if not name or (column is not None and (column.is_id if purpose == "id" else column.is_text)):
            continue
        wrong = f"is of type {column.type}" if column is not None else "does not exist"
        names = [one.name for one in source.columns if one.is_id] if purpose == "id" else texts
        raise ConfigError(
            f"The column '{name}' of {source.name} {wrong}; choose for the {purpose} one of: "
            f"{first_names(names, _MOST_NAMED) or 'none'}.",
            where=purpose,
        )
    return columns


class _SourceText(NamedTuple):
    source: str
    """Path of the document in the workspace."""
    text: str
    title: str
    fault: str = ""
    """Why it is not read; empty: it is."""


class _Sampling:
    """One sample of a table: its documents, and the counts of what was read and left out."""

    def __init__(
        self, source: SourceTable, columns: SampleColumns, seed: int, cancelled: Callable[[], bool] | None
    ) -> None:
        self._source, self._columns, self._seed, self._cancelled = source, columns, seed, cancelled
        self.total = self._rows = self._without_text = self._without_id = 0

    def origin(self, size: int, doc_ids: Sequence[str]) -> TableSample:
        """Return the record of where the documents came from."""
        source = self._source
        now = datetime.now(UTC).isoformat(timespec="seconds")
        counts = (self._rows, source.rows, tuple(doc_ids), self._without_text, self._without_id)
        return TableSample(
            source.place, source.name, source.version, self._columns, self._seed, size, *counts, added=now
        )

    def no_text(self) -> ParseError:
        """Return the error of a sample without text."""
        if not self._source.rows:
            return ParseError(f"The table {self._source.name} is empty.", where=self._source.place)
        what = f"The column '{self._columns.text}' of {self._source.name} has no text"
        if self._columns.id and not self._rows:
            what = f"The column '{self._columns.id}' of {self._source.name} has no ids"
        return ParseError(f"{what} in the sample; choose another column.", where=self._source.place)

    # -- documents of another workspace

    def documents_of_workspace(self, count: int) -> Iterator[tuple[Document, bytes | None]]:
        """Yield sampled documents with their kept files; those deleted meanwhile are left out."""
        other = Workspace.open(self._source.database, create=False, access=RoleAccess(Role.VIEWER))
        rows = self._source.sample_rows(count, self._seed)
        doc_ids = [row["doc_id"] for row in self._source.read(rows, ["doc_id"])]
        self.total = len(doc_ids)
        for document in other.read_documents(doc_ids):
            if self._cancelled is not None and self._cancelled():
                raise Cancelled("Stopped.")
            self._rows += 1
            yield document, other.file(document.hash) if keeps_file(document) else None

    # -- rows of any other table

    def documents_of_rows(self, count: int) -> Iterator[tuple[Document | Failure, bytes | None]]:
        """Yield sampled documents, or failures, with files to keep."""
        texts = self._grouped(count) if self._columns.id else self._single(count)
        for outcome in side_by_side(texts, self._parsed, self._cancelled):
            if isinstance(outcome, ParseError):
                raise outcome  # not of one text: `_parsed` returns those
            yield outcome

    def _single(self, count: int) -> Iterator[_SourceText]:
        """Yield each sampled row that has a text."""
        rows = self._source.sample_rows(count, self._seed)
        self.total = len(rows)
        for offset, row in zip(rows, self._read(rows), strict=True):
            yield from self._joined(str(offset), [row])

    def _grouped(self, count: int) -> Iterator[_SourceText]:
        """Yield the joined rows of each sampled id."""
        groups = self._source.sample_groups(self._columns.id, count, self._seed, self._cancelled)
        self._without_id, self.total = groups.without_id, len(groups.rows)
        small = {key: rows for key, rows in groups.rows.items() if len(rows) <= _MOST_ROWS}
        records = self._read(array("Q", itertools.chain.from_iterable(small.values())), ids=True)
        for key, rows in groups.rows.items():
            if key in small:
                yield from self._joined(key, itertools.islice(records, len(rows)))
            else:
                fault = f"has {len(rows):,} rows; the limit is {_MOST_ROWS:,}. Choose another column of ids."
                yield _SourceText(self._path(key), "", "", fault)

    def _read(self, rows: Sequence[int], *, ids: bool = False) -> Iterator[Mapping[str, Any]]:
        columns = dict.fromkeys(name for name in (self._columns.text, self._columns.title) if name)
        return self._source.read(rows, list(columns), ids=ids)

    def _joined(self, key: str, records: Iterable[Mapping[str, Any]]) -> Iterator[_SourceText]:
        """Yield the text of rows that are one document, unless it is empty; no more than can be read is held."""
        from chunking.parsing import MAX_BYTES

        parts, title, size = list[str](), "", 0
        for record in records:
            self._rows += 1
            text = record[self._columns.text] or ""
            if self._columns.title and not title:
                title = " ".join((record[self._columns.title] or "").split())
            if text.strip() and size <= MAX_BYTES:
                parts.append(text)
                size += len(text.encode("utf-8", "replace"))
        if parts:
            yield _SourceText(self._path(key), _BETWEEN_ROWS.join(parts), title)
        else:
            self._without_text += 1
            self.total -= 1

    def _path(self, key: str) -> str:
        """Return the path of a document in the workspace: the table's name, its id or offset, and an extension."""
        from chunking.parsing import clean_source

        named = key if key.lower().endswith(_MARKDOWN) else f"{key}{_MARKDOWN[0]}"
        return clean_source(f"{self._source.name}/{named}")

    def _parsed(self, text: _SourceText, stop: Callable[[], bool]) -> tuple[Document | Failure, bytes | None]:
        """Read a text as Markdown in a guarded process."""
        from chunking.parsing import parse_all_guarded

        if text.fault:
            return Failure(text.source, f"{text.source} {text.fault}"), None
        data = text.text.encode("utf-8", "replace")
        try:
            document = parse_all_guarded(data, text.source, encoding="utf-8", cancelled=stop)[0]
        except ParseError as error:
            return Failure(text.source, str(error)), None
        return replace(document, title=text.title or document.title), data if keeps_file(document) else None
