"""Sentences of a hit: none is cut, headings, tables and code stay together, in every script."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chunking.retrieval.results.hit_sentences import split_sentences

MARKDOWN = """# Pump

It is blue. It is
red and wet.

1. Open the valve. Wait for it.
2. Close it.

| Name | Price |
|------|-------|
| bolt | 1 |
| nut | 2 |

```python
def a(): pass. Then
    b()
```
"""


def texts(text: str, **options: object) -> list[str]:
    """The sentences as texts."""
    return [text[one.start : one.end] for one in split_sentences(text, **options)]  # type: ignore[arg-type]


def test_headings_lines_tables_and_code() -> None:
    """A heading begins the next sentence, a wrapped line ends none, the first row has the header, code is one."""
    assert texts(MARKDOWN) == [
        "# Pump\n\nIt is blue.",
        "It is\nred and wet.",
        "1. Open the valve.",
        "Wait for it.",
        "2. Close it.",
        "| Name | Price |\n|------|-------|\n| bolt | 1 |",
        "| nut | 2 |",
        "```python\ndef a(): pass. Then\n    b()\n```",
    ]


def test_a_row_is_read_with_its_header() -> None:
    """And keeps the table from there on; rows without pipes too, and cells with line ends."""
    nut = next(one for one in split_sentences(MARKDOWN) if MARKDOWN[one.start : one.end] == "| nut | 2 |")
    assert MARKDOWN[nut.lead :].startswith("| Name | Price |")
    assert nut.text(MARKDOWN) == "| Name | Price |\n|------|-------|\n| nut | 2 |"
    rows = 'name,price\nbolt,1\nnut,2\n"a\nscrew",4\n'
    assert texts(rows, tables=[(0, len(rows))]) == ["name,price\nbolt,1", "nut,2", '"a\nscrew",4']
    assert split_sentences(rows, tables=[(0, len(rows))])[-1].lead == 0


def test_scripts_without_spaces_between_sentences() -> None:
    """Chinese, Japanese and, without any stop, Thai."""
    assert texts("阀门打开。关上它！好。") == ["阀门打开。", "关上它！", "好。"]
    assert texts("電源を切る。水を止める。") == ["電源を切る。", "水を止める。"]
    assert texts("ปิดวาล์ว แล้วเปิดใหม่") == ["ปิดวาล์ว แล้วเปิดใหม่"]


def test_questions_and_lead_ins_stay_with_what_follows() -> None:
    """A question is no answer; a list of questions stays one of questions."""
    assert texts("Q: How long?\nA: Five years. In ice two.") == ["Q: How long?\nA: Five years.", "In ice two."]
    assert texts("保修多久？两年。请保留发票。") == ["保修多久？两年。", "请保留发票。"]
    assert texts("It needs:\n\n- a bolt\n- a nut") == ["It needs:\n\n- a bolt", "- a nut"]
    assert texts("Why? How? So.") == ["Why?", "How? So."]


def test_code_titles_and_texts_without_a_sentence() -> None:
    """What is known from elsewhere; there is always one sentence."""
    assert texts("a = 1. Then\nb = 2", code=[(0, 17)]) == ["a = 1. Then\nb = 2"]
    assert texts("Backups\nThey run at two. Every night.", titles=["Backups"]) == [
        "Backups\nThey run at two.",
        "Every night.",
    ]
    assert texts("x" * 5_000) == ["x" * 5_000]
    assert texts("# Only a heading") == ["# Only a heading"]
    assert len(split_sentences("")) == len(split_sentences(" \n ")) == len(split_sentences("---")) == 1


@given(st.text('ab C.。!\n#|-`1 \t,"', max_size=200))
def test_sentences_are_in_order_and_hold_every_letter(text: str) -> None:
    """They do not overlap, begin and end with text, and a lead comes before what it leads."""
    sentences = split_sentences(text)
    at = 0
    for one in sentences:
        assert at <= one.start <= one.end <= len(text)
        assert one.lead <= one.start
        assert one.lead <= one.lead_end
        assert not text[at : one.start].strip() or not any(map(str.isalnum, text[at : one.start]))
        assert text[one.start : one.end] == text[one.start : one.end].strip()
        at = one.end
    assert not any(map(str.isalnum, text[at:]))
    assert [one.lead for one in sentences] == sorted(one.lead for one in sentences)
