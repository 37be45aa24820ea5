"""Bytes in, documents out: a module a format, one registry, and nothing that a file's content can break."""

from __future__ import annotations

from chunking.parsing.detection.folder_files import find_files
from chunking.parsing.detection.path_names import clean_source, make_doc_id, numbered_id, numbered_source
from chunking.parsing.document import MAX_BYTES, parse, parse_all, parse_file
from chunking.parsing.registry import FORMATS, Format
from chunking.parsing.sandbox import Limits, PageImage, parse_all_guarded, parse_file_guarded, parse_guarded, render_page

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "Format",
    "Limits",
    "PageImage",
    "clean_source",
    "find_files",
    "make_doc_id",
    "numbered_id",
    "numbered_source",
    "parse",
    "parse_all",
    "parse_all_guarded",
    "parse_file",
    "parse_file_guarded",
    "parse_guarded",
    "render_page",
]
