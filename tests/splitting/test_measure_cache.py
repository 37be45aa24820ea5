"""The cache of measured documents: for the same document only, bounded, shared by threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from unittest.mock import Mock

from chunking.model import Document
from chunking.splitting.document_splitting import EACH, MeasureCache
from tests.support.store_rows import document


class Counted(str):
    """A text that counts calls of its length."""

    calls = 0

    def __len__(self) -> int:
        Counted.calls += 1
        return super().__len__()


def texts(letters: str, length: int = 60) -> Iterator[Document]:
    """A document a letter, each of `length` characters."""
    return (replace(document(letter, letter), text=letter * length) for letter in letters)


def test_another_version_of_a_document_replaces_it() -> None:
    """A copy is the same document; other text under the same id is measured, and so is another tokenizer."""
    cache, measure = MeasureCache(), Mock(side_effect=lambda: Mock())
    (one,) = texts("a")
    other = replace(one, text="y" * 50)
    assert cache.of(one, "how", measure) is cache.of(replace(one), "how", measure)
    cache.of(other, "how", measure)
    assert (measure.call_count, cache.size) == (2, 50 + EACH)
    cache.of(other, "otherwise", measure)
    assert (measure.call_count, cache.size) == (3, 2 * (50 + EACH))


def test_the_least_recently_used_documents_are_evicted() -> None:
    """The size is exact; a single document may exceed the bound."""
    cache, measure = MeasureCache(most=2 * (60 + EACH)), Mock(side_effect=lambda: Mock())
    a, b, c = texts("abc")
    for one in (a, b, a, c, a):
        cache.of(one, "how", measure)
    assert (measure.call_count, cache.size) == (3, 2 * (60 + EACH))
    cache.of(b, "how", measure)
    assert measure.call_count == 4
    (large,) = texts("d", 100_000)
    cache.of(large, "how", measure)
    cache.of(large, "how", measure)
    assert (measure.call_count, cache.size) == (5, 100_000 + EACH)


def test_the_first_documents_stay_for_repeated_passes() -> None:
    """A second pass finds those that had room in the first; the last used ones would all be gone."""
    cache, measure = MeasureCache(most=2 * (60 + EACH), first=True), Mock(side_effect=lambda: Mock())
    for one in (*texts("abc"), *texts("abc")):
        cache.of(one, "how", measure)
    assert (measure.call_count, cache.size) == (4, 2 * (60 + EACH))


def test_eviction_does_not_measure_every_text_again() -> None:
    """Calls of `len` grow with the documents, not with their square."""
    cache = MeasureCache()
    Counted.calls = 0
    for number in range(200):
        cache.of(replace(document(f"d{number}", "x"), text=Counted("text")), "how", Mock())
    assert Counted.calls <= 3 * 200


def test_threads_measure_a_document_once() -> None:
    """And its size counts once."""
    cache, measure, start = MeasureCache(), Mock(side_effect=lambda: Mock()), Barrier(8)
    (one,) = texts("a")

    def ask(_: int) -> object:
        start.wait()
        return cache.of(one, "how", measure)

    with ThreadPoolExecutor(8) as pool:
        results = set(pool.map(ask, range(8)))
    assert (len(results), measure.call_count, cache.size) == (1, 1, 60 + EACH)
