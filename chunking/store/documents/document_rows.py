"""Conversion of documents to table rows and back, display labels, and packed locations."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

from chunking.model import BUILT_IN, Block, BlockType, Document, LeftOut, Location, Pin, PinKind, Section
from chunking.store.engine.filters import box, cleaned, packed

__all__ = [
    "DOCUMENT_FIELDS",
    "LIGHT_FIELDS",
    "DocumentRow",
    "Version",
    "distinct_labels",
    "document_labels",
    "document_row",
    "document_stamp",
    "documents_by_id",
    "packed_locations",
    "row_document",
    "rows_of",
    "section_rows",
    "unpacked_locations",
]

LIGHT_FIELDS = (
    *(
        "doc_id",
        "source",
        "title",
        "hash",
        "stamp",
        "updated_at",
        "format",
        "category",
        "path_hierarchy",
        "language",
        "encoding",
    ),
    *("doc_toc", "warnings", "characters", "section_count", "page_count", "versions", "parent_id", "parser"),
    *("read_options", "parse_key"),
)
_SECTION_FIELDS = tuple(field.name for field in fields(Section))
DOCUMENT_FIELDS = (*LIGHT_FIELDS, "text", "blocks", "sections", "left_out", "locations", "pins")

_COLUMNS = [("start", "<i4"), ("end", "<i4"), ("page", "<i4"), ("box", "<f8", 4)]
_NO_BOX = (float("nan"),) * 4


@dataclass(frozen=True, slots=True)
class Version:
    """Hash and date of a document's earlier content."""

    hash: str
    updated_at: str


class DocumentRow(NamedTuple):
    """Metadata and counts of a stored document, without text, blocks and sections.

    A tuple, since pages list 100,000 of them after each write: a data class takes several times as long to make.
    """

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
    pages: int
    """Number of pages, slides or sheets; 0 if the format has none."""
    versions: tuple[Version, ...]
    """Earlier versions, oldest first."""
    parent_id: str
    """Id of the document that an embedded file is in; else empty."""
    parser: str
    """Name of the parser that read it (`Document.parser`)."""
    read_options: tuple[str, ...]
    """Options with which it was read (`Document.read_options`)."""
    parse_key: str
    """Code and options of its parse, if it was added from a folder (`indexing.adding.file_stream`); else empty."""

    def as_record(self) -> dict[str, Any]:
        """Return the fields as a dictionary, which `chunkscope documents` prints, without stamp and parse key."""
        values = self._asdict() | {"versions": tuple(map(asdict, self.versions))}
        return {name: value for name, value in values.items() if name not in ("stamp", "parse_key")}


_ROW_COLUMNS = {"sections": "section_count", "pages": "page_count"}
"""Columns of `DocumentRow` fields that have another name in the table."""


def rows_of(columns: Mapping[str, Sequence[Any]]) -> list[DocumentRow]:
    """Convert columns of the table `documents` to rows, without a dictionary for each."""
    values: dict[str, Iterable[Any]] = {name: columns[_ROW_COLUMNS.get(name, name)] for name in DocumentRow._fields}
    values |= {
        "path_hierarchy": map(tuple, values["path_hierarchy"]),
        "warnings": map(tuple, values["warnings"]),
        "pages": (pages or 0 for pages in values["pages"]),
        "parent_id": (parent or "" for parent in values["parent_id"]),
        "parser": (parser or BUILT_IN for parser in values["parser"]),
        "read_options": (tuple(options or ()) for options in values["read_options"]),
        "parse_key": (key or "" for key in values["parse_key"]),
        "versions": map(_versions, values["versions"]),
    }
    return list(map(DocumentRow._make, zip(*values.values(), strict=True)))


def _versions(text: str) -> tuple[Version, ...]:
    return () if text == "[]" else tuple(Version(**version) for version in json.loads(text))


def document_row(document: Document, versions: Sequence[Version], parse_key: str = "") -> dict[str, Any]:
    """Convert a document to a row of the table `documents`, with its earlier versions."""
    return cleaned(
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
            "blocks": packed([_block_values(block) for block in document.blocks]),
            "sections": packed(list(map(_section_values, document.sections))),
            "left_out": packed([asdict(span) for span in document.left_out]),
            "locations": packed_locations(document.locations),
            "page_count": document.page_count,
            "parent_id": document.parent_id,
            "pins": packed(document.pins) if document.pins else "",
            "parser": document.parser,
            "read_options": list(document.read_options),
            "parse_key": parse_key,
        }
    )


def row_document(row: Mapping[str, Any]) -> Document:
    """Convert a row of the table `documents` back to its document."""
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
        locations=unpacked_locations(row["locations"]),
        page_count=row["page_count"] or 0,
        parent_id=row["parent_id"] or "",
        pins=tuple(Pin(PinKind(kind), *rest) for kind, *rest in json.loads(row["pins"] or "[]")),
        parser=row["parser"] or BUILT_IN,
        read_options=tuple(row["read_options"] or ()),
    )


def document_stamp(document: Document) -> str:
    """Return 32 hex digits over a document's content that affects chunks; no dates or warnings."""
    parts = (
        (
            document.doc_id,
            document.source,
            document.title,
            document.category,
            document.path_hierarchy,
            document.language,
        ),
        [_block_values(block) for block in document.blocks],
        list(map(_section_values, document.sections)),
        [asdict(span) for span in document.left_out],
    )
    digest = hashlib.sha256(document.text.encode("utf-8", "surrogatepass"))
    digest.update(packed(parts).encode())
    if document.locations:  # else the stamp equals that of versions before locations
        digest.update(document.format.encode() + packed_locations(document.locations))
    if document.pins:
        digest.update(packed(sorted(document.pins)).encode())
    if document.parser != BUILT_IN:  # its text is cleaned in another way before it is embedded
        digest.update(f"parser {document.parser}".encode())
    return digest.hexdigest()[:32]


def section_rows(document: Document) -> list[dict[str, Any]]:
    """Convert a document's sections to rows of the table `sections`."""
    return [
        cleaned(
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


def _block_values(block: Block) -> list[Any]:
    return [block.type.value, block.start, block.end, block.level, block.line, block.page, block.bbox, dict(block.meta)]


def _block(values: list[Any]) -> Block:
    kind, start, end, level, line, page, bbox, meta = values
    return Block(
        BlockType(kind), start, end, level, line, page, None if bbox is None else box(bbox), _with_tuples(meta)
    )


def _with_tuples(value: Any) -> Any:
    """Convert JSON lists back to tuples, so that a loaded document equals the stored one."""
    if isinstance(value, list):
        return tuple(_with_tuples(one) for one in value)
    return {name: _with_tuples(one) for name, one in value.items()} if isinstance(value, dict) else value


def _section_values(section: Section) -> dict[str, Any]:
    # As `asdict`, without copying immutable values.
    return {name: getattr(section, name) for name in _SECTION_FIELDS}


def _section(values: dict[str, Any]) -> Section:
    return Section(**values | {"title_path": tuple(values["title_path"])})


# -- labels


def document_labels(rows: Iterable[DocumentRow]) -> dict[str, str]:
    """Return a distinct label for each document by id: its title, with its path if titles repeat."""
    return distinct_labels({row.doc_id: (row.title, row.source) for row in rows})


def documents_by_id(rows: Iterable[DocumentRow]) -> dict[str, DocumentRow]:
    """Return the rows by document id, in their order."""
    return {row.doc_id: row for row in rows}


def distinct_labels(documents: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Return a label for each document by id: its title, with its path if titles repeat.

    Args:
        documents: (title, path) by id. If both repeat, the id stands in the path's place. Without a title the label is
            the path, or else the id.

    >>> distinct_labels({"a_faq": ("FAQ", "a/faq.md"), "b_faq": ("FAQ", "b/faq.md"), "guide": ("Guide", "guide.md")})
    {'a_faq': 'FAQ (a/faq.md)', 'b_faq': 'FAQ (b/faq.md)', 'guide': 'Guide'}
    """
    titles, places = Counter(title for title, _ in documents.values()), Counter(documents.values())
    labels = {}
    for doc_id, (title, source) in documents.items():
        where = source if places[title, source] == 1 and source else doc_id
        labels[doc_id] = f"{title or doc_id} ({where})" if titles[title] > 1 else title or source or doc_id
    return labels


# -- locations: 44 bytes each, exact, and read at once


def packed_locations(locations: Sequence[Location]) -> bytes:
    """Pack locations into bytes, 44 each; a box of NaN means none."""
    import numpy as np

    rows = [(place.start, place.end, place.page, place.bbox or _NO_BOX) for place in locations]
    return np.array(rows, np.dtype(_COLUMNS)).tobytes()


def unpacked_locations(data: bytes | None) -> tuple[Location, ...]:
    """Return the locations in the bytes of `packed_locations`; () for None or no bytes."""
    import numpy as np

    if not data:
        return ()
    table = np.frombuffer(data, np.dtype(_COLUMNS))
    columns = (
        table["start"].tolist(),
        table["end"].tolist(),
        table["page"].tolist(),
        map(tuple, table["box"].tolist()),
    )
    unplaced = np.isnan(table["box"][:, 0]).tolist()
    rows = zip(*columns, unplaced, strict=True)
    return tuple(Location(start, end, page, None if no_box else box) for start, end, page, box, no_box in rows)
