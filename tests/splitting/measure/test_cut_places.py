"""Where a cut is allowed, sentence by sentence and inside long words."""

from __future__ import annotations

import pytest
from hypothesis import given

from chunking.splitting import TokenCounter
from chunking.splitting.measure.cut_places import FINE_LETTERS, GRID, Rank, find_places
from tests.support.examples import law
from tests.support.strategies import markdown


def ranked(text: str, counter: TokenCounter, rank: Rank) -> list[str]:
    """What begins at the places of a rank."""
    places = find_places(text, counter)
    return [
        text[at : at + 6].split()[0]
        for at, one in zip(places.first.tolist(), places.rank.tolist(), strict=True)
        if one == rank and at < len(text)
    ]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("One two. Three four! Five? Six", ["Three", "Five?", "Six"]),
        ("He said “stop.” Then (really!) Left. it went", ["Then", "Left."]),
        ("Dr. Smith, e.g. Fig. 3 of J. Doe et al. Then 3.14 is pi. Done", ["Then", "Done"]),
        ("Version 2.0 is out. 3 more follow", ["3"]),
        ("**Bold end.** Next", ["Next"]),
        ("and so on... but not here… Here", ["Here"]),
        ("先关电源。再打开！好了？「真的。」他说：走。", ["再打开！好", "好了？「真", "「真的。」", "他说：走。"]),
        ("版本3.2支持。Hello 世界! 你好", ["Hello", "你好"]),
        ("你好!再见", ["再见"]),
    ],
)
def test_sentences_are_cut_in_english_and_chinese(counter: TokenCounter, text: str, starts: list[str]) -> None:
    """English and Chinese; abbreviations, decimals and quotes."""
    sentences = ranked(text, counter, Rank.SENTENCE)
    assert [start[:2] for start in sentences] == [start[:2] for start in starts]


def test_a_comma_is_a_better_place_than_between_two_chinese_characters(counter: TokenCounter) -> None:
    """A clause, then any character; not before a stop."""
    assert ranked("先关电源，再打开", counter, Rank.WORD) == ["先关电源，再", "再打开"]
    assert ranked("电源。", counter, Rank.LAST_RESORT) == ["。"]


def test_lines_and_blocks(counter: TokenCounter) -> None:
    """Any line ending; \\r\\n is one, and is never parted."""
    text = "a\nb\r\nc\rd\n\ne\r\n\r\nf"
    assert ranked(text, counter, Rank.LINE) == ["b", "c", "d"]
    assert ranked(text, counter, Rank.BLOCK) == ["e", "f"]
    assert find_places(text, counter).at.tolist() == [0, 2, 5, 7, 10, 15, len(text)]


def test_a_line_keeps_its_indent(counter: TokenCounter) -> None:
    """But not half a screen of white space."""
    places = find_places("if x:\n    y = 1\n" + " " * 60 + "z", counter)
    assert places.at.tolist()[2] == 6
    assert places.first.tolist()[2] == 10
    assert places.at.tolist()[-2] == places.first.tolist()[-2]


def test_special_tokens_are_not_parted(counter: TokenCounter) -> None:
    """[SEP] written out is one token only in one piece."""
    text = "中[SEP]文" + "x/" * 20 + "[CLS]"
    places = find_places(text, counter).first.tolist()
    for token in ("[SEP]", "[CLS]"):
        at = text.index(token)
        assert not set(places) & set(range(at + 1, at + 5))


def test_long_words_are_cut_on_a_grid(counter: TokenCounter) -> None:
    """Short ones not at all; beyond a limit of different letters only coarsely, so that measuring ends in time."""
    assert len(find_places("a" * 20, counter).first) == 2
    assert find_places("a" * 64, counter).first.tolist() == [0, GRID, 2 * GRID, 3 * GRID, 64]
    huge = "".join(chr(97 + (n * n) % 26) for n in range(FINE_LETTERS + 1))
    assert len(find_places(huge, counter).first) < FINE_LETTERS // 100


@law(50)
@given(markdown())
def test_places_are_in_order(counter: TokenCounter, text: str) -> None:
    """Every piece between two places has something to see, and white space only stands between pieces."""
    places = find_places(text, counter)
    at, first, stop = places.at.tolist(), places.first.tolist(), places.stop.tolist()
    assert first == sorted(set(first))
    for here in range(len(first) - 1):
        assert stop[here] <= at[here] <= first[here] < stop[here + 1]
        assert not text[stop[here] : first[here]].strip()
    assert not text[stop[-1] :].strip()
