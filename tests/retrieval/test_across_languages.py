"""With the packaged multilingual model, a question finds its answer in another language."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import MULTILINGUAL_MODEL, Config
from chunking.indexing import build_index
from chunking.parsing import parse
from chunking.retrieval import search
from chunking.store import Workspace
from tests.support.packaged_e5 import needs_e5

pytestmark = [needs_e5, pytest.mark.model]

HANDBOOK = """# Operations handbook

## Power

The gateway takes 24 V direct current. Wiring it the wrong way round destroys the fuse.

## Filters

Switch the pump off before you change the filter, and wait until the pressure gauge shows zero.

## Invoices

An invoice is due within fourteen days of its date.

## Visitors

Visitors sign in at the gate and wear a badge.
"""
QUESTIONS = {
    "更换滤芯之前要做什么？": "Switch the pump off",
    "发票多少天内到期？": "due within fourteen days",
    "كم فولت تحتاج البوابة؟": "24 V direct current",
    "Что делают посетители на воротах?": "wear a badge",
}
"""Questions in Chinese, Arabic and Russian, and words of their answers."""


@pytest.fixture
def handbook(tmp_path: Path) -> Workspace:
    workspace = Workspace.open(tmp_path / "workspace")
    workspace.put_document(parse(HANDBOOK.encode(), "handbook.md"))
    return workspace


def with_model(**more: str) -> Config:
    return Config.from_settings({"embedding.model": MULTILINGUAL_MODEL, "size": "40", **more})


@pytest.mark.parametrize(
    "more",
    [{}, {"embedding.mode": "late"}, {"search.rerank": "late_interaction"}, {"search.mode": "vector"}],
    ids=["hybrid", "late chunking", "late interaction", "vectors"],
)
def test_the_first_hit_answers_a_question_of_another_language(handbook: Workspace, more: dict[str, str]) -> None:
    """And no note says that the model cannot read it."""
    config = with_model(**more)
    build_index(handbook, config)
    for question, words in QUESTIONS.items():
        result = search(handbook, question, config.search)
        assert words in result.results[0].chunk.content, question
        assert not [note for note in result.notes if MULTILINGUAL_MODEL in note]


def test_a_hit_in_another_language_says_so_and_shows_its_best_sentence(handbook: Workspace) -> None:
    """Highlighted where no word of the query is; a question in the document's own language has neither."""
    config = with_model(**{"search.trim": "0.6", "search.k": "1"})
    build_index(handbook, config)
    (crossing,) = search(handbook, "更换滤芯之前要做什么？", config.search).results
    (own,) = search(handbook, "What is done before the filter is changed?", config.search).results
    assert "Chinese" in crossing.explanation
    assert "English" in crossing.explanation
    assert "English" not in own.explanation
    assert crossing.evidence is not None
    assert crossing.evidence.sentence is not None
    assert crossing.highlights == (crossing.evidence.sentence.span,)
    (document,) = handbook.read_documents(["handbook"])
    start, end = crossing.highlights[0]
    assert "Switch the pump off" in document.text[start:end]
    assert own.highlights
    assert all(end - start < 20 for start, end in own.highlights)


def test_another_model_keeps_the_rest(handbook: Workspace) -> None:
    """The index of the default model still answers, and nothing of it is embedded again."""
    build_index(handbook, Config(), name="before")
    before = handbook.index("before").fingerprint
    build_index(handbook, with_model(), name="after")
    again = build_index(handbook, Config(), name="before")
    assert (handbook.index("before").fingerprint, again.embedded) == (before, 0)
    assert search(handbook, "invoice", Config().search, index="before").results
