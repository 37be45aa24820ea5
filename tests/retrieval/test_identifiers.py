"""Identifiers in hybrid search: codes, part numbers and names of code come first as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import Config, SearchConfig
from chunking.model import Chunk
from chunking.retrieval import SearchResult, search
from chunking.retrieval.query.identifiers import QueryIdentifiers, identifiers
from chunking.retrieval.query.query_parts import understand
from chunking.store import Workspace
from tests.support.shelf import fill
from tests.support.word_embedder import WordEmbedder

_SOURCES = Path(__file__).parents[2] / "chunking"
_FILES = {
    "errors.md": "".join(
        f"# Error {code}\n\nThe gateway shows the error code {code}: {text}. Restart it if the error stays.\n\n"
        for code, text in (
            ("E-4010", "the link is down"),
            ("E-4012", "the spool is full"),
            ("E-4112", "a value is out of range"),
            ("W-4012", "the spool is almost full"),
        )
    ),
    "parts.md": "".join(
        f"# Part {part}\n\nThe part {part} is {text}. Order part numbers from the warehouse, in bags of ten.\n\n"
        for part, text in (
            ("HX-711", "an amplifier"),
            ("HX-711B", "an amplifier with a shield"),
            ("HX-7112", "a relay board"),
            ("HX-720A", "a thermocouple amplifier"),
            ("SN74LS00N", "four gates"),
        )
    ),
    "settings.md": "".join(
        f"# Setting {number}\n\nThe setting `{name}` is {text}. A retry without a value takes the default maximum.\n\n"
        for number, (name, text) in enumerate(
            (
                ("MAX_RETRIES", "the number of attempts"),
                ("MIN_RETRIES", "the least number of attempts"),
                ("config.retry.max", "the longest wait"),
                ("config.retry.min", "the shortest wait"),
                ("config.log.max", "the size of the log"),
                ("retryBackoff", "the factor of the wait"),
            )
        )
    ),
    "手册.md": "".join(
        f"# 第{number}节\n\n代号{code}的含义是{text}。日志会记录时间、代号和站点名称，请重新启动网关。\n\n"
        for number, (code, text) in enumerate(
            (("E-4012", "暂存区已满"), ("E-5001", "电源电压过低"), ("HX-711B", "放大器"), ("X7-PRO", "专业版网关"))
        )
    ),
    "search_settings.md": (_SOURCES / "config" / "search_settings.py").read_text(encoding="utf-8"),
}


@pytest.fixture(scope="module")
def coded(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """An index of short texts with codes, and of a file of code. Not to be written to."""
    workspace = Workspace.open(tmp_path_factory.mktemp("codes") / "workspace")
    fill(workspace, _FILES, WordEmbedder(), Config.from_settings({"size": "60", "min_size": "0"}))
    return workspace


def _results(workspace: Workspace, query: str, **settings: object) -> SearchResult:
    return search(workspace, query, SearchConfig.model_validate({"k": 5, **settings}), embedder=WordEmbedder())


def _chunks(workspace: Workspace, text: str) -> set[str]:
    """Ids of all chunks that contain a text."""
    chunks: list[Chunk] = [hit.chunk for hit in workspace.index("main").substring_search(text, 100)]
    return {chunk.chunk_id for chunk in chunks}


def _parts(text: str) -> QueryIdentifiers:
    return QueryIdentifiers.of(understand(text))


@pytest.mark.parametrize(
    ("query", "text_there"),
    [
        ("E-4012", "E-4012"),
        ("e-4012", "E-4012"),
        ("Ｅ－４０１２", "E-4012"),
        ("E‑4012", "E-4012"),
        ("代号E-4012", "E-4012"),
        ("4012", "-4012"),
        ("MAX_RETRIES", "MAX_RETRIES"),
        ("max_retries", "MAX_RETRIES"),
        ("config.retry.max", "config.retry.max"),
        ("retry.max", "config.retry.max"),
        ("retryBackoff", "retryBackoff"),
        ("HX-711B", "HX-711B"),
        ("hx-711b", "HX-711B"),
        ("711B", "HX-711B"),
        ("74LS00", "SN74LS00N"),
        ("s00n", "SN74LS00N"),
        ("x7-pro", "X7-PRO"),
        ("granularity_weight", "granularity_weight"),
        ("granularity_w", "granularity_weight"),
    ],
)
@pytest.mark.parametrize("retrieval", ["chunk", "multi_granularity"])
def test_chunks_with_the_identifier_come_first(coded: Workspace, query: str, text_there: str, retrieval: str) -> None:
    """Whatever its case, width and hyphen, and as a part of a longer one; in Chinese, too."""
    holding = _chunks(coded, text_there)
    ids = [one.chunk.chunk_id for one in _results(coded, query, retrieval=retrieval, deduplicate=False).results]
    expected = min(len(holding), len(ids))
    assert expected
    assert set(ids[:expected]) <= holding


def test_the_identifier_alone_is_before_longer_ones(coded: Workspace) -> None:
    results = _results(coded, "HX-711").results
    assert "HX-711 " in results[0].chunk.content
    assert {"HX-711B" in one.chunk.content or "HX-7112" in one.chunk.content for one in results[1:4]} == {True}


def test_a_part_of_several_part_numbers_finds_them_all(coded: Workspace) -> None:
    holding = _chunks(coded, "HX-71")
    assert {one.chunk.chunk_id for one in _results(coded, "hx-71", k=len(holding)).results} == holding


def test_why_a_hit_is_first_is_said(coded: Workspace) -> None:
    first = _results(coded, "What does E-4012 mean?").results[0]
    (step,) = [step for step in first.steps if step.name == "identifiers"]
    assert step.amount > 0
    assert "E-4012" in step.explanation


def test_a_question_weighs_its_identifier_as_one_of_its_words() -> None:
    alone, sentence = (_parts(text) for text in ("E-4012", "How is error E-4012 of the gateway fixed?"))
    assert (alone.names, alone.words) == (("E-4012",), 1)
    assert (sentence.names, sentence.words) == (("E-4012",), 4)
    assert sentence.levels("The code e‑4012 is shown.") == (1.0,)
    assert sentence.levels("The code E-4012B is shown.") == (0.5,)


@pytest.mark.parametrize(
    "text",
    ["the 2nd of ten well-known U.S. firms", "a 12-week trial in the 1990s", "怎么更换滤芯", "e.g. one. Two"],
)
def test_ordinary_words_are_no_identifiers(text: str) -> None:
    assert identifiers(text) == ()


def test_an_identifier_that_full_text_knows_costs_no_scan(coded: Workspace) -> None:
    """A fourth storage call is made only where no hit of full text contains it."""
    plain = _results(coded, "error codes").storage_calls
    assert _results(coded, "E-4012").storage_calls == plain
    assert _results(coded, "s00n").storage_calls == plain + 1


def test_a_search_by_vectors_stays_one(coded: Workspace) -> None:
    results = _results(coded, "E-4012", mode="vector").results
    assert not any(step.name == "identifiers" for one in results for step in one.steps)


def test_words_that_no_document_has_leave_the_ranking_to_vectors(coded: Workspace) -> None:
    """Full text keeps its place in "Why this hit", with weight 0 and the reason."""
    results = _results(coded, "zebras grazing peacefully")
    assert results.weights == {"vector": 1.0, "text": 0.0}
    assert results.weight_reason
    assert _results(coded, "restart the gateway").weight_reason == ""
