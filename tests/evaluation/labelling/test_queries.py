"""Queries of people: read from files of any form, normalised, each once, and bounded with a sentence."""

from __future__ import annotations

import pytest

from chunking.errors import QuestionError
from chunking.evaluation import MOST_QUERIES, LoggedQuery, distinct_queries, query_key, read_queries
from chunking.evaluation.labelling.queries import MOST_LINES
from tests.support.facts import tells


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        ('query,clicks\nweight of a blue pump,3\n"price, in euros",1\n', ["weight of a blue pump", "price, in euros"]),
        ("id;Question\n1;Wie lange?\n2;Was kostet das?\n", ["Wie lange?", "Was kostet das?"]),
        ("weight of a blue pump\nprice of a pump, in euros\n", ["weight of a blue pump", "price of a pump, in euros"]),
        ('{"query": "one pump"}\n{"query": "two pumps"}\nnot json\n', ["one pump", "two pumps"]),
        ('["one pump", {"question": "two pumps"}, 3]', ["one pump", "two pumps"]),
        ("问题\n怎么恢复备份？\n", ["怎么恢复备份？"]),
        ("query\n'=1+1\n", ["=1+1"]),
    ],
)
def test_forms_of_files(data: str, texts: list[str]) -> None:
    """CSV with a column of queries, lines, JSON lines, a JSON list."""
    assert [one.text for one in read_queries(data.encode(), "log.csv").queries] == texts


def test_the_same_query_is_asked_once() -> None:
    """Case, width, spaces and end marks do not count; the most frequent come first, and what was repeated is said."""
    queries = distinct_queries(["price?", "How  long", "ＨＯＷ long?", "", "how long."], "log.csv")
    assert queries.queries == (LoggedQuery("How long", 3), LoggedQuery("price?", 1))
    assert len(queries.notes) == 1
    assert tells(queries.notes[0], "2 of 4")
    assert query_key("???") == "???"


def test_a_list_of_a_hundred_thousand_lines_is_bounded_with_a_sentence() -> None:
    """The most frequent are taken, and it says how many there were; a file beyond the bound of lines is refused."""
    lines = [f"query number {number % 60_000}" for number in range(100_000)]
    queries = read_queries("\n".join(lines).encode(), "log.txt")
    assert len(queries) == MOST_QUERIES
    assert all(one.times == 2 for one in queries.queries)
    assert tells(queries.notes[-1], f"60,000 {MOST_QUERIES:,} log.txt")
    with pytest.raises(QuestionError, match=f"{MOST_LINES:,}"):
        read_queries(b"a\n" * (MOST_LINES + 1), "log.txt")


@pytest.mark.parametrize(
    ("data", "words"), [(b"", "no query"), (b"query\n\n", "no query"), (b"\x00\x01\x02\xff" * 50, "log")]
)
def test_a_log_without_queries_is_one_sentence(data: bytes, words: str) -> None:
    """A sentence."""
    with pytest.raises(QuestionError, match=words):
        read_queries(data, "log.csv")


def test_queries_that_are_too_long_are_left_out() -> None:
    """And counted."""
    queries = distinct_queries(["short", "long " * 1_000], "log.csv")
    assert [one.text for one in queries.queries] == ["short"]
    assert tells(queries.notes[0], "2,000")
