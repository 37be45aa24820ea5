"""Tables of contents: found, matched to what they name, and told from other lists."""

from __future__ import annotations

import pytest

from chunking.parsing.headings import contents_list, contents_matching
from chunking.parsing.headings.contents_list import contents_lists, is_contents_label
from chunking.parsing.headings.heading_labels import keys_of

TEXT = "Some text goes on here, as it does on any page of it."
BODY = ["1 Aims", TEXT, "1.1 Scope", TEXT, "2 Means and the ways", "that they are found", TEXT, "3 Ends", TEXT]


def named(lines: list[str], pages: list[int] | None = None) -> list[list[tuple[str, str | None]]]:
    """The titles of each list that is sure, with the lines that are named."""
    lists = [one for one in contents_lists(lines, pages) if one.sure]
    return [
        [(entry.title, " ".join(lines[slice(*entry.target)]) if entry.target else None) for entry in one.entries]
        for one in lists
    ]


def test_with_leaders_and_page_numbers() -> None:
    """Titles over two lines, on either side."""
    listed = [
        "Contents",
        "1 Aims ....... 3",
        "1.1 Scope . . . . . 3",
        "2 Means and the ways that",
        "they are found ...... 4",
        "3 Ends ____________ 9",
    ]
    assert named([*listed, *BODY]) == [
        [
            ("1 Aims", "1 Aims"),
            ("1.1 Scope", "1.1 Scope"),
            ("2 Means and the ways that they are found", "2 Means and the ways that they are found"),
            ("3 Ends", "3 Ends"),
        ]
    ]


def test_without_page_numbers_under_a_label() -> None:
    """The words come again: that is enough. What does not come again ends the list."""
    lists = contents_lists(["目 录", "1 Aims", "1.1 Scope", "3 Ends", "Foreword", *BODY])
    assert [(one.label, one.first, one.after, one.sure) for one in lists] == [(0, 1, 4, True)]


def test_a_label_printed_twice() -> None:
    """One over the other, as bold is made."""
    assert is_contents_label("Table of Contents Table of Contents")
    assert not is_contents_label("Table of Contents of the box")


def test_the_page_says_which_of_several() -> None:
    """*Ends* stands on three pages; the list says on which it is a heading."""
    listed = ["Contents", "Aims 1", "Scope 2", "Ends 4"]
    body = ["Aims", TEXT, "Ends", "Scope", "Ends", TEXT, "Ends", TEXT]
    pages = [1] * 4 + [3, 3, 3, 4, 5, 5, 6, 6]
    (contents,) = contents_lists([*listed, *body], pages)
    assert [entry.target and entry.target.first for entry in contents.entries] == [4, 7, 10]


def test_other_words_on_its_page() -> None:
    """Nearly the same words are enough where the page agrees."""
    listed = ["Contents", "Aims 1", "Scope 2", "The ends and the means 4"]
    body = ["Aims", TEXT, "Scope", TEXT, "The ends, the means", TEXT]
    (contents,) = contents_lists([*listed, *body], [1] * 4 + [1, 1, 2, 2, 4, 4])
    assert [entry.target and entry.target.first for entry in contents.entries] == [4, 6, 8]


def test_other_lists_with_leaders_are_not_sure() -> None:
    """A menu names nothing that is printed elsewhere: it is text."""
    assert named(["Soup ........ 4", "Bread ....... 2", "Salad ....... 6", "Tea ......... 3", TEXT]) == []
    assert named([TEXT, "Contents", TEXT, "The box holds a valve.", TEXT]) == []


def test_the_body_is_no_part_of_it() -> None:
    """The first heading of the body says what the list has said."""
    (contents,) = contents_lists(["Contents", "Aims", "Scope", "Ends", "Aims", TEXT, "Scope", "Ends", TEXT])
    assert (contents.first, contents.after) == (1, 4)


def test_a_hostile_list_costs_little() -> None:
    """A thousand titles of one name, each on a thousand lines."""
    lines = ["Contents", *["Aims 1"] * 1000, TEXT, *["Aims"] * 1000]
    (contents,) = contents_lists(lines, [1] * len(lines))
    assert sum(entry.target is not None for entry in contents.entries) <= contents_matching._MOST_PLACES


def test_a_line_is_compared_by_keys_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Finding a list and finding what it names share them."""
    asked_for: list[str] = []

    def counted(text: str) -> tuple[str, str]:
        asked_for.append(text)
        return keys_of(text)

    monkeypatch.setattr(contents_list, "keys_of", counted)
    monkeypatch.setattr(contents_matching, "keys_of", counted)
    listed = ["Contents", "Aims ...... 1", "Scope ..... 2", "Ends ...... 4"]
    body = ["Aims", "Scope", "Ends", *(f"Line {number} of the body" for number in range(50))]
    (contents,) = contents_lists([*listed, *body])
    assert [entry.target and entry.target.first for entry in contents.entries] == [4, 5, 6]
    assert max(asked_for.count(text) for text in body[3:]) == 1
