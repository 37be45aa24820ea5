"""How running text is set, where a page says it absurdly."""

from __future__ import annotations

import pytest

from chunking.parsing import parse
from chunking.parsing.formats.pdf.headings import heading_runs as runs
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from tests.support.raw_pdf import one_page_pdf


def test_letters_without_a_height() -> None:
    """A matrix may press a page's letters flat: no line has a height, and no distance can be told in heights."""
    flat = ") Tj ET BT /F1 12 Tf 1 0 0 0 72 600 Tm (Words) Tj ET BT /F1 12 Tf 1 0 0 0 72 580 Tm (More"
    assert "W" in parse(one_page_pdf(flat), "a.pdf").text


def test_a_size_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes are compared with a few others each, not with all."""
    calls = 0
    same_size = runs.same_size

    def counting(one: float, other: float) -> bool:
        nonlocal calls
        calls += 1
        return same_size(one, other)

    monkeypatch.setattr(runs, "same_size", counting)
    lines = [
        PdfLine("word", 1, (0.1, n / 1000, 0.5, n / 1000 + 0.0005), round(4 + n / 10, 1), False, "F")
        for n in range(1000)
    ]
    body = runs.body_of(lines)
    assert body
    assert calls < 60 * len(lines)
