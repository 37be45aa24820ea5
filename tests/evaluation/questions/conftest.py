"""Documents that question files are about."""

from __future__ import annotations

import pytest

from chunking.model import Document
from chunking.parsing import parse
from tests.evaluation.questions.notes import GUIDE, NOTES


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return [
        parse(NOTES.encode(), "guide/notes.md"),
        parse(GUIDE.encode(), "guide/手册.md"),
        parse(b"Other words.", "other/notes.txt"),
    ]
