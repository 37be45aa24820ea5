"""Tables and code in a snippet or passage: where they stand, in the units of a browser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.kit.text_looks import text_looks


def spans(text: str, **of: bool) -> list[tuple[str, str, str | None]]:
    """(table, its header, delimiter) as texts."""
    units = text.encode("utf-16-le")

    def part(start: int, end: int) -> str:
        return units[2 * start : 2 * end].decode("utf-16-le")

    return [
        (part(start, end), part(start, header), mark) for start, end, header, mark in text_looks(text, **of)["tables"]
    ]


def test_pipe_rows_in_a_passage() -> None:
    """With a row of dashes, with and without outer bars, there is a header; rows alone, as in a chunk of a long table,
    have none.
    """
    headed = "| a 😀 | b |\n|---|:-:|\n| 1 | 2 |\n"
    bare, rows = "a | b\n--- | ---\n1 | 2\n", "| 3 | 4 |\n| 5 | 6 |"
    text = f"😀 Some text.\n\n{headed}\nMore | text.\n\n{bare}\n{rows}"
    assert spans(text) == [
        (headed, "| a 😀 | b |\n|---|:-:|\n", None),
        (bare, "a | b\n--- | ---\n", None),
        (rows, "", None),
    ]


@pytest.mark.parametrize("text", ["", "a | b", "| alone |", "a\n---\nb", "One | two\nthree | four"])
def test_running_text_is_no_table(text: str) -> None:
    """A bar or a row of dashes alone does not make one."""
    assert spans(text) == []


def test_a_snippet_of_a_csv_file() -> None:
    """The signs that it goes on are no rows; the delimiter is what all rows have."""
    assert spans("… a;1,5;x\nb;2,5;y\n …", fields=True) == [("a;1,5;x\nb;2,5;y\n", "", ";")]
    assert spans("no delimiter\nat all", fields=True) == []


@given(st.text(alphabet="|-:> a\n😀…", max_size=80), st.booleans())
def test_tables_lie_in_the_text_and_apart(text: str, fields: bool) -> None:
    """Whatever it holds."""
    done = 0
    for start, end, header, _ in text_looks(text, fields=fields)["tables"]:
        assert done <= start <= header <= end <= len(text.encode("utf-16-le")) // 2
        done = end
