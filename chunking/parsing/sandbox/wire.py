"""Serialise documents between the reading process and its caller.

JSON and lengths, never pickle: a reader taken over by a hostile file could send anything, and must not run code here.
Every field is restored exactly, tuples as tuples.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from itertools import accumulate, pairwise, starmap
from typing import Any, NamedTuple

from chunking.model import Block, BlockType, Document, LeftOut, Location, Pin, PinKind, Section

__all__ = ["Frame", "decode", "documents_frame", "encode", "lengths", "read_documents"]


class Frame(NamedTuple):
    """A message: a head of plain values, and a body of bytes."""

    head: dict[str, Any]
    body: bytes


def _same(value: Any) -> Any:
    return value


def _tuple(value: Any) -> Any:
    return None if value is None else tuple(value)


_PLAIN = frozenset({str, int, float, bool, type(None)})


def _marked(value: Any) -> Any:
    """Mark values that JSON would change in a block's meta: tuples, and mappings with odd keys."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, tuple):
        return {"()": [_marked(one) for one in value]}
    if isinstance(value, list):
        return [_marked(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    if all(type(key) is str and key not in ("()", "{}") for key in value):
        return {key: _marked(one) for key, one in value.items()}
    return {"{}": [[_marked(key), _marked(one)] for key, one in value.items()]}


def _unmarked(value: Any) -> Any:
    if type(value) in _PLAIN:
        return value
    if isinstance(value, list):
        return [_unmarked(one) for one in value]
    if "()" in value:
        return tuple(map(_unmarked, value["()"]))
    if "{}" in value:
        return {_unmarked(key): _unmarked(one) for key, one in value["{}"]}
    return {key: _unmarked(one) for key, one in value.items()}


_Way = tuple[Callable[[Any], Any], Callable[[Any], Any]]
_TUPLE: _Way = (_same, _tuple)


def _columns(kind: Callable[..., Any], names: Sequence[str], special: Mapping[str, _Way]) -> _Way:
    """Codec of a tuple of records, as a list per field: a fraction of the time of a list per record."""

    def pack(records: Any) -> Any:
        columns = ([getattr(record, name) for record in records] for name in names)
        return [
            list(map(special[name][0], column)) if name in special else column
            for name, column in zip(names, columns, strict=True)
        ]

    def unpack(columns: Any) -> Any:
        ways = (
            map(special[name][1], column) if name in special else column
            for name, column in zip(names, columns, strict=True)
        )
        return tuple(starmap(kind, zip(*ways, strict=True)))

    return pack, unpack


def _names(kind: Any) -> list[str]:
    return [field.name for field in fields(kind)]


_WAYS: Mapping[str, _Way] = {
    "blocks": _columns(Block, _names(Block), {"type": (str, BlockType), "bbox": _TUPLE, "meta": (_marked, _unmarked)}),
    "sections": _columns(Section, _names(Section), {"title_path": _TUPLE}),
    "left_out": _columns(LeftOut, _names(LeftOut), {}),
    "locations": _columns(Location, Location._fields, {"bbox": _TUPLE}),
    "pins": _columns(Pin, Pin._fields, {"kind": (str, PinKind)}),
    "path_hierarchy": _TUPLE,
    "warnings": _TUPLE,
    "read_options": _TUPLE,
}
"""Encoder and decoder of document fields that JSON alone would change."""

_TEXTS = (
    "doc_id",
    "source",
    "title",
    "hash",
    "updated_at",
    "format",
    "category",
    "language",
    "encoding",
    "doc_toc",
    "parent_id",
    "parser",
)


def documents_frame(documents: Sequence[Document]) -> Frame:
    """Serialise a file's documents: their texts as UTF-8 in the body, all else in the head."""
    texts = [document.text.encode("utf-8", "surrogatepass") for document in documents]
    return Frame(
        {"sizes": [len(text) for text in texts], "documents": [_packed(document) for document in documents]},
        b"".join(texts),
    )


def read_documents(frame: Frame) -> tuple[Document, ...]:
    """Restore and check a frame's documents: the file's own, then those of its inner files.

    Raises:
        ValueError, TypeError, KeyError: the frame was not made by `documents_frame`.
    """
    ends = list(accumulate(frame.head["sizes"], initial=0))
    if ends[-1] != len(frame.body) or any(end < start for start, end in pairwise(ends)):
        raise ValueError("texts of another length than it says")
    texts = (frame.body[start:end] for start, end in pairwise(ends))
    documents = tuple(_unpacked(head, text) for head, text in zip(frame.head["documents"], texts, strict=True))
    if [document.parent_id for document in documents] != ["", *[documents[0].doc_id] * (len(documents) - 1)]:
        raise ValueError("documents of more than one file")
    return documents


def _packed(document: Document) -> dict[str, Any]:
    values = {name: getattr(document, name) for name in _names(Document) if name != "text"}
    return {name: _WAYS[name][0](value) if name in _WAYS else value for name, value in values.items()}


def _unpacked(head: Mapping[str, Any], body: bytes) -> Document:
    text = body.decode("utf-8", "surrogatepass")
    values = {name: _WAYS[name][1](value) if name in _WAYS else value for name, value in head.items()}
    document = Document(text=text, **values)
    for spans in (document.blocks, document.sections, document.left_out, document.locations):
        if any(not 0 <= span.start <= span.end <= len(text) for span in spans):
            raise ValueError("a span outside the text")
    if not all(isinstance(getattr(document, name), str) for name in _TEXTS):
        raise TypeError("a name that is not text")
    return document


def encode(head: Mapping[str, Any], body: bytes) -> list[bytes]:
    """Encode a frame as pieces to send: two lengths of 8 bytes, the head as JSON, the body."""
    packed = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return [len(packed).to_bytes(8), len(body).to_bytes(8), packed, body]


LENGTHS = 16
"""Size of the two lengths in bytes."""


def lengths(data: bytes | bytearray) -> tuple[int, int]:
    """Return the sizes of head and body in bytes, from the first 16 bytes of an encoded frame."""
    return int.from_bytes(data[:8]), int.from_bytes(data[8:LENGTHS])


def decode(data: bytes | bytearray) -> Frame:
    """Decode a complete frame, as `encode` writes it.

    Raises:
        ValueError, RecursionError: it is incomplete, too long, or its head is no JSON object.
    """
    head, body = lengths(data)
    if len(data) != LENGTHS + head + body:
        raise ValueError("a frame of another length than it says")
    values = json.loads(data[LENGTHS : LENGTHS + head].decode("utf-8", "surrogatepass"))
    if not isinstance(values, dict):
        raise ValueError("a frame without a head")
    return Frame(values, bytes(data[LENGTHS + head :]))
