"""Which Form XObjects the pages of a PDF draw, and which ones those draw, by pdfminer: nothing is drawn to find out."""

from __future__ import annotations

import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["MAX_UNPACKED", "DrawnForms", "FormGraph", "Node"]

MAX_UNPACKED = 256 * 2**20
"""Bytes of content that are unpacked in all; what is beyond counts as drawing nothing."""
_SLOW_FILTERS = 2**20
"""Bytes that pdfminer's own filters, which are Python, are given of a document."""
_MAX_ANNOTATIONS = 5_000
"""Of a page."""
_DRAWING = re.compile(rb"/([^\s/<>\[\](){}%]++)(?:\s|%[^\r\n]*+[\r\n])++Do(?![^\s/<>\[\](){}%])")
_ESCAPED = re.compile(rb"#([0-9A-Fa-f]{2})")
_FLATE = frozenset({"FlateDecode", "Fl"})
_BROKEN = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    AssertionError,
    ArithmeticError,
    RecursionError,
    EOFError,
    zlib.error,
)
"""What pdfminer raises on broken files, besides its own errors."""

Node = tuple[int, int]
"""A form where it is drawn: the number of its object, and the resources that its names are looked up in (by identity).
"""


@dataclass(slots=True)
class DrawnForms:
    """What a page or a form draws."""

    size: int = 0
    """Bytes of its content, unpacked; 0 for a page."""
    draws: Counter[Node] = field(default_factory=Counter)
    """How often it draws each form."""


class FormGraph:
    """The pages that draw forms, and the forms.

    Args:
        data: the file.
    """

    def __init__(self, data: bytes) -> None:
        self.pages: list[DrawnForms] = []
        self.forms: dict[Node, DrawnForms] = {}
        self._data = data
        self._room = MAX_UNPACKED
        self._slow_room = _SLOW_FILTERS
        self._contents: dict[int, tuple[int, Counter[str]]] = {}
        """Of a form's object: bytes of its content, and how often it draws each name."""
        self._waiting: list[tuple[Node, Any, Any]] = []
        """Forms that are known and not yet read, each with its resources."""

    def follow(self) -> None:
        """Find as much as can be found: a part that is broken ends the search, for pdfium may read another."""
        from pdfminer.pdfdocument import PDFDocument
        from pdfminer.pdfparser import PDFParser
        from pdfminer.psexceptions import PSException

        try:
            document = PDFDocument(PDFParser(io.BytesIO(self._data)))
            for page in _leaves(document.catalog.get("Pages")):
                self._add_page(page)
                while self._waiting:
                    self._add_form(*self._waiting.pop())
        except (PSException, *_BROKEN):
            return

    def _add_page(self, page: Mapping[str, Any]) -> None:
        drawn = DrawnForms()
        resources = _resolved(page.get("Resources"))
        forms = self._forms_in(resources)
        if forms:
            contents = _resolved(page.get("Contents"))
            parts = contents if isinstance(contents, list) else [contents]
            names = _names(b"\n".join(self._unpacked(_resolved(part)) for part in parts))
            self._count(drawn, names, forms, resources)
        for form in _appearances(page):
            drawn.draws[self._node(form, None)] += 1
        if drawn.draws:
            self.pages.append(drawn)

    def _add_form(self, node: Node, form: Any, resources: Any) -> None:
        number = node[0]
        if number not in self._contents:
            content = self._unpacked(form)
            self._contents[number] = len(content), _names(content)
        size, names = self._contents[number]
        self.forms[node].size = size
        if names:
            self._count(self.forms[node], names, self._forms_in(resources), resources)

    def _count(self, drawn: DrawnForms, names: Counter[str], forms: Mapping[str, Any], resources: Any) -> None:
        for name, times in names.items():
            if name in forms:
                drawn.draws[self._node(forms[name], resources)] += times

    def _node(self, form: Any, around: Any) -> Node:
        """A form drawn where some resources hold, which are its own where it brings none."""
        resources = _resolved(form.attrs.get("Resources"))
        if not isinstance(resources, dict):
            resources = around
        node = form.objid or 0, id(resources)
        if node not in self.forms:
            self.forms[node] = DrawnForms()
            self._waiting.append((node, form, resources))
        return node

    def _forms_in(self, resources: Any) -> dict[str, Any]:
        """The forms among the XObjects of some resources, by name."""
        objects = _resolved(resources.get("XObject")) if isinstance(resources, dict) else None
        if not isinstance(objects, dict):
            return {}
        streams = {name: _resolved(value) for name, value in objects.items()}
        return {
            name: stream
            for name, stream in streams.items()
            if _is_stream(stream) and _name(stream.attrs.get("Subtype")) == "Form"
        }

    def _unpacked(self, stream: Any) -> bytes:
        """The content of a stream, as far as there is room for it."""
        if not _is_stream(stream) or stream.rawdata is None:
            return b""
        data = stream.rawdata
        if stream.decipher:
            data = stream.decipher(stream.objid, stream.genno, data, stream.attrs)
        for kind, _ in stream.get_filters():
            data = self._inflated(data) if _name(kind) in _FLATE else self._decoded(data, _name(kind))
        data = data[: self._room]
        self._room -= len(data)
        return bytes(data)

    def _inflated(self, data: bytes) -> bytes:
        unpacker = zlib.decompressobj()
        try:
            return unpacker.decompress(data, max(self._room, 1))
        except zlib.error:  # cut off, or with a wrong sum at its end: what comes before is there
            return _inflated_in_pieces(data, self._room)

    def _decoded(self, data: bytes, kind: str) -> bytes:
        from pdfminer import ascii85, lzw, runlength

        decoders = {
            "ASCII85Decode": ascii85.ascii85decode,
            "A85": ascii85.ascii85decode,
            "ASCIIHexDecode": ascii85.asciihexdecode,
            "AHx": ascii85.asciihexdecode,
            "LZWDecode": lzw.lzwdecode,
            "LZW": lzw.lzwdecode,
            "RunLengthDecode": runlength.rldecode,
            "RL": runlength.rldecode,
        }
        if kind not in decoders or len(data) > self._slow_room:
            return b""
        self._slow_room -= len(data)
        return decoders[kind](data)


def _inflated_in_pieces(data: bytes, room: int) -> bytes:
    """What can be unpacked of damaged data, before the piece in which the damage is."""
    unpacker = zlib.decompressobj()
    found = bytearray()
    for start in range(0, len(data), 256):
        try:
            found += unpacker.decompress(data[start : start + 256], max(room - len(found), 1))
        except zlib.error:
            break
        if len(found) >= room:
            break
    return bytes(found)


def _leaves(root: Any) -> Iterator[Mapping[str, Any]]:
    """The pages of a tree of pages, each with the resources it inherits; a branch met twice is followed once."""
    seen: set[int] = set()
    waiting = [(root, None)]
    while waiting:
        reference, resources = waiting.pop()
        node = _resolved(reference)
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        resources = node.get("Resources", resources)
        kids = _resolved(node.get("Kids"))
        if isinstance(kids, list):
            waiting += ((kid, resources) for kid in reversed(kids))
        else:
            yield {**node, "Resources": resources}


def _appearances(page: Mapping[str, Any]) -> Iterator[Any]:
    """The forms that fields and notes of a page look like: a stream, or one for each state of a field."""
    annotations = _resolved(page.get("Annots"))
    for reference in annotations[:_MAX_ANNOTATIONS] if isinstance(annotations, list) else ():
        annotation = _resolved(reference)
        looks = _resolved(annotation.get("AP")) if isinstance(annotation, dict) else None
        normal = _resolved(looks.get("N")) if isinstance(looks, dict) else None
        for stream in map(_resolved, normal.values()) if isinstance(normal, dict) else [normal]:
            if _is_stream(stream):
                yield stream


def _names(content: bytes) -> Counter[str]:
    """How often a content draws each name."""
    return Counter({_decoded_name(name): times for name, times in Counter(_DRAWING.findall(content)).items()})


def _decoded_name(name: bytes) -> str:
    """A name as pdfminer's dictionaries have it."""
    plain = _ESCAPED.sub(lambda match: bytes([int(match[1], 16)]), name)
    try:
        return plain.decode()
    except UnicodeDecodeError:
        return str(plain)


def _name(value: Any) -> str:
    from pdfminer.psparser import literal_name

    return literal_name(_resolved(value))


def _resolved(value: Any) -> Any:
    from pdfminer.pdftypes import resolve1

    return resolve1(value)


def _is_stream(value: Any) -> bool:
    from pdfminer.pdftypes import PDFStream

    return isinstance(value, PDFStream)
