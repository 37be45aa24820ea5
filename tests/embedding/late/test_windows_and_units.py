"""Windows and units: every token once, units cut where sentences end."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.embedding.local.token_windows import UNIT_TOKENS, TextTokens, passages, plan_windows, unit_ends
from tests.support.strategies import plain_text


def words(text: str) -> TextTokens:
    """A tokenizer of words, punctuation and single Chinese characters, as WordPiece sees them."""
    spans = [match.span() for match in re.finditer(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]", text)]
    return TextTokens.joined([(0, list(range(len(spans))), spans)])


@given(st.integers(0, 500), st.integers(1, 64))
def test_every_token_has_one_window(tokens: int, size: int) -> None:
    """Windows are at most `size` long, and their own parts lie one behind the other and inside them."""
    windows = plan_windows(tokens, size)
    assert [edge for window in windows for edge in window.own][1:-1] == [
        edge for a in windows[:-1] for edge in (a.own[1],) * 2
    ]
    assert (windows[0].own[0], windows[-1].own[1]) == (0, tokens)
    assert all(window.after - window.first <= size for window in windows)
    assert all(window.first <= window.own[0] <= window.own[1] <= window.after for window in windows)


@given(st.integers(1, 500), st.integers(2, 64))
def test_tokens_are_taken_where_they_are_most_central(tokens: int, size: int) -> None:
    """No other window has a token further from its nearer edge; where two are alike, either will do."""
    windows = plan_windows(tokens, size)

    def depth(window_first: int, window_after: int, token: int) -> int:
        return min(token - window_first, window_after - 1 - token)

    for number, window in enumerate(windows):
        for token in range(*window.own):
            others = [
                depth(w.first, w.after, token)
                for w in windows[max(number - 2, 0) : number + 3]
                if w.first <= token < w.after
            ]
            edge = (
                token < size // 2 or token >= tokens - size // 2
            )  # the first and last tokens are nowhere in the middle
            assert edge or depth(window.first, window.after, token) >= max(others) - 1


def test_a_text_that_fits_has_one_window() -> None:
    """Nothing is read twice, and an empty text is read too: its special tokens are its vector."""
    assert [tuple(window) for window in plan_windows(254, 254)] == [(0, 254, (0, 254))]
    assert [tuple(window) for window in plan_windows(0, 254)] == [(0, 0, (0, 0))]
    assert len(plan_windows(255, 254)) == 2


@given(plain_text(), st.integers(1, 60))
def test_passages_are_the_text(text: str, size: int) -> None:
    """One behind the other, none longer than asked for, none empty."""
    spans = passages(text, size)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(0 < end - start <= size for start, end in spans)


def test_passages_end_with_a_line_or_a_word() -> None:
    """The tokenizer sees no half word where there is white space at all."""
    assert passages("one two\nthree four five", 12) == [(0, 8), (8, 19), (19, 23)]
    assert passages("x" * 10, 4) == [(0, 4), (4, 8), (8, 10)]


@given(plain_text())
def test_units_are_all_tokens_and_small(text: str) -> None:
    """Units are not empty, not over 32 tokens, and together the document."""
    pieces = words(text)
    ends = unit_ends(text, pieces)
    sizes = np.diff(ends, prepend=0)
    assert sizes.sum() == len(pieces)
    assert ((sizes >= 1) & (sizes <= UNIT_TOKENS)).all()


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        (
            (
                "The pump must be off before you open it. Then the filter can be changed by hand. Wait for five "
                "minutes until it is cold."
            ),
            ["The pump", "Then the", "Wait for"],
        ),
        ("请在更换滤芯之前关闭电源。然后打开盖子取出旧的滤芯。最后装上新的滤芯并关闭盖子。", ["请在", "然后", "最后"]),
        ("# Pump\n\nSwitch it off.\n\nThen open it.", ["# Pump", "Switch", "Then"]),
        ("He asked: “Is it really as cold as ice?” Nobody in the room had an answer to that.", ["He asked", "Nobody"]),
    ],
)
def test_units_begin_where_sentences_do(text: str, starts: list[str]) -> None:
    """In English and Chinese; a paragraph is never joined to the next, however short."""
    pieces = words(text)
    firsts = [0, *unit_ends(text, pieces)[:-1].tolist()]
    assert [text[pieces.starts[first] :][: len(start)] for first, start in zip(firsts, starts, strict=True)] == starts


def test_short_lines_share_a_unit() -> None:
    """A table of numbers would have a sum for every few characters otherwise."""
    text = "".join(f"{n},{n}\n" for n in range(40))
    sizes = np.diff(unit_ends(text, words(text)), prepend=0)
    assert (sizes[:-1] >= 8).all()


def test_a_long_sentence_is_cut_evenly() -> None:
    """70 words without an end: three units of like size."""
    text = " ".join(["pump"] * 70)
    assert np.diff(unit_ends(text, words(text)), prepend=0).tolist() == [23, 23, 24]


def test_offsets_never_go_back() -> None:
    """Byte-level tokenizers give several tokens the place of one character."""
    pieces = TextTokens.joined([(0, [1, 2, 3], [(0, 2), (0, 2), (1, 2)]), (10, [4], [(0, 1)])])
    assert (pieces.starts.tolist(), pieces.ends.tolist()) == ([0, 0, 1, 10], [2, 2, 2, 11])
    assert all(a <= b for a, b in pairwise(pieces.starts.tolist()))
