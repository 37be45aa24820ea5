"""Cache of Streamlit's component scan, which reads all packages' metadata in each AppTest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner

__all__ = ["scanned_once"]

_scan = cache(manifest_scanner.scan_component_manifests)


@contextmanager
def scanned_once() -> Iterator[None]:
    """Cache the scan for every AppTest of this process: it was most of the cost of a page test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", _scan)
        yield
