"""A second reading of a file: what each of the two has alone, and the guarded process that makes it."""

from __future__ import annotations

from typing import Any

import pytest

from chunking.errors import ParseError, TooLargeError
from chunking.parsing import FORMATS, ChildLimits, parse
from chunking.parsing.parsers.comparison import ReadingComparison, check_size, compare
from chunking.parsing.parsers.unstructured_reader import MAX_CHARACTERS, SecondElement
from chunking.parsing.sandbox import parse_client, read_with_second_parser
from chunking.parsing.sandbox.limits import SECOND_PARSER
from chunking.parsing.sandbox.wire import Frame

PAGE = b"<html><body><h1>Owls</h1><p>They fly by night, and <a href='mice.html'>mice</a> know.</p></body></html>"


def compared(ours: str, *theirs: str, name: str = "a.md", links: str = "") -> ReadingComparison:
    """A text of ours with the elements of the other reader."""
    return compare(parse(ours.encode(), name), [SecondElement("NarrativeText", text, links, 0) for text in theirs])


def texts(comparison: ReadingComparison) -> tuple[list[str], list[str]]:
    """The passages of both."""
    return [one.text for one in comparison.ours.passages], [one.text for one in comparison.theirs.passages]


def test_passages_of_only_one_parser_are_listed_with_their_places() -> None:
    """Passages with their places; order, case, markup and the commas in numbers do not count."""
    comparison = compared(
        "# Owls\n\nThey **fly** by night.\n\nMice: 12,345 of them know it.\n",
        "MICE 12345 of them know it",
        "Owls",
        "They fly by day.",
    )
    assert texts(comparison) == (["night"], ["day"])
    assert (comparison.ours.words, comparison.ours.missed, comparison.theirs.missed) == (11, 1, 1)
    assert comparison.theirs.element_at(comparison.theirs.passages[0].start) == 2
    assert compared("The owl", "the owl").ours.passages == ()


def test_repeated_words_are_missed_where_they_are_missing() -> None:
    """Not anywhere else in the text."""
    comparison = compared(
        "One two three four. And so on.\n\nOne two three four.\n\nFour alone.\n",
        "One two three four. And so on.",
        "alone",
    )
    assert texts(comparison)[0] == ["Four"]


def test_chinese_is_compared_by_characters() -> None:
    """Words are not told apart by spaces."""
    assert texts(compared("仓鸮在夜里飞行。\n", "仓鸮在夜间飞行。")) == (["里"], ["间"])


def test_markup_is_not_missed() -> None:
    """Fences are no text, and addresses stand beside the text of their elements."""
    comparison = compared(
        "See [here](http://a.example/b).\n\n```python\nx = 1\n```\n", "See here.", "x = 1", links="http://a.example/b"
    )
    assert texts(comparison) == ([], [])


def test_a_passage_stays_in_its_element() -> None:
    """Two that only stand beside each other are two; the picture has a share for each part of the text."""
    comparison = compared("Alpha beta.\n\nGamma delta.\n")
    assert texts(comparison)[0] == ["Alpha beta", "Gamma delta"]
    assert comparison.ours.shares == (1.0, 1.0, 1.0, 1.0)
    assert comparison.theirs == (0, 0, (), (), ())


def test_a_file_is_read_in_the_guarded_process() -> None:
    """What comes back are its elements, with the addresses of links beside their text."""
    elements = read_with_second_parser(PAGE, "owls.html", "html")
    assert elements[0][:2] == ("Title", "Owls")
    assert "mice.html" in elements[1].links
    comparison = compare(parse(PAGE, "owls.html"), elements)
    assert (comparison.ours.missed, comparison.theirs.missed) == (0, 0)


def test_it_has_limits_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody waits for it; an answer that is none is a sentence."""
    requests: list[ChildLimits] = []

    def ask(request: Frame, limits: ChildLimits, cancelled: object) -> Frame:
        requests.append(limits)
        return Frame({"elements": [["Title", "Owls"]]}, b"")

    monkeypatch.setattr(parse_client, "_ask", ask)
    with pytest.raises(ParseError, match=r"owls\.html"):
        read_with_second_parser(PAGE, "owls.html", "html")
    assert requests == [SECOND_PARSER]
    assert SECOND_PARSER.wall < ChildLimits().wall


def test_each_format_is_compared_or_said_not_to_be() -> None:
    """Files of the others are kept, unless the text is the file."""
    rows: dict[str, Any] = {row.name: row for row in FORMATS}
    assert {name for name, row in rows.items() if not row.second_parser} == {
        *("pdf", "epub", "odt", "rtf", "mineru", "elements"),
        *("xls", "xlsb", "ods"),
        *("json", "yaml", "subtitles", "notebook", "rst", "asciidoc", "org", "code"),
    }
    assert {name for name, row in rows.items() if row.keeps_file} == {"pdf", "html", "docx", "pptx", "xlsx", "email"}
    for name in ("a.md", "a.txt", "a.csv"):
        text = "a,b\n1,2\n\n3,4\n"
        document = parse(text.encode(), name)
        assert rows[document.format].text_is_file
        assert document.text == text


def test_a_document_that_is_too_long_is_refused_before_its_file_is_read() -> None:
    """The comparison runs in the process that all users share."""
    check_size(parse("字".encode() * MAX_CHARACTERS, "a.txt"))
    with pytest.raises(TooLargeError, match="1,000,000"):
        check_size(parse("字".encode() * (MAX_CHARACTERS + 1), "a.txt"))
