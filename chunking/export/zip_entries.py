"""Files of exported zips, always with the same date."""

from __future__ import annotations

from zipfile import ZIP_DEFLATED, ZipInfo

__all__ = ["zip_entry"]

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""Timestamp of every file in a zip: equal contents give equal bytes."""


def zip_entry(name: str, *, is_program: bool = False) -> ZipInfo:
    """Return a compressed file of a zip, always with the same date."""
    entry = ZipInfo(name, _LONG_AGO)
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = (0o755 if is_program else 0o644) << 16
    return entry
