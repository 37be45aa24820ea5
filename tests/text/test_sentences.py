"""One rule of where sentences start: what splitting, late encoding, extracts and questions go by."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.embedding.local.token_windows import TextTokens, unit_ends
from chunking.enrichment.prose_sentences import sentences_of
from chunking.text.characters import BLANK, TextCharacters
from chunking.text.sentences import sentence_starts


def parts(text: str, *, semicolons: bool = True) -> list[str]:
    """A text cut where its sentences start."""
    edges = [0, *sentence_starts(text, semicolons=semicolons).tolist(), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["One. ", "Two! ", "“Three?” ", "Four"],
        ["See Dr. Li, e.g. at 6.30 p.m. in fig. 2. ", "It is open."],
        ["He said “no.” ", "(It rained.) ", "*So what?* ", "I left."],
        ["Really? yes. ", "It goes on"],
        ["门开了。", "“门关了！”", "电量是3.5伏；", "好"],
        ["他说…… ", "Yes! ", "好吗?", "好"],
        ["no sentence at all"],
        [""],
    ],
    ids=lambda sentences: sentences[0][:12],
)
def test_a_sentence_starts_after_a_stop_but_not_after_an_abbreviation(sentences: list[str]) -> None:
    """Behind a stop and what closes it; not behind abbreviations, nor before a small letter."""
    assert parts("".join(sentences)) == sentences


def test_half_a_sentence_of_chinese_stays_with_the_other_half() -> None:
    """Where sentences are read alone, a semicolon ends none."""
    assert parts("先关电源；再开盖。好。", semicolons=False) == ["先关电源；再开盖。", "好。"]
    assert sentences_of("先关电源；再开盖。好。") == ["先关电源；再开盖。", "好。"]


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("aB.!?…\"')。！；” \n\u3000门é\U0001f600"), max_size=60))
def test_starts_are_in_order_and_visible(text: str) -> None:
    """Whatever the text; none at its beginning, none at white space, and nothing is lost between them."""
    starts = sentence_starts(text)
    assert (np.diff(starts, prepend=0) > 0).all()
    assert not (TextCharacters.of(text).any_of(BLANK)[starts]).any()
    assert [piece.split() for piece in sentences_of(text)] == [
        piece.split() for piece in parts(text, semicolons=False) if piece.strip()
    ]


def test_units_of_late_vectors_end_where_sentences_do() -> None:
    """An abbreviation ends no unit."""
    text = "Please ask for Dr. Li whenever the red lamp is on. " + "Then wait for nine or ten minutes until it is off."
    words = [(at, at + len(word)) for word in text.split() for at in [text.index(word)]]
    starts, ends = (np.array(column, np.int32) for column in zip(*words, strict=True))
    pieces = TextTokens(
        np.arange(len(words), dtype=np.int32), np.maximum.accumulate(starts), np.maximum.accumulate(ends)
    )
    assert unit_ends(text, pieces).tolist() == [11, len(words)]
