"""The Documents page: samples, uploads good and bad, versions, deletion."""

from __future__ import annotations

import codecs
import json
import re
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import components.documents.incoming
import components.session.workspace
from chunking.config import Config
from chunking.errors import Cancelled
from chunking.indexing import build_index
from chunking.model import BlockType, Document
from chunking.parsing import find_files, parse
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.detection.encoding_guess import NAMED
from chunking.parsing.formats.pdf.pages.ocr import is_installed
from chunking.retrieval import related_documents
from chunking.store import Workspace
from components.documents.adding import Outcome, add
from components.documents.incoming import Desk, Readers, State
from components.documents.uploads import ENCODINGS
from components.kit.viewer import text_key
from components.session.workspace import workspace
from tests.pages.opened import SAMPLES, eventually, locked, opened, ran, said, state, went
from tests.pages.uploading import added, desk_of, dropped, file_of, read, uploaded
from tests.support.disks import mounted, remount
from tests.support.documents import document_of
from tests.support.facts import tells
from tests.support.mails import mail_with
from tests.support.pdfs import report, scan

SAMPLE_COUNT = len(find_files([SAMPLES]))
GOOD = b"# Pumps\n\n## Quiet ones\n\nThe pump got quieter.\n"
BINARY = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
CHINESE = (
    "# 产品手册\n\n设备的保修期是两年。请在购买后的三十天内完成注册,否则保修期从出厂日期起算。如有问题,请联系我们的客户服务部门。\n" * 4
)

HOSTILE_TITLES = (
    "![x](http://127.0.0.1:9/x.png)",
    "[click](http://127.0.0.1:9/)",
    "<img src=x onerror=alert(1)>",
    "$x^2$ :red[y] :material/home:",
    "https://evil.example/login",
)


def messages(app: AppTest, key: str) -> list[dict[str, Any]]:
    """The messages of components that have this key."""
    sent = [json.loads(part.proto.json) for part in app.get("bidi_component")]
    return [message for message in sent if key in message]


def sources(workspace: Workspace) -> set[str]:
    return {row.source for row in workspace.documents()}


def confirmed(app: AppTest, button: str, sure: str) -> AppTest:
    """Open a dialog and say yes."""
    app.button(key=button).click()
    ran(app)
    app.button(key=button).click()
    app.button(key=sure).click()
    return ran(app)


class TestSamples:
    @pytest.mark.parametrize("made_before", [True, False])
    def test_first_start_shows_them(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_before: bool) -> None:
        """In a folder that is not there yet as in an empty one, such as a disk that was just mounted."""
        folder = tmp_path / "workspace"
        if made_before:
            folder.mkdir()
        monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(folder))
        app = opened("documents")
        assert len(app.dataframe[0].value) == SAMPLE_COUNT
        assert "读" not in said(app)
        assert "read as" in said(app)

    @pytest.mark.usefixtures("dialogs")
    def test_start_empty_and_reset_to_samples(self, indexed: Workspace) -> None:
        """Both ask first; an emptied workspace stays empty at the next start, and says what to do."""
        app = opened("documents", doc="faq_faq")
        app.button(key="documents.empty").click()
        assert "All 1 document" in said(ran(app))
        assert indexed.documents()
        confirmed(app, "documents.empty", "documents.reset.sure")
        assert (indexed.documents(), indexed.indexes()) == ([], [])
        assert "no documents yet" in said(app)
        assert "no documents yet" in said(opened("documents"))
        confirmed(app, "documents.reset", "documents.reset.sure")
        assert len(indexed.documents()) == SAMPLE_COUNT


class TestUploads:
    def test_what_was_found_is_said_before_it_is_added(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """Empty, white space, binary, over-large: each its sentence; the good ones with their facts; nothing is in the workspace yet."""
        monkeypatch.setattr("chunking.parsing.document.MAX_BYTES", 10_000)
        before = sources(samples)
        bad = [("empty.md", b""), ("space.txt", b" \n\t\r\n "), ("picture.md", BINARY), ("large.md", b"word " * 4_000)]
        app = dropped(opened("documents"), [bad[0], ("good.md", GOOD), *bad[1:], ("also.txt", b"Plain words.")])
        assert sources(samples) == before
        shown = said(app).split("\n")
        assert "Markdown · 2 sections · 46 characters · English" in shown
        for (name, _), words in zip(bad, ("is empty", "is empty", "", "the limit is"), strict=True):
            (line,) = [line for line in shown if name in line]
            assert words in line
            assert line.count(name) == 1
        assert app.button(key="uploads.add").label == "Add 2 documents"
        added(app)
        assert sources(samples) - before == {"good.md", "also.txt"}
        assert "good.md: added, 2 sections, 46 characters, English." in said(app)
        assert desk_of(app).files == []
        assert state(app, "share.view")["doc"] == "good"
        assert "Pumps" in [heading.value for heading in app.subheader]
        went(app, "chunks")
        assert not went(app, "documents").success

    def test_files_in_a_file_are_documents_of_their_own(self, samples: Workspace) -> None:
        """Named beneath it with what is to be known of them, counted, added and replaced together; one that was deleted may come back."""
        attachments = {"sparrow.txt": "The sparrow eats seeds.", "heron.txt": "The heron eats fish.", "blank.txt": " "}
        data = mail_with(attachments)
        app = dropped(opened("documents"), [("mail.eml", data), ("good.md", GOOD)])
        (line,) = [line for line in said(app).split("\n") if "sparrow.txt" in line]
        assert tells(line, "2 documents sparrow.txt heron.txt")
        assert "blank.txt" in said(app)
        assert app.button(key="uploads.add").label == "Add 4 documents"
        before = sources(samples)
        added(app)
        assert sources(samples) - before == {"good.md", "mail.eml", "mail.eml/sparrow.txt", "mail.eml/heron.txt"}
        assert any(tells(line, "mail.eml added 2 documents") for line in said(app).split("\n"))
        assert "mail.eml/heron.txt" in list(app.dataframe[0].value["File"])
        dropped(app, [("mail.eml", data)])
        assert "Unchanged, nothing to add" in said(app)
        samples.delete_documents(["mail_eml_heron"])
        app.button(key="uploads.discard").click()
        uploaded(ran(app), [("mail.eml", data)])
        assert "mail.eml/heron.txt" in sources(samples)

    @pytest.mark.usefixtures("dialogs")
    def test_the_files_in_a_file_are_deleted_with_it(self, samples: Workspace) -> None:
        """And counted before."""
        uploaded(opened("documents"), [("mail.eml", mail_with({"sparrow.txt": "The sparrow eats seeds."}))])
        app = opened("documents", doc="mail")
        app.button(key="documents.delete").click()
        assert any(tells(line, "1 document mail.eml") for line in said(ran(app)).split("\n"))
        confirmed(app, "documents.delete", "documents.delete.sure")
        assert not [source for source in sources(samples) if source.startswith("mail.eml")]

    def test_a_file_can_be_left_out_and_all_be_discarded(self, samples: Workspace) -> None:
        """By its box; and by one button, after which nothing of them is held."""
        before = sources(samples)
        app = dropped(opened("documents"), [("one.md", GOOD), ("two.md", GOOD)])
        app.checkbox(key=f"uploads.take.{file_of(app, 'one.md').number}").uncheck()
        assert ran(app).button(key="uploads.add").label == "Add 1 document"
        added(app)
        assert sources(samples) - before == {"two.md"}
        dropped(app, [("three.md", GOOD)])
        app.button(key="uploads.discard").click()
        ran(app)
        assert desk_of(app).files == []
        assert "three.md" not in said(app)
        assert sources(samples) - before == {"two.md"}

    def test_reading_goes_on_while_the_page_is_left(self, samples: Workspace) -> None:
        """What was dropped is found when the user comes back, in this session only."""
        app = opened("documents")
        app.file_uploader[0].set_value([("pumps.md", GOOD, "text/markdown")])
        ran(app)
        went(app, "chunks")
        eventually(lambda: not desk_of(app).active)
        assert "Before adding" in said(went(app, "documents"))
        assert "Before adding" not in said(opened("documents"))

    def test_a_batch_can_be_cancelled(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """What was found until then can be added; the rest is named as not read."""
        gate = threading.Event()
        parse_all_guarded = components.documents.incoming.parse_all_guarded

        def slow(data: bytes, source: str, *, cancelled: Callable[[], bool], **options: object) -> tuple[Document, ...]:
            if source == "good.md":
                return parse_all_guarded(data, source, cancelled=cancelled)
            while not cancelled():
                gate.wait(0.01)
            raise Cancelled("Reading was cancelled.")

        monkeypatch.setattr("components.documents.incoming.parse_all_guarded", slow)
        app = opened("documents")
        app.file_uploader[0].set_value([(name, GOOD, "") for name in ("good.md", "a.md", "b.md", "c.md", "d.md")])
        ran(app)
        eventually(lambda: file_of(app, "good.md").state is State.FOUND and file_of(app, "b.md").state is State.READING)
        assert "c.md · waiting" in said(ran(app)).replace("*", "")
        assert "b.md · reading" in said(app).replace("*", "")
        app.button(key="uploads.cancel").click()
        shown = said(read(ran(app))).replace("*", "")
        assert all(f"{name}.md · not read" in shown for name in "abcd")
        assert app.button(key="uploads.add").label == "Add 1 document"

    def test_a_guessed_encoding_is_shown(self, samples: Workspace) -> None:
        """GB18030, UTF-16 and invalid bytes say how they were read; plain UTF-8 has nothing to say."""
        files = [
            ("gb.md", CHINESE.encode("gb18030")),
            ("wide.md", CHINESE.encode("utf-16")),
            ("utf8.md", CHINESE.encode()),
            ("broken.md", b"# Broken\n\nGood words, then \xff\xfe\x80 bad bytes, then good words.\n"),
        ]
        app = dropped(opened("documents"), files)
        shown = said(app)
        added(app)
        stored = {row.source: row for row in samples.documents()}
        assert stored["gb.md"].encoding.lower().replace("_", "") in ("gb18030", "gbk", "gb2312")
        assert stored["wide.md"].encoding.startswith("utf-16")
        assert samples.document(stored["gb.md"].doc_id).text == samples.document(stored["wide.md"].doc_id).text == CHINESE
        assert stored["utf8.md"].warnings == ()
        assert stored["gb.md"].warnings[0] in shown
        assert stored["broken.md"].warnings[0] in shown
        assert f"read as Markdown, {stored['gb.md'].encoding}" in said(app)

    def test_a_wrong_guess_can_be_put_right(self, samples: Workspace) -> None:
        """Before it is added; and later, by adding the file again: the same bytes are unchanged until they are read otherwise."""
        short = "réglé à côté".encode("cp1250", "replace")
        app = dropped(opened("documents"), [("short.txt", short), ("fine.txt", b"Plain words.")])
        (choice,) = [box for box in app.selectbox if str(box.key).startswith("uploads.encoding")]
        assert "Now: " in choice.proto.placeholder
        added(app)
        guessed = next(row for row in samples.documents() if row.source == "short.txt")
        dropped(app, [("short.txt", short)])
        assert "Unchanged, nothing to add" in said(app)
        app.selectbox(key=f"uploads.encoding.{file_of(app, 'short.txt').number}").select("cp1252")
        read(ran(app))
        assert "The same file as" in said(app)
        added(app)
        row = next(row for row in samples.documents() if row.source == "short.txt")
        assert (guessed.encoding, row.encoding, row.warnings, len(row.versions)) == (guessed.encoding, "cp1252", (), 0)
        assert samples.document("short").text.startswith("réglé")
        assert "read as text, cp1252" in said(app)

    @pytest.mark.parametrize("encoding", ENCODINGS)
    def test_each_encoding_that_is_offered_can_be_read(self, encoding: str) -> None:
        """What the box offers, Python knows."""
        assert parse("Words.".encode(encoding), "words.txt", encoding=encoding).text == "Words."

    def test_each_encoding_that_a_guess_names_is_offered(self) -> None:
        """Those of mainframes and of DOS too."""
        assert {codecs.lookup(name).name for name in NAMED} <= {codecs.lookup(name).name for name in ENCODINGS}

    def test_comments_are_read_where_the_box_is_ticked(self, samples: Workspace) -> None:
        """Or once the button beside the file is pressed, which is there only for a file that has some."""
        rtf = rb"{\rtf1\ansi Finches sing.{\*\atnauthor Mara}{\*\annotation Really?}\par}"
        app = dropped(opened("documents"), [("one.rtf", rtf), ("good.md", GOOD)])
        (button,) = [button for button in app.button if str(button.key).startswith("uploads.comments")]
        assert "1 comment" in said(app)
        button.click()
        read(ran(app))
        assert [block.meta.get("comment") for block in file_of(app, "one.rtf").document.blocks] == [None, True]
        assert not [button for button in app.button if str(button.key).startswith("uploads.comments")]
        app.checkbox(key="uploads.comments").check()
        dropped(app, [("two.rtf", rtf)])
        assert file_of(app, "two.rtf").document.text.endswith("Mara: Really?")

    def test_two_files_of_one_name_are_two_documents(self, samples: Workspace) -> None:
        """And both stay what they are when both come again."""
        app = opened("documents")
        for turn in ("first", "second"):
            uploaded(app, [("notes.md", f"# One {turn}\n\nText.".encode()), ("notes.md", f"# Two {turn}\n\nText.".encode())])
        titles = {row.source: (row.title, len(row.versions)) for row in samples.documents() if row.source.startswith("notes")}
        assert titles == {"notes.md": ("One second", 1), "notes (2).md": ("Two second", 1)}

    @pytest.mark.parametrize(
        "name",
        ["../../etc/passwd.md", "x" * 296 + ".md", "a\x07b\u202egnp.md", "![x](y) $z$.md", "C:\\notes\\a.md", "产品 手册.md", "..md"],
    )
    def test_any_name_is_made_safe(self, samples: Workspace, name: str) -> None:
        """No way out of the workspace, nothing unseen, and not too long; it is shown as text."""
        before = sources(samples)
        app = uploaded(opened("documents"), [(name, GOOD)])
        (added,) = sources(samples) - before
        assert ".." not in added.split("/")
        assert len(added) <= 300
        assert added.isprintable()
        assert not added.startswith("/")
        assert "added, 2 sections" in said(app)
        assert "](" not in app.success[0].value

    def test_the_same_name_again_is_a_new_version(self, indexed: Workspace) -> None:
        """The document stays the same one, the page shows its new text, and its index is out of date."""
        app = opened("documents")
        uploaded(app, [("pumps.md", GOOD)])
        dropped(app, [("pumps.md", GOOD.replace(b"quieter", b"louder"))])
        assert "New version of “Pumps”" in said(app)
        added(app)
        assert "new version of “Pumps”" in said(app)
        assert "2 versions" in said(app)
        assert "louder" in indexed.document("pumps").text
        assert "1 document added" in said(went(app, "index"))

    def test_the_same_bytes_add_nothing(self, samples: Workspace) -> None:
        """A box that cannot be ticked, and no button that would add it."""
        app = uploaded(opened("documents"), [("pumps.md", GOOD)])
        version = samples.version()
        dropped(app, [("pumps.md", GOOD)])
        assert "Unchanged, nothing to add" in said(app)
        (box,) = (one for one in app.checkbox if "pumps.md" in one.label)
        assert (box.disabled, box.value) == (True, False)
        assert app.button(key="uploads.discard").label == "Close"
        assert samples.version() == version

    def test_what_lies_there_is_replaced_by_a_later_drop_of_its_name(self, samples: Workspace) -> None:
        """One document of that name, the later one."""
        app = dropped(opened("documents"), [("pumps.md", GOOD)])
        dropped(app, [("pumps.md", GOOD.replace(b"quieter", b"louder"))])
        added(app)
        assert "louder" in samples.document("pumps").text
        assert sum(row.source.startswith("pumps") for row in samples.documents()) == 1

    def test_too_much_at_once_is_refused_in_a_sentence(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """What does not fit is not held; the rest is read."""
        monkeypatch.setattr("components.documents.incoming.MOST_BYTES", len(GOOD) + 20)
        app = dropped(opened("documents"), [("one.md", GOOD), ("two.md", GOOD)])
        assert "two.md was not taken" in said(app)
        assert file_of(app, "two.md").data == b""
        assert app.button(key="uploads.add").label == "Add 1 document"

    @pytest.mark.parametrize("title", HOSTILE_TITLES)
    def test_a_hostile_title_is_text(self, samples: Workspace, title: str) -> None:
        """Escaped wherever Streamlit would read Markdown, on all pages."""
        app = uploaded(opened("documents"), [("hostile.txt", b"Words."), ("hostile.md", f"# `{title}`\n\nWords.\n".encode())])
        row = next(row for row in samples.documents() if row.source == "hostile.md")
        assert row.title == title
        app.session_state["share.view"] = {"doc": row.doc_id}
        app.session_state["chunks.viewer.at"] = 0
        for page in ("documents", "chunks", "index"):
            went(app, page)
            for kind in (app.markdown, app.caption, app.subheader, app.success, app.info, app.error):
                assert title not in "".join(str(part.value) for part in kind)


class TestPaged:
    def test_a_pdf_shows_its_pages_beside_its_text(self, samples: Workspace) -> None:
        """Facts before and after, the file kept for its pictures, the first page sent, what was left out listed."""
        app = dropped(opened("documents"), [("guide/pump.pdf", report())])
        assert re.search(r"PDF · 3 pages · 5 sections · [\d,]+ characters · English", said(app))
        added(app)
        row = next(row for row in samples.documents() if row.source == "guide/pump.pdf")
        assert (row.pages, samples.file(row.hash)) == (3, report())
        shown = said(app)
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
        listed = ran(app).dataframe[1].value
        assert set(listed["What it is"]) == {"running header", "page number"}
        assert sorted(set(listed["Page"])) == [1, 2, 3]

    def test_a_new_version_takes_the_place_of_the_file(self, samples: Workspace) -> None:
        """The old one is kept no longer."""
        app = uploaded(opened("documents"), [("pump.pdf", report())])
        old = samples.document("pump").hash
        uploaded(app, [("pump.pdf", report(repair="Call the maker first."))])
        assert samples.file(old) is None
        assert samples.file(samples.document("pump").hash) is not None
        assert "2 versions" in said(app)

    def test_a_file_that_is_not_kept_says_so_in_the_pages_place(self, samples: Workspace) -> None:
        """As for a document that another program has put there; the rest of the page is there."""
        samples.put_document(parse(report(), "pump.pdf"))
        (message,) = messages(opened("documents", doc="pump"), "picture")
        assert message["picture"] is None
        assert "the Documents page" in message["fault"]["words"]

    @pytest.mark.skipif(not is_installed(), reason="tesseract is not installed")
    def test_scanned_pages_are_read_by_ocr_on_demand(self, samples: Workspace) -> None:
        """One button on the file that needs it; the other files are left alone."""
        app = dropped(opened("documents"), [("scan.pdf", scan()), ("good.md", GOOD)])
        (button,) = [button for button in app.button if str(button.key).startswith("uploads.ocr")]
        assert "scanned" in said(app)
        button.click()
        read(ran(app))
        assert "only a reader of pictures" in file_of(app, "scan.pdf").document.text
        assert not [button for button in app.button if str(button.key).startswith("uploads.ocr")]
        assert app.button(key="uploads.add").label == "Add 2 documents"

    def test_without_tesseract_there_is_no_button(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """But a line that says what to install."""
        monkeypatch.setattr("components.documents.uploads.is_installed", lambda: False)
        app = dropped(opened("documents"), [("scan.pdf", scan())])
        assert not [button for button in app.button if str(button.key).startswith("uploads.ocr")]
        assert "install it" in said(app)

    def test_slides_are_named_and_have_no_page_view(self, samples: Workspace) -> None:
        """The text's message says where each begins."""
        writer = Writer("talk.pptx")
        for number in (1, 2):
            writer.block(BlockType.HEADING, [Piece(f"Slide about {number}", number)], level=1)
        samples.put_document(document_of(writer.finish(page_count=2), "talk.pptx", format="pptx"))
        app = opened("documents", doc="talk")
        assert "2 slides" in said(app)
        assert not messages(app, "picture")
        (text,) = messages(app, "pageWord")
        assert (text["pageWord"], text["pages"]) == ("slide", [[0, 1], [15, 2]])


class TestTable:
    def test_the_row_of_the_view_is_picked_and_stays_with_its_document(self, samples: Workspace) -> None:
        """Also when rows come before it: a row's number is not a document."""
        app = opened("documents", doc="manual-zh_产品使用手册")
        assert app.subheader[0].value.startswith("鹭")
        samples.delete_documents(["api_rest-api-reference"])
        ran(app)
        assert app.subheader[0].value.startswith("鹭")
        assert state(app, "share.view")["doc"] == "manual-zh_产品使用手册"

    def test_a_document_that_vanished_is_missed_in_a_sentence(self, samples: Workspace) -> None:
        """Deleted in another tab: on this page and on Chunks."""
        one, two = opened("documents", doc="faq_faq"), opened("chunks", doc="faq_faq", chunk="2")
        samples.delete_documents(["faq_faq"])
        assert "“faq_faq” is not in" in said(ran(one))
        assert "“faq_faq” is not in" in said(ran(two))
        assert "not in this workspace" not in said(ran(one)) + said(ran(two))
        assert state(two, "share.view")["doc"] != "faq_faq"

    @pytest.mark.usefixtures("dialogs")
    def test_delete_asks_and_deletes(self, indexed: Workspace) -> None:
        """With its chunks in the index."""
        app = opened("documents", doc="faq_faq")
        app.button(key="documents.delete").click()
        assert "leave the workspace and every index" in said(ran(app))
        confirmed(app, "documents.delete", "documents.delete.sure")
        assert indexed.documents() == []
        assert indexed.index("main").count() == 0

    @pytest.mark.usefixtures("dialogs")
    def test_what_was_deleted_in_another_tab_cannot_be_deleted_again(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """One sentence in the dialog."""
        app = opened("documents", doc="faq_faq")
        app.button(key="documents.delete").click()
        ran(app)
        app.button(key="documents.delete").click()
        app.button(key="documents.delete.sure").click()
        take = components.session.workspace._take

        def too_late(target: Workspace, held: ExitStack) -> None:
            samples.delete_documents(["faq_faq"])
            take(target, held)

        monkeypatch.setattr("components.session.workspace._take", too_late)
        ran(app)
        assert "There is no document 'faq_faq'" in app.error[0].value.replace("\\", "")


class TestWorkspaceTrouble:
    @pytest.mark.usefixtures("dialogs")
    def test_locked_by_another_process(self, samples: Workspace) -> None:
        """Upload, delete and reset say so in one sentence, and can be done once the other is finished."""
        app = dropped(opened("documents", doc="faq_faq"), [("one.md", GOOD), ("two.md", GOOD)])
        before = sources(samples)
        with locked(Path(samples.uri)):
            assert said(added(app)).count("Another process is writing") == 1
            assert len(desk_of(app).files) == 2
            for button, sure in (
                ("documents.delete", "documents.delete.sure"),
                ("documents.empty", "documents.reset.sure"),
                ("documents.reset", "documents.reset.sure"),
            ):
                confirmed(app, button, sure)
                assert "Another process is writing" in app.error[0].value
            assert sources(samples) == before
        added(app)
        assert sources(samples) - before == {"one.md", "two.md"}

    @pytest.mark.usefixtures("dialogs")
    def test_a_disk_that_became_read_only(self, samples: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What is there can be read; a change says why it cannot be made."""
        with mounted(tmp_path / "disk", "size=20m") as disk:
            folder = disk / "workspace"
            monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(folder))
            app = opened("documents")
            remount(disk, "ro")
            uploaded(app, [("one.md", GOOD)])
            assert "read-only disk" in said(app)
            confirmed(app, "documents.delete", "documents.delete.sure")
            assert "read-only disk" in said(app)
            assert len(app.dataframe[0].value) == SAMPLE_COUNT

    @pytest.mark.parametrize("page", ["documents", "chunks", "index"])
    def test_a_workspace_that_cannot_be_made(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
        """One sentence on each page."""
        (tmp_path / "file").write_text("not a folder")
        monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(tmp_path / "file"))
        (error,) = opened(page).error
        assert "a file stands in its place" in error.value

    def test_two_sessions_add_at_once(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """The one waits for the other; paths that would give the same id give two documents."""
        monkeypatch.setattr("components.session.workspace.PATIENCE", 20.0)
        by = Readers()
        desks = [Desk(by), Desk(by)]
        for desk, names in zip(desks, [("a b.md", "c.md", "d.md"), ("a_b.md", "e.md", "f.md")], strict=True):
            desk.take((name, GOOD) for name in names)
        eventually(lambda: not any(desk.active for desk in desks))
        outcomes: list[Outcome] = []
        threads = [threading.Thread(target=lambda desk=desk: outcomes.extend(add(workspace(), desk.files))) for desk in desks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {"a b.md", "a_b.md", "c.md", "d.md", "e.md", "f.md"} < sources(samples)
        assert len({outcome.doc_id for outcome in outcomes}) == 6


class TestRelated:
    def test_related_documents_with_why_lead_to_them(self, indexed: Workspace) -> None:
        """Nearest first, with a number and a reason; a click shows the document, and its row is the picked one."""
        indexed.put_document(parse(b"# Pumps\n\nThe quiet pump moves water, and the battery of the pump lasts a year.\n", "guide/pumps.md"))
        indexed.put_document(parse(b"# Water\n\nWater is moved by a quiet pump with a battery.\n", "guide/water.md"))
        build_index(indexed, Config())
        app = opened("documents", doc="guide_pumps")
        assert "1 other document in guide" in said(app)
        app.session_state["documents.related"] = True
        ran(app)
        found = related_documents(indexed, "guide_pumps", 5, index="main")
        text = said(app)
        assert found[0].row.doc_id == "guide_water"
        for one in found:
            assert f"similarity {one.similarity:.2f}" in text
            assert one.why in text
        app.button(key="documents.related.guide_water").click()
        ran(app)
        assert state(app, "share.view")["doc"] == "guide_water"
        assert app.subheader[0].value == "Water"
        app.button(key="documents.sibling.guide_pumps").click()
        assert ran(app).subheader[0].value == "Pumps"

    def test_before_an_index_there_is_the_next_step(self, samples: Workspace) -> None:
        """Vectors say what is related: build them."""
        app = opened("documents")
        app.session_state["documents.related"] = True
        assert "No index holds" in said(ran(app))
