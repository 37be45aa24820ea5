"""Check the rows of a workspace's file: only rows that this program could have written pass.

Columns and offsets of Arrow are checked already (`arrow_streams`). These checks are about values: invalid JSON, spans
outside of their text, dangling ids, invalid vectors. One invalid row refuses the whole file.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from chunking.config.config import read_tree
from chunking.errors import ChunkscopeError, WorkspaceFileError
from chunking.model import CHUNK, CLUSTER, DOCUMENT, PARENT, READ_OPTIONS, SECTION, Document
from chunking.store.documents.changed_documents import KINDS
from chunking.store.documents.document_rows import document_stamp, row_document
from chunking.store.engine.schema import (
    CHANGES,
    DOCUMENTS,
    EMBEDDINGS,
    ENCODINGS,
    FILES,
    GENERATED_TEXTS,
    INDEXES,
    LATER,
    NAMED_RECORDS,
)
from chunking.store.index.chunk_arrow import row_chunk
from chunking.store.index.index_registry import IndexRow
from chunking.store.named_configurations import SavedConfiguration, configuration_name
from chunking.store.workspace_records import MOST_CHARACTERS
from chunking.text.bounded_json import check_depth, read_json

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Checks"]

_MOST_NAME, _MOST_SETTINGS, _MOST_DIMENSION = 2_000, 100_000, 65_536
_UNIT = 0.01
"""Tolerance of a vector's length around 1."""
_HEX = re.compile(r"[0-9a-f]*")
_LARGER = re.compile(r"x[0-9]{1,4}")
_TREES = ("versions", "blocks", "sections", "left_out", "pins", "metadata", "bboxes", "scope", "built")
"""Columns of JSON."""
_LATER = ("level", "children", "larger_ids", "summary", "written", "folded")
"""Columns of chunks that earlier versions lack."""
_LEVELS = frozenset({CHUNK, PARENT, SECTION, DOCUMENT, CLUSTER})
_RECORD_KINDS = frozenset(
    {
        *("question sets", "labelling queues", "runs", "sweeps", "configurations", "loaded chunks", "parsers"),
        "table samples",
    }
)
_MOST_LEVELS = 32
"""Maximum levels of clusters; real trees have some five."""
_AT_ONCE = 64
"""Rows between two calls of `stop`."""


class _InvalidRow(ValueError):
    """Reason why a row is refused."""


class Checks:
    """Checks of the values in one workspace file's rows, in the order of `archive.TABLES`.

    Remembers ids that later rows refer to: 100 bytes a document and a chunk.

    Args:
        stop: called every few rows; may raise.
    """

    def __init__(self, stop: Callable[[], None]) -> None:
        self.documents: set[str] = set()
        self.indexes: dict[str, IndexRow] = {}
        """Registry rows by the name of the index's table in the file."""
        self._stop = stop
        self._sources: set[str] = set()
        self._rows: dict[str, Callable[[Mapping[str, Any]], None]] = {
            DOCUMENTS: self._document,
            FILES: _file,
            CHANGES: _change,
            NAMED_RECORDS: _record,
            GENERATED_TEXTS: _written,
            ENCODINGS: _encoding,
            INDEXES: self._index,
            "search_history": _query,
        }

    def check(self, table: str, batch: pa.RecordBatch) -> None:
        """Check rows of any table except chunks, and remember documents and indexes for later rows.

        Raises:
            WorkspaceFileError: one of them is not what this program writes.
        """
        if table == EMBEDDINGS:
            explain_errors(table, lambda: self._embeddings(batch))
            return
        for row in self.each(batch):
            explain_errors(table, partial(self._rows[table], row))

    def each(self, batch: pa.RecordBatch, but: Iterable[str] = ()) -> Iterator[dict[str, Any]]:
        """Yield rows as dictionaries, without the columns in `but`, calling `stop` every 64 rows."""
        columns = [name for name in batch.schema.names if name not in but]
        for first in range(0, batch.num_rows, _AT_ONCE):
            self._stop()
            yield from batch.select(columns).slice(first, _AT_ONCE).to_pylist()

    def _document(self, row: Mapping[str, Any]) -> None:
        _check_row(row, but=LATER[DOCUMENTS])
        document = row_document(row)
        doc_id, source = document.doc_id, document.source
        _need(_name(doc_id) and doc_id not in self.documents, "two documents have the same id, or one has none")
        _need(_name(source) and not source.startswith("/") and "\\" not in source, "a document's path is invalid")
        _need(".." not in source.split("/") and source.isprintable(), "a document's path points outside the workspace")
        _need(len(document.hash) == 64 and _hex(document.hash) and _hex(row["stamp"]), "a document's hash is invalid")
        _need(
            row["characters"] == len(document.text) and row["section_count"] == len(document.sections),
            "a document's size is wrong",
        )
        _need(document.page_count >= 0, "a document's pages are wrong")
        _need(_name(document.parser) and document.parser.isprintable(), "a document's parser is invalid")
        _need(set(document.read_options) <= {*READ_OPTIONS}, "a document's options are invalid")
        for version in json.loads(row["versions"]):
            _need(set(version) == {"hash", "updated_at"}, "a document's earlier versions are wrong")
        _check_spans(document)
        self.documents.add(doc_id)

    def _index(self, row: Mapping[str, Any]) -> None:
        _check_row(row, but=("built",))
        _need(len(row["config"]) <= _MOST_SETTINGS, "an index's settings are too long")
        read_tree(row["config"], where="the settings")
        index_row = IndexRow.from_row(row)
        names = {one.name for one in self.indexes.values()}
        _need(
            _name(index_row.name) and index_row.name not in names and index_row.table not in self.indexes,
            "two indexes have the same name",
        )
        _need(index_row.state in ("complete", "incomplete"), "an index's state is invalid")
        _need(
            1 <= index_row.dimension <= _MOST_DIMENSION and index_row.documents >= 0 and index_row.chunks >= 0,
            "an index's size is wrong",
        )
        _need(
            0 <= index_row.unknown_share <= 1 and 0 <= index_row.tokens_per_second < math.inf,
            "an index's numbers are wrong",
        )
        _need(
            index_row.scope is None or all(isinstance(doc_id, str) for doc_id in index_row.scope),
            "an index's documents are wrong",
        )
        _need(_hex(index_row.fingerprint) and _hex(index_row.config_fingerprint), "an index's fingerprint is invalid")
        self.indexes[index_row.table] = index_row

    def _embeddings(self, batch: pa.RecordBatch) -> None:
        import numpy as np
        import pyarrow.compute as pc

        self._stop()
        keys, vectors = batch.column("key"), batch.column("vector")
        _need(not keys.null_count and not vectors.null_count, "a saved embedding is missing")
        _need(not batch.num_rows or pc.max(pc.utf8_length(keys)).as_py() <= _MOST_NAME, "a key is too long")
        lengths, flat = pc.list_value_length(vectors).to_numpy(), vectors.flatten()
        _need(
            not flat.null_count and bool(((lengths >= 1) & (lengths <= _MOST_DIMENSION)).all()),
            "a saved embedding has no numbers",
        )
        _need(
            bool(np.isfinite(flat.to_numpy(zero_copy_only=False)).all()),
            "a saved embedding has values that are not numbers",
        )


class ChunkChecks:
    """Checks of one index's rows in a workspace file; they count chunks, collect fingerprints."""

    def __init__(self, checks: Checks, row: IndexRow, document: Callable[[str], Document]) -> None:
        self.chunks = 0
        """Number of rows of level chunk."""
        self.fingerprints: dict[str, str] = {}
        """Fingerprints by document id."""
        self._checks, self._row, self._read = checks, row, document
        self._ids: set[str] = set()
        self._clusters: dict[str, tuple[str, ...]] = {}
        self._last: tuple[str, str, str] = ("", "", "")

    def check(self, batch: pa.RecordBatch) -> None:
        """Check and count rows of the index, in the order of the file. Raises WorkspaceFileError."""
        table = f"of the index {self._row.name}"
        explain_errors(table, lambda: _check_vectors(batch.column("vector"), self._row.dimension))
        for row in self._checks.each(batch, but=("vector",)):
            explain_errors(table, partial(self._chunk, row))

    def _chunk(self, row: Mapping[str, Any]) -> None:
        _check_row(
            row, but=("doc_toc", "prev_id", "next_id", "section_id", "parent_id", "indexed_text", "headings", *_LATER)
        )
        chunk = row_chunk(row)
        level, doc_id = chunk.level, chunk.doc_id
        _need(_name(chunk.chunk_id) and chunk.chunk_id not in self._ids, "two chunks have the same id, or one has none")
        _need(level in _LEVELS or bool(_LARGER.fullmatch(level)), "a chunk's level is invalid")
        _need(
            doc_id in self._checks.documents or (not doc_id and level == CLUSTER),
            "a chunk belongs to a missing document",
        )
        _need(
            0 <= chunk.start <= chunk.end and chunk.chunk_index >= 0 and chunk.token_count >= 0,
            "a chunk's place is wrong",
        )
        _need(
            all(page >= 0 for page in chunk.pages) and all(_finite(box) for box in chunk.bboxes),
            "a chunk's pages are wrong",
        )
        _need(isinstance(chunk.metadata, dict), "a chunk's metadata is invalid")
        if doc_id:
            stamp, text = self._document(doc_id)
            of_today = not chunk.content or row["doc_stamp"] != stamp or text[chunk.start : chunk.end] == chunk.content
            _need(of_today, "a chunk differs from the text at its place")
        self._ids.add(chunk.chunk_id)
        if level == CLUSTER:
            self._clusters[chunk.chunk_id] = chunk.children
        if level == CHUNK and chunk.chunk_index == 0:
            self.fingerprints[doc_id] = row["doc_fingerprint"]
        self.chunks += level == CHUNK

    def finish(self) -> None:
        """Check the tree of clusters, once all rows were checked. Raises WorkspaceFileError."""
        explain_errors(f"of the index {self._row.name}", lambda: _check_tree(self._clusters))

    def _document(self, doc_id: str) -> tuple[str, str]:
        """Stamp and text of a document with its changes; the last one is cached, as its chunks come together."""
        if self._last[0] != doc_id:
            document = self._read(doc_id)
            self._last = doc_id, document_stamp(document), document.text
        return self._last[1:]


def explain_errors(table: str, check: Callable[[], object]) -> None:
    """Run a check, and turn its errors over invalid data into a WorkspaceFileError.

    Raises:
        WorkspaceFileError: the rows are not what this program writes.
    """
    try:
        check()
    except _InvalidRow as error:
        raise WorkspaceFileError(
            f"The rows {table} in the workspace file are wrong: {error}. It was not opened.", where=table
        ) from error
    except WorkspaceFileError:
        raise
    except (
        ChunkscopeError,
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        message = (
            f"The rows {table} in the workspace's file cannot be read ({type(error).__name__}); save the "
            f"workspace again."
        )
        raise WorkspaceFileError(message, where=table) from error


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise _InvalidRow(what)


def _check_row(row: Mapping[str, Any], but: Iterable[str] = ()) -> None:
    _need(all(value is not None for name, value in row.items() if name not in but), "a column is empty")
    for name in _TREES:
        check_depth(row.get(name) or "")
    for value in row.values():
        if isinstance(value, list):
            _need(None not in value, "a list has gaps")


def _name(text: str) -> bool:
    return 0 < len(text) <= _MOST_NAME and "\0" not in text


def _hex(text: str) -> bool:
    return len(text) <= 128 and bool(_HEX.fullmatch(text))


def _finite(box: Iterable[Any]) -> bool:
    return all(isinstance(value, int | float) and math.isfinite(value) for value in box)


def _check_spans(document: Document) -> None:
    """Check that all spans of a document lie within its text."""
    length, ids = len(document.text), {section.section_id for section in document.sections}
    blocks = [(block.start, block.end) for block in document.blocks]
    sections = [(section.start, section.end) for section in document.sections]
    bodies = [(section.body_start, section.own_end) for section in document.sections]
    left_out = [(span.start, span.end) for span in document.left_out]
    places = [(place.start, place.end) for place in document.locations]
    for start, end in (*blocks, *sections, *left_out, *places):
        _need(type(start) is int and type(end) is int and 0 <= start <= end <= length, "a span is outside its text")
    for start, end in bodies:
        _need(
            type(start) is int and type(end) is int and 0 <= start <= length and 0 <= end <= length,
            "a span is outside its text",
        )
    before: set[str] = set()
    for section in document.sections:
        # A loop over a section's ancestors must end: two sections inside each other would make it endless.
        _need(
            section.parent_id is None or section.parent_id in before,
            "a section comes before its parent, or its parent is missing",
        )
        before.add(section.section_id)
        _need(
            _name(section.section_id) and type(section.level) is int and 0 <= section.level <= 100,
            "a section's level is invalid",
        )
        _need(
            isinstance(section.title, str) and all(isinstance(part, str) for part in section.title_path),
            "a section's title is invalid",
        )
    _need(len(ids) == len(document.sections), "two sections have the same id")
    for block in document.blocks:
        _need(
            all(value is None or type(value) is int for value in (block.level, block.line, block.page)),
            "a block's place is wrong",
        )
        _need(block.bbox is None or _finite(block.bbox), "a block's box is invalid")
        _need(isinstance(block.meta, dict), "a block's facts are invalid")
    _need(all(place.bbox is None or _finite(place.bbox) for place in document.locations), "a box is invalid")
    _need(all(type(pin.start) is int and type(pin.end) is int for pin in document.pins), "a pin's place is wrong")


def _check_tree(children: Mapping[str, Iterable[str]]) -> None:
    """Check that clusters form no cycle and few levels, so that walking down a tree ends."""
    left = {name: {child for child in below if child in children} for name, below in children.items()}
    for _ in range(_MOST_LEVELS):
        lowest = {name for name, below in left.items() if not below}
        left = {name: below - lowest for name, below in left.items() if below}
        if not left:
            return
    raise _InvalidRow("its clusters form a circle, or have too many levels")


def _check_vectors(column: pa.Array, dimension: int) -> None:
    import numpy as np

    there = column.drop_null()
    flat = there.flatten()
    _need(not flat.null_count and len(flat) == len(there) * dimension, "a vector has gaps")
    matrix = flat.to_numpy(zero_copy_only=False).reshape(-1, dimension)
    _need(bool(np.isfinite(matrix).all()), "a vector has values that are not numbers")
    lengths = np.linalg.norm(matrix.astype(np.float64), axis=1)
    _need(bool((np.abs(lengths - 1) < _UNIT).all()), "a vector is not of unit length")


def _file(row: Mapping[str, Any]) -> None:
    _check_row(row)
    _need(hashlib.sha256(row["data"]).hexdigest() == row["hash"], "a source file does not match its hash")


def _change(row: Mapping[str, Any]) -> None:
    _check_row(row)
    _need(row["kind"] in {kind.name for kind in KINDS} and _name(row["doc_id"]), "a change has an unknown type")
    _need(row["key"] == f"{row['kind']}/{row['doc_id']}", "a change is of another document")
    _need(row["revision"] >= 0 and row["count"] >= 0, "a change's number is wrong")


def _record(row: Mapping[str, Any]) -> None:
    _check_row(row)
    _need(
        row["kind"] in _RECORD_KINDS and _name(row["name"]) and row["key"] == f"{row['kind']}/{row['name']}",
        "a record has an unknown type",
    )
    read_json(row["data"])
    if row["kind"] == "configurations":
        saved = SavedConfiguration.from_json(row["name"], row["data"])
        _need(saved.name == configuration_name(saved.name), "a configuration's name is invalid")
        _need(
            len(saved.yaml) <= _MOST_SETTINGS and max(len(saved.author.id), len(saved.author.name)) <= 200,
            "a configuration is too long",
        )
        read_tree(saved.yaml, where="the settings")


def _written(row: Mapping[str, Any]) -> None:
    _check_row(row)
    _need(_name(row["key"]), "a key is invalid")


def _encoding(row: Mapping[str, Any]) -> None:
    _check_row(row)
    _need(_name(row["key"]) and row["size"] == len(row["data"]), "a size is wrong")


def _query(row: Mapping[str, Any]) -> None:
    _check_row(row)
    _need(len(row["query"]) <= MOST_CHARACTERS, "a query is too long")
