"""Lines that come again."""

from __future__ import annotations

from chunking.parsing.headings.repetition import PlacedLine, repeated_lines


def test_in_the_same_place_of_many_pages() -> None:
    """The head of a table that goes on, four times; three times could be chance."""
    lines = [PlacedLine("LINE POSITION  Description", page, 0.163) for page in range(1, 5)]
    assert repeated_lines(lines) == {0, 1, 2, 3}
    assert repeated_lines(lines[:3]) == set()


def test_elsewhere_on_each_page() -> None:
    """*Parameters* under each function of a manual is a heading."""
    assert repeated_lines([PlacedLine("Parameters", page, 0.1 + 0.07 * page) for page in range(1, 10)]) == set()


def test_what_counts_on_is_no_copy() -> None:
    """Each exhibit begins a page."""
    assert repeated_lines([PlacedLine(f"Exhibit {page}", page, 0.1) for page in range(1, 10)]) == set()
