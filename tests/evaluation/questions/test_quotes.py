"""Quotes in documents: found where they stand, and what almost stands there."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.evaluation import AnswerSpan, locate, near_misses
from chunking.model import Document
from chunking.parsing import parse
from chunking.text import quotes
from chunking.text.quotes import MOST_MATCHES, fold
from tests.support.strategies import words

TEXT = (
    "# The pump\n\nIt's the **main pump** — of “type B” — that moves\n90 litres a minute. The pump-\nhouse is warm.\n\n"
    "传感器每十分钟读一次数。请先关闭\n电源，再打开（后）盖。\n\nThe ﬁnal word. The main pumps. A pump.\n"
)


def text_document(text: str) -> Document:
    return parse(text.encode("utf-8", "surrogatepass"), "notes.md")


NOTES = text_document("notes")


def texts(spans: tuple[AnswerSpan, ...]) -> list[str]:
    return [answer.text for answer in spans]


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("that moves 90 litres", "that moves\n90 litres"),
        ("  the **main pump**\n", "the **main pump**"),
        ("The main pump - of \"Type B\" -", "the **main pump** — of “type B” —"),
        ("It’s the main", "It's the **main"),
        ("请先关闭电源,再打开(后)盖", "请先关闭\n电源，再打开（后）盖"),
        ("９０ litres", "90 litres"),
        ("the final word", "The ﬁnal word"),
        ("pump-house", "pump-\nhouse"),
    ],
)  # fmt: skip
def test_quotes_match_regardless_of_case_width_and_punctuation(quote: str, there: str) -> None:
    """Line ends, width, letter case, quote marks, dashes, ligatures and markup; the answer's text is the document's."""
    document = text_document(TEXT)
    spans = locate(quote, document)
    assert texts(spans) == [there]
    assert all(document.text[answer.start : answer.end] == answer.text for answer in spans)


def test_whole_words_and_the_nearest() -> None:
    """Inside other words only where there is nothing else; sorted by the distance to where it should be."""
    document = text_document("concat cat. Cats, cat!")
    assert [answer.start for answer in locate("cat", document)] == [7, 18]
    assert [answer.start for answer in locate("cat", document, offset=20)] == [18, 7]
    assert [answer.start for answer in locate("onca", document)] == [1]
    assert locate("dog", document) == locate("", document) == locate(" \n", document) == locate("*", document) == ()
    assert near_misses("dog and cat", replace(document, text="")) == locate("x", replace(document, text="")) == ()


def test_matches_are_bounded() -> None:
    """A letter stands everywhere; a quote far longer than the text is not looked for."""
    document = text_document("ab " * 5_000)
    assert len(locate("ab", document)) == MOST_MATCHES
    assert locate("ab " * 100_000, document) == ()


_LINES = st.lists(words(), min_size=1, max_size=9).map(" ".join)
_TEXTS = st.lists(_LINES, min_size=1, max_size=5).map("\n".join)


@settings(max_examples=60, deadline=None)
@given(_TEXTS.filter(lambda text: bool(text.strip())), st.data())
def test_a_quote_of_a_document_is_found_at_its_place(text: str, data: st.DataObject) -> None:
    """Any slice, as it is and with other white space; its own place is the nearest to itself."""
    document = replace(NOTES, text=text)
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, min(start + 200, len(text))))]
    bare = quote.strip()
    at = text.index(bare, start) if bare else 0
    spans = locate(quote, document, offset=at)
    assert all(text[one.start : one.end] == one.text for one in spans)
    assert [one.text for one in spans] == [bare] * len(spans)
    assert bool(spans) == bool(bare)
    others = locate(bare, document)
    if len(others) < MOST_MATCHES:
        assert any(one.start == at for one in spans) or all(one.start != at for one in others)
    assert not fold(bare) or any(fold(one.text) == fold(bare) for one in locate(" \n".join(bare.split()), document))


@settings(max_examples=60, deadline=None)
@given(_TEXTS, st.text(max_size=60))
def test_near_misses_are_spans_that_share_words(text: str, quote: str) -> None:
    """Whatever is looked for, what is offered stands in the document, apart from each other."""
    for passage in (quote, quote + text[5:90]):
        near_spans = near_misses(passage, replace(NOTES, text=text), most=3)
        assert len(near_spans) <= 3
        assert all(text[one.start : one.end] == one.text and one.text for one in near_spans)
        spans = sorted((one.start, one.end) for one in near_spans)
        assert all(first[1] <= second[0] for first, second in pairwise(spans))


def test_a_changed_quote_is_offered_where_it_was() -> None:
    """Words left out, put in and changed, in English and Chinese: the place is the first offer in 95 of 100 cases."""
    chosen = random.Random(5)
    words = [f"word{n}" for n in range(400)]
    sentences = [" ".join(chosen.choices(words, k=14)).capitalize() + "." for _ in range(300)]
    characters = "水泵阀门传感器网关电源盖子红色蓝色关闭打开每分钟输送读数先再后请把从到上下左右安装检查更换螺丝"
    sentences += ["".join(chosen.choices(characters, k=24)) + "。" for _ in range(300)]
    document = text_document("\n\n".join(sentences))
    hits = 0
    for sentence in chosen.sample(sentences, 100):
        parts = sentence.split() if " " in sentence else list(sentence)
        del parts[chosen.randrange(1, len(parts) - 1)]
        parts[len(parts) // 2] = "鸟" if " " not in sentence else "bird"
        parts.insert(3, "而" if " " not in sentence else "also")
        spans = near_misses((" " if " " in sentence else "").join(parts), document)
        hits += (
            bool(spans)
            and abs(spans[0].start - document.text.index(sentence)) <= 8
            and len(spans[0].text) > 0.6 * len(sentence)
        )
    assert hits >= 95


def test_long_quotes_are_found_by_their_ends() -> None:
    """100,000 characters with a change now and then: beginning and end are compared, the rest is taken."""
    chosen = random.Random(3)
    text = " ".join(f"w{chosen.randrange(900)}" for _ in range(40_000))
    document = text_document(text)
    quote = text[30_000:130_000].replace(" w7 ", " seven ").replace(" w11 ", " ")
    (spans,) = near_misses(quote, document)
    assert abs(spans.start - 30_000) < 40
    assert abs(spans.end - 130_000) < 40


@pytest.mark.parametrize("quote", ["the " * 25_000, "w1 w2 " * 20_000, "a" * 100_000, "w5 " * 99, "，" * 100_000])
def test_the_work_is_bounded(quote: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the quote is and however often its words stand in the document, few words are compared."""
    compared: list[int] = []
    search = quotes.partial_ratio_alignment

    def counting(passage: str, text: str, score_cutoff: float) -> object:
        compared.append(len(passage))
        return search(passage, text, score_cutoff=score_cutoff)

    monkeypatch.setattr(quotes, "partial_ratio_alignment", counting)
    near_misses(quote, text_document("the w1 w2 w5 " * 20_000))
    assert sum(compared) <= 2 * 5 * 100
