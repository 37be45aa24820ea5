"""The Export page: what it offers, what it says where there is nothing, and what it hands out."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.display import bytes_text
from chunking.export import EXPORTS, find_export, gather
from chunking.model import PinKind
from chunking.splitting.pins.stored_pins import PINS, StoredPin
from chunking.store import Workspace
from components.export.export_cards import file_bytes
from tests.pages.app_session import open_page, page_text, run_app
from tests.support.facts import tells
from tests.support.shelf import SHELF
from tests.support.stored_runs import filled, keys_of, with_runs


@pytest.fixture(scope="module")
def shelved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with an index, a question set and two runs; to be copied."""
    folder = tmp_path_factory.mktemp("export") / "workspace"
    with_runs(filled(folder, dict(SHELF)))
    return folder


@pytest.fixture
def kept(shelved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The app's workspace is a copy of it."""
    folder = shutil.copytree(shelved, tmp_path / "workspace")
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(folder))
    return Workspace.open(folder)


def labels(app: AppTest) -> list[str]:
    """Of the page's download buttons, in their order; the header has one too, for the workspace."""
    buttons = [one for one in app.get("download_button") if not str(one.proto.id).endswith("workspace.save")]
    return [
        json.loads(str(one.proto.label)) if str(one.proto.label).startswith('"') else one.proto.label for one in buttons
    ]


def code(app: AppTest) -> str:
    """All code of the page."""
    return "\n".join(block.value for block in app.code)


def test_a_card_for_each_thing(kept: Workspace) -> None:
    """With its size; scripts and settings are shown as they would be downloaded, and the page holds no address of this
    machine.
    """
    app = open_page("export", questions="sample")
    text = page_text(app)
    for title in (
        "Report",
        "Questions with results",
        "Chunks",
        "Python script",
        "LangChain Documents",
        "LlamaIndex nodes",
        "Configuration",
        "Elements of unstructured",
    ):
        assert f": {title}" in text, title
    assert len(labels(app)) == 7  # the report's comes once it is made
    assert "40 questions of sample, 2 runs." in text
    assert "kB" in text
    assert "as_langchain" in code(app)
    assert "FINGERPRINT" in code(app)
    assert "chunk:\n" in code(app)
    assert kept.uri not in text + code(app)


def test_the_report_is_made_when_it_is_asked_for(kept: Workspace) -> None:
    """Its headline stands beside the download; other runs ask again."""
    app = open_page("export", questions="sample")
    app.button(key="export.report.make").click()
    run_app(app)
    assert tells(page_text(app), "recommended 97.5 99")
    assert "Download report.html" in labels(app)
    assert "Preview" in [toggle.label for toggle in app.toggle]
    kept.runs.delete([keys_of(kept)["default settings"]])
    run_app(app)
    assert "Download report.html" not in labels(app)


def test_a_cluster_job_is_made_when_it_is_asked_for(kept: Workspace) -> None:
    """Of the chosen documents; another choice asks again."""
    app = open_page("export", questions="sample")
    app.button(key="export.cluster-job.make").click()
    run_app(app)
    assert "Download cluster_job.zip" in labels(app)
    app.multiselect(key="export.cluster-job.sample").set_value([kept.documents()[0].source])
    run_app(app)
    assert "Download cluster_job.zip" not in labels(app)
    assert not app.button(key="export.cluster-job.make").disabled


def test_chunks_of_chosen_documents(kept: Workspace) -> None:
    """Their number is said, and the size is of these alone."""
    app = open_page("export", questions="sample")
    document = kept.documents()[0]
    app.multiselect(key="export.only").set_value([document.source])
    run_app(app)
    material = replace(gather(kept), only=(document.source,))
    assert tells(page_text(app), f"these documents only {material.chunk_count(every=False)} chunks")
    size = bytes_text(len(file_bytes(material, find_export("chunks-jsonl"))))
    assert size in page_text(app)


def test_without_an_index_or_questions(samples: Workspace) -> None:
    """What is missing is said, with the way there."""
    app = open_page("export")
    assert "no index yet" in page_text(app)
    assert "no run to report" in page_text(app)
    assert labels(app) == ["Download elements.zip"]


def test_with_an_index_alone(indexed: Workspace) -> None:
    """Chunks and scripts can be taken; the report says what it needs."""
    app = open_page("export")
    assert "no run to report" in page_text(app)
    assert len(labels(app)) == 6


def test_with_nothing_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, one link."""
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(tmp_path / "w"))
    workspace = filled(tmp_path / "w", {"a.md": "# A\n\nText."})
    workspace.delete_documents(["a"])
    app = open_page("export")
    assert "nothing to export" in page_text(app)


def test_questions_that_nothing_was_measured_on(kept: Workspace) -> None:
    """They can be taken all the same."""
    kept.runs.delete(kept.runs.names())
    app = open_page("export", questions="sample")
    assert "no run on this" in page_text(app)
    assert "Download questions.jsonl" in labels(app)


@pytest.mark.parametrize("name", [row.name for row in EXPORTS])
def test_what_a_button_hands_out(kept: Workspace, name: str) -> None:
    """The bytes of the command line, from their beginning."""
    material = gather(kept)
    assert file_bytes(material, find_export(name)) == file_bytes(material, find_export(name)) != b""


def test_the_size_of_a_large_index_is_told_from_its_first_chunks(
    kept: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more than those are read for it."""
    monkeypatch.setattr("components.export.export_cards.SAMPLE", 3)
    app = open_page("export", questions="sample")
    assert "about " in page_text(app)


def test_the_page_lists_the_content_of_an_export(kept: Workspace) -> None:
    """With counts, and nothing of which there is none; edits and pins as files, too, once there are any."""
    plain = page_text(open_page("export", questions="sample"))
    assert "script" in plain
    assert not any(word in plain for word in ("pin", "edit of", "pattern", "categor") if f"1 {word}" in plain)
    row = kept.documents()[0]
    document = kept.document(row.doc_id)
    middle = document.text.index(" ", len(document.text) // 2)
    kept.changes.append(row.doc_id, PINS, [StoredPin.of(document, PinKind.SPLIT, middle).as_record()])
    app = open_page("export", questions="sample")
    assert "1 pin" in page_text(app)
    assert "out of date" in page_text(app).lower()
    assert app.button(key="export.cluster-job.make").disabled
    assert any("pins.json" in label for label in labels(app))
    assert not any("edits.json" in label for label in labels(app))
