"""Documents and chunks as rows of tables, and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from chunking.model import Block, BlockType, Chunk, Document, Flag, LeftOut, Section
from chunking.records import chunk_record
from chunking.store.filters import clean, key_text

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = [
    "CHUNK_FIELDS",
    "DOCUMENT_FIELDS",
    "LIGHT_FIELDS",
    "DocumentRow",
    "Version",
    "chunk_table",
    "document_row",
    "document_stamp",
    "row_chunk",
    "row_document",
    "section_rows",
]

LIGHT_FIELDS = (
    *("doc_id", "source", "title", "hash", "stamp", "updated_at", "format", "category", "path_hierarchy", "language", "encoding"),
    *("doc_toc", "warnings", "characters", "section_count", "versions"),
)
DOCUMENT_FIELDS = (*LIGHT_FIELDS, "text", "blocks", "sections", "left_out")
CHUNK_FIELDS = (
    *("id", "doc_id", "section_id", "parent_id", "chunk_index", "total_chunks", "prev_id", "next_id", "title_path"),
    *("content_type", "prefix", "content", "embedding_content", "token_count", "start", "end", "hash", "source_hint"),
    *("pages", "bboxes", "flags", "metadata"),
)


@dataclass(frozen=True, slots=True)
class Version:
    """What is known of a document's earlier content."""

    hash: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A stored document without its text."""

    doc_id: str
    source: str
    title: str
    hash: str
    stamp: str
    """Changes with anything that decides its chunks: see `document_stamp`."""
    updated_at: str
    format: str
    category: str
    path_hierarchy: tuple[str, ...]
    language: str
    encoding: str
    doc_toc: str
    warnings: tuple[str, ...]
    characters: int
    sections: int
    """Number of sections."""
    versions: tuple[Version, ...]
    """Earlier ones, oldest first."""

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> DocumentRow:
        plain = {name: row[name] for name in LIGHT_FIELDS if name != "section_count"}
        return cls(
            **plain
            | {
                "path_hierarchy": tuple(row["path_hierarchy"]),
                "warnings": tuple(row["warnings"]),
                "sections": row["section_count"],
                "versions": tuple(Version(**version) for version in json.loads(row["versions"])),
            }
        )

    def as_record(self) -> dict[str, Any]:
        """As `chunkscope documents` prints it."""
        return {name: value for name, value in asdict(self).items() if name != "stamp"}


def document_row(document: Document, versions: Sequence[Version]) -> dict[str, Any]:
    """All columns of the table `documents`."""
    return _cleaned(
        {
            "doc_id": document.doc_id,
            "source": document.source,
            "title": document.title,
            "hash": document.hash,
            "stamp": document_stamp(document),
            "updated_at": document.updated_at,
            "format": document.format,
            "category": document.category,
            "path_hierarchy": list(document.path_hierarchy),
            "language": document.language,
            "encoding": document.encoding,
            "doc_toc": document.doc_toc,
            "warnings": list(document.warnings),
            "characters": len(document.text),
            "section_count": len(document.sections),
            "versions": json.dumps([asdict(version) for version in versions]),
            "text": document.text,
            "blocks": _packed([_block_values(block) for block in document.blocks]),
            "sections": _packed([asdict(section) for section in document.sections]),
            "left_out": _packed([asdict(span) for span in document.left_out]),
        }
    )


def row_document(row: Mapping[str, Any]) -> Document:
    """The document that `document_row` was given."""
    return Document(
        doc_id=row["doc_id"],
        source=row["source"],
        text=row["text"],
        blocks=tuple(_block(values) for values in json.loads(row["blocks"])),
        sections=tuple(_section(values) for values in json.loads(row["sections"])),
        title=row["title"],
        hash=row["hash"],
        updated_at=row["updated_at"],
        format=row["format"],
        category=row["category"],
        path_hierarchy=tuple(row["path_hierarchy"]),
        language=row["language"],
        encoding=row["encoding"],
        doc_toc=row["doc_toc"],
        left_out=tuple(LeftOut(**values) for values in json.loads(row["left_out"])),
        warnings=tuple(row["warnings"]),
    )


def document_stamp(document: Document) -> str:
    """32 hex digits over everything of a document that reaches its chunks: not its file's bytes, dates or warnings."""
    parts = (
        (document.doc_id, document.source, document.title, document.category, document.path_hierarchy, document.language),
        [_block_values(block) for block in document.blocks],
        [asdict(section) for section in document.sections],
        [asdict(span) for span in document.left_out],
    )
    digest = hashlib.sha256(document.text.encode("utf-8", "surrogatepass"))
    digest.update(_packed(parts).encode())
    return digest.hexdigest()[:32]


def section_rows(document: Document) -> list[dict[str, Any]]:
    """All columns of the table `sections`, a row a section."""
    return [
        _cleaned(
            {
                "section_id": section.section_id,
                "doc_id": document.doc_id,
                "doc_hash": document.hash,
                "parent_id": section.parent_id,
                "level": section.level,
                "title": section.title,
                "title_path": list(section.title_path),
                "start": section.start,
                "end": section.end,
            }
        )
        for section in document.sections
    ]


def chunk_table(document: Document, chunks: Sequence[Chunk], vectors: np.ndarray, fingerprint: str, schema: pa.Schema) -> pa.Table:
    """A document's chunks with their vectors, as Arrow.

    Args:
        vectors: (n, d) float32, a row a chunk.
        fingerprint: the document's in this index.
    """
    import numpy as np
    import pyarrow as pa

    stamp = document_stamp(document)
    rows = [_chunk_row(document, chunks, place, fingerprint, stamp) for place in range(len(chunks))]
    table = pa.Table.from_pylist(rows, schema=schema.remove(schema.get_field_index("vector")))
    flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).reshape(-1), type=pa.float32())
    field = schema.field("vector")
    return table.append_column(field, pa.FixedSizeListArray.from_arrays(flat, field.type.list_size))


def _chunk_row(document: Document, chunks: Sequence[Chunk], place: int, fingerprint: str, stamp: str) -> dict[str, Any]:
    chunk = chunks[place]
    # The outline may be long: it stands once, on the document's first chunk, not on every one.
    metadata = {name: value for name, value in chunk.metadata.items() if name != "doc_toc"}
    gap = document.text[chunks[place - 1].end : chunk.start] if place else ""
    return _cleaned(
        {
            **{name: value for name, value in chunk_record(chunk).items() if name in CHUNK_FIELDS},
            "id": chunk.chunk_id,
            "bboxes": _packed(chunk.bboxes),
            "metadata": _packed({"title": document.title, **metadata, "gap": gap}),
            "doc_toc": "" if place else document.doc_toc,
            "doc_fingerprint": fingerprint,
            "doc_stamp": stamp,
            "path": document.source,
            "category": document.category,
            "language": document.language,
            "section_key": key_text([chunk.section_id, *chunk.title_path]),
            "page_key": key_text(chunk.pages),
            "indexed_text": chunk.indexed_text,
            "headings": "\n".join(chunk.title_path),
        }
    )


def row_chunk(row: Mapping[str, Any]) -> Chunk:
    """The chunk a row was made from; `metadata` has `title` and `gap` besides, and no `doc_toc`."""
    same = {name: row[name] for name in CHUNK_FIELDS if name not in ("id", "title_path", "pages", "bboxes", "flags", "metadata")}
    return Chunk(
        chunk_id=row["id"],
        title_path=tuple(row["title_path"]),
        pages=tuple(row["pages"]),
        bboxes=tuple(_box(box) for box in json.loads(row["bboxes"])),
        flags=tuple(Flag(flag) for flag in row["flags"]),
        metadata=json.loads(row["metadata"]),
        **same,
    )


def _cleaned(row: dict[str, Any]) -> dict[str, Any]:
    def cleaned(value: Any) -> Any:
        return (
            clean(value)
            if isinstance(value, str)
            else [clean(v) if isinstance(v, str) else v for v in value]
            if isinstance(value, list)
            else value
        )

    return {name: cleaned(value) for name, value in row.items()}


def _packed(value: object) -> str:
    """Compact JSON; escaped to ASCII, so that any text comes back as it was."""
    return json.dumps(value, separators=(",", ":"), default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _block_values(block: Block) -> list[Any]:
    return [block.type.value, block.start, block.end, block.level, block.line, block.page, block.bbox, dict(block.meta)]


def _block(values: list[Any]) -> Block:
    kind, start, end, level, line, page, bbox, meta = values
    return Block(BlockType(kind), start, end, level, line, page, None if bbox is None else _box(bbox), _frozen(meta))


def _frozen(value: Any) -> Any:
    """What JSON made lists of, as tuples again: a document is equal to the one that was stored, and so is its fingerprint."""
    if isinstance(value, list):
        return tuple(_frozen(one) for one in value)
    return {name: _frozen(one) for name, one in value.items()} if isinstance(value, dict) else value


def _section(values: dict[str, Any]) -> Section:
    return Section(**values | {"title_path": tuple(values["title_path"])})


def _box(values: Sequence[float]) -> tuple[float, float, float, float]:
    left, top, right, bottom = values
    return (left, top, right, bottom)
