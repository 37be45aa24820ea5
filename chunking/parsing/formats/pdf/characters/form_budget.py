"""Limit the work of drawing the Form XObjects of a PDF, before pdfium draws them.

A form (a stamp, a logo, a whole page inside another) is drawn by the operator `Do`, and forms may draw forms. Thirty
forms that each draw the next one twice are a billion drawings in four thousand bytes, and pdfium follows them all
inside one call. So the drawings are counted first, from how often each form's content names the others.
"""

from __future__ import annotations

import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chunking.errors import TooLargeError
from chunking.parsing.builder.reader_types import RawFile

__all__ = ["MAX_DRAWN_BYTES", "MAX_DRAWN_FORMS", "FormGraph", "check_forms"]

MAX_DRAWN_FORMS = 2_000_000
"""Most form drawings of a document, nested ones included; pdfium draws 400,000 a second."""
MAX_DRAWN_BYTES = 2**30
"""Most unpacked bytes of all these drawings."""

_MAX_LEVEL = 40
"""Depth of nested forms that pdfium follows (`kMaxFormLevel`); a form that draws itself ends there."""
_FORM = re.compile(rb"/(?:F|#46)(?:o|#6[fF])(?:r|#72)(?:m|#6[dD])(?![^\s/<>\[\](){}%])")
"""Subtype of a form: forms are never in packed objects, so every file with one shows it."""


def check_forms(raw: RawFile) -> None:
    """Check that a PDF draws no more forms than `MAX_DRAWN_FORMS` and `MAX_DRAWN_BYTES` allow.

    Nested drawings count. Drawings after a part that pdfminer cannot read are not counted: they are left to pdfium,
    which tolerates more damage, and to the time limit.

    Raises:
        TooLargeError: it draws more.
    """
    if not _FORM.search(raw.data):
        return
    graph = FormGraph(raw.data)
    graph.follow()
    forms, size = _count_drawings(graph.pages, graph.forms)
    if forms > MAX_DRAWN_FORMS:
        what = f"draws forms inside forms more than {MAX_DRAWN_FORMS:,} times"
    elif size > MAX_DRAWN_BYTES:
        what = f"draws the same forms again and again, more than {MAX_DRAWN_BYTES // 2**20:,} MB of them"
    else:
        return
    raise TooLargeError(f"{raw.source} {what}; split it, or print it to a new PDF.", where=raw.source)


def _count_drawings(pages: Sequence[DrawnForms], forms: Mapping[Node, DrawnForms]) -> tuple[int, int]:
    """Count the form drawings of all pages, and their bytes.

    Counted level by level, as deep as pdfium goes, so that forms that draw themselves need no special case. Sums are
    capped just over the limits.
    """
    each = {node: (1, form.size) for node, form in forms.items()}
    for _ in range(_MAX_LEVEL):
        before = each
        each = {node: _sum(form.draws, before, 1, form.size) for node, form in forms.items()}
        if each == before:
            break
    totals = [_sum(page.draws, each, 0, 0) for page in pages]
    return sum(times for times, _ in totals), sum(size for _, size in totals)


def _sum(forms: Counter[Node], each: Mapping[Node, tuple[int, int]], count: int, size: int) -> tuple[int, int]:
    for node, times in forms.items():
        count += times * each[node][0]
        size += times * each[node][1]
    return min(count, MAX_DRAWN_FORMS + 1), min(size, MAX_DRAWN_BYTES + 1)


MAX_UNPACKED = 256 * 2**20
"""Most bytes unpacked in all; forms beyond count as drawing nothing."""
_SLOW_FILTERS = 2**20
"""Most bytes of a document given to pdfminer's own filters, which are pure Python."""
_MAX_ANNOTATIONS = 5_000
"""Most annotations read per page."""
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
"""Exceptions of pdfminer on broken files, besides its own errors."""

Node = tuple[int, int]
"""Object number of a form, and identity of the resources that resolve its names."""


@dataclass(slots=True)
class DrawnForms:
    """A page or a form: size of its own content, and how often it draws each form."""

    size: int = 0
    """Bytes of unpacked content; 0 for a page."""
    draws: Counter[Node] = field(default_factory=Counter)
    """Number of drawings of each form."""


class FormGraph:
    """Graph of a PDF's pages and the forms they draw; empty until `follow` reads it.

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
        """By object number: bytes of a form's content, and how often it draws each name."""
        self._waiting: list[tuple[Node, Any, Any]] = []
        """Registered forms still to be read, each with its resources."""

    def follow(self) -> None:
        """Fill `pages` and `forms` with pdfminer, without drawing; stop silently at a broken part.

        `pages` holds only pages that draw a form. Content beyond `MAX_UNPACKED` bytes counts as drawing nothing.
        """
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
        content = DrawnForms()
        resources = _resolved(page.get("Resources"))
        forms = self._forms_in(resources)
        if forms:
            contents = _resolved(page.get("Contents"))
            parts = contents if isinstance(contents, list) else [contents]
            names = _names(b"\n".join(self._unpacked(_resolved(part)) for part in parts))
            self._count(content, names, forms, resources)
        for form in _appearances(page):
            content.draws[self._node(form, None)] += 1
        if content.draws:
            self.pages.append(content)

    def _add_form(self, node: Node, form: Any, resources: Any) -> None:
        number = node[0]
        if number not in self._contents:
            content = self._unpacked(form)
            self._contents[number] = len(content), _names(content)
        size, names = self._contents[number]
        self.forms[node].size = size
        if names:
            self._count(self.forms[node], names, self._forms_in(resources), resources)

    def _count(self, content: DrawnForms, names: Counter[str], forms: Mapping[str, Any], resources: Any) -> None:
        for name, times in names.items():
            if name in forms:
                content.draws[self._node(forms[name], resources)] += times

    def _node(self, form: Any, outer: Any) -> Node:
        """Register a form with its own resources, else those of its context."""
        resources = _resolved(form.attrs.get("Resources"))
        if not isinstance(resources, dict):
            resources = outer
        node = form.objid or 0, id(resources)
        if node not in self.forms:
            self.forms[node] = DrawnForms()
            self._waiting.append((node, form, resources))
        return node

    def _forms_in(self, resources: Any) -> dict[str, Any]:
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
        """Unpack a stream, up to the remaining budget."""
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
    """Unpack damaged data up to the piece that holds the damage."""
    unpacker = zlib.decompressobj()
    content = bytearray()
    for start in range(0, len(data), 256):
        try:
            content += unpacker.decompress(data[start : start + 256], max(room - len(content), 1))
        except zlib.error:
            break
        if len(content) >= room:
            break
    return bytes(content)


def _leaves(root: Any) -> Iterator[Mapping[str, Any]]:
    """Pages of a page tree, with inherited resources; each branch once."""
    visited: set[int] = set()
    waiting = [(root, None)]
    while waiting:
        reference, resources = waiting.pop()
        node = _resolved(reference)
        if not isinstance(node, dict) or id(node) in visited:
            continue
        visited.add(id(node))
        resources = node.get("Resources", resources)
        kids = _resolved(node.get("Kids"))
        if isinstance(kids, list):
            waiting += ((kid, resources) for kid in reversed(kids))
        else:
            yield {**node, "Resources": resources}


def _appearances(page: Mapping[str, Any]) -> Iterator[Any]:
    """Appearance streams of a page's annotations: one, or one per state of a field."""
    annotations = _resolved(page.get("Annots"))
    for reference in annotations[:_MAX_ANNOTATIONS] if isinstance(annotations, list) else ():
        annotation = _resolved(reference)
        looks = _resolved(annotation.get("AP")) if isinstance(annotation, dict) else None
        normal = _resolved(looks.get("N")) if isinstance(looks, dict) else None
        for stream in map(_resolved, normal.values()) if isinstance(normal, dict) else [normal]:
            if _is_stream(stream):
                yield stream


def _names(content: bytes) -> Counter[str]:
    """Count how often a content stream draws each name."""
    return Counter({_decoded_name(name): times for name, times in Counter(_DRAWING.findall(content)).items()})


def _decoded_name(name: bytes) -> str:
    """Decode a name as pdfminer's dictionaries spell it."""
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
