"""Options of reading files into a workspace, shared by the functions that pass them on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

__all__ = ["FileReading"]


class FileReading(TypedDict, total=False):
    """How files are read; see `adding_files.read_files`."""

    encoding: str | None
    encodings: Mapping[str, str] | None
    ocr: bool
    comments: bool
    parser: str | None
    parsers: Mapping[str, str] | None
