"""What the server imports before it forks, so that a child finds its reader ready."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache

__all__ = ["MODULES", "import_readers"]

_ALWAYS = ("chunking.parsing.document", "chunking.parsing.sandbox.child")
_XML = ("lxml.etree",)
_PDF = (
    *("assembly", "reader", "characters.form_budget", "headings.headings", "headings.heading_levels", "headings.heading_runs"),
    *("pages.furniture", "pages.notices", "pages.ocr", "pages.page_images", "pages.page_reading", "pages.scans"),
)

MODULES: Mapping[str, tuple[str, ...]] = {
    "markdown": ("markdown_it", "chunking.parsing.formats.markdown.markdown_reader", "chunking.parsing.formats.markdown.markdown_rules"),
    "text": ("charset_normalizer", "chunking.parsing.formats.plain_text"),
    "html": (*_XML, "chunking.parsing.formats.html"),
    "docx": (*_XML, "mammoth", "xml.dom.expatbuilder", "chunking.parsing.formats.docx"),
    "odt": (*_XML, "chunking.parsing.formats.odt"),
    "epub": (*_XML, "chunking.parsing.formats.epub"),
    "rtf": ("chunking.parsing.formats.rtf.reader",),
    "pptx": (*_XML, "chunking.parsing.formats.pptx"),
    "xlsx": (*_XML, "chunking.parsing.formats.xlsx"),
    "email": (*_XML, "olefile", "chunking.parsing.formats.email"),
    "csv": ("heapq", "chunking.parsing.formats.delimited"),
    "pdf": (
        "numpy.ma",
        "pypdfium2.raw",
        "pdfplumber.table",
        "pdfminer.pdfdocument",
        *(f"chunking.parsing.formats.pdf.{name}" for name in _PDF),
    ),
    "mineru": (*_XML, "chunking.parsing.formats.mineru"),
    "elements": (*_XML, "chunking.parsing.formats.unstructured_elements"),
}
"""Name of a format: what its reader imports when it runs."""


@cache
def import_readers(ending: str) -> None:
    """Import what files of an ending (lower case, with the dot) are read with; a library that is missing, the child will miss."""
    from chunking.parsing.registry import FORMATS

    names = {row.name for row in FORMATS if ending in row.extensions} or {"text"}
    for module in [*_ALWAYS, *(module for name in names for module in MODULES.get(name, ()))]:
        try:
            importlib.import_module(module)
        except ImportError:
            continue
