"""The package of an e-book: pages in reading order, title, tables of contents, copy protection."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from chunking.errors import ParseError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.html.html_lines import collapse
from chunking.parsing.safe_input.safe_archives import open_archive, read_entry
from chunking.parsing.safe_input.safe_xml import parse_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["Book", "open_book", "resolve"]

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONT_SCRAMBLING = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Fonts are scrambled in many free books; that locks no text."""
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "application/xml", "text/xml")


@dataclass(frozen=True, slots=True)
class Book:
    """An opened e-book."""

    archive: zipfile.ZipFile
    source: str
    title: str | None
    pages: tuple[str, ...]
    """Archive entries in reading order, each once."""
    missing: int
    """Listed pages missing from the file."""
    nav: str | None
    """Page with the table of contents (EPUB 3)."""
    ncx: str | None
    """Table of contents of EPUB 2."""

    def read(self, name: str) -> bytes:
        return read_entry(self.archive, name, self.source)


def open_book(raw: RawFile) -> Book:
    """Open an e-book.

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
    """(entry, id in it) of a reference in a page.

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
