"""A format and a retrieval mode from outside, registered or of an installed package, are found everywhere by their rows
alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking import plugins
from chunking.cli import main
from chunking.cli.running import parser
from chunking.config import Config, Retrieval, settings
from chunking.config.config import value_label
from chunking.errors import ConfigError, ParseError
from chunking.evaluation.live.live_recall import notes_of
from chunking.evaluation.runs.question_search import deepened
from chunking.export import plain_script
from chunking.model import BlockType
from chunking.parsing import FORMATS, Format, LaterReader, Signs, find_files, format_named, parse, register_format
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.sandbox import parse_guarded, process
from chunking.retrieval import RetrievalMode, register_mode, search
from chunking.retrieval.leg_search import LegSearch
from chunking.retrieval.modes.mode_ranking import rank_chunks
from chunking.retrieval.modes.mode_results import own_results
from chunking.retrieval.modes.retrieval_modes import MODES
from chunking.retrieval.ranking.ranked import Ranked
from chunking.retrieval.ranking.readability import Weighing
from chunking.retrieval.results.citation import cite
from chunking.store import Workspace
from components.kit.settings_form.groups import applies
from components.kit.wording import format_word, page_word
from components.tune.setting_words import spoken_value
from docs.tables import TABLES
from tests.support.shelf import SHELF, fill
from tests.support.store_rows import chunks, document
from tests.support.word_embedder import WordEmbedder

TOY = {"search.retrieval": "worst_first"}


def _worst_first(legs: LegSearch, weighing: Weighing) -> Ranked:
    """The candidates of the legs, upside down."""
    ranking = rank_chunks(legs, weighing)
    return replace(ranking, hits=ranking.hits[::-1])


@pytest.fixture
def toy() -> Iterator[RetrievalMode]:
    """A mode that shows what fits least."""
    row = RetrievalMode(
        name=Retrieval.outside("worst_first", "Worst first", "the chunks that fit least"),
        good_for="Shows what to leave out.",
        rank=_worst_first,
        show=own_results,
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
    assert (
        value_label("search.retrieval", "worst_first")
        == spoken_value("search.retrieval", "worst_first")
        == "Worst first"
    )
    for command in (["search", "backup", "--workspace", "w"], ["evaluate", "docs", "--questions", "q.csv"]):
        assert parser().parse_args([*command, "--retrieval", "worst_first"]).retrieval == "worst_first"
    assert "worst_first: the chunks that fit least." in TABLES["settings:search"]()
    assert r"multi_granularity \| worst_first]" in TABLES["commands"]()
    with pytest.raises(ValueError, match="already"):
        Retrieval.outside("worst_first", "Again", "twice")


def _form() -> None:
    from types import SimpleNamespace
    from typing import Any

    import streamlit as st

    from chunking.config import Config
    from components.kit.settings_form import settings_form
    from components.search.search_controls import controls, index_line
    from components.session import share

    share.keep_config(Config.from_settings({"search.retrieval": "worst_first"}))
    row: Any = SimpleNamespace(name="main", chunks=1)
    controls([row], [])
    index_line(row, {"x99"}, "")
    st.session_state["made"] = settings_form(share.config(), ("search",), key="form")


def test_a_mode_from_outside_is_offered_on_the_page(toy: RetrievalMode) -> None:
    """By its label, with its line in the help; its settings are there, those of other modes are not."""
    page = AppTest.from_function(_form, default_timeout=60).run()
    assert not page.exception
    assert toy.label in page.selectbox(key="search.retrieval").options
    assert toy.good_for in page.selectbox(key="search.retrieval").help
    assert page.session_state["made"].search.retrieval is toy.name
    rows = {
        setting.name: applies(setting, page.session_state["made"]) for setting in settings() if setting.part == "search"
    }
    assert (rows["tree"], rows["merge_share"], rows["k"]) == (True, False, True)
    assert toy.lacks({"chunk"}) == toy.lacking


def test_a_mode_from_outside_is_searched_and_measured(toy: RetrievalMode, tmp_path: Path) -> None:
    """Its own functions rank and show; what it says of live recall, of k and of the plain script is said."""
    workspace, embedder = Workspace.open(tmp_path), WordEmbedder()
    fill(workspace, SHELF, embedder)
    config = Config.from_settings({**TOY, "search.mode": "vector", "search.k": "3", "search.deduplicate": "false"})
    result = search(workspace, "restore a backup", config.search, embedder=embedder)
    best = search(
        workspace,
        "restore a backup",
        Config.from_settings({"search.retrieval": "chunk"}, config).search,
        embedder=embedder,
    )
    assert result.retrieval is toy.name
    assert [hit.chunk.chunk_id for hit in result.candidates] == [hit.chunk.chunk_id for hit in best.candidates][::-1]
    assert toy.live_gap in notes_of(config, config.embedding, (), ())
    assert deepened(config.search, 3, 30).k == 3
    assert "retrieval worst_first: the best are shown." in plain_script(config, index="main")


def read_minutes(raw: RawFile) -> Reading:
    """Minutes of a meeting: `= topic` lines, everything else a paragraph."""
    writer = Writer(raw.source)
    for line in raw.data.decode().splitlines()[1:]:
        heading = line.startswith("= ")
        writer.block(
            BlockType.HEADING if heading else BlockType.PARAGRAPH, line.removeprefix("= "), level=1 if heading else None
        )
    return writer.finish(title="Minutes")


MINUTES = b"%MINUTES\n= Budget\nAgreed.\n= Next meeting\nIn May.\n"


@pytest.fixture
def minutes() -> Iterator[Format]:
    """A format with a mark of its own at the beginning of its files."""
    row = Format(
        name="minutes",
        label="Minutes",
        description="minutes of meetings",
        one="the minutes of a meeting",
        extensions=(".minutes",),
        reader=LaterReader("tests.test_registration", "read_minutes"),
        signs=Signs(data=lambda data: data.startswith(b"%MINUTES")),
        page="item",
        any_encoding=True,
    )
    undo = register_format(row)
    yield row
    undo()
    assert format_named("minutes") is None
    assert parse(MINUTES, "may.minutes").format == "text"


def test_a_format_from_outside_is_recognised_and_read(minutes: Format, tmp_path: Path) -> None:
    """By its mark under any name, in folders by its ending; its reader is imported before a process is forked."""
    assert parse(MINUTES, "may.minutes").sections[1].title == "Next meeting"
    renamed = parse(MINUTES, "may.md")
    assert renamed.format == "minutes"
    assert "it is the minutes of a meeting" in renamed.warnings[0]
    (tmp_path / "may.minutes").write_bytes(MINUTES)
    assert [path.name for path, _ in find_files([tmp_path])] == ["may.minutes"]
    assert minutes.preload == ("tests.test_registration",)
    with pytest.raises(ValueError, match="already"):
        register_format(minutes)


def test_a_format_from_outside_is_in_every_list(minutes: Format) -> None:
    """Its words appear on screen, in citations, in the documentation and in errors of unreadable files."""
    assert (format_word("minutes"), page_word("minutes")) == ("Minutes", "item")
    chunk = chunks(document("may", "Agreed."))[0]
    assert "items 2–3" in cite(replace(chunk, pages=(2, 3), metadata={**chunk.metadata, "format": "minutes"}))
    assert "| `minutes` | `.minutes` | item | minutes of meetings |" in TABLES["formats"]()
    with pytest.raises(ParseError, match="Minutes"):
        parse(bytes(range(256)), "noise.bin")


PACKAGE = """
from chunking.config import Retrieval
from chunking.model import BlockType
from chunking.parsing import FORMATS, Format, LaterReader, Signs
from chunking.parsing.builder.text_builder import Writer
from chunking.retrieval import RetrievalMode

def read_minutes(raw):
    writer = Writer(raw.source)
    writer.block(BlockType.HEADING, "Budget", level=1)
    writer.block(BlockType.PARAGRAPH, raw.data.decode())
    return writer.finish(title="Minutes")

MINUTES = Format(
    name="minutes",
    label="Minutes",
    description="minutes of meetings",
    one="the minutes of a meeting",
    extensions=(".minutes",),
    reader=LaterReader(__name__, "read_minutes"),
    signs=Signs(data=lambda data: data.startswith(b"%MINUTES")),
)
CHUNK_LIKE = dict(good_for="A toy.", rank=print, show=print, live_gap="", export_gap="")
LAST = RetrievalMode(name=Retrieval.outside("last", "Last", "the chunks that fit least"), **CHUNK_LIKE)
"""


def install(folder: Path, entry_points: str) -> None:
    """A distribution `toy`, as a package installer leaves it behind."""
    (folder / "toy_rows.py").write_text(PACKAGE)
    (folder / "toy-1.0.dist-info").mkdir()
    (folder / "toy-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (folder / "toy-1.0.dist-info/entry_points.txt").write_text(entry_points)


def look_again() -> None:
    """Installed packages are looked up once a process."""
    sys.modules.pop("toy_rows", None)
    plugins.entry_places.cache_clear()
    plugins.installed_rows.cache_clear()
    plugins.entry_versions.cache_clear()


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which processes that are started from now on find their packages too."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    process.stop()
    look_again()
    yield folder
    process.stop()
    look_again()


def test_a_format_of_an_installed_package_is_read_in_every_process(
    packages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its entry point alone: here, by the command, on the page of documents, and in the guarded process."""
    install(packages, "[chunkscope.formats]\nminutes = toy_rows:MINUTES\n")
    look_again()
    assert parse(MINUTES, "may.md").format == "minutes"
    assert parse_guarded(MINUTES, "may.minutes").sections[0].title == "Budget"
    (tmp_path / "may.minutes").write_bytes(MINUTES)
    assert main(["parse", str(tmp_path / "may.minutes")]) == 0
    assert json.loads(capsys.readouterr().out)["blocks"][0]["type"] == "heading"
    assert format_word("minutes") == "Minutes"
    with pytest.raises(ValueError, match="already"):
        register_format(FORMATS[0])


def test_a_mode_of_an_installed_package_is_a_value_of_its_setting(packages: Path) -> None:
    """In every process that reads the configuration, without being registered in it."""
    install(packages, "[chunkscope.retrieval_modes]\nlast = toy_rows:LAST\n")
    look_again()
    config = Config.from_settings({"search.retrieval": "last"})
    assert Config.from_yaml(config.to_yaml()) == config
    assert MODES[config.search.retrieval].good_for == "A toy."
    assert value_label("search.retrieval", "last") == "Last"
    assert parser().parse_args(["search", "backup", "--workspace", "w", "--retrieval", "last"]).retrieval == "last"


@pytest.mark.parametrize(
    "entry", ["chunkscope.formats]\nminutes = toy_rows:GONE", "chunkscope.formats]\nmarkdown = toy_rows:MINUTES"]
)
def test_a_wrong_entry_point_is_one_sentence(
    packages: Path, tmp_path: Path, entry: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the command too: it names the entry point."""
    install(packages, f"[{entry}\n")
    look_again()
    with pytest.raises(ConfigError, match=entry.split()[1]):
        parse(MINUTES, "may.minutes")
    assert main(["parse", str(tmp_path)]) != 0
    assert "chunkscope.formats" in capsys.readouterr().err
