"""Labels that are a heading's only words, and what only looks like them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing.headings.heading_labels import LabelParts, bare_label, names_part


@pytest.mark.parametrize(
    ("texts", "label"),
    [
        (
            [
                "Article 1",
                "CHAPTER XII",
                "Chapter One",
                "Annexe IV",
                "§ 12",
                "§12a",
                "第一条",
                "第12章",
                "제1조",
                "Глава 2",
                "Capítulo 3",
            ],
            LabelParts.WORD,
        ),
        (
            [
                "2021",
                "1999–2001",
                "2020/21",
                "FY2023",
                "Q1 2023",
                "3Q23",
                "H2 2024",
                "2023-05-01",
                "1.5.2023",
                "05/2023",
                "2021年",
            ],
            LabelParts.TIME,
        ),
        (["WX-100", "A-17", "ISO 9001", "AB12034", "M6", "No. 1001", "№ 7"], LabelParts.CODE),
        (["12", "IV", "三"], LabelParts.NUMBER),
    ],
)
def test_bare_labels_are_recognised(texts: list[str], label: LabelParts) -> None:
    """By what they consist of."""
    assert {text: bare_label(text) for text in texts} == dict.fromkeys(texts, label)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Article 1 Scope",
        "12.5",
        "35 %",
        "In 2021",
        "AND",
        "2021 was dry",
        "€ 100",
        "a 17",
        "1,001",
        "x" * 41,
        "Chapter and verse",
    ],
)
def test_titles_and_amounts_are_no_bare_labels(text: str) -> None:
    """Titles, amounts, words."""
    assert bare_label(text) is None


@given(
    st.integers(1, 99),
    st.sampled_from(
        [
            "Article {}",
            "Chapter {}",
            "Section {}",
            "第{}条",
            "第{}章",
            "제{}조",
            "제{}장",
            "Глава {}",
            "Статья {}",
            "§ {}",
        ]
    ),
)
def test_every_number_makes_a_label_of_its_word(number: int, form: str) -> None:
    """In each of the languages."""
    assert bare_label(form.format(number)) is LabelParts.WORD


@given(st.text(max_size=60))
def test_any_text_is_answered(text: str) -> None:
    """No text is an error, and what is a label stays one with space around it."""
    assert bare_label(f"  {text} ") == bare_label(text)


def test_a_chapter_names_no_document() -> None:
    """Nor does what is numbered, or differs from the next heading in a number alone."""
    assert names_part("第一章 总则", ["第二章 机构"])
    assert names_part("1 Introduction", ["2 Means"])
    assert names_part("Delivery note 1001", ["Delivery note 1002"])
    assert names_part("Preface", ["Valves"])
    assert not names_part("Valves in winter", ["Pumps"])
    assert not names_part("Report 2021", [])
