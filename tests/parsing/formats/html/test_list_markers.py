"""Numbers of a page's lists as a browser shows them: types, styles, starts, lists in cells and around headings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing import parse
from tests.parsing.formats.html.page_readings import read
from tests.support.block_texts import block_texts
from tests.support.shared_data import shared_data


def markers(markup: str) -> list[str]:
    """What stands before each item, whose texts are one letter."""
    return [line[:-1].strip() for line in read(markup).text.split("\n") if line]


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('type="a"', ["a.", "b."]),
        ('type="A" start="27"', ["AA.", "AB."]),
        ('type="i" start="9"', ["ix.", "x."]),
        ('type="I"', ["I.", "II."]),
        ('type="1" start="-1"', ["-1.", "0."]),
        ('type="i" start="0"', ["0.", "i."]),
        ('type="I" start="3999"', ["MMMCMXCIX.", "4000."]),
        ('type="x"', ["1.", "2."]),
        ('style="list-style-type: upper-roman"', ["I.", "II."]),
        ('style="color:red; LIST-STYLE: inside lower-alpha !important"', ["a.", "b."]),
        ('style="list-style-type:decimal-leading-zero"', ["01.", "02."]),
        ('type="a" style="list-style-type: decimal"', ["1.", "2."]),
        ('style="list-style-type: lower-greek"', ["α.", "β."]),
        ('style="list-style-type: cjk-ideographic"', ["一、", "二、"]),
        ('style="list-style-type: hebrew"', ["א.", "ב."]),
        ('style="list-style-type: none"', ["-", "-"]),
        ('style="list-style: disc"', ["-", "-"]),
        ('style="list-style-type: unheard-of"', ["1.", "2."]),
        ("reversed", ["2.", "1."]),
        ('reversed start="10" type="a"', ["j.", "i."]),
        ('start="99999999999999999999"', ["1.", "2."]),
        ('start="x"', ["1.", "2."]),
    ],
)
def test_lists_that_count(attributes: str, expected: list[str]) -> None:
    """By type, style, start and direction; what no browser knows is decimal."""
    assert markers(f"<ol {attributes}><li>x</li><li>y</li></ol>") == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("ol.a { list-style-type: lower-alpha }", ["a.", "b."]),
        (".a{list-style:upper-roman inside} ol{list-style-type:decimal}", ["I.", "II."]),
        ("ol ol, div > ol.a { color: red; list-style-type: lower-roman; }", ["i.", "ii."]),
        ("p ol { list-style-type: lower-roman }", ["1.", "2."]),
        ("ol.a li { list-style-type: lower-alpha }", ["a.", "b."]),
        ("ol.b, ol#x, ol::marker { list-style-type: lower-alpha }", ["1.", "2."]),
        ("/* ol { list-style-type: lower-alpha } */", ["1.", "2."]),
        ("ol { list-style-type: none }", ["-", "-"]),
        ("ol { list-style-type: lower-alpha", ["1.", "2."]),
    ],
)
def test_rules_of_the_page(rules: str, expected: list[str]) -> None:
    """Rules of tags and classes of a page's style sheet, the stronger last; a list's own style is stronger still."""
    head = f"<head><style>{rules}</style></head>"
    assert markers(f'{head}<div><ol class="x a"><li>x</li><li>y</li></ol></div>') == expected
    assert markers(f'{head}<div><ol class="a" style="list-style-type:upper-alpha"><li value="3">x</li></ol></div>')[
        0
    ] in ("C.", "c.")


def test_an_unordered_list_keeps_bullets() -> None:
    """A list without order has bullets, whatever type it claims, unless its style counts."""
    assert markers('<ul type="a" start="4"><li>x</li></ul>') == ["-"]
    assert markers('<ul style="list-style-type:lower-alpha"><li>x</li><li>y</li></ul>') == ["a.", "b."]


def test_items_of_their_own() -> None:
    """An item may have its own number and its own style."""
    assert markers('<ol type="a"><li>x</li><li value="5">y</li><li>z</li><li type="I">w</li></ol>') == [
        "a.",
        "e.",
        "f.",
        "VII.",
    ]


def test_lists_in_lists_and_after_paragraphs() -> None:
    """Each level counts in its own way; a list that starts at three goes on there."""
    page = (
        '<ol><li>a<ol type="a"><li>b<ol type="i"><li>c</li><li>d</li></ol></li></ol></li><li>e</li></ol><p>f<ol '
        'start="3"><li>g</ol>'
    )
    assert block_texts(read(page)) == [
        ("list", "1. a\n   a. b\n      i. c\n      ii. d\n2. e"),
        ("paragraph", "f"),
        ("list", "3. g"),
    ]


def test_numbers_of_headings() -> None:
    """A heading that begins an item has the item's number, at every level; one with a bullet has none."""
    page = (
        "<ol><li><h2>One</h2><p>x</p><ol "
        "type=a><li><div><h3>Two</h3></div>y</li><li>z</li></ol></li><li><h2>Three</h2></li></ol>"
    )
    assert block_texts(read(page))[:4] == [
        ("heading2", "1. One"),
        ("paragraph", "x"),
        ("heading3", "a. Two"),
        ("paragraph", "y"),
    ]
    assert ("heading2", "2. Three") in block_texts(read(page))
    assert block_texts(read("<ul><li><h2>One</h2></li></ul>")) == [("heading2", "One")]


def test_numbers_in_cells() -> None:
    """Lists in cells keep their numbers, once, whether the table is data or layout."""
    cell = "<ol type=a><li>x</li><li><p>y</p></li></ol>"
    assert "| a. x b. y | 2 |" in read(f"<table><tr><th>A<th>B<tr><td>{cell}<td>2</table>").text
    assert block_texts(read(f"<table role=presentation><tr><td>{cell}<td>2</table>"))[0] == ("list", "a. x\nb. y")


def test_a_real_page_keeps_its_list_markers() -> None:
    """Letters, Roman numbers and a list that goes on."""
    document = parse(shared_data("wild/docx_numbering/ol.html").read_bytes(), "ol.html")
    for line in ("1. Rent", "a. is due monthly;", "i. to the bank", "2. Notice", "B. second", "I. x", "3. Three"):
        assert line in [text.strip() for text in document.text.split("\n")]


_KINDS = st.sampled_from(["", "type=a", "type=I", "reversed", "start=7", "start=-2", "style='list-style:lower-roman'"])


@given(
    st.recursive(
        st.just("x"), lambda inside: st.tuples(_KINDS, st.lists(inside, min_size=1, max_size=3)), max_leaves=12
    )
)
def test_no_item_is_lost(tree: object) -> None:
    """However lists stand in one another, every item has a line with one marker."""
    text = read(_markup(tree)).text
    assert text.count("x") == _markup(tree).count(">x<")
    assert all(line.strip().count(". ") == 1 for line in text.split("\n") if line.strip() and tree != "x")


def _markup(tree: object) -> str:
    if not isinstance(tree, tuple):
        return "<p>x</p>"
    kind, inside = tree
    items = (f"<li><b>x</b>{_markup(one) if isinstance(one, tuple) else ''}</li>" for one in inside)
    return f"<ol {kind}>{''.join(items)}</ol>"
