"""Prefix texts and their shorter forms."""

from __future__ import annotations

import pytest

from chunking.config import Prefix
from chunking.parsing import parse
from chunking.splitting.chunks.prefixes import prefix_text, shorter_prefixes

DOCUMENT = parse(b"Before.\n\n# Guide\n\nText.\n\n## [Set **up**](x.md) {#setup}\n\nMore.", "a.md")


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (Prefix.NONE, ["", "", ""]),
        (Prefix.HEADER, ["", "Guide", "Set up"]),
        (Prefix.TITLE_PATH, ["", "Guide", "Guide > Set up"]),
        (Prefix.DOCUMENT_TITLE_PATH, ["Guide", "Guide", "Guide > Set up"]),
        (Prefix.FILE_TITLE_PATH, ["a.md", "a.md > Guide", "a.md > Guide > Set up"]),
    ],
)
def test_each_kind(kind: Prefix, texts: list[str]) -> None:
    """Cleaned titles; text before the first heading has no path; no title twice."""
    assert [prefix_text(DOCUMENT, section, kind) for section in DOCUMENT.sections] == texts


def test_shorter_forms_keep_the_end() -> None:
    """Each shorter than the one before, the last word of the deepest heading last."""
    forms = list(shorter_prefixes("One two > Three four five"))
    assert forms == ["… > Three four five", "… four five", "… five"]
    assert list(shorter_prefixes("Word")) == []
