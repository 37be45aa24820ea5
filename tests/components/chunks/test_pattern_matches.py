"""What patterns match in the document on screen: marks, counts, and the field that says what is wrong."""

from __future__ import annotations

import pytest

from chunking.config import ChunkConfig
from chunking.parsing import parse
from chunking.splitting import patterned
from components.chunks import facts
from components.chunks.facts import pattern_counts, pattern_marks
from tests.support.facts import tells

TEXT = "# Terms\n\nArticle 1 one.\nsee Article 2 here.\n\nArticle 3 three.\n"


@pytest.fixture
def captions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The captions that were drawn."""
    captions: list[str] = []
    monkeypatch.setattr(facts.st, "caption", lambda text, help="": captions.append(text))
    return captions


def test_what_matches_is_marked_and_counted(captions: list[str]) -> None:
    """Counts headings and boundaries, what cannot be a heading apart; says when a pattern never matches."""
    document = parse(TEXT.encode(), "terms.md")
    marked = patterned(document, ChunkConfig(headings_from=r"2: Article \d || 3: nowhere", split_before="here"))
    marks = pattern_marks(marked)
    assert marks is not None
    assert [TEXT[mark[0] : mark[1]] for mark in marks.highlights] == ["Article 1", "here", "Article 3"]
    for key in ("headings_from", "split_before", "size"):
        pattern_counts(marked, key)
    headings, splits = captions
    assert tells(headings.split("  \n"), "1 2 headings code table", "2 no match")
    assert tells(splits, "1 match")


def test_without_patterns_nothing_is_marked(captions: list[str]) -> None:
    """And nothing is said."""
    assert pattern_marks(None) is None
    pattern_counts(None, "headings_from")
    assert captions == []
