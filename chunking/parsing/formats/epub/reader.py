"""Read an e-book page by page in reading order, with the levels of its table of contents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from chunking.errors import ParseError
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.epub.package import Book, open_book, resolve
from chunking.parsing.formats.html import SectionMark, write_html
from chunking.parsing.formats.html.html_lines import collapse
from chunking.parsing.formats.html.html_tree import parse_page
from chunking.parsing.safe_input.safe_xml import parse_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["read_epub"]


def read_epub(raw: RawFile) -> Reading:
    """Read an e-book.

    Raises:
        ParseError: it is damaged, hostile, locked, or no e-book.
        TooLargeError: it is over a limit.
    """
    book = open_book(raw)
    writer = Writer(raw.source)
    warnings: dict[str, None] = {}
    try:
        marks = read_contents(book)
    except ParseError:
        marks = {}
        warnings["The book's table of contents is damaged, so its sections are those of the headings on its pages."] = (
            None
        )
    shift = 0
    for name in book.pages:
        data = book.read(name)
        if name == book.nav:
            root = parse_page(data, raw.source).root
            body = None if root is None else root.find("body")
            writer.leave_out("" if body is None else collapse(" ".join(body.itertext())), "table of contents")
            continue
        facts = write_html(data, writer, source=raw.source, base_level=shift, marks=marks.get(name))
        shift = facts.level_shift
        warnings |= dict.fromkeys(facts.warnings)
    if book.missing and not writer.next_start:
        raise ParseError(
            f"{raw.source} holds none of the pages that it lists; get another copy of the file.", where=raw.source
        )
    if book.missing:
        warnings[
            f"The book lists {book.missing} {'page' if book.missing == 1 else 'pages'} that the file does not contain."
        ] = None
    return writer.finish(title=book.title, warnings=tuple(warnings))


_DEEPEST = 6


class _Entry(NamedTuple):
    label: str
    reference: str
    depth: int


def read_contents(book: Book) -> dict[str, dict[str, SectionMark]]:
    """Sections in the table of contents, by page and by the id of the element where they start.

    A flat table says nothing about levels: headings keep theirs.
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
