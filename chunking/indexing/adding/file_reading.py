"""Options of reading files into a workspace, shared by the functions that pass them on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict, cast

__all__ = ["FileReading", "only_reading"]


class FileReading(TypedDict, total=False):
    """How files are read; see `adding_files.read_files`."""

    encoding: str | None
    encodings: Mapping[str, str] | None
    ocr: bool
    comments: bool
    parser: str | None
    parsers: Mapping[str, str] | None


def only_reading(options: FileReading) -> FileReading:
    """Return the options of reading alone, for functions that take no others.

    >>> only_reading({"ocr": True, "engine": "ray"})
    {'ocr': True}
    """
    return cast(FileReading, {name: value for name, value in options.items() if name in FileReading.__annotations__})
