"""The formats that can be read, a row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple

from chunking.errors import ParseError
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.detection.detect import KINDS, Sniffed, sniff

__all__ = ["FORMATS", "Format", "Recognised", "recognise"]


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file."""

    name: str
    extensions: tuple[str, ...]
    """Lower case, with the dot."""
    description: str
    reader: Callable[[RawFile], Reading]
    page: str = ""
    """What a page of it is called: page, slide, sheet; empty where it has none."""
    drawn: bool = False
    """Its pages can be drawn as images, for which the source file is kept."""


def _later(module: str, name: str) -> Callable[[RawFile], Reading]:
    """A reader that is imported when it is called: most processes need none, and no file more than one or two."""

    def read(raw: RawFile) -> Reading:
        reading: Reading = getattr(import_module(f"chunking.parsing.formats.{module}"), name)(raw)
        return reading

    return read


FORMATS: tuple[Format, ...] = (
    Format("markdown", (".md", ".markdown", ".mdown", ".mkd", ".mdx"), "Markdown", _later("markdown.markdown_reader", "read_markdown")),
    Format("pdf", (".pdf",), "PDF", _later("pdf.reader", "read_pdf"), page="page", drawn=True),
    Format("text", (".txt", ".text", ".log"), "plain text", _later("plain_text", "read_text")),
    Format("html", (".html", ".htm", ".xhtml", ".xht"), "web pages", _later("html", "read_html")),
    Format("docx", (".docx", ".docm", ".dotx"), "Word documents", _later("docx", "read_docx")),
    Format("epub", (".epub",), "e-books", _later("epub", "read_epub")),
    Format("odt", (".odt", ".ott"), "OpenDocument texts", _later("odt", "read_odt")),
    Format("rtf", (".rtf",), "RTF documents", _later("rtf", "read_rtf")),
    Format("csv", (".csv", ".tsv", ".tab"), "CSV and TSV tables", _later("delimited", "read_delimited")),
    Format("pptx", (".pptx", ".pptm", ".ppsx", ".potx"), "PowerPoint slides", _later("pptx", "read_slides"), page="slide"),
    Format("xlsx", (".xlsx", ".xlsm", ".xltx"), "Excel workbooks", _later("xlsx", "read_sheets"), page="sheet"),
    Format("email", (".eml", ".msg"), "mail", _later("email", "read_mail")),
    Format("mineru", (".json", ".zip"), "MinerU content lists and zipped output folders", _later("mineru", "read_mineru"), page="page"),
    Format("elements", (".json",), "elements exported by unstructured", _later("unstructured_elements", "read_elements"), page="page"),
)


class Recognised(NamedTuple):
    """Which format a file has."""

    format: Format
    warnings: tuple[str, ...] = ()
    """One sentence each: a wrong ending, macros."""


def recognise(raw: RawFile) -> Recognised:
    """The row for a file: what its content shows, whatever its ending; among text formats what its ending says.

    Raises:
        ParseError: it is of none, or a container of nothing that can be read; the sentence says what to do.
        TooLargeError: an archive over the limits.
    """
    ending = raw.source[raw.source.rfind(".") :].lower() if "." in raw.source.rpartition("/")[2] else ""
    named = [row for row in FORMATS if ending in row.extensions]
    found = sniff(raw, named[0].name if named else "")
    row = next((row for row in FORMATS if row.name == found.name), None)
    if row is None:
        raise ParseError(_unreadable(raw.source, found, named), where=raw.source)
    if not named or row in named or found.told:
        return Recognised(row, found.warnings)
    return Recognised(row, (f"Its name ends in {ending}, but it is {KINDS[row.name]}, and was read as one.", *found.warnings))


def _unreadable(source: str, found: Sniffed, named: list[Format]) -> str:
    """Why a file has no row."""
    if named and not found.what and not found.name:
        return f"{source} is not {KINDS[named[0].name]}, as its ending says, but damaged or something else; save it again as one."
    what = found.what or KINDS.get(found.name) or "of no format that is known here"
    return f"{source} is {what} and cannot be read; these can: {', '.join(row.description for row in FORMATS)}."
