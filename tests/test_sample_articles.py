"""The statute and the contract are split by article, and every answer of their questions stands in them."""

from __future__ import annotations

import json
import re

import pytest

from chunking.config import Config, Prefix
from chunking.model import Document
from chunking.parsing import parse
from chunking.splitting import shaped
from components.documents.adding import ARTICLES, SAMPLE_ARTICLES, Sample, with_patterns

COUNTS = {
    "statute": {r"第.+编": 4, r"第.+章": 9, r"第.+节": 4, r"第.+条": 70},
    "contract": {r"ARTICLE \d+": 14, r"Section \d+\.\d+": 69, r"SCHEDULE [AB]": 2},
}
QUESTIONS = 293


def read(sample: Sample) -> Document:
    return parse((SAMPLE_ARTICLES / sample.source).read_bytes(), sample.source, category=sample.category)


@pytest.mark.parametrize("sample", ARTICLES, ids=lambda one: one.category)
def test_sections_are_by_article(sample: Sample) -> None:
    """Each 条 and each Section is a section of its own under its chapter, and none is found twice."""
    titles = [section.title for section in shaped(read(sample), with_patterns(Config())).sections]
    assert {
        form: sum(bool(re.match(form + r"(?!\d)", title)) for title in titles) for form in COUNTS[sample.category]
    } == COUNTS[sample.category]


def test_the_name_of_the_statute_and_of_the_contract_is_above_everything() -> None:
    """And a list stays with the words that lead in to it."""
    for sample, name in zip(ARTICLES, ("燕湾市共享农园条例", "COLD STORAGE SERVICES AGREEMENT"), strict=True):
        sections = shaped(read(sample), with_patterns(Config())).sections
        assert {section.title_path[0] for section in sections} == {name}
    refusal = next(section for section in sections if section.title == "Section 4.4 Refusal of Goods.")
    assert "(c) the Bins are broken" in read(sample).text[refusal.start : refusal.end]


def test_patterns_hold_for_their_documents_alone() -> None:
    """Documents of other categories keep their sections, and what was set stays."""
    config = with_patterns(Config.from_settings({"size": "300"}))
    assert config.chunk.size == 300
    assert config.for_category("doc").chunk.headings_from == ""
    assert config.for_category("doc").chunk.prefix is Prefix.TITLE_PATH
    assert (
        config.for_category("statute").chunk.headings_from != config.for_category("contract").chunk.headings_from != ""
    )
    assert config.for_category("statute").chunk.prefix is config.for_category("contract").chunk.prefix is Prefix.HEADER


def test_every_answer_is_in_its_document() -> None:
    """Once, at the place that is said."""
    questions = []
    for sample in ARTICLES:
        text = read(sample).text
        lines = (SAMPLE_ARTICLES / sample.source).with_name("questions.jsonl").read_text(encoding="utf-8").splitlines()
        for question in map(json.loads, lines):
            questions.append(question["id"])
            assert question["doc"] == sample.source
            assert question["answers"]
            for answer in question["answers"]:
                assert text[answer["start"] : answer["end"]] == answer["text"]
                assert text.count(answer["text"]) == 1
    assert len(questions) == len(set(questions)) == QUESTIONS
