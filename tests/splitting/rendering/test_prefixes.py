"""Prefix texts and their shorter forms."""

from __future__ import annotations

import pytest

from chunking.config import Prefix
from chunking.parsing import parse
from chunking.splitting.rendering.prefixes import prefix_text, shorter_prefixes

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
def test_each_kind_of_prefix_has_cleaned_titles(kind: Prefix, texts: list[str]) -> None:
    """Cleaned titles; text before the first heading has no path; no title twice."""
    assert [prefix_text(DOCUMENT, section, kind) for section in DOCUMENT.sections] == texts


KINDS = parse(
    b"# Guide\n\nText.\n\n## Proxy\n\nSee:\n\n```nginx\nserver { listen 80; }\n```\n\n## Ports\n\n| a | b "
    b"|\n|---|---|\n| 1 | 2 |\n\n"
    b"## Words\n\nA long enough line of running text.\n\n```sh\nls\n```\n",
    "kinds.md",
)


def test_a_hint_says_what_fills_a_section() -> None:
    """Code by its language, a table by the heading it stands under, which is not said twice; nothing of running text,
    or of no section.
    """
    texts = [prefix_text(KINDS, section, Prefix.TITLE_PATH_HINT) for section in KINDS.sections]
    assert texts == ["Guide", "Guide > Proxy > [Code] nginx", "Guide > [Table] Ports", "Guide > Words"]
    assert prefix_text(KINDS, None, Prefix.TITLE_PATH_HINT) == ""


def test_shorter_forms_keep_the_end() -> None:
    """Each shorter than the one before, the last word of the deepest heading last."""
    forms = list(shorter_prefixes("One two > Three four five"))
    assert forms == ["… > Three four five", "… four five", "… five"]
    assert list(shorter_prefixes("Word")) == []
