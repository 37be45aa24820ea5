"""OpenDocument texts (ODT), read from their XML with nothing but lxml."""

from __future__ import annotations

from chunking.parsing.formats.office.odt.reader import read_odt

__all__ = ["read_odt"]
