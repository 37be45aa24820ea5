"""A retrieval mode from outside the library is found everywhere by its row alone, and is gone once it is taken away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.cli.argument_table import parser
from chunking.config import Config, Retrieval, settings
from chunking.config.value_labels import value_label
from chunking.errors import ConfigError
from chunking.evaluation.live.live_notes import notes_of
from chunking.evaluation.runs.question_search import deepened
from chunking.export import plain_script
from chunking.retrieval import RetrievalMode, register_mode, search
from chunking.retrieval.leg_search import LegSearch
from chunking.retrieval.mode_ranking import ranked_chunks
from chunking.retrieval.mode_results import themselves
from chunking.retrieval.ranking.readability import Weighing
from chunking.retrieval.retrieval_modes import MODES
from chunking.retrieval.search_request import Candidates
from chunking.store import Workspace
from components.kit.settings_form.groups import applies
from components.tune.setting_words import spoken_value
from docs.tables import TABLES
from tests.support.shelf import SHELF, fill
from tests.support.word_embedder import WordEmbedder

TOY = {"search.retrieval": "worst_first"}


def _worst_first(legs: LegSearch, weighing: Weighing) -> Candidates:
    """The candidates of the legs, upside down."""
    found = ranked_chunks(legs, weighing)
    return replace(found, hits=found.hits[::-1])


@pytest.fixture
def toy() -> Iterator[RetrievalMode]:
    """A mode that shows what fits least."""
    row = RetrievalMode(
        name=Retrieval.outside("worst_first", "Worst first", "the chunks that fit least"),
        good_for="Shows what to leave out.",
        rank=_worst_first,
        show=themselves,
        live_gap="The order from below is not followed.",
        export_gap="the best are shown",
        settings=("tree",),
        depends_on_k=lambda _search: True,
        levels=frozenset({"x99"}),
        lacking="holds no chunks of that size",
    )
    undo = register_mode(row)
    yield row
    undo()
    assert row.name not in MODES
    with pytest.raises(ConfigError, match="worst_first"):
        Config.from_settings(TOY)


def test_a_mode_from_outside_is_in_every_list(toy: RetrievalMode) -> None:
    """Settings, their files, help texts and labels; the command line; the tables of the documentation."""
    config = Config.from_settings(TOY)
    assert config.search.retrieval is toy.name
    assert Config.from_yaml(config.to_yaml()) == config == Config.from_settings(config.changed())
    assert value_label("search.retrieval", "worst_first") == spoken_value("search.retrieval", "worst_first") == "Worst first"
    for command in (["search", "backup", "--workspace", "w"], ["evaluate", "docs", "--questions", "q.csv"]):
        assert parser().parse_args([*command, "--retrieval", "worst_first"]).retrieval == "worst_first"
    assert "worst_first: the chunks that fit least." in TABLES["settings:search"]()
    assert r"multisize \| worst_first]" in TABLES["commands"]()
    with pytest.raises(ValueError, match="already"):
        Retrieval.outside("worst_first", "Again", "twice")


def _form() -> None:
    from types import SimpleNamespace
    from typing import Any

    import streamlit as st

    from chunking.config import Config
    from components.kit.settings_form import settings_form
    from components.search.search_controls import controls, mode_line
    from components.session import share

    share.keep_config(Config.from_settings({"search.retrieval": "worst_first"}))
    row: Any = SimpleNamespace(name="main", chunks=1)
    controls([row], [])
    mode_line(row, {"x99"}, "")
    st.session_state["made"] = settings_form(share.config(), ("search",), key="form")


def test_a_mode_from_outside_is_offered_on_the_page(toy: RetrievalMode) -> None:
    """By its label, with its line under the controls; its settings are there, those of other modes are not."""
    page = AppTest.from_function(_form, default_timeout=60).run()
    assert not page.exception
    assert toy.label in page.selectbox(key="search.retrieval").options
    assert toy.good_for in [caption.value for caption in page.caption]
    assert page.session_state["made"].search.retrieval is toy.name
    rows = {setting.name: applies(setting, page.session_state["made"]) for setting in settings() if setting.part == "search"}
    assert (rows["tree"], rows["merge_share"], rows["k"]) == (True, False, True)
    assert toy.lacks({"chunk"}) == toy.lacking


def test_a_mode_from_outside_is_searched_and_measured(toy: RetrievalMode, tmp_path: Path) -> None:
    """Its own functions rank and show; what it says of live recall, of k and of the plain script is said."""
    workspace, embedder = Workspace.open(tmp_path), WordEmbedder()
    fill(workspace, SHELF, embedder)
    config = Config.from_settings({**TOY, "search.mode": "vector", "search.k": "3", "search.drop_repeats": "false"})
    found = search(workspace, "restore a backup", config.search, embedder=embedder)
    best = search(workspace, "restore a backup", Config.from_settings({"search.retrieval": "chunk"}, config).search, embedder=embedder)
    assert found.retrieval is toy.name
    assert [hit.chunk.chunk_id for hit in found.candidates] == [hit.chunk.chunk_id for hit in best.candidates][::-1]
    assert toy.live_gap in notes_of(config, config.embedding, (), ())
    assert deepened(config.search, 3, 30).k == 3
    assert "retrieval worst_first: the best are shown." in plain_script(config, index="main")
