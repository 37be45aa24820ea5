"""Documents as JSON elements of the library `unstructured`: a zip with one list per document.

`elements_from_json` of that library reads each list, and so does this project
(`parsing/formats/unstructured_elements.py`). The library itself is not needed. Fields of an element:

| field | content |
|---|---|
| `text` | exactly `text[start:end]` of the document, a list's item without its bullet; a title without its marks |
| `metadata.start`, `metadata.end` | that span, in characters: of this project |
| `metadata.parent_id` | its title element |
| `metadata.category_depth` | of a title or of a list's item, from 0 |
| `metadata.coordinates` | its box in shares of the page |
| `metadata.text_as_html` | a table's rows and cells |

Page headers, footers, page numbers and footnotes, which chunks omit, are elements as in `unstructured`; other omitted
text (navigation, a printed table of contents) is not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from chunking.export.zip_entries import zip_entry
from chunking.model import Block, BlockType, Box, Document, LeftOut
from chunking.parsing.document_elements import DocumentElement, document_elements
from chunking.splitting.rendering.table_text import TableCells

__all__ = ["element_rows", "write_elements"]

_LEFT_OUT = {
    **dict.fromkeys(("page header", "running header"), "Header"),
    **dict.fromkeys(("page footer", "running footer"), "Footer"),
    **{"page number": "PageNumber", "footnote": "Footnote"},
}
"""Element types of omitted text, by the reason for the omission."""
_LANGUAGES = {
    **{
        "en": "eng",
        "zh": "zho",
        "ja": "jpn",
        "ko": "kor",
        "ru": "rus",
        "el": "ell",
        "ar": "ara",
        "he": "heb",
        "hi": "hin",
        "th": "tha",
    },
    **{"de": "deu", "fr": "fra", "es": "spa", "it": "ita", "pt": "por", "nl": "nld", "sv": "swe"},
    **{"da": "dan", "nb": "nob", "fi": "fin", "hu": "hun", "ro": "ron", "tr": "tur"},
}
"""ISO 639-3 codes, which `unstructured` uses, of the languages that are recognised."""


def write_elements(sink: BinaryIO, documents: Iterable[Document]) -> None:
    """Write a zip with the elements of each document in a file `SOURCE.json` (see `element_rows`).

    One document at a time is in memory.
    """
    with ZipFile(sink, "w", ZIP_DEFLATED) as pack:
        for document in documents:
            text = json.dumps(element_rows(document), ensure_ascii=False, indent=1)
            pack.writestr(zip_entry(f"{document.source}.json"), text.encode("utf-8", "replace"))


def element_rows(document: Document) -> list[dict[str, Any]]:
    """Return a document's elements of the library `unstructured`, in text order.

    Page headers, footers and footnotes, which the text leaves out, are among them.
    """
    elements = document_elements(document)
    ids = [_id(document, element.words.start) for element in elements]
    titles = {section.start: section.title for section in document.sections if not section.title_made}
    shared = _document_metadata(document)
    rows: list[tuple[int, dict[str, Any]]] = []
    for number, element in enumerate(elements):
        start, end = element.words
        text = titles.get(element.block.start, "") if element.category == "Title" else ""
        parent = {"parent_id": ids[element.title]} if element.title >= 0 else {}
        metadata = shared | parent | _metadata(document, element) | {"start": start, "end": end}
        rows.append((start, _row(element.category, ids[number], text or document.text[start:end], metadata)))
    rows += ((one.start, _left_out(document, one, shared)) for one in document.left_out if one.reason in _LEFT_OUT)
    return [row for _, row in sorted(rows, key=lambda one: one[0])]


def _row(category: str, element_id: str, text: str, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"type": category, "element_id": element_id, "text": text, "metadata": metadata}


def _id(document: Document, start: int) -> str:
    return hashlib.sha256(f"{document.doc_id} {document.hash} {start}".encode("utf-8", "replace")).hexdigest()[:32]


def _document_metadata(document: Document) -> dict[str, Any]:
    folder, _, name = document.source.rpartition("/")
    language = _LANGUAGES.get(document.language)
    values = {
        "filename": name,
        "file_directory": folder,
        "last_modified": document.updated_at,
        "languages": [language] if language else None,
    }
    return {key: value for key, value in values.items() if value}


def _metadata(document: Document, element: DocumentElement) -> dict[str, Any]:
    block = element.block
    values: dict[str, Any] = {
        "category_depth": element.depth if element.category in ("Title", "ListItem") else None,
        "page_number": block.page,
        "coordinates": _coordinates(block.bbox),
        "text_as_html": _html(document.text, block) if block.type is BlockType.TABLE else None,
        "image_path": str(block.meta["path"]) if block.type is BlockType.IMAGE and block.meta.get("path") else None,
    }
    return {key: value for key, value in values.items() if value is not None}


def _left_out(document: Document, span: LeftOut, shared: dict[str, Any]) -> dict[str, Any]:
    places = document.locations_in(span.start, span.end)
    place: dict[str, Any] = {"page_number": places[0].page} if places else {}
    box = _coordinates(places[0].bbox) if len(places) == 1 else None
    metadata = shared | place | ({"coordinates": box} if box else {}) | {"start": span.start, "end": span.end}
    return _row(_LEFT_OUT[span.reason], _id(document, span.start), document.text[span.start : span.end], metadata)


def _coordinates(box: Box | None) -> dict[str, Any] | None:
    """Return the corners of a box, counter-clockwise from the upper left, with y from the page's foot."""
    if box is None:
        return None
    left, top, right, bottom = box[0], 1 - box[1], box[2], 1 - box[3]
    points = [[left, top], [left, bottom], [right, bottom], [right, top]]
    return {"points": points, "system": "RelativeCoordinateSystem", "layout_width": 1, "layout_height": 1}


def _html(text: str, block: Block) -> str:
    """Return a table as HTML, its header rows merged into one."""
    table = TableCells(text, block, str.strip)
    rows = "".join(f"<tr>{''.join(_cells('td', table.cells(number)))}</tr>" for number in range(len(table.starts)))
    head = f"<thead><tr>{''.join(_cells('th', table.columns))}</tr></thead>" if table.columns else ""
    return f"<table>{head}<tbody>{rows}</tbody></table>"


def _cells(tag: str, cells: Iterable[str]) -> Iterator[str]:
    return (f"<{tag}>{escape(cell, quote=False)}</{tag}>" for cell in cells)
