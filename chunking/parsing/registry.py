"""Registry of the readable formats, a row each.

If the signs of several rows match a text, the last one wins: narrower formats come later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, overload

from chunking.errors import ConfigError, ParseError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.detection.content_signs import HTML, looks_like_mail, starts_pdf, starts_rtf
from chunking.parsing.detection.detect import Sniffed, sniff
from chunking.parsing.format_row import Format, LaterReader, Signs
from chunking.parsing.text_formats import PANDOC, TEXT_FORMATS
from chunking.plugins import FORMATS as ENTRY_POINTS
from chunking.plugins import installed_rows

__all__ = ["FORMATS", "Recognised", "format_named", "recognise", "register_format"]

_FORMATS = "chunking.parsing.formats"
_XML = ("lxml.etree",)
_PDF = (
    *("numpy.ma", "pypdfium2.raw", "pdfplumber.table", "pdfminer.pdfdocument"),
    *(
        f"{_FORMATS}.pdf.{name}"
        for name in (
            *("assembly", "characters.form_budget", "headings.pdf_headings", "headings.heading_runs"),
            *("pages.furniture", "pages.page_images", "pages.page_reading"),
        )
    ),
)
_CALAMINE = ("python_calamine", *_XML)
_NO_WORKBOOK = "it reads only current Excel workbooks"


_ROWS: tuple[Format, ...] = (
    Format(
        name="markdown",
        label="Markdown",
        description="Markdown",
        one="Markdown",
        extensions=(".md", ".markdown", ".mdown", ".mkd", ".mdx"),
        reader=LaterReader(f"{_FORMATS}.markdown.markdown_reader", "read_markdown"),
        imports=("markdown_it", f"{_FORMATS}.markdown.markdown_rules"),
        text=True,
        keeps_ending=True,
        any_encoding=True,
        second_parser="md",
        text_is_file=True,
    ),
    Format(
        name="pdf",
        label="PDF",
        description="PDF",
        one="a PDF",
        extensions=(".pdf",),
        reader=LaterReader(f"{_FORMATS}.pdf.reader", "read_pdf"),
        imports=_PDF,
        signs=Signs(data=starts_pdf),
        page="page",
        drawn=True,
        no_second_parser="its PDF reader needs models of 6 GB, which are not installed",
    ),
    Format(
        name="text",
        label="text",
        description="plain text",
        one="plain text",
        extensions=(".txt", ".text", ".log"),
        reader=LaterReader(f"{_FORMATS}.plain_text", "read_text"),
        imports=("charset_normalizer",),
        text=True,
        any_encoding=True,
        second_parser="text",
        text_is_file=True,
    ),
    Format(
        name="html",
        label="HTML",
        description="web pages",
        one="a web page",
        extensions=(".html", ".htm", ".xhtml", ".xht"),
        reader=LaterReader(f"{_FORMATS}.html.reader", "read_html"),
        imports=_XML,
        signs=Signs(text=(HTML,), certain=True),
        text=True,
        keeps_ending=True,
        second_parser="html",
    ),
    Format(
        name="docx",
        label="Word",
        description="Word documents",
        one="a Word document",
        extensions=(".docx", ".docm", ".dotx"),
        reader=LaterReader(f"{_FORMATS}.office.docx.reader", "read_docx"),
        imports=(*_XML, "mammoth", "xml.dom.expatbuilder"),
        signs=Signs(
            main_part=re.compile(
                rb"wordprocessingml\.(?:document|template)\.main|ms-word\.(?:document|template)\.macroEnabled"
            ),
            member=re.compile(r"^word/document\.xml$"),
        ),
        second_parser="docx",
        holds_files=True,
    ),
    Format(
        name="epub",
        label="EPUB",
        description="e-books",
        one="an e-book",
        extensions=(".epub",),
        reader=LaterReader(f"{_FORMATS}.epub", "read_epub"),
        imports=_XML,
        signs=Signs(mimetypes=("application/epub+zip",), member=re.compile(r"^META-INF/container\.xml$")),
        no_second_parser=PANDOC,
    ),
    Format(
        name="odt",
        label="ODT",
        description="OpenDocument texts",
        one="an OpenDocument text",
        extensions=(".odt", ".ott"),
        reader=LaterReader(f"{_FORMATS}.office.odt.reader", "read_odt"),
        imports=_XML,
        signs=Signs(
            mimetypes=("application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text-template"),
            member=re.compile(r"^content\.xml$"),
        ),
        no_second_parser=PANDOC,
    ),
    Format(
        name="rtf",
        label="RTF",
        description="RTF documents",
        one="a document in RTF",
        extensions=(".rtf",),
        reader=LaterReader(f"{_FORMATS}.office.rtf.reader", "read_rtf"),
        imports=(f"{_FORMATS}.office.rtf.reader",),
        signs=Signs(data=starts_rtf),
        no_second_parser=PANDOC,
    ),
    Format(
        name="csv",
        label="CSV",
        description="CSV and TSV tables",
        one="a table in CSV or TSV",
        extensions=(".csv", ".tsv", ".tab"),
        reader=LaterReader(f"{_FORMATS}.delimited", "read_delimited"),
        imports=("heapq",),
        text=True,
        keeps_ending=True,
        any_encoding=True,
        second_parser="csv",
        text_is_file=True,
    ),
    Format(
        name="pptx",
        label="PowerPoint",
        description="PowerPoint slides",
        one="a presentation",
        extensions=(".pptx", ".pptm", ".ppsx", ".potx"),
        reader=LaterReader(f"{_FORMATS}.office.pptx.reader", "read_slides"),
        imports=_XML,
        signs=Signs(
            main_part=re.compile(
                rb"presentationml\.(?:presentation|slideshow|template)\.main|ms-powerpoint\.\w+\.macroEnabled"
            ),
            member=re.compile(r"^ppt/presentation\.xml$"),
        ),
        page="slide",
        second_parser="pptx",
    ),
    Format(
        name="xlsx",
        label="Excel",
        description="Excel workbooks",
        one="a workbook",
        extensions=(".xlsx", ".xlsm", ".xltx"),
        reader=LaterReader(f"{_FORMATS}.office.xlsx.reader", "read_sheets"),
        imports=_XML,
        signs=Signs(
            main_part=re.compile(
                rb"spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template|addin)\.macroEnabled"
            ),
            member=re.compile(r"^xl/workbook\.xml$"),
        ),
        page="sheet",
        text_is="csv",
        second_parser="xlsx",
    ),
    Format(
        name="xls",
        label="Excel 97",
        description="Excel 97 workbooks",
        one="a workbook from before 2007",
        extensions=(".xls", ".xlt"),
        reader=LaterReader(f"{_FORMATS}.office.other_workbooks", "read_workbook"),
        imports=_CALAMINE,
        signs=Signs(
            streams=("Workbook", "Book"),
            no_streams=(
                "__properties_version1.0",
                "EncryptedPackage",
                "WordDocument",
                "PowerPoint Document",
                "VisioDocument",
            ),
        ),
        page="sheet",
        text_is="csv",
        no_second_parser=_NO_WORKBOOK,
    ),
    Format(
        name="xlsb",
        label="binary Excel",
        description="binary Excel workbooks",
        one="a binary workbook",
        extensions=(".xlsb",),
        reader=LaterReader(f"{_FORMATS}.office.other_workbooks", "read_workbook"),
        imports=_CALAMINE,
        signs=Signs(
            main_part=re.compile(rb"ms-excel\.sheet\.binary\.macroEnabled\.main"),
            member=re.compile(r"^xl/workbook\.bin$"),
        ),
        page="sheet",
        no_second_parser=_NO_WORKBOOK,
    ),
    Format(
        name="ods",
        label="ODS",
        description="OpenDocument spreadsheets",
        one="an OpenDocument spreadsheet",
        extensions=(".ods", ".ots"),
        reader=LaterReader(f"{_FORMATS}.office.other_workbooks", "read_workbook"),
        imports=_CALAMINE,
        signs=Signs(
            mimetypes=(
                "application/vnd.oasis.opendocument.spreadsheet",
                "application/vnd.oasis.opendocument.spreadsheet-template",
            ),
        ),
        page="sheet",
        no_second_parser=_NO_WORKBOOK,
    ),
    Format(
        name="email",
        label="mail",
        description="mail",
        one="an e-mail",
        extensions=(".eml", ".msg"),
        reader=LaterReader(f"{_FORMATS}.email.reader", "read_mail"),
        imports=(*_XML, "olefile"),
        signs=Signs(likely=looks_like_mail, streams=("__properties_version1.0",)),
        text=True,
        keeps_ending=True,
        second_parser="email",
        holds_files=True,
    ),
    Format(
        name="mineru",
        label="MinerU",
        description="MinerU content lists and zipped output folders",
        one="output of MinerU",
        extensions=(".json", ".zip"),
        reader=LaterReader(f"{_FORMATS}.mineru.reader", "read_mineru"),
        imports=_XML,
        signs=Signs(
            text=(
                re.compile(r'^\s*\[\s*\{.*"page_idx"\s*:', re.DOTALL),
                re.compile(r'^\s*\[\s*(?:\[\s*\]\s*,\s*)*\[\s*\{.*"type"\s*:', re.DOTALL),
            ),
            member=re.compile(r"content_list(?:_v2)?\.json$"),
        ),
        page="page",
        needs_sign=True,
        name_words=("content_list", "mineru", "magic-pdf"),
        no_second_parser="it does not read another layout parser's output",
    ),
    Format(
        name="elements",
        label="unstructured",
        description="elements exported by unstructured",
        one="elements of unstructured",
        extensions=(".json",),
        reader=LaterReader(f"{_FORMATS}.unstructured_elements", "read_elements"),
        imports=_XML,
        signs=Signs(text=(re.compile(r'^\s*\[\s*\{.*"element_id"\s*:', re.DOTALL),)),
        page="page",
        needs_sign=True,
        name_words=("unstructured", "elements"),
        no_second_parser="this is its own output already",
    ),
    *TEXT_FORMATS,
)
_registered: list[Format] = []


class _Formats(Sequence[Format]):
    """Sequence of the rows at the time of access, since packages' rows load after this module."""

    def __len__(self) -> int:
        return len(_rows())

    def __iter__(self) -> Iterator[Format]:
        return iter(_rows())

    @overload
    def __getitem__(self, place: int) -> Format: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Format]: ...
    def __getitem__(self, place: int | slice) -> Format | Sequence[Format]:
        return _rows()[place]


def _rows() -> tuple[Format, ...]:
    installed: tuple[Format, ...] = installed_rows(ENTRY_POINTS)
    if clashes := {row.name for row in installed} & {row.name for row in _ROWS}:
        raise ConfigError(
            f"An installed package adds a format '{min(clashes)}', which already exists.", where=ENTRY_POINTS
        )
    return (*_ROWS, *installed, *_registered)


FORMATS: Sequence[Format] = _Formats()
"""Rows of the library, of installed packages (`chunkscope.formats`), and of `register_format`.

Raises:
    ConfigError: a row of an installed package cannot be loaded.
"""


def format_named(name: str) -> Format | None:
    """Return the built-in, installed or registered format of this name; None if there is none."""
    return next((row for row in FORMATS if row.name == name), None)


def register_format(row: Format) -> Callable[[], None]:
    """Add a format to this process alone, and return a function that removes it (call it once).

    Its files are then found, recognised and read in this process. Uploads are read in guarded processes, which know
    only the formats of the library and of installed packages: an entry point of `chunkscope.formats` makes it known
    there too.

    Raises:
        ValueError: there is one of that name.
    """
    if format_named(row.name) is not None:
        raise ValueError(f"A format '{row.name}' already exists.")
    _registered.append(row)
    return lambda: _registered.remove(row)


class Recognised(NamedTuple):
    """Detected format of a file, with warnings about the detection."""

    format: Format
    warnings: tuple[str, ...] = ()
    """Sentences, such as about a wrong extension or macros."""


def recognise(raw: RawFile) -> Recognised:
    """Detect a file's format by content; text formats without clear signs go by the extension.

    Raises:
        ParseError: it has none, or is a container of nothing readable; with advice.
        TooLargeError: an archive over the limits.
    """
    ending = raw.source[raw.source.rfind(".") :].lower() if "." in raw.source.rpartition("/")[2] else ""
    named = sorted((row for row in FORMATS if ending in row.extensions), key=lambda row: row.needs_sign)
    sniffed = sniff(raw, FORMATS, named[0] if named else None)
    row = format_named(sniffed.name)
    if row is None:
        raise ParseError(_unreadable(raw.source, sniffed, named), where=raw.source)
    if not named or row in named or sniffed.explains_mismatch:
        return Recognised(row, sniffed.warnings)
    return Recognised(row, (f"Its extension is {ending}, but it is {row.one} and was read as one.", *sniffed.warnings))


def _unreadable(source: str, sniffed: Sniffed, named: list[Format]) -> str:
    """Reason why a file has no format."""
    if named and not sniffed.what and not sniffed.name:
        return (
            f"{source} is not {named[0].one}, despite its extension: it is damaged or something else; save it "
            f"again as one."
        )
    what = sniffed.what or "of an unknown format"
    return (
        f"{source} is {what} and cannot be read; these can: "
        f"{', '.join(row.label for row in FORMATS if not row.needs_sign)}."
    )
