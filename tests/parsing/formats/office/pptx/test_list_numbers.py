"""Numbers of a slide's lists: schemes, starts, levels, what breaks a count, and where titles and cells have numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from chunking.parsing import parse
from chunking.parsing.formats.office.pptx.text import paragraphs_of
from tests.parsing.formats.office.office_files import DRAWING, presentation, shape
from tests.support.shared_data import shared_data


def line(text: str, scheme: str = "", level: int = 0, start: int | str = "") -> str:
    """A paragraph, counted by a scheme; `-` has a bullet, `none` says that it has none."""
    first = f' startAt="{start}"' if start != "" else ""
    bullets = {"": "", "-": '<a:buChar char="•"/>', "none": "<a:buNone/>"}
    bullet = bullets.get(scheme, f'<a:buAutoNum type="{scheme}"{first}/>')
    return f'<a:p><a:pPr lvl="{level}">{bullet}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>'


def bullets(*paragraphs: str, style: str = "") -> list[str]:
    """What stands before each paragraph of a text."""
    body = etree.fromstring(f'<a:txBody xmlns:a="{DRAWING}">{"".join(paragraphs)}</a:txBody>')
    styles = [etree.fromstring(f'<a:lstStyle xmlns:a="{DRAWING}">{style}</a:lstStyle>')] if style else []
    return [paragraph.bullet for paragraph in paragraphs_of(body, styles)]


@pytest.mark.parametrize(
    ("scheme", "third"),
    [
        ("arabicPeriod", "3."),
        ("arabicParenR", "3)"),
        ("arabicParenBoth", "(3)"),
        ("arabicPlain", "3"),
        ("alphaLcParenR", "c)"),
        ("alphaUcPeriod", "C."),
        ("romanLcParenBoth", "(iii)"),
        ("romanUcPeriod", "III."),
        ("circleNumDbPlain", "③"),
        ("circleNumWdBlackPlain", "❸"),
        ("arabicDbPeriod", "３."),
        ("ea1ChsPeriod", "三."),
        ("ea1ChtPlain", "三"),
        ("ea1JpnKorPlain", "三"),
        ("hebrew2Minus", "ג-"),
        ("arabic1Minus", "ج-"),
        ("thaiNumParenR", "๓)"),
        ("hindiNumPeriod", "३."),
        ("schemeOfTheFuture", "3."),
    ],
)
def test_every_numbering_scheme_is_shown_as_in_powerpoint(scheme: str, third: str) -> None:
    """Each as PowerPoint shows it."""
    assert bullets(*(line(text, scheme) for text in "abc"))[-1] == third


def test_levels_and_starts() -> None:
    """A level starts again under another item; it begins where it says, and a paragraph of a deeper level breaks
    nothing.
    """
    text = [
        line("a", "arabicPeriod", start=3),
        line("b", "alphaLcParenR", 1),
        line("c", "alphaLcParenR", 1),
        line("d", "none", 1),
    ]
    text += [
        line("e", "arabicPeriod", start=3),
        line("f", "alphaLcParenR", 1),
        line("", "-"),
        line("g", "arabicPeriod", start=3),
    ]
    assert bullets(*text) == ["3.", "a)", "b)", "", "4.", "a)", "5."]


def test_plain_text_or_another_scheme_restarts_the_count() -> None:
    """Plain text or a bullet of its level or above, another scheme, another start."""
    one = line("x", "arabicPeriod")
    assert bullets(one, one, line("-", "none"), one) == ["1.", "2.", "", "1."]
    assert bullets(one, line("y", "-"), one) == ["1.", "-", "1."]
    assert bullets(one, line("y", "alphaLcPeriod"), one) == ["1.", "a.", "1."]
    assert bullets(one, line("x", "arabicPeriod", start=7), line("x", "arabicPeriod", start=7)) == ["1.", "7.", "8."]


def test_schemes_of_the_layout() -> None:
    """What the paragraph does not say its list style does, level by level."""
    style = (
        '<a:lvl1pPr><a:buAutoNum type="romanUcPeriod" startAt="4"/></a:lvl1pPr><a:lvl2pPr><a:buAutoNum '
        'type="alphaLcPeriod"/></a:lvl2pPr>'
    )
    assert bullets(line("a"), line("b", level=1), line("c"), line("d", "none"), style=style) == ["IV.", "a.", "V.", ""]


def test_titles_and_cells() -> None:
    """They carry their numbers in their text."""
    title = shape("Scope", kind="title", bullet="<a:buAutoNum type='romanUcPeriod' startAt='2'/>")
    cell = f"<a:tc><a:txBody><a:bodyPr/>{line('x', 'alphaLcParenR')}{line('y', 'alphaLcParenR')}</a:txBody></a:tc>"
    rows = f"<a:tbl><a:tr>{cell}{cell}</a:tr></a:tbl>"
    table = f"<p:graphicFrame><a:graphic><a:graphicData>{rows}</a:graphicData></a:graphic></p:graphicFrame>"
    document = parse(presentation(title + table), "a.pptx")
    assert document.sections[0].title == "II. Scope"
    assert "| a) x b) y | a) x b) y |" in document.text


def test_a_real_list_starts_at_its_own_letter() -> None:
    """A list that starts at c."""
    assert "c) alpha\nd) beta" in parse(shared_data("wild/docx_numbering/p1.pptx").read_bytes(), "p1.pptx").text


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=30))
def test_counts_against_a_naive_model(items: list[tuple[int, bool]]) -> None:
    """A number is one more than the items of its level back to whatever ended the count."""
    expected = []
    for place, (level, counted) in enumerate(items):
        number = 0
        for before, was in reversed(items[: place + 1]):
            if before < level or (before == level and not was):
                break
            number += before == level
        expected.append(f"{number}." if counted else "")
    assert bullets(*(line("x", "arabicPeriod" if counted else "none", level) for level, counted in items)) == expected


@given(st.text(max_size=12), st.sampled_from(["0", "-4", "9" * 18, "9" * 5000, "x", "32767"]))
def test_any_scheme_and_start(scheme: str, start: str) -> None:
    """Whatever they say, each item has one short number."""
    element = etree.fromstring(
        f'<a:txBody xmlns:a="{DRAWING}"><a:p><a:pPr><a:buAutoNum/></a:pPr><a:r><a:t>x</a:t></a:r></a:p></a:txBody>'
    )
    mark = next(element.iter("{*}buAutoNum"))
    mark.set("startAt", start)
    mark.set("type", "".join(filter(str.isalnum, scheme)) or "romanLcPlain")
    (paragraph,) = paragraphs_of(element)
    assert 1 <= len(paragraph.bullet) <= 60
