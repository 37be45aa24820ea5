"""Chunks made elsewhere, read from JSON lines and loaded as a splitter (`loaded:NAME`).

The keys of a line are those of `chunkscope chunk`, of the exports, and of the Documents of LangChain and LlamaIndex.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from chunking.config import PLAIN_SPLITTING, Config
from chunking.errors import QuestionError
from chunking.model import Document, Span
from chunking.splitting import CannotSplitError, located
from chunking.splitting.strategies.custom_splitters import LOADED, use_splitters
from chunking.store import Workspace
from chunking.text.bounded_json import read_json

__all__ = [
    "ChunkLine",
    "LoadedChunks",
    "LoadedWorkspace",
    "chunk_lines",
    "config_of_loaded",
    "document_named",
    "documents_by_name",
    "read_chunks",
    "save_chunks",
    "use_loaded",
]

_MOST_SHOWN = 60

_DOCUMENT_KEYS = ("doc", "doc_id", "source", "document", "file_path", "relative_path", "file_name")
_TEXT_KEYS = ("content", "text", "page_content", "chunk")
_START_KEYS, _END_KEYS = ("start", "start_index", "start_char_idx"), ("end", "end_index", "end_char_idx")
_MOST_CHUNKS = 1_000_000
"""Most chunks of a file."""


@dataclass(frozen=True, slots=True)
class LoadedChunks:
    """Named splitter with the chunks of known documents: maps a document's text to its spans."""

    name: str
    spans: Mapping[str, tuple[Span, ...]] = field(repr=False)
    """By sha256 (hex) of the document's text, in file order."""
    fingerprint: str = ""
    """16 hex digits over the spans; part of the splitter's description, and so of an index's fingerprint."""
    documents: Mapping[str, int] = field(default_factory=dict, repr=False)
    """Number of chunks per document, by source."""

    @property
    def splitter(self) -> str:
        """Value for `--set splitter=`."""
        return LOADED + self.name

    def __call__(self, text: str) -> tuple[Span, ...]:
        """Return the chunks of a document by the hash of its entire text.

        Raises:
            CannotSplitError: none was loaded for this text.
        """
        spans = self.spans.get(_hash(text))
        if not spans:
            raise CannotSplitError(f"'{self.name}' has no chunk of this document as it is now; load its chunks again")
        return spans

    def to_json(self) -> str:
        """Serialise for `Workspace.loaded_chunks`."""
        spans = {key: [list(span) for span in some] for key, some in self.spans.items()}
        return json.dumps({"name": self.name, "spans": spans, "documents": dict(self.documents)}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> LoadedChunks:
        """Parse the output of `to_json`.

        Raises:
            QuestionError: it is something else.
        """
        try:
            tree = read_json(text)
            spans = {
                str(key): tuple(Span(int(start), int(end)) for start, end in some)
                for key, some in tree["spans"].items()
            }
            return cls.of(str(tree["name"]), spans, {str(key): int(count) for key, count in tree["documents"].items()})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise QuestionError(f"These are no saved chunks ({error}); load them again.") from error

    @classmethod
    def of(cls, name: str, spans: Mapping[str, tuple[Span, ...]], documents: Mapping[str, int]) -> LoadedChunks:
        """Build the splitter, and compute its fingerprint from the spans.

        Args:
            spans: by sha256 (hex) of the document's text, in file order.
            documents: number of chunks per document, by source.
        """
        return cls(
            name, spans, hashlib.sha256(json.dumps(dict(sorted(spans.items()))).encode()).hexdigest()[:16], documents
        )


class LoadedWorkspace(NamedTuple):
    """A workspace's loaded chunks as splitters, with warnings on unreadable records."""

    splitters: Mapping[str, LoadedChunks]
    """By the value for `--set splitter=`."""
    warnings: tuple[str, ...]
    """A sentence for each unreadable record."""


def read_chunks(data: bytes, name: str, documents: Sequence[Document]) -> LoadedChunks:
    """Read a file of chunks (JSON lines), and locate each in its document; saves nothing.

    A line names its document (`doc`, `doc_id`, `source`, or the same under `metadata`; optional if there is only one),
    and either `start` and `end` in characters or the chunk's `content` (`text`, `page_content`), which is searched for
    in the order of the lines. The output of `chunkscope chunk` and the Documents of LangChain can be read as they are.

    Args:
        name: of the file; without its extension, it names the splitter.
        documents: candidates for the chunks' documents.
    Raises:
        QuestionError: a line cannot be used; the sentence names the line.
    """
    pieces: dict[str, list[str | tuple[int, int]]] = {}
    lines: dict[str, int] = {}
    by_name = documents_by_name(documents)
    for line in chunk_lines(data, name):
        where = f"Line {line.number:,} of {name}"
        document = _document(line, by_name, documents, where)
        pieces.setdefault(document.doc_id, []).append(_piece(line, document, where))
        lines.setdefault(document.doc_id, line.number)
    if not pieces:
        raise QuestionError(
            f"{name} has no chunk; write a line of JSON for each, with its document and its start and end.",
            where=name,
        )
    spans: dict[str, tuple[Span, ...]] = {}
    counts: dict[str, int] = {}
    for document in documents:
        pieces_given = pieces.get(document.doc_id)
        if pieces_given:
            placed = _located(document, pieces_given, name, lines[document.doc_id])
            spans[_hash(document.text)], counts[document.source] = placed, len(placed)
    return LoadedChunks.of(name.rpartition(".")[0] or name, spans, counts)


def save_chunks(workspace: Workspace, loaded: LoadedChunks) -> None:
    """Store loaded chunks under their name, replacing earlier ones, then call `use_loaded`.

    Raises:
        StoreError: they cannot be written.
    """
    workspace.loaded_chunks.put({loaded.name: loaded.to_json()})
    use_loaded(workspace)


def use_loaded(workspace: Workspace) -> LoadedWorkspace:
    """Register a workspace's loaded chunks as this thread's splitters, and return them.

    They replace those of any other workspace.
    """
    loaded = _read(workspace.loaded_chunks.all())
    use_splitters(loaded.splitters)
    return loaded


def _read(rows: Mapping[str, str]) -> LoadedWorkspace:
    """Parse the stored chunks; an unreadable record becomes a warning."""
    splitters: dict[str, LoadedChunks] = {}
    warnings = []
    for name, text in rows.items():
        try:
            loaded = LoadedChunks.from_json(text)
        except QuestionError:
            warnings.append(f"The loaded chunks “{name}” cannot be read and are left out; load their file again.")
        else:
            splitters[loaded.splitter] = loaded
    return LoadedWorkspace(splitters, tuple(warnings))


def config_of_loaded(loaded: LoadedChunks, base: Config | None = None) -> Config:
    """Return settings that leave loaded chunks unchanged: no prefixes, overlap or other sizes.

    The retrieval mode becomes `chunk`; other settings are those of `base` (default: the defaults).
    """
    theirs = {"strategy": "custom", "splitter": loaded.splitter, "size": 8192, "overlap": "0"}
    return Config.from_settings({**PLAIN_SPLITTING, **theirs, "parent_size": 0, "search.retrieval": "chunk"}, base)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _document(
    line: ChunkLine, by_name: Mapping[str, Document | None], documents: Sequence[Document], where: str
) -> Document:
    if line.document is None:
        if len(documents) == 1:
            return documents[0]
        raise QuestionError(f'{where} does not name its document; add "doc" with its path.', where=where)
    document = document_named(line.document, by_name)
    if document is None:
        raise QuestionError(
            (
                f"{where} is of '{line.document[:_MOST_SHOWN]}', which matches no document here, or more than "
                f"one; name it by its path."
            ),
            where=where,
        )
    return document


def _piece(line: ChunkLine, document: Document, where: str) -> str | tuple[int, int]:
    start, end, text = line.start, line.end, line.text
    if start is not None and end is None and text is not None:  # LangChain's start_index
        end = start + len(text)
    if start is not None and end is not None:
        if not 0 <= start < end <= len(document.text):
            length = f"{len(document.text):,}"
            raise QuestionError(
                f"{where} spans characters {start} to {end} of {document.source}, which has {length}; correct it.",
                where=where,
            )
        return (start, end)
    if text is None or not text.strip():
        raise QuestionError(f'{where} has neither "start" and "end" nor "content"; add one of them.', where=where)
    return text


def _located(
    document: Document, pieces_given: Sequence[str | tuple[int, int]], name: str, line: int
) -> tuple[Span, ...]:
    try:
        return tuple(located(document.text, pieces_given))
    except CannotSplitError as error:
        raise QuestionError(
            (
                f"{name} does not fit {document.source} (its first chunk is in line {line:,}): {error}; cut the "
                f"text as it is here."
            ),
            where=name,
        ) from error


class ChunkLine(NamedTuple):
    """A chunk as a line of the file describes it; None for a missing value."""

    number: int
    """Line number, from 1."""
    document: str | None
    """Path or id of its document."""
    start: int | None
    """In characters; not validated."""
    end: int | None
    text: str | None
    level: str | None
    """Level in an export: `chunk`, or a larger one."""


def chunk_lines(data: bytes, name: str) -> Iterator[ChunkLine]:
    """Yield the chunk that each JSON line describes, not located yet; blank lines are skipped.

    Args:
        name: of the file, for the sentences.
    Raises:
        QuestionError: it is not UTF-8, a line is no JSON object, or there are more than 1,000,000.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise QuestionError(f"{name} is not UTF-8 (byte {error.start:,}); save it as UTF-8.", where=name) from error
    count = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        count += 1
        if count > _MOST_CHUNKS:
            raise QuestionError(f"{name} holds more than {_MOST_CHUNKS:,} chunks; load them in parts.", where=name)
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise QuestionError(
                f"Line {number:,} of {name} is not JSON; write one object per line.", where=name
            ) from error
        if not isinstance(record, dict):
            raise QuestionError(f"Line {number:,} of {name} is not an object; write one object per line.", where=name)
        inner = [record[key] for key in ("metadata", "kwargs") if isinstance(record.get(key), dict)]
        yield _line(number, {key: value for some in reversed([record, *inner]) for key, value in some.items()})


def _line(number: int, record: Mapping[str, object]) -> ChunkLine:
    return ChunkLine(
        number,
        document=_text(record, _DOCUMENT_KEYS),
        start=_whole_number(record, _START_KEYS),
        end=_whole_number(record, _END_KEYS),
        text=_text(record, _TEXT_KEYS),
        level=_text(record, ("level",)),
    )


def _text(record: Mapping[str, object], keys: Sequence[str]) -> str | None:
    return next((value for key in keys if isinstance(value := record.get(key), str)), None)


def _whole_number(record: Mapping[str, object], keys: Sequence[str]) -> int | None:
    return next(
        (value for key in keys if isinstance(value := record.get(key), int) and not isinstance(value, bool)), None
    )


def documents_by_name(documents: Sequence[Document]) -> dict[str, Document | None]:
    """Index documents by id, source and file name; None for an ambiguous name."""
    by_name: dict[str, Document | None] = {}
    for document in documents:
        for key in dict.fromkeys((document.source.rpartition("/")[2], document.source, document.doc_id)):
            by_name[key] = None if key in by_name and by_name[key] is not document else document
    return by_name


def document_named(name: str, by_name: Mapping[str, Document | None]) -> Document | None:
    """Return the document by id, path or the path's file name; None if unknown or ambiguous."""
    return by_name.get(name) or by_name.get(name.replace("\\", "/").rpartition("/")[2])
