"""Read an e-book page by page in reading order, with the levels of its table of contents."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from chunking.errors import ParseError
from chunking.parsing.builder.reader_types import CONTENTS, RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.html.html_elements import collapse
from chunking.parsing.formats.html.html_tree import parse_page
from chunking.parsing.formats.html.reader import SectionMark, write_html
from chunking.parsing.safe_input.safe_archives import open_archive, read_entry
from chunking.parsing.safe_input.safe_xml import parse_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["read_epub"]

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONT_SCRAMBLING = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Schemes that scramble only fonts, as in many free books; the text is readable."""
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "application/xml", "text/xml")


def read_epub(raw: RawFile) -> Reading:
    """Read an EPUB page by page; its page with the table of contents is left out of chunks.

    A damaged table of contents and missing pages give warnings.

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
            writer.leave_out("" if body is None else collapse(" ".join(body.itertext())), CONTENTS)
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


# -- contents


class _Entry(NamedTuple):
    label: str
    reference: str
    depth: int


def read_contents(book: Book) -> dict[str, dict[str, SectionMark]]:
    """Return the sections in the table of contents, by page and the element id where they start.

    The first entry for a place wins; an empty id is the start of the page.
    A flat table says nothing about levels: its marks have `over_heading` False, so that headings keep theirs.
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


# -- the package: pages in reading order, title, copy protection


@dataclass(frozen=True, slots=True)
class Book:
    """An opened EPUB: its archive, title, pages in reading order, and tables of contents."""

    archive: zipfile.ZipFile
    source: str
    title: str | None
    pages: tuple[str, ...]
    """Archive entries in reading order, each once."""
    missing: int
    """Listed pages that the file lacks."""
    nav: str | None
    """Entry of the page with the table of contents (EPUB 3)."""
    ncx: str | None
    """Entry of the table of contents of EPUB 2."""

    def read(self, name: str) -> bytes:
        """Unpack an entry; see `read_entry`."""
        return read_entry(self.archive, name, self.source)


def open_book(raw: RawFile) -> Book:
    """Open an EPUB and find its title, its pages in reading order, and its tables of contents.

    Raises:
        ParseError: it is damaged, no e-book, or locked.
        TooLargeError: it is over a limit.
    """
    archive = open_archive(raw)
    names = archive.NameToInfo
    listed = _root(archive, _CONTAINER, raw.source)
    paths = [unquote(file.get("full-path", "")) for file in listed.iter("{*}rootfile")]
    path = next((path for path in paths if path in names), None)
    if path is None:
        raise ParseError(f"{raw.source} lists no book in it; get another copy of the file.", where=raw.source)
    package = _root(archive, path, raw.source)
    items = {item.get("id", ""): item for item in package.iterfind("{*}manifest/{*}item")}
    places = {key: resolve(path, item.get("href", ""))[0] for key, item in items.items()}
    spine = dict.fromkeys(one.get("idref", "") for one in package.iterfind("{*}spine/{*}itemref"))
    pages = [places[key] for key in spine if key in items and items[key].get("media-type", _PAGES[0]) in _PAGES]
    _refuse_locked(archive, pages, raw.source)
    there = [page for page in dict.fromkeys(pages) if page in names]
    return Book(
        archive,
        raw.source,
        collapse(package.findtext("{*}metadata/{http://purl.org/dc/elements/1.1/}title") or "") or None,
        tuple(there),
        len(set(pages)) - len(there) + sum(key not in items for key in spine),
        nav=next(
            (
                places[key]
                for key, item in items.items()
                if "nav" in item.get("properties", "").split() and places[key] in names
            ),
            None,
        ),
        ncx=next(
            (
                places[key]
                for key, item in items.items()
                if item.get("media-type") == "application/x-dtbncx+xml" and places[key] in names
            ),
            None,
        ),
    )


def resolve(page: str, reference: str) -> tuple[str, str]:
    """Resolve a link on a page to (archive entry, element id); `#id` alone leads to the page.

    The id is empty if the link has none.

    >>> resolve("OEBPS/toc.ncx", "text/ch%201.xhtml#s2")
    ('OEBPS/text/ch 1.xhtml', 's2')
    """
    path, _, fragment = reference.partition("#")
    place = (
        posixpath.normpath(posixpath.join("/", posixpath.dirname(page), unquote(path))).lstrip("/") if path else page
    )
    return place, unquote(fragment)


def _root(archive: zipfile.ZipFile, name: str, source: str) -> _Element:
    if name not in archive.NameToInfo:
        raise ParseError(
            f"{source} is not a complete e-book ({name} is missing); get another copy of the file.", where=source
        )
    return parse_xml(read_entry(archive, name, source), source, part=name)


def _refuse_locked(archive: zipfile.ZipFile, pages: Iterable[str], source: str) -> None:
    if _ENCRYPTION not in archive.NameToInfo:
        return
    locked = set()
    for entry in _root(archive, _ENCRYPTION, source).iter("{*}EncryptedData"):
        method = entry.find("{*}EncryptionMethod")
        if method is None or method.get("Algorithm") not in _FONT_SCRAMBLING:
            locked |= {unquote(cipher.get("URI", "")) for cipher in entry.iter("{*}CipherReference")}
    if locked.intersection(pages):
        raise ParseError(f"{source} is locked by a shop's copy protection (DRM); use a copy without it.", where=source)
