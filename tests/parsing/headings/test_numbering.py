"""The numbers of headings, their false friends, and the levels that come of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing.headings.numbered_levels import assign_levels, levels_of
from chunking.parsing.headings.numbering import NumberingKind, numbering_of

FORMS = [
    ("1", NumberingKind.DECIMAL, (1,)),
    ("1 Intro", NumberingKind.DECIMAL, (1,)),
    ("1. intro", NumberingKind.DECIMAL, (1,)),
    ("1、概述", NumberingKind.DECIMAL, (1,)),
    ("1概述", NumberingKind.DECIMAL, (1,)),
    ("１．２　目标", NumberingKind.DECIMAL, (1, 2)),
    ("1.1", NumberingKind.DECIMAL, (1, 1)),
    ("1.1. Aims", NumberingKind.DECIMAL, (1, 1)),
    ("1. 2 研究背景", NumberingKind.DECIMAL, (1, 2)),
    ("Ⅳ、结果", NumberingKind.ROMAN, (4,)),
    ("2. 5 Reasons", NumberingKind.DECIMAL, (2,)),
    ("2.1背景", NumberingKind.DECIMAL, (2, 1)),
    ("3 项目概况", NumberingKind.DECIMAL, (3,)),
    ("1.2.3 of lenses", NumberingKind.DECIMAL, (1, 2, 3)),
    ("1 A Survey", NumberingKind.DECIMAL, (1,)),
    ("3.2 K-means Clustering", NumberingKind.DECIMAL, (3, 2)),
    ("1.1 B Cells", NumberingKind.DECIMAL, (1, 1)),
    ("Chapter 2", NumberingKind.CHAPTER, (2,)),
    ("CHAPTER TWO", NumberingKind.CHAPTER, (2,)),
    ("Part IV: Results", NumberingKind.PART, (4,)),
    ("Section 3.1 Aims", NumberingKind.SECTION, (3, 1)),
    ("§ 5 Liability", NumberingKind.SECTION, (5,)),
    ("Article 12", NumberingKind.ARTICLE, (12,)),
    ("Appendix A", NumberingKind.APPENDIX, (1,)),
    ("Appendix C Data", NumberingKind.APPENDIX, (3,)),
    ("附录B 数据", NumberingKind.APPENDIX, (2,)),
    ("附件二", NumberingKind.APPENDIX, (2,)),
    ("A.1 Lemma", NumberingKind.LETTERED, (1, 1)),
    ("B. Proofs", NumberingKind.UPPER, (2,)),
    ("IV. Results", NumberingKind.ROMAN, (4,)),
    ("(1) 甲", NumberingKind.PAREN, (1,)),
    ("（12）甲", NumberingKind.PAREN, (12,)),
    ("⑵甲", NumberingKind.PAREN, (2,)),
    ("2) Means", NumberingKind.BRACKET, (2,)),
    ("①甲", NumberingKind.CIRCLED, (1,)),
    ("第一章", NumberingKind.CHAPTER, (1,)),
    ("第二十一章 总则", NumberingKind.CHAPTER, (21,)),
    ("第一部分 概述", NumberingKind.PART, (1,)),
    ("第 2 节 范围", NumberingKind.SECTION, (2,)),
    ("第一百零三条 责任", NumberingKind.ARTICLE, (103,)),
    ("一、概述", NumberingKind.HAN, (1,)),
    ("十二、附则", NumberingKind.HAN, (12,)),
    ("（一）范围", NumberingKind.HAN_PAREN, (1,)),
    ("(三)范围", NumberingKind.HAN_PAREN, (3,)),
    ("㈡ 范围", NumberingKind.HAN_PAREN, (2,)),
    ("a) detail", NumberingKind.LOWER, (1,)),
    ("2.3.59.1.4 Program Management", NumberingKind.DECIMAL, (2, 3, 59, 1, 4)),
    ("2.3.59-10 Summary Display", NumberingKind.DECIMAL, (2, 3, 59, 10)),
    ("Exhibit 2.3.59-117 (07-01-2019)", NumberingKind.APPENDIX, (2, 3, 59, 117)),
    ("Item 1A. Risk Factors", NumberingKind.ITEM, (1,)),
    ("ITEM 7. MANAGEMENT", NumberingKind.ITEM, (7,)),
    ("Kapitel 3 Räume", NumberingKind.CHAPTER, (3,)),
    ("CHAPITRE I : PREAMBULE", NumberingKind.CHAPTER, (1,)),
]


@pytest.mark.parametrize(("label", "kind", "numbers"), FORMS, ids=[row[0] for row in FORMS])
def test_every_form_of_number_is_read(label: str, kind: NumberingKind, numbers: tuple[int, ...]) -> None:
    """Every form of number, English and Chinese, with its value."""
    numbering = numbering_of(label)
    assert numbering is not None
    assert (numbering.kind, numbering.numbers, numbering.depth) == (kind, numbers, len(numbers))


FALSE_FRIENDS = [
    "2024 was a year",
    "2024年总结",
    "2024.1.5 会议",
    "12.5.2024 Meeting",
    "1.5 kg",
    "1.5公斤",
    "1.5 GHz Band",
    "5 V Supply",
    "3 apples",
    "3个苹果",
    "12月份",
    "5 年",
    "10:30 Talk",
    "Part of it",
    "Part I played",
    "Section 3 describes",
    "A Survey of Lenses",
    "I am",
    "U.S. Policy",
    "3D Images",
    "1st Quarter",
    "第三条路",
    "第一次",
    "Step 1",
    "",
    "   ",
    "一个",
]


@pytest.mark.parametrize("label", FALSE_FRIENDS)
def test_years_dates_and_amounts_are_no_numbering(label: str) -> None:
    """Years, dates, amounts, ordinals and words are no numbers of headings."""
    assert numbering_of(label) is None


DOCUMENTS = [
    ("第一章 甲|第一节 乙|一、丙|（一）丁|1. 戊|(1) 己|第二章 庚|一、辛", [1, 2, 3, 4, 5, 6, 1, 3]),
    ("1. 前提|一、甲|1. 乙|（一）丙|二、丁", [3, 1, 3, 2, 1]),
    ("一、甲|1.1 乙|1.2 丙|二、丁", [1, 2, 2, 1]),
    ("1 概述|1.1 背景|（1）甲|2 方法", [1, 2, 3, 1]),
    ("第一章 总则|1.1 目的|1.1.1 甲|第二章 范围|2.1 乙", [1, 2, 3, 1, 2]),
    ("2.2 Surveys|2.3 Aims|3 Methods|3.1 Lenses|3.1.1 Glass", [2, 2, 1, 2, 3]),
    ("Title|Abstract|1 Intro|1.1 Aims|Case|2 Means|2.1 Glass|Acknowledgements|References", [1, 1, 1, 2, 2, 1, 2, 1, 1]),
    ("I. Intro|II. Means|A. Glass|B. Light|III. Results|A. First", [1, 1, 2, 2, 1, 2]),
    ("1 Intro|1.1 Aims|2 End|References|A. Proofs|A.1 Lemma|B. Data", [1, 2, 1, 1, 1, 2, 1]),
    ("Part I|Chapter 1|1.1 Aims|Chapter 2|Part II|Chapter 3|Appendix A|A.1 Data", [1, 2, 3, 2, 1, 2, 1, 2]),
    ("Chapter 1|1.1 Aims|Summary|Chapter 2|2.1 Means|Summary", [1, 2, 2, 1, 2, 2]),
    ("G. Seven|A. One|H. Eight|I. Nine|J. Ten", [1, 1, 1, 1, 1]),
    ("J. Smith|1 Intro|1.1 Aims", [1, 1, 2]),
    ("One|Two|Three", [1, 1, 1]),
    ("1.1.1.1.1.1 Deep|1 Top", [6, 1]),
    ("2.3.59.1 Scope|2.3.59.1.1 Aims|2.3.59.2 Basics|Exhibit 2.3.59-1 Input|Exhibit 2.3.59-2 Output", [1, 2, 1, 1, 1]),
    ("PART I|Item 1. Business|Item 1A. Risk Factors|PART II|Item 5. Market", [1, 2, 2, 1, 2]),
]


@pytest.mark.parametrize(("labels", "levels"), DOCUMENTS, ids=[row[0][:30] for row in DOCUMENTS])
def test_levels_are_those_a_person_would_give(labels: str, levels: list[int]) -> None:
    """The levels a person would give."""
    assert levels_of(labels.split("|")) == levels


labels = st.sampled_from([row[0] for row in FORMS] + list(FALSE_FRIENDS) + ["Abstract", "结论"]) | st.text(max_size=20)


@given(st.lists(labels, max_size=20))
def test_levels_are_consistent(headings: list[str]) -> None:
    """1 to 6, one a heading; numbers of one kind and depth always get the same level; a deeper one is never higher."""
    levels = levels_of(headings)
    assert len(levels) == len(headings)
    assert all(1 <= level <= 6 for level in levels)
    level_of_kind: dict[tuple[NumberingKind, int], int] = {}
    for heading, level in zip(headings, levels, strict=True):
        numbering = numbering_of(heading)
        if numbering and numbering.kind not in (
            NumberingKind.UPPER,
            NumberingKind.ROMAN,
        ):  # those depend on what stands around them
            assert level_of_kind.setdefault((numbering.kind, numbering.depth), level) == level
    for (kind, depth), level in level_of_kind.items():
        assert all(level <= other for (its, deeper), other in level_of_kind.items() if its is kind and deeper > depth)


@given(st.integers(1, 40), st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_decimals_nest_by_their_dots(first: int, rest: list[int]) -> None:
    """`1.1` is one below `1`, down to the sixth level."""
    numbers = [first, *rest]
    headings = [".".join(map(str, numbers[: n + 1])) + " Title" for n in range(len(numbers))]
    assert levels_of(headings) == list(range(1, len(numbers) + 1))


WORDS = [
    "part",
    "book",
    "volume",
    "teil",
    "partie",
    "chapter",
    "unit",
    "lecture",
    "lesson",
    "module",
    "kapitel",
    "chapitre",
    "capitulo",
    "capítulo",
    "capitolo",
    "appendix",
    "annex",
    "annexe",
    "schedule",
    "exhibit",
    "anhang",
    "anexo",
    "allegato",
    "section",
    "abschnitt",
    "seccion",
    "sección",
    "sezione",
    "article",
    "clause",
    "artikel",
    "articulo",
    "artículo",
    "articolo",
    "item",
]


@pytest.mark.parametrize("word", WORDS)
def test_every_word_is_known_in_every_case(word: str) -> None:
    """A form is tried only where its first character can begin it: a small one and a capital."""
    for label in (f"{word} 2", f"{word.capitalize()} 2", f"{word.upper()} 2"):
        numbering = numbering_of(label)
        assert numbering is not None
        assert numbering.numbers == (2,)


def test_no_headings_get_no_levels() -> None:
    """Nothing gives nothing."""
    assert assign_levels([]) == []
