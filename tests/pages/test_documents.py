"""The Documents page: samples, pages of files, the table, deletion, and what goes wrong with a workspace."""

from __future__ import annotations

import base64
import json
import re
import threading
import zlib
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import chunking.samples
import components.documents.incoming
import components.session.workspace
from chunking.config import ENGLISH_MODEL, Config
from chunking.deployment import SERVER
from chunking.errors import ParseError
from chunking.indexing import WorkspaceSnapshot, build_index, make_plan
from chunking.model import BlockType
from chunking.parsing import find_files, parse, sandbox
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.formats.pdf.pages.page_images import is_installed
from chunking.parsing.parsers.unstructured_reader import SecondElement
from chunking.retrieval import related_documents
from chunking.samples import ACROSS_SET, SAMPLE_SET
from chunking.store import Workspace
from components.documents.adding import UploadOutcome, add_files
from components.documents.incoming import Readers, UploadQueue
from components.kit.viewer import text_key
from components.session.jobs import Jobs
from components.session.workspace import workspace
from tests.pages.app_session import SAMPLES, hold_lock, open_page, page_text, run_app, state, wait_until
from tests.pages.uploading import (
    GOOD,
    confirm,
    drop_files,
    file_of,
    press_add,
    queue_of,
    sources,
    upload,
    wait_for_reading,
)
from tests.support.disks import mounted, remount
from tests.support.documents import document_of
from tests.support.pdfs import report, scan

SAMPLE_COUNT = len(find_files([SAMPLES]))


def messages(app: AppTest, key: str) -> list[dict[str, Any]]:
    """The messages of components that have this key."""
    sent = [json.loads(part.proto.json) for part in app.get("bidi_component")]
    return [message for message in sent if key in message]


class TestSamples:
    @pytest.mark.parametrize("made_before", [True, False])
    def test_first_start_shows_them(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_before: bool) -> None:
        """In a folder that is not there yet as in an empty one, such as a disk that was just mounted."""
        folder = tmp_path / "workspace"
        if made_before:
            folder.mkdir()
        monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(folder))
        app = open_page("documents")
        assert len(app.dataframe[0].value) == SAMPLE_COUNT
        assert "读" not in page_text(app)
        assert "read as" in page_text(app)
        there = workspace()
        plan = make_plan(there, Config(), name="main")
        assert (plan.new, plan.rebuild, plan.unchanged) == (0, False, SAMPLE_COUNT)  # their index came with them
        assert there.question_sets.names() == [SAMPLE_SET, ACROSS_SET]
        assert not app.info

    @pytest.mark.parametrize("damaged", [True, False])
    def test_where_the_snapshot_does_not_fit_they_are_read_and_indexed_and_it_is_reported(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: bool
    ) -> None:
        """A file that cannot be read, and one of another version: the page says why, once, and the index is built in
        the background.
        """
        monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(tmp_path / "workspace"))
        started: list[tuple[object, ...]] = []
        monkeypatch.setattr(Jobs, "start", lambda _, *job, person: started.append((*job, person)))
        if damaged:
            (tmp_path / "broken.npz").write_bytes(b"no snapshot")
            monkeypatch.setattr(chunking.samples, "_SNAPSHOT", tmp_path / "broken.npz")
        else:
            monkeypatch.setattr(WorkspaceSnapshot, "misfit", lambda *_: "another version")
        app = open_page("documents")
        assert len(app.dataframe[0].value) == SAMPLE_COUNT
        assert ("broken.npz" if damaged else "another version") in app.info[0].value
        assert started == [(str(tmp_path / "workspace"), Config(), "main", SERVER)]
        there = workspace()
        assert (there.indexes(), there.question_sets.names()) == ([], [SAMPLE_SET, ACROSS_SET])
        assert (make_plan(there, Config()).new == 0) is not damaged  # vectors of the same model are used all the same

    @pytest.mark.usefixtures("dialogs")
    def test_start_empty_and_reset_to_samples(self, indexed: Workspace) -> None:
        """Both ask first; an emptied workspace stays empty at the next start, and says what to do."""
        app = open_page("documents", doc="faq_faq")
        app.button(key="documents.empty").click()
        assert "All 1 document" in page_text(run_app(app))
        assert indexed.documents()
        confirm(app, "documents.empty", "documents.reset.sure")
        assert (indexed.documents(), indexed.indexes()) == ([], [])
        assert "no documents yet" in page_text(app)
        assert "no documents yet" in page_text(open_page("documents"))
        assert "documents.empty" not in [one.key for one in app.button]
        app.button(key="documents.reset").click()  # there is nothing to delete, and nothing to ask
        run_app(app)
        assert len(indexed.documents()) == SAMPLE_COUNT
        assert {row.name: row.state for row in indexed.indexes()} == {"main": "complete", "baseline": "complete"}


class TestPaged:
    def test_a_pdf_shows_its_pages_next_to_its_text(self, samples: Workspace) -> None:
        """Facts before and after, the file kept for its pictures, the first page sent, what was left out listed."""
        app = drop_files(open_page("documents"), [("guide/pump.pdf", report())])
        assert re.search(r"PDF · 3 pages · 5 sections · [\d,]+ characters · English", page_text(app))
        press_add(app)
        row = next(row for row in samples.documents() if row.source == "guide/pump.pdf")
        assert (row.pages, samples.file(row.hash)) == (3, report())
        shown = page_text(app)
        assert "read as PDF · 3 pages" in shown
        assert "3 running headers left out · 3 page numbers left out" in shown
        (message,) = messages(app, "picture")
        assert (message["doc"], message["first"], message["drawn"], message["fault"]) == (
            text_key(samples.document(row.doc_id).text),
            1,
            True,
            None,
        )
        assert message["picture"]["mime"].startswith("image/")
        assert "Pages" in app.dataframe[0].value.columns
        app.session_state["documents.left_out"] = True
        listed = run_app(app).dataframe[1].value
        assert set(listed["What it is"]) == {"running header", "page number"}
        assert sorted(set(listed["Page"])) == [1, 2, 3]

    def test_a_new_version_takes_the_place_of_the_file(self, samples: Workspace) -> None:
        """The old one is kept no longer."""
        app = upload(open_page("documents"), [("pump.pdf", report())])
        old = samples.document("pump").hash
        upload(app, [("pump.pdf", report(repair="Call the maker first."))])
        assert samples.file(old) is None
        assert samples.file(samples.document("pump").hash) is not None
        assert "2 versions" in page_text(app)

    def test_a_file_that_is_not_kept_says_so_in_the_pages_place(self, samples: Workspace) -> None:
        """As for a document that another program has put there; the rest of the page is there."""
        samples.put_document(parse(report(), "pump.pdf"))
        (message,) = messages(open_page("documents", doc="pump"), "picture")
        assert message["picture"] is None
        assert "the Documents page" in message["fault"]["words"]

    @pytest.mark.skipif(not is_installed(), reason="tesseract is not installed")
    def test_scanned_pages_are_read_by_ocr_on_demand(self, samples: Workspace) -> None:
        """One button on the file that needs it; the other files are left alone."""
        app = drop_files(open_page("documents"), [("scan.pdf", scan()), ("good.md", GOOD)])
        (button,) = [button for button in app.button if str(button.key).startswith("uploads.ocr")]
        assert "scanned" in page_text(app)
        button.click()
        wait_for_reading(run_app(app))
        assert "only a reader of pictures" in file_of(app, "scan.pdf").document.text
        assert not [button for button in app.button if str(button.key).startswith("uploads.ocr")]
        assert app.button(key="uploads.add").label == "Add 2 documents"

    def test_without_tesseract_there_is_no_button(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """But a line that says what to install."""
        monkeypatch.setattr("components.documents.uploads.is_installed", lambda: False)
        app = drop_files(open_page("documents"), [("scan.pdf", scan())])
        assert not [button for button in app.button if str(button.key).startswith("uploads.ocr")]
        assert "install it" in page_text(app)

    def test_slides_are_named_and_have_no_page_view(self, samples: Workspace) -> None:
        """The text's message says where each begins."""
        writer = Writer("talk.pptx")
        for number in (1, 2):
            writer.block(BlockType.HEADING, [Piece(f"Slide about {number}", number)], level=1)
        samples.put_document(document_of(writer.finish(page_count=2), "talk.pptx", format="pptx"))
        app = open_page("documents", doc="talk")
        assert "2 slides" in page_text(app)
        assert not messages(app, "picture")
        (message,) = (sent for sent in messages(app, "packed") if "looks" in sent)
        text = json.loads(zlib.decompress(base64.b64decode(message["packed"])))
        assert (text["pageWord"], text["pages"]) == ("slide", [[0, 1], [15, 2]])


class TestTable:
    def test_the_row_of_the_view_is_picked_and_stays_with_its_document(self, samples: Workspace) -> None:
        """Also when rows come before it: a row's number is not a document."""
        app = open_page("documents", doc="manual-zh_产品使用手册")
        assert app.header[0].value.startswith("鹭")
        samples.delete_documents(["api_rest-api-reference"])
        run_app(app)
        assert app.header[0].value.startswith("鹭")
        assert state(app, "share.view")["doc"] == "manual-zh_产品使用手册"

    def test_a_document_that_vanished_is_missed_in_a_sentence(self, samples: Workspace) -> None:
        """Deleted in another tab: on this page and on Chunks."""
        one, two = open_page("documents", doc="faq_faq"), open_page("chunks", doc="faq_faq", chunk="2")
        samples.delete_documents(["faq_faq"])
        assert "“faq_faq” is not in" in page_text(run_app(one))
        assert "“faq_faq” is not in" in page_text(run_app(two))
        assert "not in this workspace" not in page_text(run_app(one)) + page_text(run_app(two))
        assert state(two, "share.view")["doc"] != "faq_faq"

    @pytest.mark.usefixtures("dialogs")
    def test_delete_asks_and_deletes(self, indexed: Workspace) -> None:
        """With its chunks in the index."""
        app = open_page("documents", doc="faq_faq")
        app.button(key="documents.delete").click()
        assert "leave the workspace and every index" in page_text(run_app(app))
        confirm(app, "documents.delete", "documents.delete.sure")
        assert indexed.documents() == []
        assert indexed.index("main").count() == 0

    @pytest.mark.usefixtures("dialogs")
    def test_what_was_deleted_in_another_tab_cannot_be_deleted_again(
        self, samples: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One sentence in the dialog."""
        app = open_page("documents", doc="faq_faq")
        app.button(key="documents.delete").click()
        run_app(app)
        app.button(key="documents.delete").click()
        app.button(key="documents.delete.sure").click()
        take = components.session.workspace._take

        def too_late(target: Workspace, stack: ExitStack) -> None:
            samples.delete_documents(["faq_faq"])
            take(target, stack)

        monkeypatch.setattr("components.session.workspace._take", too_late)
        run_app(app)
        assert "There is no document 'faq_faq'" in app.error[0].value.replace("\\", "")


class TestWorkspaceTrouble:
    @pytest.mark.usefixtures("dialogs")
    def test_locked_by_another_process(self, samples: Workspace) -> None:
        """Upload, delete and reset say so in one sentence, and can be done once the other is finished."""
        app = drop_files(open_page("documents", doc="faq_faq"), [("one.md", GOOD), ("two.md", GOOD)])
        before = sources(samples)
        with hold_lock(Path(samples.uri)):
            assert page_text(press_add(app)).count("Another process is writing") == 1
            assert len(queue_of(app).files) == 2
            for button, sure in (
                ("documents.delete", "documents.delete.sure"),
                ("documents.empty", "documents.reset.sure"),
                ("documents.reset", "documents.reset.sure"),
            ):
                confirm(app, button, sure)
                assert "Another process is writing" in app.error[0].value
            assert sources(samples) == before
        press_add(app)
        assert sources(samples) - before == {"one.md", "two.md"}

    @pytest.mark.usefixtures("dialogs")
    def test_a_disk_that_became_read_only(
        self, samples: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What is there can be read; a change says why it cannot be made."""
        with mounted(tmp_path / "disk", "size=20m") as disk:
            folder = disk / "workspace"
            monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(folder))
            monkeypatch.setenv("CHUNKSCOPE_FREE_DISK", "0")
            app = open_page("documents")
            remount(disk, "ro")
            upload(app, [("one.md", GOOD)])
            assert "read-only disk" in page_text(app)
            confirm(app, "documents.delete", "documents.delete.sure")
            assert "read-only disk" in page_text(app)
            assert len(app.dataframe[0].value) == SAMPLE_COUNT

    @pytest.mark.parametrize("page", ["documents", "chunks", "index"])
    def test_a_workspace_that_cannot_be_made(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
        """One sentence on each page."""
        (tmp_path / "file").write_text("not a folder")
        monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(tmp_path / "file"))
        (error,) = open_page(page).error
        assert "a file is in its place" in error.value

    def test_two_sessions_add_at_once(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """The one waits for the other; paths that would give the same id give two documents."""
        monkeypatch.setattr("components.session.workspace.PATIENCE", 20.0)
        by = Readers()
        queues = [UploadQueue(by), UploadQueue(by)]
        for queue, names in zip(queues, [("a b.md", "c.md", "d.md"), ("a_b.md", "e.md", "f.md")], strict=True):
            queue.take((name, GOOD) for name in names)
        wait_until(lambda: not any(queue.active for queue in queues))
        outcomes: list[UploadOutcome] = []
        threads = [
            threading.Thread(target=lambda queue=queue: outcomes.extend(add_files(workspace(), queue.files)))
            for queue in queues
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {"a b.md", "a_b.md", "c.md", "d.md", "e.md", "f.md"} < sources(samples)
        assert len({outcome.doc_id for outcome in outcomes}) == 6


class TestRelated:
    def test_related_documents_with_why_lead_to_them(self, indexed: Workspace) -> None:
        """Nearest first, with a number and a reason; a click shows the document, and its row is the picked one."""
        indexed.put_document(
            parse(
                b"# Pumps\n\nThe quiet pump moves water, and the battery of the pump lasts a year.\n", "guide/pumps.md"
            )
        )
        indexed.put_document(parse(b"# Water\n\nWater is moved by a quiet pump with a battery.\n", "guide/water.md"))
        build_index(indexed, Config.from_settings({"embedding.model": ENGLISH_MODEL}))
        app = open_page("documents", doc="guide_pumps")
        assert "1 other document in guide" in page_text(app)
        app.session_state["documents.related"] = True
        run_app(app)
        related = related_documents(indexed, "guide_pumps", 5, index="main")
        text = page_text(app)
        assert related[0].row.doc_id == "guide_water"
        for one in related:
            assert f"similarity {one.similarity:.2f}" in text
            assert one.why in text
        app.button(key="documents.related.guide_water").click()
        run_app(app)
        assert state(app, "share.view")["doc"] == "guide_water"
        assert app.header[0].value == "Water"
        app.button(key="documents.sibling.guide_pumps").click()
        assert run_app(app).header[0].value == "Pumps"

    def test_before_an_index_there_is_the_next_step(self, samples: Workspace) -> None:
        """Vectors say what is related: build them."""
        app = open_page("documents")
        app.session_state["documents.related"] = True
        assert "No index contains" in page_text(run_app(app))


class TestSecondParser:
    """What unstructured reads in a file; it is stood in for, since its readers take seconds to import."""

    @staticmethod
    def second(app: AppTest) -> AppTest:
        """The expander, opened."""
        app.session_state["documents.second"] = True
        return run_app(app)

    def test_the_comparison_shows_the_losses_of_each_parser(
        self, samples: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A failure in its own words; then the picture, the numbers of both and their passages."""

        def fails(data: bytes, source: str, module: str) -> list[SecondElement]:
            raise ParseError(f"unstructured failed on {source} (KeyError: 'x').")

        monkeypatch.setattr(sandbox, "read_with_second_parser", fails)
        app = self.second(open_page("documents", doc="faq_faq"))
        assert "KeyError" in page_text(app)
        assert not app.metric
        text = samples.document("faq_faq").text
        half = [SecondElement("NarrativeText", text[: text.index("\n\n", len(text) // 2)] + " Quokka.", "", 0)]
        monkeypatch.setattr(sandbox, "read_with_second_parser", lambda *_: half)
        run_app(app)
        ours, theirs = (metric.value for metric in app.metric)
        assert int(re.findall(r"\d+", ours.replace(",", ""))[0]) > 600
        assert theirs.startswith("1 of ")
        assert list(app.dataframe[-1].value["Text"]) == ["Quokka"]
        assert set(app.dataframe[-2].value.columns) == {"Section", "Text"}
        assert len(app.get("plotly_chart")) == 1

    def test_what_cannot_be_compared_is_reported(self, samples: Workspace) -> None:
        """Formats that it does not read offline, and files that are not in the workspace."""
        assert "6 GB" in page_text(self.second(open_page("documents", doc="datasheet_heron-g4-datasheet")))
        samples.put_document(parse(b"<h1>Owls</h1><p>Text.</p>", "owls.html"))
        assert "earlier version" in page_text(self.second(open_page("documents", doc="owls")))

    def test_a_web_page_is_kept_for_it(self, samples: Workspace) -> None:
        """Other than a text, which is its file."""
        page = b"<h1>Owls</h1><p>They fly.</p>"
        press_add(drop_files(open_page("documents"), [("owls.html", page), ("owls.md", b"# Owls\n\nThey fly.")]))
        kept = {row.source: samples.file(row.hash) for row in samples.documents() if row.source.startswith("owls")}
        assert kept == {"owls.html": page, "owls.md": None}
