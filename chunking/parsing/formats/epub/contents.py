"""An e-book's table of contents: which section starts where, and how deep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from chunking.parsing.formats.epub.package import Book, resolve
from chunking.parsing.formats.html import SectionMark
from chunking.parsing.formats.html.html_lines import collapse
from chunking.parsing.formats.html.html_tree import parse_page
from chunking.parsing.safe_input.safe_xml import parse_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["read_contents"]

_DEEPEST = 6


class _Entry(NamedTuple):
    label: str
    reference: str
    depth: int


def read_contents(book: Book) -> dict[str, dict[str, SectionMark]]:
    """The sections that the table of contents names, by page and by the id of the element at which they start.

    A table that is one flat list says nothing of levels: those of the headings are kept then.
    """
    path, entries = "", list[_Entry]()
    if book.nav is not None:
        path, entries = book.nav, list(_from_nav(book, book.nav))
    if not entries and book.ncx is not None:
        path, entries = book.ncx, list(_from_ncx(book, book.ncx))
    nested = any(entry.depth > 1 for entry in entries)
    marks: dict[str, dict[str, SectionMark]] = {}
    for entry in entries:
        page, identity = resolve(path, entry.reference)
        if entry.label:
            marks.setdefault(page, {}).setdefault(
                identity, SectionMark(entry.label, min(entry.depth, _DEEPEST), nested)
            )
    return marks


def _from_ncx(book: Book, path: str) -> Iterator[_Entry]:
    root = parse_xml(book.read(path), book.source, part=path)
    for point in root.iter("{*}navPoint"):
        target = point.find("{*}content")
        label = collapse(point.findtext("{*}navLabel/{*}text") or "")
        if target is not None:
            yield _Entry(label, target.get("src", ""), _depth(point, {point.tag}))


def _from_nav(book: Book, path: str) -> Iterator[_Entry]:
    page = parse_page(book.read(path), book.source)
    lists = [] if page.root is None else list(page.root.iter("nav"))
    kinds: Iterable[_Element] = [
        one for one in lists if "toc" in (one.get("epub:type") or one.get("type") or "").split()
    ] or lists[:1]
    for nav in kinds:
        for link in nav.iter("a"):
            yield _Entry(collapse("".join(link.itertext())), link.get("href") or "", _depth(link, {"ol", "ul"}) - 1)


def _depth(element: _Element, tags: set[str]) -> int:
    return 1 + sum(1 for _ in element.iterancestors(*tags))
