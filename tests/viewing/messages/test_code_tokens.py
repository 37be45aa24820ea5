"""Words of code with exact spans, in bounded time, in colours that can be read on everything that lies behind them."""

from __future__ import annotations

import re
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing import parse
from chunking.viewing.colours import COLOURS, PAPER, TEXT
from chunking.viewing.messages import code_tokens as module
from chunking.viewing.messages.code_tokens import (
    KINDS,
    LONGEST_BLOCK,
    LONGEST_LINE,
    block_tokens,
    code_blocks,
    code_tokens,
    fenced_tokens,
)

STYLES = Path("chunking/viewing/scripts/viewer/style.css").read_text(encoding="utf-8")
SAMPLES = {
    "python": ("def", "keyword"),
    "js": ("const", "keyword"),
    "ts": ("interface", "keyword"),
    "json": ('"size"', "keyword"),
    "yaml": ("size", "keyword"),
    "bash": ("# note", "comment"),
    "sql": ("SELECT", "keyword"),
    "java": ("class", "keyword"),
    "c": ("int", "type"),
    "go": ("func", "keyword"),
    "rust": ("fn", "keyword"),
    "html": ("p", "keyword"),
    "css": ("p", "keyword"),
    "toml": ("# note", "comment"),
    "ini": ("size", "function"),
}
LINE = {
    "python": "def pack(size): ...",
    "js": "const size = 3;",
    "ts": "interface Size { n: number }",
    "json": '{"size": 3}',
    "yaml": "size: 3",
    "bash": "ls # note",
    "sql": "SELECT size FROM chunks;",
    "java": "class Size {}",
    "c": "int size = 3;",
    "go": "func size() {}",
    "rust": "fn size() {}",
    "html": "<p>size</p>",
    "css": "p { width: 3px }",
    "toml": "size = 3 # note",
    "ini": "size = 3",
}


@pytest.mark.parametrize("language", SAMPLES)
def test_a_fence_has_the_words_of_its_language(language: str) -> None:
    """Where they stand in the document: after emoji, in a list, and never outside of the fence."""
    document = parse(f"# 🎉\n\n```{language}\n{LINE[language]}\n```\n\ndef size const\n".encode(), "code.md")
    tokens = [
        (document.text[start:end].strip(), KINDS[kind])
        for start, end, kind in block_tokens(document.text, code_blocks(document))
    ]
    assert SAMPLES[language] in tokens
    assert all(text in LINE[language] for text, _ in tokens)


def test_code_in_a_passage_is_found_by_its_fence() -> None:
    """Also where the passage ends inside of it; without a fence, by the language that is told."""
    text = "See:\n\n```py\nreturn 1\n```\n\nreturn\n\n```sql\nSELECT"
    assert [(text[start:end], KINDS[kind]) for start, end, kind in fenced_tokens(text)] == [
        ("return", "keyword"),
        ("1", "number"),
        ("SELECT", "keyword"),
    ]
    assert list(fenced_tokens("return 1")) == []
    assert len(list(fenced_tokens("return 1", "python"))) == 2


@given(st.text(alphabet="a1 \n\"'#/*{}()<>=`\\😀", max_size=200), st.sampled_from(sorted(SAMPLES)))
def test_runs_are_in_order_and_apart(code: str, language: str) -> None:
    """Whatever stands in the block."""
    tokens = code_tokens(code, language)
    assert all(0 <= one.start < one.end <= len(code) for one in tokens)
    assert all(before.end <= after.start for before, after in pairwise(tokens))


def test_what_would_take_long_stays_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long blocks, long lines, and what comes after the time allowed; a language that nobody knows has none."""
    assert code_tokens("a = 1\n" * LONGEST_BLOCK, "python") == ()
    assert code_tokens("(" * (LONGEST_LINE + 1), "python") == ()
    assert code_tokens("return 1", "klingon") == code_tokens("return 1", "") == ()
    complete = code_tokens("return 1; return 2", "python")
    ticks = iter(range(100))
    monkeypatch.setattr(module.time, "thread_time", lambda: 0.1 * next(ticks))
    assert 0 < len(code_tokens.__wrapped__("return 1; return 2", "python")) < len(complete)


def test_a_document_is_coloured_up_to_a_bound() -> None:
    """From its beginning; each block once."""
    block = "```python\n" + "return 1\n" * 2000 + "```\n\n"
    document = parse((block * 20).encode(), "long.md")
    ends = [token.end for token in block_tokens(document.text, code_blocks(document))]
    assert module.MOST_CHARACTERS / 2 < ends[-1] <= module.MOST_CHARACTERS + len(block)


@pytest.mark.parametrize("dark", [False, True])
def test_every_word_can_be_read_on_every_tint(dark: bool) -> None:
    """4.5 to 1 and more, on the page, on bands, hits, what is picked, and the hatching of overlaps."""
    strength = int(re.findall(r"--strength: (\d+)%", STYLES)[dark])
    shares = [
        0.0,
        strength + 6,
        strength + 16,
        *(float(part) for part in re.findall(r"--look: color-mix\(in srgb, var\(--[\w-]+\) (\d+)%", STYLES)),
    ]
    edges = {
        role: [*shares, strength + 24] for role in ("chunk_a", "chunk_b", "hit", "neighbour", "section", "block_code")
    }
    for role, kind in product(edges, KINDS):
        for share in edges[role]:
            behind = mixed(COLOURS[role].on(dark=dark), PAPER.on(dark=dark), share / 100)
            assert contrast(rgb(COLOURS[f"code_{kind}"].on(dark=dark)), behind) >= 4.5, (role, kind, share)
    assert contrast(rgb(TEXT.on(dark=dark)), rgb(PAPER.on(dark=dark))) > 12


def rgb(colour: str) -> tuple[float, ...]:
    """0 to 1 each."""
    return tuple(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))


def mixed(front: str, back: str, share: float) -> tuple[float, ...]:
    """As `color-mix(in srgb, ...)`."""
    return tuple(share * one + (1 - share) * other for one, other in zip(rgb(front), rgb(back), strict=True))


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio"""
    low, high = sorted(
        sum(
            weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
            for weight, part in zip((0.2126, 0.7152, 0.0722), colour, strict=True)
        )
        for colour in (one, other)
    )
    return (high + 0.05) / (low + 0.05)
