"""Measured documents that are kept: the very document's, within a bound, by several threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from unittest.mock import Mock

from chunking.model import Document
from chunking.splitting.measure_cache import EACH, MeasureCache
from tests.support.store_rows import document


class Counted(str):
    """A text that counts how often its length is asked for."""

    asked = 0

    def __len__(self) -> int:
        Counted.asked += 1
        return super().__len__()


def texts(letters: str, length: int = 60) -> Iterator[Document]:
    """A document a letter, each of `length` characters."""
    return (replace(document(letter, letter), text=letter * length) for letter in letters)


def test_another_version_is_measured_anew() -> None:
    """A copy of the document is not; another one of the same id is, and takes its place."""
    kept, made = MeasureCache(), Mock(side_effect=lambda: Mock())
    (one,) = texts("a")
    other = replace(one, text="y" * 50)
    assert kept.of(one, "how", made) is kept.of(replace(one), "how", made)
    kept.of(other, "how", made)
    assert (made.call_count, kept.size) == (2, 50 + EACH)
    kept.of(other, "otherwise", made)
    assert (made.call_count, kept.size) == (3, 2 * (50 + EACH))


def test_the_least_used_go_where_there_is_no_more_room() -> None:
    """What is left is counted exactly; one document may be larger than all the room."""
    kept, made = MeasureCache(most=2 * (60 + EACH)), Mock(side_effect=lambda: Mock())
    a, b, c = texts("abc")
    for one in (a, b, a, c, a):
        kept.of(one, "how", made)
    assert (made.call_count, kept.size) == (3, 2 * (60 + EACH))
    kept.of(b, "how", made)
    assert made.call_count == 4
    (large,) = texts("d", 100_000)
    kept.of(large, "how", made)
    kept.of(large, "how", made)
    assert (made.call_count, kept.size) == (5, 100_000 + EACH)


def test_the_first_stay_where_documents_come_in_one_order() -> None:
    """A second pass meets those that had room in the first; of the last used ones it would meet none."""
    kept, made = MeasureCache(most=2 * (60 + EACH), first=True), Mock(side_effect=lambda: Mock())
    for one in (*texts("abc"), *texts("abc")):
        kept.of(one, "how", made)
    assert (made.call_count, kept.size) == (4, 2 * (60 + EACH))


def test_no_text_is_measured_again_for_the_documents_after_it() -> None:
    """Lengths asked for grow with the documents, not with their square."""
    kept = MeasureCache()
    Counted.asked = 0
    for number in range(200):
        kept.of(replace(document(f"d{number}", "x"), text=Counted("text")), "how", Mock())
    assert Counted.asked <= 3 * 200


def test_threads_measure_a_document_once() -> None:
    """And what is kept is counted once."""
    kept, made, start = MeasureCache(), Mock(side_effect=lambda: Mock()), Barrier(8)
    (one,) = texts("a")

    def ask(_: int) -> object:
        start.wait()
        return kept.of(one, "how", made)

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(ask, range(8)))
    assert (len(found), made.call_count, kept.size) == (1, 1, 60 + EACH)
