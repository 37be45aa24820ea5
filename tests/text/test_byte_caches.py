"""Caches of texts: never more bytes than the bound, emptied with their documents."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.model import Document, Span
from chunking.parsing import parse
from chunking.store import Workspace
from chunking.text import byte_caches, quotes
from chunking.text.byte_caches import MB, ByteCache, byte_cache, listed_caches, memory_of, word_cache
from chunking.text.quotes import QuoteFinder, near_spans


@given(st.lists(st.tuples(st.text(max_size=5), st.binary(max_size=400)), max_size=60))
def test_never_holds_more_than_its_bound(entries: list[tuple[str, bytes]]) -> None:
    """Whatever comes in whatever order; what is counted is what is there."""
    cache: ByteCache[bytes] = ByteCache("a test's", 1_500)
    for key, value in entries:
        cache.put(key, value)
        assert cache.size <= 1_500
    there = {key: value for key, _ in entries if (value := cache.get(key)) is not None}
    assert cache.size == sum(memory_of(key) + memory_of(value) for key, value in there.items())
    cache.clear()
    assert (cache.size, len(cache)) == (0, 0)


def test_the_least_used_goes_and_the_too_large_never_comes() -> None:
    """An answer larger than all may be together drives nothing else out."""
    cache: ByteCache[bytes] = ByteCache("a test's", 1_000)
    for key in "abc":
        cache.put(key, bytes(200))
    assert cache.get("a") is not None
    cache.put("d", bytes(200))
    assert [key for key in "abcd" if key in cache] == ["a", "c", "d"]
    cache.put("e", bytes(2_000))
    assert [key for key in "abcde" if key in cache] == ["a", "c", "d"]


def test_what_nobody_asks_for_is_let_go() -> None:
    """Each entry by itself, by when it was used last."""
    now = [0.0]
    cache: ByteCache[str] = ByteCache("a test's", 10_000, clock=lambda: now[0])
    cache.put("old", "1")
    cache.put("used", "2")
    now[0] = 50.0
    assert cache.get("used") == "2"
    now[0] = 70.0
    cache.drop_unused(60.0)
    assert [key for key in ("old", "used") if key in cache] == ["used"]


def test_texts_of_all_caches_share_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was used least lately goes, whichever cache it is in; numbers under a digest do not count."""
    byte_caches.clear_caches()
    monkeypatch.setattr(byte_caches, "MOST_OF_TEXTS", 3_000)
    now = iter(range(100))
    first, second = (ByteCache[bytes](name, 2_500, clock=lambda: float(next(now))) for name in ("one", "another"))
    numbers: ByteCache[bytes] = ByteCache("numbers", 10_000, holds_text=False)
    numbers.put("n", bytes(5_000))
    first.put("a", bytes(1_000))
    second.put("b", bytes(1_000))
    assert first.get("a") is not None
    second.put("c", bytes(1_000))
    assert [key in cache for cache, key in ((first, "a"), (second, "b"), (second, "c"), (numbers, "n"))] == [
        True,
        False,
        True,
        True,
    ]


def test_a_function_is_called_once_for_each_text() -> None:
    """None is an answer, too; an error is none."""
    calls: list[str] = []

    @byte_cache(most=MB)
    def first(text: str) -> str | None:
        calls.append(text)
        return text[0] if text.strip() else None

    assert [first("ab"), first("ab"), first(" "), first(" ")] == ["a", "a", None, None]
    assert calls == ["ab", " "]


def test_words_are_counted_and_emptied() -> None:
    """A cache of short answers is one of the list."""

    @word_cache(maxsize=10, each=100)
    def upper(word: str) -> str:
        return word.upper()

    mine = next(one for one in listed_caches() if "test_words_are_counted" in one.name)
    assert [upper(word) for word in "abc"] == ["A", "B", "C"]
    assert (mine.size, mine.most) == (300, 1_000)
    mine.drop_unused(1_000.0)
    assert mine.size == 300
    mine.drop_unused(0.0)
    assert mine.size == 0


@pytest.mark.parametrize(
    "value",
    [
        "a" * 9_000,
        b"a" * 9_000,
        ["a" * 3_000] * 3,
        {"a" * 5_000: "b" * 5_000},
        np.zeros(9_000, np.uint8),
        (("a" * 9_000,),),
    ],
)
def test_memory_is_counted_all_the_way_down(value: object) -> None:
    """Also in lists of lists, and of arrays what they refer to."""
    assert 9_000 <= memory_of(value) < 12_000


def test_a_long_text_costs_little_more_than_itself() -> None:
    """Eight bytes per word for near quotes, an offset per letter for folded ones; oversized texts are not cached."""
    text = " ".join(f"word{number % 20_000}" for number in range(200_000))
    byte_caches.clear_caches()
    assert near_spans("word17 word18 wordx word19 word20", text)
    size = quotes._indexed.cache.size
    assert 0 < size - sys.getsizeof(text) < 10 * 200_000
    assert QuoteFinder(text).find("WORD17 WORD18")
    assert 0 < quotes._folded.cache.size <= 8 * len(text)
    assert byte_caches.cached_bytes() >= size + quotes._folded.cache.size


def test_quotes_of_a_document_at_hand_index_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty questions about four documents take each text apart once."""
    byte_caches.clear_caches()
    looked: list[str] = []
    plain = quotes._plain

    def counted(word: str) -> str:
        looked.append(word)
        return plain(word)

    monkeypatch.setattr(quotes, "_plain", counted)
    texts = [f"{name} " * 50 + "a pump needs oil every month and a filter once a year" for name in "abcd"]
    for _ in range(50):
        for text in texts:
            near_spans("pump needs grease every month", text)
    words = sum(len(text.split()) for text in texts)
    assert len(looked) <= words + 50 * 4 * 3 * 5  # each quote itself, at both ends, and its length


def test_the_words_of_a_quote_decide() -> None:
    """Also where a word stands twice, in another case, or with accents; words that the text lacks change nothing."""
    text = "Old Über words here. The pump, the valve and the filter need oil. The end of it."
    assert near_spans("the PUMP the valve und the filter", text)[0] == Span(text.index("The pump"), text.index(" need"))
    assert near_spans("uber words nowhere", text)[0].start == text.index("Über")
    assert near_spans("nothing at all alike", text) == ()


def test_a_deleted_or_replaced_document_leaves_nothing(tmp_path: Path) -> None:
    """What was asked about its text goes with it; numbers under a digest stay until nobody asks."""
    kept: ByteCache[np.ndarray] = ByteCache("a test's", MB, holds_text=False)
    kept.put("digest", np.zeros(3))
    target = Workspace.open(tmp_path / "workspace")

    def ask(document: Document) -> int:
        near_spans("the pump needs some oil", document.text)
        return quotes._indexed.cache.size

    first = parse(b"# Pump\n\nThe pump needs oil.", "pump.md")
    target.put_document(first)
    assert ask(first)
    target.put_document(parse(b"# Pump\n\nThe pump needs no oil.", "pump.md"))
    assert quotes._indexed.cache.size == 0
    assert ask(first)
    target.delete_documents([first.doc_id])
    assert quotes._indexed.cache.size == 0
    assert "digest" in kept
