"""Bytes in, documents out: a module per format, one registry, safe against any file content."""

from __future__ import annotations

from chunking.parsing.detection.path_names import clean_source, make_doc_id, numbered_id, numbered_source
from chunking.parsing.document import MAX_BYTES, find_files, parse, parse_all, parse_file
from chunking.parsing.format_row import Format, LaterReader, Signs
from chunking.parsing.parsers.parser_table import PARSERS, Parser, parser_named, parsers_for, register_parser
from chunking.parsing.registry import FORMATS, format_named, register_format
from chunking.parsing.sandbox import (
    ChildLimits,
    PageImage,
    parse_all_guarded,
    parse_file_guarded,
    parse_guarded,
    render_page,
)

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "PARSERS",
    "ChildLimits",
    "Format",
    "LaterReader",
    "PageImage",
    "Parser",
    "Signs",
    "clean_source",
    "find_files",
    "format_named",
    "make_doc_id",
    "numbered_id",
    "numbered_source",
    "parse",
    "parse_all",
    "parse_all_guarded",
    "parse_file",
    "parse_file_guarded",
    "parse_guarded",
    "parser_named",
    "parsers_for",
    "register_format",
    "register_parser",
    "render_page",
]
