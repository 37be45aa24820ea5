"""What the version before modules and words were renamed has written: it opens, searches and compares (see
`tests/data/earlier`).
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from chunking.config import ENGLISH_MODEL, Config
from chunking.embedding.local import local_embedder
from chunking.evaluation import EvaluationRun, compare_runs, load_set, load_sweep, sweep_report
from chunking.evaluation.runs.loaded_chunks import use_loaded
from chunking.indexing import build_index
from chunking.retrieval import search
from chunking.store import Workspace
from components.session.share import NEVER_LINKED
from tests.pages.app_session import open_link, open_page, page_text

EARLIER = Path(__file__).parents[1] / "data" / "earlier"
THEN: dict[str, Any] = json.loads((EARLIER / "then.json").read_text(encoding="utf-8"))
DEFAULTS_THEN = {"embedding.model": ENGLISH_MODEL}
"""Defaults of that time that are others now; its YAML files name them, its links do not."""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its workspace; to be copied by who writes."""
    folder = tmp_path_factory.mktemp("earlier") / "workspace"
    shutil.unpack_archive(EARLIER / "workspace.zip", folder)
    return folder


@pytest.fixture
def earlier(unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A copy, as the workspace of the app."""
    folder = shutil.copytree(unpacked, tmp_path / "workspace")
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(folder))
    return Workspace.open(folder)


def test_a_workspace_searches_as_it_did(earlier: Workspace) -> None:
    """Documents and indexes are there, and each way of searching finds what it found."""
    assert {row.source for row in earlier.documents()} == {"north.md", "水泵手册.md"}
    assert {row.name for row in earlier.indexes()} == {"main", "small"}
    for query, ids in THEN["found"].items():
        mode, _, question = query.partition(" ")
        results = search(earlier, question, Config.from_settings({"search.mode": mode}).search).results
        assert [hit.chunk.chunk_id for hit in results] == ids


def test_runs_of_an_earlier_version_compare(earlier: Workspace) -> None:
    """Runs, the sweep that made them, the questions and the chunks made elsewhere."""
    runs = {key: EvaluationRun.from_json(text) for key, text in earlier.runs.all().items()}
    assert runs.keys() == set(THEN["runs"])
    first, second = (runs[key] for key in THEN["runs"][:2])
    questions = load_set(earlier, "things").questions
    assert compare_runs(first, second, questions).n == len(questions.questions)
    assert load_sweep(earlier, "sizes").grid == {"size": ("64", "128")}
    report = sweep_report(earlier, "sizes")
    assert report is not None
    assert set(report.runs) <= runs.keys()
    assert THEN["splitter"] in use_loaded(earlier).splitters


def test_an_index_is_built_on(earlier: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that were embedded then, in bf16, are not embedded again."""
    monkeypatch.setattr(local_embedder, "has_bf16", lambda: True)
    local_embedder._embedder.cache_clear()
    report = build_index(earlier, earlier.index("main").row.config)
    local_embedder._embedder.cache_clear()
    assert report.embedded == 0


def test_settings_are_read(earlier: Workspace) -> None:
    """Every setting of that version, from its YAML file and from its link."""
    expected = Config.from_settings(DEFAULTS_THEN | THEN["settings"])
    assert Config.from_file(EARLIER / "config.yaml") == expected
    app = open_link(**THEN["link"])
    assert not app.warning
    in_link = {key: value for key, value in THEN["settings"].items() if key not in NEVER_LINKED}
    assert app.session_state["share.config"] == Config.from_settings(in_link)


@pytest.mark.parametrize("page", ["documents", "chunks", "index", "search", "evaluate", "tune", "export"])
def test_pages_show_it(earlier: Workspace, page: str) -> None:
    """None says that something cannot be read."""
    app = open_page(page, index="small", questions="things")
    assert not app.error
    assert page_text(app)
