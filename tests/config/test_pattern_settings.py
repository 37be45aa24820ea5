"""Patterns as settings: one text form wherever they come from, ready-made sets by name, a sentence for what cannot be
used.
"""

from __future__ import annotations

import pytest

from chunking.config import ENGLISH_MODEL, Config
from chunking.config.pattern_settings import (
    PATTERN_SETS,
    heading_patterns,
    one_a_line,
    read_headings_from,
    read_split_before,
    split_patterns,
)
from chunking.config.safe_patterns import find_matches
from chunking.errors import ConfigError

ARTICLES = r"2: ^Article \d+ || 3: ^\d+\.\d+"


def test_every_way_in_gives_the_same_text() -> None:
    """Command line, lines of a form, a list in a file; and the way out and back through YAML and a category."""
    lines = Config.from_settings({"headings_from": one_a_line(ARTICLES)})
    listed = Config.from_yaml("chunk:\n  headings_from: ['2: ^Article \\d+', '3: ^\\d+\\.\\d+']\n")
    assert lines == listed == Config.from_settings({"headings_from": ARTICLES})
    assert Config.from_yaml(lines.to_yaml()) == lines
    assert lines.changed() == {"headings_from": ARTICLES}
    own = Config.from_settings({"category.law.headings_from": ARTICLES, "category.law.split_before": "^Q:"})
    assert own.for_category("law").chunk.headings_from == ARTICLES
    assert Config.from_settings(own.changed()) == own


def test_a_level_that_is_not_given_is_the_place_in_the_list() -> None:
    """So a plain list of patterns is a hierarchy."""
    assert [one.level for one in heading_patterns("^A || ^B || 5: ^C")] == [1, 2, 5]


def test_settings_that_are_not_used_change_no_fingerprint() -> None:
    """Indexes and runs that were made before there were patterns stay current."""
    then = {"embedding.model": ENGLISH_MODEL, "size": "150"}
    assert Config.from_settings(then).fingerprint() == "aeaa563020a642e2"
    assert (
        Config.from_settings({"headings_from": ARTICLES}).fingerprint()
        != Config.from_settings({"split_before": "^A"}).fingerprint()
    )


@pytest.mark.parametrize("key", ["headings_from", "split_before"])
def test_what_cannot_be_used_names_its_setting(key: str) -> None:
    """The sentence stands beside the field, a category's too; a list is not endless."""
    for prefix in ("", "category.law."):
        with pytest.raises(ConfigError, match=rf"{prefix}{key} .*'\(a'") as refused:
            Config.from_settings({f"{prefix}{key}": "(a"})
        assert refused.value.where == f"{prefix}{key}"
    with pytest.raises(ConfigError, match=r"13 .*12"):
        Config.from_settings({key: " || ".join(f"a{number}" for number in range(13))})


@pytest.mark.parametrize("name", PATTERN_SETS)
def test_a_set_stands_for_its_patterns(name: str) -> None:
    """By its name, among others too; its patterns are complete and no larger than what a long document has room for."""
    row = PATTERN_SETS[name]
    given = read_headings_from(name) if row.headings_from else read_split_before(name)
    sources = [one.source for one in heading_patterns(str(given))] if row.headings_from else split_patterns(str(given))
    assert len(sources) == len(row.headings_from or row.split_before)
    text = "A line of text, as any other is.\n" * 100
    assert sum(find_matches(source, text).work for source in sources) < 1_000 * len(text)


STATUTE = (
    "第一编\u3000总则\n第一章 基本规定\n第一节 通则\n第一条\u3000为了规范。\n"
    "第十二条之一 依照第三条办理。\n附则\n第二条规定了。"
)
CONTRACT = """ARTICLE II — FEES AND PAYMENT
Section 2.1 Fees. The Customer shall pay.
2.2 Late Payment. Interest accrues under Section 2.1.
2.5 percent a month is due.
(a) in full; and
(b) Goods of a third party.
(c) Right of Set-off. The Customer may set off.
(d) The Customer pays. Later it may ask.
Schedule A: Service Levels
Section 3 of this Agreement applies.
"""
CASES = [
    (
        "chinese_statute",
        STATUTE,
        ["第一编\u3000总则", "第一章 基本规定", "第一节 通则", "第一条", "第十二条之一", "附则", "第二条"],
    ),
    (
        "english_contract",
        CONTRACT,
        [
            "ARTICLE II — FEES AND PAYMENT",
            "Section 2.1 Fees.",
            "2.2 Late Payment.",
            "(c) Right of Set-off.",
            "Schedule A: Service Levels",
            "Section 3",
        ],
    ),
    (
        "questions",
        "Q1: Why?\nBecause.\nQuestion 2. How?\n问：为何？\nQuality matters.",
        ["Q1: Why?", "Question 2. How?", "问：为何？"],
    ),
    (
        "transcript",
        "[00:01:02] Hello\nAnna Smith: Yes.\nand: no\n王明（主任）：好。\n",
        ["[00:01:02]", "Anna Smith:", "王明（主任）："],
    ),
    ("log", "2026-01-02 03:04:05 ERROR x\n  at y\nJan  2 03:04:05 host z\n", ["2026-01-02 03:04", "Jan  2 03:04:05"]),
]


@pytest.mark.parametrize(("name", "text", "expected"), CASES, ids=[case[0] for case in CASES])
def test_sets_find_what_they_are_for(name: str, text: str, expected: list[str]) -> None:
    """And not cross-references, amounts, or words that only begin alike."""
    row = PATTERN_SETS[name]
    sources = (
        [one.source for one in heading_patterns(str(read_headings_from(name)))]
        if row.headings_from
        else list(row.split_before)
    )
    spans = sorted({span for source in sources for span in find_matches(source, text)})
    assert [text[start:end] for start, end in spans] == expected
