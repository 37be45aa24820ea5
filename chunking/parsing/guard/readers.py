"""What the server imports before it forks, so that a child finds its reader ready."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache

__all__ = ["MODULES", "import_readers"]

_ALWAYS = ("chunking.parsing.document", "chunking.parsing.guard.child")
_XML = ("lxml.etree",)
_PDF = ("assembly", "collecting", "form_budget", "furniture", "headings", "levels", "notices", "ocr", "pages", "reader", "runs", "scans")

MODULES: Mapping[str, tuple[str, ...]] = {
    "markdown": ("markdown_it", "chunking.parsing.markdown", "chunking.parsing.markdown_rules"),
    "text": ("charset_normalizer", "chunking.parsing.plain"),
    "html": (*_XML, "chunking.parsing.html"),
    "docx": (*_XML, "mammoth", "xml.dom.expatbuilder", "chunking.parsing.docx"),
    "odt": (*_XML, "chunking.parsing.odt"),
    "epub": (*_XML, "chunking.parsing.epub"),
    "rtf": ("chunking.parsing.rtf.reader",),
    "pptx": (*_XML, "chunking.parsing.slides"),
    "xlsx": (*_XML, "chunking.parsing.sheets"),
    "email": (*_XML, "olefile", "chunking.parsing.mail"),
    "csv": ("heapq", "chunking.parsing.delimited"),
    "pdf": ("numpy.ma", "pypdfium2.raw", "pdfplumber.table", "pdfminer.pdfdocument", *(f"chunking.parsing.pdf.{name}" for name in _PDF)),
    "mineru": (*_XML, "chunking.parsing.mineru"),
    "elements": (*_XML, "chunking.parsing.elements"),
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
