"""`search` with modes of retrieval, a budget and explanations, on samples indexed with all levels."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import SAMPLES, Run, text_of

MODES = ("chunk", "parent", "merge", "hierarchical", "multi_granularity")
LEVELS = (
    "--set",
    "size=100",
    "--set",
    "parent_size=300",
    "--set",
    "granularities=2,4",
    "--set",
    "enrich.summaries=true",
)
ENGLISH, CHINESE = "How do I rotate the gateway certificates?", "三盏灯同时紫色快闪说明什么？"


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with two of the samples, English and Chinese, in all levels; for reading only."""
    from chunking.cli import main

    place = tmp_path_factory.mktemp("levels") / "workspace"
    folders = (SAMPLES / "faq", SAMPLES / "manual-zh")
    assert main(["index", *map(str, folders), "--workspace", str(place), *LEVELS]) == 0
    return place


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_answers_in_the_same_form(run: Run, levels: Path, mode: str) -> None:
    """The keys of a search stay what they are, whatever a result is; Chinese is found in each."""
    ran = run("search", CHINESE, "--workspace", levels, "--retrieval", mode, "--k", 3)
    assert list(ran.row) == ["query", "mode", "fingerprint", "results", "documents"]
    assert any("正在升级固件" in hit["content"] for hit in ran.row["results"])
    sources = {path.name: path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*") if path.is_file()}
    for hit in ran.row["results"]:
        if "summary" not in hit["metadata"]:
            assert text_of(sources[hit["metadata"]["file_name"]])[hit["start"] : hit["end"]] == hit["content"]


@pytest.mark.parametrize("mode", MODES)
def test_an_explained_search_adds_up_and_keeps_to_the_budget(run: Run, levels: Path, mode: str) -> None:
    """How each score came about, the stages, and what a language model would receive."""
    words = ("search", ENGLISH, "--workspace", levels, "--retrieval", mode, "--budget", 400, "--explain")
    row = run(*words).row
    assert (row["retrieval"], row["context"]["budget"]) == (mode, 400)
    assert 0 < row["context"]["tokens"] <= 400
    assert row["context"]["text"].startswith("[1] ")
    for hit in row["results"]:
        assert sum(step["amount"] for step in hit["explain"]["steps"]) == pytest.approx(hit["score"])
        if mode == "parent":
            assert hit["explain"]["matched"]
    assert [stage["phase"] for stage in row["stages"]][-1] == "assemble"


@pytest.mark.parametrize("mode", MODES)
def test_a_search_that_knows_where_to_stop(run: Run, levels: Path, mode: str) -> None:
    """What is left of each hit is an exact span; what was left out is named, and a line on stderr counts."""
    own = ("--retrieval", mode, "--k", 8, "--cut", 0.6, "--trim", 0.8)
    ran = run("search", ENGLISH, "--workspace", levels, *own, "--explain")
    row = ran.row
    assert len(row["results"]) + len(row["evidence"]["left_out"]) == 8
    assert str(len(row["results"])) in ran.err
    sources = {path.name: path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*") if path.is_file()}
    for hit in row["results"]:
        assert hit["explain"]["evidence"]["explanation"]
        if "summary" not in hit["metadata"]:
            assert text_of(sources[hit["metadata"]["file_name"]])[hit["start"] : hit["end"]] == hit["content"]
    refused = run("search", ENGLISH, "--workspace", levels, "--cut", 1.5)
    assert refused.code
    assert "search.cut" in refused.err


def test_an_index_without_the_levels_says_so(run: Run, samples: Path) -> None:
    """On stderr; the nearest mode answers on stdout."""
    ran = run("search", ENGLISH, "--workspace", samples, "--retrieval", "hierarchical", "--mode", "text")
    assert ran.row["results"]
    assert "enrich.summaries" in ran.err


@pytest.mark.parametrize(
    ("words", "says"), [(("--retrieval", "best"), "invalid choice"), (("--budget", "-1"), "search.budget")]
)
def test_a_wrong_search_argument_ends_with_2_and_a_sentence(
    run: Run, samples: Path, words: tuple[str, ...], says: str
) -> None:
    """Exit code 2 and a sentence."""
    ran = run("search", ENGLISH, "--workspace", samples, *words)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
