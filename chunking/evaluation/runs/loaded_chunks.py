"""Chunks that were made elsewhere, to be measured beside ours: JSON lines with offsets, or with the text alone.

They become a splitter by name (`loaded:NAME`), so that everything else treats them as any other way of cutting.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from chunking.config import PLAIN_SPLITTING, Config
from chunking.errors import QuestionError
from chunking.evaluation.runs.chunk_lines import ChunkLine, chunk_lines, document_named, documents_by_name
from chunking.model import Document, Span
from chunking.splitting import CannotSplitError, located
from chunking.splitting.strategies.custom_splitters import LOADED, use_splitters
from chunking.store import Workspace
from chunking.text.bounded_json import read_json

__all__ = ["LoadedChunks", "LoadedWorkspace", "config_of_loaded", "read_chunks", "save_chunks", "use_loaded"]

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class LoadedChunks:
    """Spans of documents, under a name. Called with a document's text it gives the chunks of that document."""

    name: str
    spans: Mapping[str, tuple[Span, ...]] = field(repr=False)
    """By sha256 (hex) of the document's text, in the order they were given."""
    fingerprint: str = ""
    """16 hex digits over the spans; stands in the splitter's description, and so in the fingerprint of an index."""
    documents: Mapping[str, int] = field(default_factory=dict, repr=False)
    """Chunks a document, by source."""

    @property
    def splitter(self) -> str:
        """What `--set splitter=` takes."""
        return LOADED + self.name

    def __call__(self, text: str) -> tuple[Span, ...]:
        """The chunks of a document.

        Raises:
            CannotSplitError: none was loaded for this text.
        """
        spans = self.spans.get(_hash(text))
        if not spans:
            raise CannotSplitError(f"'{self.name}' has no chunk of this document as it is now; load its chunks again")
        return spans

    def to_json(self) -> str:
        """For `Workspace.loaded_chunks`."""
        spans = {key: [list(span) for span in some] for key, some in self.spans.items()}
        return json.dumps({"name": self.name, "spans": spans, "documents": dict(self.documents)}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> LoadedChunks:
        """What `to_json` made.

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
        """With the fingerprint made."""
        return cls(
            name, spans, hashlib.sha256(json.dumps(dict(sorted(spans.items()))).encode()).hexdigest()[:16], documents
        )


class LoadedWorkspace(NamedTuple):
    """The loaded chunks of a workspace."""

    splitters: Mapping[str, LoadedChunks]
    """By the names that `--set splitter=` takes."""
    warnings: tuple[str, ...]
    """A sentence for each that cannot be read."""


def read_chunks(data: bytes, name: str, documents: Sequence[Document]) -> LoadedChunks:
    """Read chunks, a line of JSON each.

    A line names its document (`doc`, `doc_id`, `source`, or the same under `metadata`; not needed where there is one
    document only), and either `start` and `end` in characters or the chunk's `content` (`text`, `page_content`), which
    is looked for in the order of the lines. What `chunkscope chunk` prints and the Documents of LangChain can be read
    as they are.

    Args:
        name: shown, and part of the splitter's name; without its ending.
        documents: those the chunks may be of.
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
            named = _located(document, pieces_given, name, lines[document.doc_id])
            spans[_hash(document.text)], counts[document.source] = named, len(named)
    return LoadedChunks.of(name.rpartition(".")[0] or name, spans, counts)


def save_chunks(workspace: Workspace, loaded: LoadedChunks) -> None:
    """Keep chunks in a workspace, and make its chunks known to this thread."""
    workspace.loaded_chunks.put({loaded.name: loaded.to_json()})
    use_loaded(workspace)


def use_loaded(workspace: Workspace) -> LoadedWorkspace:
    """Make the loaded chunks of a workspace the ones that this thread knows; those of another workspace are no longer
    known to it.
    """
    spans = _read(workspace.loaded_chunks.all())
    use_splitters(spans.splitters)
    return spans


def _read(rows: Mapping[str, str]) -> LoadedWorkspace:
    """What is saved; a row that cannot be read is set aside, and the others serve."""
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
    """Settings that leave loaded chunks as they are: nothing before them, nothing kept together, no other sizes."""
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
    spans = document_named(line.document, by_name)
    if spans is None:
        raise QuestionError(
            (
                f"{where} is of '{line.document[:_SHOWN]}', which matches no document here, or more than "
                f"one; name it by its path."
            ),
            where=where,
        )
    return spans


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
