"""The laws of cutting over every file of slides, sheets, tables and mail."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.parsing import parse_file
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data, shared_files

FILES = [
    path for folder in ("pptx", "xlsx", "email") for path in shared_files(f"{folder}/*", without="password_protected")
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_laws_1_to_3(path: Path) -> None:
    """Chunks are exact slices, hold every visible character that is not left out, and go forward."""
    document = parse_file(shared_data(path))
    check(document)
    check_cutting(document)
