"""Registry rows of notebooks, lightweight markup, subtitles, data files and source code."""

from __future__ import annotations

import re

from chunking.parsing.detection.content_signs import (
    looks_like_asciidoc,
    looks_like_json,
    looks_like_org,
    looks_like_rst,
    looks_like_yaml,
)
from chunking.parsing.format_row import Format, LaterReader, Signs
from chunking.parsing.formats.code.code_languages import ENDINGS, GRAMMARS

__all__ = ["PANDOC", "TEXT_FORMATS"]

_FORMATS = "chunking.parsing.formats"
PANDOC = "its reader calls pandoc, which is under the GPL and not installed"
"""Reason for having no second parser."""
_INTERFACES = ("openapi", "swagger", "asyncapi")
"""Words in names of data files that are documents in any folder."""

TEXT_FORMATS: tuple[Format, ...] = (
    Format(
        name="json",
        label="JSON",
        description="JSON and JSON Lines",
        one="JSON",
        extensions=(".json", ".jsonl", ".ndjson", ".geojson"),
        reader=LaterReader(f"{_FORMATS}.data.json_reader", "read_json"),
        signs=Signs(likely=looks_like_json),
        text=True,
        any_encoding=True,
        name_words=_INTERFACES,
    ),
    Format(
        name="yaml",
        label="YAML",
        description="YAML",
        one="YAML",
        extensions=(".yaml", ".yml"),
        reader=LaterReader(f"{_FORMATS}.data.yaml_reader", "read_yaml"),
        imports=("yaml",),
        signs=Signs(likely=looks_like_yaml),
        text=True,
        keeps_ending=True,
        any_encoding=True,
        name_words=_INTERFACES,
    ),
    Format(
        name="subtitles",
        label="subtitles",
        description="subtitles (SRT, WebVTT)",
        one="a subtitle file",
        extensions=(".srt", ".vtt"),
        reader=LaterReader(f"{_FORMATS}.subtitles", "read_subtitles"),
        signs=Signs(
            text=(
                re.compile(r"\s*+WEBVTT(?:[ \t][^\n]*)?\n"),
                re.compile(r"\s*+(?:\d+\s*\n)?\s*+\d{1,3}:\d\d:\d\d[,.]\d{1,3}\s*-->\s*\d"),
            )
        ),
        page="second",
        clock=True,
        text=True,
        any_encoding=True,
    ),
    Format(
        name="notebook",
        label="notebook",
        description="Jupyter notebooks",
        one="a Jupyter notebook",
        extensions=(".ipynb",),
        reader=LaterReader(f"{_FORMATS}.notebook", "read_notebook"),
        imports=("lxml.etree", "markdown_it", f"{_FORMATS}.markdown.markdown_rules"),
        signs=Signs(
            text=(
                re.compile(r'^\s*\{.*?"cells"\s*:\s*\[\s*\{.*"cell_type"\s*:', re.DOTALL),
                re.compile(r'^\s*\{.*"nbformat"\s*:\s*[2-9]\b', re.DOTALL),
            )
        ),
        page="cell",
        text=True,
        max_bytes=200 * 2**20,  # nearly all of a large one are pictures, which are not read
    ),
    Format(
        name="rst",
        label="reStructuredText",
        description="reStructuredText",
        one="reStructuredText",
        extensions=(".rst", ".rest"),
        reader=LaterReader(f"{_FORMATS}.markup.rst_reader", "read_rst"),
        signs=Signs(likely=looks_like_rst),
        text=True,
        keeps_ending=True,
        any_encoding=True,
        no_second_parser=PANDOC,
        text_is_file=True,
    ),
    Format(
        name="asciidoc",
        label="AsciiDoc",
        description="AsciiDoc",
        one="AsciiDoc",
        extensions=(".adoc", ".asciidoc"),
        reader=LaterReader(f"{_FORMATS}.markup.asciidoc_reader", "read_asciidoc"),
        signs=Signs(likely=looks_like_asciidoc),
        text=True,
        keeps_ending=True,
        any_encoding=True,
        text_is_file=True,
    ),
    Format(
        name="org",
        label="Org",
        description="Org files",
        one="an Org file",
        extensions=(".org",),
        reader=LaterReader(f"{_FORMATS}.markup.org_reader", "read_org"),
        signs=Signs(likely=looks_like_org),
        text=True,
        keeps_ending=True,
        any_encoding=True,
        no_second_parser=PANDOC,
        text_is_file=True,
    ),
    Format(
        name="code",
        label="code",
        description="source code",
        one="source code",
        extensions=ENDINGS,
        reader=LaterReader(f"{_FORMATS}.code.reader", "read_code"),
        imports=("tree_sitter", *GRAMMARS),
        signs=Signs(inside=re.compile(r"<\?(?:php\b|=)")),
        text=True,
        keeps_ending=True,
        any_encoding=True,
        text_is_file=True,
    ),
)
"""Rows for `registry.FORMATS`."""
