"""Read an OpenDocument text: its parts, the page made of its body, and what is left out.

- Footnotes and endnotes follow the paragraph that refers to them, text boxes the paragraph they are tied to.
- Comments follow their paragraph, if requested.
- Headers, footers, other comments and tables of contents are left out; deleted and hidden text is no text.
- Pictures are not decoded; their descriptions are blocks. Formulas keep their typed notation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from chunking.errors import ParseError
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.html.reader import write_html
from chunking.parsing.formats.office.file_comments import COMMENT, not_read
from chunking.parsing.formats.office.odt.odt_elements import full_name, lines_under
from chunking.parsing.formats.office.odt.odt_page import PageBuilder
from chunking.parsing.formats.office.odt.odt_styles import OdtStyles
from chunking.parsing.formats.office.office_parts import Package

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["read_odt"]

_FURNITURE = {
    f"style:{kind}{place}": f"page {kind}" for kind in ("header", "footer") for place in ("", "-left", "-first")
}


def read_odt(raw: RawFile) -> Reading:
    """Read an OpenDocument text or template: body and notes; comments if `raw.comments`.

    Damaged styles become a warning.

    Raises:
        ParseError: it is damaged, hostile, protected by a password, or no text.
        TooLargeError: over a limit of archives, XML, tables or the text.
    """
    package = Package(raw)
    _check_open(package)
    content = package.root("content.xml")
    body = content.find(f"{full_name('office:body')}/{full_name('office:text')}")
    if body is None:
        raise ParseError(
            f"{raw.source} has no text in its main part; save it again as .odt with the program that made it.",
            where=raw.source,
        )
    styles, warning = _part(package, "styles.xml")
    builder = PageBuilder(
        OdtStyles([content] if styles is None else [content, styles]),
        raw.source,
        lambda address: _formula(package, address),
        comments=raw.comments,
    )
    page = builder.build(body)
    writer = Writer(raw.source)
    write_html(page, writer, source=raw.source, word_processed=True)
    furniture = _furniture(styles) if styles is not None else ()
    for text, reason in dict.fromkeys([*builder.left_out, *furniture]):
        writer.leave_out(text, reason)
    return writer.finish(title=_title(package), warnings=[*warning, *_warnings(builder)])


def _check_open(package: Package) -> None:
    """Raise ParseError for an encrypted file, which only the manifest says."""
    manifest, _ = _part(package, "META-INF/manifest.xml")
    locked = manifest is not None and next(manifest.iter(full_name("manifest:encryption-data")), None) is not None
    if locked or "encrypted-package" in package:
        raise ParseError(
            f"{package.source} is protected by a password; remove the password and add the file again.",
            where=package.source,
        )


def _part(package: Package, name: str) -> tuple[_Element | None, tuple[str, ...]]:
    """Return an optional part, or a warning that it is damaged."""
    if name not in package:
        return None, ()
    try:
        return package.root(name), ()
    except ParseError:
        return None, (f"A part of the file ({name}) is damaged; its text was read without it.",)


def _formula(package: Package, address: str) -> str:
    """A formula as typed (StarMath), else its characters."""
    part = f"{address.removeprefix('./').rstrip('/')}/content.xml"
    root, _ = _part(package, part)
    if root is None or not str(root.tag).endswith("}math"):
        return ""
    typed = next((note.text for note in root.iter("{*}annotation") if note.text), None)
    return " ".join((typed or "".join(root.itertext())).split())


def _furniture(styles: _Element) -> Iterator[tuple[str, str]]:
    for name, reason in _FURNITURE.items():
        for part in styles.iter(full_name(name)):
            yield lines_under(part), reason


def _title(package: Package) -> str | None:
    """Title in the file's properties."""
    meta, _ = _part(package, "meta.xml")
    title = None if meta is None else next(meta.iter(full_name("dc:title")), None)
    return " ".join("".join(title.itertext()).split()) or None if title is not None else None


def _warnings(builder: PageBuilder) -> Iterator[str]:
    if builder.objects:
        what = (
            "A chart or other embedded file was"
            if builder.objects == 1
            else f"{builder.objects} charts or other embedded files were"
        )
        yield f"{what} not read."
    yield from not_read(sum(reason == COMMENT and bool(text) for text, reason in builder.left_out))
